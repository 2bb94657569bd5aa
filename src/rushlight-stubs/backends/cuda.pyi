# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator

def is_built() -> bool: ...
def sdp_kernel(enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True) -> Iterator[None]:
    """The kernels that attention may use within a ``with`` block, in the older spelling of :func:`nn.attention.sdpa_kernel`."""
    ...
