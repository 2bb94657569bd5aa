# Written by tools/stubs.py; `make stubs` writes it anew.

from collections import defaultdict
from rushlight.autograd import DeviceType
from rushlight.autograd.profiler import FunctionEvent as _FunctionEvent
from typing import Any
from typing import NamedTuple
from rushlight.autograd.profiler import EventList as EventList
from rushlight.autograd.profiler import FunctionEvent as FunctionEvent
from rushlight.autograd.profiler import MemRecordsAcc as MemRecordsAcc

class FormattedTimesMixin:
    """The times of an event as text, and the mean of its calls."""
    count: int
    cpu_time_total: float
    device_time_total: float
    self_cpu_time_total: float
    self_device_time_total: float
    @property
    def cpu_time(self) -> float:
        """Microseconds of one call."""
        ...
    @property
    def cpu_time_str(self) -> str: ...
    @property
    def cpu_time_total_str(self) -> str: ...
    @property
    def cuda_time(self) -> float: ...
    @property
    def device_time(self) -> float: ...
    @property
    def device_time_str(self) -> str: ...
    @property
    def device_time_total_str(self) -> str: ...
    @property
    def self_cpu_time_total_str(self) -> str: ...
    @property
    def self_device_time_total_str(self) -> str: ...
class FunctionEventAvg(FormattedTimesMixin):
    """Several events of one name added up."""
    key: str | None
    node_id: int
    is_async: bool
    is_remote: bool
    use_device: str | None
    input_shapes: Any
    overload_name: str | None
    stack: Any
    scope: int | None
    cpu_memory_usage: int
    device_memory_usage: int
    self_cpu_memory_usage: int
    self_device_memory_usage: int
    cpu_children: list[_FunctionEvent] | None
    cpu_parent: _FunctionEvent | None
    device_type: DeviceType
    is_legacy: bool
    is_user_annotation: Any
    flops: Any
    def __iadd__(self, other: Any) -> FunctionEventAvg: ...
    def __init__(self) -> None: ...
    def add(self, other: Any) -> FunctionEventAvg:
        """Adds an event, or other sums, of the same name."""
        ...
class Interval:
    """From one time to another, in microseconds."""
    start: float
    end: float
    def __init__(self, start: float, end: float) -> None: ...
    def elapsed_us(self) -> float: ...
class Kernel(NamedTuple):
    """What a device ran for an event; there is none on a CPU."""
    name: str
    device: Any
    duration: float
class StringTable(defaultdict[str, str]):
    """Names as they are, kept once."""
    def __missing__(self, key: str) -> str: ...
