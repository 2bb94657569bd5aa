"""torch.signal.windows: windows as tensors, symmetric (``sym``) or one period of a longer one.

ValueError for a negative length, a dtype other than float32 and float64, or parameters that make no window.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from rushlight.base import dtypes
from rushlight.base.device import strided
from rushlight.ops.public import registry
from rushlight.tensor import Tensor
from rushlight.tensors.creation.like import full_like
from rushlight.tensors.creation.ranges import linspace

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _window(function: F) -> F:
    """Gives ``function(M, points, sym, ...)`` PyTorch's options; ``points`` makes its places on the axis.

    ``points(start, step)`` is the tensor start, start + step, ... of M numbers.
    """
    name = function.__name__

    @functools.wraps(function)
    def window(
        M: Any,
        *,
        sym: bool = True,
        dtype: Any = None,
        layout: Any = strided,
        device: Any = None,
        requires_grad: bool = False,
        **parameters: Any,
    ) -> Tensor:
        chosen = dtypes.get_default_dtype() if dtype is None else dtype
        label = "general_cosine" if name in _COSINES else name
        if M < 0:
            raise ValueError(f"{label} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{label} is implemented for strided tensors only, got: {layout}")
        if chosen not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{label} expects float32 or float64 dtypes, got: {chosen}")

        if M in (0, 1):
            M = int(M)  # a window that needs no steps takes a number of any kind for its length

        def points(start: float, step: float) -> Tensor:
            return linspace(
                start, start + (M - 1) * step, M, dtype=chosen, layout=layout, device=device, requires_grad=requires_grad
            )

        return function(M, points, sym, **parameters)

    # The signature is of the options and the window's own parameters.
    own = list(inspect.signature(function).parameters.values())[3:]
    options = list(inspect.signature(window, follow_wrapped=False).parameters.values())[:-1]
    window.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [options[0], *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own), *options[1:]]
    )
    return window  # type: ignore[return-value]


_COSINES = frozenset("general_cosine general_hamming hamming hann blackman nuttall".split())


def _period(M: Any, sym: bool) -> Any:
    """How many steps a window of M values spans; one value stands for itself."""
    return M - 1 if sym and M > 1 else max(M, 1)


def _call(name: str, *args: Any) -> Any:
    return registry["torch"][name](*args)


@_window
def exponential(M: Any, points: Any, sym: bool, center: float | None = None, tau: float = 1.0) -> Tensor:
    """``exp(-|n - center| / tau)``."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = (M if not sym and M > 1 else M - 1) / 2.0 if center is None else center
    return _call("exp", -_call("abs", points(-middle / tau, 1 / tau)))


@_window
def cosine(M: Any, points: Any, sym: bool) -> Tensor:
    """Half a period of a sine."""
    step = math.pi / (M + 1 if not sym and M > 1 else max(M, 1))
    return _call("sin", points(0.5 * step, step))


@_window
def gaussian(M: Any, points: Any, sym: bool, std: float = 1.0) -> Tensor:
    """``exp(-(n - middle)^2 / (2 std^2))``."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    middle = (M if not sym and M > 1 else M - 1) / 2.0
    step = 1 / (std * math.sqrt(2))
    return _call("exp", -(points(-middle * step, step) ** 2))


@_window
def kaiser(M: Any, points: Any, sym: bool, beta: float = 12.0) -> Tensor:
    """The Kaiser window."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M < 2:
        return points(1.0, 0.0)
    places = _call("clamp", points(-beta, 2.0 * beta / _period(M, sym)), -beta, beta)
    width: Any = full_like(places, beta)
    return _call("i0", _call("sqrt", width**2 - places**2)) / _call("i0", width)


@_window
def general_cosine(M: Any, points: Any, sym: bool, a: Iterable[float]) -> Tensor:
    """A sum of cosines with coefficients ``a``, of alternating sign."""
    return _cosines(M, points, sym, a)


def _cosines(M: Any, points: Any, sym: bool, a: Any) -> Tensor:
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    if M < 2:
        return points(1.0, 0.0)
    angle = points(0, 2 * math.pi / _period(M, sym))
    terms = [_call("cos", angle * k) * (weight if k % 2 == 0 else -weight) for k, weight in enumerate(a)]
    return _call("sum", _call("stack", terms), 0)


@_window
def general_hamming(M: Any, points: Any, sym: bool, alpha: float = 0.54) -> Tensor:
    """``alpha - (1 - alpha) cos``."""
    return _cosines(M, points, sym, [alpha, 1.0 - alpha])


@_window
def hamming(M: Any, points: Any, sym: bool) -> Tensor:
    """The Hamming window."""
    return _cosines(M, points, sym, [0.54, 0.46])


@_window
def hann(M: Any, points: Any, sym: bool) -> Tensor:
    """The Hann window.

    >>> import rushlight as torch
    >>> torch.signal.windows.hann(3)
    tensor([0., 1., 0.])
    """
    return _cosines(M, points, sym, [0.5, 0.5])


@_window
def blackman(M: Any, points: Any, sym: bool) -> Tensor:
    """The Blackman window."""
    return _cosines(M, points, sym, [0.42, 0.5, 0.08])


@_window
def nuttall(M: Any, points: Any, sym: bool) -> Tensor:
    """Nuttall's minimum four-term window."""
    return _cosines(M, points, sym, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


@_window
def bartlett(M: Any, points: Any, sym: bool) -> Tensor:
    """A triangle."""
    if M < 2:
        return points(1.0, 0.0)
    return 1 - _call("abs", points(-1, 2.0 / _period(M, sym)))
