"""The backward pass: what it computes, in which order, what it frees, and what survives an error."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

import rushlight as torch
from rushlight.autograd import gradients
from rushlight.autograd.handles import observers


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_a_tensor_used_twice_gets_the_sum() -> None:
    x = leaf(2.0, 3.0)
    (x * x + x).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_gradients_accumulate_in_leaves_and_only_there() -> None:
    x = leaf(1.0)
    y = x * 3
    for _ in range(2):
        y.backward(retain_graph=True)
    assert x.grad.item() == 6.0
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None


def test_a_number_in_the_graph_has_no_edge() -> None:
    x = leaf(1.0)
    assert [node and node.name() for node, _ in (x * 2).grad_fn.next_functions] == [
        "torch::autograd::AccumulateGrad",
        None,
    ]


def test_nodes_run_latest_first_and_leaves_as_soon_as_they_are_ready() -> None:
    order: list[str] = []
    x, w = leaf(1.0), leaf(2.0)
    early = x * 2
    late = w * 3
    out = early * late
    for name, tensor in (("x", x), ("w", w), ("early", early), ("late", late)):
        tensor.register_hook(lambda g, name=name: order.append(name))
    out.backward()
    assert order == ["late", "w", "early", "x"]


def test_only_tensors_are_freed() -> None:
    x = leaf(1.0, 2.0)
    total = x.sum()
    total.backward()
    total.backward()
    product = (x * x).sum()
    product.backward()
    with pytest.raises(RuntimeError, match=r"second time(.|\n)*recorded at .*test_engine\.py"):
        product.backward()


def test_saved_values_die_with_their_node() -> None:
    x = leaf(1.0, 2.0)
    inner = x * 1
    alive = weakref.ref(inner)
    out = (inner * inner).sum()
    del inner
    assert alive() is not None
    out.backward()
    assert alive() is None


def test_graphs_hold_no_cycles() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        y = x.exp() * x + 1
        y[0] = 3.0
        nodes = [weakref.ref(y.grad_fn), weakref.ref(x)]
        y.sum().backward()
        del x, y
        assert [node() for node in nodes] == [None, None]
    finally:
        gc.enable()


def test_a_deep_chain_runs_and_is_freed_without_recursion() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y * 1.0
    y.backward()
    assert x.grad.item() == 1.0
    del y


def test_grad_never_shares_memory() -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    given = torch.ones(2)
    (x + y).backward(given)
    arrays = [x.grad.numpy(), y.grad.numpy(), given.numpy()]
    for index, array in enumerate(arrays):
        array[0] = 100.0 + index
    assert [array[0] for array in arrays] == [100.0, 101.0, 102.0]
    z = leaf(1.0, 2.0)
    z.sum().backward()
    z.grad[0] = 5.0
    assert z.grad.tolist() == [5.0, 1.0]


def test_an_array_kept_as_numpy_view_is_not_given_away() -> None:
    kept = []
    x = leaf(1.0, 2.0)
    y = x * 2
    y.register_hook(lambda g: kept.append(g.numpy()))
    (y * 1.5).sum().backward()
    before = kept[0].copy()
    x.grad.mul_(100)
    assert (kept[0] == before).all()


def test_inputs_limits_the_pass() -> None:
    x, w = leaf(1.0), leaf(2.0)
    ran = []
    hidden = w * 3
    hidden.register_hook(lambda g: ran.append("hidden"))
    (x * 2 + hidden).backward(inputs=[x])
    assert x.grad.item() == 2.0
    assert w.grad is None
    assert ran == []


def test_grad_of_inner_tensors_and_unused_ones() -> None:
    x = leaf(3.0)
    y = x * x
    z = y * 2
    assert [g.item() for g in torch.autograd.grad(z, [y, x], retain_graph=True)] == [2.0, 12.0]
    other = leaf(1.0)
    with pytest.raises(RuntimeError, match="index 1 appears to not have been used"):
        torch.autograd.grad(z, [x, other], retain_graph=True)
    assert torch.autograd.grad(z, [x, other], retain_graph=True, allow_unused=True)[1] is None
    zeros = torch.autograd.grad(z, [x, other], materialize_grads=True)[1]
    assert zeros.tolist() == [0.0]


def test_higher_derivatives() -> None:
    x = leaf(2.0)
    y = x**4
    for expected in (32.0, 48.0, 48.0, 24.0):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        assert y.item() == expected


def test_batched_cotangents() -> None:
    x = leaf(1.0, 2.0)
    (rows,) = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_a_hook_that_raises_leaves_leaves_whole() -> None:
    x, w = leaf(1.0), leaf(2.0)
    x.grad, w.grad = torch.tensor([10.0]), torch.tensor([20.0])

    def fails(g: torch.Tensor) -> None:
        raise KeyboardInterrupt

    hidden = x * 2
    hidden.register_hook(fails)
    out = hidden * w
    with pytest.raises(KeyboardInterrupt):
        out.backward()
    assert x.grad.item() == 10.0
    assert w.grad.item() in (20.0, 22.0)
    assert torch.is_grad_enabled()


def test_hooks_change_gradients_and_can_be_removed() -> None:
    x = leaf(1.0)
    handle = x.register_hook(lambda g: g * 10)
    x.sum().backward()
    handle.remove()
    x.sum().backward()
    assert x.grad.item() == 11.0


def test_node_hooks() -> None:
    x = leaf(1.0)
    y = x * 2
    seen = []
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 3,))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item())))
    y.backward()
    assert seen == [(6.0, 3.0)]
    assert x.grad.item() == 6.0


def test_several_threads_accumulate_into_one_leaf() -> None:
    w = torch.ones(50, requires_grad=True)

    def work(scale: float) -> None:
        for _ in range(50):
            ((w * w) * scale).sum().backward()

    threads = [threading.Thread(target=work, args=(float(scale),)) for scale in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.grad.tolist() == [1000.0] * 50


def test_grad_mode_is_a_thread_s_own() -> None:
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        (lambda x: x.backward(), RuntimeError, "grad can be implicitly created only for scalar outputs"),
        (lambda x: (x * 2).backward(torch.ones(3)), RuntimeError, "Mismatch in shape"),
        (lambda x: x.detach().sum().backward(), RuntimeError, "does not require grad and does not have a grad_fn"),
        (lambda x: (x * 2).backward([1.0, 2.0]), TypeError, "gradients can be either Tensors or None, but got float"),
        (lambda x: torch.autograd.grad(x.sum(), []), RuntimeError, "cannot be empty"),
        (lambda x: torch.tensor([1, 2], requires_grad=True), RuntimeError, "Only Tensors of floating point"),
    ],
)
def test_errors(wrong: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        wrong(leaf(1.0, 2.0))  # type: ignore[operator]


def test_gradient_edge_is_a_pair() -> None:
    x = leaf(1.0)
    y = x * 2
    edge = gradients.GradientEdge(y.grad_fn, 0)
    assert edge.node is y.grad_fn
    assert torch.autograd.grad(y * 3, edge)[0].item() == 3.0


def test_leaves_before_a_node_without_a_derivative_have_their_gradients() -> None:
    """A node that only raises takes its turn among the leaves, as in PyTorch."""
    c = torch.tensor([-0.5, 2.0, -1.5], requires_grad=True)
    before, after = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        torch.stack([before, c // 2, after]).sum().backward()
    assert before.grad.tolist() == [1, 1, 1]
    assert after.grad is None and c.grad is None


def test_joined_dtypes_have_no_nodes_of_their_own() -> None:
    single, double = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.float64, requires_grad=True)
    for join in (torch.cat, torch.stack):
        joined = join([single, double])
        assert joined.dtype is torch.float64
        assert [node.name() for node, _ in joined.grad_fn.next_functions] == ["torch::autograd::AccumulateGrad"] * 2
        gradients = torch.autograd.grad(joined.square().sum(), (single, double), create_graph=True)
        assert [one.dtype for one in gradients] == [torch.float32, torch.float64]
        assert [one.tolist() for one in torch.autograd.grad(gradients[0].sum(), single)] == [[2, 2]]


def test_parts_taken_in_no_grad_of_a_leaf_that_is_a_view_need_no_gradient() -> None:
    leaf = torch.zeros(4, 5).view(-1, 5).requires_grad_()
    with torch.no_grad():
        part, _ = leaf.chunk(2, 1)
    assert not part.requires_grad
    assert part.split([2, 1], 1)[0].grad_fn is None


def test_views_without_elements_find_their_place_after_a_write() -> None:
    a = torch.ones(2, 0, requires_grad=True)
    d = torch.stack([a, a], -1)
    d[None, 1, 0:, ::2] -= 2
    of_a, of_d = torch.autograd.grad(d.sum(), [a, d], create_graph=True)
    assert of_a.shape == (2, 0) and of_d.shape == (2, 0, 2)


def test_of_two_values_changed_the_first_by_name_is_the_error() -> None:
    for loss, names in ((torch.nn.functional.mse_loss, "self"), (torch.mul, "other")):
        e = torch.tensor(-1.25, requires_grad=True) * 1
        view = e[()]
        out = loss(e, view)
        view.copy_(torch.tensor(2.0))
        changed = {"self": "CopySlices", "other": "AsStrided"}[names]
        with pytest.raises(RuntimeError, match=f"output 0 of (torch::autograd::)?{changed}"):
            out.backward()


@pytest.mark.parametrize("with_subclass", [False, True])
def test_a_node_without_a_derivative_raises_before_leaves_that_wait_for_it(
    with_subclass: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observers, "present", False)

    class Marked(torch.Tensor):
        pass

    marked = torch.ones(1).as_subclass(Marked) if with_subclass else None  # from then on ops take the general path
    x = torch.tensor(-1.5, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        torch.lerp(x, x // 2.5, 1).backward()
    assert x.grad is None
    del marked


def test_roots_that_lead_to_nothing_asked_for_run_no_hooks() -> None:
    x, leaf = torch.ones(2, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    inner, seen = leaf * 2, []
    leaf.register_hook(lambda g: seen.append("leaf"))
    inner.register_hook(lambda g: seen.append("inner"))
    torch.autograd.grad([(x * 2).sum(), leaf, inner], [x], retain_graph=True)
    torch.autograd.backward([(x * 2).sum(), leaf, inner], inputs=[x], retain_graph=True)
    assert seen == []
    torch.autograd.grad([(x * 2).sum(), leaf, inner], [x, inner], retain_graph=True)
    assert seen == ["inner"]
