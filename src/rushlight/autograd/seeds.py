"""Where a backward pass begins and with what: the outputs' places in the graph, and their cotangents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backend.notes import with_notes
from ..backend.unbroadcast import unbroadcast
from ..base import dtypes
from ..base.size import Size
from ..tensor import Tensor, wrap
from . import engine, modes
from .gradient_edges import GradientEdge
from .interpreters import stack as interpreters
from .nodes import Edge


def roots_and_seeds(outputs: Sequence[Any], cotangents: Sequence[Any], create_graph: bool) -> tuple[list[Edge], list[Any]]:
    """Where the pass starts and with what: ones for one-element outputs, checked cotangents for the others."""
    if len(outputs) == 1 and cotangents[0] is None and not create_graph and not modes.special.active:
        begun = seed_of_number(outputs[0])
        if begun is not None:
            return begun
    roots: list[Edge] = []
    seeds: list[Any] = []
    for index, (output, cotangent) in enumerate(zip(outputs, cotangents, strict=True)):
        shape, dtype = meta_of(output)
        if cotangent is not None:
            seed = _given_seed(index, output, cotangent, create_graph)
        else:
            seed = _implicit_seed(output) if isinstance(output, GradientEdge) or output.requires_grad else None
        edge = _root(index, output)
        node = edge[0]
        if (node.is_leaf_sink or node.always_runs) and not create_graph and not getattr(cotangent, "_strided", True):
            seed = cotangent.scattered()  # leaves and Functions take it as it is
        recorded = node.shape if node.metas is None else node.metas[edge[1]][0]
        if recorded != shape:  # an op that only changes the shape was done in place since, in no_grad
            seed = _refitted(index, seed, recorded, dtype, create_graph)
        roots.append(edge)
        seeds.append(wrap(seed) if create_graph and not isinstance(seed, Tensor) else seed)
    return roots, seeds


def _implicit_seed(output: Tensor | GradientEdge) -> Any:
    """The cotangent of an output for which none is given: 1, if it is one real number."""
    shape, dtype = meta_of(output)
    if math.prod(shape) != 1:
        raise with_notes(RuntimeError("grad can be implicitly created only for scalar outputs"), _advice(output, shape))
    if dtype.kind in "cWbui":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {_dtype_name(output)}")
    return _ones(output, shape, dtype) if modes.special.active else np.ones(shape, dtype)


def _given_seed(index: int, output: Tensor | GradientEdge, cotangent: Any, create_graph: bool) -> Any:
    """A cotangent in the shape and dtype of its output, checked: a Tensor if the pass is recorded, else an array."""
    shape, dtype = meta_of(output)
    _check_seed(index, output, shape, dtype, cotangent)
    if not cotangent._strided:
        cotangent = cotangent.to_dense()
    seed = cotangent if create_graph else cotangent._array
    if (cotangent._array.shape, cotangent._array.dtype) == (shape, dtype):
        return seed
    return cotangent._unbroadcast(shape, dtype) if create_graph else unbroadcast(seed, shape, dtype)


def _root(index: int, output: Tensor | GradientEdge) -> Edge:
    """The output's place in the graph; RuntimeError where it has none."""
    if isinstance(output, GradientEdge):
        return output[0], output[1]
    edge = engine.input_edge(output) if output.requires_grad else None
    if edge is None:
        raise with_notes(
            RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn"),
            "Nothing it was computed from has requires_grad=True, or it was computed under no_grad, or detached.",
        )
    return edge


def seed_of_number(output: Any) -> tuple[list[Edge], list[Any]] | None:
    """Where most passes start: at a real tensor of one element with a place of its own in the graph. None for others."""
    edge: Edge | None = getattr(output, "_edge", None)
    if edge is None or output._base is not None or output._needs_grad is not True:
        return None
    node, array = edge[0], output._array
    if array.size != 1 or array.dtype.kind != "f" or node.metas is not None:
        return None
    if node.shape != array.shape or node.dtype is not array.dtype:
        return None
    one = np.empty(array.shape, array.dtype)
    one.fill(1)
    return [edge], [one]


def _ones(output: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """The cotangent of one element, noted by a profiler, or asked of ``__torch_dispatch__``."""
    asked = interpreters.ask("ones", output) if isinstance(output, Tensor) else NotImplemented
    if asked is not NotImplemented:
        return asked
    ones = np.ones(shape, dtype)
    recorder = modes.state.recorder
    if recorder is not None:
        with recorder.span("aten::ones_like"):
            recorder.allocated(ones)
    return ones


def _refitted(index: int, seed: Any, shape: tuple[int, ...], dtype: np.dtype[Any], create_graph: bool) -> Any:
    """A cotangent of another shape than its output had when it was recorded."""
    tensor = seed if isinstance(seed, Tensor) else wrap(seed)
    try:
        return tensor._unbroadcast(shape, dtype) if create_graph else unbroadcast(tensor._array, shape, dtype)
    except ValueError:
        raise RuntimeError(
            f"invalid gradient at index {index} - got {list(tensor._array.shape)} but expected shape compatible with "
            f"{list(shape)}"
        ) from None


def meta_of(value: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and dtype of a tensor, or of the tensor that an edge leads to."""
    if not isinstance(value, GradientEdge):
        return value._array.shape, value._array.dtype
    node = value.node
    return (node.shape, node.dtype) if node.metas is None else node.metas[value.output_nr]


def _advice(output: Any, shape: tuple[int, ...]) -> str:
    made = f" (result of {place.name()})" if (place := getattr(output, "grad_fn", None)) is not None else ""
    return (
        f"This tensor{made} has shape {list(shape)}: reduce it to one element, say with .sum(), or give backward() a "
        "gradient of that shape, the weights of its elements."
    )


def _dtype_name(output: Any) -> str:
    return str(dtypes.of(meta_of(output)[1]))


def _check_seed(index: int, output: Any, shape: tuple[int, ...], dtype: np.dtype[Any], cotangent: Any) -> None:
    got = cotangent._array
    if got.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {Size(got.shape)} and output[{index}] has a shape of "
            f"{Size(shape)}."
        )
    if (got.dtype.kind in "cW") != (dtype.kind in "cW"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{index}] has a dtype of {cotangent.dtype} and output[{index}] has a dtype of {_dtype_name(output)}."
        )
