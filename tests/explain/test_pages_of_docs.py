"""docs/explain.md and docs/explain.zh.md say the same: the same parts, options, pictures, commands and figures."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ENGLISH, CHINESE = ((DOCS / name).read_text(encoding="utf-8") for name in ("explain.md", "explain.zh.md"))


def pictures(text: str) -> list[str]:
    return [one.removesuffix(".zh") for one in re.findall(r"\]\(explain/([\w.]+)\.png\)", text)]


def numbers(text: str) -> set[str]:
    """Those of several digits, or with a fraction."""
    return set(re.findall(r"\d[\d,.]*\d", re.sub(r"^    .*$|\(.*?\.png\)", "", text, flags=re.M)))


def test_both_have_the_same_parts_and_pictures() -> None:
    assert re.findall("^#+", ENGLISH, re.M) == re.findall("^#+", CHINESE, re.M)
    assert len(re.findall(r"^- \*\*", ENGLISH, re.M)) == len(re.findall(r"^- \*\*", CHINESE, re.M))
    assert pictures(ENGLISH) == pictures(CHINESE)
    assert all((DOCS / "explain" / f"{one}.png").exists() for one in pictures(ENGLISH))


def test_both_have_the_same_options_commands_and_figures() -> None:
    for pattern in (r"^\| `(-[^`]+)`", r"`(python [^`]+)`", r"(?:^    |`)(rushlight explain [^`\n]+)"):
        told, again = (
            [one.replace("--lang zh ", "") for one in re.findall(pattern, text, re.M)] for text in (ENGLISH, CHINESE)
        )
        assert told and told == again
    assert numbers(ENGLISH) == numbers(CHINESE)


def test_names_of_the_program_and_words_of_rules_are_told_in_both() -> None:
    code = [set(re.findall(r"`([^`\n]+)`", re.sub(r"^    .*$", "", text, flags=re.M))) for text in (ENGLISH, CHINESE)]
    assert code[0] ^ code[1] <= {"story", "with", "x"}  # which English has a word for
