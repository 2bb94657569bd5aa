"""``install_as_torch()``: in this process ``import torch[.x]`` means rushlight.

Every ``torch.x.y`` is the very module object ``rushlight.x.y``; nothing is copied.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType

from ..base.missing_names import is_in_torch, lacks

_OWN = __name__.partition(".")[0]
# Where PyTorch has those of the names in `torch` that it defines elsewhere.
_HOMES = {
    "Generator": "torch._C",
    **dict.fromkeys(("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"), "torch.autograd.grad_mode"),
}


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
        if top == "functorch":  # PyTorch brings it along
            own_name = f"rushlight.{fullname}"
            return ModuleSpec(fullname, _SameModule(own_name), is_package=not rest) if _later_spec_of(own_name) else None
        if not rest or top not in ("torch", "rushlight"):
            return None
        torch_name = f"torch.{rest}"
        own_name = f"rushlight.{rest}"
        if top == "rushlight":
            # `from torch import x` looks for a module under the name that its owner carries.
            spec = _later_spec(own_name, path)
            if spec is None and is_in_torch(torch_name):
                raise ImportError(lacks(torch_name), name=torch_name)
            if spec is not None and spec.loader is not None:
                spec.loader.exec_module = partial(_run_and_name, spec.loader.exec_module)  # type: ignore[method-assign]
            return spec
        parent, _, last = own_name.rpartition(".")
        # A module of rushlight behind a name that means something else in torch (torch.tensor) is not torch's module.
        # Looked for in the owner's own names: its __getattr__ would import it, and Python would then run it a second time.
        is_hidden = not isinstance(getattr(sys.modules.get(parent), "__dict__", {}).get(last, sys), ModuleType)
        own_spec = None if is_hidden else _later_spec(own_name, path)
        if own_spec is None:
            is_lacking = is_in_torch(torch_name) and not is_hidden
            message = lacks(torch_name) if is_lacking else f"No module named {torch_name!r}"
            # Python drops an error of the looked-up name where `from torch import x` asks: its message would be lost.
            raise ModuleNotFoundError(message, name=own_name if is_lacking else torch_name)
        return ModuleSpec(
            torch_name,
            _SameModule(own_name),
            origin=own_spec.origin,
            is_package=own_spec.submodule_search_locations is not None,
        )


def _run_and_name(run: Callable[[ModuleType], None], module: ModuleType) -> None:
    run(module)
    _name_as_in_torch(module)


def _name_as_in_torch(module: ModuleType) -> None:
    """Programs print types, <class 'torch.nn.modules.linear.Linear'>, and a few the names of modules."""
    own_name = module.__name__
    torch_name = "torch." + own_name.partition(".")[2]
    function = vars(module).get(torch_name.rpartition(".")[2])
    is_behind_its_function = isinstance(function, FunctionType) and function.__module__ == own_name and is_in_torch(torch_name)
    # Who pickles a class looks among the modules that are there for the one that it names. Behind its function
    # (torch.nn.utils.weight_norm) importing the module would put it in the function's place.
    if is_behind_its_function or not _is_hidden(own_name):
        sys.modules.setdefault(torch_name, module)
    if is_in_torch(torch_name):
        module.__name__ = torch_name
    for value in vars(module).values():
        if isinstance(value, type):
            top, _, rest = value.__module__.partition(".")
            if top == _OWN and not (value.__name__.startswith("_") and _is_hidden(value.__module__)):
                _move(value, f"torch.{rest}" if rest else "torch")


def _is_hidden(own_name: str) -> bool:
    """Whether another thing has the name of a module of rushlight, as ``torch.tensor`` is a function."""
    parent, _, last = own_name.rpartition(".")
    module = sys.modules.get(own_name)
    return getattr(sys.modules.get(parent), last, module) is not module


def _move(cls: type, module_name: str) -> None:
    """Has a class say that it is from another module.

    Its annotations go: that module lacks their names, and who reads a program's annotations reads those of its bases too.
    """
    cls.__module__ = module_name
    if "__annotations__" in vars(cls):
        cls.__annotations__ = {}


def _later_spec_of(name: str) -> ModuleSpec | None:
    """:func:`_later_spec`, by way of the module's package."""
    return _later_spec(name, import_module(name.rpartition(".")[0]).__path__)


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
    rushlight = import_module(_OWN)
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
    vars(rushlight)["torch"] = rushlight  # as PyTorch, which imports itself: programs say torch.torch.Tensor
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"torch\.")  # as ops.dispatch does for its own name
    rushlight.__name__ = "torch"
    sys.meta_path.insert(0, _TorchFinder())
    for value in vars(rushlight).values():
        if isinstance(value, type) and value.__module__.partition(".")[0] == _OWN:
            _move(value, _HOMES.get(value.__name__, "torch"))
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _OWN and name != _OWN:
            _name_as_in_torch(module)
