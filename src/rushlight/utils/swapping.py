"""Two tensors in each other's place."""

from __future__ import annotations

import weakref

from ..base.attributes import held, hold
from ..tensor import Tensor
from .weak import Sighting


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchanges two tensors: everything that refers to one then has the other's values, gradient, class and attributes.

    RuntimeError where one has weak references, whose users would not know.

    >>> import rushlight as torch
    >>> x, y = torch.zeros(2), torch.ones(3)
    >>> torch.utils.swap_tensors(x, y)
    >>> x
    tensor([1., 1., 1.])
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if any(not isinstance(one, Sighting) for one in weakref.getweakrefs(tensor)):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = [{name for kind in type(tensor).__mro__ for name in getattr(kind, "__slots__", ())} for tensor in (t1, t2)]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    first, second = held(t1), held(t2)
    hold(t1, second)
    hold(t2, first)
    for tensor in (t1, t2):  # graphs that end at a tensor go on with its values, not with its name
        sink = tensor._sink() if tensor._sink is not None else None
        if sink is not None:
            sink.variable = tensor
