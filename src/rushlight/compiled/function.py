"""A compiled function: recorded twice while it runs, then replayed while all is as it was.

Its first call with arguments of one form is recorded to learn what its code asks for. At the second call all that it can reach
by those names is noted, it is recorded again, and the two recordings must agree; then the replay is tried on the same numbers, and
must give the same to the last bit, in results, gradients, versions and random numbers drawn. The next calls are timed in turns; the
replay is kept where it is faster. At every step where something is not understood, the function simply runs.
"""

from __future__ import annotations

import copy
import operator
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd import modes
from ..backend.interrupts import came_by_a_signal, held
from ..base.arguments import OWN_CODE, code_of
from ..base.device import changes, get_default_device
from ..base.dtypes import get_default_dtype
from ..nn.modules import calls
from ..random import Generator
from ..tensor import Tensor
from .capture import watching
from .capture.guards import CannotTell, Findings, same, unreached
from .capture.recorder import NotUnderstood, Recorder
from .capture.traced_pass import TracedPass
from .capture.watching import Watch
from .errors import FailOnRecompileLimitHit, Unsupported
from .guarding import Guards, shared, sources
from .joint import Joint, recorded
from .replay.order import CannotReplay
from .replay.program import Program
from .results import Results, note_inputs
from .snapshots import State
from .stances import current, running
from .trees import containers_in, equal, leaves_of, tensor_form

FORMS = 8  # of arguments that are compiled for; with more the function runs as it is
TRIES = 4  # recordings of one form that may differ from the one before
TURNS, ROW = 6, 3  # how often each way is timed, and how often in a row: caches are then as they will be
SHORT = 1e-3  # seconds; what takes less by far is timed up to four times as often
FASTER = 0.97  # of the time as it is, at most, is a replay kept
BEFORE = 3e-6  # seconds that go by before it is known what is replayed, which what is settled to run as it is does not take
_NOTHING = leaves_of(((), {}), []), None  # the form of no arguments
Build = Callable[[Any, list[int]], Any]


def _surroundings() -> tuple[Any, ...]:
    """What of the library's own state a program depends on."""
    state = modes.state
    return (
        state.grad_enabled, state.inference is not None, state.enabled_in_inference, state.anomaly, state.saved_hooks or None,
        state.keeps_layout, state.view_replay, state.autocast, state.function_modes, state.recorder, get_default_dtype(),
        get_default_device() if changes.count else None,
    )  # fmt: skip


def _quiet() -> bool:
    """Whether nobody looks on: else a function runs as it is, for them to see it."""
    special, state = modes.special, modes.state
    return not (
        special.active != special.plain_to_see
        or state.transforms
        or state.forward_levels
        or modes.state.task is not None
        or calls.forward
        or calls.forward_pre
        or calls.backward
        or calls.backward_pre  # hooks of all modules
        or sys.getprofile() is not None
    )


class Way:
    """One way to replay a form: a program, and what it gives. Without one the function runs as it is."""

    def __init__(self, program: Any = None, results: Any = None) -> None:
        self.program, self.results = program, results
        self.times: list[float] = []  # seconds that calls took


class Form:
    """A function for arguments of one form: how far it has come."""

    def __init__(self, form: Any, surroundings: tuple[Any, ...]) -> None:
        self.form, self.surroundings = form, surroundings
        self.recordings = 0
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
        self.leaves: list[Any] = []
        self.inputs: list[tuple[int, str, Any]] = []
        self.replays: bool | None = None  # once it is known what is fastest
        self.forms: list[tuple[Any, Any]] = []

    @property
    def program(self) -> Any:
        """What it is replayed by; None where there is nothing."""
        return None if self.way is None else self.way.program


class Compiled:
    """A function that is captured as it runs, and replayed.

    ``builds``     make of a trace what replays it, each another way: the fastest is kept
    ``fullgraph``  what cannot be captured is an error
    ``limit``      for how many forms of arguments it is compiled
    """

    def __init__(
        self, function: Callable[..., Any], builds: Sequence[Build], fullgraph: bool = False, limit: int = FORMS
    ) -> None:
        self.function, self.builds, self.fullgraph, self.limit = function, tuple(builds), fullgraph, limit
        self.forms: list[Form] = []
        self.last: Form | None = None  # the one that a replay was last made of
        self.warned = False
        self.off: NotUnderstood | None = None  # why it runs as it is, whatever its arguments
        self.settled = False  # whether it runs as it is where it is given nothing, since that is faster
        self.always = False  # replays even where that is not faster
        self.lock = threading.RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.off is not None or (self.settled and not args and not kwargs):
            return self._as_it_is(args, kwargs)
        if not _quiet() or current.stance == "force_eager":
            return self._as_it_is(args, kwargs)
        around = _surroundings()
        last = self.last
        if last is not None and not args and not kwargs and last.form == _NOTHING and last.surroundings == around:
            return self._ready(last, [], args, kwargs)
        leaves: list[Any] = []
        form = leaves_of((args, kwargs), leaves), shared(leaves)
        for candidate in self.forms:
            if candidate.form == form and candidate.surroundings == around and _fits(candidate, leaves):
                if candidate.way is not None:
                    self.last = candidate
                    return self._ready(candidate, leaves, args, kwargs)
                if candidate.reason is not None:
                    return self._as_it_is(args, kwargs)
                return self._record(candidate, leaves, args, kwargs)
        if len(self.forms) >= self.limit:
            self._forget()
        if not self._may_begin():
            return self._as_it_is(args, kwargs)
        fresh = Form(form, around)
        fresh.leaves, fresh.forms = leaves, [_leaf_form(one) for one in leaves]
        self.forms.append(fresh)
        return self._record(fresh, leaves, args, kwargs)

    def _as_it_is(self, args: Sequence[object], kwargs: dict[str, object]) -> object:
        before, running.compiling = running.compiling, True
        try:
            return self.function(*args, **kwargs)
        finally:
            running.compiling = before

    def _may_begin(self) -> bool:
        """Whether arguments of another form may be captured."""
        if current.stance == "eager_on_recompile":
            return False
        if current.stance == "fail_on_recompile":
            code = code_of(self.function)
            raise RuntimeError(
                "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: "
                f"{code and code.co_filename!r}, function name: {_name(self.function)!r}, line number: {code and code.co_firstlineno}"
            )
        if len(self.forms) < self.limit:
            return True
        if self.fullgraph:
            raise FailOnRecompileLimitHit(f"{_name(self.function)}: recompile_limit ({self.limit}) reached with fullgraph=True")
        self._warn(
            f"{_name(self.function)} has been called with arguments of {self.limit} forms (recompile_limit); with those of others it "
            "runs as it is"
        )
        return False

    def _warn(self, text: str) -> None:
        """Once, for the user's line."""
        if not self.warned:
            self.warned = True
            depth = 1
            while sys._getframe(depth).f_code.co_filename.startswith(OWN_CODE):
                depth += 1
            warnings.warn(f"torch.compile: {text}", stacklevel=depth + 1)

    def _forget(self) -> None:
        """Forms whose surroundings have changed for good are of no use."""
        self.forms = [
            one for one in self.forms if one.reason is not None or one.guards is None or one.guards.findings.changed() is None
        ]

    # Recording.

    def _record(self, form: Form, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        with self.lock, watching.uncollected():
            form.recordings += 1
            try:
                return (self._first if form.recordings == 1 else self._second)(form, leaves, args, kwargs)
            except BaseException as error:
                form.recordings -= 1  # it has not seen all: the next is to be as if it had not been
                if isinstance(error, Exception) and not came_by_a_signal(error):
                    form.errors += 1
                    if form.errors == TRIES:
                        form.reason = NotUnderstood("its recordings end with an error")
                raise

    def _watched(self, recorder: Recorder, form: Form, args: Any, kwargs: Any) -> tuple[Any, Watch, Joint | None]:
        watch = Watch(recorder)
        with watch:
            result = self._as_it_is(args, kwargs)
            joint = recorded(result, recorder, lambda keep: TracedPass(recorder, keep, False))
        if self.fullgraph and recorder.broken is not None:
            raise Unsupported(told(recorder.broken))
        form.names |= watch.names
        form.users.update(name for code in watch.codes for name in code.co_names)
        form.any_name = form.any_name or watch.any_name
        form.missing = form.any_name or any(code.co_exceptiontable for code in watch.codes)
        return result, watch, joint

    def _first(self, form: Form, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        recorder = Recorder(None)
        result, _, _ = self._watched(recorder, form, args, kwargs)
        form.first = recorder.trace
        if recorder.failure is not None:
            self._give_up(form, recorder.failure)
        return result

    def _second(self, form: Form, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        """A recording knowing what was there before; then the replay is built and tried."""
        try:
            names = None if form.any_name else set(form.names)
            others = [one for one in leaves if not isinstance(one, Tensor)]
            given = [one for one in leaves if isinstance(one, Tensor)]
            findings = Findings([self.function, *others], names, set(form.users), given)
            before = dict(findings.tensors)
            for leaf in given:
                before[id(leaf)] = leaf
                if leaf._grad is not None:
                    before[id(leaf._grad)] = leaf._grad
            things = list(findings.seen.values())
            live = [one for one in things if _is_live(one)]
            state = State(before.values(), live, [one for one in things if isinstance(one, Generator)])
            forms = {key: tensor_form(tensor) for key, tensor in before.items()}
        except (CannotTell, NotImplementedError, AttributeError, TypeError) as error:
            self._give_up(form, NotUnderstood(str(error)))
            return self._as_it_is(args, kwargs)
        recorder = Recorder(before.values())
        known = len(form.names), form.any_name
        result, watch, joint = self._watched(recorder, form, args, kwargs)
        failure = recorder.failure
        trace, earlier = recorder.trace, form.first
        form.first = trace
        if failure is None:
            failure = self._misgivings(form, findings, watch, before, forms) or _given_back(result, findings, args, kwargs)
        again: list[object] = []
        leaves_of((args, kwargs), again)
        if failure is None and (len(again) != len(leaves) or any(map(operator.is_not, again, leaves))):
            failure = NotUnderstood("the program changes a container that it is given")
        if failure is not None:
            self._give_up(form, failure)
            return result
        if (len(form.names), form.any_name) != known or not trace.same_as(earlier):
            if form.recordings >= TRIES:
                self._give_up(form, NotUnderstood("each call does something else"))
            return result
        its_own = result
        note_inputs(its_own, recorder, before)
        form.inputs = sources(recorder, leaves)
        try:
            form.guards = Guards(findings, form.inputs, leaves, trace, forms, recorder.asks_places, form.missing)
        except NotUnderstood as error:
            self._give_up(form, error)
            return result
        after = State(state.given, live, state.generators)
        for build in self.builds:
            try:
                own = copy.copy(joint)
                results = Results(its_own, recorder, before, own)
                forward = trace if own is None else own.split(trace, _of_passes(build))
                way = Way(build(forward, results.numbers + (own.saved if own is not None else [])), results)
            except (NotUnderstood, CannotReplay) as error:
                failure = error if isinstance(error, NotUnderstood) else NotUnderstood(str(error))
                continue
            tried, difference = self._tried(form, way, (state, after), leaves, its_own)
            if difference is None:
                form.ways.append(way)
                result = tried
            else:
                failure = NotUnderstood(f"the replay is not the same in {difference}")
                result = its_own
        if form.ways:
            form.way = form.ways[0]
        elif failure is not None:
            self._give_up(form, failure)
        return result

    def _misgivings(
        self, form: Form, findings: Findings, watch: Watch, before: dict[int, Tensor], forms: dict[int, Any]
    ) -> NotUnderstood | None:
        """Why a recording that went well is of no use all the same."""
        if _surroundings() != form.surroundings:
            return NotUnderstood("a mode or a default that the program changes, and leaves so")
        changed = findings.changed()
        if changed is not None:
            return NotUnderstood(f"the program changes the {changed}")
        stranger = unreached(watch.codes, findings)
        if stranger is not None:
            return NotUnderstood(
                f"{stranger.co_qualname}() ran, and nothing led to it", f"{stranger.co_filename}:{stranger.co_firstlineno}"
            )
        for key, tensor in before.items():
            now, then = tensor_form(tensor), forms[key]
            if [*now[:9], *now[10:]] != [*then[:9], *then[10:]]:
                return NotUnderstood("a tensor that was there before has another form or place in a graph afterwards")
        return None

    def _tried(
        self, form: Form, way: Way, states: tuple[State, State], leaves: list[Any], result: Any
    ) -> tuple[Any, str | None]:
        """What a replay gives on what the program just ran on, and in what it is not the same: then, and where something from outside
        ends it, all is as the program left it."""
        before, after = states
        program, joint = way.program, way.results.joint
        try:
            before.put_back()
            tensors = _taken(form, leaves)
            arrays = program.run([tensors[number] for number in program.arguments])
            again = way.results.made_of(arrays, tensors)
            difference = State(after.given, after.live, after.generators).same_as(after, before, program.exact)
            if difference is None and not _alike(result, again, program.exact):
                difference = "a result"
            if difference is None and joint is not None and not joint.tried(way.results.in_graph(again), tensors):
                difference = "a gradient"
            if difference is not None:
                after.put_back()
            return again, difference
        except BaseException as error:
            held(after.put_back)
            if not isinstance(error, Exception) or came_by_a_signal(error):
                raise
            return None, f"{type(error).__name__}: {error}"

    # Replaying.

    def _ready(self, form: Form, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        if form.replays is False and not self.always:
            return self._as_it_is(args, kwargs)
        assert form.guards is not None
        began = time.perf_counter() if form.replays is None else 0.0
        if not form.guards.hold(leaves):
            self.last = None
            self.forms.remove(form)  # what it was made for is gone: begun anew
            return self(*args, **kwargs)
        if form.replays is None and not self.always:
            return self._timed(form, leaves, args, kwargs, time.perf_counter() - began)
        assert form.way is not None
        return self._replayed(form, form.way, leaves, args, kwargs)

    def _timed(self, form: Form, leaves: list[Any], args: Any, kwargs: Any, looking: float) -> Any:
        """A call by one of the ways; that it looks first, for so many seconds, is part of a replay."""
        every = [form.as_it_is, *form.ways]
        way = min(every, key=lambda one: (len(one.times) % ROW == 0, len(one.times)))
        began = time.perf_counter()
        result = self._as_it_is(args, kwargs) if way is form.as_it_is else self._replayed(form, way, leaves, args, kwargs)
        way.times.append(time.perf_counter() - began + (0.0 if way is form.as_it_is else looking))
        if all(len(one.times) >= (TURNS if TURNS * min(one.times) > SHORT else 4 * TURNS) for one in every):
            form.way = min(form.ways, key=lambda one: min(one.times))
            form.replays = min(form.way.times) + BEFORE < FASTER * min(form.as_it_is.times)
            form.ways = [form.way]
            self.settled = self.settled or (form.form == _NOTHING and not form.replays)
        return result

    def _replayed(self, form: Form, way: Way, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        tensors = _taken(form, leaves)
        try:
            arrays = way.program.run([tensors[number] for number in way.program.arguments])
        except CannotReplay:  # nothing was changed: the program says what is wrong
            return self._as_it_is(args, kwargs)
        return way.results.made_of(arrays, tensors)

    # What is told.

    def reset(self) -> None:
        """Forgets all that was captured."""
        self.forms, self.last, self.off, self.settled = [], None, None, False

    def report(self) -> str:
        """What was captured, what it is guarded by, and what it costs, in lines."""
        lines = []
        for number, form in enumerate(self.forms):
            if form.reason is not None:
                lines.append(f"form {number}: runs as it is: {told(form.reason)}")
            elif form.program is None:
                lines.append(f"form {number}: recorded {form.recordings} times")
            else:
                ops = len(form.program.trace.instructions)
                guards = form.guards.count() if form.guards is not None else 0
                lines.append(f"form {number}: {ops} instructions, {guards} guards")
                if form.way is not None and form.way.times and form.as_it_is.times:
                    eager, replay = (min(way.times) * 1e6 for way in (form.as_it_is, form.way))
                    kept = {
                        None: "not yet decided",
                        True: f"replayed by {type(form.program).__name__}",
                        False: "runs as it is, which is faster",
                    }[form.replays]
                    lines.append(f"    {eager:,.0f} us as it is, {replay:,.0f} us by replay: {kept}")
        return "\n".join(lines)

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        return Compiled(copy.deepcopy(self.function, memo), self.builds, self.fullgraph, self.limit)

    def __reduce__(self) -> Any:
        return Compiled, (self.function, self.builds, self.fullgraph, self.limit)

    def _give_up(self, form: Form, reason: NotUnderstood) -> None:
        form.reason = reason
        if form.recordings == 1:
            self.off = reason
        if self.fullgraph:
            raise Unsupported(told(reason))
        self._warn(f"{told(reason)}; the function runs as it is")


def _of_passes(build: Any) -> type[Program]:
    """What makes programs of backward passes: a backend of the user's is given the program alone."""
    return build if isinstance(build, type) and issubclass(build, Program) else Program


def _given_back(result: object, findings: Findings, args: object, kwargs: object) -> NotUnderstood | None:
    """Whether a result is, or has in it, a list or a dict that others know: a replay would give another."""
    known = {id(one) for one in containers_in((args, kwargs))} | findings.seen.keys()
    if any(id(one) in known for one in containers_in(result)):
        return NotUnderstood("a result that is a container which was there before")
    return None


def _name(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def told(reason: NotUnderstood) -> str:
    """A reason with its line."""
    return f"{reason.reason} ({reason.place})" if reason.place else reason.reason


def _is_live(one: Any) -> bool:
    return any(base.__module__.startswith(("rushlight.optim.", "torch.optim.")) for base in type(one).__mro__)


def _leaf_form(leaf: Any) -> Any:
    return tensor_form(leaf) if isinstance(leaf, Tensor) else leaf


def _fits(form: Form, leaves: list[Any]) -> bool:
    """Whether arguments are of a form: tensors of the same form in the same places, and otherwise the same."""
    if len(leaves) != len(form.forms):
        return False
    for leaf, wanted in zip(leaves, form.forms, strict=True):
        if isinstance(leaf, Tensor):
            if tensor_form(leaf) != wanted:
                return False
        elif not same(leaf, wanted):
            return False
    return True


def _alike(mine: Any, its: Any, exact: bool) -> bool:
    """Whether two results are the same to the last bit, and lie in memory alike."""
    left: list[Any] = []
    right: list[Any] = []
    if leaves_of(mine, left) != leaves_of(its, right) or len(left) != len(right):
        return False
    for one, other in zip(left, right, strict=True):
        if isinstance(one, Tensor):
            a, b = one._array, other._array
            mine_is, its_is = tensor_form(one), tensor_form(other)
            alike = [*mine_is[:6], *mine_is[7:]] == [*its_is[:6], *its_is[7:]]  # a result has no _base
            if not alike or not equal(a, b, exact) or one._counter[0] != other._counter[0]:
                return False
        elif not same(one, other):
            return False
    return True


def _taken(form: Form, leaves: list[Any]) -> dict[int, Any]:
    return {number: leaves[what] if kind == "argument" else what for number, kind, what in form.inputs if kind != "grad"}
