# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from rushlight import Tensor
from rushlight.autograd.function import Function
from typing import Any
from typing import TypeVar
from rushlight.utils.selective_checkpoint import CheckpointPolicy as CheckpointPolicy
from rushlight.utils.selective_checkpoint import SelectiveCheckpointContext as SelectiveCheckpointContext
from rushlight.utils.selective_checkpoint import _CachedTorchDispatchMode as _CachedTorchDispatchMode
from rushlight.utils.selective_checkpoint import _CachingTorchDispatchMode as _CachingTorchDispatchMode
from rushlight.utils.selective_checkpoint import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts

_Result = TypeVar('_Result')

class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not do what the first did."""
class CheckpointFunction(Function):
    """The part as one op: its backward runs it again and differentiates it."""
    run_function: Callable[..., Any]
    random: Any
    autocast: Any
    positions: Any
    others: Any
    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any: ...
    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any: ...
class DefaultDeviceType:
    """The kind of device that is assumed for arguments without tensors on another one than the CPU. Only remembered."""
    @staticmethod
    def get_device_type() -> str:
        """The kind remembered last."""
        ...
    @staticmethod
    def set_device_type(device: str = 'cuda') -> None:
        """Remembers another kind."""
        ...
class GraphExecGroup:
    """Within it, backward passes share what is computed again: passes through parts of one checkpointed function that do not overlap run the function once."""
    def __enter__(self) -> GraphExecGroup: ...
    def __exit__(self, *error: object) -> None: ...
SAC_IGNORED_OPS: set[Any]
def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no input needs a gradient."""
    ...
def checkpoint(function: Callable[..., _Result], *args: Any, use_reentrant: bool | None = None, context_fn: Callable[..., Any] = ..., determinism_check: str = 'default', debug: bool = False, early_stop: bool = True, **kwargs: Any) -> _Result:
    """``function(*args)``, computed again in the backward pass instead of keeping what lies between."""
    ...
def checkpoint_sequential(functions: Any, segments: int, input: Tensor, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Functions (or the children of an nn.Sequential) one after another, in ``segments`` parts; all but the last are checkpointed."""
    ...
def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors without their history, with ``requires_grad`` as it was."""
    ...
def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The devices of tensors other than the CPU, and the states of their generators: there are none."""
    ...
def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Contexts that do nothing, for the two runs."""
    ...
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Overrides ``debug=`` of :func:`checkpoint`; None leaves it alone."""
    ...
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether the second run of a function stops as soon as all that backward needs is there (it does by default), whatever :func:`checkpoint` says."""
    ...
def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """There are no other devices whose generators could be set."""
    ...
