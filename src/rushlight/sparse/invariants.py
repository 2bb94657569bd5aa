"""Whether functions that make sparse tensors are to look at what they are given. Here they always do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar


class check_sparse_tensor_invariants:
    """``enable()``, ``disable()`` and ``is_enabled()``; as a ``with`` block or a decorator it holds within. Kept and answered:
    indices out of range are refused in either case.

    >>> import rushlight as torch
    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    __module__ = "torch.sparse"
    _on: ClassVar[bool] = False

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """What was set last."""
        return check_sparse_tensor_invariants._on

    @staticmethod
    def enable() -> None:
        """Sets it."""
        check_sparse_tensor_invariants._on = True

    @staticmethod
    def disable() -> None:
        """Sets it back."""
        check_sparse_tensor_invariants._on = False

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for context "
                "nesting."
            )
        self.saved_state = check_sparse_tensor_invariants._on
        check_sparse_tensor_invariants._on = self.state

    def __exit__(self, *error: object) -> None:
        assert self.saved_state is not None
        check_sparse_tensor_invariants._on, self.saved_state = self.saved_state, None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return within
