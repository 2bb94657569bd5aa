# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from rushlight._inner import device
from rushlight.autograd import DeviceType as _DeviceType
from rushlight.autograd import ProfilerActivity as _ProfilerActivity
from rushlight.autograd.profiler_util import FormattedTimesMixin
from rushlight.autograd.profiler_util import FunctionEventAvg
from rushlight.autograd.profiler_util import Kernel
from types import TracebackType
from typing import Any
from rushlight.autograd import DeviceType as DeviceType
from rushlight.autograd import ProfilerActivity as ProfilerActivity
from rushlight.autograd import ProfilerState as ProfilerState
from rushlight.autograd import kineto_available as kineto_available
from rushlight.profiler import KinetoStepTracker as KinetoStepTracker
from rushlight.profiler import record_function as record_function

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
    device_type: _DeviceType
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
    def __init__(self, id: int, name: str, thread: int, start_us: float, end_us: float, overload_name: str | None = None, fwd_thread: int | None = None, input_shapes: Any = None, stack: Any = None, scope: int = 0, use_device: str | None = None, cpu_memory_usage: int = 0, device_memory_usage: int = 0, is_async: bool = False, is_remote: bool = False, sequence_nr: int = -1, node_id: int = -1, device_type: _DeviceType = ..., device_index: int = 0, device_resource_id: int | None = None, is_legacy: bool = False, flops: Any = None, trace_name: str | None = None, concrete_inputs: Any = None, kwinputs: Any = None, is_user_annotation: bool = False, is_python_function: bool = False, activity_type: str | None = None, metadata_json: str | None = None, **others: Any) -> None: ...
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
class MemRecordsAcc:
    """Records of memory that can be asked for those of a span of time; each has ``start_ns()``."""
    def __init__(self, mem_records: Any) -> None: ...
    def in_interval(self, start_ns: int, end_ns: int) -> Iterator[Any]:
        """The records from ``start_ns`` to ``end_ns``."""
        ...
class emit_itt:
    """Marks the ops for Intel's VTune, which PyTorch's own CPU build does only under VTune: here it changes nothing."""
    enabled: bool
    record_shapes: bool
    entered: bool
    def __enter__(self) -> emit_itt | None: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None: ...
class emit_nvtx:
    """Marks the ops for NVIDIA's tools: an error, as on PyTorch's CPU build, unless ``enabled`` is False."""
    enabled: bool
    record_shapes: bool
    entered: bool
    def __enter__(self) -> emit_nvtx | None: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None: ...
def load_nvprof(path: str) -> EventList:
    """Events of a file that NVIDIA's profiler wrote."""
    ...
def parse_nvprof_trace(path: str) -> list[FunctionEvent]:
    """Such files speak of CUDA devices, of which there is none here: always an error."""
    ...
class profile:
    """Profiles what this thread runs in a ``with`` block."""
    enabled: bool
    use_cuda: bool
    use_device: Any
    use_cpu: bool
    record_shapes: Any
    with_flops: bool
    profile_memory: bool
    with_stack: bool
    with_modules: bool
    acc_events: bool
    experimental_config: Any
    custom_trace_id_callback: Callable[[], str] | None
    post_processing_timeout_s: float | None
    activity_filters: Any
    kineto_activities: Any
    profiler_kind: Any
    entered: bool
    trace_id: Any
    kineto_results: Any
    profiling_start_time_ns: Any
    profiling_end_time_ns: Any
    def __enter__(self) -> profile | None: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None: ...
    def __init__(self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None, record_shapes: bool = False, with_flops: bool = False, profile_memory: bool = False, with_stack: bool = False, with_modules: bool = False, use_kineto: bool = False, use_cpu: bool = True, experimental_config: Any = None, acc_events: bool = False, custom_trace_id_callback: Callable[[], str] | None = None, post_processing_timeout_s: float | None = None, activity_filters: Any = None) -> None: ...
    def create_trace_id(self) -> str: ...
    def default_trace_id(self) -> str:
        """A name for a trace: 32 digits."""
        ...
    def export_chrome_trace(self, path: Any, metadata: Any = None, use_python_export: bool = False) -> None:
        """Writes a trace that chrome://tracing and Perfetto show; AttributeError before the end of the block."""
        ...
    def export_stacks(self, path: str, metric: str = 'self_cpu_time_total') -> None:
        """Writes a line for each stack and its time; asks for ``with_stack=True``."""
        ...
    @property
    def function_events(self) -> EventList | None:
        """The events, in the order in which they began; none while the block runs."""
        ...
    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The events of one name added up: see :meth:`EventList.key_averages`."""
        ...
    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds in all events, none counted twice."""
        ...
    def table(self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75, max_name_column_width: int = 55, max_shapes_column_width: int = 80, header: str | None = None, top_level_events_only: bool = False) -> str:
        """The events as a table: see :meth:`EventList.table`."""
        ...
    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[_ProfilerActivity]) -> None:
        """Pauses the recording of the CPU's events, or goes on with it."""
        ...
    def total_average(self) -> FunctionEventAvg:
        """All events added up to one."""
        ...
