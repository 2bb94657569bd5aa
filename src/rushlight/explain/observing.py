"""The observer: sees each op of the table, each backward pass and each node of it, while a story is being recorded."""

from __future__ import annotations

import functools
import operator
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import engine, interpreters, modes, views
from ..autograd.nodes import AccumulateGrad, Edge, Node
from ..autograd.observed_pass import ObservedPass
from ..backend.creation import unset_told
from ..backend.ownership import BY_PROFILED_PASS
from ..base.arguments import code_of
from ..ops import asking
from ..ops.interceptors import run_below
from ..tensor import Tensor
from ..transforms.example_graph import Entrance, beyond
from .entries import Entry, Value, name_of, notes_of
from .frames import gives_first_values, here_of, is_own, program_frame
from .jacobian import LOCAL, LOCALS, Whole, jacobian_of, local_matrices
from .joined_jacobian import Pieces, pieces_of
from .keeping import leave_out_all
from .noted import noting, quietly
from .recording import Recording
from .values import array_of, fitted, plain

_lock = threading.Lock()
_stories: list[Recording] = []
_marks: list[modes.Mark] = []  # one for each


def start(recording: Recording) -> None:
    """Has what the program does noted, until :func:`stop`."""
    with _lock:
        if not _stories:
            interpreters.stack.put(_observer)
        _stories.append(recording)
        unset_told.append(recording.unset.made)
        _marks.append(modes.Mark(hidden=True))


def stop(recording: Recording) -> None:
    """Ends what :func:`start` began."""
    with _lock:
        _marks.pop()
        _stories.remove(recording)
        unset_told.remove(recording.unset.made)
        if not _stories:
            interpreters.stack.take(_observer)


class _Inside(threading.local):
    ops = 0  # how many ops of the table run in this thread, one in another
    writing = False


_inside = _Inside()


class Observer(interpreters.Interpreter):
    """What sees ops, passes, and what is no op, while there is a story."""

    def op(self, op: Any, args: tuple[Any, ...]) -> Any:
        if any(hasattr(type(one), "__torch_function__") and not isinstance(one, Tensor) for one in args):
            return NotImplemented  # asked once, and not twice
        if gives_first_values(sys._getframe(1)):
            return run_below(op, args, self)
        recording = _stories[-1]
        frame = None if recording.full_up else program_frame(sys._getframe(1))
        if not recording.full_up:
            recording.look_for_writes()
            if frame is not None and modes.state.task is None:
                recording.look_for_names(frame)
        _inside.ops += 1
        try:
            result = run_below(op, args, self)
        finally:
            _inside.ops -= 1
        recording.op(op, args, result, None if frame is None else sys._getframe(1))
        return result

    def write(
        self, function: interpreters.Function, name: str, tensor: Tensor, args: interpreters.Args, kwargs: interpreters.Named
    ) -> interpreters.Answer:
        """An op in place, whose values are noted when it is done."""
        if _inside.writing:
            return NotImplemented
        _inside.writing = True
        try:
            return views.inplace(function, name, tensor, *args, **kwargs)
        finally:
            _inside.writing = False
            _stories[-1].unset.written(name, tensor)
            if not _stories[-1].full_up:
                _stories[-1].at_once.note()

    def backward_pass(self, keep_graph: bool, over_tensors: bool) -> ObservedPass:
        """A pass that is observed."""
        if _inside.ops:  # forward mode takes the derivative of some ops by a pass of its own: it is none of the program's
            return ObservedPass(keep_graph, over_tensors)
        return RecordedPass(keep_graph, over_tensors)

    def told(self, kind: str, tensor: Tensor, value: Tensor | None) -> None:
        """Something happens that is no op: seen where the program itself asks for it."""
        recording = _stories[-1]
        caller = sys._getframe(2)
        while caller.f_back is not None and caller.f_code.co_filename == asking.__file__:
            caller = caller.f_back  # past what asks before a method
        frame = program_frame(caller)
        if frame is not None and not recording.full_up:
            by_program = frame is caller or caller.f_code.co_name in ("detach", "__setattr__")
            if kind not in asking.READS:
                recording.told(kind, tensor, value, here_of(frame), by_program)
            elif by_program:
                recording.taken.note(tensor, here_of(frame), kind == "__bool__")


_observer = Observer()


class RecordedPass(ObservedPass):
    """A pass whose nodes, sums and leaves are events."""

    watched = True

    def __init__(self, keep_graph: bool, create_graph: bool) -> None:
        super().__init__(keep_graph, create_graph)
        self.recording = _stories[-1]
        self.failures = self.recording.failures
        with noting:
            self.number = self.recording.passes
            self.recording.passes += 1
            self.whole = self.recording.full_up  # it is told of as a whole: where it begins, its leaves, its end
            if self.whole and not self.recording.running:
                leave_out_all(self.recording)
            self.place = self.recording.places.of(here_of(program_frame(sys._getframe(1))))
        self.counts: dict[Edge, int] = {}
        self.at_leaf: AccumulateGrad | None = None
        self.due: tuple[Tensor, Value | None, Value | None] | None = (
            None  # a leaf, what was in `.grad`, and what is to be added
        )
        self.within: int | None = None  # the pass in which this one runs
        self.running: Node | None = None
        self.of_rows = False  # what goes through is a batch of cotangents
        self.last: Entry | None = None
        self.matrices: dict[int, Any] = {}  # of the node that runs, by the number of its edge
        self.v: Any = None
        self.matrix: Whole | None = None  # of the whole pass
        self.pieces: Pieces | None = None  # of it, where checkpoints run passes of their own
        self.within_it: Whole | None = None  # of the pass that ran last in the node that runs
        self.totals: dict[Edge, Any] = {}  # what was sent, added up apart from the engine's own sums
        self.entered: dict[Edge, dict[Node, None]] = {}  # by a place, the entrances to it in which something waits
        self.unsummed: list[tuple[Entry, Edge]] = []  # what was sent of no plain numbers: only the engine adds it up

    def run(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        self.within = getattr(modes.state.task, "number", None)
        self._announce(roots, cotangents)
        self.recording.running += 1
        try:
            super().run(roots, cotangents)
        except BaseException as error:
            self._failed(error)
            raise
        finally:
            self.recording.running -= 1
        self._matrix_is_due()
        self._end()

    def _event(self, kind: str, place: int | None, **fields: Any) -> Entry | None:
        event = self.recording.event(kind, place, **fields)
        if event is not None:
            event["pass"] = self.number
        return event

    @quietly
    def _announce(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        recording = self.recording
        recording.look_for_writes()
        self.of_rows = any(isinstance(g, Tensor) and g._of_batch for g in cotangents)
        frame = program_frame(sys._getframe(1))
        if frame is not None:
            recording.look_for_names(frame, True)
        listed = []
        for (node, out), g in zip(roots, cotangents, strict=True):
            number = recording.node(node)
            tensor = recording.tensor_at(node, out)
            recording.rooted(tensor, self.place)
            listed.append({"tensor": tensor, "node": number, "out": out, "gradient": recording.value(g)})
            self._add((node, out), array_of(g))
            if isinstance(g, Tensor):
                recording.seeded(g)
        inputs: list[int | None] | None = None
        if self.captures:
            inputs = [None] * len(self.captured)
            for node, asked in self.captures.items():
                for out, index in asked:
                    inputs[index] = recording.tensor_at(node, out)
        elif self.needed is not None:
            wanted = [node for node, runs in self.needed.items() if runs and node.is_leaf_sink]
            inputs = [recording.tensor_at(node, 0) for node in wanted]
        self._event(
            "backward", self.place, how="grad" if self.captures else "backward", roots=listed, retain_graph=self.keep_graph,
            create_graph=self.creates, inputs=inputs, batched=self.of_rows, within=self.within,
            thread=threading.current_thread().name,
        )  # fmt: skip
        if recording.with_jacobians and not self.captures and not self.whole:
            self.matrix = jacobian_of(recording, roots, cotangents)
            if self.matrix is not None:
                self._tell_matrix()
            elif not self.over_tensors:
                self.pieces = pieces_of(roots, cotangents)

    def _tell_matrix(self) -> None:
        if self.matrix is not None:
            jacobians = self.recording.jacobians
            jacobians.append({"pass": self.number, "place": self.place, **self.matrix.entry(self.recording)})
            jacobians.sort(key=lambda one: int(one["pass"]))  # a pass around another is told of when that is over

    @quietly
    def _matrix_is_due(self) -> None:
        """A pass is over: its checkpoints have theirs, and the pass that it ran in has a checkpoint's."""
        if self.pieces is not None:
            self.matrix = self.pieces.joined()
            self._tell_matrix()
        outer = modes.state.task
        if isinstance(outer, RecordedPass) and outer.pieces is not None:
            outer.within_it = self.matrix

    def _pull(self, node: Node, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        self._noted(node, g)
        if self.over_tensors or modes.state.anomaly:
            grads = super()._pull(node, g, edges)
        else:
            try:
                grads = node.vjp(g, edges)
            except (RuntimeWarning, ValueError) as error:
                grads = engine.retried_vjp(node, g, edges, error)
            if self.pieces is not None:
                self._ran_within(node, grads)
        if not (node.hooked and node.post_hooks):
            self._sent(node, grads, edges)
        return grads

    @quietly
    def _ran_within(self, node: Node, grads: tuple[object, ...]) -> None:
        if self.pieces is not None:
            self.pieces.ran(node, self.within_it, grads)
            self.within_it = None

    def _after(self, node: Node, grads: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
        result = super()._after(node, grads, g)
        before, after = [self._value(one) for one in grads], [self._value(one) for one in result]
        self._hooked("post", node, None, before, after, [*(node.post_hooks or {}).values()])
        if self.running is node:
            self._sent(node, result, node.next)
        return result

    @quietly
    def _noted(self, node: Node, g: Any) -> None:
        recording = self.recording
        self.running, self.last = node, None
        if isinstance(node, Entrance):
            return
        if self.whole:
            recording.passed_over("run")
            return
        number = recording.node(node)
        recording.nodes[number]["name"] = name_of(node)
        arrived = [recording.value(one) for one in (g if node.metas is not None and g is not None else [g])]
        self.last = self._event(
            "run", recording.nodes[number]["place"], node=number, arrived=arrived, sent=[], freed=0, local=[]
        )
        for out in range(len(arrived)):
            self.totals.pop((node, out), None)
        self.matrices, self.v = {}, None if self.over_tensors else array_of(g)
        if recording.with_jacobians and recording.locals < LOCALS and self.v is not None:
            self.matrices = local_matrices(node, LOCAL)
            recording.locals += bool(self.matrices)

    @quietly
    def _sent(self, node: Node, grads: tuple[Any, ...], edges: tuple[Edge | None, ...]) -> None:
        if isinstance(node, Entrance):
            self.entered.get(beyond((node, 0)), {}).pop(node, None)
            for g, edge in zip(grads, edges, strict=True):
                self._add(edge, None if g is None or edge is None else fitted(g, edge))
        if self.last is None:
            return
        if not self.keep_graph and node.frees:
            kept = {id(one): one for one in node.saved or () if isinstance(one, (Tensor, np.ndarray))}
            arrays = [array_of(one) for one in kept.values()]
            self.last["freed"] = sum(int(one.nbytes) for one in arrays if one is not None)
        for index, (g, edge) in enumerate(zip(grads, edges, strict=False)):
            if g is not None and edge is not None:
                target = beyond(edge)
                try:
                    array = fitted(g, edge)
                except ValueError:  # of no shape that could be sent there: the pass ends here
                    break
                number = self.counts[target] = self.counts.get(target, 0) + 1
                self._add(edge, array)
                value = self.recording.value(g if array is None else array)
                whole = array if array is None else self._total(target)
                total = value if whole is array else self.recording.value(whole)
                if index in self.matrices and array is not None and array.shape == edge[0].shape:
                    self.last["local"].append({
                        "edge": index, "v": plain(self.v.reshape(-1).tolist()), "J": plain(self.matrices[index].tolist()),
                        "vJ": plain(array.reshape(-1).tolist()),
                    })  # fmt: skip
                self.last["sent"].append({"edge": index, "value": value, "number": number, "sum": total})
                if array is None:
                    self.unsummed.append((self.last["sent"][-1], edge))
                entry = self.recording.nodes[self.last["node"]]["edges"][index]
                if entry is not None and entry["node"] is None:
                    entry["node"] = self.recording.node(edge[0])

    def _arrived(self, node: Node, g: Any) -> tuple[Any, tuple[Edge | None, ...] | None]:
        if self.unsummed:
            self._sum_up(node, g)
        return super()._arrived(node, g)

    @quietly
    def _sum_up(self, node: Node | None, g: Any) -> None:
        """What no plain numbers were added up to: it is there before the next node, which has taken its own out, runs."""
        for sent, (target, out) in self.unsummed:
            whole = g if target is node else self.buffers.get(target)
            sent["sum"] = self.recording.value(whole if whole is None or target.metas is None else whole[out])
        self.unsummed.clear()

    def _add(self, edge: Edge | None, array: Any) -> None:
        """Something is sent to a place: added up as the engine does, in an entrance apart from what lies behind it."""
        if edge is not None and array is not None:
            total = self.totals.get(edge)
            self.totals[edge] = array if total is None else total + array
            if isinstance(edge[0], Entrance):
                self.entered.setdefault(beyond(edge), {})[edge[0]] = None

    def _total(self, target: Edge) -> Any:
        """What was sent to a place so far, with what waits in entrances to it."""
        waiting = sorted(self.entered.get(target, ()), key=lambda node: node.order)
        found = [self.totals[edge] for edge in (target, *((node, 0) for node in waiting)) if edge in self.totals]
        return functools.reduce(operator.add, found)

    def _with_tensor_hooks(self, node: Node, g: Any) -> list[Any]:
        hooks = {number: [*these.values()] for number, these in (node.tensor_hooks or {}).items() if these}
        if not hooks:
            return super()._with_tensor_hooks(node, g)
        before = self._values(node, g)
        result = super()._with_tensor_hooks(node, g)
        for number, these in hooks.items():
            self._hooked("tensor", node, self._of(node, number), [before[number]], [self._value(result[number])], these)
        return result

    def _with_pre_hooks(self, node: Node, values: list[Any]) -> Any:
        hooks = [*(node.pre_hooks or {}).values()]
        if not hooks:
            return super()._with_pre_hooks(node, values)
        before = [self._value(one) for one in values]
        result = super()._with_pre_hooks(node, values)
        after = self._values(node, result)
        self._hooked("node", node, None, before, after, hooks)
        if node is self.at_leaf:
            self._due_is(after[0])
        return result

    @quietly
    def _of(self, node: Node, out: int) -> int | None:
        return self.recording.tensor_at(node, out)

    def _values(self, node: Node, g: Any) -> list[Value | None]:
        if node.metas is None:
            return [self._value(g)]
        return [self._value(one) for one in (g if g is not None else [None] * len(node.metas))]

    def _call_hooks(self, hooks: dict[int, Any], g: Any) -> Any:
        if self.at_leaf is None:
            return super()._call_hooks(hooks, g)
        before, leaf = self._value(g), self.at_leaf
        if self.unsummed:
            self._sum_up(leaf, g)
        result = super()._call_hooks(hooks, g)
        after = self._value(result)
        self._hooked("leaf", leaf, self._of(leaf, 0), [before], [after], [*hooks.values()])
        self._due_is(after)
        return result

    def _due_is(self, arrived: Value | None) -> None:
        if self.due is not None:
            self.due = *self.due[:2], arrived

    def _at_leaf(self, leaf: Tensor) -> None:
        self._tell_due()
        hooks, before = [*(leaf._post_accumulate_hooks or {}).values()], self._value(leaf._grad)
        super()._at_leaf(leaf)
        self._look()  # at what the hooks wrote
        if self.at_leaf is not None:
            self._hooked("accumulated", self.at_leaf, self._of(self.at_leaf, 0), [before], [self._value(leaf._grad)], hooks)

    def _look(self) -> None:
        self.recording.look_for_writes()

    @quietly
    def _hooked(
        self,
        on: str,
        node: Node,
        tensor: int | None,
        before: list[Value | None],
        after: list[Value | None],
        hooks: list[object],
    ) -> None:
        if self.whole:
            return
        recording, number = self.recording, self.recording.node(node)
        code = code_of(hooks[0]) if len(hooks) == 1 else None
        place = recording.nodes[number]["place"] if code is None or is_own(code) else recording.places.of((code, -1))
        for old, new in zip(before, after, strict=False):
            if old is None and new is None:
                continue
            self._event("hook", place, on=on, node=number, tensor=tensor, before=old, after=new, changed=old != new)

    def _finish(self, sink: Node, g: Any) -> None:
        self.at_leaf = sink if isinstance(sink, AccumulateGrad) else None
        if not self.over_tensors or not isinstance(sink, AccumulateGrad):
            holder = [g]  # as below
            del g
            super()._finish(sink, holder.pop())
            self.at_leaf = None
            return
        if g is not None and (self.needed is None or self.needed.get(sink, False)):
            self.due = sink.variable, self._value(sink.variable._grad), self._value(g)
        super()._finish(sink, g)
        self._tell_due()
        self.at_leaf = None

    def _tell_due(self) -> None:
        """A leaf of a pass over Tensors has what arrived."""
        if self.due is not None:
            due, self.due = self.due, None
            self._leaf(*due)

    def accumulate(self, variable: Any, g: Any) -> None:  # type: ignore[override]
        before, arrived = self._value(variable._grad), self._value(g)
        holder = [g]  # hands over the only reference here, or the gradient would be copied
        del g
        engine.BackwardPass.accumulate(variable, holder.pop(), BY_PROFILED_PASS)
        self._leaf(variable, before, arrived)

    @quietly
    def _value(self, g: Any) -> Any:
        return self.recording.value(g)

    @quietly
    def _leaf(self, variable: Any, before: Any, arrived: Any) -> None:
        recording = self.recording
        number = recording.tensor(variable)
        sink = variable._sink() if variable._sink is not None else None
        recording.accumulated(number, variable._grad)
        after = recording.tensors[number]["grad"]
        node = recording.node(sink) if sink is not None else None
        place = recording.tensors[number]["place"]
        self._event("leaf", place, node=node, tensor=number, before=before, arrived=arrived, after=after)

    @quietly
    def _failed(self, error: BaseException) -> None:
        self._look()  # at what was written before
        node = self.recording.node(self.node) if self.node is not None else None
        place = self.recording.places.of_error(error)
        self._event(
            "error",
            self.place if place is None else place,
            type=type(error).__name__,
            message=str(error),
            notes=notes_of(error),
            node=node,
        )

    @quietly
    def _end(self) -> None:
        returned = [self.recording.value(g) for g in self.captured] if self.captures else []
        self._event("end", self.place, returned=returned)
