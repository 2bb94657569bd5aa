"""Weights as a direction and a length, the older way: by a hook before forward."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

import rushlight as torch

from ..modules.calls import hooks_for
from ..modules.module import Module
from ..parameter import Parameter, UninitializedParameter

M = TypeVar("M", bound=Module)


class WeightNorm:
    """The hook that puts the weight together before every forward."""

    name: str
    dim: int

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> torch.Tensor:
        """The weight of its direction and length."""
        return torch._weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Registers the hook; RuntimeError where there is one for that name already."""
        if hooks_for(module, WeightNorm, name):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
                "before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(torch.norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Makes the weight, as it is now, a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Learns a weight as its direction ``weight_v`` and its lengths ``weight_g``, one per slice along ``dim``.

    Deprecated in favour of :func:`torch.nn.utils.parametrizations.weight_norm`. ``dim=None`` has one length for all.

    >>> import rushlight as torch
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(3, 2))
    >>> [(name, tuple(p.shape)) for name, p in layer.named_parameters()]
    [('bias', (2,)), ('weight_g', (2, 1)), ('weight_v', (2, 3))]
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Makes a weight an ordinary parameter again; ValueError where it has no weight norm."""
    for key, hook in hooks_for(module, WeightNorm, name):
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
