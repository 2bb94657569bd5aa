"""torch.version: which PyTorch this is meant to be, and which rushlight it is."""

from __future__ import annotations

from rushlight.base.version import __version__, cuda, debug, git_version, hip, rocm, rushlight, xpu

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "rushlight", "xpu"]
