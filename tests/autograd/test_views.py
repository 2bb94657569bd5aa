"""Sharing memory: version counters, writes through views, and the graph after them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch


def test_a_write_counts_for_all_views() -> None:
    x = torch.zeros(4)
    first, second = x[:2], x.view(2, 2)
    first.add_(1)
    assert (x._version, first._version, second._version, x.detach()._version) == (1, 1, 1, 1)
    x.data.add_(1)
    assert x._version == 1


def test_writing_through_a_view_rewrites_its_base() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    row = y[1:]
    row.mul_(3)
    assert type(y.grad_fn).__name__ == "CopySlices"
    assert type(row.grad_fn).__name__ == "AsStridedBackward0"
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [1.0, 30.0, 300.0]


def test_other_views_of_the_base_follow() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    base = torch.zeros(3)
    before = base[0]
    base.add_(w)
    assert before.requires_grad
    before.backward()
    assert w.grad.item() == 1.0


def test_views_of_views_of_a_transposed_base() -> None:
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = (x * 1).t()
    y[1][0].mul_(5)
    y[2:].zero_()
    (y * y).sum().backward()
    assert x.grad.tolist() == [[0.0, 50.0, 0.0], [6.0, 8.0, 0.0]]


def test_element_write_from_another_tensor() -> None:
    m = torch.tensor([[2.0, 3.0]], requires_grad=True)
    n = torch.zeros(1, 2)
    n[0, 0] = m[0, 0] ** 2
    n[0, 1] = m[0, 1] ** 3
    n.backward(torch.ones_like(n))
    assert m.grad.tolist() == [[4.0, 27.0]]


def test_writes_differentiate_twice() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**3
    y[1:] *= x[:2]
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    # y = x0^3 + x1^3 x0 + x2^3 x1
    assert g.tolist() == [3 + 8, 12 * 1 + 27, 27 * 2]
    assert h.tolist() == [6 + 12, 12 + 12 + 27, 27 + 36]


def test_a_saved_value_changed_since_is_an_error_that_names_both_lines() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    z = y * 2 + y.sin()
    y.add_(1)
    with pytest.raises(RuntimeError) as caught:
        z.sum().backward()
    assert "modified by an inplace operation: [torch.FloatTensor [3]]" in str(caught.value)
    assert "\n" not in str(caught.value)
    saved, changed, _ = caught.value.__notes__
    assert saved.startswith("  saved by ") and "z = y * 2 + y.sin()" in saved
    assert changed.startswith("  changed by add_ at ") and "y.add_(1)" in changed


def test_what_was_not_saved_may_change() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    z = y + 1
    y.add_(5)
    z.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (lambda x: x.add_(1), "a leaf Variable that requires grad is being used in an in-place operation"),
        (lambda x: x[0].add_(1), "a view of a leaf Variable that requires grad"),
        (lambda x: (x * 1).unbind()[0].add_(1), "output of a function that returns multiple views"),
        (lambda x: x.detach().expand(2, 3).add_(1), "more than one element of the written-to tensor"),
        (lambda x: x.detach().add_(torch.ones(2, 3)), "doesn't match the broadcast shape"),
        (lambda x: torch.ones(3, dtype=torch.long).add_(1.5), "can't be cast to the desired output type"),
    ],
)
def test_forbidden_writes(write: object, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        write(torch.ones(3, requires_grad=True))  # type: ignore[operator]


def test_views_made_in_no_grad_may_not_be_written_outside() -> None:
    y = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        view = y[0]
    assert view.requires_grad and view.is_leaf
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        view.mul_(2)


VIEWS = {
    "transpose": lambda t: t.transpose(0, -1),
    "flatten": lambda t: t.flatten(),
    "first": lambda t: t[0] if t.ndim else t,
    "tail": lambda t: t[1:] if t.ndim and t.shape[0] > 1 else t,
    "every other": lambda t: t[::2] if t.ndim else t,
    "new axis": lambda t: t.unsqueeze(-1),
    "diagonal": lambda t: t.diagonal() if t.ndim >= 2 else t,
}
WRITES = {
    "mul": lambda t, w: t.mul_(w),
    "add": lambda t, w: t.add_(w * w),
    "fill": lambda t, w: t.fill_(0.5),
    "copy": lambda t, w: t.copy_(t.detach().clone() * w),
    "tanh": lambda t, w: t.copy_(t.tanh()),
}
STEPS = st.lists(
    st.tuples(st.lists(st.sampled_from(sorted(VIEWS)), max_size=3), st.sampled_from(sorted(WRITES))), min_size=1, max_size=4
)


def _program(x: torch.Tensor, w: torch.Tensor, steps: list[tuple[list[str], str]]) -> torch.Tensor:
    y = x * 1
    for views, write in steps:
        target = y
        for name in views:
            target = VIEWS[name](target)
        if target.numel():
            WRITES[write](target, w)
    return (y * torch.arange(1.0, 1.0 + y.numel(), dtype=torch.float64).reshape(y.shape)).sum()


@settings(max_examples=150)
@given(STEPS)
def test_writes_through_views_have_the_gradients_of_finite_differences(steps: list[tuple[list[str], str]]) -> None:
    start = torch.linspace(-0.6, 0.9, 6, dtype=torch.float64).reshape(2, 3)
    x, w = start.clone().requires_grad_(), torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    gx, gw = torch.autograd.grad(_program(x, w, steps), [x, w], materialize_grads=True)
    step = 1e-6
    with torch.no_grad():
        up, down = (_program(start, w + delta, steps).item() for delta in (step, -step))
        # `copy` writes values taken from the tensor itself without their history: only w's part is compared there.
        detached = any(write == "copy" for _, write in steps)
        assert detached or abs(gw.item() - (up - down) / (2 * step)) < 1e-4
        for index in range(6):
            moved = torch.zeros(6, dtype=torch.float64)
            moved[index] = step
            up, down = (_program(start + sign * moved.reshape(2, 3), w, steps).item() for sign in (1, -1))
            assert detached or abs(gx.flatten()[index].item() - (up - down) / (2 * step)) < 1e-4


def test_writes_through_views_of_another_kind() -> None:
    z = torch.ones(2, 3, dtype=torch.complex64, requires_grad=True)
    weights = torch.arange(12.0).view(3, 2, 2)
    pairs = torch.view_as_real(z.clone()).transpose(0, 1)
    pairs += 1
    pairs.backward(weights)
    assert torch.equal(z.grad, torch.view_as_complex(weights.transpose(0, 1).contiguous()))

    # The same where nothing was recorded before the write.
    w = torch.rand(3, 2, 2, requires_grad=True)
    pairs = torch.view_as_real(torch.zeros(2, 3, dtype=torch.complex64)).transpose(0, 1)
    pairs += w * 2
    (pairs * weights).sum().backward()
    assert torch.equal(w.grad, 2 * weights)

    x = torch.rand(3, 2, requires_grad=True)
    y = x.clone()
    numbers = torch.view_as_complex(y)
    numbers *= 2j  # (a, b) -> (-2b, 2a)
    (y * torch.tensor([3.0, 5.0])).sum().backward()
    assert x.grad.tolist() == [[10.0, -6.0]] * 3


def test_a_view_of_another_kind_may_be_transposed_in_place() -> None:
    grads = []
    weights = torch.arange(18.0).view(3, 3, 2)
    for in_place in (True, False):
        z = torch.ones(3, 3, dtype=torch.complex64, requires_grad=True)
        pairs = torch.view_as_real(z.clone())
        pairs = pairs.transpose_(0, 1) if in_place else pairs.transpose(0, 1)
        pairs += 1
        pairs.backward(weights)
        grads.append(z.grad)
    assert torch.equal(*grads)


def test_views_made_in_no_grad_are_written_into_under_a_mode() -> None:
    class Watching(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return function(*args, **(kwargs or {}))

    leaf = torch.zeros(2, 2, requires_grad=True)
    with Watching(), torch.no_grad():
        leaf[None, :] += 2
    assert leaf.tolist() == [[2, 2], [2, 2]] and leaf._version == 2
    leaf.sum().backward()
    assert leaf.grad.tolist() == [[1, 1], [1, 1]]


def test_views_of_other_numbers_stand_on_a_base_that_needed_no_gradient() -> None:
    def written(view: torch.Tensor, scale: torch.Tensor) -> list[str]:
        view.mul_(scale)
        view.abs().sum().backward()
        node = view.grad_fn
        return [node.name(), node.next_functions[0][0].name()]

    x = torch.ones(2, requires_grad=True)
    assert written(torch.view_as_complex(torch.tensor([3.0, 4.0, 6.0, 8.0]).view(2, 2)), x) == [
        "ViewAsComplexBackward0",
        "AsStridedBackward0",
    ]
    assert x.grad.tolist() == [5, 10]
    halves = torch.ones(4, dtype=torch.complex64)[::2]
    assert written(torch.view_as_real(halves), x) == ["ViewAsRealBackward0", "AsStridedBackward0"]


def test_a_view_whose_data_was_set_lies_in_its_own_memory() -> None:
    x = torch.ones(3, requires_grad=True)
    base = x * 2
    view = base.view(3)
    view.data = torch.ones(3)
    view[-1].mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [2, 2, 6]


def test_what_no_grad_makes_of_a_conjugate_of_a_leaf_view_needs_what_the_whole_memory_does() -> None:
    whole = torch.tensor([1 + 2j, 3j])
    leaf = whole[:1].requires_grad_()
    part = leaf.conj().real
    with torch.no_grad():
        again = part[..., None]
    assert part.requires_grad and part._base is whole
    assert not again.requires_grad and again._base is whole
    part.sum().backward()
    assert leaf.grad.tolist() == [1]
