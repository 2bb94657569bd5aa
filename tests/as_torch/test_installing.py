"""`rushlight install-torch`: programs that nobody starts with rushlight find torch, and PyTorch is never touched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rushlight
from rushlight.as_torch import installing

SOURCE = str(Path(rushlight.__file__).parents[1])
PROGRAM = """
import importlib.metadata
import torch, torch.nn as nn
from torch.nn import functional as F
print(importlib.metadata.version("torch"), torch.__name__, F.relu(torch.tensor(-1.0)), nn.Linear)
"""


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder}:{SOURCE}"
    return subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path += {sys.path!r}\n{PROGRAM}"],
                          env={"PYTHONPATH": path}, capture_output=True, text=True)  # fmt: skip


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])  # an environment that has PyTorch is one to refuse


def test_a_plain_python_finds_torch_until_it_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "path", [])
        assert "import torch is rushlight" in installing.install(str(tmp_path))
        installing.install(str(tmp_path))  # once more changes nothing
    done = run(tmp_path)
    assert done.stderr == ""
    assert done.stdout == "2.13.0 torch tensor(0.) <class 'torch.nn.modules.linear.Linear'>\n"
    installing.uninstall(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_each_module_with_types_has_them_as_torch(tmp_path: Path, alone: None) -> None:
    installing.install(str(tmp_path))
    assert (tmp_path / "torch" / "py.typed").exists()
    for module in ("nn", "nn.functional", "utils.data"):
        stub = tmp_path.joinpath("torch", *module.split("."), "__init__.pyi")
        assert stub.read_text() == f"from rushlight.{module} import *\n"
    (record,) = tmp_path.glob("torch-*.dist-info/RECORD")
    listed = {line.partition(",")[0] for line in record.read_text().splitlines()}
    assert listed == {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}


def test_pytorch_is_refused_and_left(tmp_path: Path, alone: None) -> None:
    own = tmp_path / "torch" / "__init__.py"
    own.parent.mkdir()
    own.write_text("__version__ = '2.13.0'\n")
    with pytest.raises(RuntimeError, match="PyTorch is installed here already"):
        installing.install(str(tmp_path))
    with pytest.raises(RuntimeError, match="is not ours"):
        installing.uninstall(str(tmp_path))
    assert own.read_text() == "__version__ = '2.13.0'\n"


def test_nothing_to_take_away(tmp_path: Path, alone: None) -> None:
    with pytest.raises(RuntimeError, match="is not there"):
        installing.uninstall(str(tmp_path))
