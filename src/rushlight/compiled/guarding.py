"""Where a trace's inputs are found at a call, and whether all is as it was when it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..capture import trace as t
from ..capture.guards import Findings
from ..capture.recorder import Recorder
from ..tensor import Tensor
from .trees import tensor_form

Source = tuple[int, str, Any]


def sources(recorder: Recorder, leaves: list[Any]) -> list[Source]:
    """For each input of a trace where its tensor is found: an argument, the gradient of another input, or the very tensor."""
    of_grad = {one.out: one.of_grad for one in recorder.trace.instructions if isinstance(one, t.Input)}
    places = {id(leaf): index for index, leaf in reversed(list(enumerate(leaves)))}
    found: list[Source] = []
    for number, tensor in recorder.trace.tensors.items():
        if of_grad[number] is not None:
            found.append((number, "grad", of_grad[number]))
        elif id(tensor) in places:
            found.append((number, "argument", places[id(tensor)]))
        else:
            found.append((number, "there", tensor))
    return found


class Guards:
    """What must hold for a replay to give what the program would.

    ``tensors``  the tensors of the trace's inputs
    ``forms``    what tensors were like before the program ran, by their identity
    """

    def __init__(
        self,
        findings: Findings,
        inputs: list[Source],
        leaves: list[Any],
        tensors: Mapping[int, Tensor],
        forms: Mapping[int, Any],
    ) -> None:
        self.findings = findings
        given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        self.there = [(one, forms[key]) for key, one in findings.tensors.items() if key not in findings.grads]
        known = {id(one): one for one, _ in self.there}
        self.both = [known.get(id(one)) for one in given]  # of arguments, the tensors that the program also finds by itself
        self.apart = set(known) - {id(one) for one in self.both if one is not None}
        where = {number: (kind, what) for number, kind, what in inputs}
        self.grads = [(*where[owner], forms[id(tensors[number])]) for number, kind, owner in inputs if kind == "grad"]
        self.inputs = [(kind, what) for _, kind, what in inputs if kind != "grad"]
        self.counters = self._counters(leaves)

    def _counters(self, leaves: list[Any]) -> list[int]:
        """Which inputs share a version: for each the place of the first one with the same."""
        return _pattern([(leaves[what] if kind == "argument" else what)._counter for kind, what in self.inputs])

    def count(self) -> int:
        """How many things are looked at before each replay."""
        return len(self.findings.checks) + len(self.there) + len(self.grads) + len(self.inputs)

    def hold(self, leaves: list[Any]) -> bool:
        """Whether they hold for a call with these arguments, which are of the right form."""
        given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        for leaf, there in zip(given, self.both, strict=True):
            if (leaf is not there) if there is not None else id(leaf) in self.apart:
                return False
        for tensor, form in self.there:
            if tensor_form(tensor) != form:
                return False
        for kind, what, form in self.grads:
            owner = leaves[what] if kind == "argument" else what
            if owner._grad is None or tensor_form(owner._grad) != form:
                return False
        return self.findings.changed() is None and self._counters(leaves) == self.counters


def shared(leaves: list[Any]) -> Any:
    """Which arguments are one tensor, and which share a version."""
    given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    return (_pattern(given), _pattern([one._counter for one in given])) if len(given) > 1 else None


def _pattern(things: list[Any]) -> list[int]:
    first: dict[int, int] = {}
    return [first.setdefault(id(one), index) for index, one in enumerate(things)]
