"""``rushlight explain script.py``: the program runs as without it, then its story is written."""

from __future__ import annotations

import argparse
import errno
import io
import locale
import os
import re
import sys
import tokenize
import webbrowser
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from rushlight.as_torch.advice import advise
from rushlight.as_torch.process import prepare_process
from rushlight.as_torch.tracebacks import visible

STDIN = "<stdin>"  # what Python calls a program that it reads there
SUFFIXES = (".html", ".svg", ".json", ".txt")


class Explaining:
    """A story around the program that the words name: entered, it says how to run that, and with what (``"-"`` and the text from
    standard input; ``"-m"`` and a module's name; ``""`` and a file). It has no frame beneath the program, which may count them; what
    the program raises, or exits with, goes on as it came."""

    def __init__(self, words: Sequence[str]) -> None:
        self.options = options = _options(words)
        self.kind = "-m" if options.module else "-" if options.script == "-" else ""
        script = options.script
        self.name = STDIN if self.kind == "-" else script if options.module else os.path.basename(script)
        stem = "stdin" if self.kind == "-" else script if options.module else os.path.splitext(self.name)[0]
        self.files = options.output or [f"{stem}.explain.html"]
        for path in self.files:
            _check(path, script)
        self.files = [os.path.abspath(path) for path in self.files]
        self.unread = _unread(script) if self.kind == "" else None

    def __enter__(self) -> tuple[str, Any]:
        prepare_process()
        from . import observing
        from .story import Story

        options = self.options
        self.story = story = Story(options.full, jacobians=not options.no_jacobians)
        story.name, story.arguments = self.name, options.arguments
        source = sys.stdin.buffer.read() if self.kind == "-" else b""
        if self.kind == "-":
            story._recording.places.given[STDIN] = _lines(source)
        sys.argv[:] = [self.kind if options.module else options.script, *options.arguments]
        self.streams = _listen(story)
        # What has called this, the command `rushlight` say, is not the program.
        story._recording.calls.outermost = sys._getframe(1).f_code
        self.stop = observing.stop
        observing.start(story._recording)
        return self.kind, source if self.kind == "-" else options.script

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop(self.story._recording)
        for stream in self.streams:
            del stream.write
        _leave_out_of_traceback(trace)
        if error is not None:  # what is printed with it afterwards
            advise(error, visible(error, trace))
        names = dict(vars(sys.modules["__main__"]))
        self.story.finish(names, self._missing(error) or error, _exit_code(error))
        _write(self.story, self.files, self.options)

    def _missing(self, error: BaseException | None) -> Exception | None:
        """What is wrong with a script or a module that is not there, of which Python says a line and exits."""
        said = f"{sys.executable}: "
        if isinstance(error, SystemExit) and isinstance(error.code, str) and error.code.startswith(said):
            return ModuleNotFoundError(error.code.removeprefix(said))
        return self.unread


def _unread(script: str) -> OSError | None:
    """Why a file cannot be read; it is not opened, or what is written to a pipe would be lost."""
    try:
        os.stat(script)
    except OSError as error:
        return error
    return None if os.access(script, os.R_OK) else PermissionError(errno.EACCES, os.strerror(errno.EACCES), script)


def _lines(source: bytes) -> list[str]:
    """The text of a program in its own encoding."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:
        encoding = "utf-8"
    return source.decode(encoding, "replace").splitlines()


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("rushlight explain", description="Run a script and write what backward did in it.")
    parser.add_argument("-o", dest="output", action="append", metavar="FILE", help=f"one of {' '.join(SUFFIXES)}; repeatable")
    parser.add_argument("--open", action="store_true", help="show the page in a browser")
    parser.add_argument(
        "--lang", choices=("en", "zh"), default="zh" if (locale.getlocale()[0] or "").startswith("zh") else "en"
    )
    parser.add_argument("--passes", type=_passes, metavar="LIST", help="backward passes that are shown whole: first,2,last")
    parser.add_argument("--no-jacobians", action="store_true", help="without v, J and v^T J")
    parser.add_argument("--full", action="store_true", help="keep every value whole")
    parser.add_argument(
        "-m", dest="module", action="store_true", help="the script is a module, by its name as python -m takes it"
    )
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER).required = False  # an error names what is missing
    return parser.parse_args(words)


def _passes(text: str) -> list[int | str]:
    """``first,2,last`` as a list; what is none of these is an error of the command line."""
    words = text.split(",")
    if not all(one in ("first", "last") or re.fullmatch("[1-9][0-9]*", one) for one in words):
        raise argparse.ArgumentTypeError(f"{text!r} is no list like first,2,last (passes count from 1)")
    return [one if one in ("first", "last") else int(one) for one in words]


def _check(path: str, script: str) -> None:
    """An output that cannot be written, or is the program itself, ends the process before the program runs."""
    if os.path.splitext(path)[1] not in SUFFIXES:
        sys.exit(f"rushlight explain: {path!r} ends with none of {' '.join(SUFFIXES)}")
    existed = os.path.exists(path)
    if existed and os.path.exists(script) and os.path.samefile(path, script):
        sys.exit(f"rushlight explain: {path!r} is the program")
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        sys.exit(f"rushlight explain: cannot write {path!r}: {error.strerror}")
    if not existed:
        os.remove(path)


def _listen(story: Any) -> list[Any]:
    """Notes what the program writes to its streams, which write it as before."""
    streams = []
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before Python began
            continue
        write = stream.write

        def noted(text: str, name: str = name, write: Callable[[str], int] = write) -> int:
            story._recording.prints(name, text)
            return write(text)

        try:
            stream.write = noted
        except AttributeError:
            continue
        streams.append(stream)
    return streams


def _leave_out_of_traceback(trace: TracebackType | None) -> None:
    """What notes a print is not the program: where it cannot be printed, the error is the stream's."""
    while trace is not None:
        while trace.tb_next is not None and trace.tb_next.tb_frame.f_code.co_qualname == f"{_listen.__name__}.<locals>.noted":
            trace.tb_next = trace.tb_next.tb_next
        trace = trace.tb_next


def _exit_code(error: BaseException | None) -> int:
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    return 0 if error is None else 130 if isinstance(error, KeyboardInterrupt) else 1


def _write(story: Any, files: list[str], options: argparse.Namespace) -> None:
    written = []
    for path in files:
        try:
            story.save(path, options.lang, options.passes)
            written.append(path)
        except Exception as failure:  # whatever it is: the program's own error and exit code stay
            sys.stderr.write(f"rushlight explain: cannot write {path!r}: {failure}\n")
    if not options.output and sys.stdout is not None:
        try:
            story.show(options.lang, options.passes)
            if files[0] in written:
                print(story._said_of_page(os.path.basename(files[0]), options.lang))
            sys.stdout.flush()
        except BrokenPipeError:  # who reads has enough, as `head` has; what is left to write goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as failure:
            sys.stderr.write(f"rushlight explain: {failure}\n")
    pages = [path for path in files if path.endswith(".html")]
    if options.open and pages:
        webbrowser.open("file://" + pages[0])
