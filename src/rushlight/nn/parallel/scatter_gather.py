"""What DataParallel does with several GPUs, which are never there: names that libraries import."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["gather", "scatter"]


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> NoReturn:
    """Parts of a batch on several GPUs: RuntimeError."""
    raise RuntimeError("rushlight runs on the CPU: there are no GPUs to scatter to")


def gather(outputs: Any, target_device: Any, dim: int = 0) -> NoReturn:
    """The results of several GPUs on one device: RuntimeError."""
    raise RuntimeError("rushlight runs on the CPU: there are no GPUs to gather from")
