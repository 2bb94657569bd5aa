"""torch.backends.cpu: what the processor can do, as far as kernels choose by it."""

import platform

from rushlight import kernels

__all__ = ["get_cpu_capability"]

_BY_INSTRUCTION_SET = {"x86-64-v4": "AVX512", "x86-64-v3": "AVX2"}


def get_cpu_capability() -> str:
    """What PyTorch says of such a processor: "AVX512", "AVX2" or "DEFAULT".

    torchvision asks it whether images of uint8 are resized in whole numbers, which rushlight does everywhere: where there are no compiled
    kernels to ask, a processor of Intel's kind is taken for one with AVX2, so that the pictures are the same.

    >>> import rushlight as torch
    >>> torch.backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")
    True
    """
    if kernels.native is not None:
        return _BY_INSTRUCTION_SET.get(kernels.native.instruction_set(), "DEFAULT")
    return "AVX2" if platform.machine().lower() in ("x86_64", "amd64") else "DEFAULT"
