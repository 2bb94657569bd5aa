"""torch.torch_version: versions that compare as versions do."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from .version import __version__ as _number


class TorchVersion(str):
    """A version that compares as versions do, with a string or a tuple.

    A text that is no version compares as text.

    >>> import rushlight as torch
    >>> torch.__version__ >= "2.4", torch.__version__ >= (2, 4), torch.__version__ < (3,)
    (True, True, True)
    """

    __module__ = "rushlight.torch_version"  # where pickles find it

    def _compare(self, other: object, relation: Callable[[Any, Any], bool]) -> bool:
        text = ".".join(map(str, other)) if isinstance(other, tuple | list) else other
        if not isinstance(text, str):
            return NotImplemented
        mine, theirs = _key(self), _key(text)
        if theirs is not None:
            return bool(relation(mine, theirs))
        return bool(relation(str(self), text)) if text is other else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._compare(other, operator.lt)

    def __le__(self, other: object) -> bool:
        return self._compare(other, operator.le)

    def __gt__(self, other: object) -> bool:
        return self._compare(other, operator.gt)

    def __ge__(self, other: object) -> bool:
        return self._compare(other, operator.ge)

    def __eq__(self, other: object) -> bool:
        return self._compare(other, operator.eq)

    __hash__ = str.__hash__


def _key(text: str) -> tuple[tuple[int, ...], bool, str] | None:
    """What orders a version: its release without trailing zeros, that it is no pre-release, its local part."""
    found = re.fullmatch(r"v?(\d+(?:\.\d+)*)((?:\.?(?:a|b|rc|dev|alpha|beta)\.?\d*)*)(?:\+([\w.]+))?", text.strip())
    if found is None:
        return None
    release = [int(part) for part in found[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), not found[2], found[3] or ""


__version__ = TorchVersion(_number)
