# Written by tools/stubs.py; `make stubs` writes it anew.

from collections import defaultdict
from collections.abc import Iterator
from rushlight._inner import device
from rushlight.autograd import DeviceType
from typing import Any
from typing import NamedTuple

class EventList(list[Any]):
    """A list of events (or of their sums) that knows how to show itself."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def export_chrome_trace(self, path: Any) -> None:
        """Writes the events as a trace that chrome://tracing and Perfetto show."""
        ...
    def export_stacks(self, path: str, metric: str) -> None:
        """Writes a line for each event, its stack from the outermost and what it took: what flame graphs are made from."""
        ...
    def key_averages(self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The events of one name added up to one :class:`FunctionEventAvg`."""
        ...
    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds in all events, none counted twice."""
        ...
    def supported_export_stacks_metrics(self) -> list[str]:
        """What :meth:`export_stacks` can weigh by."""
        ...
    def table(self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75, max_name_column_width: int = 55, max_shapes_column_width: int = 80, header: str | None = None, top_level_events_only: bool = False, time_unit: str | None = None) -> str:
        """The events as a table."""
        ...
    def total_average(self) -> FunctionEventAvg:
        """All events added up to one."""
        ...
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
    def cpu_time_str(self) -> Any: ...
    @property
    def cpu_time_total_str(self) -> Any: ...
    @property
    def cuda_time(self) -> float: ...
    @property
    def device_time(self) -> float: ...
    @property
    def device_time_str(self) -> Any: ...
    @property
    def device_time_total_str(self) -> Any: ...
    @property
    def self_cpu_time_total_str(self) -> Any: ...
    @property
    def self_device_time_total_str(self) -> Any: ...
class FunctionEvent(FormattedTimesMixin):
    """One call: its name, when and in which thread it ran, what it was given and what ran within it."""
    id: int
    node_id: int
    name: str
    overload_name: str | None
    trace_name: str | None
    time_range: Any
    thread: int
    fwd_thread: int | None
    kernels: list[Kernel]
    cpu_children: list[FunctionEvent]
    cpu_parent: Any
    input_shapes: Any
    concrete_inputs: Any
    kwinputs: Any
    stack: Any
    scope: int
    use_device: str | None
    cpu_memory_usage: int
    device_memory_usage: int
    is_async: bool
    sequence_nr: int
    device_type: DeviceType
    device_index: int
    device_resource_id: Any
    is_legacy: bool
    flops: Any
    is_user_annotation: bool
    is_python_function: bool
    activity_type: str | None
    metadata_json: str | None
    self_cpu_percent: Any
    total_cpu_percent: Any
    total_device_percent: Any
    def __init__(self, id: int, name: str, thread: int, start_us: float, end_us: float, overload_name: str | None = None, fwd_thread: int | None = None, input_shapes: Any = None, stack: Any = None, scope: int = 0, use_device: str | None = None, cpu_memory_usage: int = 0, device_memory_usage: int = 0, is_async: bool = False, is_remote: bool = False, sequence_nr: int = -1, node_id: int = -1, device_type: DeviceType = ..., device_index: int = 0, device_resource_id: int | None = None, is_legacy: bool = False, flops: Any = None, trace_name: str | None = None, concrete_inputs: Any = None, kwinputs: Any = None, is_user_annotation: bool = False, is_python_function: bool = False, activity_type: str | None = None, metadata_json: str | None = None, **others: Any) -> None: ...
    def append_cpu_child(self, child: FunctionEvent) -> None: ...
    def append_kernel(self, name: str, device: device | str | int | None, duration: float) -> None: ...
    @property
    def cpu_time_total(self) -> float:
        """Microseconds from start to end."""
        ...
    @property
    def cuda_time_total(self) -> float: ...
    @property
    def device_time_total(self) -> float: ...
    is_remote: bool
    @property
    def key(self) -> str: ...
    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes, without those of the events within."""
        ...
    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds, without those of the events within."""
        ...
    @property
    def self_cuda_memory_usage(self) -> int: ...
    @property
    def self_cuda_time_total(self) -> float: ...
    @property
    def self_device_memory_usage(self) -> int: ...
    @property
    def self_device_time_total(self) -> float: ...
    def set_cpu_parent(self, parent: FunctionEvent) -> None: ...
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
    cpu_children: list[FunctionEvent] | None
    cpu_parent: FunctionEvent | None
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
class MemRecordsAcc:
    """Records of memory that can be asked for those of a span of time; each has ``start_ns()``."""
    def __init__(self, mem_records: Any) -> None: ...
    def in_interval(self, start_ns: int, end_ns: int) -> Iterator[Any]:
        """The records from ``start_ns`` to ``end_ns``."""
        ...
class StringTable(defaultdict[str, str]):
    """Names as they are, kept once."""
    def __missing__(self, key: str) -> str: ...
