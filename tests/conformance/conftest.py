"""These tests hold rushlight against PyTorch: without PyTorch there is nothing here to collect."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parent.parent / "src"
SECONDS = 1500

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]


@pytest.fixture
def run_script() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs one of the scripts here in a process of its own, over two more at a time where tests run side by side."""
    jobs = 2 if "PYTEST_XDIST_WORKER" in os.environ else min(4, os.cpu_count() or 1)
    path = os.pathsep.join([str(SOURCES), os.environ.get("PYTHONPATH", "")])

    def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(HERE / script), "--jobs", str(jobs), *arguments]
        environment = os.environ | {"PYTHONPATH": path}
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment)

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What runs a script takes longest, so it begins first: of tests that run side by side none is left alone with it at the end."""
    items.sort(key=lambda item: "run_script" not in getattr(item, "fixturenames", ()))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the figures that tests recorded with `record_property("figure", line)`, also where they ran elsewhere."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    recorded = [pair for report in reports for pair in getattr(report, "user_properties", [])]
    lines = [value for name, value in recorded if name == "figure"]
    looped = [value for name, value in recorded if name == "vmap"]
    if looped:
        lines.append(f"{'vmap':28} {looped.count([]):4} of {len(looped):4} ops carry the batch, the others run in a loop")
    if lines:
        terminalreporter.section("agreement with PyTorch")
        for line in sorted(lines):
            terminalreporter.write_line(line)
