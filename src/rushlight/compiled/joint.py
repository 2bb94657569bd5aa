"""Results that are part of a graph: their backward pass is recorded behind the program, and is a program of its own.

Where there are several, the graph is cut into parts: the nodes of one part are those that the same results lead to, so a backward
pass runs all of them or none. Each part is a program, and one node of the graph that a replay leaves behind; each result gets a node
by the name that the program's own would have in front of its part.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autograd import engine, modes
from ..autograd.nodes import AccumulateGrad, Edge, Node, orders
from ..autograd.observed_pass import ObservedPass
from ..autograd.topological_order import reached
from ..base import dtypes
from ..tensor import Tensor, wrap
from .capture import trace as t
from .capture.recorder import NotUnderstood, Recorder
from .capture.traced_pass import TracedPass
from .replay.order import of_any_shape
from .replay.program import Program
from .trees import equal, leaves_of

MOST_RESULTS = 8
Array = np.ndarray[Any, Any]
Meta = tuple[tuple[int, ...], np.dtype[Any]]  # of an array: shape and dtype
Exit = tuple[str, Any]  # ("input", its number), ("result", which), ("part", (which, which of its entries))


class Part:
    """A part of the backward pass.

    ``begins``  the place of its first instruction in the trace, ``seeds`` the numbers of the gradients that are given
    ``metas``   the shapes and dtypes of those
    ``exits``   where the gradients go that it computes, ``grads`` their numbers, None where there is none
    ``frees``   whether one of its ops has saved a tensor, so that it runs but once
    """

    def __init__(
        self, begins: int, seeds: list[int], metas: list[Meta], exits: list[Exit], grads: list[int | None], frees: bool
    ) -> None:
        self.begins, self.seeds, self.metas, self.exits, self.grads = begins, seeds, metas, exits, grads
        self.frees = frees
        self.results: list[tuple[int, int]] = []  # the program's results that begin in it, and at which of its entries
        self.saved: list[int] = []
        self.places: list[int] = []  # of those, among all that is kept of a replay
        self.watched: list[int] = []  # the inputs that it reads
        self.reads: list[int] = []  # and the results
        self.program: Program | None = None

    def built(self, trace: t.Trace, instructions: list[t.Instruction], build: type[Program], results: list[int]) -> Part:
        """The part with its program; what that reads is then in ``saved``."""
        own = Part(self.begins, self.seeds, self.metas, self.exits, self.grads, self.frees)
        own.results = self.results
        if any(isinstance(one, (t.Host, t.Write, t.Accumulate, t.SetGrad)) or of_any_shape(one) for one in instructions):
            raise NotUnderstood("a backward pass that changes what others see, or whose shapes depend on values")
        made = {out for one in instructions for out in t.made(one)}
        grads = [number for number in self.grads if number is not None]
        read = [number for one in instructions for number in t.read(one)] + grads
        own.saved = list(dict.fromkeys(number for number in read if number not in made))
        storages = {trace.values[number].storage for number in own.saved}
        inputs = {trace.values[number].storage: number for number in trace.tensors}
        own.watched = [inputs[storage] for storage in storages if storage in inputs]
        own.reads = [which for which, number in enumerate(results) if trace.values[number].storage in storages]
        body: list[t.Instruction] = [one for one in instructions if not isinstance(one, t.Given)]
        own.program = build(t.Trace(body, trace.values, {}), grads, [*own.saved, *self.seeds])
        return own


class Joint:
    """The backward pass of a program's results that are part of a graph.

    ``results``  the numbers of their values, ``names`` of their nodes
    ``parts``    from the inputs on: each leads only to those before it
    ``inputs``   the numbers of the inputs that need gradients
    ``found``    what came of passes from each result alone and from all of them: which, and the gradients
    """

    def __init__(self, results: list[int], names: list[str], parts: list[Part], inputs: list[int]) -> None:
        self.results, self.names, self.parts, self.inputs = results, names, parts, inputs
        self.saved: list[int] = []
        self.found: list[tuple[list[int], list[Array | None]]] = []

    def split(self, trace: t.Trace, build: type[Program]) -> t.Trace:
        """The program without its backward pass, whose parts get programs of their own; what those read is then in ``saved``."""
        ends = [part.begins for part in self.parts[1:]] + [len(trace.instructions)]
        behind = [trace.instructions[part.begins : end] for part, end in zip(self.parts, ends, strict=True)]
        forward = trace.instructions[: self.parts[0].begins]
        forward += [one for instructions in behind for one in instructions if isinstance(one, t.Input)]
        self.parts = [
            part.built(trace, [one for one in instructions if not isinstance(one, t.Input)], build, self.results)
            for part, instructions in zip(self.parts, behind, strict=True)
        ]
        self.saved = list(dict.fromkeys(number for part in self.parts for number in part.saved))
        if not {out for one in forward for out in t.made(one)}.issuperset(self.saved):
            raise NotUnderstood("a part of a backward pass that reads what another has made")
        for part in self.parts:
            part.places = [self.saved.index(number) for number in part.saved]
        return t.Trace(forward, trace.values, trace.tensors)

    def tried(self, outputs: Sequence[Tensor], tensors: dict[int, Tensor]) -> bool:
        """Whether the graph behind a replay's results gives what the recorded one did."""
        edges = [engine.input_edge(tensors[number]) for number in self.inputs]
        roots = [engine.input_edge(one) for one in outputs]
        exact = all(part.program is None or part.program.exact for part in self.parts)
        for which, expected in self.found:
            grads = _gradients([roots[one] for one in which], edges)  # type: ignore[misc]
            for grad, right in zip(grads, expected, strict=True):
                if (grad is None) != (right is None) or (right is not None and not equal(grad, right, exact)):
                    return False
        return True

    def place(self, outputs: Sequence[Tensor], tensors: dict[int, Tensor], arrays: Sequence[Array]) -> None:
        """Puts a replay's results into a graph whose passes read ``arrays``."""
        nodes: list[Node] = []
        fronts: dict[int, Node] = {}
        for part in self.parts:
            node = object.__new__(CompiledFunctionBackward)
            node.next = tuple([_edge(one, tensors, nodes, fronts) for one in part.exits])
            watched = [tensors[number]._counter for number in part.watched] + [outputs[one]._counter for one in part.reads]
            own = tuple([arrays[place] for place in part.places])
            node.saved = (part, own, [(counter, counter[0]) for counter in watched])
            node.frees = part.frees
            node.metas, node.order = part.metas, next(orders)
            nodes.append(node)
            for which, entry in part.results:
                front = fronts[which] = object.__new__(_named(self.names[which]))
                front.next = ((node, entry),)
                front.shape, front.dtype = part.metas[entry]
                front.order = next(orders)
                outputs[which]._edge = (front, 0)


def _edge(to: Exit, tensors: dict[int, Tensor], nodes: list[Node], fronts: dict[int, Node]) -> Edge | None:
    kind, what = to
    if kind == "input":
        return engine.input_edge(tensors[what])
    return (fronts[what], 0) if kind == "result" else (nodes[what[0]], what[1])


class CompiledFunctionBackward(Node):
    """The backward pass of a compiled function, or a part of it."""

    __module__ = "builtins"

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        part, arrays, watched = self.saved
        for counter, version in watched:
            if counter[0] != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of "
                    f"a compiled function is at version {int(counter[0])}; expected version {int(version)} instead."
                )
        # Where nothing arrives, something does inside of the part: what is added to it may not change it, nor the sign of a zero.
        seeds = [np.full(meta[0], -0.0, meta[1]) if one is None else one for one, meta in zip(g, part.metas, strict=True)]
        found = iter(part.program.run([*arrays, *seeds]))
        grads = [None if number is None else next(found) for number in part.grads]
        return tuple([grad if edge is not None else None for grad, edge in zip(grads, edges, strict=True)])

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        raise RuntimeError("torch.compile with aot_autograd does not currently support double backward")


class _Front(Node):
    """The place of a compiled function's result, by the name of the node that the program itself would have made."""

    frees = False

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        return (g,)

    vjp_tensors = vjp


_fronts: dict[str, type[_Front]] = {}


def _named(name: str) -> type[_Front]:
    if name not in _fronts:
        _fronts[name] = type(name, (_Front,), {"__module__": "builtins"})
    return _fronts[name]


def in_graph(result: object, recorder: Recorder) -> list[Tensor]:
    """Of what a program gave, what is part of a graph that the program made."""
    leaves: list[object] = []
    leaves_of(result, leaves)
    found = [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf._edge is not None and id(leaf) not in recorder.inputs]
    return list({id(one): one for one in found}.values())


def recorded(result: object, recorder: Recorder, new_pass: Callable[[bool], TracedPass]) -> Joint | None:
    """Records the backward pass of what a program gave, if some of it is part of a graph that the program made."""
    if recorder.failure is not None:
        return None
    outputs = in_graph(result, recorder)
    if not outputs:
        return None
    if len(outputs) > MOST_RESULTS or not all(
        type(one) is Tensor and dtypes.of(one._array.dtype).is_floating_point and recorder.has_made(one) for one in outputs
    ):
        recorder.fail(f"results that are part of a graph, and not up to {MOST_RESULTS} of floating point")
        return None
    roots = [_root(one) for one in outputs]
    wanted = [(number, engine.input_edge(one)) for number, one in recorder.trace.tensors.items() if one._needs_grad is True]
    ends = {edge[0] for _, edge in wanted if edge is not None}
    if not all(root not in ends and _plain(root, ends) for root, _ in roots):
        recorder.fail("a result whose graph has hooks, Functions or values that are freed")
        return None
    parts = _Parts(roots, {edge: number for number, edge in wanted if edge is not None}, ends).recorded(recorder, new_pass)
    if recorder.failure is not None:
        return None
    values = [recorder.ref(one).number for one in outputs]
    joint = Joint(values, [node.name() for node, _ in roots], parts, [number for number, _ in wanted])
    every = list(range(len(roots)))
    recorder.within += 1  # what these passes do is no part of the program
    for which in [[one] for one in every] + ([every] if len(every) > 1 else []):
        grads = _gradients([roots[one] for one in which], [edge for _, edge in wanted], True)
        joint.found.append((which, grads))
    recorder.within -= 1
    return joint


class _Parts:
    """A graph in parts: by which of ``roots`` a node is reached from."""

    def __init__(self, roots: list[Edge], inputs: dict[Edge, int], ends: set[Node]) -> None:
        self.roots, self.inputs = roots, inputs
        self.marks: dict[Node, int] = {}  # a bit for each root
        for which, (first, _) in enumerate(roots):
            for node in reached([first], ends):
                self.marks[node] = self.marks.get(node, 0) | 1 << which
        # Nodes are reached from all that leads to them: a part leads to parts of more roots alone.
        order = sorted(set(self.marks.values()), key=lambda mark: (-mark.bit_count(), mark))
        self.entries: dict[int, list[Edge]] = {mark: [] for mark in order}
        self.exits: dict[int, list[Edge]] = {mark: [] for mark in order}
        for root in roots:
            self._add(self.entries, self.marks[root[0]], root)
        for node, mark in self.marks.items():
            for edge in node.next:
                if edge is not None and self.marks.get(edge[0]) != mark:
                    self._add(self.exits, mark, edge)
                    if edge[0] in self.marks:
                        self._add(self.entries, self.marks[edge[0]], edge)

    def _add(self, found: dict[int, list[Edge]], mark: int, edge: Edge) -> None:
        if edge not in found[mark]:
            found[mark].append(edge)

    def recorded(self, recorder: Recorder, new_pass: Callable[[bool], TracedPass]) -> list[Part]:
        parts: list[Part] = []
        for mark, entries in self.entries.items():
            begins = len(recorder.trace.instructions)
            metas = [_meta(edge) for edge in entries]
            probes = [_probe(*meta) for meta in metas]
            seeds = [recorder.new(probe, False) for probe in probes]
            for seed in seeds:
                recorder.note(t.Given(seed))
            exits = self.exits[mark]
            task = new_pass(True)
            _bounded(task, exits, entries)
            with _unheard(exits):
                task.run(entries, probes)
            grads = [None if g is None else recorder.array_ref(g).number for g in task.captured]
            frees = any(node.frees for node, own in self.marks.items() if own == mark)
            part = Part(begins, seeds, metas, [self._way(edge) for edge in exits], grads, frees)
            part.results = [(which, entries.index(edge)) for which, edge in enumerate(self.roots) if edge in entries]
            parts.append(part)
        return parts

    def _way(self, edge: Edge) -> Exit:
        """Where a gradient goes that a part computes."""
        if edge in self.inputs:
            return ("input", self.inputs[edge])
        if edge in self.roots:
            return ("result", self.roots.index(edge))
        mark = self.marks[edge[0]]
        return ("part", (list(self.entries).index(mark), self.entries[mark].index(edge)))


def _root(output: Tensor) -> Edge:
    root = engine.input_edge(output)
    assert root is not None
    return root


def _meta(edge: Edge) -> Meta:
    node, number = edge
    return (node.shape, node.dtype) if node.metas is None else node.metas[number]


def _probe(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A gradient to try a pass with."""
    return np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)


def _bounded(task: ObservedPass, edges: Sequence[Edge | None], roots: Sequence[Edge]) -> None:
    """Has a pass capture what arrives at ``edges``, and end there."""
    task.capture(edges, roots)
    assert task.needed is not None
    task.needed.update(dict.fromkeys([edge[0] for edge in edges if edge is not None], False))


@contextlib.contextmanager
def _unheard(edges: Sequence[Edge | None]) -> Iterator[None]:
    """A ``with`` block in which no hooks run where passes end, and no ``.grad`` is kept there: it is not the user's backward pass."""
    ends = {edge[0] for edge in edges if edge is not None}
    nodes = [node for node in ends if node.hooked]
    leaves = [(node.variable, node.variable._hooks) for node in ends if isinstance(node, AccumulateGrad)]
    for node in nodes:
        node.hooked = False
    for leaf, _ in leaves:
        leaf._hooks = None
    try:
        yield
    finally:
        for node in nodes:
            node.hooked = True
        for leaf, hooks in leaves:
            leaf._hooks = hooks


def _gradients(roots: Sequence[Edge], edges: Sequence[Edge | None], over_tensors: bool = False) -> list[Array | None]:
    """What arrives at ``edges`` of probes at ``roots``, copied; None where nothing does. Over tensors sums are rounded as in a trace."""
    task = ObservedPass(True, over_tensors)
    task.record = False
    _bounded(task, edges, roots)
    probes = [_probe(*_meta(edge)) for edge in roots]
    with _unheard(edges):
        task.run(roots, [wrap(probe) for probe in probes] if over_tensors else probes)
    return [None if g is None else np.array(g._array if over_tensors else g) for g in task.captured]


def _plain(root: Node, ends: set[Node]) -> bool:
    """Whether a graph is of ops alone, down to where it ends in the program's inputs; nobody listens, and nothing is freed."""
    if modes.state.saved_hooks:
        return False
    return not any(
        node.hooked or node.always_runs or node.is_leaf_sink or getattr(type(node), "op", None) is None or node.saved is None
        for node in reached([root], ends)
    )
