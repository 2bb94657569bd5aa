"""Kullback-Leibler divergence, by the classes of both distributions.

The formulas are in kl_within.py (of one family) and kl_across.py (between families).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import rushlight as torch

from ..backend.notes import with_notes
from .distribution import Distribution

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["kl_divergence", "register_kl"]

Formula = Callable[[Any, Any], Any]
F = TypeVar("F", bound=Formula)

_KL_REGISTRY: dict[tuple[type, type], Formula] = {}
_KL_MEMOIZE: dict[tuple[type, type], Formula | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[F], F]:
    """A decorator for the function that :func:`kl_divergence` calls for these classes and what is derived from them.

    TypeError unless both are classes.

    >>> from rushlight.distributions import Normal, register_kl
    >>> class Sharp(Normal):
    ...     pass
    >>> @register_kl(Sharp, Normal)
    ... def divergence(p, q):
    ...     return 0.0
    """
    for kind in (type_p, type_q):
        if not isinstance(kind, type):
            raise with_notes(TypeError("issubclass() arg 1 must be a class"), f"register_kl takes two classes, not {kind!r}.")

    def register(function: F) -> F:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean under ``p`` of log p(x) - log q(x), of the shape of both batches broadcast.

    NotImplementedError where nothing is registered for their classes.

    >>> import rushlight as torch
    >>> from rushlight.distributions import Exponential, kl_divergence
    >>> kl_divergence(Exponential(1.0), Exponential(2.0))
    tensor(0.3069)
    """
    key = type(p), type(q)
    if key not in _KL_MEMOIZE:
        _KL_MEMOIZE[key] = _dispatch_kl(*key)
    function = _KL_MEMOIZE[key]
    if function is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")
    return function(p, q)


def _dispatch_kl(type_p: type, type_q: type) -> Formula | None:
    """The formula of the nearest classes: nearest to p's first; a warning where asking q's first gives another one."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return None
    by_p = min(matches, key=lambda pair: (_steps(type_p, pair[0]), _steps(type_q, pair[1])))
    by_q = min(matches, key=lambda pair: (_steps(type_q, pair[1]), _steps(type_p, pair[0])))
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({by_p[0].__name__}, "
            f"{by_q[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[by_p]


def _steps(kind: type, base: type) -> int:
    """From a class to one that it is derived from, or counts as derived from."""
    return kind.__mro__.index(base) if base in kind.__mro__ else len(kind.__mro__)


def infinite(p: Distribution) -> Any:
    """Infinity for each distribution of the batch of ``p``."""
    return torch.full_like(p.mean, torch.inf)


def infinite_where(condition: Any, result: Any) -> Any:
    return torch.where(condition, torch.inf, result)
