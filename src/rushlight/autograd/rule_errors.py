"""PyTorch's errors for what NumPy raises in a rule: what a node kept has another shape than the node was made for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from numpy.linalg import LinAlgError

from ..backend.notes import with_notes
from .nodes import Node

_OURS = (__name__.partition(".")[0], "numpy")
_SHAPE = re.compile(r"\(([\d,]*)\)")
_ELEMENTWISE = "operands could not be broadcast together"
_PRODUCT = re.compile(r"shapes \((\d+),(\d+)\) and \((\d+),(\d+)\) not aligned")


def of_rule(node: Node, error: Exception) -> Exception:
    """The RuntimeError for ``error``, raised in a rule of ``node``; what came by way of the user's hooks stays as it is."""
    if isinstance(error, LinAlgError):
        return error
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return error
        frame = frame.tb_next
    said = str(error)
    if said.startswith(_ELEMENTWISE):
        shapes = [tuple(int(size) for size in shape.split(",") if size) for shape in _SHAPE.findall(said)]
        wrong = broadcast_error(shapes)
        if wrong is not None:
            return wrong
    product = _PRODUCT.match(said)
    if product is not None:
        return RuntimeError("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})".format(*product.groups()))
    return RuntimeError(f"Function {node.name()} has kept values of other shapes than it was made for: {said}")


def broadcast_error(shapes: Sequence[tuple[int, ...]]) -> RuntimeError | None:
    """PyTorch's error for shapes that do not broadcast, or None if they do."""
    first = shapes[0]
    for second in shapes[1:]:
        ndim = max(len(first), len(second))
        a = (1,) * (ndim - len(first)) + first
        b = (1,) * (ndim - len(second)) + second
        for axis in range(ndim - 1, -1, -1):
            if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
                return with_notes(
                    RuntimeError(
                        f"The size of tensor a ({a[axis]}) must match the size of tensor b ({b[axis]}) at non-singleton "
                        f"dimension {axis}"
                    ),
                    f"The shapes are {list(first)} and {list(second)}: sizes must be equal, or 1, "
                    "counted from the last dimension.",
                )
        first = tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))
    return None
