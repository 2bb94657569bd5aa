"""The source of every random number: MT19937's 32-bit words, in order, and where in them a generator stands.

A block is 624 words. NumPy makes them, or a compiled kernel; this module hands them out in pieces of any size without losing one, and reads
and writes the position in the 5056 bytes that PyTorch's `get_state` speaks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import mersenne_twister, register
from .numpy import Array

BLOCK = 624
STATE_BYTES = 5056
TWO_TO_MINUS_53 = 2.0**-53

# Constants are arrays of no axes, which NumPy's functions take up quicker than numbers.
_LOW_24, _LOW_21 = np.array(0xFFFFFF, np.uint32), np.array(0x1FFFFF, np.uint32)
_TWO_TO_MINUS_24, _TWO_TO_32 = np.array(2.0**-24, np.float32), np.array(2.0**32)

_STATE = np.dtype(
    {
        "names": ["seed", "left", "seeded", "next", "key", "normal", "normal_is_valid"],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", BLOCK), "<f8", "<i4"],
        # Of the fields in between, PyTorch reads none: they are there for states of long ago.
        "offsets": [0, 8, 12, 16, 24, 5024, 5040],
        "itemsize": STATE_BYTES,
    }
)


# The sources of generators that are gone: NumPy takes 130 us to make one, 10 to seed one.
_SPARES: list[tuple[Any, Any]] = []
_MOST_SPARES = 8


class MersenneTwister:
    """The words that follow from a seed, handed out in order. Not safe for several threads: the owner holds a lock."""

    __slots__ = (
        "_bits", "_block", "_key", "_next_at_end", "_numbers", "_position", "_restarted", "_seeder", "seed", "spare_normal",
    )  # fmt: skip
    seed: int  # as given, 64 bits; the words depend on its low 32
    spare_normal: float | None  # the second number of a pair that was drawn when one was needed

    def __init__(self, seed: int) -> None:
        self._bits: Any = None  # made when the first word is drawn: numpy.random is slow to import
        self._seeder: Any = None
        self.restart(seed)

    def __del__(self, spares: list[tuple[Any, Any]] = _SPARES, most: int = _MOST_SPARES) -> None:
        if self._bits is not None and len(spares) < most:  # names of the module may be gone at the end of the process
            spares.append((self._bits, self._seeder))

    def restart(self, seed: int) -> None:
        """Begin again at the first word of `seed`."""
        self.seed = seed
        self.spare_normal = None
        self._restarted = True
        self._key: Array | None = None  # of a block that was loaded: the source is brought behind it when it is asked for more
        self._block = np.empty(BLOCK, np.uint32)
        self._numbers: list[list[float] | None] = [None, None]  # of the block's words from the first on, from the second
        self._position = BLOCK
        self._next_at_end = 0  # how a state with no word left in its block says so: 0 when fresh from a seed

    def words(self, count: int) -> Array:
        """The next `count` words, uint32. They may be a part of the block itself: do not write into them."""
        start = self._position
        stop = start + count
        if stop <= BLOCK:
            self._position = stop
            return self._block[start:stop]
        drawn = np.empty(count, np.uint32)
        at = BLOCK - start
        drawn[:at] = self._block[start:]
        whole = (count - at) // BLOCK * BLOCK
        if whole:
            drawn[at : at + whole] = self._source().random_raw(whole)
            at += whole
            self._position = self._next_at_end = BLOCK
        if at < count:
            self._refill()
            self._position = count - at
            drawn[at:] = self._block[: count - at]
        return drawn

    def double(self) -> float:
        """One number of [0, 1): the low 53 bits of two words."""
        return self.few_doubles(1)[0]

    def few_doubles(self, count: int) -> list[float]:
        """What ``doubles`` gives, as Python's numbers."""
        start = self._position
        stop = start + 2 * count
        if stop > BLOCK:
            return self.doubles(count).tolist()  # type: ignore[no-any-return]
        self._position = stop
        odd = start & 1
        numbers = self._numbers[odd]
        if numbers is None:
            numbers = self._numbers[odd] = as_doubles(self._block[odd : BLOCK - odd]).tolist()
        return numbers[start >> 1 : stop >> 1]

    def doubles(self, count: int) -> Array:
        """`count` numbers of [0, 1) as float64: the low 53 bits of two words each."""
        return as_doubles(self.words(2 * count))

    # State ------------------------------------------------------------------------------------------------------------

    def state(self) -> Array:
        """Everything that decides the numbers to come: 5056 bytes, uint8, laid out as PyTorch does."""
        state = np.zeros((), _STATE)
        at_end = self._position == BLOCK
        state["seed"] = self.seed
        state["left"] = 1 if at_end else BLOCK + 1 - self._position
        state["seeded"] = 1
        state["next"] = self._next_at_end if at_end else self._position
        state["key"] = self._key_now()
        if self.spare_normal is not None:
            state["normal"], state["normal_is_valid"] = self.spare_normal, 1
        return state.reshape(1).view(np.uint8)

    def load(self, octets: Array) -> None:
        """Take up the state in `octets` (5056 of them, uint8). Raises RuntimeError if it is none."""
        if octets.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG state size to be {octets.size}"
            )
        state = np.ascontiguousarray(octets).reshape(-1).view(_STATE)[0]
        left, following = int(state["left"]), int(state["next"])
        if not (state["seeded"] and 1 <= left <= BLOCK and following <= BLOCK):
            raise RuntimeError("Invalid mt19937 state")
        self.restart(int(state["seed"]))
        key = self._key = state["key"].astype(np.uint32)
        self._restarted = False
        if left == 1:
            self._next_at_end = following
        else:
            self._position = following
            self._block = _tempered(key)
        if state["normal_is_valid"]:
            self.spare_normal = float(state["normal"])

    def _key_now(self) -> Array:
        """The key of the block in hand."""
        if self._key is not None:
            return self._key
        if self._position < BLOCK:
            return _untempered(self._block)
        key: Array = self._source().state["state"]["key"]  # takes 70 us
        return key

    def _source(self) -> Any:
        """What NumPy draws from, behind the block in hand."""
        if self._bits is None:
            try:
                self._bits, self._seeder = _SPARES.pop()
            except IndexError:
                self._bits, self._seeder = source()
        if self._restarted:
            self._restarted = False
            self._seeder.seed(self.seed & 0xFFFFFFFF)
        elif self._key is not None:
            self._bits.state = {"bit_generator": "MT19937", "state": {"key": self._key, "pos": BLOCK}}
            self._key = None
        return self._bits

    def _refill(self) -> None:
        self._block = self._source().random_raw(BLOCK).astype(np.uint32)
        self._numbers = [None, None]
        self._next_at_end = BLOCK


@register(mersenne_twister.source)
def source() -> tuple[object, object]:
    """What words are drawn from, and what seeds it."""
    from numpy.random import MT19937, RandomState

    bits = MT19937(0)
    return bits, RandomState(bits)


def as_doubles(words: Array) -> Array:
    """Pairs of words to numbers of [0, 1): the low 53 bits of each pair, the first word the higher."""
    drawn: Array = (words[0::2] & _LOW_21).astype(np.float64)
    drawn *= _TWO_TO_32
    drawn += words[1::2]
    drawn *= TWO_TO_MINUS_53
    return drawn


def as_floats(words: Array) -> Array:
    """Words to float32 numbers of [0, 1): the low 24 bits of each."""
    drawn: Array = (words & _LOW_24).astype(np.float32)
    drawn *= _TWO_TO_MINUS_24
    return drawn


def _tempered(key: Array) -> Array:
    """The words that a block of MT19937's state stands for (Matsumoto and Nishimura 1998)."""
    words: Array = key ^ (key >> np.uint32(11))
    words ^= (words << np.uint32(7)) & np.uint32(0x9D2C5680)
    words ^= (words << np.uint32(15)) & np.uint32(0xEFC60000)
    words ^= words >> np.uint32(18)
    return words


def _untempered(words: Array) -> Array:
    """The block of state that words stand for: each step of :func:`_tempered` undone, a few more of the bits with each turn."""
    key: Array = words ^ (words >> np.uint32(18))
    key ^= (key << np.uint32(15)) & np.uint32(0xEFC60000)
    made = key
    for _ in range(4):
        key = made ^ ((key << np.uint32(7)) & np.uint32(0x9D2C5680))
    made = key
    for _ in range(2):
        key = made ^ (key >> np.uint32(11))
    return key
