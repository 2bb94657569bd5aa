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
from typing import Any

from rushlight.as_torch.process import prepare_process

STDIN = "<stdin>"  # what Python calls a program that it reads there
SUFFIXES = (".html", ".svg", ".json", ".txt")


def main(
    words: Sequence[str],
    run_file: Callable[[str], None],
    run_module: Callable[[str], None],
    run_stdin: Callable[[bytes], None],
) -> None:
    """Runs the script that the words name (``-``: on standard input; with ``-m``: a module) under a story; what it raises, or exits
    with, goes on as it came."""
    options = _options(words)
    script = options.script
    from_stdin = script == "-" and not options.module
    name = STDIN if from_stdin else script if options.module else os.path.basename(script)
    stem = "stdin" if from_stdin else script if options.module else os.path.splitext(name)[0]
    files = options.output or [f"{stem}.explain.html"]
    for path in files:
        _check(path)
    prepare_process()
    from . import observing
    from .story import Story

    story = Story(options.full, jacobians=not options.no_jacobians)
    story.name, story.arguments = name, options.arguments
    source = sys.stdin.buffer.read() if from_stdin else b""
    if from_stdin:
        story._recording.places.given[STDIN] = _lines(source)
    sys.argv[:] = ["-m" if options.module else script, *options.arguments]
    files = [os.path.abspath(path) for path in files]
    streams = _listen(story)
    # What has called this, the command `rushlight` say, is not the program.
    story._recording.calls.outermost = sys._getframe().f_code
    observing.start(story._recording)
    error: BaseException | None = None
    try:
        if from_stdin:
            run_stdin(source)
        else:
            (run_module if options.module else run_file)(script)
    except BaseException as raised:
        error = raised
        raise
    finally:
        observing.stop(story._recording)
        for stream in streams:
            del stream.write
        names = dict(vars(sys.modules["__main__"]))
        story.finish(names, _missing(options, error) or error, _exit_code(error))
        _write(story, files, options)


def _missing(options: argparse.Namespace, error: BaseException | None) -> Exception | None:
    """What is wrong with a script or a module that is not there, of which Python says a line and exits."""
    if options.module:
        is_said = isinstance(error, SystemExit) and isinstance(error.code, str) and "No module named" in error.code
        return ModuleNotFoundError(str(error).rpartition(": ")[2]) if is_said else None
    if options.script == "-" or os.path.exists(options.script):
        return None
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), options.script)


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
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(words)


def _passes(text: str) -> list[int | str]:
    """``first,2,last`` as a list; what is none of these is an error of the command line."""
    words = text.split(",")
    if not all(one in ("first", "last") or re.fullmatch("[1-9][0-9]*", one) for one in words):
        raise argparse.ArgumentTypeError(f"{text!r} is no list like first,2,last (passes count from 1)")
    return [one if one in ("first", "last") else int(one) for one in words]


def _check(path: str) -> None:
    """An output that cannot be written ends the process before the program runs."""
    if os.path.splitext(path)[1] not in SUFFIXES:
        sys.exit(f"rushlight explain: {path!r} ends with none of {' '.join(SUFFIXES)}")
    existed = os.path.exists(path)
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


def _exit_code(error: BaseException | None) -> int:
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    return 0 if error is None else 130 if isinstance(error, KeyboardInterrupt) else 1


def _write(story: Any, files: list[str], options: argparse.Namespace) -> None:
    for path in files:
        try:
            story.save(path, options.lang, options.passes)
        except Exception as failure:  # whatever it is: the program's own error and exit code stay
            sys.stderr.write(f"rushlight explain: cannot write {path!r}: {failure}\n")
    if not options.output:
        try:
            story.show(options.lang, options.passes)
            sys.stdout.flush()
        except BrokenPipeError:  # who reads has enough, as `head` has; what is left to write goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as failure:
            sys.stderr.write(f"rushlight explain: {failure}\n")
    pages = [path for path in files if path.endswith(".html")]
    if options.open and pages:
        webbrowser.open("file://" + pages[0])
