# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.nn.modules.module import Module
from typing import Any

class DataParallel(Module):
    """Runs a module on every GPU with a part of the batch: without one, as it is."""
    module: Module
    device_ids: list[Any]
    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Any: ...
class DistributedDataParallel(Module):
    """A module in several processes. ValueError: there is one process."""
    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None: ...
