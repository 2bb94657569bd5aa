"""``torch.version``: which PyTorch this is meant to be, and which rushlight it is."""

from __future__ import annotations

rushlight = "0.1.0"
__version__ = "2.13.0+rushlight"
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version = "Unknown"
