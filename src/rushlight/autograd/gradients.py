"""``backward`` and ``grad``: what users call to start the backward pass."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..backend.creation import empty_like
from ..backend.notes import not_a_tensor
from ..base.arguments import warn
from ..base.size import Size
from ..tensor import Tensor, wrap
from . import engine, modes, topological_order
from .engine import BackwardPass
from .expanded_gradients import laid_by
from .gradient_edges import GradientEdge
from .handles import observers
from .interpreters import stack as interpreters
from .nodes import Edge
from .observed_pass import ObservedPass, new_pass
from .seeds import meta_of, roots_and_seeds, seed_of_number


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Adds the gradients of ``tensors`` to the ``.grad`` of the leaves they were computed from.

    ``grad_tensors``  for each tensor a cotangent of its shape, or None for one-element tensors
    ``retain_graph``  keeps what the graph saved, for another pass; as ``create_graph`` unless given
    ``create_graph``  records the pass itself
    ``inputs``        only these leaves (or retained non-leaves) get a gradient
    ``grad_variables``  an old name of ``grad_tensors``

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward([x * x, x], [torch.ones(2), torch.ones(2)])
    >>> x.grad
    tensor([3., 5.])
    """
    if modes.state.transforms:
        interpreters.refuse("backward")
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", category=FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
                "`grad_tensors`."
            )
        grad_tensors = grad_variables
    outputs = _sequence(tensors)
    _check_kinds(outputs, ())
    if modes.special.active:
        options = {"grad_tensors": grad_tensors, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
        if interpreters.ask("overriding", backward, outputs, (outputs,), options) is not NotImplemented:
            return
    if inputs is not None:
        inputs = _sequence(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        _check_kinds((), inputs)
    cotangents = _sequence(grad_tensors) if grad_tensors is not None else (None,) * len(outputs)
    _check_count(outputs, cotangents)
    retain_graph = create_graph if retain_graph is None else retain_graph
    over_tensors = create_graph or (bool(modes.special.active) and _dispatched(outputs, cotangents))
    roots, seeds = roots_and_seeds(outputs, cotangents, over_tensors)
    for flag in (retain_graph, create_graph):
        if flag.__class__ is not bool:
            operator.index(flag)
    if inputs is None and not (over_tensors or modes.special.active or observers.present):
        task: BackwardPass = BackwardPass(retain_graph)
    else:
        task = new_pass(retain_graph, over_tensors)
        task.record = task.creates = create_graph
    if inputs is not None:
        assert isinstance(task, ObservedPass)
        task.accumulate_only(_places_of(inputs), roots)
    if grad_tensors is not None:
        task.note_given(cotangents)
    try:
        _run(task, roots, seeds)
    finally:  # what hooks warn of comes before
        if create_graph and not modes.state.inference:
            warn(
                "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
                "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
                "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
                "after use to break the cycle and avoid the leak."
            )


def _places_of(inputs: Sequence[Tensor | GradientEdge]) -> list[Edge]:
    """Where the gradients of these arrive; those that are no leaves will keep them."""
    edges = []
    for tensor in inputs:
        if isinstance(tensor, GradientEdge):
            edges.append((tensor[0], tensor[1]))
            continue
        if tensor._edge is not None or not tensor.requires_grad:  # of which the latter is refused
            tensor.retain_grad()
        edge = engine.input_edge(tensor)
        if edge is not None:
            edges.append(edge)
    return edges


_log: Any = None  # the room pass_log, once anybody has imported Python's logging


def _run(task: BackwardPass, roots: list[Edge], seeds: list[Any]) -> None:
    global _log
    if _log is None and "logging" in sys.modules:
        from . import pass_log

        _log = pass_log
    if _log is not None and _log.is_asked_for():
        with _log.logged(roots, task.needed):  # by hooks, which see leaves as soon as these are complete
            (task if task.observed else new_pass(task.keep_graph, False)).run(roots, seeds)
    else:
        task.run(roots, seeds)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, a tuple; nothing is added to any ``.grad``.

    ``grad_outputs``       for each output a cotangent of its shape (with a leading batch dimension if ``is_grads_batched``)
    ``allow_unused``       None for an input that the outputs do not depend on, instead of an error
    ``materialize_grads``  zeros instead of that None

    >>> import rushlight as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (dx,) = torch.autograd.grad(x**3, x, create_graph=True)
    >>> torch.autograd.grad(dx, x)
    (tensor(18.),)
    """
    if modes.special.active:
        given = _sequence(outputs), _sequence(inputs)
        named = {
            "grad_outputs": grad_outputs,
            "retain_graph": retain_graph,
            "create_graph": create_graph,
            "only_inputs": only_inputs,
            "allow_unused": allow_unused,
            "is_grads_batched": is_grads_batched,
            "materialize_grads": materialize_grads,
        }
        taken = interpreters.ask("overriding", grad, (*given[0], *given[1]), given, named)
        if taken is not NotImplemented:
            return taken
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if isinstance(inputs, Mapping):
        found = grad(outputs, tuple(inputs.values()), grad_outputs, retain_graph, create_graph, only_inputs, allow_unused,
                     is_grads_batched, materialize_grads)  # fmt: skip
        return dict(zip(inputs, found, strict=True))  # type: ignore[return-value]  # by the same names
    outs, ins = _sequence(outputs), _sequence(inputs)
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
            "of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    if not ins:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    cotangents = _sequence(grad_outputs) if grad_outputs is not None else (None,) * len(outs)
    _check_kinds(outs, ins)
    _check_count(outs, cotangents)
    retain_graph = create_graph if retain_graph is None else retain_graph
    for flag in (retain_graph, create_graph, allow_unused):
        if flag.__class__ is not bool:
            operator.index(flag)
    if is_grads_batched:
        return _batched(outs, ins, cotangents, retain_graph, create_graph, allow_unused, materialize_grads)
    options = {
        "retain_graph": retain_graph,
        "create_graph": create_graph,
        "allow_unused": allow_unused,
        "materialize_grads": materialize_grads,
    }
    found = interpreters.ask("gradients", outs, ins, cotangents, **options) if modes.state.transforms else NotImplemented
    return tuple(_grad(outs, ins, cotangents, **options) if found is NotImplemented else found)


def _grad(
    outs: Sequence[Any],
    ins: Sequence[Any],
    cotangents: Sequence[Any],
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    materialize_grads: bool = False,
    record: bool = True,
) -> tuple[Any, ...]:
    # In forward mode the pass is read over Tensors, whose tangents the gradients then carry on.
    dispatched = not create_graph and bool(modes.special.active) and _dispatched(outs, cotangents)
    over_tensors = create_graph or modes.state.forward_levels > 0 or dispatched or _any_batch(cotangents)
    roots, seeds = roots_and_seeds(outs, cotangents, over_tensors)
    edges: list[Edge | None] = []
    for value in ins:
        if isinstance(value, GradientEdge):
            edges.append((value[0], value[1]))
        elif not value.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        else:
            edges.append(engine.input_edge(value))
    task = new_pass(retain_graph, over_tensors)
    task.record, task.creates = record and over_tensors and not dispatched, record and create_graph
    task.capture(edges, roots)
    if not over_tensors:
        task.note_given(cotangents)
    _run(task, roots, seeds)
    results = []
    laid = laid_by(roots, task, create_graph)
    made: dict[int, Any] = {}  # one Tensor for one array, however many inputs ask for it
    for index, (value, g) in enumerate(zip(ins, task.captured, strict=True)):
        if g is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if g is None:
            results.append(_zeros(value, create_graph) if materialize_grads else None)
        else:
            if id(g) not in made:
                made[id(g)] = g if create_graph else _without_graph(g) if over_tensors else task.shown(g)
                laid(made[id(g)], edges[index])
            results.append(made[id(g)] if getattr(value, "_strided", True) else value.in_own_layout(made[id(g)]))
    return tuple(results)


def _any_batch(cotangents: Sequence[Any]) -> bool:
    """Whether a cotangent is an example of a running ``vmap``, although the graph is the same for all."""
    return modes.state.transforms > 0 and any(g is not None and g._of_batch for g in cotangents)


def _zeros(value: Any, create_graph: bool) -> Any:
    """The gradient of what the outputs do not depend on, which can be differentiated on if the others can."""
    if isinstance(value, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = wrap(empty_like(value._array, value._array.dtype))
    zeros._array[...], zeros._needs_grad = 0, create_graph
    return zeros


def _dispatched(outputs: Sequence[Any], cotangents: Sequence[Any]) -> bool:
    """Whether classes or modes with ``__torch_dispatch__`` take part: the pass is read over Tensors, for them to see it."""
    return interpreters.ask("wants_tensors", [*outputs, *cotangents]) is True


def _without_graph(g: Any) -> Any:
    """A recorded gradient without its history, but with its tangents."""
    if g._of_batch:
        return g._rewrapped(_without_graph(g.whole))
    result = wrap(g._array)
    result._tangents = g._tangents and {level: _without_graph(tangent) for level, tangent in g._tangents.items()}
    return result


def _batched(
    outs: tuple[Any, ...],
    ins: tuple[Any, ...],
    cotangents: tuple[Any, ...],
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    materialize_grads: bool,
) -> tuple[Any, ...]:
    """One pass for each entry of the cotangents' leading dimension, stacked."""
    if all(g is None for g in cotangents):
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    for index, (out, g) in enumerate(zip(outs, cotangents, strict=True)):
        shape = meta_of(out)[0]
        if g is not None and g._array.shape[1:] != shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
                "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
                f"detected: grad_output[{index}] has a shape of {Size(g._array.shape[2:])} and output[{index}] has a shape of "
                f"{Size(shape)}. If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
            )
    found: list[bool] = []

    def pull(*given: Any) -> tuple[Any, ...]:
        parts = iter(given)
        part = tuple(None if g is None else next(parts) for g in cotangents)
        gradients = grad(outs, ins, part, True, create_graph, True, allow_unused)
        found[:] = [g is not None for g in gradients]
        return tuple(g for g in gradients if g is not None)

    rows = iter(interpreters.ask("rows", pull, [g for g in cotangents if g is not None]))
    if not retain_graph:
        _release(outs, ins)
    return tuple(
        next(rows) if there else _zeros(value, create_graph) if materialize_grads else None
        for there, value in zip(found, ins, strict=True)
    )


def _release(outs: tuple[Any, ...], ins: tuple[Any, ...]) -> None:
    """Frees what a pass from ``outs`` to ``ins`` used."""

    def nodes(values: tuple[Any, ...]) -> list[Any]:
        edges = (value if isinstance(value, GradientEdge) else engine.input_edge(value) for value in values)
        return [edge[0] for edge in edges if edge is not None]

    ends = set(nodes(ins))
    for node, is_needed in topological_order.leads_to(nodes(outs), ends).items():
        if is_needed and node not in ends and node.frees:
            node.saved = None


def forget(leaves: Iterable[Any], set_to_none: bool) -> None:
    """Takes the gradients of leaves away, or fills them with zeros."""
    for leaf in leaves:
        if leaf.grad is None:
            continue
        if set_to_none:
            leaf.grad = None
        else:
            if leaf.grad.grad_fn is not None:
                leaf.grad.detach_()
            else:
                leaf.grad.requires_grad_(False)
            leaf.grad.zero_()


def _sequence(value: Any) -> tuple[Any, ...]:
    if isinstance(value, (GradientEdge, Tensor)):
        return (value,)
    if value is None or isinstance(value, (int, float, complex)):
        raise not_a_tensor(f"'{type(value).__name__}' object is not iterable", value)
    return tuple(value)


def _check_kinds(outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
    for one in outputs:
        if not isinstance(one, (Tensor, GradientEdge)):
            raise AssertionError("Expected output to be a torch.Tensor")
    for one in inputs:
        if not isinstance(one, (Tensor, GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(one).__name__}")


def _check_count(outputs: Sequence[Any], cotangents: Sequence[Any]) -> None:
    for cotangent in cotangents:
        if cotangent is not None and not isinstance(cotangent, Tensor):
            raise not_a_tensor(f"gradients can be either Tensors or None, but got {type(cotangent).__name__}", cotangents)
    if len(cotangents) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(cotangents)} gradients")


def from_number(tensor: Any, retain_graph: bool) -> bool:
    """The backward pass as it is mostly asked for, from one number and with nothing else said; False where that is not all."""
    if modes.special.active or modes.state.transforms:
        return False
    found = seed_of_number(tensor)
    if found is None:
        return False
    _run(new_pass(retain_graph, False) if observers.present else BackwardPass(retain_graph), *found)
    return True


def _calculate_shape(output: Any, grad: Any, is_grads_batched: bool) -> tuple[Size, Size]:
    """The shapes that an output and its cotangent are compared by: a batched cotangent's without the batch."""
    return Size(meta_of(output)[0]), Size(grad.shape[1:] if is_grads_batched else grad.shape)
