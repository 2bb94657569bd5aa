"""torch.testing: comparing results, and making tensors to test with."""

from __future__ import annotations

from ..base.missing_names import lazy_names
from . import _utils
from ._comparison import assert_allclose, assert_close
from ._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

__getattr__, __dir__ = lazy_names(__name__)
