"""Each name at the end, and why its ``.grad`` is what it is."""

from __future__ import annotations

from typing import Any

from .recording import Recording


def ledger_of(recording: Recording, names: dict[tuple[str, str], int], failed: bool) -> list[dict[str, Any]]:
    """A row for each ``(scope, name)`` with the entry that it is bound to."""
    rows = []
    for (scope, name), number in names.items():
        entry = recording.tensors[number]
        why, place, other = _why(recording, scope, name, entry, failed)
        rows.append({
            "name": name, "scope": scope, "tensor": number, "leaf": entry["leaf"], "requires_grad": entry["requires_grad"],
            "grad": entry["grad"], "why": why, "place": place, "other": other,
        })  # fmt: skip
    return rows


Reason = tuple[str, "int | None", "int | None"]


def _why(recording: Recording, scope: str, name: str, entry: dict[str, Any], failed: bool) -> Reason:
    if entry["grad"] is not None:
        return ("accumulated" if entry["leaf"] else "retained"), None, None
    number, passes = entry["id"], [event for event in recording.events if event["kind"] == "backward"]
    earlier = _bound_before(recording, scope, name, entry)
    if earlier is not None:
        return "rebound", entry["place"], earlier
    given_back = next((one for one in passes if one["how"] == "grad" and number in (one["inputs"] or ())), None)
    if given_back is not None:
        return "returned", given_back["place"], None
    if not entry["leaf"]:
        unnamed = _unnamed_leaf(recording, entry)
        return ("not_leaf" if unnamed is None else "unnamed_leaf"), entry["place"], unnamed
    if not entry["requires_grad"]:
        cut = entry["cut"]
        if cut is None:
            return "no_requires_grad", entry["place"], None
        return ("no_grad" if cut["by"] in ("no_grad", "inference_mode") else "detached"), cut["place"], None
    if any(event["kind"] == "leaf" and event["tensor"] == number for event in recording.events):
        return "reset", None, None
    if not passes:
        return ("error" if failed else "no_backward"), None, None
    left_out = next((one for one in passes if one["how"] == "backward" and one["inputs"] is not None), None)
    if left_out is not None and number not in left_out["inputs"]:
        return "left_out", left_out["place"], None
    return ("error" if failed else "not_reached"), None, None


def _bound_before(recording: Recording, scope: str, name: str, entry: dict[str, Any]) -> int | None:
    """An earlier tensor of the same name that has the gradient."""
    for other in recording.tensors[: entry["id"]]:
        is_other = other["identity"] != entry["identity"] and other["grad"] is not None
        if is_other and any(one["name"] == name and one["scope"] == scope for one in other["names"]):
            return int(other["id"])
    return None


def _unnamed_leaf(recording: Recording, entry: dict[str, Any]) -> int | None:
    """The leaf that an expression made and nothing kept a name of: ``w = torch.randn(3, requires_grad=True) * 0.1``."""
    for edge in recording.nodes[entry["node"]]["edges"] if entry["node"] is not None else ():
        if edge is not None and edge["tensor"] is not None:
            tensor = recording.tensors[edge["tensor"]]
            if tensor["leaf"] and not tensor["names"]:
                return int(tensor["id"])
    return None
