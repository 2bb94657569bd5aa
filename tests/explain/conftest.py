"""Small recordings that are stored, and those of beginners' programs, which are made."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from explain.beginners import PROGRAMS
from explain.forum_programs import FORUM
from explain.processes import forked

STORED = Path(__file__).parent / "recordings"
NAMES = sorted(path.stem for path in STORED.glob("*.json"))


def stored(name: str) -> dict[str, Any]:
    return json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(params=NAMES)
def recording(request: pytest.FixtureRequest) -> dict[str, Any]:
    return stored(request.param)


@pytest.fixture
def tutorial() -> dict[str, Any]:
    return stored("tutorial")


@pytest.fixture
def twice() -> dict[str, Any]:
    return stored("twice")


@pytest.fixture
def jacobian() -> dict[str, Any]:
    return stored("jacobian")


# Each in a process of its own, forked where everything is imported: the imports are what takes the time.
EXPLAIN_ALL = """
import os, sys
import rushlight.explain.story
from rushlight.__main__ import main
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            main(["explain", "-o", f"{name}.json", f"{name}.py"])
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="session")
def renewed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The recordings that are stored, as they would be written today."""
    folder = tmp_path_factory.mktemp("renewed")
    for name in NAMES:
        (folder / f"{name}.py").write_text("\n".join(stored(name)["sources"][0]["lines"]) + "\n", encoding="utf-8")
    subprocess.run([sys.executable, "-c", EXPLAIN_ALL, *NAMES], cwd=folder, capture_output=True, check=True)
    return {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in NAMES}


class Explained(dict[str, dict[str, Any]]):
    """The recordings of programs by their names, each made when it is first asked for."""

    def __init__(self, folder: Path, programs: dict[str, str]) -> None:
        super().__init__()
        self._folder, self._programs = folder, programs

    def __missing__(self, name: str) -> dict[str, Any]:
        program = self._folder / (name.replace("/", " ").replace(" ", "_") + ".py")
        program.write_text(self._programs[name], encoding="utf-8")
        written = program.with_suffix(".json")
        forked(self._folder, "explain", "-o", written.name, program.name)
        self[name] = json.loads(written.read_text(encoding="utf-8"))
        return self[name]


@pytest.fixture(scope="session")
def beginners(tmp_path_factory: pytest.TempPathFactory) -> Explained:
    return Explained(tmp_path_factory.mktemp("beginners"), PROGRAMS)


@pytest.fixture(scope="session")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Explained:
    return Explained(tmp_path_factory.mktemp("forum"), {name: f"import torch\n{text}" for name, text in FORUM.items()})
