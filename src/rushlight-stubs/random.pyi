# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator
from rushlight import Tensor
from rushlight._inner import device as _device
from typing import Any

class Generator:
    """A source of random numbers: the same seed gives the same numbers, which are PyTorch's."""
    def __init__(self, device: _device | str | int | None = None) -> None: ...
    def clone_state(self) -> Generator:
        """Another generator, which will give the same numbers."""
        ...
    @property
    def device(self) -> _device:
        """Where it runs: the CPU."""
        ...
    def get_offset(self) -> int:
        """For generators of GPUs only: RuntimeError."""
        ...
    def get_state(self) -> Tensor:
        """What decides the numbers to come: a tensor of 5056 bytes, laid out as PyTorch lays it out."""
        ...
    def graphsafe_get_state(self) -> Generator:
        """For generators of GPUs only: NotImplementedError."""
        ...
    def graphsafe_set_state(self, state: Generator) -> None:
        """For generators of GPUs only: NotImplementedError."""
        ...
    def initial_seed(self) -> int:
        """The seed of the numbers that come now."""
        ...
    def manual_seed(self, seed: int, /) -> Generator:
        """Begins again at the first number of ``seed`` and returns the generator. Below 0 counts from 2**64 down."""
        ...
    def seed(self) -> int:
        """Seeds with a number nobody knows, and returns it."""
        ...
    def set_offset(self, offset: int, /) -> Generator:
        """For generators of GPUs only: RuntimeError."""
        ...
    def set_state(self, new_state: Any) -> Generator:
        """Goes on from a state, PyTorch's as well."""
        ...
default_generator: Generator
def fork_rng(devices: Any = None, enabled: bool = True, _caller: str = 'fork_rng', _devices_kw: str = 'devices', device_type: Any = None) -> Iterator[None]:
    """``with fork_rng():`` what is drawn or seeded inside does not change the numbers drawn after it."""
    ...
def get_rng_state() -> Tensor:
    """The state of the default generator: a tensor of 5056 bytes."""
    ...
def initial_seed() -> int:
    """The seed of the default generator: until it is seeded, another one in every process."""
    ...
def manual_seed(seed: Any) -> Generator:
    """Seeds the default generator with ``int(seed)``, and returns it. ValueError for a seed of more than 64 bits."""
    ...
def seed() -> int:
    """Seeds the default generator with a number nobody knows, and returns it."""
    ...
def set_rng_state(new_state: Any) -> None:
    """Puts the default generator into a state that :func:`get_rng_state` gave, here or in PyTorch."""
    ...
