"""torch.autograd.profiler_legacy: the profiler as it was before PyTorch 1.9; its events are ready when its block ends."""

from __future__ import annotations

import warnings
from typing import Any

from rushlight.profiler import autograd_profiler
from rushlight.profiler.kinds import ProfilerState

__all__ = ["profile"]


class profile(autograd_profiler.profile):
    """:class:`rushlight.autograd.profiler.profile`, under its old name.

    >>> from rushlight import ones
    >>> from rushlight.autograd.profiler_legacy import profile
    >>> with profile() as prof:
    ...     _ = ones(2).exp()
    >>> prof.function_events[-1].name
    'aten::exp'
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
    ) -> None:
        super().__init__(
            enabled,
            record_shapes=record_shapes,
            with_flops=with_flops,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_modules=with_modules,
        )
        if enabled:
            self.profiler_kind = ProfilerState.CPU
            if use_cuda:
                warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=2)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        for event in self.function_events or ():
            event.is_legacy = True
