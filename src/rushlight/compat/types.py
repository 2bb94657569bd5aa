"""torch.types: names for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO

from rushlight.base.device import device as _device
from rushlight.base.device import layout as _layout  # noqa: F401
from rushlight.base.dtypes import dtype as _dtype  # noqa: F401
from rushlight.base.missing_names import lazy_names
from rushlight.base.size import Size
from rushlight.storage import TypedStorage, UntypedStorage
from rushlight.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Size", "Storage", "Tensor"]

_int, _float, _bool, _str, _bytes = builtins.int, builtins.float, builtins.bool, builtins.str, builtins.bytes
_complex = builtins.complex
_size = Size | list[int] | tuple[int, ...]
_TensorOrTensors = Tensor | Sequence[Tensor]

Number = int | float | bool
Device = _device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = TypedStorage | UntypedStorage
SymInt, SymFloat, SymBool = _int, _float, _bool
IntLikeType, FloatLikeType, BoolLikeType = _int, _float, _bool

__getattr__, __dir__ = lazy_names(__name__)
