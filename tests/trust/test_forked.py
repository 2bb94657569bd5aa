"""What is told of work that ends its process, takes too long or waits."""

from __future__ import annotations

import os
import time

import forked
import pytest
from forked import Ended, answers


def test_answers_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked, "SECONDS", 0.5)
    monkeypatch.setattr(forked, "STANDSTILL", 8)

    def answer(number: int) -> object:
        if number == 1:
            os.abort()
        if number == 2:
            sum(range(10**12))  # no handler of Python's would be asked
        if number == 3:
            time.sleep(1)  # takes no processor time
        if number == 4:
            time.sleep(100)
        if number == 5:
            return len(bytearray(1 << 40))
        return [number]

    said = answers(7, lambda: None, answer, 1 << 30)
    assert said == [
        [0],
        Ended("crash", "exit status -6"),
        Ended("hang"),
        [3],
        Ended("hang", "it waits"),
        Ended("crash", "exit status 0"),
        [6],
    ]
