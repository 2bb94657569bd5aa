"""What a custom Function's context keeps: any name, until the node goes, and for whoever asks the node."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd.function import BackwardCFunction, Context, Function, FunctionCtx

# What PyTorch's own contexts mean something by.
MEANT = {name for name in dir(Context) if not name.startswith("__")} | {"_node", "metadata"}
NAMES = sorted(
    {name for name in (*dir(BackwardCFunction), *BackwardCFunction.__annotations__) if not name.startswith("__")}
    | {"shape", "dtype", "order", "next", "saved", "where", "device", "size", "variable", "context", "tangents", "opened"}
)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MEANT])
def test_any_name_is_free(name: str) -> None:
    class Named(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            setattr(ctx, name, "mine")
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert getattr(ctx, name) == "mine"
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Named.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    y.sum().backward()
    assert g.tolist() == x.grad.tolist() == [2.0, 4.0]


def test_names_of_the_node_are_not_there_before() -> None:
    class Asks(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            assert not any(hasattr(ctx, name) for name in ("shape", "dtype", "order", "next", "saved", "where", "vjp", "foo"))
            assert ctx.name() == "AsksBackward" and ctx.metadata == {} and ctx.needs_input_grad == (True,)
            ctx.metadata["who"], ctx.scale = "forward", 3
            return x * 3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert ctx.metadata == {"who": "forward"}
            return g * ctx.scale

    x = torch.ones(1, requires_grad=True)
    y = Asks.apply(x)
    node = y.grad_fn
    assert (
        node.scale == 3 and node.saved_tensors == () and node.needs_input_grad == (True,) and node.metadata["who"] == "forward"
    )
    assert type(node).__name__ == type(node.context).__name__ == "AsksBackward" and isinstance(node.context, FunctionCtx)
    with pytest.raises(AttributeError, match="'AsksBackward' object has no attribute 'foo'"):
        _ = node.foo
    with pytest.raises(AttributeError, match="'AsksBackward' object has no attribute 'foo'"):
        _ = node.context.foo
    y.backward()
    assert x.grad.item() == 3.0


def test_nodes_and_contexts_go_without_the_collector() -> None:
    kept: list[Any] = []

    class Keeps(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.other = x.shape
            kept.append(weakref.ref(ctx))
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    gc.disable()
    try:
        x = torch.ones(3, requires_grad=True)
        y = Keeps.apply(x)
        assert kept[0]() is not None
        y.sum().backward()
        del y
        with torch.no_grad():
            Keeps.apply(x)
        assert [each() for each in kept] == [None, None]
    finally:
        gc.enable()


def test_a_context_that_outlives_its_graph_still_answers() -> None:
    held: list[Any] = []

    class Held(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.shape = x.shape
            ctx.save_for_backward(x)
            held.append(ctx)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    Held.apply(torch.ones(3, requires_grad=True)).sum().backward()
    (ctx,) = held
    assert (
        ctx.shape == (3,) and ctx.saved_tensors == () and repr(ctx).startswith("<torch.autograd.function.HeldBackward object")
    )
    with pytest.raises(AttributeError):
        _ = ctx.next_functions
