"""torch._dynamo.eval_frame."""

from __future__ import annotations

from rushlight.compiled.modules import OptimizedModule as OptimizedModule

__all__ = ["OptimizedModule"]
