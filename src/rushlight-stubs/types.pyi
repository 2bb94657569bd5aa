# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any
from typing import TypeAlias
from rushlight import Size as Size
from rushlight import Tensor as Tensor

Device: Any
FileLike: Any
Number: Any
Storage: Any
SymBool: TypeAlias = bool
SymFloat: TypeAlias = float
SymInt: TypeAlias = int
