"""Switches of PyTorch's compiler of scripts, which libraries set: remembered, nobody reads them."""

from __future__ import annotations

from collections.abc import Callable

__all__ = [
    "_jit_can_fuse_on_cpu",
    "_jit_can_fuse_on_gpu",
    "_jit_override_can_fuse_on_cpu",
    "_jit_override_can_fuse_on_gpu",
    "_jit_set_nvfuser_enabled",
    "_jit_set_profiling_executor",
    "_jit_set_profiling_mode",
    "_jit_set_texpr_fuser_enabled",
]

_values: dict[str, bool] = {"profiling_executor": True, "profiling_mode": True}


def _setter(name: str) -> Callable[[bool], bool]:
    """A function that sets a switch and gives what it was."""

    def change(value: bool) -> bool:
        before = _values.get(name, False)
        _values[name] = value
        return before

    return change


_jit_set_profiling_executor = _setter("profiling_executor")
_jit_set_profiling_mode = _setter("profiling_mode")
_jit_set_texpr_fuser_enabled = _setter("texpr_fuser")
_jit_set_nvfuser_enabled = _setter("nvfuser")
_jit_override_can_fuse_on_cpu = _setter("fuse_on_cpu")
_jit_override_can_fuse_on_gpu = _setter("fuse_on_gpu")


def _jit_can_fuse_on_cpu() -> bool:
    return _values.get("fuse_on_cpu", False)


def _jit_can_fuse_on_gpu() -> bool:
    return _values.get("fuse_on_gpu", False)
