"""A backward pass that is being recorded: its rules are read over Tensors, so that what they do are ops of the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...autograd import engine
from ...autograd.nodes import AccumulateGrad, Edge, Node
from ...autograd.observed_pass import ObservedPass
from ...tensor import Tensor, wrap
from ...transforms.batched_tensors import BatchedTensor
from .recorder import Recorder


class TracedPass(ObservedPass):
    """A pass over Tensors that need not record itself, whose leaves are instructions."""

    def __init__(self, recorder: Recorder, keep_graph: bool, create_graph: bool, inside: bool = True) -> None:
        super().__init__(keep_graph, True)
        self.record = self.for_graph = create_graph
        self.is_last = inside and not create_graph  # nobody differentiates what it gives, nor calls it from outside
        self.recorder = recorder

    def run(self, roots: Sequence[Edge], cotangents: Sequence[Any]) -> None:
        for given in cotangents:
            while isinstance(given, BatchedTensor):  # what vmap hands over is an example of a batch
                given = given.whole
            seed = given._array if isinstance(given, Tensor) else given
            if seed is None or self.recorder.knows(seed):
                continue
            if self.recorder.ones and self.recorder.there(seed) is None:  # nobody gave it: what begins at one number
                self.recorder.ones -= 1
                self.recorder.constant(seed)
            else:
                self.recorder.array_ref(seed)
        if self.for_graph:
            super().run(roots, cotangents)
            return
        super().run(roots, [None if seed is None else wrap(seed) for seed in cotangents])
        if self.captures:
            self.captured = [g._array if isinstance(g, Tensor) else g for g in self.captured]
            self.over_tensors = False

    def _finish(self, sink: Node, g: Any) -> None:
        if self.for_graph or not isinstance(sink, AccumulateGrad):
            super()._finish(sink, g)
            return
        if sink.variable._hooks or sink.hooked:
            self.recorder.fail("a hook of a leaf")
        self.over_tensors = False
        try:
            super()._finish(sink, None if g is None else g._array)
        finally:
            self.over_tensors = True

    def accumulate(self, variable: Any, g: Any) -> None:  # type: ignore[override]
        recorder = self.recorder
        recorder.within += 1
        try:
            recorder.looked_at_grad(variable)
            source = recorder.array_ref(g)
            have = variable._grad
            before = -1 if have is None else recorder.ref(have).number
            engine.BackwardPass.accumulate(variable, g, 0)  # the trace holds on to it, so a .grad has a copy
            if recorder.failure is None:
                recorder.accumulated(variable, source, have is not None, before)
        finally:
            recorder.within -= 1
