"""Transforms that differentiate a function: ``grad``, ``vjp``, ``jvp`` and the matrices made of them.

Each call runs the function on tensors of its own, so that nothing that the caller holds gets a gradient, and transforms can
be nested. Arguments and results may be trees of tensors. What a result depends on outside of the function (a tensor that
needs a gradient, an outer transform) it can be differentiated by, as any other result.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..autograd import forward_ad, modes, overlaps
from ..autograd.nodes import AccumulateGrad
from ..autograd.tangents import state as tangent_state
from ..autograd.tangents import tangents_of
from ..autograd.topological_order import reached
from ..base.attributes import held
from ..base.pytree import TreeSpec, tree_flatten, tree_map_only, tree_unflatten
from ..base.strides import is_stretched
from ..tensor import Tensor, new_tensor, wrap
from . import batched_tensors, dynamic_layers, example_graph

Function = Callable[..., Any]


# The reverse pass.


def _tracked(value: Any) -> Tensor:
    """A tensor to differentiate by: a view where the caller can differentiate further, else a leaf of its own."""
    if not isinstance(value, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
    if (level := batched_tensors.innermost()) is not None and value._strided:
        if value._array.dtype.kind not in "fcVW":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        return example_graph.tracked_anew(value, level)
    if value.requires_grad:
        view = value.view_as(value)
        view._edge = example_graph.entrance(value, view._edge[0].next[0])
        held(view)["_given"] = held(value).get("_given") or weakref.ref(value)  # whose maker errors are to name
        return view
    if value._array.dtype.kind not in "fcVW":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if not value._strided:
        leaf = value.detach()
        leaf._needs_grad = True
        return leaf
    leaf = new_tensor(value._array)
    leaf._counter, leaf._tangents, leaf._needs_grad = value._counter, value._tangents, True
    return leaf


def _zeros_like(value: Tensor) -> Tensor:
    if not value._strided:
        return value.detach() * 0
    return wrap(np.zeros(value._array.shape, value._array.dtype))


def _depends_on_others(outputs: Sequence[Tensor], own: Sequence[Tensor]) -> bool:
    """Whether the graph of the outputs leads to leaves that are not ``own``."""
    outputs = [one for one in outputs if example_graph.is_tracked(one)]
    if any(example_graph.place_in(one) is None and not any(one is leaf for leaf in own) for one in outputs):
        return True
    return any(
        isinstance(node, AccumulateGrad) and not (node.variable._stands_in or any(node.variable is leaf for leaf in own))
        for node in reached(place[0] for place in map(example_graph.place_in, outputs) if place is not None)
    )


def _tangents(values: Sequence[object]) -> list[Tensor]:
    """Those that tensors carry in any open level."""
    return [one for value in values if isinstance(value, Tensor) for one in (tangents_of(value) or {}).values()]


def _with_recorded_tangents(gradient: Tensor) -> Tensor:
    """A gradient without its history, but with its tangents and theirs."""
    if isinstance(gradient, batched_tensors.BatchedTensor):
        return example_graph.untracked(gradient)
    result = batched_tensors.without_graph(gradient)
    result._tangents = gradient._tangents
    return result


def _released(tree: Any) -> Any:
    """Results without a history that leads to tensors of the transform only."""

    def released(one: Tensor) -> Tensor:
        if isinstance(one, batched_tensors.BatchedTensor):
            return example_graph.untracked(one) if one.tracked else one
        return batched_tensors.without_graph(one) if one.requires_grad else one

    return tree_map_only(Tensor, released, tree)


def _numbers(argnums: Any, count: int) -> tuple[int, ...]:
    """The positions that ``argnums`` means, of ``count`` arguments."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if argnums == ():
        raise RuntimeError("argnums must be non-empty")
    found = []
    for number in argnums if isinstance(argnums, tuple) else (argnums,):
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
        found.append(number % count)
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return tuple(found)


def _slice_argnums(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """The arguments to differentiate by, as a tuple; with ``as_tuple=False`` the very one that an int names."""
    chosen = tuple(args[number] for number in _numbers(argnums, len(args)))
    return chosen if isinstance(argnums, tuple) or as_tuple else chosen[0]


def _selected(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> Any:
    return _slice_argnums(args, argnums, as_tuple=False)


def _replaced(args: tuple[Any, ...], argnums: int | tuple[int, ...], chosen: Any) -> tuple[Any, ...]:
    values = list(args)
    for number, value in zip(*((argnums, chosen) if isinstance(argnums, tuple) else ((argnums,), (chosen,))), strict=True):
        values[number] = value
    return tuple(values)


@contextmanager
def _recording() -> Iterator[None]:
    """Ops are recorded, also in ``no_grad`` and in inference mode; what the graph saves goes through no hooks."""
    state = modes.state
    if state.saved_hooks:
        raise RuntimeError(_NO_HOOKS)
    before = state.grad_enabled, state.inference, state.saved_hooks_refusal
    state.grad_enabled, state.inference, state.saved_hooks_refusal = True, None, before[2] or _NO_HOOKS
    try:
        yield
    finally:
        state.grad_enabled, state.inference, state.saved_hooks_refusal = before


_NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use case."
)


class _Vjp:
    """A function that has run on tensors of its own, ready for backward passes."""

    def __init__(self, run: Function, primals: Any, function: Function | None = None, others: object = None) -> None:
        leaves, self.spec = tree_flatten(primals)
        self.outside = modes.state.grad_enabled
        with dynamic_layers.entered(dynamic_layers.Layer(function)) as layer, _recording():
            layer.others = others
            self.inputs = [_tracked(leaf) for leaf in leaves]
            self.was_differentiable = any(map(example_graph.was_tracked, leaves))
            dynamic_layers.belong(layer, self.inputs)
            self.result = run(tree_unflatten(self.inputs, self.spec))

    def depends_outside(self, outputs: Sequence[Tensor]) -> bool:
        """Whether the caller can differentiate what the function made further."""
        return self.was_differentiable or _depends_on_others(outputs, self.inputs)

    def gradients(self, outputs: Sequence[Tensor], cotangents: Sequence[object], record: bool, keep: bool = True) -> object:
        """As :func:`pull`; where not all is recorded, the tangents have their history all the same if it leads outside."""
        if record or not (self.outside and modes.state.forward_levels):
            found = self.pull(outputs, cotangents, record, keep)
            if not record or len(self.inputs) == 1 or modes.state.transforms:
                return found
            return tree_map_only(Tensor, lambda g: g if _depends_on_others([g], self.inputs) else _released(g), found)
        # What the batch is computed with is in graphs further out, which the graph of examples does not lead to.
        known = batched_tensors.innermost() is not None or _depends_on_others(_tangents(outputs), self.inputs)
        if not known and not any(one.requires_grad for one in _tangents(cotangents)):
            return self.pull(outputs, cotangents, record, keep)
        return tree_map_only(Tensor, _with_recorded_tangents, self.pull(outputs, cotangents, True, keep))

    def pull(self, outputs: Sequence[Tensor], cotangents: Sequence[Any], record: bool, keep: bool = True) -> Any:
        """The gradients of the inputs, as a tree; zeros where there is none."""
        pairs = [(out, g) for out, g in zip(outputs, cotangents, strict=True) if example_graph.is_tracked(out)]
        if any(one._of_batch for one in self.inputs):  # what is not in their graph does not depend on them
            pairs = [(out, g) for out, g in pairs if out._of_batch]
        found: Sequence[Any] = [None] * len(self.inputs)
        if pairs and self.inputs:
            found = example_graph.gradients_of(
                [out for out, _ in pairs],
                self.inputs,
                [g for _, g in pairs],
                retain_graph=keep or record,
                create_graph=record,
                allow_unused=True,
            )
        filled = [_zeros_like(one) if g is None else g for g, one in zip(found, self.inputs, strict=True)]
        return tree_unflatten(filled, self.spec)


def grad_and_value(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of ``func`` (whose value is one number) and the value.

    >>> import rushlight as torch
    >>> torch.func.grad_and_value(lambda x: (x * x).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        state = _Vjp(
            lambda chosen: func(*_replaced(args, argnums, chosen), **kwargs), _selected(args, argnums), func, (args, kwargs)
        )
        output, aux = state.result, None
        if has_aux:
            if not (isinstance(output, tuple) and len(output) == 2):
                raise RuntimeError(
                    "grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True"
                )
            output, aux = output
            _only_tensors(aux)
        if not isinstance(output, Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
        if output._array.ndim:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        record = state.outside and state.depends_outside([output])
        gradient = state.gradients([output], [None], record, keep=False)
        if not record:
            output, aux = _released(output), _released(aux)
        return (gradient, (output, aux)) if has_aux else (gradient, output)

    return wrapper


def grad(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of ``func``, whose value is one number.

    ``argnums``  by which argument, or arguments
    ``has_aux``  ``func`` returns (value, more): the new function returns (gradient, more)

    RuntimeError where the value is no 0-dim tensor.

    >>> import rushlight as torch
    >>> from rushlight.func import grad
    >>> grad(grad(lambda x: x**3))(torch.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The value of ``func``, and a function from cotangents (in the form of the value) to a tuple of gradients.

    >>> import rushlight as torch
    >>> value, pull = torch.func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> pull(torch.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    return vjp_beside(None, func, primals, has_aux)


def vjp_beside(others: object, func: Function, primals: tuple[object, ...], has_aux: bool) -> Any:
    """:func:`vjp` of a function that knows other arguments of the caller's, which it may write to."""
    state = _Vjp(lambda chosen: func(*chosen), primals, func, others)
    output, aux = _with_aux("vjp(f, *primals)", state.result, has_aux)
    outputs, spec = _tensors("vjp(f, *primals)", output)
    for one in outputs:
        if not (one.is_floating_point() or one.is_complex()):
            raise RuntimeError(
                f"vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype {one.dtype}"
            )
    differentiable = state.depends_outside(outputs)

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, form = tree_flatten(cotangents)
        if form != spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {form}, primal output: {spec}"
            )
        wanted = differentiable or any(g.requires_grad for g in given)
        record = modes.state.grad_enabled and wanted if create_graph is None else create_graph
        return state.gradients(outputs, given, record)

    if not (state.outside and differentiable):
        output, aux = _released(output), _released(aux)
    return (output, pull, aux) if has_aux else (output, pull)


def _with_aux(caller: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True")
    _only_tensors(result[1])
    return result[0], result[1]


def _only_tensors(tree: Any) -> None:
    for leaf in tree_flatten(tree)[0]:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")


def _tensors(caller: str, tree: Any) -> tuple[list[Tensor], TreeSpec]:
    """The tensors that a function returned."""
    leaves, spec = tree_flatten(tree)
    if tree is None or not leaves:
        raise RuntimeError(f"{caller}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{caller}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")
    return leaves, spec


# Forward mode.


def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of ``func`` at a tuple of arguments, and the product of its Jacobian with a tuple of tangents.

    ``strict``   RuntimeError where a result does not depend on the arguments, instead of a tangent of zeros
    ``has_aux``  ``func`` returns (value, more): the result is (value, tangent, more)

    >>> import rushlight as torch
    >>> torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    return jvp_beside(None, func, primals, tangents, strict, has_aux)


def jvp_beside(
    others: object,
    func: Function,
    primals: object,
    tangents: object,
    strict: bool = False,
    has_aux: bool = False,
    replays: bool = False,
) -> Any:
    """:func:`jvp` of a function that knows other arguments of the caller's, which it may write to."""
    caller = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{caller}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    points, spec = tree_flatten(primals)
    directions, other = tree_flatten(tangents)
    if spec != other:
        raise RuntimeError(
            f"{caller}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of "
            f"3 tensors, tangents also must be. Got primals with structure {spec!r} and tangents with structure {other!r}"
        )
    for label, values in (("primals", points), ("tangents", directions)):
        if not values:
            raise RuntimeError(f"{caller}: Expected {label} to contain at least one Tensor.")
        for value in values:
            if not isinstance(value, Tensor):
                raise RuntimeError(f"{caller}: Expected {label} to only contain Tensors, got {type(value)}")
    layer = dynamic_layers.ForwardLayer(func)
    layer.others, layer.internal = others, replays
    layer.replays = replays and modes.state.grad_enabled
    with dynamic_layers.entered(layer), forward_ad._set_fwd_grad_enabled(True), _no_inference(), forward_ad.opened() as level:
        layer.tangents = level
        duals = [
            forward_ad.dual(point, forward_ad.laid_like(point, direction), level, alias=True)
            for point, direction in zip(points, directions, strict=True)
        ]
        dynamic_layers.belong(layer, duals)
        result = func(*tree_unflatten(duals, spec))
        output, aux = _with_aux(caller, result, has_aux)
        outputs, out_spec = _tensors(caller, output)
        slopes = []
        for one in outputs:
            slope = forward_ad.tangent_at(one, level)
            if slope is None and strict:
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                    "allowed with strict=True."
                )
            slopes.append(wrap(np.zeros(one._array.shape, one._array.dtype)) if slope is None else slope)
        aux = tree_map_only(Tensor, lambda one: forward_ad.without_tangent(one, level), aux)
        for one in outputs:
            forward_ad.forget_tangent(one, level)
        values = [one._alias() for one in outputs]  # PyTorch hands out views
    answer = tree_unflatten(values, out_spec), tree_unflatten(slopes, out_spec)
    return (*answer, aux) if has_aux else answer


@contextmanager
def _no_inference() -> Iterator[None]:
    state = modes.state
    before, state.inference = state.inference, None
    try:
        yield
    finally:
        state.inference = before


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of ``func``, and its :func:`jvp` at these arguments as a function of the tangents, by which alone it can be
    differentiated further.

    RuntimeError for tangents of another form, shape or dtype than the arguments.

    >>> import rushlight as torch
    >>> value, push = torch.func.linearize(torch.sin, torch.tensor(0.0))
    >>> push(torch.tensor(3.0))
    tensor(3.)
    """
    points, spec = tree_flatten(primals)
    numbers = []  # which are one number in a memory of its own: PyTorch copies the tangents of all others
    for point in points:
        if not isinstance(point, Tensor):
            func(*primals)
            point.new_empty  # noqa: B018 (AttributeError, as in PyTorch)
        forward_ad.expect_inexact("primal", point)
        if is_stretched(point._array) and point.untyped_storage().nbytes() > point.itemsize:
            raise overlaps.overlap_error()
        numbers.append(is_stretched(point._array) or (point._array.size == 1 and point._array.base is None))
    # What is pushed says that it depends on primals that need a gradient, but reaches the tangents alone: the primals as they are now.
    inside = bool(modes.state.transforms)
    fixed = tree_map_only(Tensor, lambda one: _copied(one).requires_grad_(one.requires_grad and not inside), primals)

    def push(*tangents: Any) -> Any:
        directions, form = tree_flatten(tangents)
        if form != spec:
            raise RuntimeError(f"Expected the tangents {form!r} to have the same argspec as the primals {spec!r}")
        for index, (point, direction) in enumerate(zip(points, directions, strict=True)):
            for what in ("shape", "device", "dtype"):
                have, wanted = getattr(direction, what), getattr(point, what)
                if have != wanted:
                    raise RuntimeError(
                        f"tangent:{index} with {what} {have} in flattened pytree doesn't match the {what} {wanted} of the "
                        "corresponding primal."
                    )
        counted, tangent_state.absent_count = tangent_state.absent_count, False
        try:
            laid = [one if alone else one.clone() for one, alone in zip(directions, numbers, strict=True)]
            return jvp_beside(None, func, fixed, tree_unflatten(laid, spec), replays=True)[1]
        finally:
            tangent_state.absent_count = counted

    return func(*primals), push


def _copied(primal: Tensor) -> Tensor:
    """A copy that lies as one number does, where the primal does."""
    if not is_stretched(primal._array):
        return primal.detach().clone()
    return primal.detach().as_strided((), ()).clone().expand(primal.shape)


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """``func`` itself, as far as anybody sees: PyTorch's takes in-place ops out of the program, for compilers, and writes what
    they did to the arguments at the end.

    ``remove``  'mutations' or 'mutations_and_views'; RuntimeError for anything else

    >>> import rushlight as torch
    >>> x = torch.zeros(2)
    >>> torch.func.functionalize(lambda x: x.add_(1) * 2)(x), x
    (tensor([2., 2.]), tensor([1., 1.]))
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
            "out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be replaced with "
            "their non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        layer = dynamic_layers.Layer(func)
        layer.kind = "Functionalize"
        with dynamic_layers.entered(layer):
            return func(*args, **kwargs)

    return wrapper
