"""The threads of BLAS, which wait for work, and what a ufunc is made of, which they can do.

A thread of Python takes 30 to 60 us to wake, and needs the interpreter's lock. OpenBLAS's threads wait for a job in a loop, and
begin at once with any C function that it names. A ufunc is made of such functions: its inner loops, ``loop(addresses,
lengths, steps, data)``, which have no need of the interpreter. And what one operation leaves in their processors' caches
the next has there.

A job is written as OpenBLAS reads it, on Linux and x86-64, in the versions that openblas.py knows. Where BLAS, version or
processor is another no threads are to be had here, and team.py and threads.py do what they can.
"""

from __future__ import annotations

import functools
import os
import platform
import struct
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import numpy_abi, openblas, threads

# The words of a job: what to call, two of OpenBLAS's own, the five arguments; the rest, but for the next job, is OpenBLAS's own.
_ROUTINE, _ARGUMENTS, _DATA = 0, slice(3, 8), 6


class Jobs:
    """One inner loop for each of some parts of its operands: all but where the operands lie, which :meth:`run` is told.

    ``lengths`` of each part, ``steps`` of all as the loop takes them, how many bytes behind each operand's first element (the
    result's last) each part begins, and the bytes of an ``item``, at a multiple of which operands lie.
    """

    def __init__(
        self,
        loop: tuple[int, int],
        lengths: Sequence[Sequence[int]],
        steps: Sequence[int],
        offsets: Sequence[Sequence[int]],
        item: int,
    ) -> None:
        runner = _state.runner
        assert runner is not None  # or nobody would count on threads
        function, data = loop
        self.count, operands, several = len(lengths), len(offsets[0]), len(lengths[0])
        first_length = self.count * runner.words
        first_step = first_length + self.count * several
        first_place = first_step + len(steps)
        words = np.zeros(first_place + self.count * operands, np.int64)
        words[first_length:first_step] = np.ravel(lengths)
        words[first_step:first_place] = steps
        base = words.ctypes.data
        for number in range(self.count):
            job = words[number * runner.words : (number + 1) * runner.words]
            job[_ROUTINE] = function
            arguments = [first_place + number * operands, first_length + number * several, first_step, 0, 0]
            job[_ARGUMENTS] = base + 8 * np.array(arguments)
            job[_DATA] = data or base
            job[runner.next] = base + 8 * (number + 1) * runner.words if number + 1 < self.count else 0
        self._addresses = struct.Struct(f"<{operands}Q").pack
        self._each = sum(1 << 64 * operands * number for number in range(self.count))
        self._offsets = _as_digits([offset for part in offsets for offset in part])
        self._unaligned = _as_digits([item - 1] * operands)
        self._places = memoryview(words.data).cast("B")[8 * first_place :]
        self._execute = functools.partial(runner.execute, self.count, base)

    def run(self, places: list[Any]) -> bool:
        """Runs all parts of operands at these addresses; False, and nothing done, where somebody else has the threads."""
        one = int.from_bytes(self._addresses(*places), "little")
        if one & self._unaligned:
            return False
        lock = _state.lock
        if not lock.acquire(False):
            return False
        try:
            self._places[:] = (one * self._each + self._offsets).to_bytes(len(self._places), "little")
            self._execute()
        finally:
            lock.release()
        return True


def _as_digits(words: Sequence[int]) -> int:
    """One number of which these are the digits, 64 bits each: Python adds to all of them as quickly as to one."""
    return sum(word << 64 * number for number, word in enumerate(words))


def count() -> int:
    """How many threads, the caller's among them, may share work; 0 where no others are to be had.

    No more than processors are granted: others would wait in the time of those that work.
    """
    runner = _state.runner
    return 0 if runner is None else min(runner.threads.value, threads.limit(), threads.granted())


class _State:
    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """After a fork nobody has the threads, which OpenBLAS starts anew."""
        self.lock = threading.Lock()

    @functools.cached_property
    def runner(self) -> openblas.Runner | None:
        known = sys.platform == "linux" and platform.machine() == "x86_64" and numpy_abi.functions is not None
        return openblas.runner() if known else None


_state = _State()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.forget)
