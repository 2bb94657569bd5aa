"""What users ask a node of the graph, a ``grad_fn``, and the hooks that they hang on it."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import dtypes
from ..base.device import CPU
from .handles import Hooks, RemovableHandle, add_hook, observers

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .nodes import Edge, Node


class InputMetadata(NamedTuple):
    """What a node knows of one of its outputs, whose cotangent is an input of its backward."""

    shape: tuple[int, ...]
    numpy_dtype: Any

    @property
    def dtype(self) -> Any:
        return dtypes.of(self.numpy_dtype)

    @property
    def device(self) -> Any:
        return CPU

    is_nested_tensor = is_cpp_nested_tensor = is_tensor_subclass = False  # type: ignore[misc]


class NodeMethods:
    """Everything of a node that no backward pass needs, but for ``hooked``."""

    if TYPE_CHECKING:  # the fields of Node
        next: tuple[Edge | None, ...]
        shape: tuple[int, ...]
        dtype: np.dtype[Any]
        metas: list[tuple[tuple[int, ...], np.dtype[Any]]] | None
        order: int
        always_runs: bool
        is_leaf_sink: bool

        def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]: ...

    hooked = False  # whether any of the following was ever set
    tensor_hooks: dict[int, Hooks] | None = None
    retained: dict[int, weakref.ref[Tensor]] | None = None
    pre_hooks: Hooks | None = None
    post_hooks: Hooks | None = None
    _metadata: dict[str, Any] | None = None
    # The node of a list of results, of which this one is a part, and which of them.
    joined: tuple[weakref.ref[Node], int] | None = None

    def without_cotangent(self, edges: tuple[Edge | None, ...]) -> tuple[object, ...]:
        """What the node gives where no cotangent has reached it."""
        return (None,) * len(edges)

    @classmethod
    def mro(cls) -> list[type]:
        """The classes of a node without Node itself, which in PyTorch the nodes' classes only behave as if derived from."""
        return [cls, *cls.__mro__[1:-3], object]

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad" if self.is_leaf_sink else type(self).__name__

    def _name_of_op(self) -> str:
        return str(getattr(getattr(self, "op", None), "name", ""))

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        # PyTorch's one node for all that has no derivative; that of set_ shows the places of what needs none, too.
        if type(self).__name__ == "NotImplemented" and not self._name_of_op().startswith("set_"):
            return tuple(edge for edge in self.next if edge is not None)
        return tuple(edge if edge is not None else (None, 0) for edge in self.next)

    @property
    def metadata(self) -> dict[str, Any]:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def _input_metadata(self) -> tuple[Any, ...]:
        metas = self.metas if self.metas is not None else [(self.shape, self.dtype)]
        return tuple(InputMetadata(*meta) for meta in metas)

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return (1 << 64) - 1 if self.is_leaf_sink else -self.order - 1

    def _set_sequence_nr(self, number: int) -> None:
        """Among nodes that are ready, those of higher numbers run first."""
        self.order = -number - 1
        observers.present = True

    def __lt__(self, other: Node) -> bool:  # of nodes with the same number, whichever
        return id(self) < id(other)

    def __call__(self, *grads: Any) -> Any:
        """The cotangents of the inputs from those of the outputs, outside of any backward pass."""
        expected = 1 if self.metas is None else len(self.metas)
        if len(grads) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
        if not self.always_runs and all(g is None for g in grads):
            return None if len(self.next) == 1 else (None,) * len(self.next)
        values: Any = list(grads) if self.metas is not None else grads[0]
        results = self.vjp_tensors(values, self.next)
        return results[0] if len(results) == 1 else results

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(grad_inputs, grad_outputs)`` runs after the node; what it returns, if anything, replaces grad_inputs."""
        self.hooked = observers.present = True
        if self.post_hooks is None:
            self.post_hooks = OrderedDict()
        return add_hook(self.post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(grad_outputs)`` runs before the node; what it returns, if anything, replaces grad_outputs."""
        self.hooked = observers.present = True
        if self.pre_hooks is None:
            self.pre_hooks = OrderedDict()
        return add_hook(self.pre_hooks, hook)

    def _register_hook_dict(self, hooks: dict[int, Any]) -> None:
        self.hooked = observers.present = True
        self.post_hooks = hooks  # type: ignore[assignment]

    def retain(self, number: int, tensor: weakref.ref[Tensor]) -> None:
        """Has the cotangent of one output put into a tensor's ``.grad``."""
        self.hooked = True
        self.retained = {**(self.retained or {}), number: tensor}

    def hooks_of_output(self, number: int) -> Hooks:
        """The tensor hooks of one output, made when first asked for."""
        self.hooked = observers.present = True
        if self.tensor_hooks is None:
            self.tensor_hooks = {}
        return self.tensor_hooks.setdefault(number, OrderedDict())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"
