"""What arrived in a ``.grad`` that is there, where it is not what one expects: all 0, not finite, or of several passes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator

from .entries import Entry
from .recording import Recording

Reason = tuple[str, "int | None", "int | None"]  # a code, the place of the reason, another tensor
Test = Callable[[Entry], bool]


def of_arrivals(recording: Recording, entry: Entry, lives: set[int]) -> Reason:
    """Why a leaf has the gradient that it has."""
    arrivals = [one for one in recording.events if one["kind"] == "leaf" and one["tensor"] in lives]
    if not arrivals or recording.left_out or arrivals[-1]["after"] is None:
        return "accumulated", None, None
    last = arrivals[-1]
    if last["after"] != entry["grad"] and last["after"]["shape"] == entry["grad"]["shape"]:
        return "assigned", None, None  # by way of `.data`, say, which no line is known of
    for code, test in (("accumulated_zero", is_zero), ("accumulated_infinite", is_infinite)):
        if last["arrived"] is not None and test(last["arrived"]):
            place = _began(recording, lives, last, test)
            if place is not None:
                return code, place, None
    if last["before"] is not None and not is_zero(last["before"]):
        return "accumulated_again", None, None
    return "accumulated", None, None


def _began(recording: Recording, lives: set[int], leaf: Entry, test: Test) -> int | None:
    """Where what is sent to these became so: the node, or the hook, to which something else had come."""
    wanted = above(recording, lives)
    for event in recording.events:
        if event["pass"] != leaf["pass"] or event.get("node") not in wanted:
            continue
        if event["kind"] == "hook" and event["changed"] and event["before"] and event["after"]:
            if test(event["after"]) and not test(event["before"]):
                return event["place"]  # type: ignore[no-any-return]
        elif event["kind"] == "run" and not any(map(test, filter(None, event["arrived"]))):
            node = recording.nodes[event["node"]]
            to = {index for index, edge in enumerate(node["edges"]) if edge is not None and edge["node"] in wanted}
            sent = [one["value"] for one in event["sent"] if one["edge"] in to and one["value"]]
            if sent and all(map(test, sent)):
                return node["place"]  # type: ignore[no-any-return]
    return None


def above(recording: Recording, lives: set[int]) -> set[int]:
    """The nodes of these tensors, and all that a gradient may come to them from."""
    users: dict[int, list[int]] = defaultdict(list)
    for node in recording.nodes:
        for edge in node["edges"]:
            if edge is not None and edge["node"] is not None:
                users[edge["node"]].append(node["id"])
    waiting = [node["id"] for node in recording.nodes if node["variable"] in lives]
    waiting += [node for one in lives if (node := recording.tensors[one]["node"]) is not None]
    wanted = set(waiting)
    for number in waiting:  # which grows
        fresh = [one for one in users[number] if one not in wanted]
        wanted.update(fresh)
        waiting += fresh
    return wanted


def is_zero(value: Entry) -> bool:
    if value["data"] is not None:
        numbers = list(_numbers(value["data"]))
        return bool(numbers) and not any(numbers)
    stats = value.get("stats")
    return stats is not None and stats["min"] == stats["max"] == 0 and not stats["nonfinite"]


def is_infinite(value: Entry) -> bool:
    """Whether something of it is no finite number."""
    if value["data"] is not None:
        return not all(map(math.isfinite, _numbers(value["data"])))
    return bool((value.get("stats") or {}).get("nonfinite"))


def _numbers(data: object) -> Iterator[float]:
    if isinstance(data, list):
        for one in data:
            yield from _numbers(one)
    elif isinstance(data, dict):
        yield from (float(data["re"]), float(data["im"]))
    elif data is not None:
        yield float(data)  # type: ignore[arg-type]
