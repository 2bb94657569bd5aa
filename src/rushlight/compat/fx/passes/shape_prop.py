"""Shape propagation: a graph is run on an example, and each node told what its result is like."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

import rushlight as torch
from rushlight.nn import Module
from rushlight.tensor import Tensor

from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What a tensor is like, without what is in it."""

    shape: torch.Size
    dtype: torch.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: torch.memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """What a tensor is like; its memory format is the first that it is contiguous in.

    >>> import rushlight as torch
    >>> from rushlight.fx.passes.shape_prop import _extract_tensor_metadata
    >>> _extract_tensor_metadata(torch.ones(2, 3)).stride
    (3, 1)
    """
    formats = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d) if include_contiguity else ()
    fits = {torch.contiguous_format: True, torch.channels_last: result.dim() == 4, torch.channels_last_3d: result.dim() == 5}
    found = next((one for one in formats if fits[one] and result.is_contiguous(memory_format=one)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), found, result.is_quantized, {})


class ShapeProp(Interpreter):
    """Notes in ``meta["tensor_meta"]`` of each node what its result on an example is like, in ``meta["type"]`` its class.

    >>> import rushlight as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: x.sum(0))
    >>> _ = torch.fx.passes.shape_prop.ShapeProp(traced).propagate(torch.ones(2, 3))
    >>> traced.graph.find_nodes(op="call_method")[0].meta["tensor_meta"].shape
    torch.Size([3])
    """

    def __init__(self, gm: Module, fake_mode: Any = None) -> None:
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """The result of a node, noted; RuntimeError where it cannot run."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        found = False

        def metadata(value: Any) -> Any:
            nonlocal found
            if not isinstance(value, Tensor):
                return value
            found = True
            return _extract_tensor_metadata(value)

        meta = map_aggregate(result, metadata)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Runs the graph on an example, and gives the result."""
        return super().run(*args)
