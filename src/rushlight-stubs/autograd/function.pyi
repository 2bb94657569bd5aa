# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Container
from rushlight._inner import Context
from rushlight.autograd.graph import Node
from typing import Any
from typing import NoReturn

class BackwardCFunction(Node):
    """The node of a custom Function; each Function has a subclass of its own, NameBackward."""
    context: Context
    undifferentiable: Container[int]
    is_tensor_input: tuple[bool, ...]
    def __getattr__(self, name: str) -> Any: ...
    always_runs: bool
    kept_something: bool
    def name(self) -> str: ...
    def opened(self) -> tuple[Any, ...]:
        """What was given to save_for_backward."""
        ...
    output_count: int
    recorded: bool
    saved: Any
    taken: bool
    def vjp(self, g: Any, edges: tuple[tuple[Any, int] | None, ...]) -> tuple[Any, ...]: ...
    def vjp_tensors(self, g: Any, edges: tuple[tuple[Any, int] | None, ...]) -> tuple[Any, ...]: ...
class Function(FunctionCtx):
    """An operation with a derivative of one's own: subclass it, write static ``forward`` and ``backward``, call ``apply``."""
    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and records it."""
        ...
    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """The gradients of the arguments from those of the results."""
        ...
    clear_saved_tensors_on_access: bool
    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the result: ``forward(ctx, *args)``, or ``forward(*args)`` beside ``setup_context``."""
        ...
    generate_vmap_rule: bool
    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any, **kwargs: Any) -> Any:
        """The tangents of the results from those of the arguments."""
        ...
    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keeps what backward needs, where forward has no context."""
        ...
    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any, **kwargs: Any) -> Any:
        """The gradients of the arguments from those of the results."""
        ...
    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The operation over a batch."""
        ...
class FunctionCtx:
    """What ``forward`` and ``backward`` can ask of their context."""
    to_save: tuple[Any, ...] | None
    saved_for_forward: tuple[Any, ...] | None
    dirty_tensors: Any
    non_differentiable: Any
    materialize_grads: bool
    def mark_dirty(self, *args: Any) -> None:
        """Says which inputs forward changed in place; they must be returned."""
        ...
    def mark_non_differentiable(self, *args: Any) -> None:
        """Says which outputs have no derivative."""
        ...
    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors (inputs, outputs, or others) for backward, where ``saved_tensors`` gives them back, checked for in-place changes. Call it once, with tensors or None."""
        ...
    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors for ``jvp``. AssertionError for what is none."""
        ...
    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs that no gradient arrives at."""
        ...
InplaceFunction = Function
class NestedIOFunction(Function):
    """Kept for its name: PyTorch's Function for nested inputs and outputs."""
def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a backward that cannot be differentiated again: trying to is a RuntimeError."""
    ...
