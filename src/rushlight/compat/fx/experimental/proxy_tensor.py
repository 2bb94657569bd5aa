"""torch.fx.experimental.proxy_tensor: tracing below autograd, which there is none of."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.base.missing_names import lacks

__all__ = ["get_proxy_mode", "make_fx"]


def get_proxy_mode() -> None:
    """The tracing that goes on: None.

    >>> from rushlight.fx.experimental.proxy_tensor import get_proxy_mode
    >>> get_proxy_mode() is None
    True
    """
    return


def make_fx(f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """NotImplementedError: programs are not traced."""
    raise NotImplementedError(lacks("torch.fx.experimental.proxy_tensor.make_fx"))
