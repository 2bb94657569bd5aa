"""Small recordings that are stored."""

import json
from pathlib import Path
from typing import Any

import pytest

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
