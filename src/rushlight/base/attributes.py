"""What ``x.__dict__`` is of a tensor: the attributes that programs and subclasses gave it, and nothing of ours.

Programs copy attributes from one tensor to another (``b.__dict__ = a.__dict__.copy()``), and list them. What a tensor is made of
lies in the same dict, the interpreter's own, where it is reached fastest; :func:`held` gives all of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

# What a tensor is made of; what else is ours: marks of some tensors, and what sparse ones are made of.
OWN_ATTRIBUTES = frozenset(
    "_array _counter _needs_grad _edge _grad _grad_dtype _base _seen _made _sink _hooks _post_accumulate_hooks _inference _retains "
    "_conjugate _negated _tangents".split()
)
_INNER = OWN_ATTRIBUTES.union(
    "_stands_in _of_batch _layer _given stands_for _index_arrays _held _is_coalesced _layout _cotangent _matrix".split()
)
_Values = dict[str, Any]


class Holder:
    """Where the interpreter's own ``__dict__`` is found: the class below has another."""


# All attributes of a tensor, ours too: the very dict, not a copy.
held: Callable[[object], _Values] = Holder.__dict__["__dict__"].__get__
hold: Callable[[object, _Values], None] = Holder.__dict__["__dict__"].__set__


class Attributes(_Values):
    """A tensor's attributes as ``__dict__`` shows them; what is written here is written to the tensor."""

    __slots__ = ("_all",)

    def __init__(self, everything: _Values) -> None:
        super().__init__({name: value for name, value in everything.items() if name not in _INNER})
        self._all = everything

    def __setitem__(self, name: str, value: object) -> None:
        self._all[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        del self._all[name]

    def update(self, *args: _Values, **kwargs: object) -> None:  # type: ignore[override]
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __ior__(self, other: _Values) -> Attributes:  # type: ignore[misc, override]
        self.update(other)
        return self

    def setdefault(self, name: str, value: object = None) -> object:
        if name not in self:
            self[name] = value
        return self[name]

    def pop(self, name: str, *default: object) -> object:
        if name in self:
            del self._all[name]
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, object]:
        name, value = super().popitem()
        del self._all[name]
        return name, value

    def clear(self) -> None:
        for name in self:
            del self._all[name]
        super().clear()

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)


class HidesInnerState(type):
    """The class of classes below, which keeps that so where another base has a ``__dict__`` of its own."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: _Values, **kwargs: Any) -> HidesInnerState:
        others = [base for base in bases if not isinstance(base, HidesInnerState)]
        if len(others) < len(bases) and any("__dict__" in vars(one) for base in others for one in base.__mro__):
            namespace.setdefault("__dict__", vars(WithAttributes)["__dict__"])
        # A class made by a call of type() is of the module that calls, which for Python would be this one.
        namespace.setdefault("__module__", sys._getframe(1).f_globals.get("__name__", "builtins"))
        return super().__new__(mcs, name, bases, namespace, **kwargs)


class WithAttributes(Holder, metaclass=HidesInnerState):
    """What Tensor builds on: ``__dict__`` has what programs put there."""

    if not TYPE_CHECKING:  # a property of instances, the class keeps its own

        @property
        def __dict__(self) -> _Values:
            return Attributes(held(self))

        @__dict__.setter
        def __dict__(self, value: _Values) -> None:
            if not isinstance(value, dict):
                raise TypeError(f"__dict__ must be set to a dictionary, not a '{type(value).__name__}'")
            value = dict(value)
            shown = Attributes(held(self))
            shown.clear()
            shown.update(value)

        @__dict__.deleter
        def __dict__(self) -> None:
            Attributes(held(self)).clear()
