"""Calls of a compiled program while something that no argument tells changes between them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import rushlight as torch

Made = tuple[Callable[[], Any], Callable[[int], Any]]  # a program, and what changes something before a call


def follows_the_program(program: Callable[[], Any], change: Callable[[int], Any]) -> None:
    """Six calls, behind the first three of which all stays as it is: each gives what the program gives as it is."""
    fast: Any = torch.compile(program)
    fast._compiled.always = True
    for call in range(6):
        if call > 2:
            change(call)
        state = random.getstate()
        right = program().tolist()
        random.setstate(state)
        assert fast().tolist() == right, call
