"""A compiled function's forms: what it was captured for, and by what it is told whether that is there again.

Arguments of one structure, tensors of one form in the same places, the library's own modes; and all that the function's code looks
at, which guards compare.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..amp import autocast_mode
from ..autograd import modes
from ..base.arguments import OWN_CODE, code_of
from ..base.device import changes, get_default_device
from ..base.dtypes import get_default_dtype
from ..tensor import Tensor
from .capture.guards import Findings, same
from .capture.recorder import NotUnderstood
from .guarding import Guards
from .trees import tensor_form, which_containers

TURNS = 6  # how often each way is timed
SHORT = 1e-3  # seconds; what takes less by far is timed up to four times as often
FASTER = 0.97  # of the time as it is, at most, is a replay kept
BEFORE = 3e-6  # seconds that go by before it is known what is replayed, which what is settled to run as it is does not take
NEAR, LOOKS, LATER = 1.25, 2, 8  # longer ways no further apart are timed twice more, each time at so many times as many calls


def surroundings() -> tuple[Any, ...]:
    """What of the library's own state a program depends on."""
    state = modes.state
    return (
        state.grad_enabled, state.inference is not None, state.enabled_in_inference, state.anomaly, state.saved_hooks or None,
        state.keeps_layout, state.view_replay, autocast_mode.settings(), state.function_modes, state.recorder, get_default_dtype(),
        get_default_device() if changes.count else None,
    )  # fmt: skip


class Way:
    """One way to replay a form: a program, and what it gives. Without one the function runs as it is."""

    def __init__(self, program: Any = None, results: Any = None) -> None:
        self.program, self.results = program, results
        self.times: list[float] = []  # seconds that calls took

    def takes(self) -> float:
        """Seconds that a quarter of the calls stay below: what the machine does besides makes most of them longer, and the very
        shortest is luck where a way has threads of its own, as XLA has."""
        return sorted(self.times)[len(self.times) // 4]


class Form:
    """A function for arguments of one form, while what its code looks at is as it was: how far it has come."""

    def __init__(self, form: Any, surroundings: tuple[Any, ...], leaves: list[Any]) -> None:
        self.form, self.surroundings = form, surroundings
        self.forms = [tensor_form(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        self.recordings = 0
        self.seconds = 0.0  # that its recordings took, with what was built of them
        self.errors = 0  # recordings that an error has ended
        self.names: set[str] = set()
        self.users: set[str] = set()
        self.any_name = self.missing = False
        self.first: Any = None  # the trace of the last recording
        self.reason: NotUnderstood | None = None  # why it runs as it is
        self.as_it_is = Way()
        self.ways: list[Way] = []  # that gave what the program does
        self.way: Way | None = None  # the one that it is replayed by, so long as that is not known the first
        self.guards: Guards | None = None
        self.inputs: list[tuple[int, str, Any]] = []
        self.replays: bool | None = None  # once it is known what is fastest
        self.found: Findings | None = None  # what was there after the last recording, until there are guards
        self.calls = 0  # that it served
        self.looks, self.again = 0, -1  # how often it was timed anew, and at which call it will be
        # Which lists and dicts it is given are one, and those that the program finds by itself; None where it is given but one.
        self.lists: tuple[frozenset[int], list[int]] | None = None
        self.because = ""  # why the form that was used last did not do

    @property
    def program(self) -> Any:
        """What it is replayed by; None where there is nothing."""
        return None if self.way is None else self.way.program

    def is_decided(self) -> bool:
        """Whether it is known for good what is fastest. Where two ways are near one another, they are timed again later, and all
        times count: what else a machine does comes and goes, short times stay."""
        every, turns = [self.as_it_is, *self.ways], TURNS * (1 + self.looks)
        if any(len(one.times) < (turns if TURNS * min(one.times) > SHORT else 4 * turns) for one in every):
            return False
        self.way = min(self.ways, key=Way.takes)
        self.replays = self.way.takes() + BEFORE < FASTER * self.as_it_is.takes()
        first, second, *_ = sorted(one.takes() for one in every)
        if second < NEAR * first and TURNS * first > SHORT and self.looks < LOOKS:
            self.looks, self.again = self.looks + 1, LATER * self.calls
            self.ways = [one for one in self.ways if one.takes() < NEAR * first]
            return False
        self.ways = [self.way]
        return True

    def takes(self, leaves: list[Any]) -> bool:
        """Whether arguments, of the right structure, are those: tensors of the same form in the same places, and otherwise the
        same."""
        return len(leaves) == len(self.forms) and all(map(_is_one, leaves, self.forms))

    def is_given(self, args: object, kwargs: object, seen: Iterable[object]) -> None:
        """Notes which lists and dicts it is given, by a program that has ``seen`` others, or the same."""
        found = frozenset(id(one) for one in seen if isinstance(one, (list, dict)))
        given = which_containers((args, kwargs), found)
        self.lists = (found, given) if len(given) > 1 else None  # kwargs is one

    def is_given_those(self, args: object, kwargs: object) -> bool:
        """Whether they are those again, as far as it can be asked."""
        return self.lists is None or which_containers((args, kwargs), self.lists[0]) == self.lists[1]

    def is_another(self) -> bool:
        """Whether what the program looked at, when it could not be captured, is another now, as far as that can be told."""
        return self.found is not None and self.found.changed() is not None

    def inputs_of(self, leaves: list[Any]) -> dict[int, Any]:
        """The tensors that a replay is given, by their numbers."""
        return {number: leaves[what] if kind == "argument" else what for number, kind, what in self.inputs if kind != "grad"}

    def guarded(self) -> list[str]:
        """What is looked at before each replay, in words."""
        if self.guards is None:
            return []
        findings = self.guards.findings
        arguments = [f"argument {place}: {_told(form)}" for place, form in enumerate(self.forms)]
        found = [f"{_told(form)}, which it finds" for _, form in self.guards.there]
        return [*arguments, *found, *(findings.told(*check) for check in findings.checks)]

    def report(self, number: int) -> list[str]:
        """What was captured, how much is looked at, and what each way costs, in lines."""
        if self.reason is not None:
            lines = [f"form {number}: runs as it is: {told(self.reason)}"]
        elif self.program is None:
            lines = [f"form {number}: recorded {self.recordings} times"]
        else:
            ops = len(self.program.trace.instructions)
            guards = self.guards.count() if self.guards is not None else 0
            lines = [
                f"form {number}: {ops} instructions, {guards} guards; {self.recordings} calls recorded, the replay built and tried, "
                f"in {self.seconds * 1e3:,.1f} ms"
            ]
            if self.way is not None and self.way.times and self.as_it_is.times:
                eager, replay = (way.takes() * 1e6 for way in (self.as_it_is, self.way))
                kept = {
                    None: "not yet decided",
                    True: f"replayed by {type(self.program).__name__}",
                    False: "runs as it is, which is faster",
                }[self.replays]
                lines.append(f"    {eager:,.0f} us as it is, {replay:,.0f} us by replay: {kept}")
        return [*lines, f"    made since another did not do: {self.because}"] if self.because else lines

    def misfit(self, fresh: Form) -> str:
        """Why this form does not do for a call that ``fresh`` has just been made for."""
        if self.form != fresh.form:
            return "arguments of another structure, or other ones of them that are one tensor"
        if self.surroundings != fresh.surroundings:
            return "a mode or a default that is another"
        for place, (now, then) in enumerate(zip(fresh.forms, self.forms, strict=True)):
            if now != then if type(now) is tuple is type(then) else not same(now, then):
                return f"argument {place}: {_told(now)}, and not {_told(then)}"
        findings = self.found if self.guards is None else self.guards.findings
        changed = None if findings is None else findings.changed()
        return (
            f"the {changed}, which is another"
            if changed is not None
            else "tensors that have another form, or share memory in another way, or other lists of them that are one"
        )


def _is_one(leaf: Any, wanted: Any) -> bool:
    return bool(tensor_form(leaf) == wanted) if isinstance(leaf, Tensor) else same(leaf, wanted)


def placed(reason: NotUnderstood, function: object) -> NotUnderstood:
    """A reason with a line: where no line of a function is known to be the one, its first."""
    code = code_of(function)
    if not reason.place and code is not None and not code.co_filename.startswith(OWN_CODE):
        reason.place = f"{code.co_filename}:{code.co_firstlineno}"
    return reason


def told(reason: NotUnderstood) -> str:
    """A reason with its line."""
    return f"{reason.reason} ({reason.place})" if reason.place else reason.reason


def _told(form: Any) -> str:
    """An argument's form in words."""
    if type(form) is not tuple or not isinstance(form[0], type) or not issubclass(form[0], Tensor):
        text = repr(form)
        return text if len(text) < 60 else f"another {type(form).__name__}"
    _, shape, dtype, strides, needs, *_ = form
    return f"a tensor of shape {list(shape)}, {dtype}, strides {list(strides)}{', requires_grad' if needs else ''}"
