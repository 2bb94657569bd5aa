"""The named tuples that ops with several results return, ``torch.return_types.max`` say."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from .missing_names import attribute_error


class Results(tuple[Any, ...]):
    """A tuple whose fields have names too. Takes its items one by one or as one sequence.

    >>> import rushlight as torch
    >>> torch.max(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), dim=1)
    torch.return_types.max(
    values=tensor([3., 4.]),
    indices=tensor([1, 0]))
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __new__(cls, *items: Any) -> Results:
        if len(items) == 1:
            items = tuple(items[0])
        if len(items) != len(cls._fields):
            raise TypeError(
                f"torch.return_types.{cls.__name__}() takes a {len(cls._fields)}-sequence ({len(items)}-sequence given)"
            )
        return tuple.__new__(cls, items)

    def __repr__(self) -> str:
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self),)


# One of these types around items that are known to be as many as its fields: ``made(torch.return_types.max, items)``.
made: Any = tuple.__new__


def define(name: str, fields: str) -> type[Results]:
    """Makes the type ``name`` with the given fields, and puts it here."""
    names = tuple(fields.split())
    body: dict[str, Any] = {"__slots__": (), "_fields": names, "__match_args__": names}
    body["__module__"] = "torch.return_types"
    body.update({field: property(itemgetter(place)) for place, field in enumerate(names)})
    body.update(n_fields=len(names), n_sequence_fields=len(names), n_unnamed_fields=0)
    made = type(name, (Results,), body)
    globals()[name] = made
    if name not in _WITHOUT_OUT:
        globals()[name + "_out"] = _OF_OUT[made] = type(name + "_out", (Results,), body)
    return made


_WITHOUT_OUT = frozenset(("_lu_with_info", "_unpack_dual", "histogramdd"))
_OF_OUT: dict[type, type[Results]] = {}


def of_out(kind: type) -> type:
    """The type of what a function returns that wrote into its ``out=``, where it returns ``kind`` without."""
    return _OF_OUT.get(kind, kind)


for _name in "max min cummax cummin median nanmedian mode kthvalue sort topk".split():
    define(_name, "values indices")
define("aminmax", "min max")
define("frexp", "mantissa exponent")
define("histogram", "hist bin_edges")
define("histogramdd", "hist bin_edges")


def __getattr__(name: str) -> Any:
    raise attribute_error("torch.return_types", name, f"module 'torch.return_types' has no attribute {name!r}")
