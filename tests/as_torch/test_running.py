"""Running programs: as if python had run them, with torch meaning rushlight."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from explain.processes import forked

import rushlight
from rushlight.as_torch import tracebacks
from rushlight.as_torch.alias import install_as_torch

PYTHON = [sys.executable]
RUSHLIGHT = [sys.executable, "-m", "rushlight"]
SOURCE = str(Path(rushlight.__file__).parents[1])
COMMAND = [str(Path(sysconfig.get_path("scripts")) / "rushlight")]


def run(
    *arguments: str, cwd: Path, text: str = "", check: bool = False, fresh: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command; the program's own paths and addresses are all that may tell two runs apart.

    Rushlight's is forked from a process in which it is imported, where nothing of Python's own is asked for.
    """
    if arguments[:3] == tuple(RUSHLIGHT) and not (fresh or text or check or environment):
        done = forked(cwd, *arguments[3:])
        return subprocess.CompletedProcess(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())
    return subprocess.run(
        arguments,
        cwd=cwd,
        input=text,
        check=check,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONWARNINGS": "", **environment},
    )


def answer(program: str, cwd: Path) -> str:
    """What a program that must succeed prints on rushlight."""
    done = run(*RUSHLIGHT, "-c", program, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


SHOW = """
import sys
def f(x):
    return 1 / x
print(__name__, globals().get("__file__"), __spec__ and __spec__.name, __package__, __doc__, sorted(globals()))
print(sys.argv, sys.path[0], sys.modules["__main__"].__dict__ is globals(), type(__loader__).__name__, __builtins__)
"""
FILES = {
    "show.py": '"""A text."""' + SHOW,
    "latin.py": '# coding: latin-1\nprint("\xe9")\n',
    "fails.py": "def f(x):\n    return 1 / x\nf(0)\n",
    "chain.py": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e\n",
    "syntax.py": "x = 1\ndef f(:\n",
    "interrupt.py": "raise KeyboardInterrupt\n",
    "exits.py": "import atexit, sys\natexit.register(print, 'last words')\nsys.exit(7)\n",
    "complains.py": "raise SystemExit('a complaint')\n",
    "prints.py": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n",
    "hook.py": "import sys\nsys.excepthook = lambda k, e, t: print(k, e, t.tb_lineno, t is e.__traceback__)\n1 / 0\n",
    "thread.py": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n",
    "pickles.py": "import pickle\nclass P: pass\nprint(type(pickle.loads(pickle.dumps(P()))))\n",
    "warns.py": "import warnings\nwarnings.warn('old', DeprecationWarning)\n",
    "beside.py": "import latin\n",
    "folder/__main__.py": SHOW + "f(0)\n",
    "package/__init__.py": "print('package')\n",
    "package/__main__.py": "from . import part\n" + SHOW,
    "package/part.py": "print(__name__)\n",
    "empty/__init__.py": "",
}
LINES = [
    "show.py",
    "./show.py -x --yes 1",
    "folder/../show.py",
    "link.py",
    "latin.py",
    "fails.py",
    "chain.py",
    "syntax.py",
    "interrupt.py",
    "exits.py",
    "complains.py",
    "prints.py",
    "hook.py",
    "thread.py",
    "pickles.py",
    "warns.py",
    "beside.py",
    "missing.py",
    "empty",
    "folder a b",
    ".",
    "-m show -m 2",
    "-m package",
    "-m package.part",
    "-m folder",
    "-m fails",
    "-m syntax",
    "-m exits",
    "-m interrupt",
    "-m missing",
    "-m missing.part",
    "-m empty",
    "-c 1/0",
    "-c def",
    "-c raise\tSystemExit(3) a",
    "- 1 2",
]
STARTED = ["./show.py -x --yes 1", "interrupt.py", "folder a b", "-m package"]  # as from a shell; the others are forked


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("programs")
    for name, text in FILES.items():
        path = top / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="latin-1")
    (top / "elsewhere").mkdir()
    (top / "elsewhere" / "linked.py").write_text(SHOW)
    (top / "link.py").symlink_to(top / "elsewhere" / "linked.py")
    return top


@pytest.mark.parametrize("line", LINES)
def test_is_as_if_python_had_run_it(line: str, folder: Path) -> None:
    words = [word.replace("\t", " ") for word in line.split(" ")]
    text = SHOW + "f(0)\n" if words[0] == "-" else ""
    expected = run(*PYTHON, *words, cwd=folder, text=text)
    done = run(*RUSHLIGHT, *words, cwd=folder, text=text, fresh=line in STARTED)
    assert (done.stdout, done.stderr, done.returncode) == (expected.stdout, expected.stderr, expected.returncode)


@pytest.mark.parametrize("line", ["show.py 1", "fails.py", "exits.py", "interrupt.py", "folder", "missing.py"])
def test_console_command_is_the_same(line: str, folder: Path) -> None:
    first_line = Path(*COMMAND).read_text().splitlines()[0]
    python = [first_line[2:]] if "python" in first_line else PYTHON  # python3, say, which messages name
    expected = run(*python, *line.split(), cwd=folder)
    done = run(*COMMAND, *line.split(), cwd=folder)
    assert (done.stdout, done.returncode) == (expected.stdout, expected.returncode)
    assert done.stderr == expected.stderr


def test_interactive_flag_stays_in_the_program(folder: Path) -> None:
    after = "print(f(2), sys.last_value, sys.last_traceback.tb_frame.f_code.co_filename.endswith('fails.py'))\n"
    done = run(sys.executable, "-i", "-m", "rushlight", "fails.py", cwd=folder, text="import sys\n" + after)
    assert done.stdout == "0.5 division by zero True\n"


def test_flags_of_python_hold(folder: Path) -> None:
    done = run(sys.executable, "-W", "error", "-m", "rushlight", "warns.py", cwd=folder)
    assert done.stderr.endswith("DeprecationWarning: old\n")
    assert done.returncode == 1


def test_program_on_standard_input_without_arguments(folder: Path) -> None:
    assert run(*RUSHLIGHT, cwd=folder, text="import sys; print(sys.argv)").stdout == "['']\n"


@pytest.mark.parametrize("words", [["-m"], ["-c"], ["--no-such-option"]])
def test_bad_command_line_shows_the_usage(words: list[str], folder: Path) -> None:
    done = run(*RUSHLIGHT, *words, cwd=folder)
    assert done.returncode == 2
    assert "usage: rushlight" in done.stderr


def test_version_and_help(folder: Path) -> None:
    assert run(*RUSHLIGHT, "--version", cwd=folder).stdout == f"rushlight {rushlight.version.rushlight} (PyTorch 2.13.0)\n"
    assert run(*RUSHLIGHT, "--help", cwd=folder).stdout.startswith("usage: rushlight")


ALIAS = """
import sys
import torch, rushlight
import torch.nn.functional as F
import torch.autograd.functional
from torch.autograd import Variable
from torch import nn, Tensor
import rushlight.nn.functional, rushlight.autograd.functional
assert torch is rushlight is sys.modules["torch"]
assert F is rushlight.nn.functional is sys.modules["torch.nn.functional"] is torch.nn.functional
assert torch.autograd.functional is rushlight.autograd.functional and nn is rushlight.nn
assert F.__spec__.name == "rushlight.nn.functional" and F.__name__ == "torch.nn.functional" and nn.Linear.__module__.startswith("torch.nn.")
assert callable(torch.tensor)
print(torch.__version__, torch.version.cuda, type(torch.ones(1)), torch.__version__ >= (2, 4))
"""


def test_torch_means_rushlight(tmp_path: Path) -> None:
    assert answer(ALIAS, tmp_path) == "2.13.0+rushlight None <class 'torch.Tensor'> True\n"


def test_the_list_of_what_tensors_lack_is_complete() -> None:
    import rushlight.nn  # gives tensors further methods
    from rushlight.base.missing_names import OF_TENSOR, torch_names

    own = dir(rushlight.ones(1))
    assert sorted(torch_names()["torch.Tensor"].difference(own)) == sorted(OF_TENSOR)
    tensor = rushlight.ones(1)
    tensor.qscheme = "mine"
    assert tensor.qscheme == "mine" and not hasattr(rushlight.ones(1), "qscheme")


MISSING = {
    "torch.export": "AttributeError: rushlight does not have torch.export (yet); PyTorch has it",
    "torch.nn.quantized": "AttributeError: rushlight does not have torch.nn.quantized (yet); PyTorch has it",
    "torch.no_such_name": "AttributeError: module 'torch' has no attribute 'no_such_name'",
    "torch.ones(1).record_stream": "AttributeError: rushlight does not have torch.Tensor.record_stream (yet); PyTorch has it",
    "torch.ones(1).no_such_name": "AttributeError: 'Tensor' object has no attribute 'no_such_name'",
    "import torch.export": "ModuleNotFoundError: rushlight does not have torch.export (yet); PyTorch has it",
    "import torch.no_such_name": "ModuleNotFoundError: No module named 'torch.no_such_name'",
    "import torch.tensor": "ModuleNotFoundError: No module named 'torch.tensor'",
    "from torch import export": "ModuleNotFoundError: rushlight does not have torch.export (yet); PyTorch has it",
}


def test_missing_names(tmp_path: Path) -> None:
    """All in one process, whose last is not caught: Python shows it, and the program's line alone."""
    *caught, last = MISSING
    program = f"""
import torch
for statement in {caught!r}:
    try:
        exec(statement)
    except Exception as error:
        print(f"{{type(error).__name__}}: {{error}}")
{last}"""
    done = run(*RUSHLIGHT, "-c", program, cwd=tmp_path)
    assert done.stdout.splitlines() == [MISSING[statement] for statement in caught]
    assert done.stderr.splitlines() == [
        "Traceback (most recent call last):", '  File "<string>", line 8, in <module>', MISSING[last]
    ]  # fmt: skip


@pytest.mark.parametrize("statement", ["torch.export", "torch.ones(1).no_such_name", "import torch.no_such_name"])
def test_missing_names_that_nobody_catches(statement: str, tmp_path: Path) -> None:
    done = run(*RUSHLIGHT, "-c", f"import torch\n{statement}", cwd=tmp_path)
    shown = done.stderr.splitlines()
    assert shown[:2] == ["Traceback (most recent call last):", '  File "<string>", line 2, in <module>']
    assert shown[-1] == MISSING[statement]


def test_has_no_attribute_that_it_lacks() -> None:
    assert not hasattr(rushlight, "export")


def test_install_twice_changes_nothing(tmp_path: Path) -> None:
    program = """
import rushlight, sys
rushlight.install_as_torch()
before = sys.meta_path[:]
rushlight.install_as_torch()
import torch
print(torch is rushlight, sys.meta_path == before)
"""
    assert run(*PYTHON, "-c", program, cwd=tmp_path).stdout == "True True\n"


def test_refuses_where_another_torch_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        __version__ = "1.0"
        __file__ = "/somewhere/torch/__init__.py"

    monkeypatch.setitem(sys.modules, "torch", Other())
    with pytest.raises(RuntimeError, match=r"PyTorch 1.0 is already imported in this process \(from /somewhere/torch"):
        install_as_torch()


def test_error_of_the_program_shows_its_lines_only(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch\ntorch.ones(2, requires_grad=True).backward()\n")
    done = run(*RUSHLIGHT, "script.py", cwd=tmp_path)
    assert [line for line in done.stderr.splitlines() if "File" in line] == [f'  File "{script}", line 2, in <module>']
    assert "RuntimeError: grad can be implicitly created only for scalar outputs" in done.stderr.splitlines()
    everything = run(*RUSHLIGHT, "script.py", cwd=tmp_path, RUSHLIGHT_FULL_TRACEBACK="1").stderr
    assert os.path.dirname(rushlight.__file__) in everything


@pytest.mark.parametrize("how", ["print_exc", "thread"])
def test_other_ways_to_report_show_its_lines_only(how: str, tmp_path: Path) -> None:
    program = """
import threading, traceback, torch
def f():
    torch.ones(2, requires_grad=True).backward()
def print_exc():
    try:
        f()
    except RuntimeError:
        traceback.print_exc()
def thread():
    t = threading.Thread(target=f)
    t.start()
    t.join()
"""
    done = run(*RUSHLIGHT, "-c", f"{program}\n{how}()", cwd=tmp_path)
    assert '"<string>", line 4, in f' in done.stderr
    assert os.path.dirname(rushlight.__file__) not in done.stderr


def own(body: str) -> Any:
    """A function ``own(call)`` that counts as rushlight's."""
    names: dict[str, Any] = {}
    exec(compile(f"def own(call):\n    {body}\n", "<rushlight test>", "exec"), names)
    return names["own"]


def raise_value_error() -> None:
    raise ValueError


def raise_interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("body", "call", "blames_rushlight"),
    [
        ("raise ValueError('to the caller')", None, False),
        ("raise AttributeError('to the caller')", None, False),
        ("call.no_such_attribute", None, True),
        ("{}['key']", None, True),
        ("assert call", None, True),
        ("call()", raise_value_error, False),
        ("call()", raise_interrupt, False),
        ("int('x')", None, True),
        ("__import__('json').loads('{')", None, True),
        ("raise MemoryError", None, False),
        ("bytearray(1 << 62)", None, False),
    ],
)
def test_whose_fault(body: str, call: Any, blames_rushlight: bool) -> None:
    function = own(body)
    with pytest.raises(BaseException) as caught:
        function(call)
    shown = tracebacks.visible(caught.value, caught.value.__traceback__)
    names = []
    while shown is not None:
        names.append(shown.tb_frame.f_code.co_filename)
        shown = shown.tb_next
    assert names[0] == __file__
    assert ("<rushlight test>" in names) == blames_rushlight
    assert (names[-1] == __file__) == (not blames_rushlight)


def test_exception_keeps_its_traceback_after_a_report() -> None:
    with pytest.raises(ValueError) as caught:
        own("raise ValueError('to the caller')")(None)
    before = caught.value.__traceback__
    tracebacks.with_visible_frames(caught.value, lambda: None)
    assert caught.value.__traceback__ is before


SPAWN = """
import multiprocessing, pickle
import torch
class Pair:
    def __init__(self, x):
        self.x = x
def double(pair):
    return (torch.tensor(pair.x) * 2).item(), __name__
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(double, [Pair(1.5)]))
"""


def test_children_of_multiprocessing(tmp_path: Path) -> None:
    (tmp_path / "spawn.py").write_text(SPAWN)
    expected = "fork [(3.0, '__main__')]\nspawn [(3.0, '__mp_main__')]\nforkserver [(3.0, '__mp_main__')]\n"
    for words in (["spawn.py"], ["-m", "spawn"]):
        done = run(*RUSHLIGHT, *words, cwd=tmp_path, fresh=True)
        assert (done.stdout, done.stderr) == (expected, "")


def test_examples_run() -> None:
    examples = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
    assert examples
    for example in examples:
        done = run(*RUSHLIGHT, example.name, cwd=example.parent)
        assert (done.returncode, done.stderr) == (0, ""), example.name


def test_warnings_name_the_line_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import torch\n"
        "attention = torch.nn.MultiheadAttention(8, 2)\n"
        "x = torch.ones(3, 2, 8)\n"
        "attention(x, x, x, attn_mask=torch.zeros(3, 3), key_padding_mask=torch.zeros(2, 3).bool())\n"
    )
    told = run(*RUSHLIGHT, "program.py", cwd=tmp_path, check=True).stderr
    assert "program.py:4: UserWarning: Support for mismatched" in told


def test_classes_are_where_they_say(tmp_path: Path) -> None:
    """As cloudpickle looks for them: among the modules that are there. Else it would take all of a class along."""
    program = """
import sys, torch, torch.utils.data
class Own(torch.Tensor): ...
for cls in (torch.nn.Linear, torch.nn.Parameter, torch.optim.Adam, torch.utils.data.DataLoader, torch.Tensor, type(Own), type(Own).__base__):
    print(getattr(sys.modules[cls.__module__], cls.__name__, None) is cls)
"""
    done = run(*RUSHLIGHT, "-c", program, cwd=tmp_path)
    assert done.stdout == "True\n" * 7, done.stderr


def test_modules_run_once(tmp_path: Path) -> None:
    """Each is one object under both names, and has those below it for attributes."""
    program = """
import sys
import torch.nn
import torch.optim as optim
import torch.distributions as distributions
import torch.utils.checkpoint
from torch.utils.data import DataLoader
import torch.fx.node
print(optim.sgd.SGD is optim.SGD, distributions.normal.Normal is distributions.Normal, torch.utils.data.dataset.__name__)
below = [name[6:] for name in sys.modules if name.startswith("torch.") and f"rushlight.{name[6:]}" in sys.modules]
print(len(below) > 50, [name for name in below if sys.modules[f"torch.{name}"] is not sys.modules[f"rushlight.{name}"]])
"""
    assert answer(program, tmp_path) == "True True torch.utils.data.dataset\nTrue []\n"
