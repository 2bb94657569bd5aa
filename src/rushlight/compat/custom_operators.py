"""What an operator of one's own is under ``torch.ops``, and what autograd sees of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd import grad_mode, modes, views
from rushlight.autograd.function import Function
from rushlight.backend import numpy as backend
from rushlight.base.public_names import operator_namespaces
from rushlight.operators import fallback
from rushlight.operators.schemas import Schema
from rushlight.overrides.overloads import OpOverload, OpOverloadPacket
from rushlight.overrides.torch_dispatch import asked, takes_part
from rushlight.tensor import Tensor
from rushlight.utils._pytree import tree_flatten, tree_unflatten


class Overload(OpOverload):
    """An operator of one's own, as ``torch.ops.<namespace>.<name>.default``."""

    def __init__(self, packet: OpOverloadPacket, schema: Schema) -> None:
        super().__init__(packet, "default")
        self._schema = schema
        self.kernel: Callable[..., Any] | None = None
        self.above: Callable[..., Any] | None = None  # runs instead, and records what autograd is to know
        self.is_composite = False  # made of other operators: they are what autograd sees
        self.is_closed = False  # made by custom_op: what its function does inside is never recorded
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.further: dict[str, Any] = {}  # what transforms and tracers would ask for
        self._function: type[Function] | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        values = self._schema.bound(args, kwargs)
        leaves, spec = tree_flatten(list(values))
        needs = modes.state.grad_enabled and any(isinstance(one, Tensor) and one.requires_grad for one in leaves)
        if not self.is_closed and self.backward is None:
            return self._open(values, leaves, needs)
        if not needs or self._schema.mutated:  # what writes has no derivative
            return self.below(values)
        if self._function is None:
            self._function = _recorded(self)
        shape: list[Any] = []
        results = self._function.apply(spec, shape, *leaves)
        outs = list(results) if isinstance(results, tuple) else [results]
        return tree_unflatten(outs, shape[0])

    def _open(self, values: tuple[Any, ...], leaves: list[Any], needs: bool) -> Any:
        """An operator whose derivative is what its function records, or what the function above it does."""
        if self.above is not None and not fallback.state.below_autograd:
            return self._schema.call(self.above, values)
        if self.is_composite and self.kernel is not None:
            return self._schema.call(self.kernel, values)
        out = self.below(values)
        if needs and fallback.mode() == "warn":
            written = ["!" in one for one in self._schema.results]
            outs = out if len(written) > 1 else (out,)
            flat = [(leaf, flag) for one, flag in zip(outs, written, strict=False) for leaf in tree_flatten(one)[0]]
            fallback.marked(self.name(), leaves, flat)
        return out

    def below(self, values: tuple[Any, ...]) -> Any:
        """The operator below autograd, by the class or mode that takes it over, or by its function."""
        return asked(self, values) if takes_part(values) else self.run(values)

    def run(self, values: tuple[Any, ...]) -> Any:
        if self.kernel is None:
            raise NotImplementedError(
                f"Could not run '{self.name()}' with arguments from the 'CPU' backend. This could be because the operator doesn't "
                "exist for this backend: no function was registered for it."
            )
        schema = self._schema
        if not self.is_closed:
            return schema.call(self.kernel, values)
        for place in schema.mutated:
            if isinstance(values[place], Tensor):
                views.check_writable(values[place])
        with grad_mode.no_grad():
            out = schema.call(self.kernel, values)
        for place in schema.mutated:
            if isinstance(values[place], Tensor):
                views.bump(values[place], str(self))
        self._refuse_aliases(values, out)
        return out

    def _refuse_aliases(self, values: tuple[Any, ...], out: Any) -> None:
        seen = {id(backend.root(one._array)) for one in tree_flatten(list(values))[0] if isinstance(one, Tensor)}
        for one in tree_flatten(out)[0]:
            if not isinstance(one, Tensor):
                continue
            if id(backend.root(one._array)) in seen:
                raise RuntimeError(
                    f"{self._opname}: The output of this custom operator (1) must not also be an input to this custom operator "
                    "and (2) may not alias any inputs to this custom operator or other returns. The most common way to trigger "
                    "this error is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of "
                    "the offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
                )
            seen.add(id(backend.root(one._array)))


def _recorded(op: Overload) -> type[Function]:
    """The Function by which autograd sees an operator; lists of tensors go in and come out leaf by leaf."""

    def forward(ctx: Any, spec: Any, shape: list[Any], *leaves: Any) -> Any:
        values = tuple(tree_unflatten(list(leaves), spec))
        out = op.below(values)
        ctx.spec = spec
        outs, out_spec = tree_flatten(out)
        shape.append(out_spec)
        ctx.out_spec = out_spec
        if op.setup_context is not None:
            op.setup_context(ctx=ctx, inputs=values, output=out)
        return tuple(outs)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op.backward is None:
            raise RuntimeError(
                f"Trying to backward through {op} but no autograd formula was registered. Please use register_autograd to add "
                "one."
            )
        given = tree_unflatten(list(grads), ctx.out_spec)
        found = op.backward(ctx, *(given if isinstance(given, tuple) else (given,)))
        found = list(found) if isinstance(found, tuple) else [found]
        flat: list[Any] = []
        for one, part in zip(found, ctx.spec.children_specs, strict=False):
            flat += [None] * part.num_leaves if one is None else tree_flatten(one)[0]
        return None, None, *flat

    name = f"GeneratedBackwardFor_{op.namespace}_{op._opname}_default"
    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


class Packet(OpOverloadPacket):
    """``torch.ops.<namespace>.<name>``."""

    def __init__(self, namespace: str, name: str, schema: Schema) -> None:
        super().__init__(name, namespace)
        self._found = {"default": Overload(self, schema)}

    @property
    def op(self) -> Overload:
        return self._found["default"]  # type: ignore[return-value]

    def overload(self, name: str) -> OpOverload:
        if name not in self._found:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        return self._found[name]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.op(*args, **kwargs)


class Namespace:
    """``torch.ops.<namespace>``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Any:
        found = packets.get((self.name, name))
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
        return found

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self.name}' from 'torch.ops'>"


packets: dict[tuple[str, str], Packet] = {}


def add_operator(space: str, name: str, schema: Schema) -> Packet:
    """Puts an operator under ``torch.ops``."""
    if (space, name) in packets:
        raise RuntimeError(
            f"Tried to register an operator ({schema.named(f'{space}::{name}')}) with the same name and overload name multiple "
            "times. Each overload's schema should only be registered with a single call to def()."
        )
    operator_namespaces.setdefault(space, Namespace(space))
    packet = packets[space, name] = Packet(space, name, schema.named(f"{space}::{name}"))
    return packet


def namespace_and_name(qualname: str) -> tuple[str, str]:
    found = qualname.split("::")
    if len(found) != 2:
        raise ValueError(f"Expected an operator name of the form 'namespace::name' but got {qualname!r}")
    return found[0], found[1].removesuffix(".default")
