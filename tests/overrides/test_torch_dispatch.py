"""``__torch_dispatch__``: classes without memory of their own, and modes, see the ops below autograd."""

from __future__ import annotations

import copy
import io
import pickle
from contextlib import nullcontext
from typing import Any, ClassVar

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad
from rushlight.utils._mode_utils import no_dispatch
from rushlight.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode
from rushlight.utils._pytree import tree_map
from rushlight.utils.checkpoint import checkpoint


class Wrapper(torch.Tensor):
    """Holds another tensor, and notes the ops on it."""

    seen: ClassVar[list[str]] = []

    @staticmethod
    def __new__(cls, inner, requires_grad=False):
        made = torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), dtype=inner.dtype, requires_grad=requires_grad
        )
        made.inner = inner.detach()
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        assert not torch.is_grad_enabled()
        cls.seen.append(str(func))
        inner = tree_map(lambda one: one.inner if isinstance(one, cls) else one, args)
        out = func(*inner, **(kwargs or {}))
        return tree_map(lambda one: cls(one) if isinstance(one, torch.Tensor) else one, out)


@pytest.fixture(autouse=True)
def _fresh():
    Wrapper.seen = []


def test_ops_forward_and_backward_go_to_the_class():
    x = Wrapper(torch.tensor([1.0, 2.0]), requires_grad=True)
    y = (x * x).sin().sum()
    assert Wrapper.seen == ["aten.mul.Tensor", "aten.sin.default", "aten.sum.default"]
    assert isinstance(y, Wrapper) and type(y.grad_fn).__name__ == "SumBackward0"
    y.backward()
    assert "aten.cos.default" in Wrapper.seen and isinstance(x.grad, Wrapper) and not x.grad.requires_grad
    assert torch.allclose(x.grad.inner, 2 * x.inner * (x.inner**2).cos())


def test_second_derivatives_of_wrappers():
    x = Wrapper(torch.tensor([1.0, 2.0]), requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert isinstance(g, Wrapper) and h.inner.tolist() == [6.0, 12.0]


def test_views_writes_and_numbers_of_wrappers():
    x = Wrapper(torch.arange(4.0))
    x[1:3].mul_(10)
    assert x.inner.tolist() == [0.0, 10.0, 20.0, 3.0]
    assert x.sum().item() == 33.0 and x.tolist() == [0.0, 10.0, 20.0, 3.0] and bool((x > -1).all())
    assert x.shape == (4,) and x.stride() == (1,) and x.dtype is torch.float32
    assert x.__repr__(tensor_contents="...") == "Wrapper(...)"


def test_functional_on_wrappers():
    x = Wrapper(torch.tensor([1.0, 2.0]))
    hessian = torch.autograd.functional.hessian(lambda v: (v**3).sum(), x)
    assert isinstance(hessian, Wrapper) and hessian.tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_a_class_without_handler_cannot_be_a_wrapper():
    class Plain(torch.Tensor):
        pass

    with pytest.raises(RuntimeError, match="does not define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(Plain, (2,))


class Count(TorchDispatchMode):
    def __init__(self) -> None:
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        assert _get_current_dispatch_mode() is not self
        return func(*args, **(kwargs or {}))


def test_modes_nest_and_see_the_backward_pass():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with Count() as outer, Count() as inner:
        x.exp().sum().backward()
        with no_dispatch():
            x.cos()
    assert inner.names[:2] == ["exp.default", "sum.default"] == outer.names[:2] and "mul.Tensor" in inner.names
    assert "cos.default" not in inner.names and torch.allclose(x.grad, x.exp())
    x.sin()
    assert "sin.default" not in outer.names


def test_overloads_are_the_same_objects_and_can_be_called():
    aten = torch.ops.aten
    assert aten.mul.Tensor is aten.mul.Tensor and aten.mul.Tensor.overloadpacket is aten.mul
    assert aten.sin.default(torch.zeros(1)).item() == 0.0 and str(aten.sin.default) == "aten.sin.default"
    with pytest.raises(AttributeError, match="no attribute 'no_such_op'"):
        _ = aten.no_such_op


def test_modes_see_what_is_made_and_the_whole_backward_pass() -> None:
    seen: list[str] = []

    class Notes(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            node = torch._C._current_autograd_node()
            seen.append(f"{func} in {type(node).__name__ if node is not None else 'none'}")
            return func(*args, **(kwargs or {}))

    with Notes():
        x = torch.rand(3, requires_grad=True)
        x.mul(2).sum().backward()
        x.detach()
        torch.tensor([1.0])
        torch.empty(2)
        x.new_zeros(2)
    assert x.grad.tolist() == [2.0] * 3
    assert seen == [
        "aten.rand.default in none",
        "aten.mul.Tensor in none",
        "aten.sum.default in none",
        "aten.ones_like.default in none",
        "aten.expand.default in SumBackward0",
        "aten.mul.Tensor in MulBackward0",
        "aten.detach.default in AccumulateGrad",
        "aten.detach.default in none",
        "aten.lift_fresh.default in none",
        "aten.empty.memory_format in none",
        "aten.new_zeros.default in none",
    ]


def test_modes_see_the_second_run_of_a_checkpoint() -> None:
    seen: list[str] = []

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = torch.ones(1, requires_grad=True)
    y = checkpoint(torch.exp, x, use_reentrant=False, context_fn=lambda: (nullcontext(), Names()))
    assert seen == []
    y.backward()
    assert seen == ["exp.default", "detach.default"]


def test_backward_and_grad_ask_the_classes_of_their_tensors():
    asked = []

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func in (torch.autograd.backward, torch.autograd.grad):
                asked.append((func.__name__, [type(one) for one in args]))
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(2, requires_grad=True)
    y = (x * 2).as_subclass(Sub)
    torch.autograd.backward(y, torch.ones(2), retain_graph=True)
    torch.autograd.grad(y, x, torch.ones(2))
    assert asked == [("backward", [tuple]), ("grad", [tuple, tuple])] and x.grad.tolist() == [2.0, 2.0]


def test_sequence_numbers_say_which_ready_node_runs_first():
    x = torch.ones(2, requires_grad=True)
    order = []
    a, b = x + 1, x + 2
    c = a + b
    for tensor, name, number in ((a, "a", 1_000_000), (b, "b", 999_999), (c, "c", 999_998)):
        tensor.grad_fn._set_sequence_nr(number)
        assert tensor.grad_fn._sequence_nr() == number
        tensor.register_hook(lambda g, name=name: order.append(name))
    c.sum().backward()
    assert order == ["c", "a", "b"]


def test_classes_with_memory_of_their_own_are_asked_too():
    names, recorded = [], []

    class Asked(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            names.append(str(func))
            with torch.overrides.enable_reentrant_dispatch():
                recorded.append(torch.ones(1, requires_grad=True).exp().requires_grad)
            with no_dispatch():
                return func(*args, **(kwargs or {}))

    x = torch.Tensor._make_subclass(Asked, torch.tensor(1.0))
    with forward_ad.dual_level():
        forward_ad.make_dual(x, torch.tensor(2.0))
        forward_ad.make_dual(torch.tensor(2.0), x)
    assert names == ["aten.alias.default"] and recorded == [True]


def test_ops_that_pytorch_has_only_below():
    aten = torch.ops.aten
    x, w = torch.rand(1, 1, 4, 4), torch.rand(2, 1, 3, 3)
    out = torch.nn.functional.conv2d(x, w)
    ones = torch.ones_like(out)
    geometry = ((1, 1), (0, 0), (1, 1), False, (0, 0), 1)
    gx, gw, gb = aten.convolution_backward(ones, x, w, (2,), *geometry, (True, True, True))
    leaves = x.requires_grad_(), w.requires_grad_()
    expected = torch.autograd.grad(torch.nn.functional.conv2d(*leaves).sum(), leaves)
    assert torch.allclose(gx, expected[0]) and torch.allclose(gw, expected[1]) and gb.tolist() == [4.0, 4.0]
    assert aten.convolution_backward(ones, x, w, (2,), *geometry, (False, True, False))[0] is None
    assert aten.sym_size.default(x) == [1, 1, 4, 4] and aten.sym_stride.int(x, 3) == 1


def test_writes_that_are_not_recorded_go_to_the_class_as_they_are():
    x = Wrapper(torch.ones(2, 2))
    x.add_(2)
    x.mul_(x).zero_()
    assert Wrapper.seen == ["aten.add_.Tensor", "aten.mul_.Tensor", "aten.zero_.default"]
    assert x._version == 3 and x.inner.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    leaf = Wrapper(torch.ones(2), requires_grad=True)
    copied = leaf.clone()
    copied.mul_(3)
    copied.sum().backward()
    assert leaf.grad.inner.tolist() == [3.0, 3.0] and copied.inner.tolist() == [3.0, 3.0]


def test_arguments_look_as_in_pytorch():
    given = []

    class Arguments(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            given.append((str(func), args[1:]))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 2)
    with Arguments():
        assert x.sum((0, 1)).item() == 4.0
        x.sum(0, keepdim=True)
    assert given[0] == ("aten.sum.dim_IntList", ([0, 1],)) and given[-1] == ("aten.sum.dim_IntList", ([0], True))


def test_zeros_that_lie_as_another_tensor_does():
    zeros = torch.ops.aten._new_zeros_with_same_feature_meta
    like = torch.arange(10.0)[2:8].view(2, 3).t()
    plain = zeros(like, like)
    assert plain.stride() == like.stride() and plain.storage_offset() == 2
    assert plain.untyped_storage().nbytes() == like.untyped_storage().nbytes()
    batch = zeros(torch.ones(4, 5), like, self_num_batch_dims=2)
    assert batch.shape == (4, 5, 3, 2) and batch.stride()[2:] == like.stride() and batch.stride()[1] == 10
    assert not batch.any()


def test_a_view_that_a_mode_has_seen_can_be_written_into():
    class Silent(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    x, weight, bias = torch.randn(2, 3, 4), torch.randn(5, 4), torch.randn(5)
    with Silent():
        found = torch.func.grad(lambda w: torch.nn.functional.linear(x, w, bias).relu_().sum())(weight)
    assert torch.allclose(found, torch.func.grad(lambda w: (x @ w.t() + bias).relu().sum())(weight))


def test_derivatives_by_name():
    aten = torch.ops.aten
    x, g = torch.randn(3, 4, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)
    functional = torch.nn.functional
    for name, more, function in (
        ("silu_backward", (), functional.silu),
        ("gelu_backward", (), functional.gelu),
        ("softplus_backward", (1.5, 20.0), lambda x: functional.softplus(x, 1.5)),
        ("threshold_backward", (0.1,), lambda x: functional.threshold(x, 0.1, 3.0)),
        ("hardtanh_backward", (-0.5, 0.5), lambda x: functional.hardtanh(x, -0.5, 0.5)),
        ("mse_loss_backward", (g, 0), lambda x: functional.mse_loss(x, g, reduction="none")),
    ):
        expected = torch.func.vjp(function, x)[1](g)[0]
        assert torch.equal(getattr(aten, name)(g, x, *more), expected), name
    for name, function in (("tanh_backward", torch.tanh), ("sigmoid_backward", torch.sigmoid)):
        assert torch.allclose(getattr(aten, name)(g, function(x)), torch.func.vjp(function, x)[1](g)[0])
    image = torch.randn(2, 3, 8, 8)
    pooled, places = functional.max_pool2d(image, 2, return_indices=True)
    found = aten.max_pool2d_with_indices_backward(torch.ones_like(pooled), image, [2, 2], [2, 2], [0, 0], [1, 1], False, places)
    assert torch.equal(found, torch.func.grad(lambda x: functional.max_pool2d(x, 2).sum())(image))
    assert aten.unfold_backward(torch.ones(4, 3), [6], 0, 3, 1).tolist() == [1, 2, 3, 3, 2, 1]
    with pytest.raises(ValueError, match="step is 0 but must be > 0"):
        aten.unfold_backward(torch.ones(4, 3), [6], 0, 3, 0)


def test_the_derivative_of_a_convolutions_derivatives():
    torch.manual_seed(0)
    x, w, b = torch.randn(2, 1, 5, 5), torch.randn(2, 1, 2, 2), torch.randn(2)
    ggx, ggw, ggb, g = torch.randn(2, 1, 5, 5), torch.randn(2, 1, 2, 2), torch.randn(2), torch.randn(2, 2, 4, 4)
    geometry = ((1, 1), (0, 0), (1, 1), False, (0, 0), 1)
    found = torch.ops.aten._convolution_double_backward(ggx, ggw, ggb, g, w, x, *geometry, (True, True, True))

    def total(g, x, w):
        by = torch.func.vjp(lambda x, w, b: torch.conv2d(x, w, b), x, w, b)[1](g)
        return sum((one * other).sum() for one, other in zip(by, (ggx, ggw, ggb), strict=True))

    for one, expected in zip(found, torch.func.grad(total, argnums=(0, 1, 2))(g, x, w), strict=True):
        assert torch.allclose(one, expected, atol=1e-5)


def test_truth_of_all_examples_at_once():
    seen = []

    def asked(x):
        seen.append((torch.ops.aten._is_all_true(x).item(), torch.ops.aten._is_any_true(x).item()))
        return x

    torch.vmap(asked)(torch.tensor([True, False]))
    assert seen == [(False, True)]


def test_errors_of_decompositions_by_name():
    check = torch.ops.aten._linalg_check_errors
    check(torch.tensor([0, 0]), "linalg.inv", is_matrix=False)
    for name, kind, sentence in (
        ("linalg.inv", torch.linalg.LinAlgError, r"\(Batch element 1\): The diagonal element 3 is zero"),
        ("linalg.cholesky_ex", torch.linalg.LinAlgError, "the leading minor of order 3 is not positive-definite"),
        ("linalg.svd", torch.linalg.LinAlgError, r"too many repeated singular values \(error code: 3\)"),
        ("linalg.lu_factor", RuntimeError, r"U\[3,3\] is zero"),
    ):
        with pytest.raises(kind, match=sentence):
            check(torch.tensor([0, 3]), name, is_matrix=False)


class Held(torch.Tensor):
    """A tensor without memory, around another, with a note."""

    @staticmethod
    def __new__(cls, inner, note="none"):
        return torch.Tensor._make_wrapper_subclass(cls, inner.size(), strides=inner.stride(), dtype=inner.dtype)

    def __init__(self, inner, note="none"):
        self.inner, self.note = inner, note

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        plain = [one.inner if isinstance(one, Held) else one for one in args]
        result = func(*plain, **(kwargs or {}))
        return Held(result, "made") if cls.wraps else result

    wraps = True


class Unheld(Held):
    wraps = False


def test_copies_and_pickles_of_wrappers():
    one = Held(torch.arange(4.0).reshape(2, 2).t(), "first")
    one.more = [1]
    copied = copy.deepcopy([one, one])
    assert copied[0] is copied[1] and type(copied[0]) is Held and copied[0].note == "first" and copied[0].more is not one.more
    one.inner.add_(1)
    assert copied[0].inner.tolist() == [[0.0, 2.0], [1.0, 3.0]] and copied[0].shape == (2, 2)
    parameter = torch.nn.Parameter(one)
    assert parameter.note == "made" and parameter.requires_grad and isinstance(copy.deepcopy(parameter), torch.nn.Parameter)
    saved = io.BytesIO()
    torch.save({"one": one, "parameter": parameter}, saved)
    saved.seek(0)
    for again in (torch.load(saved, weights_only=False)["one"], pickle.loads(pickle.dumps(one))):
        assert type(again) is Held and again.note == "first" and again.more == [1] and again.stride() == (1, 2)
        assert (again + 1).inner.tolist() == (one.inner + 1).tolist()
    saved.seek(0)
    assert isinstance(torch.load(saved, weights_only=False)["parameter"], torch.nn.Parameter)
    with pytest.raises(RuntimeError, match="for which cloning returns another instance of the same subclass"):
        copy.deepcopy(Unheld(torch.ones(2)))


def test_lists_that_hold_themselves_are_refused_by_their_reader():
    ring = [0]
    ring += [ring, ring]
    with Count(), pytest.raises(TypeError, match="self-referential lists are incompatible"):
        torch.tensor(ring)


def test_deep_copies_have_what_lies_in_slots() -> None:
    class Logged(torch.Tensor):
        __slots__ = ("log",)

        def new_empty(self, *size, **options):
            return super().new_empty(*size, **options).as_subclass(Logged)

    one = torch.ones(2).as_subclass(Logged)
    one.log = [1]
    again = copy.deepcopy(one)
    assert type(again) is Logged and again.log == [1] and again.log is not one.log


def test_gradients_come_back_to_a_wrapper_from_what_a_custom_function_made_plain() -> None:
    class Unwrap(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, wrapped: Inner) -> torch.Tensor:
            return wrapped.inner.detach()

        @staticmethod
        def backward(ctx: object, grad: torch.Tensor) -> Inner:
            return Inner(grad)

    class Inner(torch.Tensor):
        inner: torch.Tensor

        @staticmethod
        def __new__(cls: type, inner: torch.Tensor, requires_grad: bool = False) -> Inner:
            made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, requires_grad=requires_grad)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return cls(func(*(arg.inner if isinstance(arg, cls) else arg for arg in args), **(kwargs or {})))

    x = Inner(torch.tensor([1.0, 2.0]), requires_grad=True)
    (Unwrap.apply(x) * 3).sum().backward()
    assert type(x.grad) is Inner and x.grad.inner.tolist() == [3, 3]
