"""What code may ask, and change, while a backward pass runs; and custom Functions at their edges."""

from __future__ import annotations

import gc
import weakref
from collections import OrderedDict
from typing import Any

import pytest

import rushlight as torch
from rushlight import _C
from rushlight.autograd import Function
from rushlight.autograd.function import once_differentiable
from rushlight.autograd.graph import saved_tensors_hooks
from rushlight.utils.checkpoint import checkpoint


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
            nodes.append(_C._current_autograd_node().context is ctx)
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


def test_a_saved_output_is_freed_where_its_hook_raises() -> None:
    made: list[Any] = []

    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.clone()
            ctx.save_for_backward(y)
            made.append(weakref.ref(y))
            return y

        @staticmethod
        def backward(ctx, g):
            return g if ctx.saved_tensors else None

    gc.disable()
    try:
        checkpoint(Keep.apply, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
        assert len(made) == 2 and all(reference() is None for reference in made)
    finally:
        gc.enable()


def test_gradients_of_another_dtype() -> None:
    class Widen(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g.double()

    x = torch.ones(2, requires_grad=True)
    Widen.apply(x).sum().backward()
    assert x.grad.dtype is x.grad_dtype is torch.float32
    with pytest.raises(RuntimeError, match="Cannot set grad_dtype to 'Half' because there is already a gradient"):
        x.grad_dtype = torch.float16
    for wanted, got in ((torch.float16, torch.float16), (None, torch.float64)):
        x.grad = None
        x.grad_dtype = wanted
        Widen.apply(x).sum().backward()
        assert x.grad.dtype is got and x.grad.tolist() == [1, 1]
        (x * 2).sum().backward()  # goes into the gradient that is there
        assert x.grad.dtype is got and x.grad.tolist() == [3, 3]
    x.grad = None
    x.grad_dtype = torch.float16
    with pytest.raises(RuntimeError, match="dtype 'float' to a tensor with grad_dtype 'Half'"):
        x.grad = torch.ones(2)
    with pytest.raises(RuntimeError, match="grad_dtype can only be set on leaf tensors"):
        (x * 2).grad_dtype = None


def test_a_hook_registered_while_its_node_runs_gets_no_grad_outputs() -> None:
    got: list[Any] = []

    def unpack(x):
        _C._current_autograd_node().register_hook(lambda inputs, outputs: got.append((len(inputs), outputs)))
        return x

    x = torch.rand(3, 3, requires_grad=True)
    with saved_tensors_hooks(lambda x: x, unpack):
        torch.var_mean(x, dim=0)[0].sum().backward()
    assert got == [(1, (None, None))]


def test_zeros_for_the_unused_can_be_differentiated_on() -> None:
    x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    for create_graph in (True, False):
        zeros = torch.autograd.grad(x * 2, y, create_graph=create_graph, materialize_grads=True)[0]
        assert zeros.requires_grad is create_graph and zeros.tolist() == [0]
    edge = torch.autograd.graph.get_gradient_edge(y.clone())
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        torch.autograd.grad(x * 2, edge, materialize_grads=True)


def test_a_node_called_by_hand_counts_its_arguments() -> None:
    node = (torch.ones(1, requires_grad=True) ** 2).grad_fn
    assert node(torch.ones(1)).tolist() == [2] and node(None) is None
    for arguments in ((), (torch.ones(1), torch.ones(1))):
        with pytest.raises(TypeError, match=f"expected 1 arguments, got {len(arguments)} instead"):
            node(*arguments)


def test_batched_gradients_of_a_wrong_shape_are_named() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"interpret the first dimension of each grad_output as the batch dimension"):
        torch.autograd.grad(x.clone(), x, torch.ones(2, 2), is_grads_batched=True)


def test_set_makes_another_leaf_of_a_tensor() -> None:
    x = torch.ones(2, requires_grad=True)
    edge, out = torch.autograd.graph.get_gradient_edge(x), x.clone()
    with torch.no_grad():
        x.set_(torch.zeros(2))
    with pytest.raises(RuntimeError, match="to not have been used in the graph"):
        torch.autograd.grad(out.sum(), x, retain_graph=True)
    assert torch.autograd.grad(out.sum(), edge)[0].tolist() == [1, 1]


def test_what_belongs_to_a_tensor_is_not_deleted() -> None:
    x = torch.ones(2, requires_grad=True)
    for name, text in {
        "data": "Deleting tensor data is not allowed",
        "requires_grad": "requires_grad must be a bool",
        "_grad_fn": "Deletion of _grad_fn not allowed",
        "_backward_hooks": "Deletion of _backwards_hooks not allowed",
    }.items():
        with pytest.raises(RuntimeError, match=text):
            delattr(x, name)
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = 1
    called: list[Any] = []
    x._backward_hooks = OrderedDict()
    x._backward_hooks["mine"] = called.append
    x.sum().backward()
    assert len(called) == 1


def test_view_replay_puts_the_ops_of_a_view_back() -> None:
    def changed() -> Any:
        view = torch.ones(2, 3, requires_grad=True).clone().t()[1]
        view.mul_(2)
        return view

    assert changed().grad_fn.name() == "AsStridedBackward0"
    with torch.autograd._force_original_view_tracking(True):
        assert torch.autograd.is_view_replay_enabled()
        view = changed()
    names, node = [], view.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == [
        "SelectBackward0",
        "TBackward0",
        "torch::autograd::CopySlices",
        "CloneBackward0",
        "torch::autograd::AccumulateGrad",
    ]
    assert not torch.autograd.is_view_replay_enabled()


def test_gather_by_a_scalar_index() -> None:
    x = torch.arange(4.0, requires_grad=True)
    y = x.gather(0, torch.tensor(2))
    y.backward()
    assert y.item() == 2 and x.grad.tolist() == [0, 0, 1, 0]


def test_how_nodes_print() -> None:
    class Twice(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.ones(3, requires_grad=True).clone()
    assert repr(Twice.apply(x).grad_fn).startswith("<torch.autograd.function.TwiceBackward object at 0x")
    assert repr(x.grad_fn).startswith("<CloneBackward0 object at 0x")
    x[:1].mul_(2)
    assert repr(x.grad_fn).startswith("<CopySlices object at 0x")
