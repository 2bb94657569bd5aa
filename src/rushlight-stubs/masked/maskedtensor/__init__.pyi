# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.masked import MaskedTensor as MaskedTensor
from rushlight.masked import as_masked_tensor as as_masked_tensor
from rushlight.masked import is_masked_tensor as is_masked_tensor
from rushlight.masked import masked_tensor as masked_tensor
