"""Where it runs: the engine's tests on every interpreter, NumPy and setting that is there, as a table.

    python tests/trust/matrix.py
    python tests/trust/matrix.py --numpy 2.3.0 2.4.6     # each in an environment of its own, by pip
    python tests/trust/matrix.py --python /usr/bin/python3.14     # just this one, with the NumPy and pytest that it has

Interpreters are those on the PATH under the names of Python's versions, and pyenv's and uv's. Doctests run everywhere, under -O
too, which takes the tests' assertions away.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
VERSIONS = ["3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t"]
HOMES = [".pyenv/versions/{}.*/bin/python", ".local/share/uv/python/cpython-{}.*/bin/python"]
TESTS = [
    "tests/autograd/test_engine.py",
    "tests/autograd/test_views.py",
    "tests/backend/test_ownership.py",
    "tests/backend/test_ownership_watched.py",
    "tests/backend/test_threads.py",
    "tests/tensors/test_memory.py",
    "tests/trust/test_depth.py",
]
DOCTESTS = "src/rushlight/autograd src/rushlight/optim docs/engine.md".split()
# The name of a setting, options of the interpreter, and variables of the environment.
SETTINGS: list[tuple[str, list[str], dict[str, str]]] = [
    ("as it is", [], {}),
    ("-O", ["-O"], {}),
    ("-X dev", ["-X", "dev"], {}),
    ("PYTHONMALLOC=debug", [], {"PYTHONMALLOC": "debug"}),
    ("OMP_NUM_THREADS=1", [], {"OMP_NUM_THREADS": "1"}),
    ("OMP_NUM_THREADS=8", [], {"OMP_NUM_THREADS": "8"}),
]
WORK = """
import time
import rushlight as torch
net = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.Tanh(), torch.nn.Linear(512, 512))
optimizer = torch.optim.Adam(net.parameters())
x, large = torch.randn(256, 512), torch.randn(1_000_000, requires_grad=True)
def step():
    optimizer.zero_grad()
    (net(x).square().mean() + (large.sin() * large).sum() * 1e-9).backward()
    optimizer.step()
step()
times = []
for _ in range(9):
    begun = time.perf_counter()
    step()
    times.append(time.perf_counter() - begun)
print(sorted(times)[4])
"""
ABOUT = "import sys, numpy; print('%d.%d.%d%s' % (*sys.version_info[:3], sys.abiflags), numpy.__version__)"


class Row(NamedTuple):
    """What one interpreter does under one setting."""

    python: str
    numpy: str
    setting: str
    passed: int
    failed: int
    step: float  # seconds for one step of training


def run(python: str, options: list[str], variables: dict[str, str], *arguments: str) -> str:
    """What a command prints, its errors too."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables}
    done = subprocess.run(
        [python, *options, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode(errors="replace")


def row(python: str, setting: str, options: list[str], variables: dict[str, str]) -> Row:
    version, numpy = run(python, [], {}, "-c", ABOUT).split()[-2:]
    quiet = ["-o", "filterwarnings=", "-W", "ignore"]
    common = ["-m", "pytest", "-q", *quiet, "-p", "no:cacheprovider", "--doctest-modules", "--doctest-glob=*.md", *DOCTESTS]
    tests = [] if "-O" in options else TESTS
    said = run(python, options, variables, *common, *tests)
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|errors?)", said)}
    failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    if not counts:
        failed, counts = 1, {}
    return Row(version, numpy, setting, counts.get("passed", 0), failed, step(python, options, variables))


def step(python: str, options: list[str], variables: dict[str, str]) -> float:
    """Seconds for one step of training."""
    took = re.findall(r"^[\d.e-]+$", run(python, options, variables, "-c", WORK), re.MULTILINE)
    return float(took[-1]) if took else float("nan")


def eight_threads(turns: int = 5) -> float:
    """The time of a step with eight threads for one with as many as there are processors: both in turns, the middle ratio."""
    ratios = []
    for turn in range(turns):
        order = ("8", None) if turn % 2 else (None, "8")
        took = {count: step(sys.executable, [], {} if count is None else {"OMP_NUM_THREADS": count}) for count in order}
        ratios.append(took["8"] / took[None])
    return sorted(ratios)[turns // 2]


def interpreter(version: str) -> str | None:
    """The newest interpreter of a version that is here and runs: a name on the PATH may be a shim that does not."""
    threaded = version.endswith("t")
    places = [str(place) for home in HOMES for place in sorted(Path.home().glob(home.format(version.rstrip("t"))))]
    for found in [shutil.which(f"python{version}"), *reversed([one for one in places if ("t/bin/" in one) == threaded])]:
        if found and run(found, [], {}, "-c", "import sys; print(sys.abiflags)").strip() == ("t" if threaded else ""):
            return found
    return None


def with_numpy(python: str, wanted: str, folder: Path) -> str | None:
    """An interpreter with a NumPy of that version and the tools of the tests; None where pip does not get it."""
    place = folder / f"{python.replace('/', '-')}-{wanted}"
    try:
        subprocess.run([python, "-m", "venv", place], check=True, capture_output=True)
        pip = [place / "bin/python", "-m", "pip", "install", "-q"]
        subprocess.run(
            [*pip, f"numpy=={wanted}" if wanted else "numpy", "pytest", "hypothesis"], check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return str(place / "bin/python")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numpy", nargs="*", default=["2.3.0", ""], help="versions of NumPy to try; '' is the newest")
    parser.add_argument("--python", nargs="+", default=[], help="interpreters to try instead, each under every setting")
    asked = parser.parse_args()
    begun = time.monotonic()
    print(f"{'Python':12} {'NumPy':8} {'setting':20} {'passed':>7} {'failed':>7} {'ms a step':>10}", flush=True)
    failed = False

    def show(one: Row) -> None:
        nonlocal failed
        failed |= one.failed > 0
        numbers = f"{one.passed:7} {one.failed:7} {1000 * one.step:10.1f}"
        print(f"{one.python:12} {one.numpy:8} {one.setting:20} {numbers}", flush=True)

    for python in asked.python or [sys.executable]:
        for setting in SETTINGS:
            show(row(python, *setting))
    if asked.python:
        return int(failed)
    ratio = eight_threads()
    print(f"eight threads where the machine has {os.cpu_count()} processors: {ratio:.2f} of the time", flush=True)
    failed |= ratio > 1.5
    with tempfile.TemporaryDirectory() as folder:
        for version in VERSIONS:
            found = interpreter(version)
            for wanted in asked.numpy if found else ():
                python = with_numpy(str(found), wanted, Path(folder))
                if python is None:
                    print(f"{version:12} {wanted:8} pip does not get it here")
                else:
                    show(row(python, "as it is", [], {}))
            if found is None:
                print(f"{version:12} {'':8} not here", flush=True)
    print(f"{time.monotonic() - begun:.0f} s")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
