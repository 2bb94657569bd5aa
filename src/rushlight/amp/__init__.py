"""torch.amp: lower precision where it does little harm."""

from __future__ import annotations

from ..base.missing_names import lazy_names
from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__, __dir__ = lazy_names(__name__, frozenset({"autocast_mode", "grad_scaler"}))
