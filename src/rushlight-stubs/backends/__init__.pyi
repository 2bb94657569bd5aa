# Written by tools/stubs.py; `make stubs` writes it anew.

from . import cpu as cpu
from . import cuda as cuda
from . import cudnn as cudnn
from . import mkl as mkl
from . import mkldnn as mkldnn
from . import mps as mps
from . import openmp as openmp
from . import xnnpack as xnnpack

def disable_global_flags() -> None:
    """Kept for :func:`flags_frozen`: in PyTorch the switches can be set in ``with`` blocks only from then on."""
    ...
def flags_frozen() -> bool:
    """Whether :func:`disable_global_flags` was called."""
    ...
