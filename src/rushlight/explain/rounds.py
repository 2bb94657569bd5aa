"""What is shown as one: rounds of loops, modules, the middle, until few enough are left to read."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from .words import Said, say

OFTEN = 5  # rounds of a loop before it is folded
PART = re.compile(r"^[^.\[]*|\.[^.\[]+|\[[^\]]*\]")  # of a module's qualified name: net.layers[0]


@dataclass
class Group:
    """The ops that one evaluation of an expression ran."""

    place: int | None
    key: tuple[object, ...] = ()
    events: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    ops: set[str] = field(default_factory=set)
    closed: bool = False  # it has made what a name is bound to
    begun: int = 0  # how many passes had begun before
    goes_on: bool = False  # of the evaluation that the group before is of, which has bound a name already: `h, c = cell(x)`


@dataclass
class Fold:
    """Neighbours that are shown as one."""

    groups: list[Group]
    caption: Said
    module: str = ""  # whose operations they are


def fold(groups: list[Group], most: int, module: Callable[[Group], str], sentence: str = "rounds") -> list[Group | Fold]:
    """Folds until at most so many are left: rounds of loops by the whole stack, then by the place alone, then modules, then the middle.

    ``sentence`` is what is said for rounds: those of a recording with a gap are not all.
    """
    items: list[Group | Fold] = list(groups)
    if len(items) <= most:
        return items
    items = _rounds(groups, sentence)
    if len(items) > most:
        by_place = {id(group): group.key for group in groups}
        for group in groups:
            group.key = (group.place, *group.key[1:])
        again = _rounds(groups, sentence)
        if len(again) < len(items):
            items = again
        else:
            for group in groups:
                group.key = by_place[id(group)]
    depth = max((len(PART.findall(module(group))) for group in groups), default=0)
    while len(items) > most and depth > 0:
        items = _modules(items, depth, module)
        depth -= 1
    if len(items) > most:
        half = most // 2
        members = [one for item in items[half:-half] for one in (item.groups if isinstance(item, Fold) else [item])]
        items = [*items[:half], Fold(members, say("more", count=len(members))), *items[-half:]]
    return items


def _rounds(groups: list[Group], sentence: str) -> list[Group | Fold]:
    """Where an expression comes back often, the rounds that begin with it: the first, the second, those between, the last."""
    items: list[Group | Fold] = []
    where: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        if not group.goes_on:
            where[group.key].append(number)
    at = 0
    while at < len(groups):
        places = [] if groups[at].goes_on else where[groups[at].key]
        starts = places[bisect_left(places, at) :]
        if len(starts) < OFTEN:
            items.append(groups[at])
            at += 1
            continue
        keys = {group.key for group in groups[starts[0] : starts[-1]]}
        end = starts[-1] + 1
        while end < len(groups) and groups[end].key in keys:
            end += 1
        passes = sorted({groups[start].begun for start in starts})
        if 1 < len(passes) < len(starts):  # a loop in a loop that has a pass in each round
            items += _outer(groups[at:end], sentence)
            at = end
            continue
        bounds = [*starts, end]
        rounds = [groups[first:last] for first, last in pairwise(bounds)]
        between = [group for one in rounds[2:-1] for group in one]
        caption = say(sentence, first=3, last=len(rounds) - 1, of=len(rounds))
        items += [
            *_rounds(rounds[0], sentence),
            *_rounds(rounds[1], sentence),
            Fold(between, caption),
            *_rounds(rounds[-1], sentence),
        ]
        at = end
    return items


def _outer(groups: list[Group], sentence: str) -> list[Group | Fold]:
    """Rounds that end with a pass and have rounds of their own: the first and the last by those, the others as a whole."""
    rounds = [list(one) for _, one in groupby(groups, key=lambda group: group.begun)]
    first, *between, last = rounds
    items = _rounds(first, sentence)
    if between:
        caption = say(sentence, first=2, last=len(rounds) - 1, of=len(rounds))
        if len(between) == 1:
            caption = say("round", first=2, of=len(rounds))
        items.append(Fold([group for one in between for group in one], caption))
    return [*items, *_rounds(last, sentence)]


def _modules(items: list[Group | Fold], depth: int, module: Callable[[Group], str]) -> list[Group | Fold]:
    """Neighbours of one module, by the first parts of its qualified name, as one."""
    folded: list[Group | Fold] = []
    last = ""
    for item in items:
        name = "".join(PART.findall(item.module if isinstance(item, Fold) else module(item))[:depth])
        before = folded[-1] if folded else None
        if name and name == last and before is not None:
            members = [one for both in (before, item) for one in (both.groups if isinstance(both, Fold) else [both])]
            folded[-1] = Fold(members, say("module", name=name), name)
        else:
            folded.append(item)
        last = name
    return folded
