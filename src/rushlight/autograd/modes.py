"""Which way operations are recorded, per thread: grad mode, inference mode, anomaly mode.

Code on the hot path reads two things only: ``state.grad_enabled`` (one attribute of a thread-local object) and
``special.active``. The second counts everything unusual that is switched on in any thread (a function mode, saved-tensor
hooks, anomaly detection, a profiler, ...); while it is zero, compiled ops skip every check for them.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ..base.thread_state import carried
from .brackets import Called

F = TypeVar("F", bound=Callable[..., Any])


class ThreadState(threading.local):
    """The modes of one thread."""

    grad_enabled: bool = True  # whether ops are recorded; never in inference mode
    enabled_in_inference: bool = False  # what grad mode is there, though ops are not recorded
    inference: Inference | None = None  # the mark of the tensors made in the inference mode that is on
    anomaly: bool = False
    anomaly_check_nan: bool = True
    saved_hooks: list[Any] | None = None  # (pack, unpack) pairs of saved_tensors_hooks, the innermost last
    saved_hooks_refusal: str | None = None  # the message of disable_saved_tensors_hooks
    mutation_allowed: Any = None  # the block of allow_mutation_on_saved_tensors
    multithreading: bool = True
    keeps_layout: bool = True  # whether the gradient of a leaf lies as the leaf does
    view_replay: bool = False  # whether views keep the nodes that made them after a write to their base
    forward_levels: int = 0  # how many levels of forward mode are open
    forward_enabled: bool = True  # whether ops pass tangents on
    transforms: int = 0  # how many function transforms (vmap, grad, ...) are running
    function_modes: tuple[Any, ...] = ()  # the TorchFunctionModes that public functions and methods ask, the innermost last
    autocast: bool = False  # whether calls have their tensors cast: see amp/autocast_mode.py
    recorder: Any = None  # what a profiler notes ops with; see recorder.py


state = carried(ThreadState())


class Special:
    """How many unusual things there are, over all threads; ops take their general path while it is not zero.

    ``plain_to_see``  how many of them an op sees by its inputs and its thread's state: inference modes, sparse tensors, instances
                      of subclasses, levels of forward mode, transforms, saved-tensor hooks, function modes, autocast;
                      compiled ops go their short way past them
    """

    __slots__ = ("active", "lock", "plain_to_see")

    def __init__(self) -> None:
        self.active = self.plain_to_see = 0
        self.lock = threading.RLock()  # a Mark may be collected, and leave, while its thread enters

    def enter(self, plain_to_see: bool = False) -> None:
        with self.lock:
            self.active += 1
            self.plain_to_see += plain_to_see

    def leave(self, plain_to_see: bool = False) -> None:
        with self.lock:
            self.active -= 1
            self.plain_to_see -= plain_to_see


special = Special()


def restore_saved_hooks(hooks: list[Any] | None) -> None:
    """Makes ``hooks`` this thread's saved-tensor hooks again, whatever was entered or left since."""
    surplus = len(state.saved_hooks or ()) - len(hooks or ())
    for _ in range(abs(surplus)):
        (special.leave if surplus > 0 else special.enter)(plain_to_see=True)
    state.saved_hooks = hooks


class Mark:
    """What an unusual tensor keeps: while one lives, ops of such tensors find their general path, which knows of them."""

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        special.enter(plain_to_see=True)

    def __del__(self) -> None:
        special.leave(plain_to_see=True)


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


class ContextDecorator:
    """A context manager that can also decorate a function, a generator or a class's methods."""

    def clone(self) -> ContextDecorator:
        return self.__class__()

    def __call__(self, function: F) -> F:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
                "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
                "method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            function = functools.partial(function)  # type: ignore[assignment]
        if inspect.isgeneratorfunction(function):
            return self._wrap_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]

    def _wrap_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        # The mode holds only while the generator's own body runs, never in the code that consumes it.
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            resume: Callable[[], Any] = lambda: next(generator)  # noqa: E731
            while True:
                try:
                    with self.clone():
                        item = resume()
                except StopIteration as stop:
                    return stop.value
                try:
                    sent = yield item
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    resume = functools.partial(generator.throw, error)
                else:
                    resume = functools.partial(generator.send, sent)

        return inside

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        raise NotImplementedError


class _GradMode(ContextDecorator, metaclass=Called):
    _enabled = True

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        if state.inference is None:  # as switched(), without a call
            self.prev, state.grad_enabled = state.grad_enabled, self._enabled
        else:
            self.prev = switched(self._enabled)

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        if state.inference is None:
            state.grad_enabled = self.prev
        else:
            switched(self.prev)

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        self = super().__new__(cls)
        if orig_func is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(orig_func)


class no_grad(_GradMode):
    """Operations inside are not recorded: their results need no gradient.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    _enabled = False


class enable_grad(_GradMode):
    """Operations inside are recorded, also within :class:`no_grad`.

    >>> import rushlight as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    _enabled = True


class set_grad_enabled(ContextDecorator):
    """Switches recording on or off: at once when called, and back at the end of a ``with`` block.

    >>> import rushlight as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}")
        self.prev = switched(mode)
        self.mode = mode

    def __call__(self, function: F) -> F:
        switched(self.prev)
        return super().__call__(function)

    def __enter__(self) -> None:
        switched(self.mode)

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        switched(self.prev)

    def __str__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    __repr__ = __str__

    def clone(self) -> set_grad_enabled:
        return self.__class__(self.mode)


class inference_mode(ContextDecorator, metaclass=Called):
    """Like :class:`no_grad`, and what is made inside can never take part in a recorded operation that saves it.

    >>> import rushlight as torch
    >>> with torch.inference_mode():
    ...     y = torch.ones(2)
    >>> y.is_inference()
    True
    """

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.previous: list[tuple[Inference | None, bool, bool]] = []

    def __new__(cls, mode: Any = True) -> Any:
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    def __enter__(self) -> None:
        self.previous.append((state.inference, state.grad_enabled, state.enabled_in_inference))
        state.inference = Inference() if self.mode else None
        state.grad_enabled, state.enabled_in_inference = not self.mode, False

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        state.inference, state.grad_enabled, state.enabled_in_inference = self.previous.pop()

    def clone(self) -> inference_mode:
        return self.__class__(self.mode)


class set_multithreading_enabled(ContextDecorator):
    """Kept and answered: a backward pass runs in the thread that started it.

    Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.ones(1, requires_grad=True).sum().backward()
    """

    def __init__(self, mode: bool) -> None:
        self.prev = state.multithreading
        self.mode = bool(mode)
        state.multithreading = self.mode

    def __enter__(self) -> None:
        state.multithreading = self.mode

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        state.multithreading = self.prev

    def clone(self) -> set_multithreading_enabled:
        return self.__class__(self.mode)


class enforce_grad_layout_policy(ContextDecorator):
    """Whether a leaf's gradient is laid out as the leaf is; where not, one that only this pass holds is kept as it came.

    Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> x = torch.zeros(2, 3).t().requires_grad_()
    >>> with torch.autograd.enforce_grad_layout_policy(False):
    ...     (x * torch.ones(3, 2)).sum().backward()
    >>> x.stride(), x.grad.stride()
    ((1, 3), (2, 1))
    """

    def __init__(self, enable: bool = True) -> None:
        self.prev = state.keeps_layout
        self.enable = bool(enable)
        state.keeps_layout = self.enable

    def __enter__(self) -> None:
        state.keeps_layout = self.enable

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        state.keeps_layout = self.prev

    def __call__(self, function: F) -> F:
        state.keeps_layout = self.prev  # as a decorator it says nothing of now
        return super().__call__(function)

    def clone(self) -> enforce_grad_layout_policy:
        return self.__class__(self.enable)


def is_multithreading_enabled() -> bool:
    """What :class:`set_multithreading_enabled` was told."""
    return state.multithreading


class _force_original_view_tracking(ContextDecorator):
    """Whether a view whose base was written to gets the nodes that made it again (ViewBackward0, ...), instead of one
    AsStridedBackward0. Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> with torch.autograd._force_original_view_tracking(True):
    ...     y = torch.ones(2, 2, requires_grad=True).clone().view(-1)
    ...     y.add_(1).grad_fn.name()
    'ViewBackward0'
    """

    def __init__(self, mode: bool) -> None:
        self.prev = state.view_replay
        self.mode = bool(mode)
        state.view_replay = self.mode

    def __enter__(self) -> None:
        state.view_replay = self.mode

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        state.view_replay = self.prev

    def clone(self) -> _force_original_view_tracking:
        return self.__class__(self.mode)


def is_view_replay_enabled() -> bool:
    """What :class:`_force_original_view_tracking` was told."""
    return state.view_replay


class _unsafe_preserve_version_counter(ContextDecorator):
    """Sets the version counters of ``tensors`` (one, or a tuple) back at the end: writes within are not noticed."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = tensors if isinstance(tensors, tuple) else (tensors,)
        self.versions = [tensor._version for tensor in self.tensors]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            tensor._counter[0] = version


class set_detect_anomaly(ContextDecorator):
    """Anomaly detection: each recorded op keeps its forward traceback, and a nan in a gradient is an error.

    Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = state.anomaly
        self.prev_check_nan = state.anomaly_check_nan
        self.mode, self.check_nan = mode, check_nan
        self._switch(mode, check_nan)

    @staticmethod
    def _switch(mode: bool, check_nan: bool) -> None:
        if mode != state.anomaly:
            (special.enter if mode else special.leave)()
        state.anomaly, state.anomaly_check_nan = mode, check_nan

    def __enter__(self) -> None:
        self._switch(self.mode, self.check_nan)

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        self._switch(self.prev, self.prev_check_nan)

    def clone(self) -> set_detect_anomaly:
        return self.__class__(self.mode, self.check_nan)


class detect_anomaly(ContextDecorator):
    """``with detect_anomaly():`` finds the forward op behind a failing or nan-producing backward one.

    ``check_nan``   whether a nan in a gradient is a RuntimeError

    >>> import warnings
    >>> import rushlight as torch
    >>> warnings.simplefilter("ignore")  # that it is slow; and where the op was recorded
    >>> with torch.autograd.detect_anomaly():
    ...     x = torch.tensor(-1.0, requires_grad=True)
    ...     x.sqrt().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self.previous: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self.previous.append((state.anomaly, state.anomaly_check_nan))
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )
        set_detect_anomaly._switch(True, self.check_nan)

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        set_detect_anomaly._switch(*self.previous.pop())

    def clone(self) -> detect_anomaly:
        return self.__class__(self.check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on in this thread."""
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection also looks for nan."""
    return state.anomaly_check_nan


_instances = False


def instance_made() -> None:
    """From the first instance of a subclass on, ops look at their arguments' classes."""
    global _instances
    if not _instances:
        _instances = True
        special.enter(plain_to_see=True)
