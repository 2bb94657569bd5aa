"""torch._dynamo.eval_frame."""

from __future__ import annotations

from rushlight.compiled.modules import OptimizedModule as OptimizedModule

__all__ = ["OptimizedModule", "innermost_fn"]


def innermost_fn(fn: object) -> object:
    """What was compiled, of a compiled function; any other as it is."""
    return getattr(fn, "_torchdynamo_orig_callable", fn)
