"""A finished recording: as events, and as a file for trace viewers."""

from __future__ import annotations

import gzip
import json
import os
from time import perf_counter_ns, time_ns
from typing import Any

from ..autograd.recorder import USER, Recorder, Span
from .events import MEMORY_EVENT_NAME, FunctionEvent, _rewrite_name


class Trace:
    """A finished recording: its spans, and the clock that their times are by."""

    def __init__(self, recorder: Recorder, start_ns: int, name: str) -> None:
        self.recorder, self.start_ns, self.trace_id = recorder, start_ns, name
        self.base_ns = time_ns() - perf_counter_ns() + start_ns  # the start's time of day; in microseconds it has no decimals

    def trace_start_ns(self) -> int:
        return self.start_ns

    def _since_start(self, time: int) -> float:
        """Microseconds."""
        return (time - self.start_ns) / 1000

    def save(self, path: str, metadata: dict[str, str]) -> None:
        """Writes the trace that chrome://tracing and Perfetto show; compressed if the path ends in .gz."""
        pid, tid = os.getpid(), self.recorder.thread
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": "python"}},
            {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "ts": 0, "args": {"labels": "CPU"}},
            {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": f"thread {tid} (python)"}},
        ]
        forward: dict[int, Span] = {}
        for number, span in enumerate(self.recorder.spans):
            args: dict[str, Any] = {"External id": number + 1, "Record function id": 0, "Ev Idx": number}
            if span.sequence >= 0:
                args |= {"Sequence number": span.sequence, "Fwd thread id": span.forward_thread}
            if span.shapes:
                args |= {
                    "Input Dims": span.shapes,
                    "Concrete Inputs": ["" if value is None else str(value) for value in span.concrete],
                }
            if span.stack:
                args["Call stack"] = ";".join(span.stack)
            if span.flops:
                args["flops"] = span.flops
            kind = "user_annotation" if span.scope == USER else "cpu_op"
            start = self._since_start(span.start)
            place: dict[str, Any] = {"pid": pid, "tid": tid, "ts": start}
            events.append(
                {"ph": "X", "cat": kind, "name": span.name, "dur": (span.end - span.start) / 1000, "args": args} | place
            )
            if span.sequence < 0:
                continue
            if span.forward_thread == 0:
                forward[span.sequence] = span
            elif span.scope == 1 and span.sequence in forward:  # an arrow from the op to its node
                begin = self._since_start(forward.pop(span.sequence).start)
                arrow = {"id": span.sequence + 1, "cat": "fwdbwd", "name": "fwdbwd"}
                events.append({"ph": "s"} | place | {"ts": begin} | arrow)
                events.append({"ph": "f", "bp": "e"} | place | arrow)
        for when, size in self.recorder.freed:
            place = {"pid": pid, "tid": tid, "ts": self._since_start(when)}
            events.append(
                {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "args": {"Bytes": size}} | place
            )
        trace = {
            "schemaVersion": 1,
            "deviceProperties": [],
            **{key: json.loads(value) for key, value in metadata.items()},
            "trace_id": self.trace_id,
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": self.base_ns,
            "traceEvents": events,
            "traceName": str(path),
        }
        opened: Any = gzip.open if str(path).endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8") as file:
            json.dump(trace, file)

    def events(self) -> list[FunctionEvent]:
        """The spans as events in the order of their times, with memory that was freed between them."""
        recorder, made = self.recorder, []
        totals = _with_inner(recorder)
        pid, tid = os.getpid(), self.recorder.thread
        for number, span in enumerate(recorder.spans):
            made.append(
                FunctionEvent(
                    id=number + 1,
                    name=_rewrite_name(span.name, with_wildcard=True),
                    overload_name="",
                    trace_name=_rewrite_name(span.name),
                    thread=1,
                    start_us=self._since_start(span.start),
                    end_us=self._since_start(span.end),
                    fwd_thread=span.forward_thread,
                    input_shapes=span.shapes,
                    concrete_inputs=span.concrete,
                    kwinputs={},
                    stack=span.stack,
                    scope=span.scope,
                    cpu_memory_usage=totals[id(span)],
                    sequence_nr=span.sequence,
                    device_index=pid,
                    device_resource_id=tid,
                    flops=span.flops,
                    is_user_annotation=span.scope == USER,
                    activity_type="user_annotation" if span.scope == USER else "cpu_op",
                    external_id=number + 1,
                )
            )
        for when, size in recorder.freed:
            time = self._since_start(when)
            event = FunctionEvent(0, MEMORY_EVENT_NAME, 1, time, time, fwd_thread=1, cpu_memory_usage=size, stack=[], flops=0)
            event.input_shapes, event.overload_name = [], ""
            made.append(event)
        return sorted(made, key=lambda event: (event.time_range.start, -event.time_range.end))


def _with_inner(recorder: Recorder) -> dict[int, int]:
    """The memory of each span and all within it."""
    totals = {id(span): span.memory for span in recorder.spans}
    for span in reversed(recorder.spans):  # what is within another was opened later
        if span.parent is not None:
            totals[id(span.parent)] += totals[id(span)]
    return totals
