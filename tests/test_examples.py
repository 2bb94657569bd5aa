"""The programs of examples/training: each learns, and draws or writes what it should, within a few steps."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import rushlight

TRAINING = Path(__file__).parents[1] / "examples" / "training"


def output(program: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", str(TRAINING / f"{program}.py"), *options],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(Path(rushlight.__file__).parents[1]), "OMP_NUM_THREADS": "1"},  # small matrices
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def losses(text: str) -> list[float]:
    return [float(loss) for loss in re.findall(r"^step +\d+  loss ([\d.]+)$", text, re.MULTILINE)]


def falls(values: list[float], count: int, factor: float) -> bool:
    return len(values) == count and max(values[-3:]) < factor * min(values[:3])


def test_digits_learns_to_read(tmp_path: Path) -> None:
    plot = tmp_path / "loss.png"
    text = output("digits", "--epochs", "6", "--show", "20", "--plot", str(plot))
    assert falls(losses(text), 20, 0.4)
    accuracy = re.search(r"never seen: ([\d.]+)%", text)
    assert accuracy is not None and float(accuracy[1]) >= 98
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_chargpt_learns_and_writes() -> None:
    text = output("chargpt", "--steps", "25", "--show", "25", "--width", "32", "--layers", "2", "--letters", "40")
    assert falls(losses(text), 25, 0.9)
    written = text.partition("-" * 80 + "\n")[2].removesuffix("\n")
    assert written.startswith("Alice ") and len(written) == 46


def test_vae_learns_and_draws() -> None:
    text = output("vae", "--steps", "40", "--show", "40")
    assert falls(losses(text), 40, 0.75)
    assert len(text.partition("nobody wrote:\n")[2].splitlines()) == 8


def test_neural_ode_learns_and_its_adjoint_is_the_gradient() -> None:
    text = output("neural_ode", "--steps", "30", "--show", "30")
    assert falls(losses(text), 30, 0.8)
    numbers = [float(number) for number in re.findall(r"'(-?[\d.]+)'", text)]
    assert len(numbers) == 4
    assert all(abs(a - b) < 1e-3 * max(map(abs, numbers)) for a, b in zip(numbers[:2], numbers[2:], strict=True))
