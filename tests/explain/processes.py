"""Processes that run rushlight's command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from forking import SOURCES, Forks

PATIENCE = 300  # seconds
forked = Forks(
    "import rushlight.explain.story, rushlight.explain.running; from rushlight.__main__ import main", "main", PATIENCE
)


def run(
    folder: Path, *words: str, stdin: bytes = b"", fresh: bool = False, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Python with these words: forked where they are rushlight's command, unless ``fresh`` or something of Python's own is asked."""
    if words[:2] == ("-m", "rushlight") and not (fresh or environment):
        return forked(folder, *words[2:], stdin=stdin)
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
