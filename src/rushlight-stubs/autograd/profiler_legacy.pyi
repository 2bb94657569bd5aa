# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight.autograd.profiler import profile as _profile
from typing import Any

class profile(_profile):
    """:class:`rushlight.autograd.profiler.profile`, under its old name."""
    profiler_kind: Any
    def __exit__(self, *error: Any) -> None: ...
    def __init__(self, enabled: bool = True, *, use_cuda: bool = False, record_shapes: bool = False, with_flops: bool = False, profile_memory: bool = False, with_stack: bool = False, with_modules: bool = False) -> None: ...
