"""torch.backends.cuda: not built; its switches can be set and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from types import SimpleNamespace

from rushlight.nn.attention import SDPBackend, allowed, sdpa_kernel

matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
)


def is_built() -> bool:
    return False


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """The kernels that attention may use within a ``with`` block, in the older spelling of :func:`nn.attention.sdpa_kernel`."""
    chosen = {
        SDPBackend.FLASH_ATTENTION: enable_flash,
        SDPBackend.MATH: enable_math,
        SDPBackend.EFFICIENT_ATTENTION: enable_mem_efficient,
        SDPBackend.CUDNN_ATTENTION: enable_cudnn,
    }
    with sdpa_kernel([kernel for kernel, is_enabled in chosen.items() if is_enabled]):
        yield


class _LinalgBackend(Enum):
    """The libraries that linear algebra on a GPU may use."""

    Default = 0
    Cusolver = 1
    Magma = 2


def preferred_linalg_library(backend: str | _LinalgBackend | None = None) -> _LinalgBackend:
    """Which library linear algebra on a GPU uses: none of them is built.

    >>> import rushlight as torch
    >>> torch.backends.cuda.preferred_linalg_library("default")
    <_LinalgBackend.Default: 0>
    """
    if isinstance(backend, str):
        names = {"default": _LinalgBackend.Default, "cusolver": _LinalgBackend.Cusolver, "magma": _LinalgBackend.Magma}
        if backend not in names:
            raise RuntimeError("Unknown input value. Choose from: default, cusolver, magma.")
        backend = names[backend]
    elif backend is not None and not isinstance(backend, _LinalgBackend):
        raise RuntimeError("Unknown input value type.")
    if backend is _LinalgBackend.Magma:
        raise RuntimeError("Cannot set preferred backend to MAGMA if PyTorch has not been compiled with MAGMA.")
    if backend is _LinalgBackend.Cusolver:
        raise RuntimeError("Cannot set preferred backend to cuSOLVER if PyTorch has not been compiled with cuSOLVER.")
    return _LinalgBackend.Default


def flash_sdp_enabled() -> bool:
    """Whether attention may use that kernel of PyTorch's; there is one kernel here, whatever may be used."""
    return allowed[SDPBackend.FLASH_ATTENTION]


def enable_flash_sdp(enabled: bool) -> None:
    """Says whether attention may use that kernel of PyTorch's, and changes nothing else."""
    allowed[SDPBackend.FLASH_ATTENTION] = enabled


def math_sdp_enabled() -> bool:
    """Whether attention may use that kernel of PyTorch's; there is one kernel here, whatever may be used."""
    return allowed[SDPBackend.MATH]


def enable_math_sdp(enabled: bool) -> None:
    """Says whether attention may use that kernel of PyTorch's, and changes nothing else."""
    allowed[SDPBackend.MATH] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention may use that kernel of PyTorch's; there is one kernel here, whatever may be used."""
    return allowed[SDPBackend.EFFICIENT_ATTENTION]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Says whether attention may use that kernel of PyTorch's, and changes nothing else."""
    allowed[SDPBackend.EFFICIENT_ATTENTION] = enabled


def cudnn_sdp_enabled() -> bool:
    """Whether attention may use that kernel of PyTorch's; there is one kernel here, whatever may be used."""
    return allowed[SDPBackend.CUDNN_ATTENTION]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Says whether attention may use that kernel of PyTorch's, and changes nothing else."""
    allowed[SDPBackend.CUDNN_ATTENTION] = enabled


def is_flash_attention_available() -> bool:
    return False


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    return False
