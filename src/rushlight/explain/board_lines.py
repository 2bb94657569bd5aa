"""What stands under each line of the program: the values that it made, and their gradients."""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass

from .entries import Entry, Value
from .folding import LIFE, Board, Card
from .places import bound_names, parsed, scopes_of
from .words import Said, literal, say

MOST = 3  # values under one name that are on no card


@dataclass
class Note:
    """A name that a line made (`label` without its round), its value, and what stands behind it: the node, or that it is a leaf."""

    card: Card | None  # None of what the board leaves out: it feeds nothing there
    tensor: int
    name: str
    label: str
    value: Value | None
    behind: Said


def sources_of(board: Board) -> list[Entry]:
    """The texts in which something happened; of a block, whose notebook has other cells, and of a graph those told of."""
    recording = board.recording
    places, is_whole = recording["places"], board.read is None and bool(recording["program"]["name"])
    told = [card.place for card in board.cards]
    if board.read is None:
        told += range(len(places)) if is_whole else [one["place"] for key in ("events", "ledger") for one in recording[key]]
    used = {places[one]["source"] for one in told if one is not None}
    found = [one for one in recording["sources"] if one["id"] in used or (one["id"] == 0 and is_whole)]
    return found or list(recording["sources"][:1])


def notes_of(board: Board, source: int) -> dict[int, list[Note]]:
    """For each line of a source, what it made on the board, in the order of the run."""
    places = board.recording["places"]
    notes: dict[int, list[Note]] = {}
    for card in board.cards:
        if not card.name or card.tensor is None:
            continue
        line = None
        if card.place is not None and places[card.place]["source"] == source:
            line = places[card.place]["line"]
        elif card.place is None:
            line = _assigned(board, card.tensor, source)
        if line is None:
            continue
        behind = say("leaf") if card.kind == "leaf" else literal("")
        if card.kind == "op" and card.nodes:
            behind = literal(board.nodes[card.nodes[-1]]["name"])
        for tensor in (card.tensor, *card.others):
            entry = board.tensors[tensor]
            label = re.sub(LIFE, "", entry["label"]) if entry["names"] else card.name
            notes.setdefault(line, []).append(Note(card, tensor, board.label(tensor), label, entry["value"], behind))
    for line, beside in _beside(board, source).items():
        notes[line] = sorted(notes.get(line, []) + beside, key=lambda note: note.tensor)
    return notes


def _beside(board: Board, source: int) -> dict[int, list[Note]]:
    """What lines made that is on no card of its own: what feeds nothing in the graph, and later lives of leaves. Of many under one
    name the first two and the last."""
    places = board.recording["places"]
    found: dict[tuple[int, str], list[Note]] = {}
    for entry in board.tensors if board.read is None else ():
        is_life = entry["life_of"] is not None and entry["leaf"]
        if not any(one["name"].isidentifier() for one in entry["names"]) or (
            entry["id"] in board.card_of_tensor and not is_life
        ):
            continue
        place = None if entry["place"] is None else places[entry["place"]]
        line = _assigned(board, entry["id"], source) if place is None else place["line"] if place["source"] == source else None
        if line is not None:
            label = re.sub(LIFE, "", entry["label"])
            note = Note(None, entry["id"], board.label(entry["id"]), label, entry["value"], literal(""))
            found.setdefault((line, label), []).append(note)
    notes: dict[int, list[Note]] = {}
    for (line, _), these in found.items():
        notes.setdefault(line, []).extend(these if len(these) <= MOST else [*these[: MOST - 1], these[-1]])
    return notes


def latest(notes: list[Note]) -> list[Note]:
    """The last of each name."""
    return list({note.label: note for note in notes}.values())


def _assigned(board: Board, tensor: int, source: int) -> int | None:
    """The line that binds the name of what no op made (`x = torch.ones(2)`), by the program's text."""
    names = board.tensors[tensor]["names"]
    if not names:
        return None
    bindings = _bindings("\n".join(board.recording["sources"][source]["lines"]))
    lines = (bindings[place] for one in names if (place := (one["name"], one["scope"])) in bindings)
    return next(lines, None)


@functools.lru_cache(16)
def _bindings(text: str) -> dict[tuple[str, str], int]:
    """The first line of a program that binds a name, by the name and the function around it."""
    scopes = scopes_of(text)
    found: dict[tuple[str, str], int] = {}
    for node in parsed(text):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for target in targets:
            for name in bound_names(target):
                place = name, scopes.get(target.lineno, "<module>")
                found[place] = min(target.lineno, found.get(place, target.lineno))
    return found
