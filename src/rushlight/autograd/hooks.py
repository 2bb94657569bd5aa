"""How a backward pass calls hooks, what they may give back in the place of a gradient, and what saving says of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .nodes import BORROWED, Edge, Node
from .views import mark_view

if TYPE_CHECKING:
    from ..tensor import Tensor


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def mark_unrecorded(result: Tensor, source: Tensor) -> None:
    """Makes ``result`` a view of ``source`` that no graph knows of."""
    mark_view(result, source)
    assert result._base is not None
    result._made, result._needs_grad = "no_grad", BORROWED if result._base._needs_grad else False


def checked_tuple(hook: Any, result: Any, old: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a node's hook makes of cotangents: nothing, or as many as there were."""
    if result is None:
        return old
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(result)}, but expected {len(old)})"
        )
    return tuple(new if new is None else checked_result(hook, new, one) for new, one in zip(result, old, strict=True))


def checked_result(hook: Any, result: Any, old: Any) -> Any:
    if not hasattr(result, "_array"):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if result._array.dtype != old._array.dtype:
        was, now = old.dtype.type_in_errors, result.dtype.type_in_errors
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {was} got {now})")
    if result._array.shape != old._array.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return result


class HookCalls:
    """How a pass calls hooks: they deal in Tensors, whatever the pass is over."""

    if TYPE_CHECKING:

        def _as_tensor(self, g: Any) -> Any: ...
        def _from_tensor(self, g: Any) -> Any: ...
        def _fitted(self, node: Node, index: int, g: Any, edge: Edge) -> Any: ...

    over_tensors: bool
    listened_to: Node | None = None  # has hooks that want to know what arrived
    given: Mapping[int, Tensor] = MappingProxyType({})  # the user's own cotangents, by the ids of their arrays

    def note_given(self, cotangents: Sequence[Tensor | None]) -> None:
        """Remembers what the user gave the pass, which hooks at its roots see as it is."""
        self.given = {id(one._array): one for one in cotangents if one is not None}

    def shown(self, g: Any) -> Any:
        """What hooks are called with for a cotangent, and ``grad`` hands out: what the user gave, or a view of it, where it is that."""
        given = self.given.get(id(g))
        if given is not None:
            return given
        tensor = self._as_tensor(g)
        if self.given and isinstance(g, np.ndarray):
            for one in self.given.values():
                if isinstance(one._array, np.ndarray) and np.may_share_memory(g, one._array):
                    mark_unrecorded(tensor, one)
                    break
        return tensor

    def _call_hooks(self, hooks: dict[int, Any], g: Any) -> Any:
        """What tensor hooks, one after another, make of one cotangent."""
        tensor = self.shown(g)
        for hook in list(hooks.values()):
            result = hook(tensor)
            if result is not None:
                tensor = checked_result(hook, result, tensor)
        return self._from_tensor(tensor)

    def _before(self, node: Node, g: Any) -> Any:
        """What happens between a node's cotangents and the node: tensor hooks, retained gradients, pre-hooks."""
        return self._with_pre_hooks(node, self._with_tensor_hooks(node, g))

    def _with_tensor_hooks(self, node: Node, g: Any) -> list[Any]:
        """The cotangents of a node's outputs after their hooks, kept in the ``.grad`` of outputs that retain theirs."""
        several = node.metas is not None
        values = [g] if not several else list(g) if g is not None else [None] * len(node.metas or ())
        for number, hooks in list((node.tensor_hooks or {}).items()):
            if hooks:
                values[number] = self._call_hooks(hooks, values[number])
        for number, reference in (node.retained or {}).items():
            tensor, value = reference(), values[number]
            if tensor is not None and value is not None:
                kept: Any = value.clone() if self.over_tensors else self._as_tensor(np.array(value))
                if not kept._of_batch:  # an example of a batch is gone when the batch is done
                    tensor._grad = kept if tensor._grad is None else tensor._grad + kept
        return values

    def _with_pre_hooks(self, node: Node, values: list[Any]) -> Any:
        """What a node runs with: a cotangent, or a list of them; None where there is none."""
        self.listened_to = node if node.post_hooks else None
        if node.pre_hooks:
            tensors = tuple(self.shown(value) for value in values)
            for hook in list(node.pre_hooks.values()):
                tensors = checked_tuple(hook, hook(tensors), tensors)
            values = [self._from_tensor(tensor) for tensor in tensors]
        if node.metas is None:
            return values[0]
        return None if all(value is None for value in values) else values

    def _after(self, node: Node, grads: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
        """What a node sends on, after its hooks, which see what it sends and what had arrived."""
        inputs = tuple(
            self.shown(value if value is None or edge is None else self._fitted(node, index, value, edge))
            for index, (value, edge) in enumerate(zip(grads, node.next, strict=True))
        )
        outputs: tuple[Any, ...]
        if self.listened_to is not node:  # its first hook came while it ran: what arrived is not kept for nobody
            outputs = (None,) * (1 if node.metas is None else len(node.metas))
        elif node.metas is not None and g is not None:
            outputs = tuple(self.shown(value) for value in g)
        else:
            outputs = (self.shown(g),)
        for hook in list((node.post_hooks or {}).values()):
            inputs = checked_tuple(hook, hook(inputs, outputs), inputs)
        return tuple(self._from_tensor(value) for value in inputs)

    def _at_leaf(self, leaf: Tensor) -> None:
        """Calls the hooks that a leaf has for when a gradient was added to its ``.grad``."""
        seen, told = leaf, False
        for hook in list((leaf._post_accumulate_hooks or {}).values()):
            result = hook(seen)
            if result is not None and result is not seen:
                if not hasattr(result, "_array"):
                    raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
                seen, told = result, True  # what the next hook is handed, before the complaint
        if told:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a hook that may get lost when its tensor is saved: saving does not warn of it.

    >>> import io
    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> _ = x.register_hook(torch.utils.hooks.unserializable_hook(lambda grad: grad * 2))
    >>> torch.save(x, io.BytesIO())
    """
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warns of each hook of a tensor that saving loses, unless it is marked with :func:`unserializable_hook`."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function "
                "with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
