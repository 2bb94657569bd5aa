"""Einstein summation, made of diagonals, permutations, and a batched matrix product for each further operand."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from . import dispatch
from .matmul import bmm
from .public import public

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "."


@public("einsum", method=False, out=False)
def einsum(*args: Any) -> Any:
    """Sums of products of elements, in Einstein's notation.

    ``einsum("bij,bjk->bik", a, b)``: each letter is a dimension; letters that are not behind the arrow are summed over,
    and without an arrow those that occur more than once. ``...`` stands for any further dimensions, which broadcast.
    In place of the letters lists of numbers may follow each operand: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.

    >>> import rushlight as torch
    >>> torch.einsum("ij,j->i", torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    equation, operands = _spelled(args)
    inputs, output, explicit = _split(equation, len(operands))
    if not explicit:
        counts = Counter(label for labels in inputs for label in labels if label != ELLIPSIS)
        output = [ELLIPSIS, *(letter for letter in LETTERS if counts[letter] == 1)]
    extra = _ellipsis_size(inputs, operands)
    pairs = list(zip(operands, inputs, strict=True))
    operands = [_without_repeats(one, labels, index) for index, (one, labels) in enumerate(pairs)]
    _check_sizes(inputs, operands, extra)
    given = {label for labels in inputs for label in labels}
    summed = [label for label in (ELLIPSIS, *LETTERS) if label in given and label not in output]
    order = _spread([*output, *summed], extra)
    kept = len(_spread(output, extra))
    aligned = [
        _aligned(one, _placed(labels, one._array.ndim, extra), order) for one, labels in zip(operands, inputs, strict=True)
    ]
    return _contract(aligned, kept, len(order))


def _spelled(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation and the operands, whichever way they were given."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if not isinstance(args[0], dispatch.Tensor_):
        equation, operands = args[0], args[1:]
        if not isinstance(equation, str):
            raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
        for index, one in enumerate(operands):
            if not isinstance(one, dispatch.Tensor_):
                raise TypeError(f"expected Tensor as element {index} in argument 1, but got {type(one).__name__}")
        return equation, list(operands)
    equation = ",".join("".join(_letter(one) for one in labels) for labels in args[1::2])
    if len(args) % 2:
        equation += "->" + "".join(_letter(one) for one in args[-1])
        return equation, list(args[:-1:2])
    return equation, list(args[::2])


def _letter(number: Any) -> str:
    if number is Ellipsis:
        return "..."
    if 0 <= number < len(LETTERS):
        return LETTERS[number]
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _split(equation: str, operands: int) -> tuple[list[list[str]], list[str], bool]:
    """The labels of each operand and of the output, and whether the output was given."""
    left, arrow, right = equation.partition("->")
    inputs: list[list[str]] = [[]]
    place = 0
    while place < len(left):
        char = left[place]
        index = len(inputs) - 1
        if char == ",":
            if len(inputs) == operands:
                raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
            inputs.append([])
        elif char == ".":
            if ELLIPSIS in inputs[-1]:
                raise RuntimeError(f"einsum(): found '.' for operand {index} for which an ellipsis was already found")
            if not left.startswith("...", place):
                raise RuntimeError(f"einsum(): found '.' for operand {index} that is not part of any ellipsis")
            inputs[-1].append(ELLIPSIS)
            place += 2
        elif char != " ":
            inputs[-1].append(_checked_letter(char, place))
        place += 1
    if len(inputs) < operands:
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return inputs, _output(right, len(left) + 2, inputs) if arrow else [], bool(arrow)


def _checked_letter(char: str, place: int) -> str:
    if char not in LETTERS:
        raise RuntimeError(
            f"einsum(): invalid subscript given at index {place} in the equation string, subscripts must be in [a-zA-Z]"
        )
    return char


def _output(text: str, start: int, inputs: list[list[str]]) -> list[str]:
    output: list[str] = []
    place = 0
    while place < len(text):
        char = text[place]
        if char == ".":
            if ELLIPSIS in output:
                raise RuntimeError("einsum(): found '.' for output but an ellipsis (...) was already found")
            if not text.startswith("...", place):
                raise RuntimeError("einsum(): found '.' for output that is not part of any ellipsis (...)")
            output.append(ELLIPSIS)
            place += 2
        elif char != " ":
            label = _checked_letter(char, start + place)
            if label in output:
                raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
            if not any(label in labels for labels in inputs):
                raise RuntimeError(f"einsum(): output subscript {label} does not appear in the equation for any input operand")
            output.append(label)
        place += 1
    return output


def _ellipsis_size(inputs: list[list[str]], operands: list[Any]) -> int:
    """How many dimensions ``...`` stands for; checks that each operand has as many as its labels say."""
    extra = 0
    for index, (labels, one) in enumerate(zip(inputs, operands, strict=True)):
        ndim = one._array.ndim
        if ELLIPSIS in labels:
            count = len(labels) - 1
            if count > ndim:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({count}) is more than the number of "
                    f"dimensions ({ndim}) for operand {index}"
                )
            extra = max(extra, ndim - count)
        elif len(labels) != ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(labels)}) does not match the number of "
                f"dimensions ({ndim}) for operand {index} and no ellipsis was given"
            )
    return extra


def _without_repeats(one: Any, labels: list[str], index: int) -> Any:
    """The diagonal along labels that an operand has twice; takes the repeats out of ``labels``."""
    place = 0
    while place < len(labels):
        label = labels[place]
        first = labels.index(label)
        if first == place:
            place += 1
            continue
        skipped = one._array.ndim - len(labels) if ELLIPSIS in labels else 0
        shift = labels.index(ELLIPSIS) if ELLIPSIS in labels else len(labels)
        low, high = (at + skipped if at > shift else at for at in (first, place))
        sizes = one._array.shape
        if sizes[low] != sizes[high]:
            raise RuntimeError(
                f"einsum(): subscript {label} is repeated for operand {index} but the sizes don't match, "
                f"{sizes[high]} != {sizes[low]}"
            )
        one = one.diagonal(0, low, high).movedim(-1, low)
        del labels[place]
    return one


def _spread(labels: list[str], extra: int) -> list[Any]:
    """Labels with the dimensions of ``...`` one by one, as numbers counted from the right."""
    found: list[Any] = []
    for label in labels:
        found += range(-extra, 0) if label == ELLIPSIS else [label]
    return found


def _placed(labels: list[str], ndim: int, extra: int) -> list[Any]:
    return _spread(labels, ndim - len(labels) + 1) if ELLIPSIS in labels else list(labels)


def _check_sizes(inputs: list[list[str]], operands: list[Any], extra: int) -> None:
    seen: dict[Any, int] = {}
    for index, (labels, one) in enumerate(zip(inputs, operands, strict=True)):
        shape = one._array.shape
        for label, size in zip(_placed(labels, len(shape), extra), shape, strict=True):
            before = seen.get(label, 1)
            if size != 1 and before != 1 and size != before:
                if isinstance(label, int):
                    raise RuntimeError(
                        f"einsum(): dimension {label + extra} covered by ellipsis in operand {index}has size {size} "
                        f"which does not broadcast with previously seen ellipsis with size {before} for the "
                        "respective dimension"
                    )
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {index} which does not broadcast with "
                    f"previously seen size {before}"
                )
            seen[label] = size if before == 1 else before


def _aligned(one: Any, labels: list[Any], order: list[Any]) -> Any:
    """The operand with a dimension for each label, in this order, of size 1 where it has none."""
    have = list(labels)
    for label in order:
        if label not in have:
            have.append(label)
            one = one.unsqueeze(-1)
    return one.permute([have.index(label) for label in order])


def _contract(operands: list[Any], kept: int, ndim: int) -> Any:
    """Multiplies the operands from left to right, summing over a dimension as soon as no further one has it."""
    out = operands[0]
    if len(operands) == 1:
        return out.sum(tuple(range(kept, ndim))) if ndim > kept else out
    for index, other in enumerate(operands[1:], 1):
        together: list[int] = []
        for axis in range(kept, ndim):
            if all(later._array.shape[axis] == 1 for later in operands[index + 1 :]):
                size, other_size = out._array.shape[axis], other._array.shape[axis]
                if size != 1 and other_size != 1:
                    together.append(axis)
                elif size != 1:
                    out = out.sum(axis, True)
                elif other_size != 1:
                    other = other.sum(axis, True)
        out = _product(out, other, together) if together else out * other
    return out.reshape(out._array.shape[:kept]) if ndim > kept else out


def _product(a: Any, b: Any, together: list[int]) -> Any:
    """``(a * b).sum(together, keepdim=True)`` as one batched matrix product."""
    x, y = a._array.shape, b._array.shape
    axes = [axis for axis in range(len(x)) if axis not in together]
    both = [axis for axis in axes if x[axis] != 1 and y[axis] != 1]
    left = [axis for axis in axes if y[axis] == 1]
    right = [axis for axis in axes if x[axis] == 1 and y[axis] != 1]
    if left and right and right[-1] < left[0]:
        # The other way round the result comes out in order.
        return _product(b, a, together)
    batch, rows, inner, columns = (
        math.prod(shape[axis] for axis in group) for shape, group in ((x, both), (x, left), (x, together), (y, right))
    )
    product = bmm(
        a.permute([*both, *left, *together, *right]).reshape((batch, rows, inner)),
        b.permute([*both, *together, *right, *left]).reshape((batch, inner, columns)),
    )
    order = [*both, *left, *together, *right]
    sizes = [*(x[axis] for axis in (*both, *left)), *(1 for _ in together), *(y[axis] for axis in right)]
    return product.view(sizes).permute([order.index(axis) for axis in range(len(x))])
