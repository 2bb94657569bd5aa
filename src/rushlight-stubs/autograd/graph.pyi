# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from numpy import dtype as _dtype
from rushlight import Tensor
from rushlight._inner import NodeMethods
from rushlight._inner import _Block
from types import CodeType
from typing import Any
from typing import Literal
from typing import NamedTuple
from weakref import ReferenceType

class GradientEdge(NamedTuple):
    """Where the gradient of a tensor arrives in the graph; can stand for the tensor in ``grad`` and ``backward``."""
    node: Any
    output_nr: int
    ownership_token: Any
class Node(NodeMethods):
    """One recorded operation."""
    next: tuple[tuple[Any, int] | None, ...]
    saved: tuple[Any, ...] | None
    shape: tuple[int, ...]
    dtype: _dtype[Any]
    metas: list[tuple[tuple[int, ...], _dtype[Any]]] | None
    order: int
    where: tuple[CodeType, int] | None
    written_through: ReferenceType[Node] | None
    tangents: dict[int, Any] | None
    always_runs: bool
    at_once: bool
    def explain(self) -> str:
        """What a note of an error says: where in the user's program this node was made, as far as is known."""
        ...
    def freed(self) -> RuntimeError: ...
    frees: bool
    is_leaf_sink: bool
    def vjp(self, g: Any, edges: tuple[tuple[Any, int] | None, ...]) -> tuple[Any, ...]:
        """The cotangents of the inputs from the outputs' (arrays), for the inputs whose edge is not None."""
        ...
    def vjp_tensors(self, g: Any, edges: tuple[tuple[Any, int] | None, ...]) -> tuple[Any, ...]:
        """The same with Tensors, recorded as it goes."""
        ...
class RemovableHandle:
    """What registering a hook returns; ``remove()`` takes the hook out again, and so does leaving a ``with`` block."""
    def __enter__(self) -> RemovableHandle: ...
    def __exit__(self, kind: object, error: object, tb: object) -> None: ...
    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None: ...
    def remove(self) -> None: ...
def allow_mutation_on_saved_tensors() -> Iterator[_Block]:
    """Within it, a tensor that the graph saved may be changed in place; backward uses the values of before."""
    ...
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within it, :class:`saved_tensors_hooks` is a RuntimeError with this message; so is entering it under such hooks."""
    ...
def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place in the graph at which the gradient of ``tensor`` arrives; it stands for the tensor in ``grad`` and ``backward``, without keeping its values."""
    ...
def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Counts a write into tensors whose memory was changed behind the back of autograd."""
    ...
def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal['all', 'any'] = 'all') -> RemovableHandle:
    """``fn(grads)`` runs once in each backward pass, when the gradients of all ``tensors`` that take part are known; the others' are None. With ``mode='any'``, ``fn(grad)`` runs when the first of them is. As in PyTorch, the single tensor that a pass begins at is not waited for, and a leaf that ``grad`` was asked for is refused (RuntimeError)."""
    ...
class save_on_cpu(saved_tensors_hooks):
    """Keeps what the graph saves in memory of the CPU: the tensors themselves, which are there already, and no copies."""
    def __init__(self, pin_memory: bool = False, device_type: str = 'cuda') -> None: ...
class saved_tensors_hooks:
    """Within it, ``pack_hook(tensor)`` decides what the graph keeps of each tensor it would save, and ``unpack_hook`` gives a tensor of the same values back when backward needs it."""
    pack_hook: Callable[[Tensor], Any]
    unpack_hook: Callable[[Any], Tensor]
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None: ...
def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted for PyTorch's sake: streams belong to GPUs."""
    ...
