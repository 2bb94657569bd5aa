"""An ONNX graph while it is written: nodes, constants, and what is known of their values."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Proto = Any  # of the package onnx, which tells no types
Option = Any  # an attribute of a node, or an option of an op
Sizes = Sequence[int]
Dtype = np.dtype[Any]


def needed() -> Proto:
    """The package; ImportError with what to install where there is none."""
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ImportError("torch.onnx.export needs onnx, which is not installed: pip install 'rushlight[onnx]'") from None


@dataclass(frozen=True)
class Named:
    """A value of the graph."""

    name: str
    shape: tuple[int, ...]
    dtype: Dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)


class Graph:
    """What is written: ``nodes`` and ``constants``, in order."""

    def __init__(self) -> None:
        self.onnx = needed()
        self.nodes: list[Proto] = []
        self.constants: list[Proto] = []
        self.known: dict[tuple[str, str, tuple[int, ...], bytes], Named] = {}
        self.taken: set[str] = set()

    def name(self, stem: str) -> str:
        """A name that no other value has."""
        name, count = stem, 0
        while name in self.taken:
            count += 1
            name = f"{stem}_{count}"
        self.taken.add(name)
        return name

    def kind(self, dtype: Dtype) -> int:
        """ONNX's number of a dtype."""
        found: int = self.onnx.helper.np_dtype_to_tensor_dtype(dtype)
        return found

    def constant(self, array: Array, name: str | None = None) -> Named:
        """An array that is part of the model; the same numbers are one constant, unless they have a name."""
        key = (name or "", array.dtype.str, array.shape, array.tobytes() if name is None else b"")
        if name is None and key in self.known:
            return self.known[key]
        value = Named(self.name(name or "constant"), array.shape, array.dtype)
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), value.name))
        self.known[key] = value
        return value

    def number(self, number: complex, like: Named) -> Named:
        """A number of another value's dtype."""
        return self.constant(np.asarray(number, like.dtype))

    def sizes(self, numbers: Sequence[int]) -> Named:
        """Whole numbers, as shapes and axes are."""
        return self.constant(np.asarray(list(numbers), np.int64).reshape(-1))

    def nodes_of(self, kind: str, *inputs: Named | None, outs: int = 1, **options: Option) -> list[Named]:
        """The results of a new node. What is known of them is told by :meth:`made`; else they are like the first input."""
        names = [self.name(kind.lower()) for _ in range(outs)]
        given = ["" if one is None else one.name for one in inputs]
        while not given[-1]:
            given.pop()
        self.nodes.append(self.onnx.helper.make_node(kind, given, names, **options))
        first = next(one for one in inputs if one is not None)
        return [Named(name, first.shape, first.dtype) for name in names]

    def node(self, kind: str, *inputs: Named | None, **options: Option) -> Named:
        """The result of a new node that has one."""
        return self.nodes_of(kind, *inputs, **options)[0]

    def cast(self, value: Named, dtype: Dtype) -> Named:
        """A value in another dtype."""
        if value.dtype == dtype:
            return value
        return Named(self.node("Cast", value, to=self.kind(dtype)).name, value.shape, np.dtype(dtype))

    def reshaped(self, value: Named, shape: Sequence[int]) -> Named:
        """A value in another shape."""
        return Named(self.node("Reshape", value, self.sizes(shape)).name, tuple(shape), value.dtype)

    def turned(self, value: Named, axes: Sequence[int]) -> Named:
        """A value with its dimensions in another order."""
        made = self.node("Transpose", value, perm=list(axes))
        return Named(made.name, tuple(value.shape[axis] for axis in axes), value.dtype)
