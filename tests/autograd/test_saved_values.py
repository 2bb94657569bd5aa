"""What nodes keep, as users see it: ``_saved_*``, ``_raw_saved_*``, and Functions that give up what they saved."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.autograd import Function, SavedTensor
from rushlight.autograd.graph import saved_tensors_hooks


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def test_names_are_those_of_pytorch() -> None:
    x = torch.ones(1, 1, 3, 3, requires_grad=True)
    line, matrix, batch = x[0, 0, :1].unsqueeze(0), x[0, 0], x[0]
    cases: list[tuple[Any, dict[str, Any]]] = [
        (F.interpolate(line, 4, mode="linear"), {"output_size": (4,), "align_corners": False, "scales": None}),
        (F.interpolate(line, scale_factor=2.0, mode="linear"), {"scales": 2.0, "self_sym_sizes": (1, 1, 3)}),
        (F.interpolate(x, scale_factor=2.0), {"scales_h": 2.0, "scales_w": 2.0}),
        (F.conv2d(x, torch.ones(2, 1, 3, 3), torch.ones(2, requires_grad=True)), {"bias_sym_sizes_opt": (2,), "groups": 1}),
        (F.conv2d(x, torch.ones(2, 1, 3, 3)), {"bias_sym_sizes_opt": (0,), "transposed": False}),
        (torch.addbmm(matrix, batch, batch), {"batch1_sym_argsize_0": 1, "batch1_sym_argsize_1": 3, "beta": 1}),
        (F.unfold(x, 3), {"self_sym_argsize_minus_1": 3, "self_sym_argsize_minus_2": 3, "kernel_size": (3, 3)}),
        (torch.div(x, 2, rounding_mode="trunc"), {"rounding_mode": "trunc"}),
        (torch.div(x, 2, rounding_mode=None), {"rounding_mode": None}),
        (matrix.as_strided((3,), (1,), 1), {"storage_offset": 1, "size": (3,), "stride": (1,)}),
        (matrix.as_strided((3,), (1,)), {"storage_offset": None}),
        (torch._foreach_maximum([x, x], [0.0, 1.0])[1], {"scalars": (0.0, 1.0)}),
        (matrix @ matrix.t(), {"self_sym_sizes": (3, 3), "mat2_sym_strides": (1, 3)}),
        (x.mean(), {"self_sym_numel": 9}),
        (matrix.split(2)[0], {"split_size": 2, "dim": 0}),
        (F.embedding(torch.tensor([0]), matrix, padding_idx=1), {"padding_idx": 1, "weight_sym_argsize_0": 3}),
        (F.gelu(matrix, approximate="tanh"), {"approximate": "tanh"}),
        (F.hardtanh(matrix, -0.5, 0.5), {"min_val": -0.5, "max_val": 0.5}),
        (F.mse_loss(matrix, matrix, reduction="sum"), {"reduction": 2}),
        (matrix[:, 0:2], {"start": 0, "end": 2, "step": 1}),
    ]
    for result, expected in cases:
        node = result.grad_fn
        assert {name: getattr(node, f"_saved_{name}") for name in expected} == expected, node.name()


@pytest.mark.parametrize("number", [1 + 0j, 1.0, 1, False])
def test_a_threshold_keeps_its_type(number: Any) -> None:
    x = leaf(0.0, 2.0)
    y = F.threshold(x, number, number)
    assert type(y.grad_fn._saved_threshold) is type(number)
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_foreach_extremes_split_the_gradient_of_a_tie() -> None:
    x = leaf(0.0, 1.0, 2.0, float("nan"))
    for name, expected in (("maximum", [0.0, 0.5, 1.0, 1.0]), ("minimum", [1.0, 0.5, 0.0, 1.0])):
        for other in (1.0, [1.0]):
            (y,) = getattr(torch, f"_foreach_{name}")([x], other)
            assert torch.autograd.grad(y.sum(), x)[0].tolist() == expected


def test_raw_values_show_what_is_kept() -> None:
    a = leaf(2.0)

    def unpack(kept: Any) -> Any:
        return kept

    with saved_tensors_hooks(lambda tensor: tensor, unpack):
        b = a**2
    c = b.exp()
    d = c**2
    packed, output, inner = b.grad_fn._raw_saved_self, c.grad_fn._raw_saved_result, d.grad_fn._raw_saved_self
    assert packed.data is a and packed.unpack_hook is unpack
    assert output.data is not c and output.data.grad_fn is None and output.unpack().grad_fn is c.grad_fn
    assert inner.data is c and inner.unpack_hook is None and isinstance(inner, SavedTensor)
    d.backward()
    assert inner.data is None
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        inner.unpack()
    with pytest.raises(RuntimeError, match="is forbidden"):
        SavedTensor()


def test_raw_values_of_lists_take_hooks_one_by_one() -> None:
    x, index = torch.ones(2, 2, requires_grad=True), torch.tensor([0, 0])
    node = (y := x[:, index]).grad_fn
    none, raw = node._raw_saved_indices
    with pytest.raises(RuntimeError, match="None is forbidden"):
        none.register_hooks(lambda t: t, lambda t: t)
    for wrong in ((1, 1), (lambda t: t,)):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            raw.register_hooks(*wrong)
    seen: list[Any] = []
    raw.register_hooks(lambda t: t.tolist(), lambda kept: seen.append(kept) or torch.tensor(kept))
    y.sum().backward()
    assert seen == [[0, 0]] and x.grad.tolist() == [[2.0, 0.0], [2.0, 0.0]]


def test_a_saved_tensor_of_ones_own() -> None:
    counts = [0, 0]

    def count(place: int) -> Any:
        def hook(tensor: Any) -> Any:
            counts[place] += 1
            return tensor

        return hook

    a = leaf(1.0, 2.0)
    with saved_tensors_hooks(count(0), count(1)):
        kept = torch._C._autograd._make_saved_tensor(a, is_output=False)
    assert counts == [1, 0]
    assert kept.unpack().tolist() == kept.unpack().tolist() == [1.0, 2.0] and counts == [1, 2]


def test_a_function_may_give_up_what_it_saved() -> None:
    dead: list[bool] = []

    class Once(Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            alive = weakref.ref(x)
            del x
            dead.append(alive() is None)
            with pytest.raises(RuntimeError, match="can only be accessed once"):
                _ = ctx.saved_tensors
            return g * 2

    x = leaf(1.0)
    Once.apply(x.clone()).backward()
    assert dead == [True] and x.grad.tolist() == [2.0]


def test_a_context_keeps_no_tensor_alive() -> None:
    class InPlace(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    def scope() -> Any:
        x = leaf(1.0).clone().view(1)
        InPlace.apply(x)
        return weakref.ref(x)

    gc.disable()
    try:
        assert scope()() is None
    finally:
        gc.enable()


def test_what_may_be_marked_dirty() -> None:
    class Mark(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, view: bool) -> Any:
            y = x * 2
            y = y.view(-1) if view else y
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g, None

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        Mark.apply(leaf(1.0).clone(), False)
    with pytest.raises(RuntimeError, match="received a tensor that was not an input"):
        Mark.apply(leaf(1.0).clone(), True)


class View(Function):
    """Two of the elements, as a view that says of itself whether it may be written through."""

    backward_calls = 0

    @staticmethod
    def forward(ctx: Any, x: Any, pure: bool) -> Any:
        ctx._is_pure_view = pure
        return x[:2]

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        View.backward_calls += 1
        return torch.cat([g, torch.zeros(1)]), None


def test_pure_views_may_be_written_through() -> None:
    x = leaf(1.0, 2.0, 3.0)
    base = x.clone()
    View.apply(base, True).mul_(10)
    View.backward_calls = 0
    base.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0, 1.0] and View.backward_calls == 0
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        View.apply(x.clone(), False).mul_(10)
    unrecorded = View.apply(torch.zeros(3), False)
    unrecorded.add_(1)
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        unrecorded.add_(x[:2])


def test_views_can_keep_the_nodes_that_made_them() -> None:
    def written() -> Any:
        y = torch.ones(2, 2, requires_grad=True).clone().view(-1)[1:3].unsqueeze(0)
        return y.add_(1)

    names = []
    with torch.autograd._force_original_view_tracking(True):
        assert torch.autograd.is_view_replay_enabled()
        node = written().grad_fn
        while node is not None:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None
    assert names[:4] == ["UnsqueezeBackward0", "SliceBackward0", "ViewBackward0", "torch::autograd::CopySlices"]
    assert not torch.autograd.is_view_replay_enabled()
    assert written().grad_fn.name() == "AsStridedBackward0"


def test_version_counters_can_be_kept_and_set() -> None:
    x, y = torch.ones(2), torch.ones(2)
    x.add_(1)
    with torch.autograd._unsafe_preserve_version_counter((x, y)):
        x.mul_(2)
        y.mul_(3)
    assert (x._version, y._version) == (1, 0)
    torch._C._autograd._unsafe_set_version_counter((x,), (5,))
    assert x._version == 5
    with pytest.raises(RuntimeError, match="Cannot set a version_counter to a value below 0"):
        torch._C._autograd._unsafe_set_version_counter((x,), (-1,))


def test_nodes_behave_as_if_derived_from_node() -> None:
    Node = torch.autograd.graph.Node
    node = leaf(1.0).exp().grad_fn
    assert isinstance(node, Node) and issubclass(type(node), Node) and Node not in type(node).mro()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert node.metadata == {}


def test_data_keeps_the_version_counter_and_the_kind() -> None:
    x = torch.randn(1, 2)
    view = x[:]
    x.data = torch.randn(2, 3)
    x.add_(1)
    assert x._version == view._version == 1 and x.shape == (2, 3)
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        leaf(1.0).data = torch.tensor([1])


def test_dim_none_is_not_no_dim() -> None:
    x = leaf(1.0, 2.0)
    assert [one.grad_fn.name() for one in (x.sum(), x.sum(dim=None), x.sum(()), x.mean(), x.mean(None))] == [
        "SumBackward0", "SumBackward1", "SumBackward1", "MeanBackward0", "MeanBackward1",
    ]  # fmt: skip


def test_functions_that_write_into_views() -> None:
    class Add(Function):
        @staticmethod
        def forward(ctx: Any, x: Any, extra: bool) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return x.clone() if extra else x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3, None

    x = leaf(1.0, 2.0)
    base = x.clone()
    y = Add.apply(base[0], False)
    assert y.grad_fn.name() == "AsStridedBackward0"
    base.sum().backward()
    assert x.grad.tolist() == [3.0, 1.0]
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view and is being modified inplace"):
        Add.apply(x.clone().split(1)[0], False)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        Add.apply(x.view(-1), False)
    for one in (x.clone(), x.clone().view(-1), x.detach().clone()):
        with pytest.raises(RuntimeError, match="marked as dirty during the forward method were not returned as output"):
            Add.apply(one, True)


def test_an_error_is_not_hidden_by_its_own_warning(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            warnings.simplefilter("error")
            x = leaf(1.0).clone()
            y = x**2
            x += 1
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.backward()
    assert "Error detected in PowBackward0" in capsys.readouterr().err


def test_slopes_are_nodes_of_their_own() -> None:
    cases = (lambda x: F.threshold(x, 0, 0), "ThresholdBackwardBackward0"), (F.hardtanh, "HardtanhBackwardBackward0")
    for function, name in cases:
        x = leaf(0.5, -2.0)
        (g,) = torch.autograd.grad((function(x) ** 2).sum(), x, create_graph=True)
        assert g.grad_fn.name() == name
        assert torch.autograd.grad(g.sum(), x)[0].tolist() == [2.0, 0.0]
