"""torch.utils._contextlib: the base of context managers that decorate functions too, for libraries that build on it."""

from __future__ import annotations

from ..autograd.grad_mode import ContextDecorator as _DecoratorContextManager

__all__ = ["_DecoratorContextManager"]
