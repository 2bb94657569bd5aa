"""No work is handed to other libraries through addresses in their structures, and few files read any."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

SOURCES = sorted(Path(rushlight.__file__).parent.rglob("*.py"))
FORBIDDEN_MODULES = {"dis"}
FORBIDDEN_NAMES = {"exec_blas", "inner_loop", "blas_cpu_number"}
# What is still read by address: DLPack's struct. To shrink, never to grow.
FROM_ADDRESS = {"dlpack.py"}


def misuses(text: str, filename: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name in FORBIDDEN_MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN_MODULES:
            found.append(node.module)
        elif isinstance(node, ast.Attribute) and node.attr == "from_address" and filename not in FROM_ADDRESS:
            found.append(node.attr)
        elif isinstance(node, ast.Name | ast.Attribute | ast.Constant):
            name = {ast.Name: "id", ast.Attribute: "attr", ast.Constant: "value"}[type(node)]
            if isinstance(getattr(node, name), str) and getattr(node, name) in FORBIDDEN_NAMES:
                found.append(getattr(node, name))
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_package_reads_no_private_memory(path: Path) -> None:
    assert misuses(path.read_text(), path.name) == []


@pytest.mark.parametrize(
    "text", ["import dis", "from dis import Bytecode", "T.from_address(0)", "f('exec_blas')", "inner_loop(u)"]
)
def test_what_would_is_found(text: str) -> None:
    assert misuses(text, "any.py")


def test_a_single_number_meets_a_large_array_on_two_threads() -> None:
    program = (
        "import rushlight as torch\n"
        "torch.set_num_threads(2)\n"
        "x = torch.ones(400, 400, dtype=torch.float64)\n"
        "y = x * torch.bernoulli(torch.tensor(0.5, dtype=torch.float64))\n"
        "assert y.shape == (400, 400)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
