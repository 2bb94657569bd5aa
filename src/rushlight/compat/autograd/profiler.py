"""torch.autograd.profiler: which ops a program runs, how often, how long they take and what memory."""

from __future__ import annotations

from rushlight.autograd.recorder import _record_function_with_args_enter as _record_function_with_args_enter
from rushlight.autograd.recorder import _record_function_with_args_exit as _record_function_with_args_exit
from rushlight.autograd.recorder import record_function
from rushlight.base.missing_names import lazy_names
from rushlight.profiler import autograd_profiler
from rushlight.profiler.autograd_profiler import (
    KinetoStepTracker,
    emit_itt,
    emit_nvtx,
    kineto_available,
    load_nvprof,
    parse_nvprof_trace,
    profile,
)
from rushlight.profiler.autograd_profiler import _profiler_enabled as _profiler_enabled
from rushlight.profiler.event_list import EventList
from rushlight.profiler.events import FunctionEvent, MemRecordsAcc
from rushlight.profiler.events import FunctionEventAvg as FunctionEventAvg
from rushlight.profiler.kinds import DeviceType, ProfilerActivity, ProfilerState

__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "KinetoStepTracker",
    "MemRecordsAcc",
    "ProfilerActivity",
    "ProfilerState",
    "emit_itt",
    "emit_nvtx",
    "kineto_available",
    "load_nvprof",
    "parse_nvprof_trace",
    "profile",
    "record_function",
]

_lacking, __dir__ = lazy_names(__name__)


def __getattr__(name: str) -> object:
    return autograd_profiler._is_profiler_enabled if name == "_is_profiler_enabled" else _lacking(name)
