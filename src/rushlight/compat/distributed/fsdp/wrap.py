"""torch.distributed.fsdp.wrap: which modules are to be cut up on their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rushlight import nn


class ModuleWrapPolicy:
    """Those of some classes.

    >>> import rushlight as torch
    >>> from rushlight.distributed.fsdp.wrap import ModuleWrapPolicy
    >>> ModuleWrapPolicy({torch.nn.Linear})(torch.nn.Linear(1, 1), recurse=False, nonwrapped_numel=0)
    True
    """

    def __init__(self, module_classes: Iterable[type[nn.Module]]) -> None:
        self._module_classes = tuple(set(module_classes))

    def __call__(self, module: nn.Module, recurse: bool, nonwrapped_numel: int) -> bool:
        return recurse or isinstance(module, self._module_classes)


def always_wrap_policy(*args: object, **kwargs: object) -> bool:
    """Every module."""
    return True


def transformer_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: set[type[nn.Module]]
) -> bool:
    """Those of some classes."""
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def lambda_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[nn.Module], bool]
) -> bool:
    """Those that a function chooses."""
    return recurse or lambda_fn(module)


def size_based_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = int(1e8)
) -> bool:
    """Those with so many parameters that are in no other."""
    return nonwrapped_numel >= min_num_params
