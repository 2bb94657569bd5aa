"""What hooks of modules are told of by: the module whose they are, as the program reaches it."""

from __future__ import annotations

from collections.abc import Sequence

from .entries import Entry
from .words import Said, literal, say

HOOKED = "BackwardHookFunctionBackward"  # the node at which a module's hooks look on


def looks_on(node: Entry) -> bool:
    """Whether a node is there for a module's hooks alone."""
    return bool(node["name"] == HOOKED)


def same_part(node: Entry, other: Entry | None) -> bool:
    """Whether two nodes of one expression, or a node and what has none, are of one module, and none stands around it for its hooks."""
    module, on_looker = ("", False) if other is None else (other["module"], looks_on(other))
    return bool(node["module"] == module) and looks_on(node) == on_looker


def hooked(node: Entry, places: list[Entry]) -> Said | None:
    """The module around which a node stands for its hooks, or the call of one that has no name; None of other nodes."""
    text = node["module"] or ("" if node["place"] is None else places[node["place"]]["text"])
    return literal(text, code=True) if looks_on(node) and text else None


def hook_of(events: list[Entry], tensor: int) -> str:
    """The module for whose hooks a tensor was made, or ""."""
    return next((str(one.get("hook_of", "")) for one in reversed(events) if tensor in one.get("outputs", ())), "")


def in_hook(event: Entry, where: Said) -> Said:
    """Where an op ran, with the module whose hook ran it."""
    module = event.get("hook_of")
    return where if module is None else say("hook's", what=where, name=literal(module, code=True))


def caption(nodes: Sequence[Entry], event: Entry | None, name: str, text: str) -> Said | None:
    """What stands on the card of what hooks run, or of the nodes at which they look on; None of what has to do with none."""
    are_alone = bool(nodes) and all(map(looks_on, nodes))
    if are_alone and not name:
        return say("module hooks", text=nodes[0]["module"] or text)
    module = None if event is None else event.get("hook_of")
    whole = f"{name} = {text}" if name and text and not are_alone else name or text
    return None if module is None else say("hook's", what=whole, name=module)
