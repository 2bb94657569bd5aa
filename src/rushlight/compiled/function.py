"""A compiled function: recorded twice while it runs, then replayed while all is as it was.

Its first call with arguments of one form is recorded to learn what its code asks for. At the second call all that it can reach
by those names is noted, it is recorded again, and the two recordings must agree; then the replay is tried on the same numbers, and
must give the same to the last bit, in results, gradients, versions and random numbers drawn. The next calls are timed in turns; the
replay is kept where it is faster. At every step where something is not understood, the function simply runs.
"""

from __future__ import annotations

import contextlib
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
from ..nn.modules import calls
from ..random import Generator
from ..tensor import Tensor
from .capture import watching
from .capture.guards import CannotTell, Findings, same, unreached
from .capture.recorder import NotUnderstood, Recorder
from .capture.traced_pass import TracedPass
from .capture.watching import Watch
from .errors import BackendCompilerFailed, FailOnRecompileLimitHit, RecompileError, Unsupported
from .forms import Form, Way, placed, surroundings, told
from .guarding import Guards, shared, sources
from .joint import Joint, recorded
from .replay.order import CannotReplay
from .replay.program import Program
from .results import Results, note_inputs
from .settings import config
from .snapshots import State
from .stances import current, running
from .trees import containers_in, equal, leaves_of, tensor_form

WORTH = 100  # calls that are worth a recording: a form that has served so many may make room for another
TRIES = 4  # recordings of one form that may differ from the one before
ROW = 3  # how often in a row each way is timed: caches are then as they will be
_UNTELLABLE = CannotTell, NotImplementedError, AttributeError, TypeError
_MISFIT = object()  # no result: the guards do not hold
_NOTHING = leaves_of(((), {}), []), None  # the form of no arguments
Build = Callable[[Any, list[int]], Any]


def _quiet() -> bool:
    """Whether nobody looks on: else a function runs as it is, for them to see it."""
    special, state = modes.special, modes.state
    return not (
        special.hidden
        or state.transforms
        or state.forward_levels
        or modes.state.task is not None
        or calls.forward
        or calls.forward_pre
        or calls.backward
        or calls.backward_pre  # hooks of all modules
        or sys.getprofile() is not None
    )


class Compiled:
    """A function that is captured as it runs, and replayed.

    ``builds``     make of a trace what replays it, each another way: the fastest is kept
    ``fullgraph``  what cannot be captured is an error
    ``limit``      for how many forms it is compiled; None: as many as ``torch._dynamo.config`` says
    """

    def __init__(
        self, function: Callable[..., Any], builds: Sequence[Build], fullgraph: bool = False, limit: int | None = None
    ) -> None:
        self.function, self.builds, self.fullgraph, self.limit = function, tuple(builds), fullgraph, limit
        self.forms: list[Form] = []  # the one that was used last stands at the end
        self.last: Form | None = None  # the one that a replay was last made of
        self.missed = 0  # calls in a row that no form did for, when there was no room for another
        self.dropped = 0  # forms that were recorded but once, for what did not come again
        self.warned = False
        self.off = False  # whether it runs as it is, whatever its arguments, since nothing of it could be captured so far
        self.passed = 0  # calls that ran so, or by a form that was given up
        self.settled = False  # whether it runs as it is where it is given nothing, since that is faster
        self.always = False  # replays even where that is not faster
        self.lock = threading.RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        again = self.fullgraph
        if self.off or (self.settled and not args and not kwargs):
            again = self.off and self._tries_again()
            if not again:
                before, running.compiling = running.compiling, True  # as _as_it_is does, by a call less
                try:
                    return self.function(*args, **kwargs)
                finally:
                    running.compiling = before
        if not _quiet() or current.stance == "force_eager" or config.disable:
            return self._as_it_is(args, kwargs)
        around = surroundings()
        last = self.last
        if last is not None and not args and not kwargs and last.form == _NOTHING and last.surroundings == around:
            result = self._ready(last, [], args, kwargs)
            if result is not _MISFIT:
                return result
        leaves: list[Any] = []
        form = leaves_of((args, kwargs), leaves), shared(leaves)
        waits: Form | None = None
        given_up: Form | None = None
        for candidate in reversed(self.forms):
            if candidate.form != form or candidate.surroundings != around or not candidate.takes(leaves):
                continue
            if candidate.way is not None:
                result = self._ready(candidate, leaves, args, kwargs)
                if result is not _MISFIT:
                    return result
            elif candidate.reason is not None:
                given_up = given_up or candidate
            elif waits is None and (candidate.found is None or candidate.found.changed() is None):
                waits = candidate  # if none is ready: what a form that waits for its second recording is of is known in part
        if waits is not None:
            return self._record(waits, leaves, args, kwargs)
        if given_up is not None and not ((again or self._tries_again()) and given_up.is_another()):
            given_up.calls += 1
            if self.fullgraph and given_up.reason is not None:
                raise Unsupported(told(given_up.reason))
            return self._as_it_is(args, kwargs)
        fresh = Form(form, around, leaves)
        if not self._may_begin(fresh):
            return self._as_it_is(args, kwargs)
        if self.forms:
            fresh.because = self.forms[-1].misfit(fresh)
        self.forms = [*self.forms, fresh]
        return self._record(fresh, leaves, args, kwargs)

    def _as_it_is(self, args: Sequence[object], kwargs: dict[str, object]) -> object:
        before, running.compiling = running.compiling, True
        try:
            return self.function(*args, **kwargs)
        finally:
            running.compiling = before

    def _tries_again(self) -> bool:
        """Whether something else may be captured now: at calls 1, 2, 4, 8, ... of those that are not, since to look takes time."""
        self.passed += 1
        return not self.passed & (self.passed - 1)

    def _may_begin(self, fresh: Form) -> bool:
        """Whether another form may be captured: one that has paid for itself may have to make room."""
        if current.stance == "eager_on_recompile":
            return False
        if current.stance == "fail_on_recompile":
            code = code_of(self.function)
            raise RuntimeError(
                "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: "
                f"{code and code.co_filename!r}, function name: {_name(self.function)!r}, line number: {code and code.co_firstlineno}"
            )
        limit = config.recompile_limit if self.limit is None else self.limit
        if len(self.forms) + self.dropped < limit:
            if self.forms and config.error_on_recompile:
                raise RecompileError(f"Recompiling function {_name(self.function)}: {self.forms[-1].misfit(fresh)}")
            return True
        if self._has_room():
            return True
        if self.fullgraph or config.fail_on_recompile_limit_hit:
            asked = "fullgraph=True" if self.fullgraph else "fail_on_recompile_limit_hit"
            raise FailOnRecompileLimitHit(f"{_name(self.function)}: recompile_limit ({limit}) reached with {asked}")
        if not self.warned:
            reason = f", the last one since it finds {self.forms[-1].misfit(fresh)}" if self.forms else ""
            self._warn(
                f"{_name(self.function)} has been captured for {limit} forms (recompile_limit), of which none does for this call"
                f"{reason}; where none does it runs as it is"
            )
        return False

    def _has_room(self) -> bool:
        """Makes room for a form where that costs little: for one that has paid, or once in so many calls for the oldest one."""
        oldest = next((one for one in self.forms if one.calls >= WORTH), None)
        if oldest is None:  # what follows is done rarely, so that calls which find something else each time cost little more
            self.missed += 1
            if self.missed % WORTH:
                if self.missed % WORTH == WORTH // 4:  # to look at what waits takes longer than at guards
                    kept = [one for one in self.forms if one.way is not None or one.reason is not None]
                    self.dropped += len(self.forms) - len(kept)
                    self.forms = kept
                return False
            if self.dropped:
                self.dropped -= 1
                return True
            oldest = self.forms[0]
        self.forms = [one for one in self.forms if one is not oldest]
        return True

    def _warn(self, text: str) -> None:
        """Once, for the user's line."""
        if not self.warned:
            self.warned = True
            depth = 1
            while sys._getframe(depth).f_code.co_filename.startswith(OWN_CODE):
                depth += 1
            warnings.warn(f"torch.compile: {text}", stacklevel=depth + 1)

    # Recording.

    def _record(self, form: Form, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        with self.lock:
            form.recordings += 1
            began = time.perf_counter()
            try:
                return watching.uncollected(self._first if form.recordings == 1 else self._second, form, leaves, args, kwargs)
            except BaseException as error:
                if form.reason is None:
                    form.recordings -= 1  # it has not seen all: the next is to be as if it had not been
                    if isinstance(error, Exception) and not came_by_a_signal(error):
                        form.errors += 1
                        if form.errors == TRIES:
                            form.reason = NotUnderstood("its recordings end with an error")
                raise
            finally:
                form.seconds += time.perf_counter() - began
                if form.reason is not None:
                    form.found = None
                    with contextlib.suppress(*_UNTELLABLE):  # what is another where it is worth another trial
                        form.found = self._findings(form, [one for one in leaves if not isinstance(one, Tensor)])

    def _watched(self, recorder: Recorder, form: Form, args: Any, kwargs: Any) -> tuple[Any, Watch, Joint | None]:
        def call() -> tuple[object, Joint | None]:
            result = self._as_it_is(args, kwargs)
            return result, recorded(result, recorder, lambda keep: TracedPass(recorder, keep, False, inside=False))

        watch = Watch(recorder)
        result, joint = watch.of(call)
        if self.fullgraph and recorder.broken is not None:
            self._give_up(form, recorder.broken)
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
        self.off = False
        with contextlib.suppress(*_UNTELLABLE):  # the second recording says so
            form.found = self._findings(form, leaves)
        return result

    def _findings(self, form: Form, leaves: list[Any]) -> Findings:
        """What is there now, as far as the names lead that code has asked for."""
        names = None if form.any_name else set(form.names)
        others = [one for one in leaves if not isinstance(one, Tensor)]
        given = [one for one in leaves if isinstance(one, Tensor)]
        return Findings([self.function, *others], names, set(form.users), given)

    def _second(self, form: Form, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        """A recording knowing what was there before; then the replay is built and tried."""
        try:
            found = form.found
            findings = found if found is not None and found.are_of(leaves) else self._findings(form, leaves)
            before = dict(findings.tensors)
            for leaf in (one for one in leaves if isinstance(one, Tensor)):
                before[id(leaf)] = leaf
                if leaf._grad is not None:
                    before[id(leaf._grad)] = leaf._grad
            things = list(findings.seen.values())
            live = [one for one in things if _is_live(one)]
            state = State(before.values(), live, [one for one in things if isinstance(one, Generator)])
            forms = {key: tensor_form(tensor) for key, tensor in before.items()}
        except _UNTELLABLE as error:
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
            form.found = findings
            return result
        form.found = None
        its_own = result
        note_inputs(its_own, recorder, before)
        form.inputs = sources(recorder, leaves)
        try:
            form.guards = Guards(findings, form.inputs, leaves, recorder, forms, form.missing)
        except NotUnderstood as error:
            self._give_up(form, error)
            return result
        form.is_given(args, kwargs, things)
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
            except BackendCompilerFailed as error:
                if self.fullgraph or not config.suppress_errors:
                    raise
                failure = NotUnderstood(str(error))
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
        if surroundings() != form.surroundings:
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
            tensors = form.inputs_of(leaves)
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
        """What the function gives by a form whose arguments these are; ``_MISFIT`` where something else is not as it was."""
        form.calls += 1
        if form.calls == form.again:
            form.replays = None
        if form.replays is False and not self.always:
            return self._as_it_is(args, kwargs)
        assert form.guards is not None and form.way is not None
        began = time.perf_counter() if form.replays is None else 0.0
        if not form.guards.hold(leaves) or not form.is_given_those(args, kwargs):
            form.calls -= 1
            return _MISFIT
        if form is not self.last:
            self._used(form)
        if form.replays is None and not self.always:
            return self._timed(form, leaves, args, kwargs, time.perf_counter() - began)
        return self._replayed(form, form.way, leaves, args, kwargs)

    def _used(self, form: Form) -> None:
        """The next call tries this one first."""
        with self.lock:
            if form in self.forms:
                self.forms = [*(one for one in self.forms if one is not form), form]
                self.last, self.missed = form, 0

    def _timed(self, form: Form, leaves: list[Any], args: Any, kwargs: Any, looking: float) -> Any:
        """A call by one of the ways; that it looks first, for so many seconds, is part of a replay."""
        every = [form.as_it_is, *form.ways]
        way = min(every, key=lambda one: (len(one.times) % ROW == 0, len(one.times)))
        began = time.perf_counter()
        result = self._as_it_is(args, kwargs) if way is form.as_it_is else self._replayed(form, way, leaves, args, kwargs)
        way.times.append(time.perf_counter() - began + (0.0 if way is form.as_it_is else looking))
        if form.is_decided():
            self.settled = self.settled or (form.form == _NOTHING and not form.replays)
        return result

    def _replayed(self, form: Form, way: Way, leaves: list[Any], args: Any, kwargs: Any) -> Any:
        tensors = form.inputs_of(leaves)
        try:
            arrays = way.program.run([tensors[number] for number in way.program.arguments])
        except CannotReplay:  # nothing was changed: the program says what is wrong
            return self._as_it_is(args, kwargs)
        return way.results.made_of(arrays, tensors)

    # What is told.

    def reset(self) -> None:
        """Forgets all that was captured."""
        self.forms, self.last, self.off, self.settled = [], None, False, False
        self.missed = self.dropped = self.passed = 0

    def report(self) -> str:
        """What was captured, what it is guarded by, and what it costs, in lines."""
        limit = config.recompile_limit if self.limit is None else self.limit
        lines = [f"{len(self.forms)} of up to {limit} forms, the one used last at the end"] if len(self.forms) > 1 else []
        for number, form in enumerate(self.forms):
            lines += form.report(number)
        return "\n".join(lines)

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        return Compiled(copy.deepcopy(self.function, memo), self.builds, self.fullgraph, self.limit)

    def __reduce__(self) -> Any:
        return Compiled, (self.function, self.builds, self.fullgraph, self.limit)

    def _give_up(self, form: Form, reason: NotUnderstood) -> None:
        form.reason = placed(reason, self.function)
        if self.fullgraph:
            raise Unsupported(told(reason))
        self.off = self.off or (form.recordings == 1 and all(one.reason is not None for one in self.forms))
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


def _is_live(one: Any) -> bool:
    return any(base.__module__.startswith(("rushlight.optim.", "torch.optim.")) for base in type(one).__mro__)


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
