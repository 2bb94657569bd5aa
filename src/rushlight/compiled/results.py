"""What a program gives back: how to make it of a replay's arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..autograd import modes
from ..base.size import Size
from ..tensor import Tensor, new_tensor
from .capture.recorder import NotUnderstood, Recorder
from .capture.trace import Input
from .joint import Joint
from .trees import leaves_of, rebuilt

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.dtype, Size)


def note_inputs(result: object, recorder: Recorder, before: Mapping[int, Tensor]) -> None:
    """What a program gives back that was there before is an input, even where nothing was done with it."""
    leaves: list[object] = []
    leaves_of(result, leaves)
    for leaf in leaves:
        if isinstance(leaf, Tensor) and id(leaf) in before:
            recorder.input(leaf)


class Results:
    """The form of what a program gave, and for each leaf where it comes from.

    ``numbers``  the values of the trace that a replay is to give
    """

    def __init__(self, result: Any, recorder: Recorder, before: Mapping[int, Tensor], joint: Joint | None) -> None:
        self.joint = joint
        leaves: list[Any] = []
        self.form = leaves_of(result, leaves)
        self.numbers: list[int] = []
        self.parts: list[tuple[str, Any]] = []
        made: dict[int, int] = {}
        grads = {id(tensor._grad): number for number, tensor in recorder.trace.tensors.items() if tensor._grad is not None}
        of_grad = {one.out for one in recorder.trace.instructions if isinstance(one, Input) and one.of_grad is not None}
        counters: set[int] = set()
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                if not isinstance(leaf, _PLAIN) and not (
                    isinstance(leaf, type) or type(leaf).__module__.startswith("rushlight.")
                ):
                    raise NotUnderstood(f"a result of the kind {type(leaf).__name__}")
                self.parts.append(("plain", leaf))
            elif id(leaf) in grads:
                self.parts.append(("grad", grads[id(leaf)]))
            elif id(leaf) in before:
                self.parts.append(("there", recorder.input(leaf)))
                if self.parts[-1][1] in of_grad:
                    raise NotUnderstood("a result that was a .grad, and is none any more")
            elif id(leaf) in made:
                self.parts.append(("again", made[id(leaf)]))
            else:
                made[id(leaf)] = len(self.parts)
                self.parts.append(self._new(leaf, recorder, counters))

    def _new(self, leaf: Tensor, recorder: Recorder, counters: set[int]) -> tuple[str, Any]:
        # A part of what was split, in no graph, may be written to.
        of_several = leaf._made == "several" and leaf._edge is None
        if leaf._hooks or leaf._tangents or (leaf._made and not of_several) or leaf._retains:
            raise NotUnderstood("a result that hooks know of, or a view that was made in a mode of its own")
        if id(leaf._counter) in counters or not recorder.has_made(leaf):
            raise NotUnderstood("a result that shares memory")
        if type(leaf) is not Tensor or leaf._conjugate or leaf._negated or leaf._grad is not None:
            raise NotUnderstood("a result that is more than an array")
        counters.add(id(leaf._counter))
        self.numbers.append(recorder.ref(leaf).number)
        if leaf._edge is not None:
            if self.joint is None or self.numbers[-1] not in self.joint.results:
                raise NotUnderstood("a result that is part of a graph")
            return ("graph", leaf._counter[0])
        if leaf._inference is not None:
            return ("inference", leaf._counter[0])
        return ("new", (leaf._counter[0], leaf._needs_grad))

    def in_graph(self, result: Any) -> list[Tensor]:
        """Of a replay's result, what is part of a graph."""
        leaves: list[Any] = []
        leaves_of(result, leaves)
        return [leaf for leaf, (kind, _) in zip(leaves, self.parts, strict=True) if kind == "graph"]

    def made_of(self, arrays: tuple[Any, ...], tensors: dict[int, Tensor]) -> Any:
        """The result of a replay that gave ``arrays`` (those of ``numbers``, then what the backward pass reads), on ``tensors``."""
        found = iter(arrays)
        leaves: list[Any] = []
        placed: list[Tensor] = []
        for kind, what in self.parts:
            if kind == "plain":
                leaves.append(what)
            elif kind == "there":
                leaves.append(tensors[what])
            elif kind == "grad":
                leaves.append(tensors[what]._grad)
            elif kind == "again":
                leaves.append(leaves[what])
            else:
                result = new_tensor(next(found))
                leaves.append(result)
                if kind == "graph":
                    result._counter[0], result._needs_grad = what, True
                    placed.append(result)
                elif kind == "inference":
                    result._counter[0], result._inference = what, modes.state.inference or modes.Inference()
                else:
                    result._counter[0], result._needs_grad = what
        if placed and self.joint is not None:
            self.joint.place(placed, tensors, tuple(found))
        return leaves[0] if self.form is None else rebuilt(self.form, iter(leaves))
