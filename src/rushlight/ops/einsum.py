"""Einstein summation, made of diagonals, permutations, and a batched matrix product for each further operand."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from ..tensor import Tensor
from .einsum_arguments import LETTERS, Args, one_by_one, with_equation
from .matmul import bmm
from .public import ops, public
from .shape import reshape

ELLIPSIS = "."

Shape = tuple[int, ...]
Label = str | int  # a letter, or a dimension of ``...`` counted from the right


class Product(NamedTuple):
    """One batched matrix product: orders and shapes of its factors, shape and order of what it gives."""

    swap: bool
    left_order: Shape
    left_shape: Shape
    right_order: Shape
    right_shape: Shape
    shape: Shape
    order: Shape


Alignment = tuple[list[tuple[int, int, Shape]], int, Shape]  # diagonals, dimensions that are missing, order
Step = tuple[Shape, Shape, Product | None]  # sums over each of two operands before they are multiplied


@public("einsum", method=False, out=False)
def einsum(*args: Any) -> Tensor:
    """Sums of products of elements, in Einstein's notation.

    ``einsum("bij,bjk->bik", a, b)``: each letter is a dimension; letters that are not behind the arrow are summed over,
    and without an arrow those that occur more than once. ``...`` stands for any further dimensions, which broadcast.
    In place of the letters lists of numbers may follow each operand: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.

    >>> import rushlight as torch
    >>> torch.einsum("ij,j->i", torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    equation, operands = _spelled(args)
    aligning, steps, kept = _plan(equation, tuple([one._array.shape for one in operands]))
    aligned = []
    for one, (diagonals, missing, order) in zip(operands, aligning, strict=True):
        for axis1, axis2, moved in diagonals:
            one = ops.permute_dims(ops.diagonal(one, 0, axis1, axis2), moved)
        for _ in range(missing):
            one = ops.expand_dims(one, one._array.ndim)
        aligned.append(ops.permute_dims(one, order))
    out = aligned[0]
    ndim = len(aligning[0][2])
    if not steps:
        return out.sum(tuple(range(kept, ndim))) if ndim > kept else out
    for other, (sums, other_sums, product) in zip(aligned[1:], steps, strict=True):
        if sums:
            out = out.sum(sums, True)
        if other_sums:
            other = other.sum(other_sums, True)
        out = out * other if product is None else _multiplied(out, other, product)
    return ops.view(out, out._array.shape[:kept]) if ndim > kept else out


def has_products(*args: Any) -> bool:
    """Whether such a call comes to products of matrices, and not to products of elements and sums alone."""
    equation, operands = _spelled(args)
    return any(product is not None for _, _, product in _plan(equation, tuple([one._array.shape for one in operands]))[1])


@lru_cache(maxsize=512)
def _plan(equation: str, shapes: tuple[Shape, ...]) -> tuple[list[Alignment], list[Step], int]:
    """What is to be done for operands of these shapes: to bring each into the order of labels in which those of the output
    come first, and to multiply them one after the other; and how many dimensions the output has."""
    inputs, output, explicit = _split(equation, len(shapes))
    if not explicit:
        counts = Counter(label for labels in inputs for label in labels if label != ELLIPSIS)
        output = [ELLIPSIS, *(letter for letter in LETTERS if counts[letter] == 1)]
    extra = _ellipsis_size(inputs, shapes)
    places, sizes, diagonals = [], [], []
    for index, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        place: list[Label] = _spread(labels, len(shape) - len(labels) + 1)
        size = list(shape)
        diagonals.append(_without_repeats(place, size, index))
        places.append(place)
        sizes.append(dict(zip(place, size, strict=True)))
    _check_sizes(sizes, extra)
    given = {label for labels in inputs for label in labels}
    summed = [label for label in (ELLIPSIS, *LETTERS) if label in given and label not in output]
    order = _spread([*output, *summed], extra)
    kept = len(_spread(output, extra))
    aligning = []
    for place, found in zip(places, diagonals, strict=True):
        missing = [label for label in order if label not in place]
        have = place + missing
        aligning.append((found, len(missing), tuple(have.index(label) for label in order)))
    aligned = [tuple(size.get(label, 1) for label in order) for size in sizes]
    return aligning, _contraction(aligned, kept), kept


def _spelled(args: Args) -> tuple[str, list[Tensor]]:
    """The equation and the operands, whichever way they were given."""
    equation, *operands = one_by_one(with_equation(args))
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    for index, one in enumerate(operands):
        if not isinstance(one, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 1, but got {type(one).__name__}")
    return equation, operands


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


def _ellipsis_size(inputs: list[list[str]], shapes: tuple[Shape, ...]) -> int:
    """How many dimensions ``...`` stands for; checks that each operand has as many as its labels say."""
    extra = 0
    for index, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        ndim = len(shape)
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


def _without_repeats(labels: list[Label], sizes: list[int], index: int) -> list[tuple[int, int, Shape]]:
    """The diagonals to take along labels that an operand has twice, and how to put each back into the label's first place;
    takes the repeats out of ``labels`` and ``sizes``."""
    found = []
    place = 0
    while place < len(labels):
        first = labels.index(labels[place])
        if first == place:
            place += 1
            continue
        if sizes[first] != sizes[place]:
            raise RuntimeError(
                f"einsum(): subscript {labels[place]} is repeated for operand {index} but the sizes don't match, "
                f"{sizes[place]} != {sizes[first]}"
            )
        del labels[place], sizes[place]
        moved = list(range(len(labels) - 1))
        moved.insert(first, len(labels) - 1)
        found.append((first, place, tuple(moved)))
    return found


def _spread(labels: list[str], extra: int) -> list[Label]:
    """Labels with the dimensions of ``...`` one by one, as numbers counted from the right."""
    found: list[Label] = []
    for label in labels:
        found += range(-extra, 0) if label == ELLIPSIS else [label]
    return found


def _check_sizes(operands: list[dict[Label, int]], extra: int) -> None:
    seen: dict[Label, int] = {}
    for index, sizes in enumerate(operands):
        for label, size in sizes.items():
            before = seen.get(label, 1)
            if size != 1 and before != 1 and size != before:
                if isinstance(label, int):
                    raise RuntimeError(
                        f"einsum(): dimension {label + extra} covered by ellipsis in operand {index}has size {size} which does "
                        f"not broadcast with previously seen ellipsis with size {before} for the respective dimension"
                    )
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {index} which does not broadcast with previously "
                    f"seen size {before}"
                )
            seen[label] = size if before == 1 else before


def _contraction(shapes: list[Shape], kept: int) -> list[Step]:
    """How to multiply operands from left to right, summing over a dimension as soon as no further one has it."""
    out = list(shapes[0])
    steps = []
    for index, shape in enumerate(shapes[1:], 1):
        other = list(shape)
        sums, other_sums, together = [], [], []
        for axis in range(kept, len(out)):
            if all(later[axis] == 1 for later in shapes[index + 1 :]):
                if out[axis] != 1 and other[axis] != 1:
                    together.append(axis)
                elif out[axis] != 1:
                    sums.append(axis)
                    out[axis] = 1
                elif other[axis] != 1:
                    other_sums.append(axis)
                    other[axis] = 1
        product = _product(out, other, together) if together else None
        out = [1 if axis in together else b if a == 1 else a for axis, (a, b) in enumerate(zip(out, other, strict=True))]
        steps.append((tuple(sums), tuple(other_sums), product))
    return steps


def _product(x: list[int], y: list[int], together: list[int]) -> Product:
    """``(a * b).sum(together, keepdim=True)`` as one batched matrix product."""
    axes = [axis for axis in range(len(x)) if axis not in together]
    both = [axis for axis in axes if x[axis] != 1 and y[axis] != 1]
    left = [axis for axis in axes if y[axis] == 1]
    right = [axis for axis in axes if x[axis] == 1 and y[axis] != 1]
    swap = bool(left and right) and right[-1] < left[0]
    if swap:
        # The other way round the result comes out in order.
        (x, left), (y, right) = (y, right), (x, left)
    batch, rows, inner, columns = (
        math.prod(shape[axis] for axis in group) for shape, group in ((x, both), (x, left), (x, together), (y, right))
    )
    order = [*both, *left, *together, *right]
    return Product(
        swap,
        tuple(order),
        (batch, rows, inner),
        (*both, *together, *right, *left),
        (batch, inner, columns),
        (*(x[axis] for axis in (*both, *left)), *(1 for _ in together), *(y[axis] for axis in right)),
        tuple(order.index(axis) for axis in range(len(x))),
    )


def _multiplied(a: Any, b: Any, product: Product) -> Any:
    if product.swap:
        a, b = b, a
    out = bmm(
        _reshaped(ops.permute_dims(a, product.left_order), product.left_shape),
        _reshaped(ops.permute_dims(b, product.right_order), product.right_shape),
    )
    return ops.permute_dims(ops.view(out, product.shape), product.order)


def _reshaped(x: Any, shape: Shape) -> Any:
    return ops.view(x, shape) if x._array.flags.c_contiguous else reshape(x, shape)
