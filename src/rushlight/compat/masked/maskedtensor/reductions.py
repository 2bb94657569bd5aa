"""Functions of masked tensors whose results have another mask than their inputs: reductions, and ``where``.

They run above autograd, as functions of the data and the mask that ``torch.masked`` has, so that their gradients are its own.
"""

from __future__ import annotations

import rushlight
from rushlight.autograd.interpreters import Answer, Args, Function, Named
from rushlight.overrides.torch_function import DisableTorchFunctionSubclass
from rushlight.tensor import Tensor

_REDUCTIONS = frozenset("amax amin argmax argmin mean prod std sum var".split())
_WITH_UNBIASED = frozenset(("std", "var"))


def answer(wrap: Function, choose: Function, func: Function, args: Args, kwargs: Named) -> Answer:
    """What ``func`` makes of masked tensors, or NotImplemented where it is an op like any other; ``wrap`` makes one
    of a result and its mask, ``choose`` of two by a condition."""
    name = getattr(func, "__name__", "")
    if getattr(rushlight.masked, name, None) is func:
        return _of_the_data(func, *args, **kwargs)
    if name == "where" and len(args) == 3:
        return _where(wrap, choose, *(args if args[0].dtype is rushlight.bool else (args[1], args[0], args[2])))
    if name.startswith("to_sparse"):
        raise NotImplementedError("rushlight has no masked tensors in sparse layouts")
    if name == "equal":
        raise TypeError("equal() is not there for masked tensors: compare what get_data() and get_mask() give")
    if name == "all":
        return _all(wrap, *args, **kwargs)
    if name in _REDUCTIONS and args:
        return _reduced(wrap, name, *args, **kwargs)
    return NotImplemented


def _of_the_data(func: Function, input: Answer, *args: Answer, mask: Tensor | None = None, **kwargs: Answer) -> Answer:
    """A function of ``torch.masked``: of what both the tensor's own mask and the one that is given let through."""
    with DisableTorchFunctionSubclass():
        return func(input, *args, mask=input.get_mask() if mask is None else input.get_mask() & mask, **kwargs)


def _some(mask: Tensor, dim: Answer, keepdim: bool) -> Tensor:
    """Where a reduction has seen something."""
    if dim is None or dim == ():
        return mask.any() if not keepdim else mask.any().reshape((1,) * mask.ndim)
    return mask.any(dim, keepdim)


def _reduced(wrap: Function, name: str, input: Answer, dim: Answer = None, keepdim: bool = False, **kwargs: Answer) -> Answer:
    arguments = kwargs | {"mask": input.get_mask()}
    if name in _WITH_UNBIASED:
        correction = arguments.pop("correction", 1)
        if correction not in (0, 1):
            raise TypeError(f"{name}() of a masked tensor takes a correction of 0 or 1, not {correction}")
        arguments.setdefault("unbiased", correction == 1)
    with DisableTorchFunctionSubclass():
        found = getattr(rushlight.masked, name)(input, dim, keepdim=keepdim, **arguments)
    return wrap(found.to(input.dtype) if name.startswith("arg") else found, _some(input.get_mask(), dim, keepdim))


def _all(wrap: Function, input: Answer, dim: Answer = None, keepdim: bool = False) -> Answer:
    seen = input.get_data().detach().masked_fill(~input.get_mask(), 1).bool()
    return wrap(seen.all() if dim is None else seen.all(dim, keepdim), _some(input.get_mask(), dim, keepdim))


def _where(wrap: Function, choose: Function, condition: Answer, *values: Answer) -> Answer:
    """Of masked tensors, the chosen elements with their masks; a plain one counts everywhere."""
    if hasattr(condition, "get_data"):
        condition = condition.get_data() & condition.get_mask()
    masked = [
        one if hasattr(one, "get_mask") else wrap(one, rushlight.ones_like(one, dtype=rushlight.bool))
        for one in map(rushlight.as_tensor, values)
    ]
    return choose(condition, *masked)
