"""What people build on: hooks, saved values, gradient edges, checkpoints, subclasses, transforms, anomaly detection."""

from __future__ import annotations

import gc
import logging
import warnings
import weakref
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad
from rushlight.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from rushlight.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    get_gradient_edge,
    register_multi_grad_hook,
    saved_tensors_hooks,
)
from rushlight.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from rushlight.overrides import TorchFunctionMode, has_torch_function
from rushlight.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential


def leaf(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


# Hooks.


def test_hooks_run_in_order() -> None:
    log: list[str] = []
    a = leaf(1.0, 2.0)
    b = a * 2
    b.register_hook(lambda g: log.append("tensor"))
    b.grad_fn.register_prehook(lambda g: log.append("pre"))
    b.grad_fn.register_hook(lambda gi, go: log.append("post"))
    a.register_hook(lambda g: log.append("leaf"))
    a.register_post_accumulate_grad_hook(lambda p: log.append(f"accumulated {p.grad.tolist()}"))
    b.sum().backward()
    assert log == ["tensor", "pre", "post", "leaf", "accumulated [2.0, 2.0]"]


def test_captured_gradients_and_hooks() -> None:
    a = leaf(1.0)
    b = a * 2
    b.register_hook(lambda g: g * 10)
    b.grad_fn.register_prehook(lambda g: (g[0] * 7,))
    (only,) = torch.autograd.grad(b * 3, b, retain_graph=True)
    assert only.item() == 30  # after the tensor's hooks, before the node's
    ga, gb = torch.autograd.grad(b * 3, [a, b])
    assert (ga.item(), gb.item()) == (420, 3)


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        (1, TypeError, "expected Variable, but hook returned 'int'"),
        (torch.ones(3, dtype=torch.float64), RuntimeError, "has changed the size of value"),
        (torch.ones(2), RuntimeError, "has changed the type of value"),
    ],
)
def test_hooks_must_return_what_fits(result: Any, error: type[Exception], words: str) -> None:
    a = leaf(1.0, 2.0)
    a.register_hook(lambda g: result)
    with pytest.raises(error, match=words):
        a.sum().backward()
    assert a.grad is None


def test_node_hooks_must_return_tuples() -> None:
    a = leaf(1.0)
    b = a * 2
    handle = b.grad_fn.register_hook(lambda gi, go: gi[0])
    with pytest.raises(TypeError, match="expected tuple, but hook returned 'Tensor'"):
        b.backward(retain_graph=True)
    handle.remove()
    b.backward()
    assert a.grad.item() == 2


def test_hook_of_an_output_without_gradient_gets_none() -> None:
    seen: list[Any] = []
    first, second = torch.stack([leaf(1.0), leaf(2.0)]).unbind()
    second.register_hook(seen.append)
    first.sum().backward()
    assert seen == [None]


def test_callbacks_run_when_the_pass_is_over() -> None:
    a, seen = leaf(1.0), []
    engine = torch.autograd.Variable._execution_engine
    a.register_hook(lambda g: engine.queue_callback(lambda: seen.append(a.grad.item())))
    (a * 2).backward()
    assert seen == [2]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        engine.queue_callback(lambda: None)


def test_multi_grad_hook_waits_for_all_that_take_part() -> None:
    a, b, c = leaf(1.0), leaf(2.0), leaf(3.0)
    calls: list[Any] = []
    handle = register_multi_grad_hook([a, b, c], lambda gs: calls.append([g is not None and g.item() for g in gs]))
    (a * 2 + b * 3).backward()
    (a + b + c).sum().backward()
    handle.remove()
    (a + b).backward()
    assert calls == [[2, 3, False], [1, 1, 1]]


def test_gradient_edges_stand_for_tensors() -> None:
    a = leaf(1.0, 2.0)
    b = a * 2
    edge = get_gradient_edge(b)
    assert edge.node is b.grad_fn
    assert torch.autograd.grad((b * b).sum(), edge)[0].tolist() == [4, 8]
    torch.autograd.backward(get_gradient_edge(a * 3), torch.ones(2, dtype=torch.float64))
    assert a.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="does not require gradients"):
        get_gradient_edge(torch.ones(1))


# Saved values.


def test_saved_values_by_name() -> None:
    a, b = leaf(1.0), leaf(2.0)
    y = a * b
    assert y.grad_fn._saved_self is a and y.grad_fn._saved_other is b
    assert a.exp().grad_fn._saved_result.grad_fn is not None
    assert "_saved_self" in dir(y.grad_fn)
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        _ = y.grad_fn._saved_self


def test_packed_values_keep_their_place_in_the_graph() -> None:
    a = leaf(1.0, 2.0)
    with saved_tensors_hooks(lambda t: t.tolist(), lambda v: torch.tensor(v, dtype=torch.float64)):
        y = (a * a).exp()
    (slope,) = torch.autograd.grad(y.sum(), a, create_graph=True)
    (curve,) = torch.autograd.grad(slope.sum(), a)
    expected = (2 + 4 * a * a) * (a * a).exp()
    assert torch.allclose(curve, expected)


def test_pack_hooks_may_not_write() -> None:
    with (
        pytest.raises(RuntimeError, match="modifying its input in place"),
        saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t),
    ):
        b = leaf(1.0).clone()
        _ = b * b
    with (
        disable_saved_tensors_hooks("not now"),
        pytest.raises(RuntimeError, match="not now"),
        saved_tensors_hooks(lambda t: t, lambda t: t),
    ):
        pass


def test_mutation_of_saved_tensors() -> None:
    with allow_mutation_on_saved_tensors():
        a = leaf(1.0, 2.0)
        b = a.clone()
        y = (b**2).sum()
        b.zero_()
        y.backward()
    assert a.grad.tolist() == [2, 4]


# Anomaly detection.


def test_anomaly_names_the_op_and_its_line() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        with torch.autograd.detect_anomaly():
            a = leaf(0.0)
            root = (a * 0).sqrt()  # the line
            with pytest.raises(RuntimeError, match=r"Function 'MulBackward0' returned nan values in its 0th output\."):
                root.sum().backward()
    text = "".join(str(one.message) for one in caught)
    assert "Error detected in MulBackward0" in text and "# the line" in text


# gradcheck.


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3


@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck(fast: bool) -> None:
    x, z = leaf(0.5, 1.5), torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda x: (x.sin(), x.prod()), x, fast_mode=fast, check_forward_ad=True, check_batched_grad=True)
    assert gradcheck(lambda z: z * z.conj() + z.abs(), z, fast_mode=fast)
    assert gradgradcheck(lambda x: x**3, x, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(Wrong.apply, x, fast_mode=fast)
    assert not gradcheck(Wrong.apply, x, fast_mode=fast, raise_exception=False)
    with pytest.raises(ValueError, match="at least one input tensor"):
        gradcheck(torch.sin, x.detach(), fast_mode=fast)


# Checkpoints.


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint_gives_the_same_gradients(reentrant: bool) -> None:
    def part(x: Any) -> Any:
        y = x * torch.rand(3, dtype=torch.float64)
        y.sin_()
        return y.exp()

    torch.manual_seed(0)
    a = leaf(1.0, 2.0, 3.0)
    plain = torch.autograd.grad(part(a).sum(), a)[0]
    torch.manual_seed(0)
    checkpoint(part, a, use_reentrant=reentrant).sum().backward()
    assert torch.equal(a.grad, plain)


def test_checkpoint_keeps_nothing_between() -> None:
    alive: list[weakref.ref[Any]] = []

    def part(x: Any) -> Any:
        y = x.sin()
        alive.append(weakref.ref(y._array))
        return y.cos()

    a = leaf(1.0)
    out = checkpoint(part, a, use_reentrant=False)
    gc.collect()
    assert alive[0]() is None
    out.backward()
    assert a.grad.item() == pytest.approx(-torch.tensor(1.0).sin().sin().item() * torch.tensor(1.0).cos().item(), rel=1e-6)


def test_nested_checkpoints_and_early_stop() -> None:
    runs: list[str] = []

    def inner(x: Any) -> Any:
        runs.append("inner")
        y = x.sin().cos()
        runs.append("never needed again")
        return y

    def outer(x: Any) -> Any:
        return checkpoint(inner, x.exp(), use_reentrant=False) * 2

    a = leaf(0.5)
    checkpoint(outer, a, use_reentrant=False).backward()
    # The outer part stops when the inner's arguments are there, before it would run the inner.
    assert runs.count("inner") == 2 and runs.count("never needed again") == 1
    expected = grad(lambda x: x.exp().sin().cos() * 2)(a.detach()[0])
    assert a.grad.item() == pytest.approx(expected.item())


def test_checkpoint_notices_another_run() -> None:
    runs: list[int] = []

    def fickle(x: Any) -> Any:
        runs.append(1)
        return x.sin().cos() if len(runs) == 1 else x.sin()

    with pytest.raises(CheckpointError, match="A different number of tensors was saved"):
        checkpoint(fickle, leaf(1.0), use_reentrant=False).backward()


def test_checkpoint_sequential() -> None:
    a = leaf(1.0)
    checkpoint_sequential([torch.sin, torch.exp, torch.cos], 2, a, use_reentrant=False).backward()
    b = leaf(1.0)
    b.sin().exp().cos().backward()
    assert torch.equal(a.grad, b.grad)


# Subclasses and modes.


class Tagged(torch.Tensor):
    pass


class Doubled(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = super().__torch_function__(func, types, args, kwargs)
        return result * 2 if func is torch.Tensor.add else result


class Seven:
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func.__name__, 7


def test_subclasses_survive_ops() -> None:
    t = torch.tensor([1.0, 2.0]).as_subclass(Tagged)
    for result in (t + 1, 1 - t, torch.sum(t), t[0], torch.stack([t, t]), t.max(0).values, t.detach(), torch.zeros_like(t)):
        assert type(result) is Tagged
    assert type(torch.ones(2) + torch.ones(2)) is torch.Tensor
    assert type(t.numpy()).__name__ == "ndarray"
    p = Tagged([1.0, 2.0]).requires_grad_()
    (p * p).sum().backward()
    assert p.grad.tolist() == [2, 4]


def test_subclasses_and_others_take_over() -> None:
    assert (torch.ones(1).as_subclass(Doubled) + 1).item() == 4
    assert torch.mean(Seven()) == ("mean", 7)
    assert torch.ones(2) + Seven() == ("add", 7)
    assert has_torch_function((Seven(),)) and not has_torch_function((torch.nn.Parameter(torch.ones(1)),))


def test_function_modes_see_every_call() -> None:
    class Names(TorchFunctionMode):
        def __init__(self) -> None:
            self.names: list[str] = []

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Names() as outer, Names() as inner:
        torch.sum(torch.ones(2) * 3)
    assert outer.names == inner.names == ["ones", "mul", "sum"]
    _ = torch.ones(1) + 1
    assert len(outer.names) == 3


# Transforms.


def test_transforms_nest() -> None:
    x = torch.tensor(2.0, dtype=torch.float64)
    cube = lambda x: x**3  # noqa: E731
    one = torch.ones((), dtype=torch.float64)
    assert grad(grad(cube))(x).item() == 12
    assert jvp(grad(cube), (x,), (one,))[1].item() == 12  # forward over reverse
    assert grad(lambda x: jvp(cube, (x,), (one,))[1])(x).item() == 12  # reverse over forward
    assert jvp(lambda x: jvp(cube, (x,), (one,))[1], (x,), (one,))[1].item() == 12
    assert not grad(cube)(x).requires_grad


def test_transforms_leave_the_outside_differentiable() -> None:
    z = leaf(2.0)
    slope = grad(lambda x: (x**3 * z).sum())(torch.ones(1, dtype=torch.float64))
    slope.sum().backward()
    assert z.grad.tolist() == [3]


def test_jacobians_agree() -> None:
    x = torch.tensor([0.5, 1.0, 1.5], dtype=torch.float64)
    f = lambda x: torch.stack([x.sin().sum(), x.prod()])  # noqa: E731
    assert torch.allclose(jacrev(f)(x), jacfwd(f)(x))
    g = lambda x: (x.sin() * x.prod()).sum()  # noqa: E731
    assert torch.allclose(hessian(g)(x), torch.autograd.functional.hessian(g, x))
    value, pull = vjp(f, x)
    push = jvp(f, (x,), (torch.ones_like(x),))[1]
    v = torch.tensor([2.0, 3.0], dtype=torch.float64)
    assert torch.allclose((pull(v)[0] * torch.ones_like(x)).sum(), (v * push).sum())
    assert torch.equal(value, f(x))


def test_vmap_is_the_loop() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert vmap(torch.dot, in_dims=(0, None))(x, torch.ones(3)).tolist() == [3, 12]
    assert vmap(lambda r: (r, r.sum()), out_dims=(1, 0))(x)[0].shape == (3, 2)
    assert vmap(grad(lambda r: (r**2).sum()))(x).tolist() == (2 * x).tolist()
    assert vmap(torch.sin)(torch.ones(0, 4)).shape == (0, 4)
    with pytest.raises(RuntimeError, match="random operation"):
        vmap(lambda r: r + torch.rand(3))(x)
    same = vmap(lambda r: torch.rand(3), randomness="same")(x)
    assert torch.equal(same[0], same[1])


def test_functional_call_replaces_for_one_call() -> None:
    layer = torch.nn.Linear(1, 1, bias=False)
    kept = layer.weight
    new = {"weight": torch.tensor([[2.0]])}
    assert functional_call(layer, new, torch.tensor([3.0])).tolist() == [6]
    assert layer.weight is kept
    assert grad(lambda p: functional_call(layer, p, (torch.tensor([3.0]),)).sum())(new)["weight"].tolist() == [[3]]


def test_gradients_carry_tangents() -> None:
    x = leaf(0.3, 0.7)
    with forward_ad.dual_level():
        d = forward_ad.make_dual(x, torch.tensor([1.0, 0.0], dtype=torch.float64))
        (g,) = torch.autograd.grad(d.tanh().prod(), d)
        tangent = forward_ad.unpack_dual(g).tangent
    expected = torch.autograd.functional.hessian(lambda x: x.tanh().prod(), x.detach())[0]
    assert torch.allclose(tangent, expected)


def test_the_stack_of_function_modes_can_be_looked_at() -> None:
    core = torch._C
    seen: list[str] = []

    class Notes(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Notes() as mode:
        assert core._len_torch_function_stack() == 1 and core._get_function_stack_at(0) is mode
        torch.ones(1)
        taken = core._pop_torch_function_stack()
        torch.zeros(1)
        core._push_on_torch_function_stack(taken)
    assert seen == ["ones"] and core._len_torch_function_stack() == 0
    with core.DisableTorchFunctionSubclass():
        assert core._get_torch_function_state() is core._TorchFunctionState.SUBCLASSES_DISABLED


def test_the_log_of_a_pass(caplog: pytest.LogCaptureFixture) -> None:
    a = torch.rand(10, dtype=torch.float64, requires_grad=True)
    with caplog.at_level(logging.DEBUG):
        a.sum().backward()
        assert not caplog.messages, "the root logger's level says nothing of this log"
    logger = logging.getLogger("torch.autograd.graph")
    logger.addHandler(caplog.handler)
    logger.propagate = False
    try:
        with caplog.at_level(logging.DEBUG, "torch.autograd"):
            b = a.mul(2).div(3).sum()
            torch.autograd.backward((b, b.clone()))
            nodes = [line.split()[1].removeprefix("<") for line in caplog.messages]
            assert nodes == ["CloneBackward0", "SumBackward0", "DivBackward0", "MulBackward0", "AccumulateGrad"]
            assert caplog.messages[3].endswith("with grad_outputs: [f64[10]]")
            caplog.clear()
            first = a.max(0)[0]
            torch.autograd.grad(first, a, retain_graph=True)
            assert len(caplog.messages) == 1, "a leaf that is captured does not run"
            caplog.clear()
        torch.autograd.grad(first, a)
        assert not caplog.messages
    finally:
        logger.propagate = True
        logger.removeHandler(caplog.handler)


class Noted:
    """No tensor, but takes calls over: says which function was called."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("abs", ()),
        ("absolute", ()),
        ("mul", (2,)),
        ("multiply", (2,)),
        ("special.i1", ()),
        ("special.chebyshev_polynomial_t", (2,)),
        ("bernoulli", ()),
        ("zeros_like", ()),
        ("is_floating_point", ()),
        ("numel", ()),
        ("clamp", ()),
        ("view_copy", ((1,),)),
        ("squeeze_copy", ()),
        ("nn.functional.hinge_embedding_loss", (1,)),
        ("nn.functional.fractional_max_pool2d", (2,)),
        ("nn.init.uniform_", ()),
        ("nn.init.kaiming_uniform_", ()),
    ],
)
def test_objects_that_are_no_tensors_take_calls_over(name: str, more: tuple[Any, ...]) -> None:
    function: Any = torch
    for part in name.split("."):
        function = getattr(function, part)
    assert function(Noted(), *more) is function
    with pytest.raises((TypeError, AttributeError, ValueError, RuntimeError)):
        function(object(), *more)

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func

    assert function(torch.ones(2, 2).as_subclass(Sub), *more) is function


def test_iteration_over_a_subclass_gives_its_instances() -> None:
    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(torch.overrides.resolve_name(func))
            return super().__torch_function__(func, types, args, kwargs or {})

    seen: list[Any] = []
    rows = [*iter(torch.ones(2, 3).as_subclass(Sub))]
    assert [type(row) for row in rows] == [Sub, Sub] and seen == ["torch.Tensor.unbind"]
    seen.clear()
    assert rows[0].shape == (3,) and seen == ["torch.Tensor.shape.__get__"]
    seen.clear()
    assert (~rows[0].bool()).dtype is torch.bool and seen[:2] == ["torch.Tensor.bool", "torch.Tensor.__invert__"]


def test_what_was_not_given_by_keyword_is_not_handed_on() -> None:
    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = "nothing") -> Any:
            seen.append((func.__name__, kwargs))
            return super().__torch_function__(func, types, args, {} if kwargs == "nothing" else kwargs)

    seen: list[tuple[str, Any]] = []
    x = torch.ones(2, 2).as_subclass(Sub)
    for call in (
        lambda: x + 1,
        lambda: torch.mul(x, 2),
        lambda: x.sum(dim=0),
        lambda: torch.nn.functional.linear(x, x),
        lambda: x // 2,
        lambda: torch.einsum("ij->ji", x),
        lambda: torch.nn.functional.elu(x),
    ):
        call()
    first = dict(reversed(seen))
    assert [first[name] for name in ("add", "mul", "sum", "linear")] == ["nothing", "nothing", {"dim": 0}, "nothing"]
    assert [first[name] for name in ("__floordiv__", "einsum")] == [{}, {}]
    assert first["elu"] == {"alpha": 1.0, "inplace": False}  # written in Python there: what may be left out goes by name


def test_a_call_may_be_passed_on_without_being_asked_again() -> None:
    class Said(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            said.append(func.__name__)
            return torch.overrides.redispatch_function(func, types, args, kwargs)

    def scaled(a: Any, b: Any) -> Any:
        if has_torch_function((a, b)):
            return torch.overrides.handle_torch_function(scaled, (a, b), a, b)
        return a * b + 1

    said: list[str] = []
    x, y = (torch.tensor([value]).as_subclass(Said) for value in (3.0, 4.0))
    result = scaled(x, y)
    assert said == ["scaled", "mul"] and type(result) is torch.Tensor and result.item() == 13.0
    for call in (lambda: x + 1, lambda: x.sum(dim=0), lambda: torch.mean(x), lambda: torch.special.erf(x), lambda: x[0]):
        said.clear()
        assert type(call()) is torch.Tensor and len(said) == 1
    said.clear()
    with pytest.raises(RuntimeError, match="self must be a matrix"):
        torch.mm(x, y)
    assert said == ["mm"]

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            said.append(func.__name__)
            with self:
                return torch.overrides.redispatch_function(func, types, args, kwargs)

    said.clear()
    a, b = torch.tensor([3.0]), torch.tensor([4.0])
    with Mode():
        result = scaled(a, b)
    assert said == ["scaled", "mul", "add"] and result.tolist() == [13.0]
