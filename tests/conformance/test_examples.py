"""The programs of examples/training lose the same on rushlight as on PyTorch: the first 20 losses to four digits."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = sorted((ROOT / "examples" / "training").glob("*.py"))
STEPS = 20


def losses(*command: str) -> list[float]:
    done = subprocess.run(
        [sys.executable, *command, "--steps", str(STEPS), "--show", str(STEPS)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},  # small matrices
    )
    assert done.returncode == 0, done.stderr
    return [float(loss) for loss in re.findall(r"^step +\d+  loss ([\d.]+)$", done.stdout, re.MULTILINE)]


@pytest.mark.parametrize("program", TRAINING, ids=lambda path: path.stem)
def test_same_losses(program: Path) -> None:
    expected = losses(str(program))
    assert len(expected) == STEPS
    assert losses("-m", "rushlight", str(program)) == pytest.approx(expected, rel=5e-5)


def test_there_are_examples() -> None:
    assert [path.stem for path in TRAINING] == ["chargpt", "digits", "neural_ode", "vae"]
