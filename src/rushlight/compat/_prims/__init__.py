"""torch._prims: the smallest operators of PyTorch, of which here only what asks about dtypes can be named."""

from .. import _prims_common as utils
from .context import TorchRefsMode

__all__ = ["TorchRefsMode", "utils"]
