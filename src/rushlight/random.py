"""``torch.random``: generators, and the one that functions use when they are given none."""

from __future__ import annotations

import contextlib
import operator
import secrets
from collections.abc import Iterator
from typing import Any

import numpy as np

from .backend.random_streams import Stream, memory_axes
from .device import CPU, as_device
from .device import device as Device
from .tensor import Tensor, wrap

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "memory_axes",
    "seed",
    "set_rng_state",
]

_DEFAULT_SEED = 67280421310721


class Generator:
    """A source of random numbers: the same seed gives the same numbers, which are PyTorch's.

    >>> import rushlight as torch
    >>> a, b = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
    >>> torch.equal(torch.rand(4, generator=a), torch.rand(4, generator=b))
    True
    """

    __slots__ = ("_stream",)

    def __init__(self, device: Any = None) -> None:
        where = CPU if device is None else as_device(device, "Generator")
        if where.type in ("cuda", "xpu", "mps"):
            raise RuntimeError(
                f"Cannot get {where.type.upper()} generator without ATen_{where.type} library. rushlight runs on the CPU."
            )
        if where.type != "cpu":
            raise RuntimeError(f"Device type {where.type} is not supported for torch.Generator() api.")
        self._stream = Stream(_DEFAULT_SEED)

    @property
    def device(self) -> Device:
        """Where it runs: the CPU."""
        return CPU

    def manual_seed(self, seed: Any) -> Generator:
        """Begins again at the first number of ``seed``; returns the generator."""
        try:
            number = operator.index(seed)
        except TypeError:
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}") from None
        self._stream.restart(_as_64_bits(number))
        return self

    def seed(self) -> int:
        """Seeds with a number nobody knows, and returns it."""
        number = secrets.randbits(64)
        self._stream.restart(number)
        return number

    def initial_seed(self) -> int:
        """The seed of the numbers that come now."""
        return self._stream.seed

    def get_state(self) -> Tensor:
        """What decides the numbers to come: a tensor of 5056 bytes, laid out as PyTorch lays it out."""
        return wrap(self._stream.state())

    def set_state(self, new_state: Any) -> None:
        """Goes on from a state. TypeError unless it is a byte tensor, RuntimeError if it is no state."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        self._stream.load(np.ascontiguousarray(new_state._array).reshape(-1))

    def clone_state(self) -> Generator:
        """Another generator that will give the same numbers."""
        other = Generator()
        other._stream.load(self._stream.state())
        return other

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Goes on from the state of another generator."""
        self._stream.load(state._stream.state())
        return self

    def get_offset(self) -> int:
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> Generator:
        raise RuntimeError("CPU Generator does not use offset")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._stream.state(),)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at 0x{id(self):x}>"


def _restored(state: np.ndarray[Any, Any]) -> Generator:
    generator = Generator()
    generator._stream.load(state)
    return generator


def _as_64_bits(number: int) -> int:
    if not -(2**63) <= number < 2**64:
        raise ValueError("Overflow when unpacking long long")
    return number % 2**64


default_generator = Generator()
default_generator.seed()


def stream_of(generator: Generator | None) -> Stream:
    """The stream of numbers of a generator, or of the default one."""
    return (default_generator if generator is None else generator)._stream


def manual_seed(seed: Any) -> Generator:
    """Seeds the default generator, and returns it. ValueError for a seed of more than 64 bits.

    >>> import rushlight as torch
    >>> torch.manual_seed(3).initial_seed()
    3
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seeds the default generator with a number nobody knows, and returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Puts the default generator into a state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, *args: Any, **kwargs: Any) -> Iterator[None]:
    """``with fork_rng():`` random numbers drawn inside do not change those drawn after it."""
    state = get_rng_state() if enabled else None
    try:
        yield
    finally:
        if state is not None:
            set_rng_state(state)
