"""torch._functorch.python_key: ``make_fx``, as far as a program without a tracer can have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["make_fx"]


def make_fx(f: Callable[..., Any], *options: Any, **named: Any) -> Callable[..., Callable[..., Any]]:
    """Called with arguments, gives back ``f``, which has run on them once. PyTorch's gives the ops that ran, as a graph to look
    at and to change; there is no such graph here.

    >>> import rushlight as torch
    >>> from rushlight._functorch.python_key import make_fx
    >>> make_fx(torch.sin)(torch.ones(2))(torch.zeros(2))
    tensor([0., 0.])
    """

    def wrapped(*args: Any) -> Callable[..., Any]:
        f(*args)
        return f

    return wrapped
