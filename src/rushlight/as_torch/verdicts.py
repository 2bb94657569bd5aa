"""What rushlight makes of a name that a program says belongs to PyTorch: it works, raises, is lacking, a typo, or another's."""

from __future__ import annotations

import ast
import difflib
import inspect
import textwrap
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import NamedTuple

from ..base.missing_names import is_in_torch, torch_names

_OF_LIBRARIES = ("torch.ops.", "torch.classes.")  # where libraries put operators and classes of their own
_OWN_OPERATORS = ("aten", "prim", "prims", "quantized")


class Verdict(NamedTuple):
    """``status`` is a key of WORDS; ``suggestion`` the name that a typo may stand for."""

    status: str
    suggestion: str | None = None


WORDS = {
    "has": "rushlight has it",
    "raises": "rushlight has it only to raise an error where it is called",
    "lacks": "PyTorch has it and rushlight does not",
    "typo": "PyTorch does not have it either, but one that is spelled nearly so",
    "library": "another library adds it to PyTorch",
    "unknown": "it is no public name of PyTorch's",
}


@cache
def judge(name: str) -> Verdict:
    """What is to be said of a name.

    >>> from rushlight.as_torch.verdicts import judge
    >>> judge("torch.nn.functional.relu"), judge("torch.tanhh")
    (Verdict(status='has', suggestion=None), Verdict(status='typo', suggestion='torch.tanh'))
    >>> judge("torch.ops.torchvision.nms").status, judge("torch.cuda.set_device").status
    ('library', 'raises')
    """
    for start in _OF_LIBRARIES:
        if name.startswith(start) and name.removeprefix(start).partition(".")[0] not in _OWN_OPERATORS:
            return Verdict("library")
    found, missing = _looked_up(name)
    if missing is None:
        return Verdict("raises" if _only_raises(found) else "has")
    if is_in_torch(missing) or missing in torch_names():
        return Verdict("lacks")
    owner, _, last = missing.rpartition(".")
    known = {one for one in (*torch_names().get(owner, ()), *dir(found)) if one[0] != "_"}
    close = difflib.get_close_matches(last, sorted(known), 1, 0.75)
    return Verdict("typo", f"{owner}.{close[0]}") if close and last[0] != "_" else Verdict("unknown")


def is_here(name: str) -> bool:
    """Whether rushlight has what PyTorch calls by this name.

    >>> from rushlight.as_torch.verdicts import is_here
    >>> is_here("torch.nn.functional.relu"), is_here("torch.nn.functional.no_such")
    (True, False)
    """
    return _looked_up(name)[1] is None


@cache
def _looked_up(name: str) -> tuple[object, str | None]:
    """What a name means here; or what its last known owner means, and the name of the first part that is not there."""
    holder: object = import_module("rushlight")
    spelled = "rushlight"
    for part in name.split(".")[1:]:
        spelled += f".{part}"
        try:
            found = getattr(holder, part)
        except AttributeError:
            if not isinstance(holder, ModuleType):
                return holder, "torch" + spelled.removeprefix("rushlight")
            try:
                found = import_module(spelled)
            except ImportError:
                return holder, "torch" + spelled.removeprefix("rushlight")
        except ImportError:
            return holder, "torch" + spelled.removeprefix("rushlight")
        holder = found
    return holder, None


def _only_raises(found: object) -> bool:
    """Whether a function, or making an object of a class, can end in nothing but an error."""
    function = found.__dict__.get("__init__") if isinstance(found, type) else found
    if not isinstance(function, FunctionType):
        return False
    if function.__annotations__.get("return") == "NoReturn":
        return True
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):  # it was made by a program, or is part of an expression
        return False
    whole = tree.body[0]
    returns = any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in ast.walk(whole))
    return isinstance(whole, ast.FunctionDef) and isinstance(whole.body[-1], ast.Raise) and not returns
