"""torch.autograd.profiler_util: the events of a profile, and what is made of them.

An :class:`EventList` knows the events of a run: it prints them as a table, adds up those of one name, and writes traces.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from .kinds import DeviceType
from .table import build_table, format_time

__all__ = [
    "EventList",
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
STACK_METRICS = ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]


class EventList(list["FunctionEvent"]):
    """A list of events (or of their sums) that knows how to show itself.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     _ = x * x + x
    >>> [(event.key, event.count) for event in prof.key_averages()]
    [('aten::mul', 1), ('aten::add', 1)]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._use_device = kwargs.pop("use_device", None)
        self._profile_memory = kwargs.pop("profile_memory", False)
        self._with_flops = kwargs.pop("with_flops", False)
        super().__init__(*args, **kwargs)
        self._tree_built = False

    def _build_tree(self) -> None:
        self._populate_cpu_children()
        self._remove_dup_nodes()
        self._set_backward_stacktraces()
        self._tree_built = True

    def __str__(self) -> str:
        return self.table()

    def _remove_dup_nodes(self) -> None:
        """One event for a function that does nothing but call another of the same name."""
        while True:
            doubles = set()
            for position, event in enumerate(self):
                parent = event.cpu_parent
                if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
                    parent.cpu_children = event.cpu_children
                    parent.kernels = event.kernels
                    for child in event.cpu_children:
                        child.cpu_parent = parent
                    doubles.add(position)
            if not doubles:
                return
            self[:] = [event for position, event in enumerate(self) if position not in doubles]

    def _populate_cpu_children(self) -> None:
        """Finds out which event lies within which, in each thread by their times.

        Of events that overlap without one holding the other, the later is no child of the earlier.
        """
        synchronous = [event for event in self if not event.is_async and event.device_type == DeviceType.CPU]
        for _, events in itertools.groupby(
            sorted(synchronous, key=lambda event: (event.thread, event.node_id)),
            key=lambda event: (event.thread, event.node_id),
        ):
            around: list[FunctionEvent] = []
            for event in sorted(events, key=lambda event: (event.time_range.start, -event.time_range.end)):
                while around:
                    parent = around[-1]
                    if event.time_range.start >= parent.time_range.end or event.time_range.end > parent.time_range.end:
                        around.pop()
                    else:
                        parent.append_cpu_child(event)
                        event.set_cpu_parent(parent)
                        break
                around.append(event)

    def _set_backward_stacktraces(self) -> None:
        """An event of the backward pass gets the stack of the forward op that it belongs to."""
        forward: dict[tuple[int, int], Any] = {}
        for event in self:
            if event.fwd_thread == 0 and event.sequence_nr >= 0 and event.stack:
                forward[event.sequence_nr, event.thread] = event.stack
        for event in self:
            around: FunctionEvent | None = event
            while around is not None and around.scope != 1:
                around = around.cpu_parent
            if around is not None and around.fwd_thread is not None:
                event.stack = forward.get((around.sequence_nr, around.fwd_thread), event.stack)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds in all events, none counted twice."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table.

        ``sort_by``    an attribute of the events, the largest first: ``cpu_time``, ``cpu_time_total``, ``self_cpu_time_total``,
                       ``cpu_memory_usage``, ``self_cpu_memory_usage``, ``count``; as they ran unless given
        ``row_limit``  shows no more events; -1 for all
        ``header``     a line above it   ``top_level_events_only``  leaves out what ran within another event
        ``time_unit``  's', 'ms' or 'us' for all times

        >>> from rushlight.profiler.events import EventList, FunctionEvent
        >>> events = EventList([FunctionEvent(0, "step", 0, start_us=0, end_us=2000, stack=[])])
        >>> print(events.table().splitlines()[-1])
        Self CPU time total: 2.000ms
        """
        return build_table(
            self,
            sort_by=sort_by,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            profile_memory=self._profile_memory,
            with_flops=self._with_flops,
            top_level_events_only=top_level_events_only,
            time_unit=time_unit,
        )

    def export_chrome_trace(self, path: Any) -> None:
        """Writes the events as a trace that chrome://tracing and Perfetto show.

        ``path``  of the JSON file
        """
        trace = [
            {
                "name": event.trace_name or event.name,
                "ph": "X",
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "tid": event.thread,
                "pid": "CPU functions",
                "args": {},
            }
            for event in self
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)

    def supported_export_stacks_metrics(self) -> list[str]:
        """What :meth:`export_stacks` can weigh by."""
        return list(STACK_METRICS)

    def export_stacks(self, path: str, metric: str) -> None:
        """Writes a line for each event, its stack from the outermost and what it took: what flame graphs are made from.

        ValueError for a ``metric`` that is none of :meth:`supported_export_stacks_metrics`.
        """
        if metric not in STACK_METRICS:
            raise ValueError(f"metric should be one of: {STACK_METRICS}")
        attribute = metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        written = str.maketrans(" ;\t\n", "____")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                value = int(getattr(event, attribute))
                if event.stack and value > 0:
                    file.write(";".join(line.translate(written) for line in reversed(event.stack)) + f" {value}\n")

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of one name added up to one :class:`FunctionEventAvg`.

        ``group_by_input_shapes``  one for each name and shapes of inputs   ``group_by_stack_n``  and each way there, told
        apart by so many lines of the stack
        """
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        sums: dict[tuple[str, ...], FunctionEventAvg] = defaultdict(FunctionEventAvg)
        for event in self:
            key = [str(event.key), str(event.node_id), str(event.device_type), str(event.is_legacy)]
            key.append(str(event.is_user_annotation))
            if group_by_overload_name:
                key.append(str(event.overload_name))
            if group_by_input_shapes:
                key.append(str(event.input_shapes))
            if group_by_stack_n > 0:
                key += event.stack[:group_by_stack_n]
            sums[tuple(key)].add(event)
        result = EventList(
            sums.values(), use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops
        )
        for one in result:
            one.stack = one.stack[:group_by_stack_n] if one.stack else one.stack
            if not group_by_input_shapes:
                one.input_shapes = ""
            if not group_by_overload_name:
                one.overload_name = ""
        return result

    def total_average(self) -> FunctionEventAvg:
        """All events added up to one."""
        total = FunctionEventAvg()
        for event in self:
            total += event
            total.key = None
        total.key = "Total"
        return total


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
