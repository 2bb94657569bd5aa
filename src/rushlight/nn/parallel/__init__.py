"""torch.nn.parallel: modules over several devices. There is one, on which DataParallel runs its module."""

from __future__ import annotations

from typing import Any

from ...base.missing_names import lazy_names
from ..modules.module import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


class DataParallel(Module):
    """Runs a module on every GPU with a part of the batch: without one, as it is.

    >>> import rushlight as torch
    >>> torch.nn.DataParallel(torch.nn.Linear(2, 1))
    DataParallel(
      (module): Linear(in_features=2, out_features=1, bias=True)
    )
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """A module in several processes. ValueError: there is one process."""

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


__getattr__, __dir__ = lazy_names(__name__)
