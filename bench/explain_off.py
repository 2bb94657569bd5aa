"""Whether `explain` costs anything while it is off: the ops of overhead.py with its hooks in the package, and with them taken out.

    python bench/explain_off.py [--rounds 15]

Each measurement is a process of its own, in turns; compared is the best of each op. Prints the ratio and ends with 1 where it is over 1.01.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "rushlight"
# What tells of a tensor's `.grad`, `.data`, `detach()`, `item()` and `requires_grad`, as patterns by file.
HOOKS = {
    "ops/asking.py": [
        r" +for told in tells if name == \"data\" else \(\):\n.*\n",
        r" +if tells and name in WRITTEN:\n(?:.*\n)*? +return\n",
        r" +for tell in tells if name in TOLD else \(\):\n.*\n",
    ],
    "autograd/tensor_methods.py": [r" +for told in tells:\n.*\n"],
}


def without_hooks(folder: Path) -> None:
    """A copy of the package that ``explain`` cannot look at."""
    copy = folder / "rushlight"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("explain", "__pycache__"))
    for name, patterns in HOOKS.items():
        text = (copy / name).read_text()
        for pattern in patterns:
            text, count = re.subn(pattern, "", text)
            assert count, f"{name}: {pattern}"
        (copy / name).write_text(text)


def measured(folder: Path) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    command = [sys.executable, str(Path(__file__).with_name("overhead.py")), "--side", "rushlight"]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        without_hooks(Path(folder))
        sides = [PACKAGE.parent, Path(folder)]
        found: dict[Path, list[dict[str, float]]] = {side: [] for side in sides}
        for number in range(rounds):
            for side in sides if number % 2 else sides[::-1]:
                found[side].append(measured(side))
    best = [{op: min(one[op] for one in found[side]) for op in found[side][0]} for side in sides]
    ratio = statistics.geometric_mean(best[0][op] / best[1][op] for op in best[0])
    print(f"with explain's hooks {ratio:.3f} times as long as without, {len(best[0])} ops, {rounds} rounds")
    return int(ratio > 1.01)


if __name__ == "__main__":
    sys.exit(main())
