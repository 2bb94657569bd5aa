"""What an error says beyond its own text, in both languages."""

from __future__ import annotations

import re

from .words import Said, literal, say

NOTES = {
    "note made": r"(?P<node>\S+) was recorded at (?P<file>.+):(?P<line>\d+)(, in [^:]*)?(: (?P<text>.*))?",
    "note saved": r"saved by (?P<node>\S+) at (?P<file>.+):(?P<line>\d+)(, in [^:]*)?(: (?P<text>.*))?",
    "note changed": r"changed by (?P<op>\S+) at (?P<file>.+):(?P<line>\d+)(, in [^:]*)?(: (?P<text>.*))?",
    "note copy": r"To keep both, change a copy \(x\.clone\(\)\) or use the op that makes a new tensor\.",
    "note gradient of op": r"(?P<name>\S+)\.grad is None: \S+ is the result of an op, and .*",
    "note gradient early": r"(?P<name>\S+)\.grad is None: no backward pass has come to it yet\.",
    "note gradient unasked": r"(?P<name>\S+)\.grad is None: \S+ does not require one\.",
    "note meant": r"Did you mean: '(?P<name>.*)'\?",
    "note nothing": r"Nothing it was computed from has requires_grad=True, or it was computed under no_grad, or detached\.",
}


def note_of(note: str) -> Said:
    """What an error says beyond PyTorch's own text, in both languages where it is one of ours.

    >>> note_of("changed by add_ at /home/me/a.py:5: y += 1").plain("zh")
    '第 5 行的 add_ 改写了它：y += 1'
    """
    for key, pattern in NOTES.items():
        found = re.fullmatch(pattern, note)
        if found is not None:
            return say(key, **found.groupdict(""))
    return literal(note)
