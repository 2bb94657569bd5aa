"""torch._C._profiler: the kinds of things that profilers speak of, settings that few need, and where in a program one is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType

from rushlight.profiler.kinds import ProfilerActivity, ProfilerState, RecordScope

__all__ = [
    "CapturedTraceback",
    "ProfilerActivity",
    "ProfilerState",
    "RecordScope",
    "_ExperimentalConfig",
    "gather_traceback",
    "symbolize_tracebacks",
]

_RUNNER = str(Path(__file__).parents[2] / "__main__.py")  # what stands behind it is not the program's


class _ExperimentalConfig:
    """Accepted by profiles and kept; what it asks for is about GPUs, or there anyhow.

    >>> import rushlight as torch
    >>> torch._C._profiler._ExperimentalConfig(verbose=True).verbose
    True
    """

    def __init__(
        self,
        profiler_metrics: Sequence[str] = (),
        profiler_measure_per_kernel: bool = False,
        verbose: bool = False,
        performance_events: Sequence[str] = (),
        enable_cuda_sync_events: bool = False,
        adjust_profiler_step: bool = False,
        disable_external_correlation: bool = False,
        profile_all_threads: bool = False,
        capture_overload_names: bool = False,
        record_python_gc_info: bool = False,
        expose_kineto_event_metadata: bool = False,
        custom_profiler_config: str = "",
        adjust_timestamps: bool = False,
        trace_only: bool = False,
    ) -> None:
        self.profiler_metrics, self.performance_events = list(profiler_metrics), list(performance_events)
        self.profiler_measure_per_kernel, self.verbose = profiler_measure_per_kernel, verbose
        self.enable_cuda_sync_events, self.adjust_profiler_step = enable_cuda_sync_events, adjust_profiler_step
        self.disable_external_correlation, self.profile_all_threads = disable_external_correlation, profile_all_threads
        self.capture_overload_names, self.record_python_gc_info = capture_overload_names, record_python_gc_info
        self.expose_kineto_event_metadata = expose_kineto_event_metadata
        self.custom_profiler_config, self.adjust_timestamps = custom_profiler_config, adjust_timestamps
        self.trace_only = trace_only


class CapturedTraceback:
    """The frames of a moment, the innermost first; their names and lines are looked up on demand."""

    def __init__(self, frames: list[tuple[CodeType, int]]) -> None:
        self.frames = frames


def gather_traceback(python: bool, script: bool, cpp: bool) -> CapturedTraceback:
    """The frames that lead to here; there are only Python's."""
    frames, frame = [], sys._getframe(1)
    while python and frame is not None and frame.f_code.co_filename != _RUNNER:
        frames.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return CapturedTraceback(frames)


def symbolize_tracebacks(tracebacks: Sequence[CapturedTraceback]) -> list[list[dict[str, object]]]:
    """Name, file and line of each frame."""
    return [
        [{"name": code.co_name, "filename": code.co_filename, "line": line} for code, line in one.frames] for one in tracebacks
    ]
