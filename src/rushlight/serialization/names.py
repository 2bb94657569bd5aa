"""Under which names saved files know things: PyTorch's names, whichever names rushlight's own modules have."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from ..base.device import named
from ..ops.public import registry

_OWN = __name__.partition(".")[0]
_SPACES = ("torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft")

# Classes that stand in another module here than in PyTorch.
_ELSEWHERE = {
    "torch.random.Generator": "torch._C",
    "torch.serialization.names._get_layout": "torch.serialization",
    "torch.nn.modules.attention.MultiheadAttention": "torch.nn.modules.activation",
    **{
        f"torch.nn.modules.batchnorm.{lazy}InstanceNorm{dim}d": "torch.nn.modules.instancenorm"
        for lazy in ("", "Lazy")
        for dim in (1, 2, 3)
    },
}


def place_of(obj: Any, name: str) -> str | None:
    """The module in which PyTorch has something of rushlight's; None for what is not rushlight's.

    >>> import rushlight as torch
    >>> from rushlight.serialization.names import place_of
    >>> place_of(torch.Size, "Size"), place_of(torch.nn.MultiheadAttention, "MultiheadAttention")
    ('torch', 'torch.nn.modules.activation')
    """
    module = getattr(obj, "__module__", None)
    if not isinstance(module, str) or module.partition(".")[0] not in (_OWN, "torch"):
        return None
    spelled = "torch" + module.removeprefix(_OWN) if module.startswith(_OWN) else module
    if f"{spelled}.{name}" in _ELSEWHERE:
        return _ELSEWHERE[f"{spelled}.{name}"]
    if not isinstance(obj, type):
        for space in _SPACES:
            if registry.get(space, {}).get(name) is obj:
                return space
    if spelled != "torch.storage" and getattr(sys.modules[_OWN], name, None) is obj:
        return "torch"
    if spelled.startswith("torch.optim.") and isinstance(obj, type) and hasattr(obj, "step"):
        return spelled if "scheduler" in spelled or "swa" in spelled else f"torch.optim.{name.lower()}"
    return spelled


def full_name(obj: Any) -> str:
    """The name by which an allow-list knows a class or function: ``torch.nn.modules.linear.Linear``, ``set``."""
    name = str(getattr(obj, "__qualname__", None) or getattr(obj, "__name__", repr(obj)))
    module = place_of(obj, name) or str(getattr(obj, "__module__", ""))
    return f"{module}.{name}".removeprefix("builtins.").removeprefix(".")


def found(module: str, name: str) -> Any:
    """What PyTorch calls ``module.name`` (the module ``torch`` or one below it) in rushlight.

    AttributeError where rushlight does not have it.
    """
    holder = _module(f"{_OWN}{module.removeprefix('torch')}")
    if holder is not None:
        try:
            return _attribute(holder, name)
        except AttributeError:
            if module == "torch":
                raise
    # PyTorch has it in a module that is not here: the packages above offer it too.
    parent = module
    while "." in parent:
        parent = parent.rpartition(".")[0]
        for space in (parent, "torch.nn.functional") if module == "torch._C._nn" else (parent,):
            holder = _module(f"{_OWN}{space.removeprefix('torch')}")
            if holder is not None and hasattr(holder, name.partition(".")[0]):
                return _attribute(holder, name)
    raise AttributeError(f"rushlight does not have {module}.{name}, which the file asks for")


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


def _attribute(holder: Any, name: str) -> Any:
    for part in name.split("."):
        holder = getattr(holder, part)
    return holder


def _get_layout(name: str) -> Any:
    """A layout by its name, 'torch.strided' say: how a saved one comes back."""
    return named(name.removeprefix("torch."))
