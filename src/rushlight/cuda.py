"""torch.cuda of a build without it: nothing is available, seeds are taken, and what would use a device says so."""

from __future__ import annotations

from typing import Any, NoReturn

from .missing import module_getattr

has_half = has_magma = False


def _none(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises AssertionError: there is no CUDA here."""
    raise AssertionError("Torch not compiled with CUDA enabled")


current_device = current_stream = default_stream = get_device_capability = get_device_name = _none
get_device_properties = get_rng_state = get_rng_state_all = init = initial_seed = set_device = synchronize = _none
can_device_access_peer = mem_get_info = memory_stats = reset_peak_memory_stats = set_rng_state = _none


def is_available() -> bool:
    """False: rushlight runs on the CPU.

    >>> import rushlight as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False


def is_initialized() -> bool:
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def device_count() -> int:
    return 0


def get_arch_list() -> list[str]:
    return []


def empty_cache() -> None:
    """Nothing is cached."""


def ipc_collect() -> None:
    """Nothing is shared."""


def manual_seed(seed: int) -> None:
    """There is no generator to seed."""


def manual_seed_all(seed: int) -> None:
    """There is no generator to seed."""


def seed() -> None:
    """There is no generator to seed."""


def seed_all() -> None:
    """There is no generator to seed."""


def memory_allocated(device: Any = None) -> int:
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated

__getattr__ = module_getattr(__name__)
