"""Work in forked processes, piece by piece: what ends its process, or takes too long, is told from an answer."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import select
import signal
from collections.abc import Callable
from typing import Any, NamedTuple

SECONDS = 10  # of processor time for one piece: others may want the processor too
STANDSTILL = 120  # seconds by the clock in which it takes no processor time: it waits


class Ended(NamedTuple):
    """There is no answer: ``how`` is "crash" or "hang"."""

    how: str
    why: str = ""


def answers(count: int, begin: Callable[[], object], answer: Callable[[int], Any], memory: int) -> list[Any]:
    """``answer(number)``, as JSON has it, for each number below ``count``, or how the process ended that was to give it.

    ``begin``   what a process does first
    ``memory``  the bytes that a process may take after that, beyond what it has
    """
    got: list[Any] = []
    while len(got) < count:
        got += _until_the_end(range(len(got), count), begin, answer, memory)
    return got


def _until_the_end(numbers: range, begin: Callable[[], object], answer: Callable[[int], Any], memory: int) -> list[Any]:
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        os.close(receiver)
        with contextlib.suppress(BaseException):
            begin()
            _limit(memory)
            for number in numbers:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                os.write(sender, json.dumps(answer(number)).encode() + b"\n")
        os._exit(0)
    os.close(sender)
    got: list[Any] = []
    waiting = b""
    with open(receiver, "rb", buffering=0) as pipe:
        while True:
            before = _processor_time(child)
            if not select.select([pipe], [], [], STANDSTILL)[0]:
                if _processor_time(child) > before:
                    continue
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return [*got, Ended("hang", "it waits")]
            came = pipe.read(65536)
            if not came:
                break
            *lines, waiting = (waiting + came).split(b"\n")
            got += map(json.loads, lines)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if len(got) == len(numbers):
        return got
    return [*got, Ended("hang") if status == -signal.SIGPROF else Ended("crash", f"exit status {status}")]


def _processor_time(process: int) -> int:
    """What a process has had of the processors, in ticks."""
    with open(f"/proc/{process}/stat") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))


def _limit(memory: int) -> None:
    faulthandler.disable()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it ends the process, whatever runs in it
    with open("/proc/self/statm") as file:
        limit = int(file.read().split()[0]) * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
