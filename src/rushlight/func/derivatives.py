"""Transforms that differentiate a function: ``grad``, ``vjp``, ``jvp`` and the matrices made of them.

Each call runs the function on tensors of its own, so that nothing that the caller holds gets a gradient, and transforms can
be nested. Arguments and results may be trees of tensors. What a result depends on outside of the function (a tensor that
needs a gradient, an outer transform) it can be differentiated by, as any other result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import batched
from ..autograd import forward_ad, modes
from ..autograd import gradients as reverse
from ..autograd.graph import AccumulateGrad
from ..tensor import Tensor, new_tensor, wrap
from ..utils._pytree import TreeSpec, tree_flatten, tree_map, tree_map_only, tree_unflatten

Function = Callable[..., Any]


# The reverse pass.


def _tracked(value: Any, outside: bool) -> Tensor:
    """A tensor to differentiate by: a view where the caller can differentiate further, else a leaf of its own."""
    if not isinstance(value, Tensor):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
    if batched.levels:
        value = batched.at_all_levels(value)
    if isinstance(value, batched.Batched):
        if value._array.dtype.kind not in "fcV":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        return batched.batched(_tracked_whole(value.whole, outside), value.level)
    return _tracked_whole(value, outside)


def _tracked_whole(value: Tensor, outside: bool) -> Tensor:
    if isinstance(value, batched.Batched):
        return batched.batched(_tracked_whole(value.whole, outside), value.level)
    if outside and value.requires_grad:
        return value.view_as(value)  # type: ignore[attr-defined,no-any-return]
    if value._array.dtype.kind not in "fcV":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    leaf = new_tensor(value._array)
    leaf._counter, leaf._tangents, leaf._needs_grad = value._counter, value._tangents, True
    return leaf


def _zeros_like(value: Tensor) -> Tensor:
    return wrap(np.zeros(value._array.shape, value._array.dtype))


def _depends_on_others(outputs: Sequence[Tensor], own: Sequence[Tensor]) -> bool:
    """Whether the graph of the outputs leads to leaves that are not ``own``."""
    outputs, own = [batched.behind(one) for one in outputs], [batched.behind(one) for one in own]
    stack = [one._edge[0] for one in outputs if one._edge is not None]
    if any(one._edge is None and one.requires_grad and not any(one is leaf for leaf in own) for one in outputs):
        return True
    seen = set(stack)
    while stack:
        node = stack.pop()
        if isinstance(node, AccumulateGrad):
            if not any(node.variable is leaf for leaf in own):
                return True
            continue
        for edge in node.next:
            if edge is not None and edge[0] not in seen:
                seen.add(edge[0])
                stack.append(edge[0])
    return False


def _released(tree: Any) -> Any:
    """Results without a history that leads to tensors of the transform only."""
    return tree_map_only(Tensor, lambda one: batched.without_graph(one) if one.requires_grad else one, tree)


def _selected(args: tuple[Any, ...], argnums: int | tuple[int, ...]) -> Any:
    """The arguments to differentiate by."""
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    for number in numbers:
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got {type(number)}")
        if not -len(args) <= number < len(args):
            raise RuntimeError(f"Got argnum={number}, but only {len(args)} positional inputs")
    if len({number % len(args) for number in numbers}) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return tuple(args[number] for number in numbers) if isinstance(argnums, tuple) else args[argnums]


def _replaced(args: tuple[Any, ...], argnums: int | tuple[int, ...], chosen: Any) -> tuple[Any, ...]:
    values = list(args)
    for number, value in zip(*((argnums, chosen) if isinstance(argnums, tuple) else ((argnums,), (chosen,))), strict=True):
        values[number] = value
    return tuple(values)


class _Vjp:
    """A function that has run on tensors of its own, ready for backward passes."""

    def __init__(self, run: Function, primals: Any) -> None:
        leaves, self.spec = tree_flatten(primals)
        self.outside = modes.state.grad_enabled
        self.inputs = [_tracked(leaf, self.outside) for leaf in leaves]
        with modes.enable_grad():
            self.result = run(tree_unflatten(self.inputs, self.spec))
        self.was_differentiable = self.outside and any(leaf.requires_grad for leaf in leaves)

    def depends_outside(self, outputs: Sequence[Tensor]) -> bool:
        return self.outside and (self.was_differentiable or _depends_on_others(outputs, self.inputs))

    def pull(self, outputs: Sequence[Tensor], cotangents: Sequence[Any], record: bool, keep: bool = True) -> Any:
        """The gradients of the inputs, as a tree; zeros where there is none."""
        pairs = [(out, g) for out, g in zip(outputs, cotangents, strict=True) if out.requires_grad]
        found: Sequence[Any] = [None] * len(self.inputs)
        if pairs and self.inputs:
            found = batched.gradients_of(
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
        state = _Vjp(lambda chosen: func(*_replaced(args, argnums, chosen), **kwargs), _selected(args, argnums))
        output, aux = state.result, None
        if has_aux:
            if not (isinstance(output, tuple) and len(output) == 2):
                raise RuntimeError(
                    "grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True"
                )
            output, aux = output
        if not isinstance(output, Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
        if output._array.ndim:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        record = state.depends_outside([output])
        gradient = state.pull([output], [None], record, keep=False)
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
    state = _Vjp(lambda chosen: func(*chosen), primals)
    output, aux = _with_aux("vjp(f, *primals)", state.result, has_aux)
    outputs, spec = _tensors("vjp(f, *primals): expected f(*primals) to return only tensors", output)
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
        return state.pull(outputs, given, record)

    value = output if differentiable else _released(output)
    return (value, pull, aux if differentiable else _released(aux)) if has_aux else (value, pull)


def _with_aux(caller: str, result: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{caller}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result[0], result[1]


def _tensors(message: str, tree: Any) -> tuple[list[Tensor], TreeSpec]:
    leaves, spec = tree_flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{message}, got unsupported type {type(leaf)}")
    return leaves, spec


# Forward mode.


def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of ``func`` at a tuple of arguments, and the product of its Jacobian with a tuple of tangents.

    >>> import rushlight as torch
    >>> torch.func.jvp(torch.sin, (torch.tensor(0.0),), (torch.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    for label, one in (("primals", primals), ("tangents", tangents)):
        if not isinstance(one, tuple):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected {label} to be a tuple. E.g. it should be valid to call f(*primals)."
            )
    points, spec = tree_flatten(primals)
    directions, other = tree_flatten(tangents)
    if spec != other:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if "
            "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{spec} and tangents with structure {other}"
        )
    for label, values in (("primals", points), ("tangents", directions)):
        for value in values:
            if not isinstance(value, Tensor):
                raise RuntimeError(f"jvp(f, primals, tangents): Expected {label} to contain only tensors, got {type(value)}")
    level = forward_ad.open_level()
    try:
        duals = [forward_ad.dual(point, direction, level) for point, direction in zip(points, directions, strict=True)]
        result = func(*tree_unflatten(duals, spec))
        output, aux = _with_aux("jvp(f, primals, tangents)", result, has_aux)
        outputs, out_spec = _tensors("jvp(f, primals, tangents): expected f(*primals) to return only tensors", output)
        values, slopes = [], []
        for one in outputs:
            slope = forward_ad.tangent_at(one, level)
            if slope is None and strict:
                raise RuntimeError("jvp(f, primals, tangents): in strict mode, every output must depend on the primals")
            values.append(forward_ad.without_tangent(one, level))
            slopes.append(wrap(np.zeros_like(one._array)) if slope is None else slope)
        aux = tree_map_only(Tensor, lambda one: forward_ad.without_tangent(one, level), aux)
    finally:
        forward_ad.close_level(level)
    answer = tree_unflatten(values, out_spec), tree_unflatten(slopes, out_spec)
    return (*answer, aux) if has_aux else answer


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of ``func``, and its :func:`jvp` at these arguments as a function of the tangents.

    >>> import rushlight as torch
    >>> value, push = torch.func.linearize(torch.sin, torch.tensor(0.0))
    >>> push(torch.tensor(3.0))
    tensor(3.)
    """

    def push(*tangents: Any) -> Any:
        return jvp(func, primals, tangents)[1]

    return func(*primals), push


# Matrices.


def _unit(shape: tuple[int, ...], dtype: Any, element: int) -> Tensor:
    array = np.zeros(shape, dtype)
    array.reshape(-1)[element] = 1
    return wrap(array)


def _stacked(rows: list[Tensor], lead: tuple[int, ...], tail: tuple[int, ...], dtype: Any, dim: int) -> Tensor:
    if not rows:
        return wrap(np.zeros(lead + tail, dtype))
    return reverse.stack(rows, dim).reshape(lead + tail)


def jacrev(
    func: Function,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:
    """A function that returns the Jacobian of ``func``, one backward pass for each element of its value.

    The Jacobian of a value of shape A by an argument of shape B has shape A + B.

    >>> import rushlight as torch
    >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = _selected(args, argnums)
        found = vjp(lambda tree: func(*_replaced(args, argnums, tree), **kwargs), chosen, has_aux=has_aux)
        outputs, out_spec = tree_flatten(found[0])
        inputs, in_spec = tree_flatten(chosen)
        blocks = []
        for place, output in enumerate(outputs):
            rows: list[list[Tensor]] = [[] for _ in inputs]
            for element in range(output._array.size):
                seeds = [
                    _unit(one._array.shape, one._array.dtype, element) if position == place else wrap(np.zeros_like(one._array))
                    for position, one in enumerate(outputs)
                ]
                for row, g in zip(rows, tree_flatten(found[1](tree_unflatten(seeds, out_spec))[0])[0], strict=True):
                    row.append(g)
            parts = [
                _stacked(row, output._array.shape, one._array.shape, one._array.dtype, 0)
                for row, one in zip(rows, inputs, strict=True)
            ]
            blocks.append(tree_unflatten(parts, in_spec))
        answer = tree_unflatten(blocks, out_spec)
        return (answer, found[2]) if has_aux else answer

    return wrapper


def jacfwd(func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """A function that returns the Jacobian of ``func``, one forward pass for each element of its argument.

    >>> import rushlight as torch
    >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        chosen = _selected(args, argnums)
        inputs, in_spec = tree_flatten(chosen)
        value: Any = None
        aux: Any = None
        columns: list[list[list[Tensor]]] = []  # by input, by element, by output

        def run(tree: Any) -> Any:
            return func(*_replaced(args, argnums, tree), **kwargs)

        for place, one in enumerate(inputs):
            columns.append([])
            for element in range(one._array.size):
                seeds = [
                    _unit(other._array.shape, other._array.dtype, element)
                    if position == place
                    else wrap(np.zeros_like(other._array))
                    for position, other in enumerate(inputs)
                ]
                value, slope, *rest = jvp(run, (chosen,), (tree_unflatten(seeds, in_spec),), has_aux=has_aux)
                aux = rest[0] if rest else None
                columns[-1].append(tree_flatten(slope)[0])
        if value is None:
            value = run(chosen)
            value, aux = value if has_aux else (value, None)
        outputs, out_spec = tree_flatten(value)
        blocks = []
        for number, output in enumerate(outputs):
            parts = [
                _stacked(
                    [column[number] for column in column_list], output._array.shape, one._array.shape, output._array.dtype, -1
                )
                for column_list, one in zip(columns, inputs, strict=True)
            ]
            blocks.append(tree_unflatten(parts, in_spec))
        answer = tree_unflatten(blocks, out_spec)
        return (answer, aux) if has_aux else answer

    return wrapper


def hessian(func: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that returns the second derivatives of ``func``: ``jacfwd(jacrev(func))``.

    >>> import rushlight as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """A function of the same values as ``func`` that leaves its arguments alone, whatever ``func`` writes into them.

    >>> import rushlight as torch
    >>> x = torch.zeros(2)
    >>> torch.func.functionalize(lambda x: x.add_(1))(x), x
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f)(*args): Expected argument 'remove' to be either 'mutations' or 'mutations_and_views', but got "
            f"{remove!r}"
        )

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        copied = tree_map(lambda one: one.clone() if isinstance(one, Tensor) else one, args)
        return func(*copied, **kwargs)

    return wrapper
