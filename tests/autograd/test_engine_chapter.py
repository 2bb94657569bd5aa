"""docs/engine.md shows the engine's own lines."""

from __future__ import annotations

import re
from pathlib import Path

from rushlight.autograd import engine

CHAPTER = Path(__file__).parents[2] / "docs" / "engine.md"


def test_code_without_prompts_stands_in_the_engine() -> None:
    source = Path(engine.__file__).read_text()
    shown = [block for block in re.findall(r"```python\n(.*?)```", CHAPTER.read_text(), re.S) if ">>>" not in block]
    assert len(shown) == 2
    for block in shown:
        assert block in source


def test_the_rule_shown_stands_in_the_table() -> None:
    (rule,) = re.findall(r"^    (op\(.*\n.*)$", CHAPTER.read_text(), re.M)
    table = (Path(engine.__file__).parents[1] / "ops" / "pointwise.py").read_text()
    assert rule.replace("\n    ", "\n") in table
