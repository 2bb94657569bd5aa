"""torch.autograd.graph: the nodes of the graph, its edges, and hooks over several tensors and over what nodes save."""

from rushlight.autograd.gradient_edges import (
    GradientEdge,
    RemovableHandle,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
    set_warn_on_accumulate_grad_stream_mismatch,
)
from rushlight.autograd.nodes import Node
from rushlight.autograd.saved_hooks import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from rushlight.base.missing_names import lazy_names

__all__ = [
    "GradientEdge",
    "Node",
    "RemovableHandle",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]

__getattr__, __dir__ = lazy_names(__name__)
