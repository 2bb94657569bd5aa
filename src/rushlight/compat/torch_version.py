"""torch.torch_version: versions that compare as versions do."""

from __future__ import annotations

from rushlight.base.torch_version import TorchVersion, __version__

__all__ = ["TorchVersion", "__version__"]
