"""Names that are not here: one that PyTorch has and rushlight lacks gets an error that says just that.

The names stand in ``as_torch/torch_names.txt`` (a line for each module or class), which is read when a lookup first fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .public_names import registry


@cache
def torch_names() -> dict[str, frozenset[str]]:
    """Public names of PyTorch by owner: ``torch_names()["torch.linalg"]`` holds ``"det"``."""
    lines = (Path(__file__).parents[1] / "as_torch" / "torch_names.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(": ", 1) for line in lines if not line.startswith("#"))
    return {owner: frozenset(names.split()) for owner, names in pairs}


def is_in_torch(qualified: str) -> bool:
    """Whether PyTorch has the public name.

    >>> from rushlight.base.missing_names import is_in_torch
    >>> is_in_torch("torch.linalg.det"), is_in_torch("torch.linalg.dett")
    (True, False)
    """
    owner, _, name = qualified.rpartition(".")
    return name in torch_names().get(owner, ())


def lacks(qualified: str) -> str:
    """The sentence for a name that PyTorch has and rushlight does not have yet."""
    return f"rushlight does not have {qualified} (yet); PyTorch has it"


def explain_attribute(owner: str, name: str, kind: str) -> str:
    """What to say of a lookup that failed on an object of torch's class ``owner``; ``kind`` is its own class's name.

    >>> from rushlight.base.missing_names import explain_attribute
    >>> explain_attribute("Tensor", "cuda", "Tensor")
    'rushlight does not have torch.Tensor.cuda (yet); PyTorch has it'
    >>> explain_attribute("Tensor", "no_such_name", "Parameter")
    "'Parameter' object has no attribute 'no_such_name'"
    """
    qualified = f"torch.{owner}.{name}"
    return lacks(qualified) if is_in_torch(qualified) else f"{kind!r} object has no attribute {name!r}"


# What torch.Tensor has beyond Tensor.
OF_TENSOR = (
    "index int_repr ipu is_distributed mtia q_per_channel_axis q_per_channel_scales q_per_channel_zero_points "
    "q_scale q_zero_point qscheme record_stream reinforce resize_as_sparse_ slice_inverse sparse_resize_ "
    "sparse_resize_and_clear_ to_padded_tensor"
).split()


class Missing:
    """Stands in Tensor for an attribute that only PyTorch's has, and says so when it is looked up.

    A ``__getattr__`` would say it too, but slow down every lookup of every attribute: the interpreter then specializes none.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(lacks(f"torch.Tensor.{self.name}"))  # unnamed: Python guesses at no other name


def attribute_error(owner: str, name: str, plain: str) -> AttributeError:
    """The error for a lookup that failed; ``plain`` is what Python says of a name that PyTorch does not have either.

    >>> from rushlight.base.missing_names import attribute_error
    >>> attribute_error("torch.linalg", "dett", "no such thing")
    AttributeError('no such thing')
    """
    qualified = f"{owner}.{name}"
    if is_in_torch(qualified):
        return AttributeError(lacks(qualified), name=name)  # naming it keeps Python from guessing at another name
    return AttributeError(plain)


def lazy_names(
    module: str, lazy: frozenset[str] = frozenset(), elsewhere: Mapping[str, str] = MappingProxyType({})
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` for the module ``rushlight[.x]``: functions of the op table, else submodules in ``lazy``,
    else names that a submodule gives: ``elsewhere`` says which.

    >>> import rushlight.fft
    >>> from rushlight.base.missing_names import lazy_names
    >>> found, listed = lazy_names("rushlight.fft")
    >>> "irfft2" in listed()
    True
    >>> found("no_such_transform")
    Traceback (most recent call last):
    AttributeError: module 'torch.fft' has no attribute 'no_such_transform'
    """
    spelling = "torch" + module.removeprefix("rushlight")

    def is_function(name: str) -> bool:
        """Not a method only, as most in-place forms are."""
        return not name[-1] == "_" != name[0] or is_in_torch(f"{spelling}.{name}")

    def __getattr__(name: str) -> Any:
        function = registry.get(spelling, {}).get(name)
        if function is not None and is_function(name):
            setattr(sys.modules[module], name, function)
            return function
        if name in lazy:
            try:
                return import_module(f"{module}.{name}")
            except ImportError as error:
                if error.name not in (f"{spelling}.{name}", f"{module}.{name}"):
                    raise
        if name in elsewhere:
            found = getattr(import_module(f"{module}.{elsewhere[name]}"), name)
            setattr(sys.modules[module], name, found)
            return found
        raise attribute_error(spelling, name, f"module {spelling!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        functions = filter(is_function, registry.get(spelling, {}))
        return sorted({*sys.modules[module].__dict__, *functions, *lazy, *elsewhere})

    return __getattr__, __dir__
