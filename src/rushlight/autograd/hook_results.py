"""What hooks may give back in the place of a gradient."""

from __future__ import annotations

from typing import Any


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def checked_tuple(hook: Any, result: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a node's hook makes of cotangents: nothing, or as many as there were."""
    if result is None:
        return old
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(result)}, but expected {len(old)})"
        )
    return tuple(new if new is None else checked_result(hook, new, one) for new, one in zip(result, old, strict=True))


def checked_result(hook: Any, result: Any, old: Any) -> Any:
    if not hasattr(result, "_array"):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if result._array.dtype != old._array.dtype:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {old.type()} got {result.type()})")
    if result._array.shape != old._array.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return result
