"""The graphs that rules record of themselves, and those of views and writes: node by node as PyTorch's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from test_graphs import graph_of

import rushlight

Function = Callable[..., Any]
UNARY = """
abs acos acosh angle asin asinh atan atanh celu ceil cos cosh cumsum deg2rad digamma elu entr erf erfc erfcx erfinv exp exp2 expm1
floor frac gelu hardshrink hardsigmoid hardswish hardtanh i0 i0e leaky_relu lgamma log log10 log1p log2 log_ndtr logit logsigmoid
mean mish nan_to_num ndtr ndtri neg norm prod rad2deg reciprocal relu round rsqrt selu sgn sigmoid sign silu sin sinc sinh softplus
softshrink softsign sqrt square std tan tanh tanhshrink trunc var
""".split()
BINARY = "add sub mul div copysign fmax fmin fmod hypot maximum minimum remainder xlog1py xlogy".split()
IN_PLACE = """
abs_ addcmul_ asin_ atan_ cos_ cosh_ digamma_ div_ erf_ exp_ expm1_ fmod_ hypot_ lgamma_ log1p_ log2_ log_ mul_ reciprocal_ rsqrt_ sigmoid_
sin_ sinh_ sqrt_ square_ sub_ tan_ tanh_ xlogy_
""".split()


OTHER_EDGES = ("atanh", "logit", "sinc")  # a number is an input of PyTorch's node, or stands at another place among them


def found(t: Any, name: str) -> Function:
    for space in (t, t.special, t.nn.functional):
        if hasattr(space, name):
            return getattr(space, name)
    raise AttributeError(name)


def of_derivatives(t: Any, function: Function, *values: Any) -> list[str]:
    """The graphs of the gradients, of which the one that comes in is a leaf too."""
    inputs = [t.tensor(value, dtype=t.float64, requires_grad=True) if isinstance(value, list) else value for value in values]
    out = function(*inputs)
    slopes = t.autograd.grad(out, inputs, t.ones_like(out).requires_grad_(), create_graph=True, allow_unused=True)
    return [f"{None if one is None else (graph_of(one.grad_fn), one.stride())}" for one in slopes]


@pytest.mark.parametrize("name", UNARY)
def test_of_one_argument(name: str) -> None:
    values = [1.3, 2.6] if name == "acosh" else [0.3, 0.6]

    def function(t: Any) -> Function:
        return (lambda x: t.cumsum(x, 0)) if name == "cumsum" else found(t, name)

    ours, theirs = of_derivatives(rushlight, function(rushlight), values), of_derivatives(torch, function(torch), values)
    if name in OTHER_EDGES:
        ours, theirs = ([re.sub(r"None, |, None", "", one) for one in side] for side in (ours, theirs))
    assert ours == theirs


@pytest.mark.parametrize("name", BINARY)
def test_of_two_arguments(name: str) -> None:
    values = ([0.3, 0.6], [0.7, 0.8])
    assert of_derivatives(rushlight, found(rushlight, name), *values) == of_derivatives(torch, found(torch, name), *values)


@pytest.mark.parametrize("name", IN_PLACE)
def test_of_writes(name: str) -> None:
    """What the node of a write keeps of what it writes over is a copy, with a node of its own."""

    def written(x: Any, z: Any) -> Any:
        y = x * 1
        getattr(y, name)(*([z, z] if name == "addcmul_" else [z] if name in BINARY_WRITES else []))
        return y

    values = ([0.3, 0.6], [1.5, 2.5])
    assert of_derivatives(rushlight, written, *values) == of_derivatives(torch, written, *values)


BINARY_WRITES = ("div_", "fmod_", "hypot_", "mul_", "sub_", "xlogy_")


@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)], ids=str)
@pytest.mark.parametrize(
    ("sizes", "alpha"),
    [((2, 3, 4), 1), ((2, 3, 4), 2), ((1, 1, 2), 1), ((1, 3, 2), 1), ((3, 1, 2), 1), ((2, 3, 1), 1)],
    ids=str,
)
def test_of_products(turned: tuple[bool, bool], sizes: tuple[int, int, int], alpha: int) -> None:
    """A factor that lies column after column in memory has a gradient that lies so."""
    rows, inner, columns = sizes

    def both(t: Any) -> list[list[str]]:
        a, b = (
            t.ones(size[::-1], dtype=t.float64).t() if is_turned else t.ones(size, dtype=t.float64)
            for size, is_turned in zip(((rows, inner), (inner, columns)), turned, strict=True)
        )
        weight, factors = b.t().requires_grad_(), [a.requires_grad_(), b.requires_grad_()]
        bias = t.ones(columns, dtype=t.float64)
        added = of_derivatives(t, lambda *all: t.addmm(bias, *all, alpha=alpha), *factors)
        layer = of_derivatives(t, t.nn.functional.linear, factors[0], weight)
        return [of_derivatives(t, t.mm, *factors), added, layer]

    assert both(rushlight) == both(torch)


VIEWS: dict[str, Function] = {
    "real": lambda t, y: y.real.mul_(2),
    "imag": lambda t, y: y.imag[0].mul_(2),
    "a row's imag": lambda t, y: y[0].imag.mul_(2),
    "a row's, and one": lambda t, y: y[0].imag[0].mul_(2),
    "several steps": lambda t, y: y.imag[0:1].t().mul_(2),
    "pairs": lambda t, y: t.view_as_real(y).mul_(2),
    "one of each pair": lambda t, y: t.view_as_real(y)[:, 0, 1].mul_(2),
    "pairs in a row": lambda t, y: t.view_as_real(y).view(8).mul_(2),
    "there and back": lambda t, y: t.view_as_complex(t.view_as_real(y)[0]).mul_(2),
    "unsqueezed": lambda t, y: y.real.unsqueeze(1).mul_(2),
    "conj": lambda t, y: y.conj().mul_(2j),
    "a row's conj": lambda t, y: y[0].conj().mul_(2j),
    "conj of conj": lambda t, y: y.conj().conj().mul_(2j),
    "filled conj": lambda t, y: y.conj().fill_(2j),
}


@pytest.mark.parametrize("name", VIEWS)
def test_of_writes_through_views_of_complex_numbers(name: str) -> None:
    def told(t: Any) -> list[Any]:
        z = t.tensor([[1 + 2j, 3j], [4, 5]], requires_grad=True)
        base = z * 1
        view = VIEWS[name](t, base)
        (slope,) = t.autograd.grad(base.abs().sum(), z, create_graph=True)
        again = t.autograd.grad(slope.abs().sum(), z, allow_unused=True)[0] if slope.requires_grad else None
        values = [round(abs(one), 4) for each in (slope, again) if each is not None for row in each.tolist() for one in row]
        return [graph_of(view.grad_fn), graph_of(base.grad_fn), values]

    assert told(rushlight) == told(torch)


@pytest.mark.parametrize("kind", ["gru", "lstm", "rnn_tanh"])
@pytest.mark.parametrize("both_ways", [False, True])
def test_of_packed_sequences(kind: str, both_ways: bool) -> None:
    def told(t: Any) -> list[str]:
        t.manual_seed(0)
        gates = {"gru": 3, "lstm": 4, "rnn_tanh": 1}[kind]
        own = [t.ones(gates, 1, dtype=t.float64, requires_grad=True) for _ in range(4 if both_ways else 2)]
        x = t.ones(3, 2, 1, dtype=t.float64, requires_grad=True)
        packed = t.nn.utils.rnn.pack_padded_sequence(x, t.tensor([3, 1]))
        state = t.zeros(1 + both_ways, 2, 1, dtype=t.float64)
        state = (state, state) if kind == "lstm" else state
        out = getattr(t, kind)(packed.data, packed.batch_sizes, state, own, False, 1, 0.0, True, both_ways)
        whole = t._pad_packed_sequence(out[0], packed.batch_sizes, True, 0.5, 4)[0]
        return [graph_of(one.grad_fn) for one in (*out, whole)]

    assert told(rushlight) == told(torch)


def functional(t: Any, name: str, *given: Any, **options: Any) -> Function:
    return lambda x: getattr(t.nn.functional, name)(x, *given, **options)


HANGING: dict[str, Function] = {
    "conv2d": lambda t: functional(t, "conv2d", t.ones(2, 2, 1, 1, dtype=t.float64)),
    "conv_transpose2d": lambda t: functional(t, "conv_transpose2d", t.ones(2, 1, 2, 2, dtype=t.float64)),
    "weight of conv2d": lambda t: lambda w: t.nn.functional.conv2d(t.ones(1, 2, 4, 4, dtype=t.float64), w),
    "weight of layer_norm": lambda t: lambda w: t.nn.functional.layer_norm(w.detach() * 2, (4,), w.flatten()[:4]),
    "weight of batch_norm": lambda t: (
        lambda w: t.nn.functional.batch_norm(w.detach() * 2, None, None, w.flatten()[:2], training=True)
    ),
    "grid_sample": lambda t: functional(t, "grid_sample", t.zeros(1, 2, 2, 2, dtype=t.float64), align_corners=False),
    "fractional": lambda t: functional(
        t, "fractional_max_pool2d", 2, 2, _random_samples=t.full((1, 2, 2), 0.5, dtype=t.float64)
    ),
    "reflect": lambda t: functional(t, "pad", (1, 1, 1, 1), mode="reflect"),
    "replicate": lambda t: functional(t, "pad", (1, 1, 1, 1), mode="replicate"),
    **{
        name: lambda t, name=name: functional(t, name, 2)
        for name in ("avg_pool2d", "max_pool2d", "max_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool2d")
    },
}


@pytest.mark.parametrize("name", HANGING)
def test_gradients_hang_on_what_their_functions_take(name: str) -> None:
    """PyTorch's function for such a gradient takes the input too, though nothing is computed from it."""

    def told(t: Any) -> list[Any]:
        x = (t.arange(32.0, dtype=t.float64) % 7).reshape(1, 2, 4, 4).requires_grad_()
        x = x.squeeze(0) if name == "max_pool1d" else x
        out = HANGING[name](t)(x)
        (slope,) = t.autograd.grad(out, x, t.ones_like(out), create_graph=True)
        (again,) = t.autograd.grad(slope.sum(), x, create_graph=True, allow_unused=True)
        found = [slope, *([] if again is None else [again])]
        return [(one.detach().round(decimals=9).add(0).tolist(), one.requires_grad) for one in found]

    assert told(rushlight) == told(torch)


DUAL: dict[str, Function] = {
    "product": lambda d, b: d * b,
    "product with a number": lambda d, b: d * 2,
    "square": lambda d, b: d * d,
    "sum": lambda d, b: d + b,
    "quotient": lambda d, b: d / b,
    "divisor": lambda d, b: b / d,
    "dot": lambda d, b: d @ b,
}


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
@pytest.mark.parametrize("name", DUAL)
def test_tangents_hang_on_what_absent_ones_are_multiplied_by(name: str) -> None:
    def told(t: Any) -> list[Any]:
        x, b = t.tensor([1.0, 2.0], requires_grad=True), t.tensor([3.0, t.inf])
        with t.autograd.forward_ad.dual_level():
            dual = t.autograd.forward_ad.make_dual(x, t.ones(2))
            tangent = t.autograd.forward_ad.unpack_dual(DUAL[name](dual, b)).tangent
        return [tangent.tolist(), tangent.requires_grad]

    assert told(rushlight) == told(torch)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
@pytest.mark.parametrize("name", ["hessian", "jacfwd of jacrev", "jvp of grad"])
@pytest.mark.parametrize("power", [2, 3])
def test_third_derivatives_that_are_constant_have_a_history(name: str, power: int) -> None:
    def told(t: Any) -> list[Any]:
        def function(x: Any) -> Any:
            return (x * x).sum() if power == 2 else (x * x * x).sum()

        x = t.tensor([1.0, 2.0], requires_grad=True)
        taken = {
            "hessian": t.func.hessian(function),
            "jacfwd of jacrev": t.func.jacfwd(t.func.jacrev(function)),
            "jvp of grad": lambda x: t.func.jvp(t.func.grad(function), (x,), (t.ones(2),))[1],
        }
        second = taken[name](x)
        (third,) = t.autograd.grad(second.sum(), x, create_graph=True)
        return [second.tolist(), third.detach().add(t.zeros(2)).tolist(), third.requires_grad]

    assert told(rushlight) == told(torch)


def both(call: Callable[[Any], Any]) -> list[Any]:
    """What a call gives on each side: numbers and whether they have a history, or the error's first line."""
    found = []
    for t in (torch, rushlight):
        try:
            made = call(t)
            found.append(((made.detach() + t.zeros(())).tolist(), made.requires_grad))  # zeros may have no memory in PyTorch
        except (RuntimeError, NotImplementedError) as error:
            found.append(str(error).partition("\n")[0])
    return found


TWICE = {
    "times a number": lambda t, x: x * 3.0,
    "times a tensor": lambda t, x: x * t.tensor([3.0, 4.0]),
    "over a number": lambda t, x: x / 2,
    "a matrix": lambda t, x: t.ones(2, 2) @ x,
    "dot": lambda t, x: x.dot(t.ones(2)),
    "where": lambda t, x: t.where(x > 1, x, x * 2),
    "linear": lambda t, x: t.nn.functional.linear(x[None], t.ones(2, 2)),
    "minus": lambda t, x: x - 2,
    "average": lambda t, x: t.nn.functional.avg_pool1d(x[None], 1),
}


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
@pytest.mark.parametrize("name", TWICE)
def test_constants_of_forward_derivatives_have_the_history_that_pytorchs_have(name: str) -> None:
    function = TWICE[name]
    for transform in ("jacfwd jacfwd", "jacfwd jacfwd jacfwd", "jacrev jacfwd", "jacfwd jacrev"):

        def call(t: Any, transform: str = transform) -> Any:
            f: Any = lambda x: function(t, x)  # noqa: E731
            for one in transform.split():
                f = getattr(t.func, one)(f)
            return f(t.tensor([1.0, 2.0], requires_grad=True))

        its, ours = both(call)
        assert ours == its, transform


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
def test_forward_mode_leaves_no_history_where_nobody_asked_for_one() -> None:
    def convolved(t: Any, x: Any) -> Any:
        return t.nn.functional.conv1d(x[None], t.ones(1, 2, 1)).sin().sum()

    def smooth(t: Any, x: Any) -> Any:
        return t.nn.functional.smooth_l1_loss(x.sin(), t.ones(2, 3))

    for f in (convolved, smooth):
        for g in (
            lambda t, f=f: t.func.jacrev(t.func.jacfwd(lambda x: f(t, x))),
            lambda t, f=f: lambda x: t.func.jvp(t.func.grad(lambda x: f(t, x)), (x,), (x,))[1],
            lambda t, f=f: lambda x: t.func.grad(lambda x: t.func.jvp(lambda x: f(t, x), (x,), (x.detach(),))[1])(x),
        ):
            for t in (torch, rushlight):
                assert not g(t)(t.arange(6.0).reshape(2, 3)).requires_grad


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
def test_tangents_of_nan_beside_nan_and_of_tolerances() -> None:
    nan = float("nan")
    for name in ("nansum", "nanmean"):
        its, ours = both(
            lambda t, name=name: t.func.jvp(lambda x: getattr(x, name)(), (t.tensor([1.0, nan]),), (t.tensor([2.0, nan]),))[1]
        )
        assert ours == its
    for label in ("rtol", "atol"):
        its, ours = both(lambda t, label=label: t.linalg.pinv(t.eye(2), **{label: t.tensor(1e-3, requires_grad=True)}))
        assert ours == its and "not differentiable" in its
