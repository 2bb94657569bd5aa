"""Programs in other encodings, from standard input, that print what is no text, in folders of their own: told of, and as without it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from explain.processes import explained, run

BODY = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n"


def recorded(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: latin-1 -*-\nname = 'caf\xe9'  # \xfc\n" + BODY.encode() + b"print(ascii(name))\n",
        b"\xef\xbb\xbf" + BODY.encode(),
        BODY.replace("\n", "\r\n").encode(),
        BODY.replace("    ", "\t").encode() + b"\tprint(1)\n",
    ],
    ids=["latin-1", "byte order mark", "carriage returns", "wrongly indented"],
)
def test_texts_of_programs(tmp_path: Path, source: bytes) -> None:
    (tmp_path / "a.py").write_bytes(source)
    explained(tmp_path, "a.py")
    lines = recorded(tmp_path)["sources"][0]["lines"]  # type: ignore[index]
    assert "import torch" in lines
    if b"latin" in source:
        assert lines[1] == "name = 'café'  # ü"


def test_bytes_that_are_no_text_are_refused_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(BODY.encode() + b"# caf\xe9\n")
    done, python = explained(tmp_path, "a.py"), run(tmp_path, "a.py")
    assert done.stderr.replace(str(tmp_path).encode() + b"/", b"") == python.stderr.replace(str(tmp_path).encode() + b"/", b"")
    assert done.returncode == python.returncode == 1
    assert recorded(tmp_path)["program"]["error"]["type"] == "SyntaxError"  # type: ignore[index]
    assert "Non-UTF-8 code" in (tmp_path / "out.txt").read_text()


def test_a_program_from_standard_input(tmp_path: Path) -> None:
    source = BODY.encode() + b"import sys\nprint(sys.argv, sys.stdin.read() == '', x.grad)\n"
    files = ["-o", "out.json", "-o", "out.txt"]
    done = run(tmp_path, "-m", "rushlight", "explain", *files, "-", "word", stdin=source)
    plain = run(tmp_path, "-m", "rushlight", "-", "word", stdin=source)
    assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, plain.stderr, 0)
    assert b"['-', 'word'] True" in done.stdout
    assert recorded(tmp_path)["sources"][0]["name"] == "<stdin>"  # type: ignore[index]
    assert "x.grad: None → [2 2]" in (tmp_path / "out.txt").read_text(encoding="utf-8")
    run(tmp_path, "-m", "rushlight", "explain", "-", stdin=source)
    assert (tmp_path / "stdin.explain.html").exists()


def test_what_is_printed_and_is_no_text(tmp_path: Path) -> None:
    lines = [
        "import os, sys",
        'sys.stdout.buffer.write(b"\\xff\\x00"); sys.stdout.flush()',
        'os.write(1, b"\\xfe")',
        'print("\\udc80")',
    ]
    (tmp_path / "a.py").write_text(BODY + "\n".join(lines) + "\n")
    explained(tmp_path, "a.py", PYTHONIOENCODING="utf-8:surrogateescape")
    assert recorded(tmp_path)["program"]["printed"][-1]["text"] == "\udc80\n"  # type: ignore[index]
    assert "\ufffd" in (tmp_path / "out.html").read_text(encoding="utf-8")


def test_a_terminal_that_knows_few_characters(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY)
    done = run(tmp_path, "-m", "rushlight", "explain", "a.py", PYTHONIOENCODING="ascii")
    assert (done.stderr, done.returncode) == (b"", 0)
    assert b"MulBackward0" in done.stdout


def test_folders_and_modules_beside_the_program(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "beside.py").write_text("def twice(x):\n    return x * 2\n")
    (tmp_path / "inner" / "a.py").write_text(
        BODY + "from beside import twice\ntwice(x).sum().backward()\nprint(x.grad, __name__, __file__)\n"
    )
    explained(tmp_path, os.path.join("inner", "a.py"), "--word", "-o", "x")
    assert [one["name"] for one in recorded(tmp_path)["sources"]] == ["a.py", "beside.py"]  # type: ignore[index, attr-defined]
    assert recorded(tmp_path)["program"]["arguments"] == ["--word", "-o", "x"]  # type: ignore[index]


def test_tasks_of_asyncio_are_told_without_pythons_own_files(tmp_path: Path) -> None:
    text = (
        "import asyncio, torch\nasync def work(n):\n    x = torch.full((2,), n, requires_grad=True)\n    await asyncio.sleep(0)\n"
        "    (x * x).sum().backward()\n    return x.grad\nasync def main():\n    print(await asyncio.gather(work(1.0), work(2.0)))\n"
        "asyncio.run(main())\n"
    )
    (tmp_path / "a.py").write_text(text)
    explained(tmp_path, "a.py")
    assert [one["name"] for one in recorded(tmp_path)["sources"]] == ["a.py"]  # type: ignore[index, attr-defined]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_are_not_told_of(tmp_path: Path, method: str) -> None:
    text = (
        "import multiprocessing, torch\ndef work(n):\n    x = torch.full((2,), n, requires_grad=True)\n    (x * x).sum().backward()\n"
        f"    return x.grad.tolist()\nif __name__ == '__main__':\n    with multiprocessing.get_context({method!r}).Pool(1) as pool:\n"
        "        print(pool.map(work, [1.0, 2.0]))\n"
    )
    (tmp_path / "a.py").write_text(text)
    explained(tmp_path, "a.py", fresh=True)
    assert recorded(tmp_path)["events"] == []


def test_a_failure_of_a_form_leaves_the_programs_own_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BODY + "import os\nos.mkdir('gone')\nos.rename('out', 'gone/out')\nraise SystemExit(5)\n")
    (tmp_path / "out").mkdir()
    done = run(tmp_path, "-m", "rushlight", "explain", "-o", "out/a.html", "a.py")
    assert done.returncode == 5
    assert b"cannot write" in done.stderr and b"Traceback" not in done.stderr


def test_a_module_as_python_m_runs_it(tmp_path: Path) -> None:
    package = tmp_path / "lessons"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "first.py").write_text(
        BODY + "import sys\nfrom . import __name__ as around\nprint(around, sys.argv[1:], x.grad)\n"
    )
    done = run(tmp_path, "-m", "rushlight", "explain", "-o", "out.json", "-m", "lessons.first", "word", "-o")
    plain = run(tmp_path, "-m", "rushlight", "-m", "lessons.first", "word", "-o")
    assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, plain.stderr, 0)
    assert b"lessons ['word', '-o'] tensor([2., 2.])" in done.stdout
    assert recorded(tmp_path)["sources"][0]["name"] == "first.py"  # type: ignore[index]
    run(tmp_path, "-m", "rushlight", "explain", "-m", "lessons.first")
    assert (tmp_path / "lessons.first.explain.html").exists()
    missing = run(tmp_path, "-m", "rushlight", "explain", "-m", "lessons.second")
    assert missing.returncode == 1 and b"No module named lessons.second" in missing.stderr
    assert b"Stops here: ModuleNotFoundError" in missing.stdout


@pytest.mark.parametrize("code", ["'gone'", "300", "-3", "3.5", "(1, 2)"])
@pytest.mark.parametrize("words", [["a.py"], ["-m", "a"]], ids=["file", "module"])
def test_what_a_program_exits_with(tmp_path: Path, code: str, words: list[str]) -> None:
    (tmp_path / "a.py").write_text(BODY + f"raise SystemExit({code})\n")
    explained(tmp_path, *words)
    told = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert "x.grad: None → [2 2]" in told and "Stops here" not in told


@pytest.mark.parametrize("source", [b"import torch\n\0\n", b"# -*- coding: nonesuch -*-\nimport torch\n"])
def test_a_module_that_cannot_be_read_stops_at_no_line_of_pythons_own(tmp_path: Path, source: bytes) -> None:
    (tmp_path / "a.py").write_bytes(source)
    explained(tmp_path, "-m", "a")
    assert recorded(tmp_path)["program"]["error"]["type"] == "SyntaxError"  # type: ignore[index]
    assert recorded(tmp_path)["program"]["error"]["place"] is None  # type: ignore[index]
