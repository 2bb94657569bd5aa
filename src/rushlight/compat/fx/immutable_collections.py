"""Lists and dicts that a Node's arguments are kept in: who would change one in place is told to assign another instead."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.utils._pytree import register_pytree_node

__all__ = ["immutable_dict", "immutable_list"]

_ADVICE = (
    "{kind!r} object does not support mutation. If you are attempting to modify the kwargs or args of a torch.fx.Node object,\n"
    "instead create a new copy of it and assign the copy to the node:\n\n"
    "    new_args = ...  # copy and mutate args\n"
    "    node.args = new_args\n"
)


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(_ADVICE.format(kind=type(self).__name__))


class immutable_list(list[Any]):
    """A list that raises TypeError where it would change.

    >>> from rushlight.fx.immutable_collections import immutable_list
    >>> immutable_list([1, 2]) + [3]
    [1, 2, 3]
    """

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (immutable_list, (tuple(self),))


class immutable_dict(dict[Any, Any]):
    """A dict that raises TypeError where it would change."""

    clear = pop = popitem = setdefault = update = _refuse
    __delitem__ = __ior__ = __setitem__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (immutable_dict, (tuple(self.items()),))


register_pytree_node(immutable_list, lambda held: (list(held), None), lambda children, _: immutable_list(children))
register_pytree_node(
    immutable_dict,
    lambda held: (list(held.values()), list(held)),
    lambda children, keys: immutable_dict(zip(keys, children, strict=True)),
)
