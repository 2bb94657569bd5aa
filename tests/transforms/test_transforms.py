"""Transforms one inside the other: Jacobians over batches, custom Functions, layers, and functorch's older names."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight import functorch
from rushlight._C import DispatchKey
from rushlight._C import _functorch as core
from rushlight._functorch.autograd_function import CtxWithSavedTensors, reductify_leaf
from rushlight._functorch.make_functional import combine_state_for_ensemble, make_functional, make_functional_with_buffers
from rushlight._functorch.utils import unwrap_dead_wrappers
from rushlight._ops import HigherOrderOperator
from rushlight.autograd import Function
from rushlight.func import (
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
    vmap,
)
from rushlight.transforms import dynamic_layers


def double(*shape: int) -> Any:
    return torch.randn(*shape, dtype=torch.float64)


# Jacobians.


def rows(function: Any, x: Any) -> Any:
    """The Jacobian by one backward pass for each element."""
    x = x.clone().requires_grad_()
    out = function(x)
    found = [torch.autograd.grad(one, x, retain_graph=True)[0] for one in out.reshape(-1)]
    return torch.stack(found).reshape(out.shape + x.shape)


def written(x: Any) -> Any:
    y = x * 1
    y[0] = y[1] * 2
    y.view(-1)[2].mul_(x.sum())
    return y.sin()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.cumsum(0) * x,
        lambda x: (x @ x.t()).relu(),
        lambda x: torch.linalg.inv(x @ x.t() + 3 * torch.eye(3, dtype=torch.float64)),
        lambda x: torch.nn.functional.softmax(x, -1).log(),
        lambda x: x[[0, 0, 2]].prod(1),
        written,
    ],
)
def test_jacobians_are_the_same_by_rows_and_by_batch(function: Any) -> None:
    x = double(3, 4)
    expected = rows(function, x)
    for found in (
        jacrev(function)(x),
        jacfwd(function)(x),
        jacrev(function, chunk_size=5)(x),
        jacrev(function, chunk_size=1)(x),
        torch.autograd.functional.jacobian(function, x, vectorize=True),
        torch.autograd.functional.jacobian(function, x, vectorize=True, strategy="forward-mode"),
    ):
        assert torch.allclose(found, expected)


def test_a_batch_of_cotangents_at_once() -> None:
    x = double(3).requires_grad_()
    out = x.sin() * x.sum()
    seeds = double(5, 3)
    (found,) = torch.autograd.grad(out, x, seeds, is_grads_batched=True, retain_graph=True)
    assert torch.allclose(found, torch.stack([torch.autograd.grad(out, x, seed, retain_graph=True)[0] for seed in seeds]))
    torch.autograd.grad(out, x, seeds, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="a second time"):
        torch.autograd.grad(out, x, seeds[0])


def test_second_derivatives_of_batches() -> None:
    def energy(w: Any, x: Any) -> Any:
        return torch.tanh(x @ w).pow(2).sum()

    w, x = double(3, 2), double(4, 5, 3)
    expected = torch.stack([jacrev(jacrev(energy))(w, one) for one in x])
    assert torch.allclose(vmap(hessian(energy), (None, 0))(w, x), expected)
    assert torch.allclose(vmap(jacrev(jacfwd(energy)), (None, 0))(w, x), expected)
    assert torch.allclose(torch.autograd.functional.hessian(lambda w: energy(w, x[0]), w), expected[0])


def test_jacobians_refuse_complex_numbers() -> None:
    z, x = torch.ones(2) + 1j, torch.ones(2)
    for name, jacobian in (("jacrev", jacrev), ("jacfwd", jacfwd)):
        with pytest.raises(RuntimeError, match=f"{name}: Expected all inputs to be real"):
            jacobian(lambda x: x)(z)
        with pytest.raises(RuntimeError, match=f"{name}: Expected all outputs to be real"):
            jacobian(lambda x: x * 1j)(x)


# Custom Functions.


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, scale: Any) -> Any:
        return x**3 * scale, x * 1

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, g: Any, _: Any) -> Any:
        x, scale = ctx.saved_tensors
        return 3 * x**2 * scale * g, (x**3 * g).sum_to_size(scale.shape)

    @staticmethod
    def jvp(ctx: Any, t: Any, s: Any) -> Any:
        x, scale = ctx.saved_tensors
        return 3 * x**2 * scale * t + x**3 * s, None


def cube(x: Any, scale: Any) -> Any:
    return Cube.apply(x, scale)[0]


def test_a_generated_rule_differentiates_inside_and_outside_of_vmap() -> None:
    x, scale = double(4, 3), double(4, 3)
    total = lambda x, scale: cube(x, scale).sum()  # noqa: E731
    assert torch.allclose(vmap(cube)(x, scale), x**3 * scale)
    for found in (vmap(grad(total, (0, 1)))(x, scale), grad(lambda x, s: vmap(cube)(x, s).sum(), (0, 1))(x, scale)):
        assert torch.allclose(found[0], 3 * x**2 * scale)
        assert torch.allclose(found[1], x**3)
    shared = grad(lambda s: vmap(cube, (0, None))(x, s).sum())(scale[0])
    assert torch.allclose(shared, (x**3).sum(0))
    _, slope = vmap(lambda x, s: jvp(cube, (x, s), (torch.ones_like(x), torch.zeros_like(s))))(x, scale)
    assert torch.allclose(slope, 3 * x**2 * scale)
    assert torch.allclose(vmap(grad(lambda x: grad(lambda x: cube(x, x[0] * 0 + 2).sum())(x).sum()))(x)[:, 1:], 12 * x[:, 1:])


def test_a_function_with_a_rule_of_its_own() -> None:
    seen: list[Any] = []

    class Turn(Function):
        @staticmethod
        def forward(x: Any, pair: Any) -> Any:
            return x + pair[0]

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, pair: Any) -> Any:
            seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape)))
            return x.movedim(in_dims[0], 0) + pair[0], 0

    x = double(3, 5)
    found = vmap(Turn.apply, in_dims=(1, None), randomness="same")(x, [double(1), 2])
    assert found.shape == (5, 3)
    assert seen == [(5, "same", (1, [None, None]), (3, 5))]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "does not have vmap support"),
        ({"generate_vmap_rule": True, "vmap": staticmethod(lambda info, dims, x: (x, 0))}, "generate_vmap_rule=True and"),
        ({"vmap": staticmethod(lambda info, dims, x: x)}, "to have two returns"),
        ({"vmap": staticmethod(lambda info, dims, x: (x, (None,)))}, "returned an incompatible"),
        ({"setup_context": Function.setup_context}, "must override the setup_context"),
    ],
)
def test_functions_that_vmap_refuses(body: dict[str, Any], words: str) -> None:
    given = {
        "forward": staticmethod(lambda x: x * 1),
        "setup_context": staticmethod(lambda ctx, inputs, output: None),
        **body,
    }
    one = type(Function)("One", (Function,), given)
    with pytest.raises(RuntimeError, match=words):
        vmap(one.apply)(double(3))  # type: ignore[attr-defined]


def test_an_input_returned_as_it_is_cannot_be_saved() -> None:
    class Same(Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    with pytest.raises(RuntimeError, match="An input that has been returned as-is"):
        Same.apply(double(2).requires_grad_())


# Layers.


def test_what_stands_in_for_a_tensor_shows_its_layers() -> None:
    seen: list[str] = []

    def look(x: Any) -> Any:
        seen.append(repr(x))
        return x.sum()

    vmap(grad(look))(torch.ones(2, 1))
    assert seen[0].splitlines() == [
        "GradTrackingTensor(lvl=2, value=",
        "    BatchedTensor(lvl=1, bdim=0, value=",
        "        tensor([[1.],",
        "                [1.]])",
        "    )",
        ")",
    ]


def test_what_is_left_over_of_a_layer() -> None:
    kept: list[Any] = []
    x = torch.tensor(0.5)
    grad(lambda x: (kept.append(x.sin()), x.sin())[1])(x)
    assert (core.dlevel(kept[0]), core.dlevel(kept[0].sum())) == (-1, 0)
    level = core._grad_increment_nesting()
    mine = core._wrap_for_grad(x, level)
    assert (core.dlevel(mine), core.maybe_get_level(x)) == (1, -1)
    core._grad_decrement_nesting()
    args = ("word", mine, x)
    found = unwrap_dead_wrappers(args)
    assert found[2] is x
    assert not core.is_dead_tensor_wrapper(found[1])
    assert unwrap_dead_wrappers((x, None)) == (x, None)


def test_layers_are_counted_and_undone() -> None:
    core._vmap_increment_nesting(3, "error")
    core._grad_increment_nesting()
    core._jvp_increment_nesting()
    kinds = [interpreter.key().name for interpreter in core.get_interpreter_stack() or []]
    core.pop_dynamic_layer_stack_and_undo_to_depth(0)
    assert kinds == ["Vmap", "Grad", "Jvp"]
    assert not dynamic_layers.state.stack
    assert core.peek_interpreter_stack() is None


def test_layers_end_with_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        vmap(grad(lambda x: 1 / 0))(double(3))
    with pytest.raises(ZeroDivisionError):
        jvp(lambda x: 1 / 0, (double(3),), (double(3),))
    assert core.get_dynamic_layer_stack_depth() == 0


def test_captured_tensors_are_not_written_to() -> None:
    captured = torch.zeros(3)
    with pytest.raises(RuntimeError, match=r"aten::copy_\) that would mutate a captured Tensor"):
        grad(lambda x: captured.copy_(x).sum())(torch.ones(3))

    def own(x: Any) -> Any:
        made = torch.zeros(3)
        made.copy_(x)
        return made.sum()

    assert grad(own)(torch.ones(3)).tolist() == [1.0] * 3


def test_captured_batch_norms_do_not_count() -> None:
    """The count of batches is captured unless the buffers are arguments, of whichever transform."""
    model, x = torch.nn.Sequential(torch.nn.BatchNorm1d(3)), torch.arange(6.0).reshape(2, 3)
    p, b = dict(model.named_parameters()), dict(model.named_buffers())

    def loss(p: object, b: object, x: object) -> object:
        return functional_call(model, (p, b), (x,)).square().sum()

    for run in (
        lambda: grad(lambda x: model(x).sum())(x),
        lambda: jvp(model, (x,), (x,)),
        lambda: vjp(model.forward, x),
        lambda: jacrev(lambda p: loss(p, b, x))(p),
        lambda: grad(lambda p: loss(p, b, x))(p),
    ):
        with pytest.raises(RuntimeError, match=r"aten::add_\.Tensor\) that would mutate a captured Tensor"):
            run()
    assert int(b["0.num_batches_tracked"]) == 0
    for transform in (grad, jacrev, jacfwd):
        transform(loss)(p, b, x)
    assert int(b["0.num_batches_tracked"]) == 3
    model.eval()
    assert grad(lambda x: model(x).sum())(x).shape == x.shape


@pytest.mark.parametrize("norm", [torch.nn.functional.batch_norm, torch.nn.functional.instance_norm])
def test_running_statistics_move_once_under_jacobians_of_jacobians(norm: Any) -> None:
    """The examples of jacfwd differ in their derivatives alone, so that there is one batch to keep statistics of."""
    x, mean, var = double(2, 3, 4), torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)

    def of(x: Any) -> Any:
        return norm(x, mean, var, None, None, True).pow(3).sum()

    expected = jacrev(jacrev(of))(x)
    moved = mean.clone(), var.clone()
    mean.zero_(), var.fill_(1)
    assert torch.allclose(hessian(of)(x), expected)
    assert torch.equal(mean, moved[0])
    assert torch.equal(var, moved[1])
    assert not torch.equal(mean, torch.zeros(3, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="updated in place, were not batched"):
        vmap(hessian(of))(x[None])


def test_instances_of_a_batch_keep_running_statistics_of_their_own() -> None:
    x, means, variances = double(3, 2, 2, 4), torch.zeros(3, 2), torch.ones(3, 2)

    def of(x: Any, mean: Any, var: Any) -> Any:
        return jvp(lambda x: torch.nn.functional.instance_norm(x, mean, var), (x,), (x,))[1]

    found = vmap(of)(x.float(), means, variances)
    for row, one in enumerate(x.float()):
        mean, var = torch.zeros(2), torch.ones(2)
        assert torch.allclose(found[row], of(one, mean, var), atol=1e-6)
        assert torch.allclose(means[row], mean)
        assert torch.allclose(variances[row], var)


def test_buffers_made_anew_are_written_to() -> None:
    class Counting(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("sums", torch.zeros(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.sums = torch.zeros(3)
            self.sums.add_(1)
            self.sums += x
            return self.sums.sum()

    assert grad(Counting())(torch.ones(3)).tolist() == [1.0] * 3


def test_what_would_change_recording_is_refused() -> None:
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"Tensor.retain_grad\(\)"):
        grad(lambda x: (x.sin().retain_grad(), x.sum())[1])(x)
    with pytest.raises(RuntimeError, match=r"torch\.autograd\.functional"):
        vmap(lambda x: torch.autograd.functional.vjp(torch.sin, x)[1])(x)
    with torch.autograd.graph.save_on_cpu(), pytest.raises(RuntimeError, match="saved tensor hooks"):
        grad(lambda x: x.sum())(x)
    with torch.autograd.graph.save_on_cpu():
        assert jvp(torch.sin, (x,), (x,))[1].tolist() == pytest.approx(x.cos().tolist())


def test_in_modes_that_record_nothing() -> None:
    x = double(3)
    with torch.inference_mode():
        assert torch.allclose(grad(lambda x: (x**2).sum())(x), 2 * x)
        assert torch.allclose(jacrev(lambda x: x**2)(x), torch.diag(2 * x))
        assert torch.is_inference_mode_enabled()
    x.requires_grad_()
    with torch.no_grad():
        out, pull = vjp(lambda x: x**2, x)
    (slope,) = pull(torch.ones(3, dtype=torch.float64))
    assert (out.requires_grad, slope.requires_grad) == (False, True)
    assert torch.equal(torch.autograd.grad(slope.sum(), x)[0], torch.full_like(x, 2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: grad(torch.mul, argnums=[0])(x, x), "argnums must be int or Tuple"),
        (lambda x: grad(torch.mul, argnums=())(x, x), "argnums must be non-empty"),
        (lambda x: grad(torch.mul, argnums=(0, -2))(x, x), "must be unique"),
        (lambda x: grad(lambda x: (x.sum(), 1), has_aux=True)(x), "Expected tensors, got unsupported type"),
        (lambda x: vjp(lambda x: (), x), "non-empty output"),
        (lambda x: jvp(torch.sin, (x,), x), "same python structure"),
        (lambda x: jvp(torch.sin, (1.0,), (x,)), "only contain Tensors"),
        (lambda x: jvp(lambda x: x.new_ones(2), (x,), (x,), strict=True), "strict=True"),
        (lambda x: linearize(torch.sin, x)[1](x.float()), "doesn't match the dtype"),
        (lambda x: functionalize(torch.sin, remove="all")(x), "Valid options are"),
    ],
)
def test_wrong_arguments(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        call(double(2))


# Operators with a rule for each transform.


class Total(HigherOrderOperator):
    def __init__(self) -> None:
        super().__init__("total")


total = Total()


@total.py_impl(core.TransformType.Vmap)
def _(interpreter: Any, x: Any) -> Any:
    whole, dim = core.get_unwrapped(x), core.maybe_get_bdim(x)
    with interpreter.lower():
        result = whole.movedim(dim, 0).flatten(1).sum(1)
    return core._add_batch_dim(result, 0, interpreter.level())


@total.py_impl(core.TransformType.Grad)
def _(interpreter: Any, x: Any) -> Any:
    return (x * 2).sum()


@total.py_impl(DispatchKey.AutogradCPU)
def _(x: Any) -> Any:
    return x.sum()


def test_an_operator_meets_the_layers_one_by_one() -> None:
    x = double(3, 4)
    assert torch.allclose(total(x), x.sum())
    assert torch.allclose(vmap(total, in_dims=1)(x), x.sum(0))
    assert torch.equal(vmap(grad(total))(x), torch.full_like(x, 2))
    with pytest.raises(NotImplementedError, match="has no rule for"):
        jvp(total, (x,), (x,))


# Modules.


class Tied(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.weight = self.linear.weight
        self.shift = torch.nn.Buffer(torch.ones(3))
        self.same_shift = self.shift

    def forward(self, x: Any) -> Any:
        return torch.nn.functional.linear(self.linear(x), self.weight) + self.shift * self.same_shift


def test_modules_as_functions_of_tuples() -> None:
    module, x = Tied(), torch.randn(2, 3)
    function, parameters, buffers = make_functional_with_buffers(module)
    assert (function.param_names, function.buffer_names) == (("weight", "linear.bias"), ("shift",))
    assert torch.equal(function(parameters, buffers, x), module(x))
    assert torch.allclose(function(parameters, [2 * buffers[0]], x), module(x) + 3)
    slopes = grad(lambda p: function(p, buffers, x).sum())(parameters)
    expected = torch.autograd.grad(module(x).sum(), list(module.parameters()))
    assert all(torch.allclose(a, b) for a, b in zip(slopes, expected, strict=True))
    with pytest.raises(RuntimeError, match="make_functional_with_buffers"):
        make_functional(module)
    _, without = make_functional(torch.nn.Linear(2, 2), disable_autograd_tracking=True)
    assert not any(one.requires_grad for one in without)


def test_ensembles() -> None:
    modules = [Tied() for _ in range(3)]
    x = torch.randn(3, 2, 3)
    expected = torch.stack([module(one) for module, one in zip(modules, x, strict=True)])
    function, parameters, buffers = combine_state_for_ensemble(modules)
    assert torch.allclose(vmap(function)(parameters, buffers, x), expected, atol=1e-6)
    state = stack_module_state(modules)
    found = vmap(lambda p, b, x: functional_call(modules[0], (p, b), (x,)))(*state, x)
    assert torch.allclose(found, expected, atol=1e-6)
    modules[1].linear.bias.requires_grad_(False)
    with pytest.raises(RuntimeError, match=r"linear.bias from each model to have the same .requires_grad"):
        stack_module_state(modules)


def test_functorch_says_where_its_functions_went() -> None:
    for name in ("vmap", "grad", "jacrev", "make_functional"):
        with pytest.warns(FutureWarning, match="We've integrated functorch into PyTorch"):
            getattr(functorch, name)(torch.nn.Linear(1, 1))
    gradient, value = grad_and_value(lambda x: x * x)(torch.tensor(3.0))
    assert (gradient.item(), value.item()) == (6.0, 9.0)


def test_contexts_with_other_saved_tensors() -> None:
    class Outer:
        foo = 1

    outer: Any = Outer()
    inner = CtxWithSavedTensors(outer, (1, 2))
    inner.bar = 2
    assert (inner.saved_tensors, inner.foo, outer.bar) == ((1, 2), 1, 2)
    outer._pt_new_saved_tensors = ()
    with pytest.raises(RuntimeError, match="name collision"):
        CtxWithSavedTensors(outer, ())


def test_gradients_brought_to_the_batch_of_their_input() -> None:
    g = double(3, 2, 4)
    assert reductify_leaf(None, None, 0, 2) is None
    assert torch.equal(reductify_leaf(g, 1, None, 2), g.sum(1))
    assert torch.equal(reductify_leaf(g, 1, 2, 2), g.movedim(1, 2))
    assert torch.equal(reductify_leaf(g, None, 0, 5), g.expand(5, 3, 2, 4))
    assert torch.equal(reductify_leaf(g, 1, 0, 2, (4,)), g.sum(0))


def test_private_names_that_test_suites_ask_for() -> None:
    import rushlight._functorch.pyfunctorch as interpreters
    from rushlight._functorch.utils import argnums_t, exposed_in

    assert isinstance((0, 1), argnums_t.__args__[1].__origin__) and isinstance(0, argnums_t.__args__[0])
    assert exposed_in("torch.func")(lambda x: x).__module__ == "torch.func"
    assert torch._C._debug_only_are_vmap_fallback_warnings_enabled() is False
    torch._C._debug_only_display_vmap_fallback_warnings(True)
    assert torch._C._debug_only_are_vmap_fallback_warnings_enabled() is True
    torch._C._debug_only_display_vmap_fallback_warnings(False)
    seen = []

    def ask(x: Any) -> Any:
        with interpreters.temporarily_clear_interpreter_stack() as running:
            seen.append((len(running), core.get_dynamic_layer_stack_depth()))
        return x.sin()

    vmap(grad(ask))(torch.ones(2))
    assert seen == [(2, 0)]
    assert torch.testing._utils.freeze_rng_state is not None


def test_whole_numbers_have_no_tangents() -> None:
    whole, x = torch.tensor([1, 2]), torch.ones(2)
    for call in (
        lambda: torch.func.jvp(lambda a: a * 2.0, (whole,), (x,)),
        lambda: torch.func.jvp(lambda a, b: a * 2.0, (x, whole), (x, x)),
        lambda: torch.func.jacfwd(lambda a: a * 2.0)(whole),
        lambda: torch.func.linearize(lambda a: a * 2.0, whole),
        lambda: torch.func.hessian(lambda a: (a * 2.0).sum())(whole),
    ):
        with pytest.raises(ValueError, match=r"Expected primal to be floating point or complex, but got: torch\.int64"):
            call()
    with pytest.raises(ValueError, match=r"Expected tangent to be floating point or complex, but got: torch\.bool"):
        torch.func.jvp(lambda a: a * 2.0, (x,), (x > 0,))
    assert torch.func.jacfwd(lambda a, b: a * b)(x, whole).tolist() == [[1.0, 0.0], [0.0, 2.0]]


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


def test_the_vmap_of_a_function_is_not_asked_where_nothing_is_an_example() -> None:
    class Refusing(Twice):
        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return tangent * 2

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            raise AssertionError("of one for all")

    assert hessian(lambda x: Refusing.apply(x).sum())(torch.ones(2, requires_grad=True)).tolist() == [[0, 0], [0, 0]]


def test_a_function_without_a_rule_is_refused_inside_of_vmap_whatever_it_is_given() -> None:
    x = torch.ones(3)
    for function in (
        lambda a: Twice.apply(a),
        lambda a: Twice.apply(x) + a,
        torch.func.grad(lambda a: Twice.apply(a * 2).sum()),
    ):
        with pytest.raises(RuntimeError, match="You tried to vmap over Twice, but it does not have vmap support"):
            torch.func.vmap(function)(x)

    class Ruled(Twice):
        generate_vmap_rule = True

    assert torch.func.vmap(lambda a: Ruled.apply(x).sum() + Ruled.apply(a))(x).tolist() == [8.0, 8.0, 8.0]


def test_a_rule_of_a_function_that_writes_in_place() -> None:
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.exp_()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(*inputs)
            ctx.save_for_backward(output)
            ctx.save_for_forward(output)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t.mul_(ctx.saved_tensors[0])

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            return Exponential.apply(x), in_dims[0]

    class Returned(Exponential):
        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            Exponential.apply(x)
            return x, in_dims[0]

    x = torch.tensor([[0.5, 1.0], [-1.0, 2.0]], dtype=torch.float64)
    for function in (Exponential, Returned):
        one = lambda a, function=function: function.apply(a.clone())  # noqa: E731
        total = lambda a, one=one: one(a).sum()  # noqa: E731
        for found in (vmap(one)(x), vmap(grad(total))(x), grad(lambda a, one=one: vmap(one)(a).sum())(x), vmap(vmap(one))(x)):
            assert torch.allclose(found, x.exp())
        value, slope = vmap(lambda a, one=one: jvp(one, (a,), (a,)))(x)
        assert torch.allclose(value, x.exp()) and torch.allclose(slope, x * x.exp())


def test_vmap_gives_keyword_arguments_whole():
    x, k = torch.arange(6.0).view(2, 3), torch.tensor([10.0, 20.0])
    assert torch.func.vmap(lambda a, k: a * k.sum())(x, k=k).tolist() == (x * 30).tolist()
    assert torch.func.vmap(lambda a, b: a + b, in_dims=(0,), chunk_size=1)(x, b=x[0]).tolist() == (x + x[0]).tolist()
    with pytest.raises(ValueError, match="got no inputs"):
        torch.func.vmap(lambda k: k * 2)(k=x)
