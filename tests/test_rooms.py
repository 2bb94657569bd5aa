"""The house is as CONTRIBUTING says it is: its rooms, the tests of each, and every file that it sends a reader to."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rushlight"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
ROOMS = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))}
# What is no room: PyTorch beside it, the hardest programs, those for type checkers; JAX and ONNX have an environment of their own.
OTHERS = {"conformance", "trust", "typing", "xla", "onnx"}


def test_tests_lie_in_rooms_named_as_those_they_test() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.rglob("*.py"))}
    assert folders - OTHERS <= ROOMS


def test_every_room_is_in_the_table_of_rooms() -> None:
    table = CONTRIBUTING.split("## The rooms")[1].split("\n## ")[0]
    assert {room for room in ROOMS if f"{room}/" not in table and f"{room}.py" not in table} == set()


def test_every_file_that_contributing_names_is_there() -> None:
    named = set(re.findall(r"`([\w./]+(?:\.py|\.md|\.toml|/))`", CONTRIBUTING))
    found = {
        path.relative_to(ROOT).as_posix()
        for top in ("src", "tests", "bench", "tools", "docs", "examples")
        for path in (ROOT / top).rglob("*")
    }
    found |= {path.name for path in ROOT.iterdir()}
    wanted = {name.rstrip("/") for name in named} - {"dist"}  # which a build makes
    assert {name for name in wanted if not any(path.endswith(f"/{name}") or path == name for path in found)} == set()
