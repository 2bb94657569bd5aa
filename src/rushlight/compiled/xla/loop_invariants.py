"""What of a loop's rounds need not be done round by round: products that are the same for all rounds at once.

Before the loop stands what no round learns from the one before it: it is done for all rounds together, as one larger op. Behind the
loop stand sums of products over the rounds, which are one product of longer matrices: so the gradients of a recurrent network's
weights are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from ..capture import trace as t
from .loop_rerolling import Loop, Place


@dataclass(frozen=True)
class Sum:
    """A running sum over the rounds of products ``a @ b`` (their numbers in a round), and the place of the sum."""

    a: int
    b: int
    place: Place


@dataclass(frozen=True)
class Parts:
    """The ops of a round, by their index in it: those done ``before`` the loop, and ``inside``; and the sums behind it."""

    before: list[int]
    inside: list[int]
    sums: list[Sum]


def parted(loop: Loop, later: Collection[int]) -> Parts:
    """A round's ops by where they may be done; ``later`` are the values that are read behind the loop."""
    sums, gone = _sums(loop, later)
    known = {number for number, (kind, _) in loop.sources.items() if kind != "before"}
    before, inside = [], []
    for index, one in enumerate(loop.ops):
        if index in gone:
            continue
        if all(number in known for number in t.values_in(one.inputs)):
            known.update(one.outs)
            before.append(index)
        else:
            inside.append(index)
    return Parts(before, inside, sums)


def _sums(loop: Loop, later: Collection[int]) -> tuple[list[Sum], set[int]]:
    """Ops that only add a product to what the round before has added up, and those products."""
    read = Counter(number for one in loop.ops for number in t.values_in(one.inputs))
    makers = {out: index for index, one in enumerate(loop.ops) for out in one.outs}
    sums: list[Sum] = []
    gone: set[int] = set()
    for index, one in enumerate(loop.ops):
        place = (index, 0)
        if one.op != "add" or not all(isinstance(ref, t.Ref) for ref in one.inputs) or place not in loop.first:
            continue
        for total, added in (one.inputs, one.inputs[::-1]):
            product = loop.ops[makers[added.number]] if added.number in makers else None
            if (
                product is not None
                and product.op == "mm"
                and product.cast == one.cast
                and loop.sources.get(total.number) == ("before", place)
                and read[total.number] == read[added.number] == 1
                and one.outs[0] not in read
                and not _is_seen(loop, makers[added.number], later, len(loop.rounds))
                and not _is_seen(loop, index, later, len(loop.rounds) - 1)
            ):
                a, b = (ref.number for ref in product.inputs)
                sums.append(Sum(a, b, place))
                gone |= {index, makers[added.number]}
                break
    return sums, gone


def _is_seen(loop: Loop, index: int, later: Collection[int], rounds: int) -> bool:
    """Whether what an op gives in one of the first ``rounds`` is read behind the loop."""
    return any(out in later for outs in loop.rounds[:rounds] for out in outs[index])
