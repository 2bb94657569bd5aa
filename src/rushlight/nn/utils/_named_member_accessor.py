"""torch.nn.utils._named_member_accessor: one of a module's tensors exchanged, whatever kind of member it is."""

from __future__ import annotations

from typing import Any

from ...tensor import Tensor
from ..modules.module import Module

__all__ = ["swap_tensor"]

_MISSING = object()


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Tensor:
    """Sets a parameter, buffer or attribute ``name`` to a tensor, deletes it where that is no tensor, and returns what was there.

    AttributeError where there is nothing, unless ``allow_missing``; TypeError for what is no tensor; KeyError for a name with
    a dot.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils._named_member_accessor import swap_tensor
    >>> layer = torch.nn.Linear(1, 1)
    >>> before = swap_tensor(layer, "weight", torch.ones(1, 1))
    >>> layer.weight, isinstance(before, torch.nn.Parameter)
    (tensor([[1.]]), True)
    """
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if not isinstance(tensor, Tensor) and tensor is not _MISSING and tensor is not None:
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    members = next((one for one in (module._parameters, module._buffers) if name in one), module.__dict__)
    before: Any = members.get(name, _MISSING)
    if before is _MISSING:
        before = getattr(type(module), name, _MISSING)
        if before is _MISSING and not allow_missing:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    elif not isinstance(before, Tensor) and before is not None:
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is _MISSING:
        members.pop(name, None)
    else:
        members[name] = tensor
    return before
