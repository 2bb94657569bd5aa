"""torch.profiler.profiler: profiles of programs that work in steps, of which some are recorded."""

from __future__ import annotations

import functools
import json
import os
import socket
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from time import time_ns
from typing import Any

from ..autograd.recorder import record_function
from . import autograd_profiler as prof
from .event_list import EventList
from .kinds import ProfilerActivity

__all__ = [
    "ProfilerAction",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

PROFILER_STEP_NAME = "ProfilerStep"


def supported_activities() -> set[ProfilerActivity]:
    """What can be profiled.

    >>> import rushlight as torch
    >>> torch.profiler.supported_activities()
    {<ProfilerActivity.CPU: 0>}
    """
    return {ProfilerActivity.CPU}


class ProfilerAction(Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


@functools.cache  # once is enough
def _warn_of_cycles() -> None:
    warnings.warn(
        "Warning: Profiler clears events at the end of each cycle. Only events from the current cycle will be reported. To "
        "keep events across cycles, set acc_events=True.",
        stacklevel=6,
    )


class _KinetoProfile:
    """A profile that is begun and ended by hand: ``prepare_trace``, ``start_trace``, ``stop_trace``; or ``start``, ``stop``.

    The arguments are those of :class:`profile`.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        given = supported_activities() if activities is None else activities
        self.activities = {kind for one in given for kind in (one if isinstance(one, dict) else (one,))}
        if not self.activities or not all(isinstance(one, ProfilerActivity) for one in self.activities):
            raise AssertionError("No valid profiler activities found")
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_stack, self.with_flops, self.with_modules = with_stack, with_flops, with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.profiler: prof.profile | None = None
        self.use_device: str | None = None
        self.preset_metadata: dict[str, str] = {}

    def start(self) -> None:
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        self.stop_trace()

    def prepare_trace(self) -> None:
        if self.profiler is not None and self.acc_events:
            self.profiler.entered = False
        else:
            if self.profiler is not None and self.profiler.kineto_results is not None:
                _warn_of_cycles()
            others = sorted(one.name for one in self.activities if one is not ProfilerActivity.CPU)
            for name in others:
                warnings.warn(f"{name} is not available, disabling {name} profiling", stacklevel=4)
            self.profiler = prof.profile(
                use_cpu=ProfilerActivity.CPU in self.activities,
                use_kineto=True,
                record_shapes=self.record_shapes,
                with_flops=self.with_flops,
                profile_memory=self.profile_memory,
                with_stack=self.with_stack,
                with_modules=self.with_modules,
                experimental_config=self.experimental_config,
                acc_events=self.acc_events,
                custom_trace_id_callback=self.custom_trace_id_callback,
                post_processing_timeout_s=self.post_processing_timeout_s,
            )
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        if self.execution_trace_observer is not None:
            self.execution_trace_observer.start()
        self._ready("starting trace")._start_trace()
        for key, value in self.preset_metadata.items():
            self.add_metadata_json(key, value)

    def stop_trace(self) -> None:
        if self.execution_trace_observer is not None:
            self.execution_trace_observer.stop()
        self._ready("stopping trace").__exit__(None, None, None)

    def _ready(self, doing: str) -> prof.profile:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {doing}")
        return self.profiler

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Writes the trace for chrome://tracing and Perfetto; compressed if the path ends in .gz."""
        self._ready("exporting chrome trace").export_chrome_trace(path, use_python_export=use_python_export)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes a line for each stack and its time; asks for ``with_stack=True``."""
        self._ready("exporting stacks").export_stacks(path, metric)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Pauses the recording, or goes on with it."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of one name added up."""
        return self._ready("getting key averages").key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def events(self) -> EventList:
        """The events, in the order in which they began."""
        events = self._ready("accessing events").function_events
        return EventList() if events is None else events

    def add_metadata(self, key: str, value: str) -> None:
        """Puts a word into the trace."""
        self.add_metadata_json(key, json.dumps(value))

    def add_metadata_json(self, key: str, value: str) -> None:
        """Puts JSON into the trace."""
        if self.profiler is not None:
            self.profiler._metadata[key] = value

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Puts JSON into the traces that are begun from now on."""
        self.preset_metadata[key] = value


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What to do in which step: after ``skip_first`` steps wait for so many, run so many as a warm-up, record so many, and
    again; ``repeat`` times, or for ever if that is 0. With ``skip_first_wait`` the first round does not wait.

    AssertionError for numbers that are too small; a warning where nothing is a warm-up.

    >>> import rushlight as torch
    >>> plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got {wait=} (need >= 0), {warmup=} (need >= 0), {active=} (need > 0), "
            f"{repeat=} (need >= 0), {skip_first=} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)

    def plan(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        length = wait + warmup + active
        if repeat and step // length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return plan


def _always(_: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """An ``on_trace_ready`` that writes each trace into a file of its own in ``dir_name``, where TensorBoard finds it.

    RuntimeError if there is no such directory and none can be made.
    """

    def write(profiler: Any) -> None:
        if not os.path.isdir(dir_name):
            try:
                os.makedirs(dir_name, exist_ok=True)
            except OSError as error:
                raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        profiler.export_chrome_trace(os.path.join(dir_name, name), use_python_export)

    return write


class profile(_KinetoProfile):
    """Profiles what this thread runs, all of it or the steps that a schedule says.

    ``activities``      what to record: :class:`ProfilerActivity`; the CPU is what there is
    ``schedule``        from the number of a step to a :class:`ProfilerAction`, as :func:`schedule` makes it; ``step()`` goes on
    ``on_trace_ready``  called with the profile whenever recorded steps are complete
    ``record_shapes, profile_memory, with_stack, with_flops``  as of :class:`rushlight.autograd.profiler.profile`
    ``acc_events``      keeps the events of earlier rounds

    AssertionError for activities that are none.

    >>> import rushlight as torch
    >>> from rushlight.profiler import ProfilerActivity, profile, schedule
    >>> x = torch.ones(2)
    >>> with profile(
    ...     activities=[ProfilerActivity.CPU],
    ...     schedule=schedule(wait=1, warmup=1, active=1),
    ...     on_trace_ready=lambda prof: print(prof.step_num, [event.name for event in prof.events()]),
    ... ) as prof:
    ...     for _ in range(3):
    ...         _ = x * 2
    ...         prof.step()
    3 ['ProfilerStep*', 'aten::mul']
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        if use_cuda is not None:
            warnings.warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer,
            acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
            post_processing_timeout_s=post_processing_timeout_s,
        )
        self.schedule = schedule or _always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.step_rec_fn: record_function | None = None
        self.current_action = self.schedule(0)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """What entering the block does."""
        self._go_on(ProfilerAction.NONE, self.current_action)
        if self.record_steps:
            self._begin_step()

    def stop(self) -> None:
        """What leaving the block does."""
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None
        self._go_on(self.current_action, None)

    def step(self) -> None:
        """Says that the next step begins."""
        if self.record_steps and self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._go_on(before, self.current_action)
        prof.KinetoStepTracker.increment_step(PROFILER_STEP_NAME)
        if self.record_steps:
            self._begin_step()

    def _begin_step(self) -> None:
        self.step_rec_fn = record_function(f"{PROFILER_STEP_NAME}#{self.step_num}")
        self.step_rec_fn.__enter__()

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """What names the traces."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        """The name of the current trace."""
        return None if self.profiler is None else self.profiler.trace_id

    def _stats(self) -> Any:
        return None if self.profiler is None else self.profiler._stats

    def _trace_ready(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _go_on(self, before: ProfilerAction, now: ProfilerAction | None) -> None:
        """From what the last step did to what the next does; None at the end."""
        if before is now and before is not ProfilerAction.RECORD_AND_SAVE:
            return
        warm = before is ProfilerAction.WARMUP
        if warm and now not in _RECORDING:
            if now is ProfilerAction.NONE:
                warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=4)
            self.start_trace()
            self.stop_trace()
        elif before in _RECORDING:
            if before is ProfilerAction.RECORD and now in _RECORDING:
                return
            complete = before is ProfilerAction.RECORD_AND_SAVE or now in (None, ProfilerAction.DEVICE_STOPPED)
            if not complete and now is not None:
                warnings.warn(f"Incorrect schedule: RECORD followed by {now.name}", stacklevel=4)
            self.stop_trace()
            if complete:
                self._trace_ready()
        if not warm and now in (ProfilerAction.WARMUP, *_RECORDING):
            self.prepare_trace()
        if now in _RECORDING:
            self.start_trace()
