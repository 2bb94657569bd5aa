"""A recording has the fields that docs/recording.md says, with the types that it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from explain.beginners import PROGRAMS
from explain.conftest import NAMES, stored

TEXT = (Path(__file__).parents[2] / "docs" / "recording.md").read_text(encoding="utf-8")
TABLES = {"tensors": "`tensors[]`", "nodes": "`nodes[]`", "places": "`sources[]`, `places[]`", "program": "`program`"}
TYPES = {
    "int": int, "string": str, "bool": bool, "object": dict, "list": list, "value": dict, "list of string": list, "list of int": list,
}  # fmt: skip
EVENTS = {"n", "kind", "place", "pass"}


def section(title: str) -> str:
    return TEXT.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def fields(text: str) -> dict[str, str]:
    """The names of a table with their types; of several in one line each."""
    found = {}
    for names, kind in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|", text, re.M):
        found.update(dict.fromkeys(re.findall(r"`(\w+)`", names), kind.strip()))
    return found


def check(entry: dict[str, Any], documented: dict[str, str], where: str) -> None:
    assert entry.keys() == documented.keys(), (where, entry.keys() ^ documented.keys())
    for name, kind in documented.items():
        allowed = [TYPES[one] for one in kind.removesuffix(" or null").split(" or ") if one in TYPES]
        assert allowed, kind
        value = entry[name]
        if value is None:
            assert kind.endswith("or null"), (where, name)
        else:
            assert isinstance(value, tuple(allowed)) and (bool in allowed or not isinstance(value, bool)), (where, name, value)


def kinds_of_events() -> dict[str, set[str]]:
    """The further fields of each kind of event."""
    found = {}
    for kind, told in re.findall(r"^\| `(\w+)` \| ([^\n]+) \|$", section("`events[]`"), re.M):
        outside = re.sub(r"\{[^}]*\}|\([^)]*\)", "", told)
        found[kind] = set(re.findall(r"(?:^|[,:;] |and |tensor or null, )`(\w+)`", outside)) | set(
            re.findall(r"^`(\w+)`", outside)
        )
    found["write"] |= found["op"]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_is_as_documented(beginners: dict[str, dict[str, Any]], name: str) -> None:
    recording = beginners[name]
    check(recording, fields(TEXT.split("\n## ", 1)[0]), "recording")
    assert recording["format"] == "rushlight-recording/1"
    check(recording["program"], fields(section(TABLES["program"])), "program")
    for kind in ("tensors", "nodes", "places"):
        documented = fields(section(TABLES[kind]))
        for entry in recording[kind]:
            check(entry, documented, kind)
    for source in recording["sources"]:
        assert source.keys() == {"id", "name", "lines"}
    documented_kinds = kinds_of_events()
    for event in recording["events"]:
        further = event.keys() - EVENTS
        told = documented_kinds[event["kind"]]
        if event["kind"] == "hook":
            told = {"on", "node", "tensor", "before", "after", "changed"}
        assert further | {"hook_of"} & told == told - EVENTS, (event["kind"], further ^ told)
    for row in recording["ledger"]:
        assert row.keys() == {"name", "scope", "tensor", "leaf", "requires_grad", "grad", "why", "place", "other"}
        assert f"`{row['why']}`" in section("`ledger[]`")
    assert recording["limits"].keys() == {"events", "left_out", "gap", "seen"}
    for value in values_in(recording):
        kept = {"shape", "dtype", "data"}
        assert value.keys() in (kept, kept | {"stats", "thumbnail"}, kept | {"stats", "thumbnail", "layout", "parts"})
        assert (value["data"] is None) == ("stats" in value)
    for node in recording["nodes"]:
        assert not node["rules"] or len(node["rules"]) == len(node["edges"]), node


def values_in(one: Any) -> Any:
    """All that is written as a value."""
    if isinstance(one, dict):
        if {"shape", "dtype", "data"} <= one.keys():
            yield one
        else:
            for each in one.values():
                yield from values_in(each)
    elif isinstance(one, list):
        for each in one:
            yield from values_in(each)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_is_what_would_be_recorded_today(renewed: dict[str, dict[str, Any]], name: str) -> None:
    """The browser's tests and the gallery show these; `python tools/gallery.py --recordings` renews them."""
    before, now = stored(name), renewed[name]
    assert before.keys() == now.keys()
    for kind in ("sources", "places", "nodes", "limits"):
        assert before[kind] == now[kind]
    for kind in ("tensors", "events", "ledger", "jacobians"):  # without the numbers, whose last bits another processor rounds
        assert [_shape(one) for one in before[kind]] == [_shape(one) for one in now[kind]]


def _shape(one: Any) -> Any:
    if isinstance(one, dict):
        return {key: _shape(value) for key, value in one.items()}
    if isinstance(one, str):
        return re.sub(r"/\S+/", "", one)  # the folder of a note
    return [_shape(each) for each in one] if isinstance(one, list) else float if isinstance(one, float) else one


# What stands inside of other entries: by the key that it stands under, the text of the documentation in front of its fields.
INSIDE = {
    "printed": "| `printed` | list | {",
    "error": "| `error` | object or null | {",
    "names": "| `names` | list | {",
    "cut": "| `cut` | object or null | why it has no history though something it came from had: {",
    "edges": "| `edges` | list | for each input: {",
    "inputs": "| `inputs` | list | {",
    "saved": "| `saved` | list | {",
    "roots": "`roots`: list of {",
    "sent": "`sent`: list of {",
    "local": "`local`: list of {",
    "chain": "`chain`: list of {",
    "stats": "`stats`: {",
}


def inside(one: Any, key: str = "") -> Any:
    """All objects with the key that they stand under."""
    if isinstance(one, dict):
        yield key, one
        for name, each in one.items():
            yield from inside(each, name)
    elif isinstance(one, list):
        for each in one:
            yield from inside(each, key)


@pytest.mark.parametrize("name", [*PROGRAMS, *NAMES])
def test_every_key_of_a_recording_is_documented(
    beginners: dict[str, dict[str, Any]], renewed: dict[str, dict[str, Any]], name: str
) -> None:
    recording = (renewed if name in renewed else beginners)[name]
    known = set(re.findall(r"`(\w+)`", TEXT))
    for key, one in inside(recording):
        if key in ("words", "seen"):  # by words of a rule, and by kinds
            continue
        assert one.keys() <= known, (key, one.keys() - known)
        if key in INSIDE and isinstance(one, dict):
            told = re.findall(r"`(\w+)`", TEXT.split(INSIDE[key], 1)[1].split("}", 1)[0])
            assert one.keys() == set(told), (key, one.keys() ^ set(told))
    codes = re.findall(r"`(\w+)`", section("`ledger[]`"))
    assert {row["why"] for row in recording["ledger"]} <= set(codes)
    assert {event["kind"] for event in recording["events"]} <= kinds_of_events().keys()
    for event in recording["events"]:
        for key in ("on", "how"):
            assert key not in event or f'`"{event[key]}"`' in section("`events[]`")
    assert {one["cut"]["by"] for one in recording["tensors"] if one["cut"]} <= set(
        re.findall(r'`"(\w+)"`', section("`tensors[]`"))
    )
