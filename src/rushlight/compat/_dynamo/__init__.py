"""torch._dynamo: the marks that programs leave for PyTorch's compiler, which change nothing here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from rushlight.base.missing import lazy_names
from rushlight.compiled import api

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "explain",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "reset",
]


class _Config(SimpleNamespace):
    """Settings, which nobody reads."""

    def patch(self, *changes: Any, **named: Any) -> Any:
        """Other settings for the length of a ``with`` block, or of a decorated function."""
        given = {**(dict([changes]) if len(changes) == 2 else changes[0] if changes else {}), **named}

        @contextmanager
        def patched() -> Iterator[None]:
            before = dict(vars(self))
            vars(self).update(given)
            try:
                yield
            finally:
                vars(self).clear()
                vars(self).update(before)

        return patched()


config = _Config(
    accumulated_cache_size_limit=256,
    assume_static_by_default=True,
    automatic_dynamic_shapes=True,
    cache_size_limit=8,
    capture_dynamic_output_shape_ops=False,
    capture_scalar_outputs=False,
    compiled_autograd=False,
    dynamic_shapes=True,
    error_on_recompile=False,
    fail_on_recompile_limit_hit=False,
    inline_inbuilt_nn_modules=True,
    optimize_ddp=True,
    recompile_limit=8,
    specialize_int=False,
    suppress_errors=False,
    verbose=False,
)


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """``explain(f)(*args)`` runs ``f`` once and says what was captured, and what broke it: see :mod:`rushlight.compiled.api`."""
    inner = api.explain(f)
    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner


def graph_break(msg: str = "") -> None:
    """There is no graph to break."""


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Every size may change anyway."""


mark_static = maybe_mark_dynamic = mark_dynamic

__getattr__, __dir__ = lazy_names(__name__, frozenset({"eval_frame", "utils"}), {"OptimizedModule": "eval_frame"})
