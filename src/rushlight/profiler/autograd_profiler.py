"""torch.autograd.profiler: which ops a program runs, how often, how long they take and what memory.

>>> import rushlight as torch
>>> x = torch.randn(3, 3, requires_grad=True)
>>> with torch.autograd.profiler.profile() as prof:
...     (x * x).sum().backward()
>>> sorted(event.key for event in prof.key_averages() if event.key.startswith("aten::"))
['aten::add_', 'aten::detach', 'aten::expand', 'aten::mul', 'aten::ones_like', 'aten::sum']
"""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter_ns
from types import TracebackType
from typing import Any, ClassVar

from ..autograd import modes
from ..autograd.recorder import Recorder
from . import interpreter
from .event_list import EventList
from .events import FunctionEvent, FunctionEventAvg
from .kinds import ProfilerActivity, ProfilerState
from .trace import Trace

_is_profiler_enabled = False  # read by programs that want to know


def kineto_available() -> bool:
    """Whether profiles can be taken: always."""
    return True


def _profiler_enabled() -> bool:
    """Whether this thread is being profiled."""
    return modes.state.recorder is not None


@dataclass
class _ProfilerStats:
    """What the profile itself took."""

    profiling_window_duration_sec: float = 0
    number_of_events: int = 0
    profiler_prepare_call_duration_us: int = 0
    profiler_enable_call_duration_us: int = 0
    profiler_disable_call_duration_us: int = 0
    parse_kineto_call_duration_us: int = 0
    function_events_build_tree_call_duration_us: int = 0


class profile:
    """Profiles what this thread runs in a ``with`` block.

    ``enabled``         False makes the block do nothing   ``record_shapes``  keeps the shapes of inputs
    ``profile_memory``  counts the memory of results       ``with_stack``     keeps the lines of the program that called
    ``with_flops``      counts the arithmetic of products and convolutions
    ``acc_events``      keeps the events of earlier blocks of the same profile
    The other arguments are PyTorch's and change nothing on a CPU.

    RuntimeError when entered twice.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 3, requires_grad=True)
    >>> with torch.autograd.profiler.profile(record_shapes=True) as prof:
    ...     y = x.exp().sum()
    >>> for event in prof.function_events:
    ...     print(event.name, event.input_shapes, event.sequence_nr == y.grad_fn._sequence_nr())
    aten::exp [[2, 3]] False
    aten::sum [[2, 3]] True
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        if not enabled:
            return
        if use_cuda:
            warnings.warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
                stacklevel=2,
            )
            use_device = "cuda"
        if use_device is not None:
            known = use_device in ("cuda", "xpu", "mtia", "hpu", "privateuseone")
            name = use_device.upper()
            warnings.warn(
                f"{name} is not available, disabling {name} profiling"
                if known
                else f"The {use_device} is not a valid device option.",
                stacklevel=2,
            )
        if not use_cpu:
            if not use_kineto:
                raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
            raise AssertionError("No activities specified for the profiler")
        self.use_cuda, self.use_device, self.use_cpu = use_cuda, None, use_cpu
        self.record_shapes = record_shapes | with_flops
        self.with_flops, self.profile_memory = with_flops, profile_memory
        self.with_stack, self.with_modules = with_stack, with_modules
        self.acc_events = acc_events
        self.experimental_config = experimental_config
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.activity_filters = activity_filters or {}
        self.kineto_activities = {ProfilerActivity.CPU}
        self.profiler_kind = ProfilerState.KINETO
        self.entered = False
        self.trace_id = ""
        self.kineto_results: Trace | None = None
        self.profiling_start_time_ns = self.profiling_end_time_ns = 0
        self._function_events: EventList | None = None
        self._old_function_events: EventList | None = None
        self._needs_processing = False
        self._stats = _ProfilerStats()
        self._metadata: dict[str, str] = {}
        self._recorder: Recorder | None = None

    def default_trace_id(self) -> str:
        """A name for a trace: 32 digits."""
        return uuid.uuid4().hex.upper()

    def create_trace_id(self) -> str:
        return self.custom_trace_id_callback() if self.custom_trace_id_callback else self.default_trace_id()

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare_trace()
        self._start_trace()
        return self

    def _prepare_trace(self) -> None:
        self.entered = True
        if not self.trace_id or self.custom_trace_id_callback is None:
            self.trace_id = self.create_trace_id()

    def _start_trace(self) -> None:
        global _is_profiler_enabled
        self.entered = True
        begun = perf_counter_ns()
        self._before = modes.state.recorder
        self._function_events = self._function_events if self.acc_events else None
        self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops)
        _is_profiler_enabled = True
        interpreter.start(self._recorder)
        self.profiling_start_time_ns = perf_counter_ns()
        self._stats.profiler_enable_call_duration_us = (self.profiling_start_time_ns - begun) // 1000

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        global _is_profiler_enabled
        if not self.enabled or self._recorder is None:
            return
        begun = perf_counter_ns()
        interpreter.stop(self._recorder, self._before)
        _is_profiler_enabled = self._before is not None
        recorder, self._recorder = self._recorder, None
        self.profiling_end_time_ns = begun
        trace = Trace(recorder, self.profiling_start_time_ns, self.trace_id)
        self.kineto_results = trace
        self._old_function_events = self._function_events if self.acc_events else None
        self._function_events = None
        self._needs_processing = True
        stats = self._stats
        stats.profiler_disable_call_duration_us = (perf_counter_ns() - begun) // 1000
        stats.profiling_window_duration_sec = (begun - self.profiling_start_time_ns) * 1e-9

    def _ensure_function_events(self) -> EventList | None:
        """Makes the events of what was recorded, when they are first asked for."""
        if self._needs_processing and self.kineto_results is not None:
            self._needs_processing = False
            begun = perf_counter_ns()
            events = self.kineto_results.events()
            parsed = perf_counter_ns()
            found = EventList(
                events, use_device=self.use_device, profile_memory=self.profile_memory, with_flops=self.with_flops
            )
            found._build_tree()
            self._function_events = found
            stats = self._stats
            stats.number_of_events = len(found)
            stats.parse_kineto_call_duration_us = (parsed - begun) // 1000
            stats.function_events_build_tree_call_duration_us = (perf_counter_ns() - parsed) // 1000
            if self._old_function_events:
                found[:0] = self._old_function_events
            self._old_function_events = None
        return EventList() if self._recorder is not None else self._function_events

    @property
    def function_events(self) -> EventList | None:
        """The events, in the order in which they began; none while the block runs."""
        return self._ensure_function_events() if self.enabled else None

    def _finished(self) -> EventList:
        events = self.function_events
        return EventList() if events is None else events

    def __repr__(self) -> str:
        if not self.enabled:
            return "<disabled torch.autograd.profile>"
        return "<unfinished torch.autograd.profile>" if self._unfinished() else repr(self._finished())

    def __str__(self) -> str:
        if not self.enabled:
            return "<disabled torch.autograd.profile>"
        return "<unfinished torch.autograd.profile>" if self._unfinished() else str(self._finished())

    def _unfinished(self) -> bool:
        return self.kineto_results is None

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The events as a table: see :meth:`EventList.table`."""
        return self._finished().table(
            sort_by=sort_by,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            top_level_events_only=top_level_events_only,
        )

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of one name added up: see :meth:`EventList.key_averages`."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """All events added up to one."""
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds in all events, none counted twice."""
        return self._finished().self_cpu_time_total

    def export_chrome_trace(self, path: Any, metadata: Any = None, use_python_export: bool = False) -> None:
        """Writes a trace that chrome://tracing and Perfetto show; AttributeError before the end of the block."""
        self.kineto_results.save(path, self._metadata)  # type: ignore[union-attr]

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes a line for each stack and its time; asks for ``with_stack=True``."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Pauses the recording of the CPU's events, or goes on with it."""
        if ProfilerActivity.CPU in set(activities) and self._recorder is not None:
            modes.state.recorder = self._recorder if enabled else None


class emit_itt:
    """Marks the ops for Intel's VTune, which PyTorch's own CPU build does only under VTune: here it changes nothing."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes
        self.entered = False

    def __enter__(self) -> emit_itt | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("ITT annotation context manager is not reentrant")
        self.entered = True
        return self

    def __exit__(self, *error: object) -> None:
        pass


class emit_nvtx:
    """Marks the ops for NVIDIA's tools: an error, as on PyTorch's CPU build, unless ``enabled`` is False.

    >>> import rushlight as torch
    >>> with torch.autograd.profiler.emit_nvtx():
    ...     pass
    Traceback (most recent call last):
    AssertionError: Torch not compiled with CUDA enabled
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes
        self.entered = False

    def __enter__(self) -> emit_nvtx | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("NVTX annotation context manager is not reentrant")
        self.entered = True
        raise AssertionError("Torch not compiled with CUDA enabled")

    def __exit__(self, *error: object) -> None:
        pass


def load_nvprof(path: str) -> EventList:
    """Events of a file that NVIDIA's profiler wrote."""
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path: str) -> list[FunctionEvent]:
    """Such files speak of CUDA devices, of which there is none here: always an error."""
    raise RuntimeError(f"{path}: rushlight runs on the CPU and reads no traces of CUDA devices")


class KinetoStepTracker:
    """Counts the steps that profilers are told of: the step of a run is the highest count of any requester.

    >>> from rushlight.autograd.profiler import KinetoStepTracker
    >>> KinetoStepTracker.init_step_count("mine")
    >>> KinetoStepTracker.increment_step("mine") == KinetoStepTracker.current_step()
    True
    """

    _current_step = 0
    _step_dict: ClassVar[dict[str, int]] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """One more step of ``requester``; warns where that is more than one ahead of all others."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        new_step = max(cls._step_dict.values())
        if new_step > cls._current_step:
            if new_step - cls._current_step > 1:
                warnings.warn(
                    f"Profiler step count has increased more than 1 - current_step = {cls._current_step} step dict =  "
                    f"{cls._step_dict}",
                    stacklevel=2,
                )
            cls._current_step = new_step
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        return cls._current_step
