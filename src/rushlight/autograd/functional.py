"""Jacobians, Hessians, and their products with vectors, of functions of Tensors.

Each function takes ``func`` and ``inputs`` (a Tensor or a tuple of them) and answers in the same form: a Tensor for a Tensor, a
tuple for a tuple. With ``create_graph`` the results can be differentiated again; with ``strict`` an output that does not depend
on an input is an error instead of zeros.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backend.creation import empty_like
from ..tensor import Tensor, wrap
from . import forward_ad, grad_mode, modes
from .gradients import grad
from .interpreters import stack as interpreters

Tensors = tuple[Any, ...]


def is_tensor(value: Any) -> bool:
    return bool(isinstance(value, Tensor))


def stack(values: list[Any], dim: int = 0) -> Any:
    return Tensor._stack(values, dim)


def _tuple(value: Any, label: str, caller: str) -> tuple[Tensors, bool]:
    """A Tensor or a tuple of Tensors as a tuple, and whether it was one."""
    several = isinstance(value, tuple)
    values = value if several else (value,)
    for position, one in enumerate(values):
        if not is_tensor(one):
            if several:
                raise TypeError(
                    f"The {label} given to {caller} must be either a Tensor or a tuple of Tensors but the value at index "
                    f"{position} has type {type(one)}."
                )
            raise TypeError(
                f"The {label} given to {caller} must be either a Tensor or a tuple of Tensors but the given {label} has type "
                f"{type(one)}."
            )
    return tuple(values), several


def _prepared(inputs: Tensors, create_graph: bool) -> Tensors:
    """Inputs that need a gradient: views of the given ones with ``create_graph``, else leaves of their own."""
    if create_graph:
        return tuple(one.view_as(one) if one.requires_grad else one.detach().requires_grad_() for one in inputs)
    return tuple(one.detach().requires_grad_() for one in inputs)


def _called(func: Callable[..., Any], inputs: Tensors, caller: str) -> tuple[Tensors, bool]:
    with grad_mode.enable_grad():
        outputs = func(*inputs)
    return _tuple(outputs, "outputs of the user-provided function", caller)


def _check_strict(outputs: Tensors, strict: bool) -> None:
    if strict:
        for position, output in enumerate(outputs):
            if not output.requires_grad:
                raise RuntimeError(
                    f"Output {position} of the user-provided function does not require gradients. The outputs must be computed "
                    "in a differentiable manner from the input when running in strict mode."
                )


def _gradients(outputs: Sequence[Any], inputs: Tensors, cotangents: Sequence[Any], create_graph: bool) -> Tensors:
    """The gradients, None where there is none; outputs that need no gradient are left out."""
    pairs = [(out, v) for out, v in zip(outputs, cotangents, strict=True) if out.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [out for out, _ in pairs],
        inputs,
        [v for _, v in pairs],
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
    )


_INDEPENDENT = {
    "back": "The output of the user-provided function is independent of input {0}. This is not allowed in strict mode.",
    "row": "Output {0} of the user-provided function is independent of input {1}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {0} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "derivative": "The {0} of the user-provided function is independent of input {1}. This is not allowed in strict mode when "
    "create_graph=True.",
    "double_back": "The hessian of the user-provided function is independent of entry {0} in the grad_jacobian. This is not "
    "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
    "hessian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input {0} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for example).",
}


def _filled(gradients: Sequence[Any], like: Tensors, strict: bool, stage: str, create_graph: bool = False) -> Tensors:
    """Zeros for None; in strict mode an error in the words of ``stage``, as is what has no derivative where one is wanted."""
    results = []
    for position, (g, one) in enumerate(zip(gradients, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(_INDEPENDENT[stage].format(position))
            g = _zeros_like(one)
        elif strict and create_graph and not g.requires_grad:
            which = "hessian" if stage == "double_back" else "jacobian"
            raise RuntimeError(_INDEPENDENT["derivative"].format(which, position))
        results.append(g)
    return tuple(results)


def _zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
    return wrap(np.zeros(shape, dtype))


def _zeros_like(one: Any) -> Tensor:
    zeros = empty_like(one._array, one._array.dtype)
    zeros[...] = 0
    return wrap(zeros)


def _finished(values: Sequence[Any], several: bool, create_graph: bool) -> Any:
    kept = tuple(values) if create_graph else tuple([one.detach() for one in values])
    return kept if several else kept[0]


def _vector(v: Any, like: Tensors, several: bool, what: str, caller: str) -> Tensors:
    """The vector of a product, checked against what it multiplies; ones for a single number."""
    if v is None:
        if len(like) != 1 or like[0]._array.size != 1:
            raise RuntimeError(f"The vector v can only be None if {what} a single Tensor with a single element.")
        return (wrap(np.ones(like[0]._array.shape, like[0]._array.dtype)),)
    vectors, _ = _tuple(v, "v", caller)
    if len(vectors) != len(like):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for position, (one, other) in enumerate(zip(vectors, like, strict=True)):
        if one._array.shape != other._array.shape:
            prefix = f"Entry {position} in " if several else ""
            raise RuntimeError(f"{prefix}v has invalid size: should be {other.size()} but got {one.size()}.")
    return vectors


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` and the product of ``v`` (of the outputs' shape) with its Jacobian.

    >>> import rushlight as torch
    >>> torch.autograd.functional.vjp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with grad_mode.enable_grad():
        ins, several_in = _tuple(inputs, "inputs", "vjp")
        ins = _prepared(ins, create_graph)
        outputs, several_out = _called(func, ins, "vjp")
        _check_strict(outputs, strict)
        vectors = _vector(v, outputs, several_out, "the user-provided function returns", "vjp")
    with grad_mode.set_grad_enabled(bool(create_graph or modes.state.grad_enabled)):
        gradients = _gradients(outputs, ins, vectors, create_graph)
        product = _filled(gradients, ins, strict, "back", create_graph)
    return _finished(outputs, several_out, create_graph), _finished(product, several_in, create_graph)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` and the product of its Jacobian with ``v`` (of the inputs' shape).

    The vector-Jacobian product is linear in its vector; differentiating it by that vector gives this product.

    >>> import rushlight as torch
    >>> torch.autograd.functional.jvp(lambda x: x**2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with grad_mode.enable_grad():
        ins, several_in = _tuple(inputs, "inputs", "jvp")
        ins = _prepared(ins, create_graph)
        vectors = _vector(v, ins, several_in, "the input to the user-provided function is", "jvp")
        outputs, several_out = _called(func, ins, "jvp")
        _check_strict(outputs, strict)
        cotangents = tuple(_zeros_like(o) for o in outputs)
        for one in cotangents:
            if one._array.dtype.kind not in "fcVW":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            one.requires_grad_()
        backward = _filled(_gradients(outputs, ins, cotangents, True), ins, strict, "back")
    with grad_mode.set_grad_enabled(bool(create_graph or modes.state.grad_enabled)):
        product = _filled(_gradients(backward, cotangents, vectors, create_graph), outputs, strict, "back_trick", create_graph)
    return _finished(outputs, several_out, create_graph), _finished(product, several_out, create_graph)


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All derivatives of the outputs by the inputs: of shape (output shape..., input shape...).

    ``strategy``   'reverse-mode', a pass for each element of the outputs, or (with ``vectorize``) 'forward-mode', one for each
    element of the inputs

    >>> import rushlight as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
            'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
                'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
            )
        if strict:
            raise RuntimeError(
                'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together '
                '(yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
            )
        _tuple(inputs, "inputs", "jacobian")
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
            )
        return _forward_jacobian(func, inputs)
    with grad_mode.enable_grad():
        ins, several_in = _tuple(inputs, "inputs", "jacobian")
        ins = _prepared(ins, create_graph)
        outputs, several_out = _called(func, ins, "jacobian")
        _check_strict(outputs, strict)
        if strict and vectorize:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either "
                "set `strict=False` or `vectorize=False`."
            )
        if vectorize:
            if any(output.requires_grad for output in outputs) and not any(output._array.size for output in outputs):
                raise IndexError(
                    "index 0 is out of bounds for dimension 0 with size 0"
                )  # as PyTorch, which looks at the first row
            blocks = tuple(_rows_at_once(output, ins, create_graph) for output in outputs)
        else:
            blocks = tuple(_rows(output, number, ins, create_graph, strict) for number, output in enumerate(outputs))
    return _nested(blocks, several_out, several_in, create_graph)


def _rows(output: Any, number: int, ins: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobian of one output by each input, a row of it for each element of the output."""
    rows: list[list[Any]] = [[] for _ in ins]
    shape, size = output._array.shape, output._array.size
    if not size:
        raise RuntimeError("stack expects a non-empty TensorList")  # as PyTorch, which lays rows on one another
    for element in range(size):
        gradients = _gradients((output.reshape(-1)[element],), ins, (None,), create_graph)
        for position, (g, one) in enumerate(zip(gradients, ins, strict=True)):
            if g is None:
                if strict:
                    raise RuntimeError(_INDEPENDENT["row"].format(number, position))
                g = _zeros(one._array.shape, one._array.dtype)
            elif strict and create_graph and not g.requires_grad:
                raise RuntimeError(_INDEPENDENT["derivative"].format("jacobian", position))
            rows[position].append(g)
    return tuple(stack(parts).view(shape + one._array.shape) for parts, one in zip(rows, ins, strict=True))


def _rows_at_once(output: Any, ins: Tensors, create_graph: bool) -> Tensors:
    """:func:`_rows` by one pass over a batch."""
    shape, size = output._array.shape, int(output._array.size)
    found: Sequence[Any] = (None,) * len(ins)
    if output.requires_grad and size:
        flat, seeds = output.reshape(-1), wrap(np.eye(size, dtype=output._array.dtype))
        found = grad(
            (flat,), ins, (seeds,), retain_graph=True, create_graph=create_graph, allow_unused=True, is_grads_batched=True
        )
    return tuple(
        _zeros(shape + one._array.shape, one._array.dtype) if g is None else g.reshape(shape + one._array.shape)
        for g, one in zip(found, ins, strict=True)
    )


def _forward_jacobian(func: Callable[..., Any], inputs: Any) -> Any:
    """The Jacobian by columns, each a product with a unit vector: one forward pass over a batch of them."""
    ins, several_in = _tuple(inputs, "inputs", "jacobian")
    if any(one._of_batch for one in ins):
        raise RuntimeError(
            "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or view ops."
        )
    several_out = False

    def push(*directions: Any) -> Any:
        nonlocal several_out
        with forward_ad.opened() as level:
            pairs = zip(ins, directions, strict=True)
            outputs, several_out = _called(func, tuple(forward_ad.dual(one, way, level) for one, way in pairs), "jacobian")
            found = [forward_ad.tangent_at(one, level) for one in outputs]
        zeros = (_zeros(one._array.shape, one._array.dtype) for one in outputs)
        return tuple(zero if one is None else one for one, zero in zip(found, zeros, strict=True))

    sizes = [int(one._array.size) for one in ins]
    ends = list(itertools.accumulate(sizes))
    units = [np.zeros((sum(sizes), *one._array.shape), one._array.dtype) for one in ins]
    for unit, size, end in zip(units, sizes, ends, strict=True):
        unit.reshape(len(unit), size)[end - size : end] = np.eye(size)
    columns = interpreters.ask("rows", push, [wrap(unit) for unit in units])  # of all inputs at once: func is called once
    blocks = [
        [
            column[end - size : end].movedim(0, -1).reshape(column._array.shape[1:] + one._array.shape)
            for one, size, end in zip(ins, sizes, ends, strict=True)
        ]
        for column in columns
    ]
    found = _nested(tuple(map(tuple, blocks)), several_out, several_in, False)
    if not several_in:
        return found
    return [list(block) for block in found] if several_out else list(found)  # lists, as PyTorch has it in this mode alone


def _nested(blocks: Sequence[Tensors], several_out: bool, several_in: bool, create_graph: bool) -> Any:
    done = tuple(_finished(block, several_in, create_graph) for block in blocks)
    return done if several_out else done[0]


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """All second derivatives of a function with one number as its value.

    >>> import rushlight as torch
    >>> torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    _, several = _tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def single(*args: Any) -> Any:
        value = func(*args)
        _check_strict(_tuple(value, "outputs of the user-provided function", "hessian")[0], strict)
        if isinstance(value, tuple):
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if value._array.size != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return value.squeeze()

    def slope(*args: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(one.requires_grad_() if not one.requires_grad else one for one in args)
        result = jacobian(single, args if several else args[0], create_graph=True)
        if strict:
            for position, one in enumerate(result if several else (result,)):
                if not one.requires_grad:
                    raise RuntimeError(_INDEPENDENT["hessian"].format(position))
        return result

    return jacobian(
        slope, inputs, create_graph=create_graph, strict=strict, vectorize=vectorize, strategy=outer_jacobian_strategy
    )


def _recorded_gradient(func: Callable[..., Any], ins: Tensors, caller: str, strict: bool) -> tuple[Any, Tensors]:
    """The value of a function with one number as its value, and its recorded gradient."""
    outputs, several = _called(func, ins, caller)
    _check_strict(outputs, strict)
    if several:
        raise RuntimeError(f"The function given to {caller} should return a single Tensor")
    if outputs[0]._array.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {caller} should contain a single element")
    slope = _filled(_gradients(outputs, ins, (None,), True), ins, strict, "back")
    for position, one in enumerate(slope):
        if strict and not one.requires_grad:
            raise RuntimeError(_INDEPENDENT["hessian"].format(position))
    return outputs[0], slope


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` (one number) and the product of ``v`` with its Hessian.

    >>> import rushlight as torch
    >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with grad_mode.enable_grad():
        ins, several = _tuple(inputs, "inputs", "vhp")
        ins = _prepared(ins, create_graph)
        vectors = _vector(v, ins, several, "the input to the user-provided function is", "vhp")
        value, slope = _recorded_gradient(func, ins, "vhp", strict)
    with grad_mode.set_grad_enabled(bool(create_graph or modes.state.grad_enabled)):
        product = _filled(_gradients(slope, ins, vectors, create_graph), ins, strict, "double_back", create_graph)
    return _finished((value,), False, create_graph), _finished(product, several, create_graph)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of ``func`` (one number) and the product of its Hessian with ``v``.

    :func:`vhp` gives the same numbers faster: the Hessian is symmetric.

    >>> import rushlight as torch
    >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with grad_mode.enable_grad():
        ins, several = _tuple(inputs, "inputs", "hvp")
        ins = _prepared(ins, create_graph)
        vectors = _vector(v, ins, several, "the input to the user-provided function is", "hvp")
        outputs, slope_ = _recorded_gradient(func, ins, "hvp", strict)
        seeds = tuple(_zeros_like(one).requires_grad_() for one in ins)
        twice = _filled(_gradients(slope_, ins, seeds, True), ins, strict, "hessian")
    with grad_mode.set_grad_enabled(bool(create_graph or modes.state.grad_enabled)):
        product = _filled(_gradients(twice, seeds, vectors, create_graph), ins, strict, "double_back", create_graph)
    return _finished((outputs,), False, create_graph), _finished(product, several, create_graph)


def _construct_standard_basis_for(tensors: Tensors, tensor_numels: tuple[int, ...]) -> Tensors:
    """The unit vectors of the space that several tensors span: for each tensor its part of all of them, a vector a row."""
    assert len(tensors) == len(tensor_numels) > 0
    total, start, parts = sum(tensor_numels), 0, []
    for one, size in zip(tensors, tensor_numels, strict=True):
        rows = np.zeros((total, size), one._array.dtype)
        rows[np.arange(start, start + size), np.arange(size)] = 1
        parts.append(wrap(rows))
        start += size
    return tuple(parts)
