"""The events of a run together: as a table, added up by name, as a trace."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from typing import Any

from .events import FunctionEvent, FunctionEventAvg
from .kinds import DeviceType
from .table import build_table

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

        >>> from rushlight.profiler.event_list import EventList
        >>> from rushlight.profiler.events import FunctionEvent
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
