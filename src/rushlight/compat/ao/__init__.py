"""torch.ao: of PyTorch's quantization, the places that models mark for it."""

from __future__ import annotations

from rushlight.base.missing_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__, frozenset({"quantization"}))
