# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Sequence
from rushlight import Tensor
from typing import Any
from typing import Literal
from typing import TypeVar
from typing import overload
from rushlight import vmap as vmap

_Result = TypeVar('_Result')

def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor behind one that a transform made: for a look in a debugger, not to compute with."""
    ...
def functional_call(module: Any, parameter_and_buffer_dicts: dict[str, Any] | Sequence[dict[str, Any]], args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False) -> Tensor:
    """``module(*args, **kwargs)`` with other tensors in the place of its parameters and buffers, by their dotted names."""
    ...
def functionalize(func: Callable[..., Any], *, remove: str = 'mutations') -> Callable[..., Any]:
    """``func`` itself, as far as anybody sees: PyTorch's takes in-place ops out of the program, for compilers, and writes what they did to the arguments at the end."""
    ...
def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func``, whose value is one number."""
    ...
def grad_and_value(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func`` (whose value is one number) and the value."""
    ...
def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives of ``func``: ``jacfwd(jacrev(func))``."""
    ...
def jacfwd(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *, randomness: str = 'error') -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func``, by one forward pass over a batch: a column for each element of its argument."""
    ...
def jacrev(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False, chunk_size: int | None = None, _preallocate_and_copy: bool = False) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func``, by one backward pass over a batch: a row for each element of its value."""
    ...
@overload
def jvp(func: Callable[..., _Result], primals: Any, tangents: Any, *, strict: bool = False, has_aux: Literal[False] = False) -> tuple[_Result, _Result]: ...
@overload
def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: Literal[True]) -> tuple[Any, Any, Any]:
    """The value of ``func`` at a tuple of arguments, and the product of its Jacobian with a tuple of tangents."""
    ...
def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``func``, and its :func:`jvp` at these arguments as a function of the tangents, by which alone it can be differentiated further."""
    ...
def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Tensor:
    """A tensor with its dimensions split, in another order, and put together, as ``"a (b c) -> (a b) c"`` says."""
    ...
def replace_all_batch_norm_modules_(root: Any) -> Tensor:
    """Makes every batch norm in a module use the statistics of its batch alone; returns the module."""
    ...
def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one class, stacked by name: what ``vmap`` over an ensemble takes."""
    ...
@overload
def vjp(func: Callable[..., _Result], *primals: Any, has_aux: Literal[False] = False) -> tuple[_Result, Callable[..., Any]]: ...
@overload
def vjp(func: Callable[..., Any], *primals: Any, has_aux: Literal[True]) -> tuple[Any, Callable[..., Any], Any]:
    """The value of ``func``, and a function from cotangents (in the form of the value) to a tuple of gradients."""
    ...
