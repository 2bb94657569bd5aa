"""The events of a profile, and what is asked of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from .kinds import DeviceType
from .table import format_time

__all__ = [
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "MemRecordsAcc",
    "StringTable",
]

MEMORY_EVENT_NAME = "[memory]"
OUT_OF_MEMORY_EVENT_NAME = "[OutOfMemory]"


class FormattedTimesMixin:
    """The times of an event as text, and the mean of its calls."""

    count: int
    cpu_time_total: float
    device_time_total: float
    self_cpu_time_total: float
    self_device_time_total: float

    @property
    def cpu_time_str(self) -> str:
        return format_time(self.cpu_time)

    @property
    def device_time_str(self) -> str:
        return format_time(self.device_time)

    @property
    def cpu_time_total_str(self) -> str:
        return format_time(self.cpu_time_total)

    @property
    def device_time_total_str(self) -> str:
        return format_time(self.device_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return format_time(self.self_cpu_time_total)

    @property
    def self_device_time_total_str(self) -> str:
        return format_time(self.self_device_time_total)

    @property
    def cpu_time(self) -> float:
        """Microseconds of one call."""
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    cuda_time = device_time


class Interval:
    """From one time to another, in microseconds.

    >>> from rushlight.profiler.events import Interval
    >>> Interval(1.5, 4.0).elapsed_us()
    2.5
    """

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        return self.end - self.start


class Kernel(NamedTuple):
    """What a device ran for an event; there is none on a CPU."""

    name: str
    device: Any
    duration: float


class FunctionEvent(FormattedTimesMixin):
    """One call: its name, when and in which thread it ran, what it was given and what ran within it.

    ``cpu_children``, ``cpu_parent``  the events within it, and the one around it
    ``sequence_nr``  of a forward op the number of the node it made; of a node that it has; else -1
    ``scope``        0 for an op, 1 for a node of the backward pass, 7 for a ``record_function``

    >>> from rushlight.profiler.events import FunctionEvent
    >>> event = FunctionEvent(id=0, name="aten::mul", thread=1, start_us=10, end_us=15)
    >>> event.cpu_time_total, event.cpu_time_str
    (5, '5.000us')
    """

    is_remote = False

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: Any = None,
        stack: Any = None,
        scope: int = 0,
        use_device: str | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_async: bool = False,
        is_remote: bool = False,
        sequence_nr: int = -1,
        node_id: int = -1,
        device_type: DeviceType = DeviceType.CPU,
        device_index: int = 0,
        device_resource_id: int | None = None,
        is_legacy: bool = False,
        flops: Any = None,
        trace_name: str | None = None,
        concrete_inputs: Any = None,
        kwinputs: Any = None,
        is_user_annotation: bool = False,
        is_python_function: bool = False,
        activity_type: str | None = None,
        metadata_json: str | None = None,
        **others: Any,
    ) -> None:
        self.id, self.node_id = id, node_id
        self.name, self.overload_name = name, overload_name
        self.trace_name = trace_name
        self.time_range = Interval(start_us, end_us)
        self.thread, self.fwd_thread = thread, fwd_thread
        self.kernels: list[Kernel] = []
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.input_shapes = input_shapes
        self.concrete_inputs, self.kwinputs = concrete_inputs, kwinputs
        self.stack, self.scope = stack, scope
        self.use_device = use_device
        self.cpu_memory_usage, self.device_memory_usage = cpu_memory_usage, device_memory_usage
        self.is_async, self.is_remote = is_async, is_remote
        self.sequence_nr = sequence_nr
        self.device_type, self.device_index = device_type, device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.is_legacy = is_legacy
        self.flops = flops
        self.is_user_annotation, self.is_python_function = is_user_annotation, is_python_function
        self.activity_type = activity_type
        self.metadata_json = metadata_json
        self.self_cpu_percent = self.total_cpu_percent = self.total_device_percent = -1
        for key, value in others.items():
            setattr(self, key, value)

    def append_kernel(self, name: str, device: Any, duration: float) -> None:
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        if not isinstance(child, FunctionEvent):
            raise AssertionError("Expected child to be a FunctionEvent")
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        if not isinstance(parent, FunctionEvent):
            raise AssertionError("Expected parent to be a FunctionEvent")
        self.cpu_parent = parent

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes, without those of the events within."""
        return 0 if self.is_async else self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        return 0

    self_cuda_memory_usage = self_device_memory_usage

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds from start to end."""
        return self.time_range.elapsed_us() if self.device_type == DeviceType.CPU else 0

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds, without those of the events within."""
        if self.is_async or self.device_type != DeviceType.CPU:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        return sum(kernel.duration for kernel in self.kernels)

    self_device_time_total = self_cuda_time_total = cuda_time_total = device_time_total

    @property
    def key(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} device_type={self.device_type} "
            f"node_id={self.node_id} cpu_time={self.cpu_time_str} start_us={self.time_range.start} "
            f"end_us={self.time_range.end} cpu_children={[child.id for child in self.cpu_children]} "
            f"{self.use_device}_time={self.device_time_str} name={self.name} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{self.use_device}_memory_usage={self.device_memory_usage} is_async={self.is_async} "
            f"is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """Several events of one name added up.

    >>> from rushlight.profiler.events import FunctionEvent, FunctionEventAvg
    >>> total = FunctionEventAvg()
    >>> for start in (0, 10):
    ...     _ = total.add(FunctionEvent(id=0, name="step", thread=0, start_us=start, end_us=start + 4))
    >>> total.count, total.cpu_time_total, total.cpu_time
    (2, 8, 4.0)
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.node_id = 0
        self.is_async = self.is_remote = False
        self.use_device: str | None = None
        self.cpu_time_total: Any = 0
        self.device_time_total: Any = 0
        self.self_cpu_time_total: Any = 0
        self.self_device_time_total: Any = 0
        self.input_shapes: Any = None
        self.overload_name: str | None = None
        self.stack: Any = None
        self.scope: int | None = None
        self.cpu_memory_usage = self.device_memory_usage = 0
        self.self_cpu_memory_usage = self.self_device_memory_usage = 0
        self.cpu_children: list[FunctionEvent] | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.device_type: DeviceType = DeviceType.CPU
        self.is_legacy = self.is_user_annotation = False
        self.flops = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Adds an event, or other sums, of the same name."""
        if self.key is None:
            for name in (
                "key node_id is_async is_remote cpu_parent cpu_children overload_name input_shapes stack scope device_type "
                "is_legacy use_device"
            ).split():
                setattr(self, name, getattr(other, name))
            self.is_user_annotation = getattr(other, "is_user_annotation", False)
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in (
            "cpu_time_total device_time_total self_cpu_time_total self_device_time_total cpu_memory_usage device_memory_usage "
            "self_cpu_memory_usage self_device_memory_usage count"
        ).split():
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops = (self.flops or 0) + (other.flops or 0)
        return self

    def __iadd__(self, other: Any) -> FunctionEventAvg:
        return self.add(other)

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f" self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


class StringTable(defaultdict[str, str]):
    """Names as they are, kept once."""

    def __missing__(self, key: str) -> str:
        self[key] = key
        return key


class MemRecordsAcc:
    """Records of memory that can be asked for those of a span of time; each has ``start_ns()``."""

    def __init__(self, mem_records: Any) -> None:
        self._mem_records = sorted(mem_records, key=lambda record: record[0].start_ns())

    def in_interval(self, start_ns: int, end_ns: int) -> Iterator[Any]:
        """The records from ``start_ns`` to ``end_ns``."""
        for record in self._mem_records:
            if start_ns <= record[0].start_ns() <= end_ns:
                yield record


def _filter_name(name: str) -> bool:
    """Whether an event of that name is none of the program's."""
    return name in (
        MEMORY_EVENT_NAME,
        OUT_OF_MEMORY_EVENT_NAME,
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
    )


def _rewrite_name(name: str, with_wildcard: bool = False) -> str:
    """``ProfilerStep*`` for the steps of all numbers, with ``with_wildcard``."""
    return "ProfilerStep*" if with_wildcard and name.startswith("ProfilerStep#") else name
