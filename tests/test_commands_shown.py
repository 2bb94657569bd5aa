"""The commands that README and docs show are there to be run, those that take no time run, and the Chinese README says the same."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from explain.processes import run

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("README*.md"), *ROOT.glob("docs/*.md")])
FIRST = ("rushlight", "python", "pip", "make", "time")
TUTORIAL = """import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
out.backward()
print(x.grad)
print(y.grad)
"""


def commands(page: Path) -> list[str]:
    """What stands in a block or between backquotes and begins as a command does; without the remark behind it."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    blocks = re.findall(r"^    (\S.*)$", text, re.MULTILINE)
    told = [" ".join(one.split()) for one in re.findall(r"`([^`]+)`", text)]
    found = (one.partition("  #")[0].partition(" # ")[0].strip() for one in [*blocks, *told])
    return list(dict.fromkeys(one for one in found if re.match(rf"(\w+=\S+ )*({'|'.join(FIRST)}) \S", one)))


def program_of(command: str) -> tuple[list[str], list[str]]:
    """The words of a command without variables that it sets; what is in square brackets may be left out, and is taken."""
    words = shlex.split(re.sub(r"[\[\]]|\.\.\.", " ", command) if not command.startswith("pip") else command)
    at = next(number for number, word in enumerate(words) if "=" not in word)
    return words[:at], words[at:]


SHOWN = [(page, command) for page in PAGES for command in commands(page)]


def test_commands_are_found():
    assert len(SHOWN) > 60
    assert ("README.md", "python -m rushlight explain script.py") in [(page.name, command) for page, command in SHOWN]


@pytest.mark.parametrize("command", sorted({command for _, command in SHOWN}))
def test_what_a_command_names_is_there(command):
    _, words = program_of(command)
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        variables, targets = [one for one in words[1:] if "=" in one], [one for one in words[1:] if "=" not in one]
        assert all(re.search(rf"^{target}:.*  ## ", makefile, re.MULTILINE) for target in targets)
        assert all(
            f"$({one.partition('=')[0]})" in makefile or f"(or $({one.partition('=')[0]})" in makefile for one in variables
        )
    elif words[0] == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
        wanted = re.findall(r"\[(\w+)\]", words[-1])
        assert words[1] == "install" and (words[-1].startswith(".") or words[-1].startswith("rushlight"))
        assert set(wanted) <= set(extras)
    elif words[0] == "python" and words[1].endswith(".py") and "/" in words[1]:
        text = (ROOT / words[1]).read_text(encoding="utf-8")
        if "from turns import" in text or "argparse" in text:
            assert all(f'"{option}"' in text for option in words[2:] if option.startswith("--"))


def runs(command: str) -> bool:
    """Whether a command is rushlight's own on a script that stands for the reader's."""
    return bool(re.fullmatch(r"(python -m )?rushlight (explain .*|check )?(script|tutorial)\.py", command))


@pytest.mark.parametrize("command", sorted({command for _, command in SHOWN if runs(command)}))
def test_what_takes_no_time_runs(command, tmp_path):
    for name in ("script.py", "tutorial.py"):
        (tmp_path / name).write_text(TUTORIAL, encoding="utf-8")
    words = shlex.split(command)
    # Those by Python's own name begin afresh; the others are forked.
    done = run(tmp_path, *words[1:], LC_ALL="C.UTF-8") if words[0] == "python" else run(tmp_path, "-m", *words)
    assert done.returncode == 0, done.stderr
    assert (b"4.5000" in done.stdout) == ("check" not in words)
    if "explain" in words:
        written = words[words.index("-o") + 1] if "-o" in words else f"{Path(words[-1]).stem}.explain.html"
        assert (tmp_path / written).stat().st_size > 500


def test_the_text_that_is_shown_is_the_one_that_is_written(tmp_path):
    (tmp_path / "tutorial.py").write_text(TUTORIAL, encoding="utf-8")
    command = [sys.executable, "-m", "rushlight", "explain", "-o", "tutorial.explain.txt", "tutorial.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert not done.returncode and "not a leaf" in done.stderr
    written = (tmp_path / "tutorial.explain.txt").read_text(encoding="utf-8").splitlines()
    text = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    (.*)$", text[text.index("## As text") : text.index("## What it costs")], re.MULTILINE)[1:]
    assert len(shown) > 6
    assert [line for line in shown if line not in written and line != "..."] == []


def figures(text: str) -> list[str]:
    """The numbers of a text, those of its programs and tables too."""
    return re.findall(r"(?<![\w.])(?:\d+(?:,\d{3})*)?(?:\.?\d+)", text)


def test_the_chinese_readme_says_the_same():
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
    assert commands(ROOT / "README.md") == commands(ROOT / "README.zh.md")
    assert re.findall(r"```.*?```", english, re.DOTALL) == re.findall(r"```.*?```", chinese, re.DOTALL)
    rows = [[line.split("|")[2:] for line in text.splitlines() if re.match(r"\| .*\d", line)] for text in (english, chinese)]
    assert rows[0] == rows[1] and len(rows[0]) == 13
    assert re.findall(r"^(#+) ", english, re.MULTILINE) == re.findall(r"^(#+) ", chinese, re.MULTILINE)
    links = [[one.replace(".zh.", ".") for one in re.findall(r"\]\(([^)]+)\)", text)] for text in (english, chinese)]
    assert sorted(links[0]) == sorted(links[1])
    assert sorted(figures(english)) == sorted(figures(chinese))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target
