"""Chains: several pointwise steps as one call of a compiled kernel, which gives what they would one by one, to the last bit.

Registers are numbered: the inputs, the numbers, then what steps give. Arrays are float32 or float64, all of one kind; inputs lie in
memory as they like and are broadcast to the results, which lie in order.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from . import native

MOST_ARRAYS, MOST_REGISTERS = 24, 64
STEPS: dict[str, tuple[int, int]] = {
    name: (number, count) for number, (name, count) in enumerate(native.chain_steps() if native is not None else ())
}
"""Of each step its number, and how many registers it reads; empty where there are no compiled kernels."""

run: Callable[..., bool] = native.chain if native is not None else lambda *arguments: False
"""``run(program, *results, *inputs)``; False, having done nothing, for arrays that it does not take."""


def program(inputs: int, numbers: Sequence[float], steps: Sequence[tuple[str, int, int, int]], results: Sequence[int]) -> bytes:
    """The program of steps ``(name, register, register, register of the result)``.

    >>> import numpy as np
    >>> x, out = np.arange(3, dtype="f"), np.empty(3, "f")
    >>> if STEPS and run(program(1, [2.0], [("multiply", 0, 1, 2), ("add", 2, 0, 2)], [2]), out, x):
    ...     assert out.tolist() == [0.0, 3.0, 6.0]
    """
    code: list[Any] = [len(results), inputs, len(numbers), len(steps), *results]
    for name, x, h, out in steps:
        code += [STEPS[name][0], x, h, out]
    return bytes(code) + struct.pack(f"={len(numbers)}d", *numbers)
