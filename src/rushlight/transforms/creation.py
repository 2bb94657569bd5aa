"""Functions that make tensors, inside of ``vmap``: after the model of an example, or of random numbers.

What is made after the model of an example (``zeros_like``, ``new_empty``, ...) is a batch, so that it can be written into. Random
numbers are as the running ``vmap`` was asked for: an error, the same for all examples, or different for each; then they are
those that PyTorch draws, in one go for the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.interpreters import Answer, Args, Function, Named
from ..base.strides import reach
from ..ops.joining import stack
from ..ops.public import methods, module, ops
from ..random import get_rng_state
from ..tensor import Tensor, wrap
from . import dynamic_layers
from .batched_tensors import BatchedTensor, Level, _vmaps, innermost, is_batched, rebatched
from .outlines import Refused
from .refused_writes import larger
from .shared_tensors import shared_by_all

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags "
    "on vmap or perform the randomness operation out of vmap"
)
_UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If this is "
    "necessary for your usage, please file an issue with functorch."
)
_SAME = "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"

_LIKE = frozenset("zeros_like ones_like empty_like full_like".split())
_NEW = frozenset("new_zeros new_ones new_empty new_full new_empty_strided".split())
_MODELLED = _LIKE | _NEW
_FRESH = _MODELLED | frozenset("zeros ones empty full".split())
_RANDOM_LIKE = frozenset("rand_like randn_like randint_like".split())
_IN_PLACE = frozenset("uniform_ normal_ random_ exponential_ cauchy_ log_normal_ geometric_ bernoulli_".split())
_OF_TENSORS = frozenset("bernoulli multinomial poisson binomial normal _standard_gamma _sample_dirichlet".split())
_SIZED = frozenset("rand randn randint normal".split())
_RANDOM = _SIZED | _RANDOM_LIKE | _IN_PLACE | _OF_TENSORS | {"randperm"}


def made(function: Function, args: Args, kwargs: Named) -> Answer:
    """A call of a function that makes tensors while transforms run."""
    name = function.__name__
    if name in _FRESH:
        made_after = _after_model(name, args, kwargs) if name in _MODELLED else NotImplemented
        return _for_all(name, args, kwargs) if made_after is NotImplemented else made_after
    found = _vmaps() if name in _RANDOM else None
    if not found:
        return NotImplemented
    level = found[-1]
    if level.randomness == "error":
        raise Refused(RANDOM)
    if kwargs.get("out") is not None:
        raise Refused(
            "vmap: We do not support calling out variants of random operations when inside of vmap. Please use non-out variants as "
            "a workaround"
        )
    note_draw(level)
    again = methods[name] if name in _IN_PLACE else module("torch")[name]
    with dynamic_layers.without(level):
        if name in _IN_PLACE:
            return _filled(again, args, kwargs, level)
        if name == "randperm" and level.randomness == "different":
            return rebatched(stack([again(*args, **kwargs) for _ in range(level.size)]), level)
        return _drawn(again, name, args, kwargs, level)


def note_draw(level: Level) -> None:
    """Keeps the state of the default generator, so that what cannot be done on the batch can begin anew."""
    if level.random_state is None:
        level.random_state = get_rng_state()


def _for_all(name: str, args: Args, kwargs: Named) -> Answer:
    """What is made while the examples of a ``vmap`` have a graph is one of it: what all share can be written into it."""
    level = innermost()
    if level is None or level.outside is None or kwargs.get("requires_grad") or kwargs.get("out") is not None:
        return NotImplemented
    model = args[0] if args else kwargs.get("input")
    if name in _MODELLED and getattr(model, "level", None) is not level:  # of no example: this room itself makes such
        return NotImplemented
    again = methods[name] if name in _NEW else module("torch")[name]
    with dynamic_layers.without(level):
        made = again(*args, **kwargs)
    return made if made._of_batch else shared_by_all(made, level)


def _after_model(name: str, args: Args, kwargs: Named) -> Answer:
    model = args[0] if args else kwargs.get("input")
    while isinstance(model, BatchedTensor) and model.shared:
        model = model.whole
    if not isinstance(model, BatchedTensor):
        return NotImplemented
    level = model.level
    rest = {key: value for key, value in kwargs.items() if key != "input"}
    again = methods[name] if name in _NEW else module("torch")[name]
    with dynamic_layers.without(level):
        if name == "new_empty_strided":
            size, stride = args[1:3] if len(args) > 2 else (kwargs["size"], kwargs["stride"])
            span = 0 if 0 in size else 1 + reach(size, stride)
            return rebatched(again(model.whole, (level.size, *size), (span, *stride)), level)
        whole = again(model.whole, *args[1:], **rest)
        if name in _NEW:
            whole = ops.clone(ops.expand(whole, (level.size, *whole._array.shape)))
    return rebatched(whole, level)


def _drawn(again: Callable[..., Any], name: str, args: Args, kwargs: Named, level: Level) -> Any:
    """New random numbers."""
    tensors = [one for one in (*args, *kwargs.values()) if isinstance(one, Tensor)]
    same = level.randomness == "same"
    if same and name not in _RANDOM_LIKE and any(is_batched(one, level) for one in tensors):
        raise Refused(_SAME)
    if tensors and name != "randint":

        def of_all(value: Any) -> Any:
            if not isinstance(value, Tensor):
                return value
            if same:
                return ops.select(value.whole, 0, 0) if is_batched(value, level) else value
            return _along(value, level)

        if name == "multinomial" and not same:
            whole, *more = (of_all(one) for one in args)
            rows = again(whole.reshape((-1, whole._array.shape[-1])), *more, **kwargs)
            return rebatched(rows.reshape((*whole._array.shape[:-1], rows._array.shape[-1])), level)
        made = again(*(of_all(one) for one in args), **{key: of_all(value) for key, value in kwargs.items()})
        return made if same else rebatched(made, level)
    if same:
        return again(*args, **kwargs)
    sizes = [one for one in args if isinstance(one, (tuple, list))]
    if sizes or "size" in kwargs:
        new = [(level.size, *one) if isinstance(one, (tuple, list)) else one for one in args]
        if "size" in kwargs:
            kwargs = {**kwargs, "size": (level.size, *kwargs["size"])}
        return rebatched(again(*new, **kwargs), level)
    return rebatched(again(level.size, *args, **kwargs), level)


def _along(value: Tensor, level: Level) -> Tensor:
    if is_batched(value, level):
        return value.whole  # type: ignore[attr-defined, no-any-return]
    return ops.clone(ops.expand(value, (level.size, *value._array.shape)))


def _filled(again: Callable[..., Any], args: Args, kwargs: Named, level: Level) -> Any:
    """Random numbers written into a tensor."""
    target, *rest = args
    by_example = any(is_batched(one, level) for one in rest)
    if by_example and level.randomness == "same":
        raise Refused(_SAME)
    if not is_batched(target, level):
        if by_example:
            raise Refused(larger("inplace_arithmetic", target, (), level))
        if level.randomness == "different":
            raise Refused(_UNBATCHED)
        return again(target, *rest, **kwargs)
    if level.randomness == "same":
        one = again(wrap(np.empty(target._array.shape, target._array.dtype)), *rest, **kwargs)
        target.whole.copy_(one)
    else:
        again(target.whole, *(_along(one, level) if isinstance(one, Tensor) else one for one in rest), **kwargs)
    return target


def noise(draw: Callable[[tuple[int, ...]], Tensor], shape: tuple[int, ...]) -> Tensor:
    """The random numbers of dropout and its like, for examples of ``shape``."""
    found = _vmaps()
    if not found:
        return draw(shape)
    level = found[-1]
    if level.randomness == "error":
        raise Refused(RANDOM)
    note_draw(level)
    with dynamic_layers.without(level):
        if level.randomness == "same":
            return noise(draw, shape)
        return rebatched(noise(draw, (level.size, *shape)), level)


def refuse_draw(name: str | None = None) -> None:
    """RuntimeError where a function that has no batched form draws random numbers inside of ``vmap``, or may draw some."""
    found = _vmaps()
    if found and name is not None:
        raise Refused(f"vmap: we do not yet support aten::{name}. Please file an issue")
    if found:
        raise Refused(
            RANDOM
            if found[-1].randomness == "error"
            else "vmap: We do not yet support calling random operations inside of vmap. Please perform random operations outside "
            "of vmap as a workaround"
        )
