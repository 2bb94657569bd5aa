"""``rushlight check``: names of PyTorch in code that is not run."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from explain.processes import forked

import rushlight
from rushlight.as_torch import checking, verdicts

SOURCE = str(Path(rushlight.__file__).parents[1])


class Said(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def names(tmp_path: Path, program: str) -> dict[str, tuple[list[int], bool]]:
    """Each name a program uses: its lines, and whether the program can do without."""
    path = tmp_path / "program.py"
    path.write_text(program)
    uses, problems = checking.check([path])
    assert problems == []
    return {use.name: ([int(place.rpartition(":")[2]) for place in use.places], use.is_optional) for use in uses}


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("import torch\ntorch.add(1, 2)", {"torch.add": [2]}),
        ("import torch as t\nt.linalg.det(x).sum()", {"torch.linalg.det": [2]}),
        ("import torch.nn.functional as F\nF.relu(F.gelu(x))", {"torch.nn.functional.gelu": [2], "torch.nn.functional.relu": [2]}),
        ("import torch.nn\ntorch.nn.Linear", {"torch.nn.Linear": [2]}),
        ("from torch import nn, Tensor as T\nclass A(nn.Module):\n    def f(self, x: T) -> nn.Linear: ...",
         {"torch.Tensor": [1], "torch.nn.Module": [2], "torch.nn.Linear": [3]}),
        ("from torch.nn import functional as F\nrelu = F.relu\nrelu(x)", {"torch.nn.functional.relu": [2]}),
        ("import torch\nnn = torch.nn\nnn.Linear(1, 2)", {"torch.nn.Linear": [3]}),
        ("import torch\ndef f(torch):\n    return torch.add", {}),
        ("import torch\ndef f():\n    torch = 3\n    return torch.add", {}),
        ("import torch\nf = lambda torch: torch.add\ng = lambda x: torch.sub", {"torch.sub": [3]}),
        ("def f():\n    import torch\n    return torch.add\ntorch.sub", {"torch.add": [3]}),
        ("from torch.nn import *\nLinear(1, 2)\nOther()", {"torch.nn.Linear": [2]}),
        ("from .torch import add\nimport torchvision\ntorchvision.add", {}),
        ("import torch\n@torch.jit.script\ndef f(x=torch.pi): ...", {"torch.jit.script": [2], "torch.pi": [3]}),
        ("import torch\ntorch.add(1)\ntorch.add(2)", {"torch.add": [2, 3]}),
        ("import torch\n[torch.add for x in y]\nf'{torch.sub(1)}'", {"torch.add": [2], "torch.sub": [3]}),
        ("import torch\nasync def f():\n    async with torch.no_grad(): pass", {"torch.no_grad": [3]}),
        ("import torch\nmatch x:\n    case torch.float32: ...", {"torch.float32": [3]}),
    ],
)  # fmt: skip
def test_names_are_followed(tmp_path: Path, program: str, expected: dict[str, list[int]]) -> None:
    found = {name: lines for name, (lines, _) in names(tmp_path, program).items()}
    modules = {"torch.nn", "torch.nn.functional"}
    assert {name: lines for name, lines in found.items() if name not in modules} == expected


@pytest.mark.parametrize(
    ("program", "is_optional"),
    [
        ("import torch\ntorch.no_such", False),
        ("import torch\ntry:\n    torch.no_such\nexcept AttributeError:\n    pass", True),
        ("try:\n    from torch import no_such\nexcept ImportError:\n    no_such = None", True),
        ("import torch\ntry:\n    torch.no_such\nexcept KeyError:\n    pass", False),
        ("import torch\ntry:\n    pass\nexcept ImportError:\n    torch.no_such", False),
        ("import torch\nif torch.cuda.is_available():\n    torch.no_such", True),
        ("import torch\nif torch.cuda.is_available():\n    pass\nelse:\n    torch.no_such", False),
        ("import torch\nif hasattr(torch, 'no_such'):\n    torch.no_such", True),
        ("import torch\nif x:\n    torch.no_such", False),
        ("import torch\nif torch.cuda.is_available():\n    torch.no_such\ntorch.no_such", False),
    ],
)
def test_what_a_program_can_do_without(tmp_path: Path, program: str, is_optional: bool) -> None:
    assert names(tmp_path, program)["torch.no_such"][1] is is_optional


def test_what_rushlight_has() -> None:
    here = (
        "torch torch.nn.Linear.forward torch.Tensor.add_ torch.float32.itemsize torch.optim.lr_scheduler torch.utils.checkpoint"
    )
    assert all(map(verdicts.is_here, here.split()))
    assert not any(
        map(verdicts.is_here, "torch.no_such torch.nn.no_such.at_all torch.no_such_module.x torch.add.no_such".split())
    )


@pytest.mark.parametrize(
    ("name", "status", "suggestion"),
    [
        ("torch.nn.functional.relu", "has", None),
        ("torch.Tensor.add_", "has", None),
        ("torch.dtype", "has", None),
        ("torch.Tensor.cuda", "raises", None),
        ("torch.nn.Module.cuda", "has", None),  # of a module without parameters it gives the module
        ("torch.cuda.set_device", "raises", None),
        ("torch.cuda.Event", "raises", None),
        ("torch.distributed.get_rank", "raises", None),
        ("torch.distributed.init_process_group", "raises", None),
        ("torch.distributed.is_initialized", "has", None),
        ("torch.export", "lacks", None),
        ("torch.export.export", "lacks", None),
        ("torch.tanhh", "typo", "torch.tanh"),
        ("torch.linalg.dett.of_nothing", "typo", "torch.linalg.det"),
        ("torch.nn.Lineer", "typo", "torch.nn.Linear"),
        ("torch.no_such", "unknown", None),
        ("torch._no_such", "unknown", None),
        ("torch.ops.torchvision.nms", "library", None),
        ("torch.classes.fairseq.Dictionary", "library", None),
        ("torch.ops.aten.add", "has", None),
    ],
)
def test_what_is_said_of_a_name(name: str, status: str, suggestion: str | None) -> None:
    assert verdicts.judge(name) == (status, suggestion)


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which knows of nothing that was imported here."""
    environment = {"PYTHONPATH": f"{SOURCE}:{cwd}", "PATH": ""}
    return subprocess.run(
        [sys.executable, "-m", "rushlight", "check", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """What the command's function says of arguments in ``tmp_path``, without a process for each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def ask(*arguments: str) -> Said:
        importlib.invalidate_caches()
        code = checking.main(arguments)
        return Said(code, *capsys.readouterr())

    return ask


def test_the_command(tmp_path: Path, asked: Callable[..., Said]) -> None:
    """Files, folders and packages; nothing of them is run."""
    package = tmp_path / "some_package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('this was run')\n")
    (package / "inner" / "good.py").write_text("import torch\ntorch.add(1, 1)\n")
    (package / "test_it.py").write_text("import torch\ntorch.no_such_in_tests\n")
    for target in ("some_package/inner/good.py", "some_package/inner", "some_package", "some_package.inner.good"):
        done = command(target, cwd=tmp_path) if target in ("some_package", "some_package.inner.good") else asked(target)
        is_path = target == "some_package"  # a folder here: with its tests
        assert (done.returncode, done.stderr) == (int(is_path), "")
        assert "has      torch.add" in done.stdout
        assert "some_package/inner/good.py:2" in done.stdout
    (package / "bad.py").write_text("import torch\n\ntorch.no_such()\n")
    done = asked("-q", "some_package.bad", "some_package/inner")
    assert done.returncode == 1
    assert (
        done.stdout
        == "unknown  torch.no_such  some_package/bad.py:3\n2 files use 2 names of PyTorch; rushlight lacks 1 of them\n"
    )
    (package / "bad.py").write_text("import torch\ntorch.tanhh()\ntorch.cuda.set_device(0)\ntorch.ops.x.y()\n")
    done = asked("-q", "some_package.bad")
    assert done.returncode == 1
    assert done.stdout == (
        "typo     torch.tanhh            some_package/bad.py:2  (did you mean torch.tanh?)\n"
        "raises   torch.cuda.set_device  some_package/bad.py:3\n"
        "library  torch.ops.x.y          some_package/bad.py:4\n"
        "1 file uses 3 names of PyTorch; rushlight lacks 1 of them\n"
    )
    done = asked("--json", "some_package.bad")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["names"][2] == {
        "name": "torch.tanhh",
        "status": "typo",
        "suggestion": "torch.tanh",
        "optional": False,
        "places": ["some_package/bad.py:2"],
    }
    assert found["statuses"].keys() == {"has", "raises", "lacks", "typo", "library", "unknown"}
    (package / "broken.py").write_text("def f(:\n")
    done = asked(str(package / "broken.py"))
    assert done.returncode == 0
    assert "some_package/broken.py: cannot be read: invalid syntax" in done.stderr
    assert asked("no-such-package").returncode == 2
    assert asked("--what").returncode == 2
    assert "usage: rushlight check" in asked("--help").stdout


def test_installed_distributions_by_either_name() -> None:
    """NumPy is installed wherever rushlight is; ml_dtypes goes by two names."""
    assert checking.find_files("numpy")
    assert checking.find_files("ml-dtypes")
    assert checking.find_files("ml_dtypes")
    assert checking.find_files("no.such.package") == []


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["check"], 2, "usage: rushlight check"),
        (["chekc"], 2, "Did you mean `rushlight check`?"),
    ],
)
def test_words_that_come_near_are_suggested(tmp_path: Path, words: list[str], code: int, text: str) -> None:
    done = forked(tmp_path, *words)
    assert done.returncode == code
    assert text in done.stderr.decode()
