"""Processes that run rushlight's command, each its own and yet quick: forked from one in which everything is imported."""

from __future__ import annotations

import functools
import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
PATIENCE = 120  # seconds

# The program runs behind the loop, at the top of the process: Python itself ends it, with its exit code, its errors and its flushing.
SERVER = """
import gc, json, os, sys
import rushlight.explain.story, rushlight.explain.running
from rushlight.__main__ import main
requests, answers = (int(word) for word in sys.argv[1:])
gc.freeze()  # what is imported need not be taken apart at the end of each
words = None
with open(requests) as lines, open(answers, "w") as told:
    for line in lines:
        folder, files, words = json.loads(line)
        if not os.fork():
            break
        _, status = os.wait()
        print(os.waitstatus_to_exitcode(status), file=told, flush=True)
        words = None
if words is not None:
    os.chdir(folder)
    for number, name in enumerate(files, 1):
        os.dup2(os.open(name, os.O_WRONLY), number)
    sys.path[0] = os.getcwd()
    main(words)
"""


@functools.cache
def _server() -> tuple[int, int, subprocess.Popen[bytes]]:
    """Where to ask and where the answer comes from; it ends when these are closed, with the process that runs the tests."""
    theirs, ask = os.pipe()
    answer, back = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(theirs), str(back)],
        stdin=subprocess.DEVNULL,
        pass_fds=(theirs, back),
        env=os.environ | {"PYTHONPATH": str(SOURCES)},
    )
    os.close(theirs)
    os.close(back)
    return ask, answer, process


def forked(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """``python -m rushlight`` with these words in a folder."""
    ask, answer, _ = _server()
    with tempfile.TemporaryDirectory() as kept:
        files = [Path(kept) / name for name in ("stdout", "stderr")]
        for file in files:
            file.touch()
        os.write(ask, json.dumps([str(folder), [*map(str, files)], words]).encode() + b"\n")
        assert select.select([answer], [], [], PATIENCE)[0], f"{words} has not ended"
        code = int(os.read(answer, 100))
        return subprocess.CompletedProcess(words, code, *(file.read_bytes() for file in files))


def run(
    folder: Path, *words: str, stdin: bytes = b"", fresh: bool = False, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Python with these words: forked where they are rushlight's command, unless ``fresh`` or something of Python's own is asked."""
    if words[:2] == ("-m", "rushlight") and not (fresh or stdin or environment):
        return forked(folder, *words[2:])
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        cwd=folder,
        input=stdin,
        env=os.environ | {"PYTHONPATH": str(SOURCES)} | environment,
        timeout=PATIENCE,
    )


def explained(folder: Path, *words: str, fresh: bool = False, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A run under explain, which writes, prints and ends as the plain one."""
    files = [word for form in ("json", "txt", "html", "svg") for word in ("-o", f"out.{form}")]
    done, plain = (
        run(folder, "-m", "rushlight", "explain", *files, *words, fresh=fresh, **environment),
        run(folder, "-m", "rushlight", *words, fresh=fresh, **environment),
    )
    assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, plain.stderr, plain.returncode)
    return done
