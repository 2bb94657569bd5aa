"""What a recording is made of, as it is read: docs/recording.md says which fields each has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..autograd.nodes import Node
    from ..tensor import Tensor

Entry = dict[str, Any]  # of places, tensors, nodes, events, the ledger
Recording = dict[str, Any]
Value = dict[str, Any]
WRITTEN = re.compile(r"\s*([-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")  # behind what a statement writes to
Number = Any  # an int, a float, a bool, "nan", "inf", "-inf", or {"re", "im"}


def text_at(place: Entry, whole: bool = False) -> str:
    """What a place's expression is, or its whole statement; of a write to a target (``b[0]`` of ``b[0] = 10``) always that.

    >>> text_at({"text": "b[0]", "statement": "b[0] = 10"}), text_at({"text": "b + 1", "statement": "c = b + 1"})
    ('b[0] = 10', 'b + 1')
    """
    text, statement = str(place["text"]), str(place["statement"])
    is_target = statement.startswith(text) and WRITTEN.match(statement, len(text))
    return statement if whole or is_target else text


def notes_of(error: BaseException) -> list[str]:
    """What an error says beyond its own text (PEP 678)."""
    return [str(one) for one in getattr(error, "__notes__", ())]


def name_of(node: Node) -> str:
    """A node's name as it is now: an in-place form names its node anew when it has run."""
    return node.name().rpartition("::")[2]


def may_be_one_leaf(tensor: Tensor, other: Tensor | None) -> bool:
    """Whether no two places say that gradients are accumulated for these: a detached leaf has its own."""
    sinks = [one._sink() for one in (tensor, other) if one is not None and one._sink is not None]
    return len(sinks) < 2 or sinks[0] is sinks[1]
