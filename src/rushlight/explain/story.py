"""A story: what is recorded inside of a block, and the forms that it can be shown in."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from importlib import import_module
from types import CodeType, FrameType, TracebackType
from typing import Any

from ..base.arguments import user_frame
from ..tensor import Tensor
from . import observing
from .columns import WIDTH, spelled
from .entries import Entry, notes_of
from .frames import deep_elements_of, elements_of, parameters_of
from .jacobian import jacobian_of
from .keeping import compact
from .ledger import ledger_of, names_in_functions
from .reading import in_graph, read
from .recording import LIMIT, Recording
from .steps import Which
from .words import say

FORMAT = "rushlight-recording/1"
NARROWEST = 32  # columns of a terminal


class Story:
    """What happened inside of ``with rushlight.explain() as story:``.

    >>> import rushlight as torch
    >>> with torch.explain() as story:
    ...     x = torch.tensor([1.0, 2.0], requires_grad=True)
    ...     (x * x).sum().backward()
    >>> [event["kind"] for event in story.recording["events"]]
    ['op', 'op', 'backward', 'run', 'run', 'leaf', 'end']
    """

    def __init__(self, full: bool = False, limit: int = LIMIT, jacobians: bool = True) -> None:
        self._recording = Recording(full, limit, jacobians)
        self.recording: Entry = {}
        self.name = ""
        self.arguments: list[str] = []

    def __enter__(self) -> Story:
        frame = user_frame(sys._getframe(1))
        self._recording.calls.outermost = None if frame is None else frame.f_code
        observing.start(self._recording)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        observing.stop(self._recording)
        frame = user_frame(sys._getframe(1))
        names = {} if frame is None else {**frame.f_globals, **frame.f_locals}
        self.finish(names, error, None, frame)

    def finish(
        self,
        names: Mapping[str, object],
        error: BaseException | None,
        exit_code: int | None,
        frame: Any = None,
        only: set[int] | None = None,
    ) -> None:
        """Makes the recording of what was seen; ``names`` are those that the program leaves behind, ``only`` those to tell of."""
        recording = self._recording
        recording.look_for_writes()
        if recording.gap is not None:
            compact(recording)
        if frame is not None:
            recording.look_for_names(frame, True)
        bound = names_in_functions(recording) | self._bound(names, frame, only)
        told: Entry | None = None
        if isinstance(error, Exception) or (error is not None and not isinstance(error, SystemExit)):
            told = {"type": type(error).__name__, "message": str(error), "place": recording.places.of_error(error)}
            seen = next((one for one in reversed(recording.events) if one["kind"] not in ("write", "reset")), {"kind": ""})
            if seen["kind"] != "error" or seen["message"] != str(error):
                recording.event(
                    "error", told["place"], type=told["type"], message=told["message"], notes=notes_of(error), node=None
                )
        program = {"name": self.name, "arguments": self.arguments, "printed": recording.printed, "exit_code": exit_code}
        self.recording = {
            "format": FORMAT, "program": {**program, "error": told}, **recording.finished(),
            "ledger": ledger_of(recording, bound, told),
            "limits": {
                "events": recording.limit, "left_out": recording.left_out, "gap": recording.gap, "seen": dict(recording.totals),
            },
        }  # fmt: skip

    def _bound(self, names: Mapping[str, object], frame: FrameType | None, only: set[int] | None) -> dict[tuple[str, str], int]:
        """By scope and name the entries of what the program leaves behind; an element that has a name of its own stands under that."""
        recording = self._recording
        if frame is None and only is None:  # a whole program's
            recording.look_for_bound(names)
        told = None if frame is None or only is not None else (_used(recording), _mentioned(frame.f_code))
        bound: dict[tuple[str, str], int] = {}
        containers = {name: one for name, one in names.items() if type(one) in (list, tuple, dict)}
        asking = ((name, one) for name, one in deep_elements_of(names) if one._edge is None and one._needs_grad)
        own = ((name, one) for name, one in names.items() if isinstance(one, Tensor) and not name.startswith("__"))
        for is_element, found in (
            (False, own),
            (False, parameters_of(dict(names))),
            (True, elements_of(containers)),
            (True, asking),
        ):
            for name, value in found:
                number = recording.known(value)
                if number is None or (only is not None and number not in only) or (is_element and number in bound.values()):
                    continue
                root = re.split(r"[.\[]", name)[0]
                if told is not None and recording.tensors[number]["identity"] not in told[0] and root not in told[1]:
                    continue  # a notebook has names of other cells
                scope = frame.f_code.co_qualname if frame is not None and root in frame.f_locals else "<module>"
                bound[scope, name] = number
                recording.named(number, name, scope)
        return bound

    def read(self, out: Tensor, gradient: Tensor | None = None) -> Story:
        """The graph behind a tensor, with nothing run of it and nothing freed."""
        if not isinstance(out, Tensor):
            raise TypeError(f"explain(): argument 'out' must be Tensor, not {type(out).__name__}")
        if gradient is not None and tuple(gradient.shape) != tuple(out.shape):
            raise RuntimeError(f"explain(): gradient has a shape of {gradient.shape} and out has a shape of {out.shape}")
        recording = self._recording
        frame = user_frame(sys._getframe(1))
        if frame is not None:
            recording.look_for_names(frame)
            recording.places.source(frame.f_code.co_filename)
        recording.tensor(out)
        if out._edge is not None:
            seed = gradient if gradient is not None else out.detach().new_ones(out.shape)
            read(recording, [out._edge], [seed])
            found = jacobian_of(recording, [out._edge], [seed])
            if found is not None:
                recording.jacobians.append({"pass": 0, "place": None, **found.entry(recording)})
        names = {} if frame is None else {**frame.f_globals, **frame.f_locals}
        self.finish(names, None, None, only=in_graph(recording, out))
        return self

    # The forms.

    def _ended(self) -> Entry:
        """The recording, which is there once the block is over."""
        if not self.recording:
            raise RuntimeError("the story has no end yet: its forms are there behind the with block")
        return self.recording

    def save(self, path: str | os.PathLike[str], lang: str = "en", passes: Which | None = None) -> None:
        """Writes ``.json``, ``.html``, ``.svg`` or ``.txt``; ValueError for another ending.

        ``passes`` says which backward passes are shown whole: numbers from 1, ``"first"`` and ``"last"``; without it all of up
        to five, and of more the first two and the last.
        """
        text = self.form(os.path.splitext(path)[1], lang, passes)  # where this raises, what is there stays
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:  # halves of surrogates, as JSON writes them
            file.write(text)

    def form(self, suffix: str, lang: str = "en", passes: Which | None = None) -> str:
        """The text of a form by its file's ending."""
        if suffix == ".json":
            return json.dumps(self._ended(), ensure_ascii=False) + "\n"
        room = {".html": "page", ".svg": "svg", ".txt": "terminal"}.get(suffix)
        if room is None:
            raise ValueError(f"{suffix!r} is none of the forms .html, .svg, .txt, .json")
        return str(import_module(f"{__package__}.{room}").render(self._ended(), lang, passes))

    def __str__(self) -> str:
        return self.form(".txt")

    def show(self, lang: str = "en", passes: Which | None = None) -> None:
        """Prints the story's text, in a terminal that is narrower than 80 columns in as many as it has."""
        terminal = import_module(f"{__package__}.terminal")
        columns = max(shutil.get_terminal_size().columns, NARROWEST) if sys.stdout.isatty() else WIDTH
        text = terminal.render(self._ended(), lang, passes, columns)
        print(spelled(text, getattr(sys.stdout, "encoding", None) or "utf-8"))

    def _said_of_page(self, name: str, lang: str) -> str:
        """The line that says what a page is called."""
        return say("page", name=name).plain(lang)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return dict(import_module(f"{__package__}.notebook").mimebundle(self._ended(), "en"))


def _used(recording: Recording) -> set[int]:
    """The identities of the tensors that something happened to, and of those below them in a graph."""
    found: set[int | None] = set()
    waiting: list[int | None] = []
    for event in recording.events:
        found.update((*(event.get("inputs") or ()), *(event.get("outputs") or ()), event.get("tensor")))
        waiting += [event.get("node"), *(root["node"] for root in event.get("roots", ()))]
    waiting += [recording.tensors[one]["node"] for one in found if one is not None]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            edges = [edge for edge in recording.nodes[node]["edges"] if edge is not None]
            found.update((recording.nodes[node]["variable"], *(edge["tensor"] for edge in edges)))
            waiting += [edge["node"] for edge in edges]
    return {recording.tensors[one]["identity"] for one in found if one is not None}


def _mentioned(code: CodeType) -> set[str]:
    """The names that a block's code, and the functions in it, speak of."""
    found = {*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}
    return found.union(*(_mentioned(one) for one in code.co_consts if isinstance(one, CodeType)))
