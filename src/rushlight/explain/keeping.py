"""What a recording keeps of a long program: its first events and its last, and the tensors and nodes that those tell of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .entries import Entry

if TYPE_CHECKING:
    from .recording import Recording

PART = 5  # of the events that are kept, one in so many is left out at a time


def leave_out(recording: Recording) -> None:
    """Leaves out the oldest events behind the first half, up to where no pass runs if there is such a place near; of a pass that
    goes on behind it the beginning stays."""
    events = recording.events
    if recording.gap is None:
        half = recording.limit // 2
        begins = (at for at in range(half, half // 2, -1) if events[at]["pass"] is None)
        recording.gap = next(begins, half)
    start = recording.gap
    part = max(recording.limit // PART, 1)
    near = range(start + part, min(start + 2 * part, len(events)))
    ends = (at for at in near if events[at]["pass"] is None or events[at]["kind"] == "backward")
    end = next(ends, start + part)
    running = {event["pass"] for event in events[end:]}
    begins_of_those = [one for one in events[start:end] if one["kind"] == "backward" and one["pass"] in running]
    count = end - start - len(begins_of_those)
    recording.left_out += count
    recording.dropped += count
    events[start:end] = begins_of_those
    forget_unused(recording)


def leave_out_all(recording: Recording) -> None:
    """Leaves out all behind the first half: a pass begins that is told of as a whole, in the place of the one before."""
    if recording.gap is None:
        recording.gap = len(recording.events)
    count = len(recording.events) - recording.gap
    recording.left_out += count
    recording.dropped += count
    del recording.events[recording.gap :]
    forget_unused(recording)


def position(recording: Recording, n: int) -> int:
    """Where what happened as the n-th event stands among those that are kept."""
    if recording.gap is None or n < recording.gap:
        return n
    return max(recording.gap, n - recording.dropped)


def forget_unused(recording: Recording) -> None:
    """Empties the entries of tensors and nodes that no event that is kept tells of, and nothing is left of."""
    tensors, nodes = _used(recording)
    for entries, used in ((recording.tensors, tensors), (recording.nodes, nodes)):
        for number, entry in enumerate(entries):
            if entry is not None and number not in used:
                entries[number] = None  # type: ignore[call-overload]
    recording.forget(tensors, nodes)


def _used(recording: Recording) -> tuple[set[int], set[int]]:
    tensors, nodes = recording.living()
    for event in recording.events:
        tensors.update(_tensors_of(event))
        nodes.update(one for one in (event.get("node"), *(root["node"] for root in event.get("roots", ()))) if one is not None)
    kept = {event["pass"] for event in recording.events if event["kind"] == "backward"}
    recording.jacobians[:] = [one for one in recording.jacobians if one["pass"] in kept]
    for one in recording.jacobians:
        tensors.update((*one["roots"], *one["leaves"]))
        nodes.update(part["node"] for part in one["chain"])
    tensors.update(one["id"] for one in recording.tensors if one is not None and one["grad"] is not None)
    waiting = list(tensors)
    while waiting:
        entry = recording.tensors[waiting.pop()]
        nodes.update(one for one in (entry["node"],) if one is not None)
        if entry["view_of"] is not None and entry["view_of"] not in tensors:
            tensors.add(entry["view_of"])
            waiting.append(entry["view_of"])
    nodes = {one for one in nodes if recording.nodes[one] is not None}
    more = {recording.nodes[one]["variable"] for one in nodes} - {None} - tensors
    return tensors | more, nodes


def _tensors_of(event: Entry) -> Iterable[int]:
    listed = [*(event.get("inputs") or ()), *(event.get("outputs") or ()), event.get("tensor"), event.get("before")]
    listed += [root["tensor"] for root in event.get("roots", ())]
    return (one for one in listed if isinstance(one, int))


def compact(recording: Recording) -> None:
    """Numbers what is kept anew, from 0: places in the lists, and the numbers of events."""
    for at, event in enumerate(recording.events):
        event["n"] = at
    for one in recording.printed:
        one["event"] = position(recording, one["event"])
    tensors = {entry["id"]: number for number, entry in enumerate(one for one in recording.tensors if one is not None)}
    nodes = {entry["id"]: number for number, entry in enumerate(one for one in recording.nodes if one is not None)}
    first: dict[int, int] = {}
    for entry in recording.tensors:
        if entry is not None:
            first.setdefault(entry["identity"], tensors[entry["id"]])
    recording.tensors[:] = [one for one in recording.tensors if one is not None]
    recording.nodes[:] = [one for one in recording.nodes if one is not None]
    for entry in recording.tensors:
        entry["id"], entry["identity"] = tensors[entry["id"]], first[entry["identity"]]
        entry["life_of"], entry["view_of"] = tensors.get(entry["life_of"]), tensors.get(entry["view_of"])
        entry["node"] = nodes.get(entry["node"])
        for name in entry["names"]:
            name["at"] = position(recording, name["at"])
    for node in recording.nodes:
        node["id"], node["variable"] = nodes[node["id"]], tensors.get(node["variable"])
        node["outputs"] = [tensors[one] for one in node["outputs"] if one in tensors]
        for one in (*node["inputs"], *node["saved"], *(edge for edge in node["edges"] if edge is not None)):
            one["tensor"] = tensors.get(one["tensor"])
        for edge in node["edges"]:
            if edge is not None:
                edge["node"] = nodes.get(edge["node"])
    for event in recording.events:
        _number_event(event, tensors, nodes)
    for one in recording.jacobians:
        one["roots"], one["leaves"] = [tensors[of] for of in one["roots"]], [tensors[of] for of in one["leaves"]]
        for part in one["chain"]:
            part["node"] = nodes[part["node"]]
    recording.renumber(tensors, nodes, first)


def _number_event(event: Entry, tensors: dict[int, int], nodes: dict[int, int]) -> None:
    for key in ("inputs", "outputs"):
        if event.get(key):
            event[key] = [None if one is None else tensors[one] for one in event[key]]
    if event["kind"] != "hook" and event["kind"] != "leaf" and isinstance(event.get("before"), int):
        event["before"] = tensors[event["before"]]
    if event.get("tensor") is not None:
        event["tensor"] = tensors[event["tensor"]]
    if event.get("node") is not None:
        event["node"] = nodes[event["node"]]
    for root in event.get("roots", ()):
        root["tensor"] = None if root["tensor"] is None else tensors[root["tensor"]]
        root["node"] = None if root["node"] is None else nodes[root["node"]]
