"""Each name at the end, and why its ``.grad`` is what it is."""

from __future__ import annotations

from collections.abc import Iterator

from .entries import Entry
from .recording import Recording

Reason = tuple[str, "int | None", "int | None"]  # a code, the place of the reason, another tensor


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
    rows, seen = [], set[int]()
    for (scope, name), number in names.items():
        entry = recording.tensors[number]
        if not name.isidentifier():
            if entry["identity"] in seen:
                continue  # a parameter that another module has, too
            seen.add(entry["identity"])
        why, place, other = _why(recording, scope, name, entry, error)
        if place is None and why in ("no_requires_grad", "rebound", "not_reached"):
            place = recording.places.assignment(scope, name, why == "rebound")
        rows.append({
            "name": name, "scope": scope, "tensor": number, "leaf": entry["leaf"], "requires_grad": entry["requires_grad"],
            "grad": entry["grad"], "why": why, "place": place, "other": other,
        })  # fmt: skip
    return rows


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
        return ("accumulated" if entry["leaf"] else "retained"), None, None
    if was_set and last is not None:
        return "reset", last["place"], None
    passes = _passes(recording)
    earlier = _bound_before(recording, scope, name, entry)
    if earlier is not None:
        return "rebound", entry["place"], earlier
    given_back = next((one for one in passes if one["how"] == "grad" and lives & {*(one["inputs"] or ())}), None)
    if given_back is not None and not _failed(recording, given_back):
        return "returned", given_back["place"], None
    if not entry["leaf"] and not entry["retains_grad"]:
        unnamed = _unnamed_leaf(recording, entry)
        return ("not_leaf" if unnamed is None else "unnamed_leaf"), entry["place"], unnamed
    if entry["cut"] is not None and not entry["requires_grad"]:
        return _cut(entry["cut"])
    if not entry["requires_grad"]:
        if entry["identity"] in recording.refused:
            return "frozen", recording.refused[entry["identity"]], None
        return "no_requires_grad", entry["place"], None
    return _not_come(recording, lives, passes, error)


def _cut(cut: Entry) -> Reason:
    codes = {"no_grad": "no_grad", "inference_mode": "no_grad", "not_differentiable": "not_differentiable"}
    return codes.get(cut["by"], "detached"), cut["place"], None


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
    used = [event["n"] for event in recording.events if event["kind"] == "op" and lives & {*event["inputs"]}]
    if error is not None and used and used[-1] > passes[-1]["n"]:
        return "error", error["place"], None
    return "not_reached", None, None


def _failed(recording: Recording, begin: Entry) -> Entry | None:
    """The error that ended a pass."""
    return next((one for one in recording.events if one["kind"] == "error" and one["pass"] == begin["pass"]), None)


def _below(recording: Recording, begin: Entry) -> Iterator[int]:
    """The tensors that a pass would lead to."""
    waiting, seen = [root["node"] for root in begin["roots"]], set[int]()
    while waiting:
        number = waiting.pop()
        if number is None or number in seen:
            continue
        seen.add(number)
        node = recording.nodes[number]
        yield from node["outputs"]
        if node["variable"] is not None:
            yield node["variable"]
        waiting += [edge["node"] for edge in node["edges"] if edge is not None]


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
