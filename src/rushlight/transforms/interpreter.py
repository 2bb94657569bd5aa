"""How transforms look at what is done in them: which function of this room answers which question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autograd import interpreters, modes
from ..autograd.interpreters import Answer, Args, Function, Named
from ..ops.table import Op
from ..tensor import Tensor
from . import creation, custom_functions, dynamic_layers, example_graph, vmap
from .rules import forms


class Transforms(interpreters.Interpreter):
    """``vmap``, ``grad``, ``jvp`` and the others that are running in the thread."""

    place = interpreters.EXAMPLES

    def op(self, op: Op, args: Args) -> Answer:
        return example_graph.recorded(op, args, forms.find) if modes.state.transforms else NotImplemented

    def function(self, cls: Any, args: Args, kwargs: Named) -> Answer:
        return custom_functions.applied(cls, args, kwargs)

    def write(self, function: Function, name: str, tensor: Tensor, args: Args, kwargs: Named) -> Answer:
        return example_graph.written(function, name, tensor, args, kwargs) if modes.state.transforms else NotImplemented

    def creation(self, function: Function, args: Args, kwargs: Named) -> Answer:
        return creation.made(function, args, kwargs) if modes.state.transforms else NotImplemented

    def noise(self, draw: Callable[[tuple[int, ...]], Tensor], shape: tuple[int, ...]) -> Answer:
        return creation.noise(draw, shape)

    def text(self, tensor: Tensor) -> Answer:
        text = dynamic_layers.shown(tensor)
        return NotImplemented if text is None else text

    def gradients(self, outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any], **options: Any) -> Answer:
        return example_graph.gradients_of(outputs, inputs, cotangents, **options)

    def rows(self, function: Function, batch: Sequence[Tensor]) -> Answer:
        return vmap.vectorized(function)(*batch)

    def wraps(self) -> Answer:
        return any(layer.kind in ("Grad", "Jvp") for layer in dynamic_layers.state.stack) or NotImplemented

    def refuse(self, what: str, name: str | None = None) -> None:
        if not modes.state.transforms:
            return
        if what == "draw":
            creation.refuse_draw(name)
        else:
            dynamic_layers.refuse(what)


interpreters.stack.put(Transforms())
