"""What the call stack tells of an op: the program's own frames, and the module whose ``forward`` runs."""

from __future__ import annotations

import itertools
import os
import sys
import weakref
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, cast

from ..base.arguments import OWN_CODE, code_of
from ..nn.modules import calls
from ..nn.modules.module import Module
from ..tensor import Tensor

if TYPE_CHECKING:
    from .recording import Recording

DEEPEST = 32  # frames of a stack that are kept, the innermost
LISTED = 16  # elements of a list that are named
DEPTH, HOLDERS = 3, 100  # of what lists and objects hold in their turn, and how many are looked at
LIBRARY = os.path.dirname(os.__file__) + os.sep
INSTALLED = (os.path.join(LIBRARY, "site-packages", ""), os.path.join(LIBRARY, "dist-packages", ""))
PACKAGES = ("torch", __name__.partition(".")[0])
PARAMETERS = 500  # of a module that are named
HOLD_NOTHING = frozenset((FunctionType, BuiltinFunctionType, ModuleType, type, int, float, str, bool, type(None), Tensor))

Where = tuple[CodeType, int]  # an instruction of the program
_own: dict[str, bool] = {}  # by a file's path, which every op is asked for in each of its frames


def is_own(code: CodeType) -> bool:
    """Whether a frame's code is the package's, or Python's own."""
    path = code.co_filename
    known = _own.get(path)
    if known is None:
        known = _own[path] = path.startswith(OWN_CODE) or (path.startswith(LIBRARY) and not path.startswith(INSTALLED))
    return known


def program_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the program, past the package and what Python's library calls for it (``threading``, ``asyncio``)."""
    while frame is not None and is_own(frame.f_code):
        frame = frame.f_back
    return frame


def gives_first_values(frame: FrameType | None) -> bool:
    """Whether a module of the package's gives its parameters their first values: what memory held before is nobody's."""
    while frame is not None and is_own(frame.f_code):
        if frame.f_code.co_name.endswith("reset_parameters"):
            return True
        frame = frame.f_back
    return False


def module_called(frame: FrameType) -> Module | None:
    """The module that a frame of ``nn/modules/calls.py`` calls, or whose hooks it runs."""
    names = frame.f_locals
    found = names.get("module", getattr(names.get("self"), "module", None))
    return found if isinstance(found, Module) else None


# What a function of the package makes for itself, by a part of its file's path.
MADE_WITHIN = {"dropout": "mask", "distributions": "noise", "grad_scaler": "scale"}


def here_of(frame: FrameType | None) -> Where | None:
    return None if frame is None else (frame.f_code, frame.f_lasti)


def made_within(frame: FrameType | None) -> str:
    """What to call a tensor that the program has not: the function of the package's that is running has made it."""
    while frame is not None and is_own(frame.f_code):
        path = frame.f_code.co_filename
        word = next((word for part, word in MADE_WITHIN.items() if part in path), None)
        if word is not None:
            return word
        frame = frame.f_back
    return "inner"


class Calls:
    """The call stacks of a recording, and the qualified names of modules."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._names: dict[int, tuple[weakref.ref[Module], str]] = {}
        self.outermost: CodeType | None = None  # of the block that is recorded; what is outside of that is not the program

    def look(self, frame: FrameType | None) -> tuple[list[Where], str, dict[str, str]]:
        """The places of the calls, from the outermost to the op itself, the module that is running, and whose hook is, if one is."""
        stack: list[Where] = []
        module: Module | None = None
        frames: list[FrameType] = []
        is_hook = False
        while frame is not None:
            code = frame.f_code
            if not is_own(code):
                if code.co_filename.startswith("<frozen"):
                    break
                if len(stack) < DEEPEST:
                    stack.append((code, frame.f_lasti))
                    frames.append(frame)
            elif module is None and code.co_filename == calls.__file__:
                module = module_called(frame)
                is_hook = module is not None and not (frames and frames[-1].f_code is code_of(module.forward))
            if module is None and code.co_name == "forward" and code.co_varnames[:1] == ("self",):
                found = frame.f_locals.get("self")
                module = found if isinstance(found, Module) else None
            if code is self.outermost:
                break
            frame = frame.f_back
        name = "" if module is None else self._name_of(module, frames)
        return stack[::-1], name, {"hook_of": name} if is_hook else {}

    def _name_of(self, module: Module, frames: list[FrameType]) -> str:
        known = self._names.get(id(module))
        if known is None or known[0]() is not module:
            self._search(frames)
            known = self._names.get(id(module))
            if known is None or known[0]() is not module:
                known = self._names[id(module)] = (weakref.ref(module), type(module).__name__)
        return known[1]

    def _search(self, frames: list[FrameType]) -> None:
        """Names the modules that the program has under names of its own, and their parameters; the outermost frame's first."""
        for frame in reversed(frames):
            for scope, names in ((frame.f_code.co_qualname, frame.f_locals), ("<module>", frame.f_globals)):
                for name, value in list(names.items()):
                    if isinstance(value, Module) and name != "self":
                        self.named(value, name, scope)

    def named(self, root: Module, name: str, scope: str) -> None:
        """A module is known under a name: so are those in it."""
        for path, module in root.named_modules():
            known = self._names.get(id(module))
            if known is None or known[0]() is not module:
                self._names[id(module)] = (weakref.ref(module), joined(name, path))
        for path, parameter in itertools.islice(root.named_parameters(), PARAMETERS):
            self._recording.named(self._recording.tensor(parameter), joined(name, path), scope)


def joined(name: str, path: str) -> str:
    """As one would write it: a part that is a number is an index.

    >>> joined("net", "layers.0.weight")
    'net.layers[0].weight'
    """
    for part in path.split(".") if path else ():
        name += f"[{part}]" if part.isdigit() else f".{part}"
    return name


def parameters_of(names: dict[str, object]) -> Iterator[tuple[str, object]]:
    """The parameters of the modules among these values, by qualified names, and what those hold that asks and is none."""
    for name, value in names.items():
        if isinstance(value, Module) and not name.startswith("__"):
            for path, parameter in itertools.islice(value.named_parameters(), PARAMETERS):
                yield joined(name, path), parameter
            for path, module in value.named_modules():
                plain = ((key, one) for key, one in vars(module).items() if isinstance(one, Tensor) and one._needs_grad)
                yield from ((joined(joined(name, path), key), one) for key, one in plain)


def elements_of(names: Mapping[str, object]) -> Iterator[tuple[str, Tensor]]:
    """The tensors in the lists, tuples, dicts and plain objects among these values, as one would write them: ``weights[0]``,
    ``params["w"]``, ``neuron.w``."""
    for name, value in names.items():
        if type(value) not in HOLD_NOTHING and not name.startswith("__"):
            for behind, one in _held(value):
                if isinstance(one, Tensor):
                    yield name + behind, one


def deep_elements_of(names: Mapping[str, object]) -> Iterator[tuple[str, Tensor]]:
    """As :func:`elements_of`, and what those hold in their turn: ``net.layers[0].w``."""
    for name, value in names.items():
        waiting = [(name, value, 0)] if not name.startswith("__") else []
        for path, holder, depth in waiting:  # which grows
            for behind, one in _held(holder):
                if isinstance(one, Tensor):
                    yield path + behind, one
                elif depth < DEPTH and len(waiting) < HOLDERS:
                    waiting.append((path + behind, one, depth + 1))


def _held(value: object) -> Iterator[tuple[str, object]]:
    """What a list, a tuple, a dict or an object of a class of the program's holds, with what stands behind its name for it."""
    kind = type(value)
    if kind is list or kind is tuple:
        yield from (
            (f"[{position}]", one) for position, one in enumerate(itertools.islice(cast("list[object]", value), LISTED))
        )
    elif kind is dict:
        for key, one in itertools.islice(cast("dict[object, object]", value).items(), LISTED):
            if type(key) in (str, int):
                yield f'["{key}"]' if type(key) is str else f"[{key}]", one
    elif _is_of_program(kind):
        yield from ((f".{name}", one) for name, one in itertools.islice(list(vars(value).items()), LISTED))


def _is_of_program(kind: type) -> bool:
    """Whether objects of a class are plain ones of the program's own, with attributes that are theirs alone."""
    known = _of_program.get(kind)
    if known is None:
        known = _of_program[kind] = _looks_like_the_programs(kind)
    return known


_of_program: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def _looks_like_the_programs(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None) or ""
    is_installed = path.startswith((sys.base_prefix, sys.prefix, *OWN_CODE)) or kind.__module__ in sys.stdlib_module_names
    plain = (
        kind.__module__ != "builtins" and kind.__dictoffset__ != 0 and not issubclass(kind, Module | Tensor | type | ModuleType)
    )
    return plain and not is_installed and kind.__module__.partition(".")[0] not in PACKAGES
