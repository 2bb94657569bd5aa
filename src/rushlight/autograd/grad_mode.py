"""How users switch recording: no_grad, enable_grad, inference_mode, and what else ``torch.autograd.grad_mode`` has."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from ..base.arguments import check_switch
from .missing_parentheses import Called
from .modes import Inference, state, switched

F = TypeVar("F", bound=Callable[..., Any])


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
            self.prev, state.enabled_in_inference = state.enabled_in_inference, self._enabled

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        if state.inference is None:
            state.grad_enabled = self.prev
        else:
            state.enabled_in_inference = self.prev

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
        check_switch("set_grad_enabled", "enabled", 1, mode)
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
        # No call: an interrupt comes behind one.
        state.inference, state.grad_enabled, state.enabled_in_inference = self.previous[-1]
        del self.previous[-1]

    def clone(self) -> inference_mode:
        return self.__class__(self.mode)


class _Switch(ContextDecorator):
    """Sets a field of the modes when it is made; as a ``with`` block it is undone at the end."""

    _field: str
    _name: str  # of what PyTorch calls to set it

    def __init__(self, mode: bool) -> None:
        check_switch(self._name, "enabled", 1, mode)
        self.prev: bool = getattr(state, self._field)
        self.mode = mode
        setattr(state, self._field, self.mode)

    def __enter__(self) -> None:
        setattr(state, self._field, self.mode)

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        setattr(state, self._field, self.prev)

    def clone(self) -> Self:
        return self.__class__(self.mode)


class set_multithreading_enabled(_Switch):
    """Kept and answered: a backward pass runs in the thread that started it.

    Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.ones(1, requires_grad=True).sum().backward()
    """

    _field = "multithreading"
    _name = "set_multithreading_enabled"


class enforce_grad_layout_policy(_Switch):
    """Whether a leaf's gradient is laid out as the leaf is; where not, one that only this pass holds is kept as it came.

    Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> x = torch.zeros(2, 3).t().requires_grad_()
    >>> with torch.autograd.enforce_grad_layout_policy(False):
    ...     (x * torch.ones(3, 2)).sum().backward()
    >>> x.stride(), x.grad.stride()
    ((1, 3), (2, 1))
    """

    _field = "keeps_layout"
    _name = "set_grad_layout_enforcement_enabled"

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)

    @property
    def enable(self) -> bool:
        return self.mode

    def __call__(self, function: F) -> F:
        state.keeps_layout = self.prev  # as a decorator it says nothing of now
        return super().__call__(function)


def is_multithreading_enabled() -> bool:
    """What :class:`set_multithreading_enabled` was told."""
    return state.multithreading


class _force_original_view_tracking(_Switch):
    """Whether a view whose base was written to gets the nodes that made it again (ViewBackward0, ...), instead of one
    AsStridedBackward0. Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> with torch.autograd._force_original_view_tracking(True):
    ...     y = torch.ones(2, 2, requires_grad=True).clone().view(-1)
    ...     y.add_(1).grad_fn.name()
    'ViewBackward0'
    """

    _field = "view_replay"
    _name = "set_view_replay_enabled"


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
