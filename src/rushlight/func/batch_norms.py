"""Batch norms without running statistics, which ``vmap`` could not write to."""

from __future__ import annotations

from typing import Any

from ..nn.modules.batchnorm import _BatchNorm

__all__ = ["batch_norm_without_running_stats", "replace_all_batch_norm_modules_"]


def batch_norm_without_running_stats(module: Any) -> None:
    """Makes a batch norm forget its running statistics; other modules stay as they are."""
    if isinstance(module, _BatchNorm) and module.track_running_stats:
        module.running_mean = module.running_var = module.num_batches_tracked = None
        module.track_running_stats = False


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Makes every batch norm in a module use the statistics of its batch alone; returns the module.

    >>> import rushlight as torch
    >>> net = torch.func.replace_all_batch_norm_modules_(torch.nn.Sequential(torch.nn.BatchNorm1d(2)))
    >>> net[0].track_running_stats
    False
    """
    for module in root.modules():
        batch_norm_without_running_stats(module)
    return root
