"""Where a trace's inputs are found at a call, and whether all is as it was when it was recorded."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..backend import memory
from ..backend import numpy as backend
from ..tensor import Tensor
from .capture import known_functions
from .capture import trace as t
from .capture.guards import ABSENT, Findings, holds, same_attributes
from .capture.recorder import NotUnderstood, Recorder
from .trees import tensor_form

Source = tuple[int, str, Any]
Check = tuple[str, Any, Any, Any]


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

    ``recorder``  has recorded it
    ``forms``     what tensors were like before the program ran, by their identity
    ``missing``   whether it may go on where a tensor has not got an attribute
    """

    def __init__(
        self,
        findings: Findings,
        inputs: list[Source],
        leaves: list[Any],
        recorder: Recorder,
        forms: Mapping[int, Any],
        missing: bool,
    ) -> None:
        trace = recorder.trace
        self.findings, self.asks_places, self.missing = findings, recorder.asks_places, missing
        self.twins = recorder.of_one_array()
        if "_base" in findings.users and not all(form[6] for form in forms.values()):
            raise NotUnderstood("the _base of a tensor that was there before")
        hosts = [one for one in trace.instructions if isinstance(one, t.Host)]
        if "param_groups" in findings.users and any(known_functions.moves_rates(one.function) for one in hosts):
            raise NotUnderstood("a schedule's step, and an optimizer's groups, in which it may change numbers")
        given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        self.there = [(one, forms[key]) for key, one in findings.tensors.items() if key not in findings.grads]
        known = {id(one): one for one, _ in self.there}
        self.both = [known.get(id(one)) for one in given]  # of arguments, the tensors that the program also finds by itself
        self.apart = set(known) - {id(one) for one in self.both if one is not None}
        where = {number: (kind, what) for number, kind, what in inputs}
        self.grads = [(*where[owner], forms[id(trace.tensors[number])]) for number, kind, owner in inputs if kind == "grad"]
        self.inputs = [(kind, what) for _, kind, what in inputs if kind != "grad"]
        self.places: list[tuple[str, Any]] = [(kind, where[what] if kind == "grad" else what) for _, kind, what in inputs]
        self.counters = self._counters(leaves)
        self.fixed: list[Any] = []  # the arrays of tensors that are no arguments, and what owns their memory
        self.owners: list[object] = []
        storages = [trace.values[number].storage for number, _, _ in inputs]
        first = {storage: place for place, storage in reversed(list(enumerate(storages)))}
        self.memory = [first[one] for one in storages] if len(first) > 1 and _writes(trace) else []
        there = {number: trace.tensors[number] for number, _, _ in inputs}  # a .grad that was an input may be gone by now
        if self.memory and _pattern([memory.owner(one._array) for one in there.values()]) != self.memory:
            raise NotUnderstood("tensors that share memory which nothing tells")
        self.look = self._written(leaves)

    def _counters(self, leaves: list[Any]) -> list[int]:
        """Which inputs share a version: for each the place of the first one with the same."""
        return _pattern([(leaves[what] if kind == "argument" else what)._counter for kind, what in self.inputs])

    def _memory(self, leaves: list[Any]) -> list[int]:
        """Which inputs lie in one memory: for each the place of the first one there. What is moved past a write lies elsewhere."""
        arrays: list[Any] = []
        for kind, what in self.places:
            if kind == "grad":
                owner, which = what
                arrays.append((leaves[which] if owner == "argument" else which)._grad._array)
            elif kind == "there":
                arrays.append(what._array)
        if len(arrays) != len(self.fixed) or not all(map(operator.is_, arrays, self.fixed)):
            self.fixed, self.owners = arrays, [memory.owner(array) for array in arrays]
        owners = iter(self.owners)
        every: list[object] = [
            memory.owner(leaves[what]._array) if kind == "argument" else next(owners) for kind, what in self.places
        ]
        return _pattern(every)

    def count(self) -> int:
        """How many things are looked at before each replay."""
        return len(self.findings.checks) + len(self.there) + len(self.grads) + len(self.inputs)

    def hold(self, leaves: list[Any]) -> bool:
        """Whether they hold for a call with these arguments, which are of the right form."""
        try:
            return self.look(leaves)
        except (ValueError, AttributeError, TypeError):  # a cell that is empty now, an attribute that is gone
            return False

    def _written(self, leaves: list[Any]) -> Callable[[list[Any]], bool]:
        """All checks as one function without loops: objects by their identity first, and by :func:`holds` where that has changed."""
        text = _Text()
        places = [index for index, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        for place, there in zip(places, self.both, strict=True):
            if there is not None:
                text.must(f"leaves[{place}] is {text.name(there)}")
            elif self.apart:
                text.must(f"id(leaves[{place}]) not in {text.name(self.apart)}")
            text.attributes(f"leaves[{place}]", *self._attributes(leaves[place]))
        for check in self.findings.checks:
            text.check(check)
        for tensor, form in self.there:
            text.tensor(text.name(tensor), form)
            text.attributes(text.name(tensor), *self._attributes(tensor))
        self._which_tensors(text, leaves)
        owners = [f"leaves[{what}]" if kind == "argument" else text.name(what) for kind, what, _ in self.grads]
        for owner, (_, _, form) in zip(owners, self.grads, strict=True):
            text.must(f"{owner}._grad is not None")
            text.tensor(f"{owner}._grad", form)
        every = [f"leaves[{what}]" if kind == "argument" else text.name(what) for kind, what in self.inputs]
        if self.counters == list(range(len(every))):
            text.must(f"len({{{', '.join(f'id({one}._counter)' for one in every)}}}) == {len(every)}" if every else "True")
        else:
            text.must(f"{text.name(self._counters)}(leaves) == {text.name(self.counters)}")
        for one, (kind, what) in zip(every if self.asks_places else (), self.inputs, strict=False):
            text.must(f"place({one}) == {_place(leaves[what] if kind == 'argument' else what)}")
        if self.memory:
            text.must(f"{text.name(self._memory)}(leaves) == {text.name(self.memory)}")
        return text.function()

    def _which_tensors(self, text: _Text, leaves: list[object]) -> None:
        """A gradient that was another's too, or a tensor found elsewhere, must be that one again, and tensors that had one array must
        have one. Others must not, where it may be asked: who writes to one of two sees that they lie in one memory."""
        findings = self.findings
        arguments = {id(leaf): f"leaves[{place}]" for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor)}
        others = findings.tensors.keys() - findings.no_others
        alone: dict[int, str] = {}
        for tensor, grad in {id(one): (one, grad) for one, grad in findings.gradients if grad is not None}.values():
            now = f"{arguments.get(id(tensor)) or text.name(tensor)}._grad"
            known = arguments.get(id(grad)) or (text.name(grad) if id(grad) in others else alone.get(id(grad)))
            if known is not None:
                text.must(f"{now} is {known}")
            else:
                alone[id(grad)] = now
            if "grad" in findings.users:
                text.attributes(now, *self._attributes(grad))
        if alone and "grad" in findings.users:
            every = ", ".join(f"id({one})" for one in (*alone.values(), *arguments.values()))
            number, strangers = len(alone) + len(arguments), text.name(others - arguments.keys())
            text.must(f"len(found := {{{every}}}) == {number} and found.isdisjoint({strangers})")
        for pair in self.twins:
            one, other = (arguments.get(id(each)) or alone.get(id(each)) or text.name(each) for each in pair)
            text.must(f"{one}._array is {other}._array")

    def _attributes(self, tensor: Tensor) -> tuple[set[str] | None, dict[str, object], bool]:
        return self.findings.names, self.findings.attributes[id(tensor)][1], self.missing


class _Text:
    """A function that says whether all that it is told holds."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {"holds": holds, "ABSENT": ABSENT, "tensor_form": tensor_form}
        self.space |= {"same_attributes": same_attributes, "place": _place}
        self.names: dict[int, str] = {}
        self.lines: list[str] = []

    def name(self, value: Any) -> str:
        if id(value) not in self.names:
            self.names[id(value)] = f"o{len(self.space)}"
            self.space[self.names[id(value)]] = value
        return self.names[id(value)]

    def must(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return False")

    def check(self, check: Check) -> None:
        name = self.name
        kind, holder, key, value = check
        match kind:
            case "key":
                quick = f"{name(holder)}.get({name(key)}, ABSENT) is {name(value)}"
            case "item":
                quick = f"len({name(holder)}) > {key} and {name(holder)}[{key}] is {name(value)}"
            case "length":
                quick = f"len({name(holder)}) == {key}"
            case "absent" | "keys" if all(type(one) is str for one in holder):  # others may be equal, and not the same
                quick = f"tuple({name(holder)}) == {name(tuple(holder))}" if holder else f"not {name(holder)}"
            case "cell" if value is not ABSENT:
                quick = f"{name(holder)}.cell_contents is {name(value)}"
            case "slot" if value is not ABSENT and _is_name(key):
                quick = f"{name(holder)}.{key} is {name(value)}"
            case "class" if _is_name(key) and type(holder) is type and getattr(holder, key, ABSENT) is value:
                quick = f"{name(holder)}.{key} is {name(value)}"
            case "class":
                quick = f"{name(holder)}.__dict__.get({name(key)}, ABSENT) is {name(value)}"
            case "type":
                quick = f"{name(holder)}.__class__ is {name(key)}"
            case "code":
                quick = f"{name(holder)}.__code__ is {name(key)}"
            case _:
                quick = ""
        slow = f"holds({name(check)})"
        self.must(f"{quick} or {slow}" if quick else slow)

    def attributes(self, tensor: str, names: set[str] | None, before: dict[str, object], missing: bool) -> None:
        """One that is not there is an error, unless the program goes on without."""
        if before or missing:
            quick = "" if before else f"not {tensor}.__dict__ or "
            self.must(f"{quick}same_attributes({tensor}, {self.name(names)}, {self.name(before)})")

    def tensor(self, tensor: str, form: Any) -> None:
        name = self.name
        (
            kind, shape, dtype, strides, needs, leaf, base, hooks, after, no_grad, no_inference, tangents, conjugate, negated,
            grad_dtype, retains,
        ) = form  # fmt: skip
        self.lines.append(f"t = {tensor}")
        one = "False"
        if leaf and no_inference and tangents is None and not (hooks or after or conjugate or negated or retains):
            self.lines.append("a = t._array")
            one = f"t.__class__ is {name(kind)} and a.shape == {shape} and a.dtype is {name(dtype)} and a.strides == {strides}"
            one += f" and t._needs_grad is {name(needs)} and t._edge is None and (t._base is None) is {base} and not t._hooks"
            one += f" and not t._post_accumulate_hooks and (t._grad is None) is {no_grad} and t._inference is None"
            one += " and t._tangents is None and not t._conjugate and not t._negated and not t._retains"
            one += f" and t._grad_dtype is {name(grad_dtype)}"
        self.must(f"{one} or tensor_form(t) == {name(form)}")

    def function(self) -> Callable[[list[Any]], bool]:
        body = "\n".join("    " + line for line in [*self.lines, "return True"])
        scope: dict[str, Any] = {}
        exec(compile(f"def look(leaves):\n{body}\n", "<rushlight guards>", "exec"), self.space, scope)
        found: Callable[[list[Any]], bool] = scope["look"]
        return found


def _is_name(text: str) -> bool:
    """Whether an attribute of this name can be asked for in a program's text."""
    return text.isidentifier() and not keyword.iskeyword(text)


def shared(leaves: list[Any]) -> Any:
    """Which arguments are one tensor, and which share a version."""
    given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    return (_pattern(given), _pattern([one._counter for one in given])) if len(given) > 1 else None


def _writes(trace: t.Trace) -> bool:
    """Whether a trace writes to memory that was there before."""
    there = {trace.values[number].storage for number in trace.tensors}
    return any(
        isinstance(one, (t.Write, t.Accumulate)) and trace.values[one.out].storage in there for one in trace.instructions
    )


def _place(tensor: Tensor) -> tuple[int, int]:
    """Where a tensor begins in its memory, and how much that is."""
    return tensor.storage_offset(), backend.root(tensor._array).nbytes  # type: ignore[attr-defined]


def _pattern(things: Iterable[object]) -> list[int]:
    first: dict[int, int] = {}
    return [first.setdefault(id(one), index) for index, one in enumerate(things)]
