"""The house is as CONTRIBUTING says it is: its rooms, the tests of each, and every file that it sends a reader to."""

from __future__ import annotations

import re
import sys
import tomllib
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


def test_every_room_is_a_layer_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["type"] == "layers")
    named = {room.strip().removeprefix("rushlight.") for layer in layers for room in layer.split(":")}
    assert named == ROOMS - {"__init__"}
    assert all("ignore_imports" not in one for one in contracts)


def test_words_of_the_glossary_stand_in_the_files_that_it_sends_to() -> None:
    rows = [
        row.strip("| ").split(" | ")
        for row in CONTRIBUTING.split("## Glossary")[1].split("\n## ")[0].splitlines()
        if row.startswith("| ") and not row.startswith("| word")
    ]
    assert len(rows) > 10
    for word, meaning in rows:
        for file in re.findall(r"`([\w/]+\.py)`", meaning):
            path = PACKAGE / file if (PACKAGE / file).exists() else ROOT / file
            assert re.search(rf"\b{word.rstrip('s')}", path.read_text(), re.IGNORECASE), (word, file)


def test_examples_that_are_drawn_do_not_depend_on_what_is_imported() -> None:
    names = {".".join(("rushlight", *path.relative_to(PACKAGE).with_suffix("").parts)) for path in PACKAGE.rglob("*.py")}
    missing = {name.removesuffix(".__init__") for name in names} - sys.modules.keys()
    assert all(name.endswith("__main__") or "tensorboard" in name for name in missing), missing
