"""Which way operations are recorded, per thread: grad mode, inference mode, anomaly mode.

Code on the hot path reads two things only: ``state.grad_enabled`` (one attribute of a thread-local object) and
``special.active``. The second holds everything unusual that is switched on in any thread (a function mode, saved-tensor
hooks, anomaly detection, a profiler, ...); while it is empty, compiled ops skip every check for them.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from ..base.thread_state import carried

if TYPE_CHECKING:
    from .engine import BackwardPass


class ThreadState(threading.local):
    """The modes of one thread."""

    task: BackwardPass | None = None  # the backward pass that runs
    grad_enabled: bool = True  # whether ops are recorded; never in inference mode
    enabled_in_inference: bool = False  # what grad mode is there, though ops are not recorded
    inference: Inference | None = None  # the mark of the tensors made in the inference mode that is on
    anomaly: bool = False
    anomaly_check_nan: bool = True
    anomaly_mark: Mark | None = None
    saved_hooks: list[Any] | None = None  # (pack, unpack) pairs of saved_tensors_hooks, the innermost last
    saved_hooks_mark: Mark | None = None
    saved_hooks_refusal: str | None = None  # the message of disable_saved_tensors_hooks
    mutation_allowed: Any = None  # the block of allow_mutation_on_saved_tensors
    multithreading: bool = True
    keeps_layout: bool = True  # whether the gradient of a leaf lies as the leaf does
    view_replay: bool = False  # whether views keep the nodes that made them after a write to their base
    forward_levels: int = 0  # how many levels of forward mode are open
    forward_enabled: bool = True  # whether ops pass tangents on
    transforms: int = 0  # how many function transforms (vmap, grad, ...) are running
    function_modes: tuple[Any, ...] = ()  # the TorchFunctionModes that public functions and methods ask, the innermost last
    function_modes_mark: Mark | None = None
    autocast: bool = False  # whether calls have their tensors cast: see amp/autocast_mode.py
    recorder: Any = None  # what a profiler notes ops with; see recorder.py


state = carried(ThreadState())


class Special:
    """What is unusual, over all threads; ops take their general path while there is anything.

    ``active``  the marks of all that is unusual
    ``hidden``  those of what an op does not see by its inputs and its thread's state, as it sees sparse tensors, transforms or
                saved-tensor hooks: past these compiled ops go their short way
    """

    __slots__ = ("active", "hidden")

    def __init__(self) -> None:
        self.active: set[object] = set()
        self.hidden: set[object] = set()


special = Special()


class Mark:
    """What keeps something unusual known: a tensor holds one, or whoever runs it. While it lives, ops find their general path.

    Sets forget it by themselves when it dies. No code of Python's runs then that an interrupt could come in between.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, hidden: bool = False) -> None:
        for marks in (special.hidden, special.active) if hidden else (special.active,):
            marks.add(weakref.ref(self, marks.discard))


def marked(have: Mark | None, on: object, hidden: bool = False) -> Mark | None:
    """The mark of what is on in a thread, or not: the one that it has, or a new one.

    It is set in one statement with what it is of: an interrupt comes behind calls, not between what one statement sets.
    """
    return (have or Mark(hidden)) if on else None


def set_saved_hooks(hooks: list[Any] | None) -> None:
    """Makes ``hooks`` this thread's saved-tensor hooks."""
    state.saved_hooks, state.saved_hooks_mark = hooks, marked(state.saved_hooks_mark, hooks)


class Inference(Mark):
    """The mark of an inference mode, which the tensors made in it keep."""

    __slots__ = ()


def is_grad_enabled() -> bool:
    """Whether this thread records operations.

    >>> import rushlight as torch
    >>> torch.is_grad_enabled()
    True
    """
    return state.grad_enabled or (state.enabled_in_inference and state.inference is not None)


def switched(enabled: bool) -> bool:
    """Switches grad mode, and returns what it was. In inference mode nothing is recorded whatever it says."""
    if state.inference is None:
        before, state.grad_enabled = state.grad_enabled, enabled
    else:
        before, state.enabled_in_inference = state.enabled_in_inference, enabled
    return before


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside :class:`inference_mode`."""
    return state.inference is not None


_instances: list[Mark] = []


def instance_made() -> None:
    """From the first instance of a subclass on, ops look at their arguments' classes."""
    if not _instances:
        _instances.append(Mark())
