# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from contextlib import ContextDecorator
from rushlight.autograd import ProfilerActivity as _ProfilerActivity
from rushlight.autograd.profiler_util import EventList as _EventList
from rushlight.autograd.profiler_util import FunctionEvent as _FunctionEvent
from rushlight.autograd.profiler_util import FunctionEventAvg
from types import TracebackType
from typing import Any
from rushlight.autograd import DeviceType as DeviceType
from rushlight.autograd import ProfilerActivity as ProfilerActivity
from rushlight.autograd import ProfilerState as ProfilerState
from rushlight.autograd.profiler_util import EventList as EventList
from rushlight.autograd.profiler_util import FunctionEvent as FunctionEvent
from rushlight.autograd.profiler_util import MemRecordsAcc as MemRecordsAcc

class KinetoStepTracker:
    """Counts the steps that profilers are told of: the step of a run is the highest count of any requester."""
    @classmethod
    def current_step(cls) -> int: ...
    @classmethod
    def erase_step_count(cls, requester: str) -> bool: ...
    @classmethod
    def increment_step(cls, requester: str) -> int:
        """One more step of ``requester``; warns where that is more than one ahead of all others."""
        ...
    @classmethod
    def init_step_count(cls, requester: str) -> None: ...
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
def kineto_available() -> bool:
    """Whether profiles can be taken: always."""
    ...
def load_nvprof(path: str) -> _EventList:
    """Events of a file that NVIDIA's profiler wrote."""
    ...
def parse_nvprof_trace(path: str) -> list[_FunctionEvent]:
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
    def function_events(self) -> _EventList | None:
        """The events, in the order in which they began; none while the block runs."""
        ...
    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> _EventList:
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
class record_function(ContextDecorator):
    """Gives what runs in a block, or in a function, a line of its own in the profile."""
    name: str
    args: str | None
    run_callbacks_on_exit: bool
    records: Any
    def __enter__(self) -> record_function: ...
    def __exit__(self, kind: Any, error: Any, tb: Any) -> None: ...
    def __init__(self, name: str, args: str | None = None) -> None: ...
