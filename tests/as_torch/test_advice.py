"""What is shown of an error under `import rushlight as torch`: the program's own lines, and a line of advice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from explain.processes import forked as command_forked
from forking import Forks

import rushlight
from rushlight.as_torch import tracebacks

ROOM = str(Path(rushlight.__file__).parent)


forked = Forks("import runpy, rushlight; run = lambda words: runpy.run_path(*words, run_name='__main__')", "run", 300)


def shown(body: str, tmp_path: Path, fresh: bool = True) -> str:
    script = tmp_path / "script.py"
    script.write_text(f"import rushlight as torch\n{body}\n")
    if not fresh:
        return forked(tmp_path, str(script)).stderr.decode()
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("wrap", ["f()", "import threading\nt = threading.Thread(target=f)\nt.start()\nt.join()"])
def test_an_error_shows_the_lines_of_the_program_only(wrap, tmp_path):
    text = shown(f"def f():\n    torch.ones(2) @ torch.ones(3)\n{wrap}", tmp_path)
    assert "in f\n    torch.ones(2) @ torch.ones(3)" in text
    assert ROOM not in text


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("torch.tanhh", "  Did you mean: 'tanh'?"),
        ("torch.no_name_like_any", None),
        (
            "w = torch.ones(2, requires_grad=True)\nw = w * 2\nw.grad.zero_()",
            "  w.grad is None: w is the result of an op, and gradients are kept in leaves. A step changes the leaf itself: "
            "`with torch.no_grad(): w -= lr * w.grad`.",
        ),
        (
            "w = torch.ones(2, requires_grad=True)\nw.data -= 0.1 * w.grad",
            "  w.grad is None: no backward pass has come to it yet.",
        ),
        (
            "class Net: pass\nnet = Net()\nnet.w = torch.ones(2)\nnet.w.grad.zero_()",
            "  net.w.grad is None: net.w does not require one.",
        ),
        ("w = None\nw.grad.zero_()", None),
    ],
)
def test_advice_stands_below_the_error(body, advice, tmp_path):
    *_, error, last = shown(body, tmp_path, fresh=False).splitlines()
    if advice is None:
        assert last.startswith("AttributeError: ")
    else:
        assert error.startswith(("AttributeError: ", "TypeError: "))
        assert last == advice


def test_the_words_of_the_error_stay_pytorchs():
    with pytest.raises(AttributeError) as caught:
        rushlight.tanhh  # noqa: B018
    assert str(caught.value) == "module 'torch' has no attribute 'tanhh'"


class Shell:
    """What of IPython's shell is asked for."""

    custom_exceptions: tuple[type[BaseException], ...] = ()
    lines: list[str]

    def set_custom_exc(self, kinds, handler):
        self.custom_exceptions, self.handler = kinds, handler

    def showtraceback(self, exc_tuple, tb_offset=None):
        _, _, trace = exc_tuple
        self.files = []
        while trace is not None:
            self.files.append(trace.tb_frame.f_code.co_filename)
            trace = trace.tb_next


def test_a_notebook_shows_its_own_lines_only(monkeypatch):
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(tracebacks.threading, "excepthook", tracebacks.threading.excepthook)
    tracebacks.install_hooks()
    assert shell.custom_exceptions == (Exception,)
    try:
        rushlight.ones(2).backward()
    except RuntimeError as error:
        shell.handler(shell, type(error), error, error.__traceback__)
    assert shell.files == [__file__]


def test_a_name_with_a_slip_is_found_under_the_alias_too(tmp_path):
    (tmp_path / "a.py").write_text("import torch\ntorch.tanhh\n")
    assert command_forked(tmp_path, "a.py").stderr.endswith(b"  Did you mean: 'tanh'?\n")


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("torch.ones(2).cuda()", "AssertionError: Torch not compiled with CUDA enabled\n"),
        (
            "torch.optim.SGD(torch.nn.Linear(1, 1))",
            "TypeError: 'Linear' object is not iterable\n  An optimizer takes the parameters of a module: module.parameters().\n",
        ),
        ("torch.optim.SGD(3)", "TypeError: 'int' object is not iterable\n"),
    ],
)
def test_what_beginners_meet_shows_their_line_only(body, end, tmp_path):
    text = shown(body, tmp_path)
    assert text.endswith(end) and text.count("  File ") == 1
