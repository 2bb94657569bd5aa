"""Programs that say `import torch` print the same on rushlight as on PyTorch, to the byte, and exit with the same code.

PyTorch runs them in forks of one process (run_programs.py), rushlight in forks of another that has done what `python -m rushlight` does
before it runs a program, and no more.
"""

from __future__ import annotations

import difflib
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forking import Forks

# A program called exits_* ends with an error or a code of its own; every other must run to its end.
HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PROGRAMS = sorted((HERE / "programs").glob("*.py")) + sorted((ROOT / "examples").glob("*.py"))
NO_KERNEL = "could not create a primitive descriptor"
SECONDS = 300
forked = Forks("from rushlight.__main__ import main", "main", SECONDS)


@pytest.fixture(scope="session")
def on_pytorch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """What the programs do on PyTorch: of tests that run side by side the first finds out, the others read it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    out = folder / "pytorch.json"
    with open(folder / "pytorch.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            command = [sys.executable, str(HERE / "run_programs.py"), str(out), *map(str, PROGRAMS)]
            subprocess.run(command, check=True, timeout=3 * SECONDS, stdin=subprocess.DEVNULL)
    return json.loads(out.read_text())


def unlike(expected: str, printed: str) -> str:
    lines = difflib.unified_diff(expected.splitlines(), printed.splitlines(), "pytorch", "rushlight", "", "", 1, "")
    return "\n".join(list(lines)[:60])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_prints_what_pytorch_prints(program: Path, on_pytorch: dict[str, dict[str, object]]) -> None:
    expected = on_pytorch[str(program)]
    if NO_KERNEL in str(expected["stderr"]):
        pytest.skip("PyTorch has no kernel for this on this processor")
    assert str(expected["stdout"]).strip(), f"printed nothing on PyTorch\n{expected['stderr']}"
    assert (expected["code"] != 0) == program.stem.startswith("exits_"), expected["stderr"]
    done = forked(HERE, str(program))
    stdout = done.stdout.decode()
    assert stdout == expected["stdout"], f"{unlike(str(expected['stdout']), stdout)}\n{done.stderr.decode()}"
    assert done.returncode == expected["code"], done.stderr.decode()


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 80
