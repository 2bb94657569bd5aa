"""PyTorch's namespaces that only pass names on or stand in for inner parts: ``rushlight.cuda`` is ``compat/cuda``.

They are imported under PyTorch's names, since ``rushlight.__path__`` leads here too; so what stands here says where other rooms are
by their whole names (``from rushlight.nn import Module``), and its neighbours by relative ones. Nothing else imports this room.

>>> import rushlight.compat.cuda
>>> rushlight.compat.cuda is rushlight.cuda, rushlight.cuda.__name__
(True, 'rushlight.cuda')
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


class _SameModule(Loader):
    """Gives ``rushlight.compat.x`` the module that ``rushlight.x`` is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._module = import_module(self._name)
        self._own_spec, self._own_loader = self._module.__spec__, self._module.__loader__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run already; the import system has only put this spec on it, which goes again."""
        module.__spec__, module.__loader__ = self._own_spec, self._own_loader


class _Finder(MetaPathFinder):
    """Finds modules by where their files lie, which is how test runners and editors ask for them."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not fullname.startswith(f"{__name__}."):
            return None
        name = f"rushlight.{fullname.removeprefix(f'{__name__}.')}"
        own = find_spec(name)
        if own is None:
            return None
        is_package = own.submodule_search_locations is not None
        spec = ModuleSpec(fullname, _SameModule(name), origin=own.origin, is_package=is_package)
        spec.has_location = True
        return spec


sys.meta_path.insert(0, _Finder())
