"""Programs that are none, or end badly, and outputs that cannot be written: the page up to there, and what Python itself ends with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from explain.processes import explained, run
from explain.test_odd_programs import BODY, recorded

FULL = Path("/dev/full")
DEPTH = "def depth(n):\n    try:\n        return depth(n + 1)\n    except RecursionError:\n        return n\nprint(depth(0))\n"

# what stands behind the pass; the exit code, the error's type on the page, and the line of its place
ENDINGS = {
    "raises": ("raise ValueError('no')", 1, "ValueError", "raise ValueError('no')"),
    "raises what is no Exception": ("raise BaseException('no')", 1, "BaseException", "raise BaseException('no')"),
    "exits": ("raise SystemExit(3)", 3, None, None),
    "exits while it handles an error": ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise SystemExit(4)", 4, None, None),
    "an import that is no Python": ("import package", 1, "SyntaxError", "x = = 3"),
    "an import that is not there": ("import package.gone", 1, "SyntaxError", "x = = 3"),
    "too deep": ("def f():\n    return f()\nf()", 1, "RecursionError", "return f()"),
    "closes its output": ("import sys\nsys.stdout.close()", 0, None, None),
    "leaves its folder": ("import os\nos.chdir('/')", 0, None, None),
    "counts how deep it can go": (DEPTH, 0, None, None),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_the_page_is_up_to_there(tmp_path: Path, case: str) -> None:
    text, code, error, line = ENDINGS[case]
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from . import deep\n")
    (tmp_path / "package" / "deep.py").write_text("x = = 3\n")
    (tmp_path / "a.py").write_text(f"{BODY}{text}\n")
    done = explained(tmp_path, "a.py")
    assert done.returncode == code
    recording = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [one["kind"] for one in recording["events"]].count("leaf") == 1
    told = recording["program"]["error"]
    assert (told and told["type"]) == error
    if told is not None:
        place = recording["places"][told["place"]]
        assert recording["sources"][place["source"]]["lines"][place["line"] - 1].strip() == line
    for form in ("html", "txt"):
        assert (error or "x.grad") in (tmp_path / f"out.{form}").read_text(encoding="utf-8")


def test_advice_that_is_printed_below_an_error_stands_on_the_page_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"{BODY}x = x - 0.1 * x.grad\nx = x - 0.1 * x.grad\n")
    done = explained(tmp_path, "a.py")
    assert done.stderr.count(b"x.grad is None: x is the result of an op") == 1
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "gradients are kept in leaves" in page and "更新参数要直接改写叶子张量" in page


@pytest.mark.parametrize("text", ["", "# nothing\n", "print(1)\n"])
def test_programs_that_do_nothing_with_tensors(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    explained(tmp_path, "a.py")
    assert recorded(tmp_path)["events"] == []
    assert "Nothing was recorded" in (tmp_path / "out.html").read_text(encoding="utf-8")


UNREADABLE = """
import os, sys
from rushlight.__main__ import main
os.access = lambda path, mode: False  # the superuser may read anything
sys.path[0] = ""
main(["explain", "-o", "out.txt", "a.py"])
"""


def test_a_script_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY)
    run(tmp_path, "-c", UNREADABLE)
    assert "PermissionError" in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_folders_as_programs(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    done = explained(tmp_path, "folder")
    assert done.returncode == run(tmp_path, "folder").returncode == 1
    assert "find '__main__' module" in (tmp_path / "out.txt").read_text(encoding="utf-8")
    (tmp_path / "folder" / "__main__.py").write_text(BODY)
    explained(tmp_path, "folder")
    assert recorded(tmp_path)["program"]["error"] is None  # type: ignore[index]
    assert "x.grad: None → [2 2]" in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_outputs_that_cannot_be_written_end_it_before_the_program(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print('ran')\n")
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "same.txt").symlink_to("a.py")
    for output, told in (
        ("gone/out.html", "No such file"),
        ("folder.html", "Is a directory"),
        ("out.pdf", "ends with none of"),
        ("", "ends with none of"),
        ("same.txt", "is the program"),
        ("a.py/out.html", "Not a directory"),
    ):
        done = run(tmp_path, "-m", "rushlight", "explain", "-o", "fine.html", "-o", output, "a.py")
        assert (done.returncode, done.stdout) == (1, b"") and told in done.stderr.decode(), output
        assert not (tmp_path / "fine.html").exists()
    assert (tmp_path / "a.py").read_text() == "print('ran')\n"


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_leaves_the_programs_own_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY + "raise SystemExit(5)\n")
    for form in ("html", "json", "svg", "txt"):
        (tmp_path / f"out.{form}").symlink_to(FULL)
    files = [word for form in ("html", "json", "svg", "txt") for word in ("-o", f"out.{form}")]
    done = run(tmp_path, "-m", "rushlight", "explain", *files, "a.py")
    assert done.returncode == 5
    assert done.stderr.count(b"No space left on device") == 4 and b"Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [[], ["-u"]], ids=["buffered", "unbuffered"])
def test_an_output_that_takes_no_print_is_an_error_of_the_print(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a.py").write_text(BODY + "print(x.grad, flush=True)\n")
    ends = []
    for further in ([], ["explain", "-o", "out.html"]):
        command = [sys.executable, *words, "-m", "rushlight", *further, "a.py"]
        with FULL.open("wb") as full:
            done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
        ends.append((done.stderr, done.returncode))
    assert ends[0] == ends[1] and b"No space left" in ends[0][0]
    assert "OSError" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_what_is_printed_ends_with_the_pages_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY + "raise SystemExit(6)\n")
    (tmp_path / "in").mkdir()
    done = run(tmp_path / "in", "-m", "rushlight", "explain", "../a.py")
    assert done.returncode == 6 and done.stdout.decode().endswith("\n\nThe page: a.explain.html\n")
    assert (tmp_path / "in" / "a.explain.html").exists()


def test_without_an_output_to_print_to(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY + "raise SystemExit(6)\n")
    command = [sys.executable, "-m", "rushlight", "explain", "a.py"]
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], cwd=tmp_path, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (6, b"")
    assert (tmp_path / "a.explain.html").exists()
