"""How long `explain` takes for a program of 5,000 ops, part by part (seconds of the processor), and how large its pages are.

    python bench/explain.py

A network of two layers learns for 500 steps: forward, backward and a step by hand. Prints seconds and kilobytes, and ends with 1
where recording, folding and writing take more than 3 s beyond the program itself, the page of the tutorial is over 80 KB, or
the page of the program over 1 MB.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import rushlight as torch

OPS, OF_STEP, SECONDS = 5000, 10, 3.0  # six ops of a step are forward, four write; six nodes run backward
TUTORIAL, ANY = 80_000, 1_000_000  # bytes


def program(steps: int) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    w, v = torch.randn(3, 4, requires_grad=True), torch.randn(4, 1, requires_grad=True)
    for _ in range(steps):
        loss = ((torch.tanh(x @ w) @ v - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for one in (w, v):
                one -= 0.1 * one.grad
                one.grad = None


def tutorial() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    out = z.mean()
    out.backward()


def recorded(run: Callable[[], None]) -> tuple[Any, float]:
    start = time.process_time()
    with torch.explain() as story:
        run()
    return story, time.process_time() - start


def main() -> int:
    steps = OPS // OF_STEP
    program(3)
    start = time.process_time()
    program(steps)
    alone = time.process_time() - start
    story, recording = recorded(lambda: program(steps))
    print(f"{len(story.recording['events'])} events of {steps} steps")
    print(f"the program alone       {alone:6.2f} s")
    print(f"recorded                {recording:6.2f} s")
    total, pages = recording - alone, {}
    for suffix in (".html", ".svg", ".txt", ".json"):
        start = time.process_time()
        text = story.form(suffix)
        seconds = time.process_time() - start
        pages[suffix] = len(text.encode())
        total += seconds if suffix == ".html" else 0.0
        print(f"{suffix:6} {pages[suffix] / 1000:10.0f} KB {seconds:6.2f} s")
    small = len(recorded(tutorial)[0].form(".html").encode())
    print(f"the tutorial's page {small / 1000:4.0f} KB, at most {TUTORIAL / 1000:.0f}")
    print(f"recorded, folded and written in {total:.2f} s, at most {SECONDS:.0f}")
    return int(total > SECONDS or small > TUTORIAL or pages[".html"] > ANY)


if __name__ == "__main__":
    sys.exit(main())
