"""MT19937 compiled: the same words as NumPy's, in a sixth of the time, and without numpy.random, which is slow to import."""

from __future__ import annotations

import numpy as np

from . import native
from .rows import Array

BLOCK = 624


class Twister:
    """What is asked of NumPy's bit generator and of its seeder, by their names."""

    __slots__ = ("key",)

    def __init__(self) -> None:
        self.key = np.empty(BLOCK, np.uint32)
        self.seed(0)

    def seed(self, seed: int) -> None:
        if native is None or not native.twister_seed(self.key, seed):
            raise RuntimeError("the compiled kernels are switched off")

    def random_raw(self, count: int) -> Array:
        """The next words, by whole blocks."""
        words = np.empty(count, np.uint32)
        if native is None or not native.twister_blocks(words, self.key):
            raise RuntimeError("the compiled kernels are switched off, or the words are no whole blocks")
        return words

    @property
    def state(self) -> dict[str, dict[str, Array]]:
        """The key of the last block that was drawn."""
        return {"state": {"key": self.key.copy()}}

    @state.setter
    def state(self, state: dict[str, dict[str, Array]]) -> None:
        self.key[...] = state["state"]["key"]


def source() -> tuple[Twister, Twister] | None:
    if native is None:
        return None
    made = Twister()
    return made, made
