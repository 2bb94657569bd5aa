"""What is seen becomes a recording: tensors with their lives and names, nodes, events (docs/recording.md says what is in it)."""

from __future__ import annotations

import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..autograd import modes
from ..autograd.nodes import AccumulateGrad, Node
from ..autograd.observed_pass import ObservedPass
from ..autograd.views import CopySlices
from ..base import dtypes
from ..tensor import Tensor
from ..transforms.example_graph import Entrance, beyond
from ..utils.weak import Sighting
from .at_once import AtOnce
from .composing import SAME, composed
from .entries import Entry, may_be_one_leaf, name_of
from .frames import Calls, Where
from .function_nodes import kept_by_function
from .keeping import leave_out
from .module_hooks import hook_of
from .naming import Naming
from .noted import quietly
from .places import Places
from .rules import NAME, rule_texts, told_apart
from .taken import Taken
from .unset import Unset
from .values import value_of
from .written import rules_of_write, written_by

if TYPE_CHECKING:
    from ..ops.table import Op

LIMIT = 100_000  # events that are kept, the first and the last
SEEN = 3  # times as many are looked at one by one; of what comes behind them the last pass is told of as a whole
WATCHED = 200  # tensors that are looked at for writes, the latest


class Recording(Naming):
    """The lists of a recording while they grow. Tensors and nodes are held weakly, so that the program frees what it frees."""

    def __init__(self, full: bool = False, limit: int = LIMIT, with_jacobians: bool = True) -> None:
        super().__init__()
        self.places, self.with_jacobians = Places(), with_jacobians
        self.full, self.limit, self.left_out = full, limit, 0
        self.gap: int | None = None  # where events were left out, and how many of those that were added
        self.dropped = self.running = self.passes = self.locals = 0  # running: passes that have begun and not ended
        self._came: tuple[int, set[int]] = -1, set()  # when it was last asked for, and what it was
        self.totals: Counter[str] = Counter()  # of all events, those that are not kept too
        self.tensors: list[Entry] = []
        self.nodes: list[Entry] = []
        self.events: list[Entry] = []
        self.jacobians: list[Entry] = []
        self.printed: list[Entry] = []
        self.failures: list[str] = []
        self.calls, self.taken, self.at_once, self.unset = Calls(self), Taken(self), AtOnce(self), Unset(self.failures)
        self._alive: dict[int, tuple[weakref.ref[Any], int]] = {}  # by id of a tensor
        self._references: dict[int, weakref.ref[Any]] = {}  # by number of an entry
        self._of_node: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._arrays: dict[int, int] = {}  # by id of an array
        self._made: dict[tuple[int, int], int] = {}  # by node and output
        self._counters: dict[int, list[Any]] = {}  # of the tensors that are watched, by their ids
        self._versions: dict[int, float] = {}  # in that order; no whole number: a history written anew without a write
        self._replaced: dict[int, set[str]] = {}  # by node: the op's inputs in whose place the user's names stand in its rules
        self._grads: dict[int, tuple[int, Sighting, int]] = {}  # by a leaf's identity: its entry, `.grad`, and its version
        self._added: dict[
            int, tuple[list[object], object]
        ] = {}  # by id of a counter, with its version: what a pass just added to
        self.refused: dict[int, int | None] = {}  # by identity: where `requires_grad` was set to False
        self.asked: dict[int, tuple[int, int | None]] = {}  # when and where it was set to True, of what was used before

    def value(self, array: Any) -> Any:
        return value_of(array, self.full, self.unset.holes(array))

    @quietly
    def prints(self, stream: str, text: str) -> None:
        """The program wrote something."""
        last = self.printed[-1] if self.printed else None
        if last is not None and last["stream"] == stream and last["event"] == self.seen:
            last["text"] += text
        else:
            self.printed.append({"event": self.seen, "stream": stream, "text": text})

    def event(self, kind: str, place: int | None, **fields: Any) -> Entry | None:
        """Adds an event; of too many those in the middle are left out."""
        event = {"n": self.seen, "kind": kind, "place": place, "pass": None, **fields}
        self.events.append(event)
        self.totals[kind] += 1
        if len(self.events) > self.limit:
            leave_out(self)
        return event

    @property
    def seen(self) -> int:
        """How many events have been added."""
        return len(self.events) + self.dropped

    @property
    def full_up(self) -> bool:
        """Whether so many events were looked at that from now on passes are told of as a whole, and nothing else."""
        return self.seen >= SEEN * self.limit

    def passed_over(self, kind: str) -> None:
        """Something happened that is not looked at."""
        self.totals[kind] += 1
        self.left_out += 1

    def came(self) -> set[int]:
        """The nodes at which a gradient arrived."""
        if self._came[0] != self.seen:
            self._came = self.seen, {one["node"] for one in self.events if one["kind"] == "run" and any(one["arrived"])}
        return self._came[1]

    # What is kept of a long program: keeping.py says which entries.

    def living(self) -> tuple[set[int], set[int]]:
        """The tensors and the nodes that the program still has, or whose gradients it may write."""
        tensors = {number for reference, number in self._alive.values() if reference() is not None}
        tensors.update(number for number, _, _ in self._grads.values())
        return tensors, {number for reference, number in self._of_node.values() if reference() is not None}

    def forget(self, tensors: set[int], nodes: set[int]) -> None:
        """Keeps what is known of these entries only."""
        self._alive = {key: one for key, one in self._alive.items() if one[1] in tensors}
        self._of_node = {key: one for key, one in self._of_node.items() if one[1] in nodes}
        self._references = {number: one for number, one in self._references.items() if number in tensors}
        self._arrays = {key: number for key, number in self._arrays.items() if number in tensors}
        self._made = {key: number for key, number in self._made.items() if number in tensors and key[0] in nodes}
        self._texts = {number: one for number, one in self._texts.items() if number in tensors}
        self._replaced = {number: one for number, one in self._replaced.items() if number in nodes}
        self.taken.forget(tensors)

    def renumber(self, tensors: dict[int, int], nodes: dict[int, int], first: dict[int, int]) -> None:
        """Entries have these numbers from now on; ``first`` by their former identities the first lives."""
        lives = self._lives
        self._lives = [lives[number] for number in tensors]
        self._alive = {key: (one, tensors[number]) for key, (one, number) in self._alive.items()}
        self._of_node = {key: (one, nodes[number]) for key, (one, number) in self._of_node.items()}
        self._references = {tensors[number]: one for number, one in self._references.items()}
        self._arrays = {key: tensors[number] for key, number in self._arrays.items()}
        self._made = {(nodes[node], out): tensors[number] for (node, out), number in self._made.items()}
        self._texts = {tensors[number]: one for number, one in self._texts.items()}
        self._replaced = {nodes[number]: one for number, one in self._replaced.items()}
        self._first_named = {first[one]: count for one, count in self._first_named.items() if one in first}
        self.taken.renumber(tensors)
        self.refused = {first[one]: place for one, place in self.refused.items() if one in first}
        self.asked = {first[one]: asked for one, asked in self.asked.items() if one in first}
        self._grads = {first[one]: (tensors[number], *rest) for one, (number, *rest) in self._grads.items()}  # type: ignore[misc]

    # Tensors.

    def known(self, tensor: Any) -> int | None:
        found = self._alive.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def tensor(self, tensor: Tensor, place: int | None = None) -> int:
        """The entry of a tensor's present life."""
        number = self.known(tensor)
        if number is not None and not (tensor._edge is not None and isinstance(tensor._edge[0], Entrance)):
            if tensor._edge is not None and self.tensors[number]["node"] is None:
                self._given_history(tensor, number)
            return number
        if tensor._edge is not None:
            made = self.tensor_at(*tensor._edge)
            if made is not None and self.tensors[made]["version"] == int(tensor._counter[0]):
                return made  # a result that was saved, and unpacked for its rule
        same = self._arrays.get(id(tensor._array))
        if same is not None:
            reference = self._references.get(same)
            one = reference() if reference is not None else None
            stands_in = one is not None and one._array is tensor._array and tensor._edge == one._edge
            stands_in = stands_in and (tensor._edge is not None or tensor._needs_grad) and may_be_one_leaf(tensor, one)
            if stands_in and one is not None and tensor._needs_grad == one._needs_grad and tensor._counter is not one._counter:
                return same  # what an in-place op reads in its stead
        return self._new(tensor, place, None)

    def _given_history(self, tensor: Any, number: int) -> None:
        """A result that a Function of the program's made in its ``forward``, without a history, has its node behind it."""
        entry, (node, out) = self.tensors[number], beyond(tensor._edge)
        made = self.node(node)
        entry["node"], entry["out"], entry["leaf"], entry["requires_grad"] = made, out, False, True
        entry["place"], entry["cut"] = self.nodes[made]["place"], None
        self.nodes[made]["module"] = hook_of(self.events, number)
        self._made[made, out] = number
        self.nodes[made]["outputs"].append(number)

    def _new(self, tensor: Any, place: int | None, life_of: int | None) -> int:
        edge = None if tensor._edge is None else beyond(tensor._edge)
        node = self.node(edge[0]) if edge is not None else None
        number = len(self.tensors)  # after the node, which may bring its leaves
        if node is not None and place is None:
            place = self.nodes[node]["place"]
        base = self.known(tensor._base) if tensor._base is not None else None
        before = self.tensors[life_of] if life_of is not None else None
        self._lives.append(self.lives_before(tensor, life_of))
        self.tensors.append({
            "id": number, "identity": before["identity"] if before else number, "names": list(before["names"]) if before else [],
            "label": f"t{number}", "shape": list(tensor._array.shape), "dtype": str(dtypes.of(tensor._array.dtype)).partition(".")[2],
            "leaf": edge is None, "requires_grad": bool(tensor._needs_grad), "node": node,
            "out": edge[1] if edge is not None else 0, "version": int(tensor._counter[0]), "life_of": life_of, "view_of": base,
            "place": place, "value": self.at_once.value(tensor), "grad": self.value(tensor._grad), "cut": None,
            "retains_grad": False,
        })  # fmt: skip
        key = id(tensor)
        self._alive[key] = (Sighting(tensor), number)
        self._references[number] = self._alive[key][0]
        self._arrays[id(tensor._array)] = number
        if edge is not None and node is not None:
            self._made[node, edge[1]] = number
            if number not in self.nodes[node]["outputs"]:
                self.nodes[node]["outputs"].append(number)
        self._forget(key)
        self._counters[key], self._versions[key] = tensor._counter, tensor._counter[0]
        if len(self._counters) > WATCHED:
            self._forget(next(iter(self._counters)))
        return number

    @quietly
    def look_for_writes(self) -> None:
        """Begins a new life for each tensor that was written since it was last seen; what an optimizer read, it read before."""
        for identity, (number, sighting, version) in list(self._grads.items()):
            grad = sighting()
            if grad is not None and int(grad._counter[0]) != version:
                self._grads[identity] = number, sighting, int(grad._counter[0])
                self._reset(number, self._writer(grad._counter)[1], grad)
        for key in self.at_once.changed():
            reference, number = self._alive[key]
            tensor = reference()
            if tensor is None:
                self._forget(key)
            elif int(tensor._counter[0]) == self.tensors[number]["version"] or self.at_once.is_only_counted(tensor, number):
                self._versions[key] = tensor._counter[0]
            else:
                name, place = self._writer(tensor._counter)
                new = self._new(tensor, place, number)
                node = self.tensors[new]["node"]
                self.event("write", place, op=name, node=node, inputs=[number], outputs=[new], tensor=new, before=number)
        self._added.clear()
        self.at_once.clear()

    def _writer(self, counter: list[object]) -> tuple[str, int | None]:
        """What wrote last, and where; neither of a pass, which leaves what the program wrote before it."""
        by_pass = len(counter) < 3 or self._added.get(id(counter)) == (counter, counter[0])
        return ("", None) if by_pass else (str(counter[1]), self.places.of(counter[2]))  # type: ignore[arg-type]

    def _forget(self, key: int) -> None:
        self._counters.pop(key, None)
        self._versions.pop(key, None)

    def watch_grad(self, number: int, grad: Tensor | None) -> None:
        """From now on the program's writes to a leaf's ``.grad`` are seen."""
        identity = self.tensors[number]["identity"]
        self._grads.pop(identity, None)
        if grad is not None:
            self._grads[identity] = number, Sighting(grad), int(grad._counter[0])
            if len(self._grads) > WATCHED:
                del self._grads[next(iter(self._grads))]

    def accumulated(self, number: int, grad: Tensor | None) -> None:
        """A pass has added to a leaf's ``.grad``, or put one there."""
        self.tensors[number]["grad"] = self.value(grad)
        self.watch_grad(number, grad)
        if grad is not None:
            self._added[id(grad._counter)] = grad._counter, int(grad._counter[0])

    def _reset(self, number: int, place: int | None, grad: Tensor | None) -> None:
        value = self.tensors[number]["grad"] = self.value(grad)
        event = self.event("reset", place, tensor=number, to=value)
        if event is not None:
            event["pass"] = getattr(modes.state.task, "number", None)

    @quietly
    def told(self, kind: str, tensor: Tensor, value: Tensor | None, where: Where | None, by_program: bool) -> None:
        """What no op does: a ``.grad`` is set, or a tensor taken without its history."""
        self.look_for_writes()
        known = self.known(tensor)
        if kind == "grad":
            if known is not None:
                self._reset(known, self.places.of(where), value)
                self.watch_grad(known, value)
        elif kind == "requires_grad":
            if value and known is not None:
                identity = self.tensors[known]["identity"]
                self.refused.pop(identity, None)
                self.asked[identity] = self.seen, self.places.of(where)
            elif tensor._needs_grad and not value:
                self.refused[self.tensors[self.tensor(tensor)]["identity"]] = self.places.of(where)
        elif kind == "data =":
            if known is not None and by_program:
                place = self.places.of(where)
                new = self._new(tensor, place, known)
                self.event("write", place, op="data", node=None, inputs=[known], outputs=[new], tensor=new, before=known)
        elif by_program and value is not None and (tensor.requires_grad or (known is not None and self.tensors[known]["cut"])):
            place = self.places.of(where)
            given = self.tensor(tensor)
            holder = self._arrays.get(id(value._array))
            made = self._new(value, place, None)
            self._arrays[id(value._array)] = given if holder is None else holder  # both have one memory, which was the other's
            self.tensors[made]["cut"] = self.tensors[given]["cut"] or {"by": kind, "place": place}
            self.event("op", place, op=kind, node=None, inputs=[given], outputs=[made])

    def _as_it_is_now(self, tensor: Tensor, entry: Entry) -> None:
        """What may have changed since a tensor was first seen, and is no write."""
        if tensor._edge is None and not entry["leaf"]:  # detach_
            entry["cut"] = entry["cut"] or {"by": "detach", "place": self.places.calling(entry["names"], "detach_")}
        entry["leaf"], entry["requires_grad"] = tensor._edge is None, bool(tensor._needs_grad)
        entry["grad"], entry["retains_grad"] = self.value(tensor._grad), bool(tensor._retains) and tensor._edge is not None

    def tensor_at(self, node: Node, out: int) -> int | None:
        """The entry of what a node made, or of a leaf."""
        node, out = beyond((node, out))
        number = self.node(node)
        variable: int | None = self.nodes[number]["variable"]
        return self._made.get((number, out)) if variable is None else variable

    # Nodes.

    def node(self, node: Any) -> int:
        """The entry of a node, and of the leaves behind its edges; of an entrance, that of the node behind it."""
        node, _ = beyond((node, 0))
        found = self._of_node.get(id(node))
        if found is not None and found[0]() is node:
            return found[1]
        op = getattr(node, "op", None)
        variable = self.tensor(node.variable) if isinstance(node, AccumulateGrad) else None
        number = len(self.nodes)
        entry: Entry = {
            "id": number, "name": name_of(node), "op": op.name if op is not None else None, "edges": [],
            "place": self.places.of(node.where), "stack": [], "module": "", "inputs": [], "outputs": [], "saved": [],
            "rules": [], "variable": variable,
        }  # fmt: skip
        self._of_node[id(node)] = (weakref.ref(node), number)
        self.nodes.append(entry)
        if entry["place"] is not None:
            entry["stack"] = [entry["place"]]
        for edge in node.next:
            entry["edges"].append(None if edge is None else self._edge(edge))
        entry["saved"] = kept_by_function(self, node)
        if isinstance(node, CopySlices):
            inner = self._of_node.get(id(written_by(node)))
            entry["rules"] = rules_of_write(node, None if inner is None else self.nodes[inner[1]]["rules"])
            self.replaced(number, set() if inner is None else self._replaced.get(inner[1], set()))
        return number

    def _edge(self, edge: tuple[Node, int]) -> Entry:
        target, out = beyond(edge)
        found = self._of_node.get(id(target))
        known = found is not None and found[0]() is target
        if not known and not target.is_leaf_sink and len(self.nodes) > self.limit:
            return {"node": None, "out": out, "tensor": None}
        number = found[1] if known and found is not None else self.node(target) if target.is_leaf_sink else None
        tensor = None
        if number is not None:
            tensor = self.nodes[number]["variable"] if target.is_leaf_sink else self._made.get((number, out))
        return {"node": number, "out": out, "tensor": tensor}

    @quietly
    def op(self, op: Any, args: tuple[Any, ...], result: Any, frame: Any) -> None:
        """An op has run."""
        if self.full_up:
            self.passed_over("op")
            return
        stack, module, hook = self.calls.look(frame)
        places = [self.places.of(where) for where in stack]
        place = places[-1] if places else None
        task = modes.state.task
        is_of_rule = task is not None and place == getattr(task, "place", None)
        if is_of_rule and isinstance(task, ObservedPass) and task.over_tensors and not task.creates:
            return  # read over Tensors for a batch, or for tangents: what is recorded is thrown away
        results = [one for one in (result if isinstance(result, (tuple, list)) else (result,)) if isinstance(one, Tensor)]
        inputs: list[Entry] = []
        given: list[int] = []
        asked = False
        for position, (name, value) in enumerate(zip(op.inputs, args, strict=False)):
            for one in value if isinstance(value, (list, tuple)) else (value,):
                number = self.tensor(one) if isinstance(one, Tensor) else None
                if (
                    number is not None
                    and place is not None
                    and not (hook or self.tensors[number]["names"] or number in self._texts)
                ):
                    self._look_for_text(number, place, position)
                text = (
                    self.text_of(number) if number is not None else repr(one) if isinstance(one, (int, float, complex)) else "?"
                )
                inputs.append({"name": name, "tensor": number, "text": text})
                if number is not None:
                    given.append(number)
                    asked = asked or bool(one._needs_grad)
        outputs = [self.tensor(one, place) for one in results]
        if is_of_rule and len(outputs) == 1:
            texts = [one["text"] for one in inputs]
            texts += [repr(one) for one in args[len(op.inputs) :] if isinstance(one, (int, float))]
            self._texts[outputs[0]] = composed(op.name, texts, len(results[0].shape))
        node = next((one._edge[0] for one in results if one._edge is not None), None)
        number = self.node(node) if node is not None else None
        if node is not None and number is not None:
            entry = self.nodes[number]
            if entry["inputs"] and entry["op"] not in (None, op.name):
                return  # an op of a batch, whose node another op has made and told of
            entry["place"], entry["stack"], entry["module"], entry["inputs"] = place, places, module, inputs
            entry["saved"] = self._saved(op, node, inputs, dict(zip(op.inputs, args, strict=False)), results, outputs)
            names, told = self._names_for_rules(op, args, inputs, place)
            entry["rules"] = rule_texts(op, names, told, len(node.next))
            self.replaced(number, set(names))
        else:
            cut = next((self.tensors[one]["cut"] for one in given if self.tensors[one]["cut"] is not None), None)
            if asked or (cut is not None and not modes.state.grad_enabled and cut["by"] in ("no_grad", "inference_mode")):
                by = "not_differentiable" if modes.state.grad_enabled else "no_grad"
                cut = {"by": "inference_mode" if modes.state.inference else by, "place": place}
            if op.name in SAME:
                self._plain.update(dict.fromkeys(outputs, (op.name, [one["text"] for one in inputs])))
            for one in outputs if cut is not None else ():
                self.tensors[one]["cut"] = cut
        event = self.event("op", place, op=op.name, node=number, inputs=given, outputs=outputs, **hook)
        if event is not None and task is not None:
            event["pass"] = getattr(task, "number", None)

    def replaced(self, node: int, names: set[str]) -> None:
        """In a node's rules the user's names stand in the place of these."""
        self._replaced[node] = names

    def _saved(
        self, op: Op, node: Node, inputs: list[Entry], given: dict[str, Any], results: list[Tensor], outputs: list[int]
    ) -> list[Entry]:
        """The tensors that a node keeps for its rules."""
        wanted = {name for name, edge in zip(op.sources, node.next, strict=False) if edge is not None}
        saved = []
        for kind, name, users in op.keep:
            if kind not in ("input", "output") or not (
                op.variadic is not None or wanted & {*users} or op.keeps_anyhow(kind, users)
            ):
                continue
            for one in inputs if kind == "input" else ():
                if one["name"] == name and one["tensor"] is not None:
                    size = given[name]._array.nbytes if isinstance(given[name], Tensor) else 0
                    saved.append({"name": name, "tensor": one["tensor"], "text": one["text"], "bytes": int(size)})
            if kind == "output" and name in op.outputs and op.outputs.index(name) < len(results):
                at = op.outputs.index(name)
                saved.append({"name": name, "tensor": outputs[at], "text": name, "bytes": int(results[at]._array.nbytes)})
        return saved

    def _names_for_rules(
        self, op: Op, args: tuple[object, ...], inputs: list[Entry], place: int | None
    ) -> tuple[dict[str, str], dict[str, object]]:
        """What the user calls an op's inputs, and the op's parameters with what inputs there are."""
        names = {}
        for one in inputs:
            entry = None if one["tensor"] is None else self.tensors[one["tensor"]]
            if entry is not None:
                names[f"{one['name']}_shape"] = str(tuple(entry["shape"]))
            has_text = one["tensor"] in self._texts or one["text"].endswith(".T")
            if entry is None or entry["names"] or entry["place"] != place or entry["leaf"] or has_text:
                names[one["name"]] = one["text"]  # else made on the way, inside of one call of the user's
        count = len(op.inputs)
        told = {**dict(op.params), **dict(zip((name for name, _ in op.params), args[count:], strict=False))}
        told.update({name: True for name, value in zip(op.inputs, args, strict=False) if value is not None})
        if any(one["tensor"] is not None and self.tensors[one["tensor"]]["dtype"].startswith("complex") for one in inputs):
            told["is_complex"] = True
        return names, told

    def finished(self) -> Entry:
        """The lists, with what is known at the end only."""
        for reference, number in self._alive.values():
            tensor = reference()
            if tensor is not None:
                self._as_it_is_now(tensor, self.tensors[number])
        for node_reference, number in self._of_node.values():
            node = node_reference()
            if node is not None:
                self.nodes[number]["name"] = name_of(node)
        names = {one["identity"]: one["names"] for one in reversed(self.tensors) if one["leaf"] and one["names"]}
        for tensor in self.tensors:
            if tensor["leaf"] and not tensor["names"]:  # written before it had a name
                tensor["names"] = list(names.get(tensor["identity"], ()))
        for tensor in self.tensors:
            tensor["text"] = self._texts.get(tensor["id"])
            if tensor["names"] or tensor["place"] is not None or tensor["id"] in self._texts:
                tensor["label"] = self.text_of(tensor["id"])
        taken = {one for tensor in self.tensors for told in tensor["names"] for one in NAME.findall(told["name"])}
        for node in self.nodes:
            named = [one for one in node["outputs"] if self.tensors[one]["names"]]
            result = self.text_of(named[0]) if named and len(node["outputs"]) == 1 else None
            node["rules"] = [told_apart(rule, self._replaced.get(node["id"], set()), taken, result) for rule in node["rules"]]
            for one in node["saved"]:
                if one["tensor"] is None and len(node["outputs"]) == 1:
                    one["tensor"] = node["outputs"][0]  # of a custom Function, which had made nothing when it saved it
                if one["tensor"] in node["outputs"] and self.tensors[one["tensor"]]["names"]:
                    one["text"] = self.text_of(one["tensor"])  # its name is known only once it was made
                elif one["tensor"] in node["outputs"] and one["text"] in taken:
                    one["text"] += "_"  # as in the rule
            for edge in node["edges"]:
                if edge is not None and edge["tensor"] is None and edge["node"] is not None:
                    edge["tensor"] = self._made.get((edge["node"], edge["out"]))
        return {
            "sources": self.places.sources, "places": self.places.places, "tensors": self.tensors, "nodes": self.nodes,
            "events": self.events, "jacobians": self.jacobians,
        }  # fmt: skip
