"""docs/engine.md shows the package's own lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rushlight

CHAPTER = Path(__file__).parents[2] / "docs" / "engine.md"
SOURCE = Path(rushlight.__file__).parent


def shown() -> Iterator[tuple[str, str]]:
    """The pieces of code without prompts, each with the file that was named last before it."""
    text = CHAPTER.read_text()
    for block in re.finditer(r"```python\n(.*?)```|\n\n((?:    \S[^\n]*\n|      +[^\n]*\n)+)\n", text, re.DOTALL):
        if ">>>" not in block[0]:
            file = re.findall(r"`(\w+/\w+\.py)", text[: block.start()])[-1]
            yield file, block[1] or re.sub("^    ", "", block[2], flags=re.MULTILINE)


@pytest.mark.parametrize(("file", "block"), list(shown()), ids=lambda part: part.strip().splitlines()[0][:40])
def test_code_without_prompts_stands_in_the_file_named_above_it(file: str, block: str) -> None:
    assert "\n" + block in (SOURCE / file).read_text()


@pytest.mark.parametrize("name", ["_run", "_propagate", "_begin", "_arrived", "_finish_complete"])
def test_the_parts_of_a_pass_are_shown_whole(name: str) -> None:
    """All but the signature and the docstring; of `_arrived` what a pass has that is looked at."""
    file = "autograd/observed_pass.py" if name == "_arrived" else "autograd/engine.py"
    text = (SOURCE / file).read_text()
    (function,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == name)
    body = function.body[1:] if ast.get_docstring(function) else function.body
    lines = text.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    assert "\n".join(lines) in "".join(block for of, block in shown() if of == file)


def test_files_of_the_chapter_are_there() -> None:
    named = set(re.findall(r"`(\w+/\w+\.py)`", CHAPTER.read_text()))
    assert len(named) > 15
    assert [name for name in named if not (SOURCE / name).exists()] == []
