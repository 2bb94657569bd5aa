"""``torch.random``: generators, and the one that functions draw from when they are given none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .backend.random_streams import Stream
from .backend.random_streams import memory_axes as memory_axes
from .base.arguments import type_name
from .base.device import CPU, as_device
from .base.device import device as Device
from .tensor import Tensor, wrap

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

_FIRST_SEED = 67280421310721  # of every generator but the default one


class Generator:
    """A source of random numbers: the same seed gives the same numbers, which are PyTorch's.

    Several threads may draw from one generator. RuntimeError for a device that is not the CPU.

    >>> import rushlight as torch
    >>> one, other = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    >>> torch.equal(torch.rand(4, generator=one), torch.rand(4, generator=other))
    True
    """

    __slots__ = ("__weakref__", "_stream")

    def __init__(self, device: Any = None) -> None:
        if device is not None:
            _require_cpu(as_device(device, "Generator"))
        self._stream = Stream(_FIRST_SEED)

    @property
    def device(self) -> Device:
        """Where it runs: the CPU."""
        return CPU

    def manual_seed(self, seed: int, /) -> Generator:
        """Begins again at the first number of ``seed`` and returns the generator. Below 0 counts from 2**64 down.

        The numbers depend on the low 32 bits. ValueError past 64 bits, RuntimeError for anything but an int.
        """
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
            kind = type(seed)
            name = kind.__name__ if kind.__module__ != "numpy" else f"numpy.{kind.__name__}"
            raise RuntimeError(f"manual_seed expected a long, but got {name}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._stream.restart(int(seed) % 2**64)
        return self

    def seed(self) -> int:
        """Seeds with a number nobody knows, and returns it."""
        number = int.from_bytes(os.urandom(8), "little")
        self._stream.restart(number)
        return number

    def initial_seed(self) -> int:
        """The seed of the numbers that come now."""
        return self._stream.seed

    def get_state(self) -> Any:
        """What decides the numbers to come: a tensor of 5056 bytes, laid out as PyTorch lays it out."""
        return wrap(self._stream.state())

    def set_state(self, new_state: Any) -> Generator:
        """Goes on from a state, PyTorch's as well.

        TypeError unless it is a byte tensor, RuntimeError if it is no state.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {_full_name(type(new_state))}")
        octets = new_state._array
        if octets.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not octets.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        self._stream.load(octets)
        return self

    def clone_state(self) -> Generator:
        """Another generator, which will give the same numbers."""
        other = Generator()
        other._stream.load(self._stream.state())
        return other

    def graphsafe_get_state(self) -> Generator:
        """For generators of GPUs only: NotImplementedError."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator) -> None:
        """For generators of GPUs only: NotImplementedError."""
        if not isinstance(state, Generator):
            raise TypeError(f"expected a Generator, but got {type_name(state)}")
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def get_offset(self) -> int:
        """For generators of GPUs only: RuntimeError."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int, /) -> Generator:
        """For generators of GPUs only: RuntimeError."""
        raise RuntimeError("CPU Generator does not use offset")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._stream.state(),)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def _restored(state: np.ndarray[Any, Any]) -> Generator:
    generator = Generator()
    generator._stream.load(state)
    return generator


def _require_cpu(device: Device) -> None:
    kind = device.type
    if kind == "cpu":
        return
    name = kind.upper()
    if kind in ("cuda", "xpu"):
        message = f"Cannot get {name} generator without ATen_{kind} library."
    elif kind in ("mps", "mtia"):
        message = f"Cannot execute getNewGenerator() without {name} backend."
    else:
        message = f"{name} device type not an accelerator."
    raise RuntimeError(f"{message}\nrushlight runs on the CPU: torch.Generator() is a generator there.")


def _full_name(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


default_generator = Generator()
default_generator.seed()


def stream_of(generator: Generator | None) -> Stream:
    """The stream of numbers of a generator, or of the default one. TypeError for what is no generator."""
    if generator is None:
        return default_generator._stream
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator._stream


def manual_seed(seed: Any) -> Generator:
    """Seeds the default generator with ``int(seed)``, and returns it. ValueError for a seed of more than 64 bits.

    >>> import rushlight as torch
    >>> torch.manual_seed(3).initial_seed()
    3
    >>> torch.manual_seed(-1).initial_seed() == 2**64 - 1
    True
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seeds the default generator with a number nobody knows, and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator: until it is seeded, another one in every process."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator: a tensor of 5056 bytes.

    >>> import rushlight as torch
    >>> state = torch.get_rng_state()
    >>> first = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), first)
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Puts the default generator into a state that :func:`get_rng_state` gave, here or in PyTorch."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: Any = None,
) -> Iterator[None]:
    """``with fork_rng():`` what is drawn or seeded inside does not change the numbers drawn after it.

    There are no devices but the CPU here, so ``devices`` and ``device_type`` change nothing.
    """
    if not enabled:
        yield
        return
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
