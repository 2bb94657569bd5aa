"""torch.backends: switches of libraries that are not used here, kept so that programs can set them."""

from ..missing import module_getattr
from . import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
__getattr__ = module_getattr(__name__)
