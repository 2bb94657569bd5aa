"""torch._functorch.batch_norm_replacement."""

from __future__ import annotations

from rushlight.func.batch_norms import batch_norm_without_running_stats, replace_all_batch_norm_modules_

__all__ = ["batch_norm_without_running_stats", "replace_all_batch_norm_modules_"]
