"""``python -m rushlight script.py``: run a program in a process where ``import torch`` means rushlight.

Everything else is as if python had run the program: ``sys.argv``, ``__main__``, tracebacks and exit codes.
"""

from __future__ import annotations

import builtins
import code
import io
import linecache
import os
import runpy
import sys
import tokenize
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from pkgutil import get_importer
from types import ModuleType, TracebackType
from typing import Any

from rushlight.as_torch import installing
from rushlight.as_torch.process import prepare_process
from rushlight.base import version

USAGE = """\
usage: rushlight [-m module | -c code | script | -] [argument ...]
       rushlight check FILE | FOLDER | PACKAGE ...
       rushlight install-torch | uninstall-torch
       rushlight explain [-o FILE] [--open] [--lang en|zh] [--full] [-m] script [argument ...]

Run a Python program in which `import torch` means rushlight. Without a program: read one from standard input.
With check: list the names of PyTorch that code uses and rushlight lacks (a script of that name is run as ./check).
With install-torch: `import torch` means rushlight for all programs of this Python, until uninstall-torch.
With explain: run a script and write what backward did in it (script.explain.html, or the files named with -o).
Python's own options go to python: python -i -u -m rushlight script.py
"""


_COMMANDS = ("check", "install-torch", "uninstall-torch", "explain")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program that the command line names (``sys.argv[1:]`` where no arguments are given)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    first = words[0] if words else "-"
    if first in ("-h", "--help"):
        print(USAGE, end="")
    elif first in ("-V", "--version"):
        print(f"rushlight {version.rushlight} (PyTorch {version.__version__.partition('+')[0]})")
    elif first == "check" and (len(words) > 1 or not os.path.exists(first)):
        from rushlight.as_torch.checking import main as check

        sys.exit(check(words[1:]))
    elif first in ("install-torch", "uninstall-torch") and len(words) == 1:
        sys.exit(installing.main(first))
    elif first == "explain" and (len(words) > 1 or not os.path.exists(first)):
        from rushlight.explain.running import Explaining

        with Explaining(words[1:]) as (kind, program):
            runners: dict[str, Callable[[Any], None]] = {"-m": _run_module, "-": _run_source}
            runners.get(kind, _run_file)(program)
    elif first in ("-m", "-c"):
        if len(words) == 1:
            _refuse(f"Argument expected for the {first} option")
        prepare_process()
        sys.argv[:] = [first, *words[2:]]
        (_run_module if first == "-m" else _run_text)(words[1])
    elif first.startswith("-") and first != "-":
        _refuse(f"Unknown option: {first}")
    else:
        prepare_process()
        sys.argv[:] = words or [""]
        if first == "-":
            _run_stdin()
        else:
            _run_file(first)


def _refuse(message: str) -> None:
    sys.stderr.write(f"{message}\n{USAGE}")
    sys.exit(2)


def _run_file(path: str) -> None:
    """A script, or a folder or archive that holds a ``__main__`` module."""
    # As python does, join without tidying: it shows in __file__ and in tracebacks.
    full_path = os.getcwd() if path == "." else os.path.join(os.getcwd(), path)
    if get_importer(full_path) is not None:
        _start_main(full_path)
        _run(runpy._run_module_as_main, "__main__", False)  # type: ignore[attr-defined]
        return
    is_compiled = path.endswith(".pyc")
    loader = (SourcelessFileLoader if is_compiled else SourceFileLoader)("__main__", full_path)
    try:
        source = loader.get_data(full_path)
    except OSError as error:
        sys.stderr.write(f"{sys.executable}: can't open file {full_path!r}: [Errno {error.errno}] {error.strerror}\n")
        for command in get_close_matches(path, _COMMANDS, 1):
            sys.stderr.write(f"Did you mean `rushlight {command}`?\n")
        sys.exit(2)
    names = _start_main(os.path.dirname(os.path.realpath(path)), loader, full_path)
    if not is_compiled:
        _run(_refuse_undeclared, source, full_path)
    program = _run(loader.get_code, "__main__") if is_compiled else _run(compile, source, full_path, "exec", 0, True)
    _run(exec, program, names)


def _refuse_undeclared(source: bytes, path: str) -> None:
    """Python's error for bytes that are no UTF-8 where no encoding is declared; ``compile`` lets them pass in comments."""
    try:
        source.decode(tokenize.detect_encoding(io.BytesIO(source).readline)[0])
    except SyntaxError:
        return  # of a declaration, which compile refuses in Python's own words
    except UnicodeDecodeError as error:
        if error.encoding not in ("utf-8", "utf8"):
            return
        line = source.count(b"\n", 0, error.start) + 1
        raise SyntaxError(
            f"Non-UTF-8 code starting with '\\x{source[error.start]:02x}' in file {path} on line {line}, but no encoding declared; "
            "see https://peps.python.org/pep-0263/ for details"
        ) from None


def _run_module(name: str) -> None:
    """What ``python -m`` itself calls, so that every message and frame is the same."""
    _start_main(os.getcwd())
    _run(runpy._run_module_as_main, name)  # type: ignore[attr-defined]


def _run_text(source: str) -> None:
    names = _start_main("")
    if sys.version_info >= (3, 13):  # where tracebacks of `python -c` show the line
        linecache.cache["<string>"] = (len(source), None, source.splitlines(keepends=True), "<string>")
    _run(exec, _run(compile, source + "\n", "<string>", "exec", 0, True), names)


def _run_stdin() -> None:
    """The program on standard input, or a prompt where that is a terminal."""
    if sys.stdin.isatty():
        import readline  # noqa: F401  (line editing at the prompt comes with the import)

        names = _start_main("")
        code.interact(f"Python {sys.version}, torch is rushlight {version.rushlight}", local=names, exitmsg="")
        return
    _run_source(sys.stdin.buffer.read())


def _run_source(source: bytes) -> None:
    """A program that was read from standard input."""
    names = _start_main("", file="<stdin>")
    _run(exec, _run(compile, source, "<stdin>", "exec", 0, True), names)


def _start_main(search_path: str, loader: Any = BuiltinImporter, file: str | None = None) -> dict[str, Any]:
    """The namespace of a new ``__main__`` module, which pickle, multiprocessing and ``python -i`` then find."""
    if not sys.flags.safe_path:
        sys.path[0] = search_path
    module = ModuleType("__main__")
    names = vars(module)
    names.update(__builtins__=builtins, __loader__=loader)
    if sys.version_info < (3, 14):  # later ones make them when asked
        names.update(__annotations__={})
    if file is not None:
        names.update(__file__=file, __cached__=None)
    sys.modules["__main__"] = module
    return names


def _run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of Python's for the program; its exceptions end the process as if they had begun there."""
    try:
        return function(*arguments)
    except BaseException as error:
        trace = error.__traceback__
        _begin_traceback_at(error, trace.tb_next if trace is not None else None)
        raise


def _begin_traceback_at(error: BaseException, trace: TracebackType | None) -> None:
    """Have the exception reported with this traceback, however many of our frames it passes from here."""
    hook = sys.excepthook

    def excepthook(kind: type[BaseException], raised: BaseException, raised_trace: TracebackType | None) -> None:
        sys.excepthook = hook
        if raised is error:
            raised_trace = sys.last_traceback = error.__traceback__ = trace
        hook(kind, raised, raised_trace)

    sys.excepthook = excepthook


if __name__ == "__main__":
    main()
