"""Names for the values of one graph: no two alike, and none that would hide a keyword, a builtin or what generated code needs."""

from __future__ import annotations

import builtins
import keyword
import re

_NOT_OF_NAMES = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")
_RESERVED = frozenset({"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"})


def snake_case(name: str) -> str:
    """``LayerNorm`` as ``layer_norm``.

    >>> from rushlight.fx.namespace import snake_case
    >>> snake_case("LayerNorm"), snake_case("HTTPServer"), snake_case("aB")
    ('layer_norm', 'httpserver', 'a_b')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Namespace:
    """Gives every object a name of its own, the one asked for where it is free, else that with a number.

    >>> from rushlight.fx.namespace import Namespace
    >>> names = Namespace()
    >>> [names.create_name(asked, None) for asked in ("relu", "relu", "sum", "layers.0", "0")]
    ['relu', 'relu_1', 'sum_1', 'layers_0', '_0']
    """

    def __init__(self) -> None:
        self._names: dict[int, tuple[object, str]] = {}  # by identity: not everything has a hash
        self._used: set[str] = set()
        self._last: dict[str, int] = {}  # the number that a base was given last

    def create_name(self, candidate: str, obj: object | None) -> str:
        """A name like ``candidate``; ``obj`` keeps it: who asks for it again gets the same."""
        if obj is not None and id(obj) in self._names:
            return self._names[id(obj)][1]
        candidate = _NOT_OF_NAMES.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        numbered = _NUMBERED.match(candidate)
        base, number = (numbered[1], int(numbered[2])) if numbered else (candidate, None)
        if candidate in self._used or (number is None and self._is_illegal(candidate, obj)):
            number = self._last.get(base, 0) + 1
            while f"{base}_{number}" in self._used:
                number += 1
            candidate = f"{base}_{number}"
        if number is not None:
            self._last[base] = number
        self._used.add(candidate)
        if obj is not None:
            self._names[id(obj)] = obj, candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: object) -> None:
        """Says that a name that was created belongs to ``obj``."""
        self._names.setdefault(id(obj), (obj, name))

    @staticmethod
    def _is_illegal(name: str, obj: object | None) -> bool:
        """Builtins keep their names: generated code calls ``len`` len."""
        if name in keyword.kwlist:
            return True
        if name in vars(builtins):
            return obj is not vars(builtins)[name]
        return name in _RESERVED
