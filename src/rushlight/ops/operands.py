"""What an op takes as operands: PyTorch's errors for others, and what foreign operands make of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..autograd import modes
from ..autograd.interpreters import stack as interpreters
from ..base import dtypes
from ..base.arguments import NUMBERS, axis_of, type_name
from ..tensor import Tensor
from .argument_forms import refusal

if TYPE_CHECKING:
    from .table import Op


def tensors_among(values: Iterable[Any], around: frozenset[int] = frozenset()) -> Iterator[Tensor]:
    """The tensors among the arguments of a call, those in lists, tuples and dicts too."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple, dict)) and id(value) not in around:  # what holds itself its reader refuses
            yield from tensors_among(value.values() if isinstance(value, dict) else value, around | {id(value)})


def check_not_negative(tensor: Tensor, error: str) -> None:
    """ValueError where a number of a tensor is negative."""
    if (tensor._array < 0).any():
        raise ValueError(error)


def require_indices(name: str, place: int, indices: object) -> None:
    """PyTorch's TypeErrors for what is no list of index tensors."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"{name}(): argument 'indices' (position {place}) must be tuple of Tensors, not {type_name(indices)}")
    for position, one in enumerate(indices):
        if one is not None and not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type_name(one)}")


def require_kind(input: Any, name: str, kinds: str = "fc") -> None:
    """NotImplementedError for a dtype whose kind the kernel ``name`` does not know."""
    if input._array.dtype.kind not in kinds and input._array.dtype.kind != "V":
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.scalar_name}'")


def require_single_or_double(input: Tensor, name: str, *, or_long: bool = False) -> None:
    """NotImplementedError for all but float32 and float64, and int64 if the kernel ``name`` takes that."""
    if input._array.dtype.str[1:] not in (("f4", "f8", "i8") if or_long else ("f4", "f8")):
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.scalar_name}'")


def refuse_history(dtype: dtypes.dtype, *inputs: Any) -> None:
    """PyTorch's error for a result that would need a gradient and, of integers, cannot have one."""
    if dtype.numpy.kind in "bui" and modes.state.grad_enabled and any(one.requires_grad for one in inputs):
        raise RuntimeError(f"Autograd not support dtype: {dtype.scalar_name}")


def refuse_gradient_of(function: str, argument: str, value: Any, *composed: Any) -> None:
    """PyTorch's error for an argument that would need a gradient and has none.

    Where one of ``composed`` is an example of a batch, PyTorch composes the function of others, which have one; a gradient that
    is asked for inside of that ``vmap`` is refused first.
    """
    if value is None or not modes.state.grad_enabled:
        return
    batch = any(one is not None and one._of_batch for one in composed)
    if value._of_batch and value.tracked if batch else value.requires_grad:
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot have "
            "requires_grad True."
        )


# The functions whose second argument has a form of its own as a number, so that PyTorch names no kind that it must be of.
_ALSO_OF_A_NUMBER = frozenset(
    "pow fmod remainder eq ne lt le gt ge floor_divide bitwise_and bitwise_or bitwise_xor bitwise_left_shift "
    "bitwise_right_shift xlogy copysign".split()
)
# The functions that take two numbers.
OF_NUMBERS = frozenset("add add_scaled sub sub_scaled mul div div_rounded div_floor div_trunc floor_divide".split())


def check_operand(op: Op, position: int, value: Any, first: int, args: Sequence[Any]) -> None:
    """TypeError for a value that is no tensor where the op takes no such; ``first`` is the number of its first argument."""
    name = op.inputs[position]
    if name == op.variadic:
        for index, item in enumerate(value):
            if item is not None and not isinstance(item, Tensor):
                raise TypeError(f"expected Tensor as element {index} in argument {position}, but got {type_name(item)}")
        return
    if value is None and name in op.optional:
        return
    if op.promote is not None and isinstance(value, NUMBERS) and len(op.inputs) > 1 and op.numbers != "none":
        if position > 0 or op.numbers == "any":
            return
        raise no_such_form(op.name, args)
    if position == 1 and op.name in _ALSO_OF_A_NUMBER:
        raise no_such_form(op.name, args)
    label = ("input", "other")[position] if op.promote is not None and position < 2 else name
    raise TypeError(f"{op.name}(): argument '{label}' (position {position + first}) must be Tensor, not {type_name(value)}")


def of_several(input: Tensor) -> bool:
    """Whether a tensor is one of several examples, and not the same for all."""
    return input._of_batch and not getattr(input, "shared", False)


def sizes_in_front(tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """The sizes of the batches that tensors are examples of, whose dimensions PyTorch counts in front of theirs."""
    sizes: dict[object, int] = {}
    for one in tensors:
        whole: Any = one
        own: dict[object, int] = {}
        while whole._of_batch:
            if not whole.shared:
                own = {whole.level: whole.level.size, **own}
            whole = whole.whole
        sizes |= own
    return tuple(sizes.values())


def batches_of(input: Tensor) -> int:
    """How many dimensions of batches PyTorch counts in front of those of an example."""
    return len(sizes_in_front([input])) if input._of_batch else 0


def left_open(shape: Sequence[int]) -> RuntimeError:
    return RuntimeError(
        f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can "
        "be any value and is ambiguous"
    )


def refuse_left_open(example: Tensor, shape: tuple[int, ...]) -> None:
    """PyTorch's error for a size left open where batches, whose dimensions it counts too, have no elements."""
    front = sizes_in_front([example])
    if shape.count(-1) == 1 and 0 in (*front, example._array.size) and 0 in (*front, *shape):
        raise left_open((*front, *shape))


def refuse_scalar(input: Tensor, error: Exception) -> None:
    """``error`` for a tensor without dimensions; of an example of a batch PyTorch's for the batch, which has one in front."""
    if not input._array.ndim:
        raise (
            IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)") if of_several(input) else error
        )


def check_tensors(values: Sequence[object]) -> None:
    """TypeError for the first of several that is no tensor."""
    for place, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type_name(value)}")


def no_such_form(name: str, args: Sequence[object]) -> Exception:
    """PyTorch's error for arguments that none of a function's forms takes."""
    return refusal(name, False, args, {}) or TypeError(f"{name}() received an invalid combination of arguments")


def unless_refused(call: Callable[..., Any], operand: Any, *args: Any) -> Any:
    """A call for an operator with a foreign operand, if that defines ``__torch_function__``; NotImplemented where it does not,
    or will not, so that Python asks the operand's own operator."""
    if not hasattr(type(operand), "__torch_function__"):
        return NotImplemented
    try:
        return call(*args)
    except TypeError:
        return NotImplemented


def other_side(name: str, self: Any, other: Any) -> Any:
    """What a foreign operand makes of ``Tensor.<name>``: see :func:`unless_refused`."""
    return unless_refused(foreign_method, other, name, (self, other))


def foreign_method(name: str, args: tuple[Any, ...]) -> Any:
    """What objects that are no tensors, but define ``__torch_function__``, make of ``Tensor.<name>``; else NotImplemented."""
    func = getattr(Tensor, name, None)
    return NotImplemented if func is None else interpreters.ask("foreign", func, args, {})


# Batches of matrices.


def product_shape(batch1: Tensor, batch2: Tensor, first: int = 0) -> tuple[int, ...]:
    """The sizes of the products from dimension ``first`` on, asked for before the batches are known to be of matrices."""
    asked = ((0, batch1._array), (1, batch1._array), (2, batch2._array))[first:]
    return tuple(array.shape[axis_of(axis, array.ndim, wrap_scalar=False)] for axis, array in asked)


def check_batches(batch1: Tensor, batch2: Tensor) -> None:
    """RuntimeError unless the products of two batches can be added up, in the words of ``addbmm``."""
    x, y = batch1._array, batch2._array
    if x.ndim != 3 or y.ndim != 3:
        raise RuntimeError(f"batch{2 if x.ndim == 3 else 1} must be a 3D tensor")
    if x.shape[0] != y.shape[0]:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {x.shape[0]} and {y.shape[0]}")
    if x.shape[2] != y.shape[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({x.shape[1]}x{x.shape[2]} and {y.shape[1]}x{y.shape[2]})")
