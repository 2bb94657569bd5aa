"""torch.backends: switches of libraries that are not used here, kept so that programs can set them."""

from rushlight.base.missing import lazy_names

from . import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, xnnpack

__all__ = ["cpu", "cuda", "cudnn", "disable_global_flags", "flags_frozen", "mkl", "mkldnn", "mps", "openmp", "xnnpack"]
__getattr__, __dir__ = lazy_names(__name__)


class _Flags:
    frozen = False


def disable_global_flags() -> None:
    """Kept for :func:`flags_frozen`: in PyTorch the switches can be set in ``with`` blocks only from then on."""
    _Flags.frozen = True


def flags_frozen() -> bool:
    """Whether :func:`disable_global_flags` was called."""
    return _Flags.frozen
