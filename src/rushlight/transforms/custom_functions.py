"""Custom Functions under transforms: with ``vmap`` by their own rule, or by one made of their forward, backward and jvp."""

from __future__ import annotations

import sys
import types
import weakref
from typing import Any, NamedTuple

import numpy as np

from ..autograd import function, modes
from ..autograd.function import Context, Function, FunctionCtx
from ..autograd.nodes import Node, leaf_edge, orders
from ..autograd.source_lines import here
from ..base.pytree import TreeSpec, broadcast_prefix, tree_flatten, tree_unflatten
from ..tensor import Tensor, wrap
from . import batched_tensors, dynamic_layers, example_graph
from .outlines import Unbatchable
from .shared_tensors import shared_by_all

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """What the ``vmap`` staticmethod of a Function learns of the running one."""

    batch_size: int
    randomness: str


_generated: weakref.WeakKeyDictionary[type, type] = weakref.WeakKeyDictionary()


def applied(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a Function while transforms run."""
    if not modes.state.transforms or issubclass(cls, function._SingleLevelFunction):
        return NotImplemented
    if issubclass(cls, _Vmapped):  # whose inputs may be examples of a `vmap` further out
        level = batched_tensors._innermost(args)
        return NotImplemented if level is None else _batch(cls, level, *tree_flatten(args), kwargs)
    top, _, rest = cls.__module__.partition(".")
    is_own = top in ("torch", "rushlight") and not rest.startswith(("testing.", "utils.checkpoint"))
    if is_own or not dynamic_layers.in_user_transform():
        if batched_tensors._innermost(tree_flatten((args, kwargs))[0]) is not None:
            raise Unbatchable(cls.__name__)
        return NotImplemented
    if cls.setup_context is Function.setup_context:
        raise without_setup_context()
    leaves, spec = tree_flatten(args)
    level = batched_tensors._innermost([*leaves, *tree_flatten(kwargs)[0]])
    if level is not None:
        return _batch(cls, level, leaves, spec, kwargs)
    if any(layer.kind == "Vmap" and not layer.internal for layer in dynamic_layers.state.stack):
        _expect_rule(cls)
    if "_is_generated" in cls.__dict__:
        return NotImplemented
    if cls not in _generated:
        _generated[cls] = type(cls)(f"{cls.__name__}Generated", (cls,), {"_is_generated": True})
    return _generated[cls].apply(*args, **kwargs)  # type: ignore[attr-defined]


def without_setup_context() -> RuntimeError:
    """What transforms say to a Function whose forward takes the context."""
    return RuntimeError(
        "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
        f"the setup_context staticmethod. {_MORE}"
    )


def _batch(cls: Any, level: batched_tensors.Level, leaves: list[Any], spec: TreeSpec, kwargs: dict[str, Any]) -> Any:
    named = {key: value for key, value in kwargs.items() if isinstance(value, Tensor)}
    if named:
        raise NotImplementedError(
            "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors to "
            f"autograd.Function. Got: {named}"
        )
    has_rule = _expect_rule(cls)
    inner = dynamic_layers.state.stack[dynamic_layers.place(level) + 1 :]
    if has_rule and not any(layer.kind in ("Grad", "Jvp") for layer in inner):
        values, dims = zip(*(_behind(one, level) for one in leaves), strict=True) if leaves else ((), ())
        with dynamic_layers.without(level):
            outputs, spec_out = _by_rule(cls, level, list(values), list(dims), spec, kwargs)
        made = [one if dim is None else batched_tensors.rebatched(one.movedim(dim, 0), level) for one, dim in outputs]
        return tree_unflatten(made, spec_out)
    job = _Job(cls, level, spec, kwargs, [batched_tensors.is_batched(one, level) for one in leaves])
    wholes = [one.whole if batched_tensors.is_of(one, level) else one for one in leaves]
    tracked = [modes.state.grad_enabled and batched_tensors.is_of(one, level) and one.tracked for one in leaves]
    if level.outside is not None and modes.state.forward_levels and example_graph.has_own_tangents(leaves, level):
        raise Unbatchable(cls.__name__)
    job.tracked = tuple(map(bool, tracked))
    with dynamic_layers.without(level), level.around():
        found = job.vmapped().apply(*wholes)
    found = found if isinstance(found, tuple) else (found,)
    recording = level.outside is not None and any(tracked)
    made = [
        one
        if not isinstance(one, Tensor)
        else batched_tensors.rebatched(one, level)
        if of
        else shared_by_all(one, level)
        if recording
        else one
        for one, of in zip(found, job.out_batched, strict=True)
    ]
    if recording:
        _record(cls, job, level, leaves, wholes, found, made)
    return tree_unflatten(made, job.out_spec)


class _ExampleNode(Node):
    """A Function on one example, in the graph of examples: its own backward, over tensors that carry the batch."""

    def __init__(self, cls: Any, job: _Job) -> None:
        self.cls, self.context, self.counted = cls, job.context, job.metas

    def vjp_tensors(self, g: Any, edges: Any) -> tuple[Any, ...]:
        if self.saved is None:
            raise self.freed()
        context = self.context
        before, context.saved_tensors = context.saved_tensors, tuple(open_again() for open_again in self.saved)
        given = [
            wrap(np.zeros(*meta)) if one is None and context.materialize_grads else one
            for one, meta in zip([g] if self.metas is None else g, self.counted, strict=True)
        ]
        try:
            found = (self.cls.vjp if self.cls.vjp is not Function.vjp else self.cls.backward)(context, *given)
        finally:
            context.saved_tensors = before
        found = tree_flatten(found if isinstance(found, tuple) else (found,))[0]
        return (*found, *(None,) * (len(edges) - len(found)))[: len(edges)]


def _record(cls: Any, job: _Job, level: Any, leaves: list[Any], wholes: list[Any], found: Any, made: list[Any]) -> None:
    """Gives the results of a Function on examples their node in the graph of these."""
    node = type(f"{cls.__name__}GeneratedBackward", (_ExampleNode,), {"__module__": "torch.autograd.function"})(cls, job)
    node.next = tuple(
        (one.own_edge or leaf_edge(one)) if needs else None for one, needs in zip(leaves, job.tracked, strict=True)
    )
    node.order = next(orders)
    node.where = here(sys._getframe(1))
    tensors = [one for one in made if isinstance(one, Tensor)]
    if len(tensors) > 1:
        node.metas = [(one._array.shape, one._array.dtype) for one in tensors]
    else:
        node.shape, node.dtype = tensors[0]._array.shape, tensors[0]._array.dtype
    for number, one in enumerate(tensors):
        at = next(place for place, each in enumerate(made) if each is one)
        if one._array.dtype.kind in "fcVW" and at not in job.undifferentiable:
            one.tracked, one.own_edge = True, (node, number)
            for leaf, whole in zip(leaves, wholes, strict=True):
                if found[at] is whole and at in job.dirty:
                    example_graph.adopt(leaf, one.own_edge)

    def opener(kept: Any, of: bool, position: int | None) -> Any:
        if position is not None:
            return lambda: leaves[position]
        place = next((place for place, out in enumerate(job.outs) if kept is out), None)
        whole = kept if place is None else found[place]
        edge = None if place is None else getattr(made[place], "own_edge", None)
        number = None if edge is None else edge[1]

        def again() -> Any:
            if not of and place is None:
                return whole
            value = batched_tensors.batched(whole, level) if of else shared_by_all(whole, level)
            if number is not None:
                value.tracked, value.own_edge = True, (node, number)
            return value

        return again

    node.saved = tuple(opener(*one) for one in zip(job.kept, job.saved_batched, job.positions, strict=True))


def _expect_rule(cls: Any) -> bool:
    """Whether a Function has a rule of its own for ``vmap``. RuntimeError unless it has that or asks for one to be made."""
    has_rule = cls.vmap is not Function.vmap
    if has_rule and cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. "
            + _MORE
        )
    if not has_rule and not cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the vmap "
            f"staticmethod or set generate_vmap_rule=True. {_MORE}"
        )
    return has_rule


def _behind(value: Any, level: batched_tensors.Level) -> tuple[Any, int | None]:
    """The batch behind a value as ``vmap`` was given it, and its dimension."""
    if not batched_tensors.is_batched(value, level):
        return value, None
    return value.origin if value.origin is not None else (value.whole, 0)


def _by_rule(
    cls: Any, level: batched_tensors.Level, values: list[Any], dims: list[int | None], spec: TreeSpec, kwargs: dict[str, Any]
) -> tuple[list[tuple[Any, int | None]], TreeSpec]:
    """What the Function's own ``vmap`` gives: results with their dimensions."""
    info = VmapInfo(level.size, level.randomness)
    result = cls.vmap(info, tree_unflatten(dims, spec), *tree_unflatten(values, spec), **kwargs)
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"{len(result)} returns" if isinstance(result, tuple) else f"a {type(result)}"
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
            f"the output. Got {got} instead"
        )
    output, out_dims = result
    outputs, out_spec = tree_flatten(output)
    places = broadcast_prefix(out_dims, out_spec)
    if places is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {out_spec}. {_MORE}"
        )
    return list(zip(outputs, places, strict=True)), out_spec


def reduced(g: Any, shape: tuple[int, ...], kept: int) -> Any:
    """A gradient brought to ``shape`` by sums, as broadcasting is undone; behind its first ``kept`` dimensions."""
    lead = g._array.ndim - kept - len(shape)
    if lead > 0:
        g = g.sum(tuple(range(kept, kept + lead)))
    axes = tuple(kept + axis for axis, size in enumerate(shape) if size == 1 != g._array.shape[kept + axis])
    return g.sum(axes, keepdim=True) if axes else g


class _Context(FunctionCtx):
    """The context that the Function itself sees: its tensors are examples."""

    to_save: tuple[Any, ...] | None = None
    saved_for_forward: tuple[Any, ...] | None = None
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True
    saved_tensors: tuple[Any, ...] = ()


class _Vmapped(Function):
    """The operation on the whole batch; each call has a subclass of its own."""

    generate_vmap_rule = True


class _Job:
    """One call of a Function over a batch."""

    def __init__(
        self, cls: Any, level: batched_tensors.Level, spec: TreeSpec, kwargs: dict[str, Any], is_batched: list[bool]
    ) -> None:
        self.cls, self.outer, self.spec, self.kwargs, self.is_batched = cls, level, spec, kwargs, is_batched
        self.level = batched_tensors.Level(level.size, level.randomness)
        self.context = _Context()
        self.out_batched: list[bool] = []
        self.saved_batched: list[bool] = []
        self.tracked: tuple[bool, ...] = ()  # which inputs are in the graph of examples
        self.kept: list[Any] = []
        self.positions: list[int | None] = []  # of what is kept, among the inputs
        self.outs: list[Any] = []
        self.entered: list[object] = []  # from forward to setup_context, as is what follows
        self.found: list[Any] = []
        self.undifferentiable: list[int] = []
        self.dirty: list[int] = []

    def vmapped(self) -> Any:
        """The Function on wholes."""
        body = {
            "forward": staticmethod(self.forward),
            "setup_context": staticmethod(self.setup_context),
            "backward": staticmethod(self.backward),
            "jvp": staticmethod(self.jvp),
            "_context_cls": Context,
        }
        return types.new_class(f"Vmapped{self.cls.__name__}", (_Vmapped,), exec_body=lambda space: space.update(body))

    def _example(self, value: Any, of: bool = True) -> Any:
        return batched_tensors.rebatched(value, self.level) if of and isinstance(value, Tensor) else value

    def _split(self, values: Any) -> tuple[list[Any], list[bool]]:
        """The tensors behind, and which were examples."""
        flags = [batched_tensors.is_batched(one, self.level) for one in values]
        return [batched_tensors.along(one, self.level) if of else one for one, of in zip(values, flags, strict=True)], flags

    def forward(self, *wholes: object) -> object:
        with batched_tensors.running(self.level):
            self.entered = entered = [self._example(one, of) for one, of in zip(wholes, self.is_batched, strict=True)]
            if self.cls.vmap is not Function.vmap and any(self.is_batched):  # of the same for all it is not asked
                with dynamic_layers.without(self.level):
                    dims = [0 if of else None for of in self.is_batched]
                    outputs, self.out_spec = _by_rule(self.cls, self.outer, list(wholes), dims, self.spec, self.kwargs)
                given = {id(whole): one for whole, one, of in zip(wholes, entered, self.is_batched, strict=True) if of}
                found = [
                    one
                    if dim is None
                    else given[id(one)]
                    if dim == 0 and id(one) in given
                    else self._example(one.movedim(dim, 0))
                    for one, dim in outputs
                ]
            else:
                found, self.out_spec = tree_flatten(self.cls.forward(*tree_unflatten(entered, self.spec), **self.kwargs))
            self.found = found
            self.outs, self.out_batched = self._split(found)
        return tuple(self.outs) if len(self.outs) != 1 else self.outs[0]

    def setup_context(self, ctx: Any, wholes: tuple[object, ...], output: object) -> None:
        context, entered, found, outs = self.context, self.entered, self.found, self.outs
        self.entered, self.found = [], []
        context.needs_input_grad = tuple(a or b for a, b in zip(ctx.needs_input_grad, self.tracked, strict=True))
        with batched_tensors.running(self.level):
            self.cls.setup_context(context, tuple(tree_unflatten(entered, self.spec)), tree_unflatten(found, self.out_spec))
            kept, self.saved_batched = self._split(context.to_save or ())
            places = {id(one): whole for one, whole in zip([*entered, *found], [*wholes, *outs], strict=True)}
            originals = context.to_save or ()
            self.kept = [places.get(id(one), whole) for one, whole in zip(originals, kept, strict=True)]
            # By place: forward mode takes the tangents off first, so that these are others than the node's.
            self.positions = [next((n for n, whole in enumerate(wholes) if whole is one), None) for one in self.kept]
            ctx.save_for_backward(*self.kept)
            context.to_save = None
            context.saved_for_forward = context.saved_for_forward and tuple(context.saved_for_forward)
            if context.dirty_tensors:
                changed = [places[id(one)] for one in context.dirty_tensors]
                self.dirty = [place for place, out in enumerate(outs) if any(out is one for one in changed)]
                ctx.mark_dirty(*changed)
                context.dirty_tensors = ()
            if context.non_differentiable:
                constant = [places[id(one)] for one in context.non_differentiable]
                self.undifferentiable = [place for place, out in enumerate(outs) if any(out is one for one in constant)]
                ctx.mark_non_differentiable(*constant)
                context.non_differentiable = ()
        ctx.set_materialize_grads(False)
        self.metas = [(one._array.shape, one._array.dtype) for one in found if isinstance(one, Tensor)]
        self.shapes = [one._array.shape if isinstance(one, Tensor) else None for one in entered]

    def backward(self, ctx: Any, *grads: Any) -> Any:
        context = self.context
        with batched_tensors.running(self.level):
            context.saved_tensors = tuple(
                self._example(one, of) for one, of in zip(ctx.saved_tensors, self.saved_batched, strict=True)
            )
            given = [
                self._example(g, of) if g is not None else wrap(np.zeros(*meta)) if context.materialize_grads else None
                for g, of, meta in zip(grads, self.out_batched, self.metas, strict=True)
            ]
            chosen = self.cls.vjp if self.cls.vjp is not Function.vjp else self.cls.backward
            found = chosen(context, *given)
            context.saved_tensors = ()
            found = tree_flatten(found if isinstance(found, tuple) else (found,))[0]
            found += [None] * (len(self.is_batched) - len(found))
            return tuple(self._back(g, of, shape) for g, of, shape in zip(found, self.is_batched, self.shapes, strict=False))

    def _back(self, g: Any, of: bool, shape: tuple[int, ...] | None) -> Any:
        """The gradient of an input: a batch, or the sum over it where all examples share the input."""
        if g is None:
            return None
        if of:
            return reduced(batched_tensors.along(g, self.level), shape or (), 1)
        return batched_tensors.along(g, self.level).sum(0) if batched_tensors.is_batched(g, self.level) else g

    def jvp(self, ctx: Any, *tangents: Any) -> Any:
        context = self.context
        with batched_tensors.running(self.level):
            if context.saved_for_forward is not None:
                context.saved_tensors = context.saved_for_forward
            given = [self._example(one, of) if one is not None else None
                     for one, of in zip(tangents, self.is_batched, strict=True)]  # fmt: skip
            found = self.cls.jvp(context, *given)
            outs = found if isinstance(found, tuple) else (found,)
            made = tuple(
                batched_tensors.along(one, self.level) if of and one is not None else one
                for one, of in zip(outs, self.out_batched, strict=True)
            )
            return made if isinstance(found, tuple) else made[0]
