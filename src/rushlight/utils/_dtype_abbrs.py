"""torch.utils._dtype_abbrs: short names of dtypes."""

from ..base.dtype_abbrs import dtype_abbrs

__all__ = ["dtype_abbrs"]
