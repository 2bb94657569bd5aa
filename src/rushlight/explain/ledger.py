"""Each name at the end, and why its ``.grad`` is what it is."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from .arrivals import Reason, above, of_arrivals
from .entries import Entry
from .recording import Recording
from .text_flow import NUMBERS, Flow


def names_in_functions(recording: Recording) -> dict[tuple[str, str], int]:
    """What the names of functions that began a pass were last bound to: they are gone when the program ends."""
    places = recording.places.places
    scopes = {places[event["place"]]["function"] for event in _passes(recording) if event["place"] is not None}
    last: dict[tuple[str, str], tuple[int, int]] = {}
    for entry in recording.tensors:
        for one in entry["names"]:
            key = (one["scope"], one["name"])
            if one["scope"] in scopes - {"<module>"} and last.get(key, (-1, -1)) <= (one["at"], entry["id"]):
                last[key] = (one["at"], entry["id"])
    return {key: number for key, (_, number) in last.items()}


def ledger_of(recording: Recording, names: dict[tuple[str, str], int], error: Entry | None) -> list[Entry]:
    """A row for each ``(scope, name)`` with the entry that it is bound to; ``error`` is what ended the program."""
    rows, seen, numbers = [], set[int](), _Numbers(recording)
    for (scope, name), number in names.items():
        entry = recording.tensors[number]
        if not name.isidentifier():
            if entry["identity"] in seen:
                continue  # a parameter that another module has, too
            seen.add(entry["identity"])
        why, place, other = _why(recording, scope, name, entry, error)
        if place is None and why in ("no_requires_grad", "not_floating", "rebound", "not_reached"):
            place = recording.places.assignment(scope, re.split(r"[.\[]", name)[0], why == "rebound")
            if why == "no_requires_grad" and place is not None and numbers.made(scope, place):
                why = "of_numbers"
        rows.append({
            "name": name, "scope": scope, "tensor": number, "leaf": entry["leaf"], "requires_grad": entry["requires_grad"],
            "grad": entry["grad"], "why": why, "place": place, "other": other,
        })  # fmt: skip
    return rows


class _Numbers:
    """Which assignments make plain numbers, or an array, of what has a history: by ``.item()``, ``.numpy()``, ``float`` say."""

    def __init__(self, recording: Recording) -> None:
        self.places, self.found = recording.places, dict[tuple[str, int], bool]()
        self.known = {one["name"] for entry in recording.tensors for one in entry["names"]}
        asking = (entry for entry in recording.tensors if entry["requires_grad"] or entry["cut"] is not None)
        # `net` of its parameters.
        self.graded = {re.split(r"[.\[]", one["name"])[0] for entry in asking for one in entry["names"]}

    def made(self, scope: str, place: int, depth: int = 3) -> bool:
        """Whether the assignment there does, or one that it takes what it has from."""
        if (scope, place) not in self.found:
            self.found[scope, place] = self._made(scope, place, depth)
        return self.found[scope, place]

    def _made(self, scope: str, place: int, depth: int) -> bool:
        tree = ast.parse(self.places.places[place]["text"], mode="eval")
        for call in ast.walk(tree):
            if isinstance(call, ast.Call):
                is_method = isinstance(call.func, ast.Attribute) and call.func.attr in NUMBERS
                is_named = isinstance(call.func, ast.Name) and call.func.id in NUMBERS
                if (is_method or is_named) and self.graded & _names_in(call):
                    return True
        for name in sorted(_names_in(tree) - self.known) if depth else ():
            source = self.places.assignment(scope, name, False)
            if source is not None and self.made(scope, source, depth - 1):
                return True
        return False


def _names_in(tree: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}


def _passes(recording: Recording) -> list[Entry]:
    return [event for event in recording.events if event["kind"] == "backward" and event["how"] != "dry"]


def _why(recording: Recording, scope: str, name: str, entry: Entry, error: Entry | None) -> Reason:
    lives = {one["id"] for one in recording.tensors if one["identity"] == entry["identity"]}
    last = next(
        (one for one in reversed(recording.events) if one["kind"] in ("leaf", "reset") and one["tensor"] in lives), None
    )
    was_set = last is not None and last["kind"] == "reset"
    if entry["grad"] is not None:
        if was_set and last is not None and not recording.left_out:  # else a pass may have come behind it
            return "assigned", last["place"], None
        return of_arrivals(recording, entry, lives) if entry["leaf"] else ("retained", None, None)
    if entry["retains_grad"] and _came(recording, lives):
        return "retained_late", None, None
    if was_set and last is not None:
        return "reset", last["place"], None
    passes = _passes(recording)
    earlier = _bound_before(recording, scope, name, entry)
    if earlier is not None:
        return "rebound", entry["place"], earlier
    given_back = _given_back(recording, passes, lives)
    if given_back is not None:
        return given_back
    if not entry["leaf"] and not entry["retains_grad"]:
        unnamed = _unnamed_leaf(recording, entry)
        if unnamed is not None:
            return "unnamed_leaf", entry["place"], unnamed
        code = "not_leaf" if _came(recording, lives) else "not_leaf_unused" if passes else "not_leaf_no_pass"
        return code, _made(recording, lives)["place"], None
    if entry["cut"] is not None and not entry["requires_grad"]:
        return _cut(recording, scope, name, entry["cut"])
    if not entry["requires_grad"]:
        if entry["identity"] in recording.refused:
            return "frozen", recording.refused[entry["identity"]], None
        if not entry["dtype"].startswith(("float", "bfloat", "complex")):
            return "not_floating", entry["place"], None
        return "no_requires_grad", entry["place"], None
    return _not_come(recording, lives, passes, error)


def _cut(recording: Recording, scope: str, name: str, cut: Entry) -> Reason:
    by, places = str(cut["by"]), recording.places.places
    function = "" if cut["place"] is None else str(places[cut["place"]]["function"])
    if by == "no_grad" and function.endswith(".forward"):  # of a Function, which runs so; what has no history then was marked
        called = recording.places.assignment(scope, name, True)
        if called is not None and f"{function.removesuffix('.forward')}.apply(" in places[called]["text"]:
            return "not_differentiable", called, None
    return by if by in ("no_grad", "inference_mode", "not_differentiable") else "detached", cut["place"], None


def _given_back(recording: Recording, passes: list[Entry], lives: set[int]) -> Reason | None:
    """Whether ``autograd.grad`` was asked for this one's gradient, and what it gave back."""
    none, made_of = None, _made_of(recording)
    for one in passes:
        inputs = one["inputs"] or () if one["how"] == "grad" else ()
        asked = [
            at
            for at, number in enumerate(inputs)
            if number in lives or _is_the_calls_own(recording, number, lives, one, made_of)
        ]
        ends = (event for event in recording.events if event["kind"] == "end" and event["pass"] == one["pass"]) if asked else ()
        for end in ends:
            if any(end["returned"][at] is not None for at in asked):
                return "returned", one["place"], None
            none = "returned_none", one["place"], None
    return none


def _made_of(recording: Recording) -> dict[int, list[int]]:
    """The inputs of the op that made each tensor."""
    found: dict[int, list[int]] = {}
    for one in recording.events:
        if one["kind"] == "op":
            for number in one["outputs"]:
                found.setdefault(number, one["inputs"])
    return found


def _is_the_calls_own(
    recording: Recording, number: int | None, lives: set[int], begin: Entry, made_of: dict[int, list[int]]
) -> bool:
    """Whether the call that runs a pass (``torch.func.grad``, ``functional.jacobian``) made this of one of these, to go to it."""
    if begin["place"] is None:
        return False
    called = re.findall(r"\w+", recording.places.places[begin["place"]]["text"])  # a whole line may be no expression
    given = [recording.tensors[one] for one in lives if any(name["name"] in called for name in recording.tensors[one]["names"])]
    if number is None:  # a transform's own
        return bool(given)
    entry = recording.tensors[number]
    if not entry["requires_grad"] or entry["place"] not in (None, begin["place"]):
        return False
    if number in made_of:
        return not lives.isdisjoint(made_of[number])
    scopes = {name["scope"] for one in given for name in one["names"]}
    is_known = any(name["scope"] in scopes for name in entry["names"])  # where the call stands
    return not is_known and any((one["value"], one["dtype"]) == (entry["value"], entry["dtype"]) for one in given)


def _came(recording: Recording, lives: set[int]) -> bool:
    """Whether a gradient has come to what a node made, in whichever life."""
    nodes = {recording.tensors[one]["node"] for one in lives}
    if len(lives) > 1:  # a view that is used after a write to its base is given a node anew
        for user in recording.nodes:
            for edge, given in zip(user["edges"], user["inputs"], strict=False):
                if edge is not None and given["tensor"] in lives and len(user["edges"]) == len(user["inputs"]):
                    nodes.add(edge["node"])
    return not recording.came().isdisjoint(nodes)


def _made(recording: Recording, lives: set[int]) -> Entry:
    """The first life that is no leaf's."""
    return recording.tensors[min((one for one in lives if not recording.tensors[one]["leaf"]), default=min(lives))]


def _not_come(recording: Recording, lives: set[int], passes: list[Entry], error: Entry | None) -> Reason:
    """Why nothing has come to a tensor that asks for a gradient: no pass, one that failed, or one that did not lead to it."""
    if not passes:
        return ("no_backward", None, None) if error is None else ("error", error["place"], None)
    for one in passes:
        if lives.isdisjoint(_below(recording, one)):
            continue
        failure = _failed(recording, one)
        if failure is not None:
            return "error", failure["place"], None
        if one["inputs"] is not None and lives.isdisjoint(one["inputs"]):
            return "left_out", one["place"], None
        if one["how"] != "grad":
            return "nothing_sent", _silent(recording, lives, one), None
    uses = [event for event in recording.events if event["kind"] == "op" and lives & {*event["inputs"]}]
    if error is not None and uses and uses[-1]["n"] > passes[-1]["n"]:
        return "error", error["place"], None
    asked = recording.asked.get(min(lives))
    if asked is not None and uses and all(event["n"] < asked[0] for event in uses):
        return "asked_late", asked[1], None
    return _cut_on_the_way(recording, lives, passes)


def _silent(recording: Recording, lives: set[int], begin: Entry) -> int | None:
    """Where the node was made that sent nothing on the way to these."""
    wanted = above(recording, lives)
    for event in reversed(recording.events):
        if event["kind"] == "run" and event["pass"] == begin["pass"] and event["node"] in wanted and any(event["arrived"]):
            node = recording.nodes[event["node"]]
            to = {index for index, edge in enumerate(node["edges"]) if edge is not None and edge["node"] in wanted}
            if to and not to & {sent["edge"] for sent in event["sent"]}:
                return node["place"]  # type: ignore[no-any-return]
    return None


def _cut_on_the_way(recording: Recording, lives: set[int], passes: list[Entry]) -> Reason:
    """Where what was made of these lost its history, if a pass began at what was made of that, or only decided what ran."""
    below, cuts = set(lives), dict[int, int | None]()  # by tensors behind a cut: its place
    for event in recording.events:
        if event["kind"] not in ("op", "write"):
            continue
        if behind := next((one for one in event["inputs"] if one in cuts), None):
            cuts.update(dict.fromkeys(event["outputs"], cuts[behind]))
        elif below & {*event["inputs"]}:
            for one in event["outputs"]:
                cut = recording.tensors[one]["cut"]
                if cut is not None:
                    cuts[one] = cut["place"]
            below.update(event["outputs"])
    roots = {root["tensor"] for one in passes for root in one["roots"]}
    found = next((cuts[one] for one in roots if one in cuts), None)
    found = _numbers_on_the_way(recording, below, roots) if found is None else found
    if found is not None:
        return "cut_off", found, None
    lost = _lost_in_the_text(recording, below, cuts, passes)
    return ("not_reached", None, None) if lost is None else ("decided" if lost[1] else "cut_off", lost[0], None)


def _lost_in_the_text(
    recording: Recording, below: set[int], cuts: dict[int, int | None], passes: list[Entry]
) -> tuple[int, bool] | None:
    """The line at which what was made of these goes on as numbers, as an index or in a copy, to what a pass began behind; and
    whether it only decided what ran."""
    known: dict[tuple[str, str], set[int]] = defaultdict(set)
    for entry in recording.tensors:
        for one in entry["names"]:
            known[one["scope"], one["name"]].add(entry["id"])
    tensors = {(scope, re.split(r"[.\[]", name)[0]) for (scope, name), numbers in known.items() if numbers <= below}
    lost = {name: cuts[min(numbers)] for name, numbers in known.items() if numbers <= cuts.keys()}
    nodes = {number for one in passes for number in _nodes_below(recording, one)}
    places = recording.places.places
    stacks = [place for number in nodes for place in (recording.nodes[number]["place"], *recording.nodes[number]["stack"])]
    stacks += [one["place"] for one in passes]
    used = {(places[one]["source"], places[one]["line"]) for one in stacks if one is not None}
    return Flow(recording.places).lost_at(tensors, lost, recording.taken.reads(below, cuts), used)


def _numbers_on_the_way(recording: Recording, below: set[int], roots: set[int]) -> int | None:
    """The line that makes plain numbers of one of these tensors, and a tensor of those that a pass began behind."""
    used = {one for event in recording.events if event["kind"] == "op" for one in event["inputs"]} | roots
    lines = {recording.tensors[one]["place"] for one in below}
    lines = {recording.places.places[one]["line"] for one in lines if one is not None}
    names = {one["name"] for number in below for one in recording.tensors[number]["names"]}
    numbers = _Numbers(recording)
    for entry in recording.tensors:
        if not entry["leaf"] or entry["id"] in below or not entry["names"] or entry["id"] not in used:
            continue
        name = entry["names"][0]
        place = recording.places.assignment(name["scope"], name["name"], False) if name["name"].isidentifier() else None
        if place is not None and numbers.made(name["scope"], place):
            told = recording.places.places[place]
            if told["line"] in lines or names & _names_in(ast.parse(told["text"], mode="eval")):
                return place
    return None


def _failed(recording: Recording, begin: Entry) -> Entry | None:
    """The error that ended a pass."""
    return next((one for one in recording.events if one["kind"] == "error" and one["pass"] == begin["pass"]), None)


def _below(recording: Recording, begin: Entry) -> Iterator[int]:
    """The tensors that a pass would lead to."""
    for number in _nodes_below(recording, begin):
        node = recording.nodes[number]
        yield from node["outputs"]
        if node["variable"] is not None:
            yield node["variable"]


def _nodes_below(recording: Recording, begin: Entry) -> Iterator[int]:
    waiting, seen = [root["node"] for root in begin["roots"]], set[int]()
    while waiting:
        number = waiting.pop()
        if number is None or number in seen:
            continue
        seen.add(number)
        yield number
        waiting += [edge["node"] for edge in recording.nodes[number]["edges"] if edge is not None]


def _bound_before(recording: Recording, scope: str, name: str, entry: Entry) -> int | None:
    """An earlier tensor of the same name, and of no other, that has the gradient."""
    for other in reversed(recording.tensors[: entry["id"]]):
        is_other = other["identity"] != entry["identity"] and other["grad"] is not None
        if is_other and other["names"] and all(one["name"] == name and one["scope"] == scope for one in other["names"]):
            return int(other["id"])
    return None


def _unnamed_leaf(recording: Recording, entry: Entry) -> int | None:
    """The leaf that an expression made and nothing kept a name of: ``w = torch.randn(3, requires_grad=True) * 0.1``."""
    found, waiting, seen = [], [entry], {entry["id"]}
    while waiting:
        number = waiting.pop()["node"]
        for edge in recording.nodes[number]["edges"] if number is not None else ():
            if edge is None:
                continue
            if edge["tensor"] is None:
                return None
            tensor = recording.tensors[edge["tensor"]]
            if tensor["names"]:
                return None
            if tensor["leaf"]:
                found.append(int(tensor["id"]))
            elif tensor["id"] not in seen:
                seen.add(tensor["id"])
                waiting.append(tensor)
    return found[0] if found else None
