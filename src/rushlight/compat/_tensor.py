"""torch._tensor: the name under which pickles ask for tensors of subclasses and tensors with attributes."""

from __future__ import annotations

from rushlight.tensor import Tensor
from rushlight.tensors.rebuilding import _rebuild_from_type_v2

__all__ = ["Tensor", "_rebuild_from_type_v2"]
