"""What code may ask, and change, while a backward pass runs; and custom Functions at their edges."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import rushlight as torch
from rushlight import _C
from rushlight.autograd import Function
from rushlight.autograd.function import once_differentiable
from rushlight.autograd.graph import saved_tensors_hooks


def accumulator(leaf: Any) -> Any:
    return leaf.clone().grad_fn.next_functions[0][0]


def test_planned_order_is_the_order_in_which_hooks_run() -> None:
    a, b = (torch.tensor(value, requires_grad=True) for value in (1.0, 2.0))
    c, d = a.cos(), b.sin()
    out = c * d
    seen, plan = [], []
    for tensor in (a, b, c, d, out):
        tensor.register_hook(lambda _, tensor=tensor: seen.append(tensor))
    out.register_hook(lambda _: plan.extend(_C._current_graph_task_execution_order()))
    with torch.autograd.set_multithreading_enabled(False):
        out.backward()
    assert plan == [tensor.grad_fn or accumulator(tensor) for tensor in seen] and len(plan) == 5
    a.register_hook(lambda _: _C._current_graph_task_execution_order())
    with pytest.raises(RuntimeError, match="multithreading disabled"):
        (a * 2).sin().sum().backward()
    with pytest.raises(RuntimeError, match="only be called during the backward pass"):
        _C._current_graph_task_execution_order()


def test_which_nodes_a_pass_will_run() -> None:
    a, b = (torch.ones(1, requires_grad=True) for _ in range(2))
    c = a * b
    answers = []
    sinks = [accumulator(leaf) for leaf in (a, b)]
    c.register_hook(lambda _: answers.append([_C._will_engine_execute_node(sink) for sink in sinks]))
    c.backward(inputs=a, retain_graph=True)
    c.backward(retain_graph=True)
    assert answers == [[True, False], [True, True]]
    with pytest.raises(RuntimeError, match="A leaf node was passed"):
        torch.autograd.grad(c, a)
    with pytest.raises(RuntimeError, match="during the backward pass"):
        _C._will_engine_execute_node(c.grad_fn)
    with pytest.raises(RuntimeError, match="expects an grad_fn, but got Tensor"):
        _C._will_engine_execute_node(c)


def test_passes_are_numbered_and_nodes_known() -> None:
    numbers, nodes = [], []

    class Nosy(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            numbers.append(_C._current_graph_task_id())
            nodes.append(_C._current_autograd_node() is ctx)
            return g * 2

    y = Nosy.apply(torch.ones(1, requires_grad=True))
    y.backward()
    y.backward()
    assert numbers[1] == numbers[0] + 1 and nodes == [True, True]
    assert _C._current_graph_task_id() == -1 and _C._current_autograd_node() is None


def test_saved_tensor_hooks_entered_in_a_pass_end_with_it() -> None:
    def scope():
        def unpack(x):
            hooks().__enter__()
            return x

        entered = saved_tensors_hooks(lambda x: x, unpack)
        hooks = weakref.ref(entered)
        with entered:
            torch.ones(2, requires_grad=True).sin().sum().backward()
        return weakref.ref(unpack)

    gc.disable()
    try:
        assert scope()() is None
    finally:
        gc.enable()
    y = torch.ones(1, requires_grad=True).exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x)  # refused where hooks are set already


def test_once_differentiable_leaves_an_error_in_the_graph() -> None:
    class Affine(Function):
        @staticmethod
        def forward(ctx, x, number, y):
            return x + number * y

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g, None, g * 3

    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    go = torch.ones((), requires_grad=True)
    gx, gy = torch.autograd.grad(Affine.apply(x, 3, y).sum(), (x, y), go, create_graph=True)
    assert gx.grad_fn is gy.grad_fn and (gx.output_nr, gy.output_nr) == (0, 2)
    assert gx.grad_fn.name() == "torch::autograd::Error"
    assert [node and node.name() for node, _ in gx.grad_fn.next_functions] == [
        "torch::autograd::AccumulateGrad",
        None,
        "torch::autograd::AccumulateGrad",
    ]
    with pytest.raises(RuntimeError, match="twice a function that was marked with @once_differentiable"):
        gx.sum().backward()


def test_delayed_error_raises_only_where_it_is_reached() -> None:
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    guarded = _C._functions.DelayedError("too far", 1)(y)
    out = x.clone().view(-1)
    out += guarded
    assert torch.autograd.grad(out.sum(), x, retain_graph=True)[0].tolist() == [1, 1]
    assert torch.autograd.grad(out.sum(), guarded, retain_graph=True)[0].tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="too far"):
        out.sum().backward()


def test_one_tensor_returned_twice_stays_one() -> None:
    class Twice(Function):
        @staticmethod
        def forward(ctx, x, inplace):
            result = x.mul_(2) if inplace else x * 2
            if inplace:
                ctx.mark_dirty(x)
            return result, result

        @staticmethod
        def backward(ctx, first, second):
            return first * 2 + second * 2, None

    for inplace in (False, True):
        x = torch.ones(2, requires_grad=True)
        a, b = Twice.apply(x.clone(), inplace)
        assert a is b and a.output_nr == 1
        (a + b).sum().backward()
        assert x.grad.tolist() == [4, 4]
    with pytest.raises(RuntimeError, match="your Function cannot return more than one Tensor"):
        Twice.apply(torch.ones(2, 2, requires_grad=True).clone()[0], True)


@pytest.mark.parametrize("wanted", [True, False])
def test_zeros_for_outputs_without_derivative_can_be_left_out(wanted: bool) -> None:
    class Pair(Function):
        @staticmethod
        def forward(ctx, x):
            kept, other = x.clone(), x.clone()
            ctx.mark_non_differentiable(other)
            ctx._materialize_non_diff_grads = wanted
            return kept, other

        @staticmethod
        def backward(ctx, g, other):
            assert (other is not None) == wanted
            return g

    x = torch.ones(1, requires_grad=True)
    Pair.apply(x)[0].backward()
    assert x.grad.tolist() == [1]


def test_decorating_a_class_warns_and_covers_its_making_only() -> None:
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.no_grad()
        class Thing:
            def __init__(self):
                self.made = torch.is_grad_enabled()

            def now(self):
                return torch.is_grad_enabled()

    assert (Thing().made, Thing().now()) == (False, True)


def test_old_names_of_functions_warn() -> None:
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated"):
                (x,) = ctx.saved_variables
            return g * x

    Same.apply(torch.ones(1, requires_grad=True)).backward()
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        Same()


def test_forward_mode_names_the_op_that_lacks_it() -> None:
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with igamma that does not support it"):
            torch.igamma(x, x)
