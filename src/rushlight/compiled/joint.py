"""A result that is part of a graph: its backward pass is recorded behind the program, and is a program of its own.

The result of a replay gets a node by the name that the program's own would have, in front of one that stands for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd import engine, modes
from ..autograd.nodes import Edge, Node, orders
from ..autograd.topological_order import reached
from ..tensor import Tensor
from .capture import trace as t
from .capture.passes import TracedPass
from .capture.recorder import NotUnderstood, Recorder
from .replay.order import of_any_shape
from .replay.program import Program
from .trees import equal, leaves_of


class Joint:
    """The backward pass of a program's one result that is part of a graph.

    ``result``  the number of the result's value
    ``at``      how many instructions of the trace are the program itself
    ``seed``    the number of the gradient that is given
    ``inputs``  the numbers of the inputs whose gradients it computes, ``grads`` those gradients' numbers, None where it has none
    """

    def __init__(self, result: int, at: int, seed: int, inputs: list[int], grads: list[int | None], name: str) -> None:
        self.result, self.at, self.seed, self.inputs, self.grads, self.name = result, at, seed, inputs, grads, name
        self.saved: list[int] = []
        self.watched: list[int] = []  # the inputs that it reads
        self.reads_result = False
        self.program: Program | None = None
        self.probe: Any = None  # the gradient that was given while recording
        self.found: list[Any] = []  # and what came of it

    def split(self, trace: t.Trace, build: type[Program]) -> t.Trace:
        """The program without its backward pass, which gets a program of its own; what that reads is then in ``saved``."""
        forward, backward = trace.instructions[: self.at], trace.instructions[self.at :]
        forward += [one for one in backward if isinstance(one, t.Input)]
        backward = [one for one in backward if not isinstance(one, t.Input)]
        if any(isinstance(one, (t.Host, t.Write, t.Accumulate, t.SetGrad)) or of_any_shape(one) for one in backward):
            raise NotUnderstood("a backward pass that changes what others see, or whose shapes depend on values")
        made = {out for one in backward for out in t.made(one)}
        read = [number for one in backward for number in t.read(one)] + [number for number in self.grads if number is not None]
        self.saved = list(dict.fromkeys(number for number in read if number not in made))
        inputs = {trace.values[number].storage: number for number in trace.tensors}
        storages = {trace.values[number].storage for number in self.saved}
        self.watched = [inputs[storage] for storage in storages if storage in inputs]
        self.reads_result = trace.values[self.result].storage in storages
        results = [number for number in self.grads if number is not None]
        own = t.Trace([one for one in backward if not isinstance(one, t.Given)], trace.values, {})
        self.program = build(own, results, [*self.saved, self.seed])
        return t.Trace(forward, trace.values, trace.tensors)

    def tried(self, arrays: Sequence[Any]) -> bool:
        """Whether the backward program gives what the recording did."""
        assert self.program is not None
        found = self.program.run([*arrays, self.probe])
        return all(equal(one, other, self.program.exact) for one, other in zip(found, self.found, strict=True))

    def node(self, tensors: dict[int, Tensor], arrays: Sequence[Any], output: Tensor) -> Edge:
        """The place in the graph of a replay's result, whose backward pass reads ``arrays``."""
        joint = object.__new__(CompiledFunctionBackward)
        joint.next = tuple([engine.input_edge(tensors[number]) for number in self.inputs])
        watched = [(tensors[number]._counter, tensors[number]._counter[0]) for number in self.watched]
        if self.reads_result:
            watched.append((output._counter, output._counter[0]))
        joint.saved = (self, tuple(arrays), watched)
        front = object.__new__(_named(self.name))
        front.next = ((joint, 0),)
        for node in (joint, front):
            node.shape, node.dtype, node.order = output._array.shape, output._array.dtype, next(orders)
        return (front, 0)


class CompiledFunctionBackward(Node):
    """The backward pass of a compiled function."""

    __module__ = "builtins"

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        joint, arrays, watched = self.saved
        for counter, version in watched:
            if counter[0] != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of "
                    f"a compiled function is at version {int(counter[0])}; expected version {int(version)} instead."
                )
        found = iter(joint.program.run([*arrays, g]))
        grads = [None if number is None else next(found) for number in joint.grads]
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


def recorded(result: Any, recorder: Recorder, new_pass: Callable[[Any], TracedPass]) -> Joint | None:
    """Records the backward pass of what a program gave, if one of it is part of a graph that the program made."""
    if recorder.failure is not None:
        return None
    leaves: list[Any] = []
    leaves_of(result, leaves)
    outputs = [
        leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf._edge is not None and id(leaf) not in recorder.inputs
    ]
    if not outputs:
        return None
    output = outputs[0]
    if len(outputs) > 1 or type(output) is not Tensor or output._array.dtype.char not in "fd" or not recorder.has_made(output):
        recorder.fail("results that are part of a graph, and not one of floating point alone")
        return None
    root = engine.input_edge(output)
    assert root is not None
    wanted = [(number, engine.input_edge(one)) for number, one in recorder.trace.tensors.items() if one._needs_grad is True]
    if not _plain(root[0], {edge[0] for _, edge in wanted if edge is not None}):
        recorder.fail("a result whose graph has hooks, Functions or values that are freed")
        return None
    value = recorder.ref(output).number
    at = len(recorder.trace.instructions)
    array = output._array
    probe = np.cos(np.arange(array.size, dtype=array.dtype)).reshape(array.shape)
    seed = recorder.new(probe, False)
    recorder.note(t.Given(seed))
    task = new_pass(True)
    task.capture([edge for _, edge in wanted], [root])
    task.run([root], [probe])
    if recorder.failure is not None:
        return None
    grads = [None if g is None else recorder.array_ref(g).number for g in task.captured]
    inputs = [number for number, _ in wanted]
    joint = Joint(value, at, seed, inputs, grads, root[0].name())
    joint.probe, joint.found = probe, [g.copy() for g in task.captured if g is not None]
    return joint


def _plain(root: Node, ends: set[Node]) -> bool:
    """Whether a graph is of ops alone, down to where it ends in the program's inputs; nobody listens, and nothing is freed."""
    if modes.state.saved_hooks:
        return False
    return not any(
        node.hooked or node.always_runs or node.is_leaf_sink or getattr(type(node), "op", None) is None or node.saved is None
        for node in reached([root], ends)
    )
