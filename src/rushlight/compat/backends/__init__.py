"""torch.backends: switches of libraries that are not used here, kept so that programs can set them."""

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.base.missing_names import lazy_names

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


@contextmanager
def __allow_nonbracketed_mutation() -> Iterator[None]:
    """A block in which switches can be set as if :func:`disable_global_flags` had not been called."""
    before, _Flags.frozen = _Flags.frozen, False
    try:
        yield
    finally:
        _Flags.frozen = before
