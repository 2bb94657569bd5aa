"""Programs run each in a process of its own and yet quickly: forked from one in which everything is imported."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"

# What is asked for runs behind the loop, at the top of the process: Python itself ends it, with its exit code, its errors and its flushing.
SERVER = """
import gc, json, os, sys
{begin}
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
    for number, name in enumerate(files):
        os.dup2(os.open(name, os.O_WRONLY if number else os.O_RDONLY), number)
    sys.path[0] = os.getcwd()
    {run}(words)
"""


class Forks:
    """Forks of a process that did ``begin``, a line of Python; each does ``run(words)``, where ``run`` is a name from there.

    It begins with the first of them, and ends with the process that asks.
    """

    def __init__(self, begin: str, run: str, patience: float) -> None:
        self._program = SERVER.format(begin=begin, run=run)
        self._patience = patience
        self._environment = os.environ | {"PYTHONPATH": str(SOURCES)}  # of now: what one test changes is not for the next
        self._process: subprocess.Popen[bytes] | None = None

    def __call__(self, folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """What a fork did that began in this folder."""
        if self._process is None:
            self._begin()
        with tempfile.TemporaryDirectory() as kept:
            files = [Path(kept) / name for name in ("stdin", "stdout", "stderr")]
            for file in files:
                file.write_bytes(stdin if file.name == "stdin" else b"")
            os.write(self._ask, json.dumps([str(folder), [*map(str, files)], words]).encode() + b"\n")
            if not select.select([self._answer], [], [], self._patience)[0]:
                self.end()
                raise TimeoutError(f"{words} has not ended")
            code = int(os.read(self._answer, 100))
            return subprocess.CompletedProcess(words, code, *(file.read_bytes() for file in files[1:]))

    def _begin(self) -> None:
        theirs, self._ask = os.pipe()
        self._answer, back = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", self._program, str(theirs), str(back)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs, back),
            env=self._environment,
            start_new_session=True,
        )
        os.close(theirs)
        os.close(back)

    def end(self) -> None:
        """With all that it forked: what has not ended would give its answer to whoever asks next."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None
        os.close(self._ask)
        os.close(self._answer)


_imported = Forks(
    "import rushlight; does = lambda words: exec(compile(words[0], '<string>', 'exec'), {'__name__': '__main__'})", "does", 60
)


def program_output(program: str) -> str:
    """What a program prints, which Python runs to its end in a process of its own: as it is after `import rushlight`."""
    if hasattr(os, "fork"):
        done = _imported(Path.cwd(), program)
    else:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert not done.returncode, done.stderr.decode()
    return done.stdout.decode().replace(os.linesep, "\n")
