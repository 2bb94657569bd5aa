"""``install_as_torch()``: in this process ``import torch[.x]`` means rushlight.

Every ``torch.x.y`` is the very module object ``rushlight.x.y``; nothing is copied.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from .missing import is_in_torch, lacks


class _SameModule(Loader):
    """Gives ``torch.x`` the module that ``rushlight.x`` is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._module = import_module(self._name)
        self._own_spec = self._module.__spec__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run already; the import system has only put the alias's spec on it, which goes again."""
        module.__spec__ = self._own_spec


class _TorchFinder(MetaPathFinder):
    """Finds ``torch.x`` among rushlight's modules, and says so when rushlight lacks what PyTorch has."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        top, _, rest = fullname.partition(".")
        if not rest or top not in ("torch", "rushlight"):
            return None
        torch_name = f"torch.{rest}"
        own_name = f"rushlight.{rest}"
        if top == "rushlight":
            # `from torch import x` looks for a module under the name that its owner carries.
            if is_in_torch(torch_name) and _later_spec(own_name, path) is None:
                raise ImportError(lacks(torch_name), name=torch_name)
            return None
        parent, _, last = own_name.rpartition(".")
        # A module of rushlight behind a name that means something else in torch (torch.tensor) is not torch's module.
        is_hidden = not isinstance(getattr(sys.modules.get(parent), last, sys), ModuleType)
        own_spec = None if is_hidden else _later_spec(own_name, path)
        if own_spec is None:
            is_lacking = is_in_torch(torch_name) and not is_hidden
            message = lacks(torch_name) if is_lacking else f"No module named {torch_name!r}"
            raise ModuleNotFoundError(message, name=torch_name)
        return ModuleSpec(
            torch_name,
            _SameModule(own_name),
            origin=own_spec.origin,
            is_package=own_spec.submodule_search_locations is not None,
        )


def _later_spec(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """What the finders behind this one know of a module."""
    others = (finder for finder in sys.meta_path if not isinstance(finder, _TorchFinder))
    return next((spec for finder in others if (spec := finder.find_spec(name, path)) is not None), None)


def install_as_torch() -> None:
    """Make ``import torch`` and ``import torch.x.y`` mean rushlight in this process; a second call changes nothing.

    Call it before anything imports torch: ``RuntimeError`` where real PyTorch is already imported::

        import rushlight

        rushlight.install_as_torch()
        import torch  # is rushlight
    """
    rushlight = import_module(__package__)
    present = sys.modules.get("torch")
    if present is rushlight:
        return
    if present is not None:
        version, place = getattr(present, "__version__", "of no version"), getattr(present, "__file__", "no file")
        raise RuntimeError(
            f"PyTorch {version} is already imported in this process (from {place}), so `torch` cannot mean rushlight;"
            " call rushlight.install_as_torch() before anything imports torch"
        )
    sys.modules["torch"] = rushlight
    sys.meta_path.insert(0, _TorchFinder())
    for value in vars(rushlight).values():
        # Programs print their types: <class 'torch.Tensor'>.
        if isinstance(value, type) and value.__module__.partition(".")[0] == "rushlight":
            value.__module__ = "torch"
