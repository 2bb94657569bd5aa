"""torch.cuda of a build without it: nothing is available, seeds are taken, and what would use a device says so."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn

from rushlight.base.missing_names import lazy_names
from rushlight.tensors.creation import legacy
from rushlight.tensors.runtime import OutOfMemoryError

default_generators: tuple[object, ...] = ()  # one a device
has_half = has_magma = _initialized = False


def _none(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises AssertionError: there is no CUDA here."""
    raise AssertionError("Torch not compiled with CUDA enabled")


current_device = current_stream = default_stream = get_device_capability = get_device_name = _none
get_device_properties = get_rng_state = init = initial_seed = ipc_collect = set_device = synchronize = _none
can_device_access_peer = mem_get_info = reset_peak_memory_stats = _none


def is_available() -> bool:
    """False: rushlight runs on the CPU.

    >>> import rushlight as torch
    >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device(type='cpu')
    """
    return False


def is_initialized() -> bool:
    return False


def _is_in_bad_fork() -> bool:
    """Whether this process was forked from one that used a GPU; asked before generators are seeded."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def is_tf32_supported() -> bool:
    return False


def device_count() -> int:
    return 0


def get_arch_list() -> list[str]:
    return []


def empty_cache() -> None:
    """Nothing is cached."""


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


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    """Nothing is known of no device."""
    return OrderedDict()


def get_rng_state_all() -> list[Any]:
    """The states of all devices' generators: there are none."""
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """There is no generator to set."""


def set_rng_state_all(new_states: Any) -> None:
    """There is no generator to set."""


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def is_current_stream_capturing() -> bool:
    return False


class Stream:
    """A queue of work on a GPU. RuntimeError: there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """A mark in a queue of work on a GPU. RuntimeError: there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


class CUDAGraph:
    """Work on a GPU that was recorded. RuntimeError: there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")


class graph:
    """The recording of work on a GPU, for the length of a ``with`` block. RuntimeError: there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Stream()


class device:
    """The chosen GPU, for the length of a ``with`` block. RuntimeError but for -1, which changes nothing.

    >>> import rushlight as torch
    >>> with torch.cuda.device(-1):
    ...     torch.zeros(1).device
    device(type='cpu')
    """

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx != -1:
            raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *error: object) -> None:
        """Nothing was changed."""


class StreamContext:
    """What :func:`stream` gives."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        """Nothing changes."""

    def __exit__(self, *error: object) -> None:
        """Nothing was changed."""


def stream(stream: None) -> StreamContext:
    """The chosen queue, for the length of a ``with`` block: None, which changes nothing, as there is none.

    >>> import rushlight as torch
    >>> with torch.cuda.stream(None):
    ...     torch.zeros(1).device
    device(type='cpu')
    """
    return StreamContext(stream)


class _OnDevice(type):
    """The type of ``torch.cuda.FloatTensor``: nothing is an instance of it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return False

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        _none()


_TENSORS = {name: _OnDevice(name, (), {"__module__": "torch.cuda"}) for name in legacy.CLASSES}
globals().update(_TENSORS)

__getattr__, __dir__ = lazy_names(__name__, frozenset({"amp", "nvtx"}))
