"""Pointwise ops: derivatives against finite differences, corners, dtypes, operators, and writing in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differences import slopes
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.backend import arithmetic, choice
from rushlight.ops import public

INF, NAN = math.inf, math.nan


def tensor(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def check(f: Callable[..., Any], *inputs: list[float]) -> None:
    """First and second derivatives of ``f`` in all inputs."""
    leaves = [tensor(values) for values in inputs]
    weights = torch.linspace(0.5, 1.5, max(len(values) for values in inputs), dtype=torch.float64)

    def first(*tensors: Any) -> Any:
        wanted = [each if each.requires_grad else each.detach().requires_grad_() for each in tensors]
        grads = torch.autograd.grad((f(*wanted) * weights).sum(), wanted, create_graph=True)
        return sum((grad * (number + 1)).sum() for number, grad in enumerate(grads))

    got = torch.autograd.grad((f(*leaves) * weights).sum(), leaves)
    for mine, right in zip(got, slopes(lambda *x: (f(*x) * weights).sum(), *leaves), strict=True):
        np.testing.assert_allclose(mine.numpy(), right, rtol=1e-5, atol=1e-7)
    total = first(*leaves)
    if total.requires_grad:
        twice = torch.autograd.grad(total, leaves, allow_unused=True)
        for mine, right in zip(twice, slopes(first, *leaves), strict=True):
            value = np.zeros_like(right) if mine is None else mine.numpy()
            np.testing.assert_allclose(value, right, rtol=1e-4, atol=1e-6)


ONE = {
    "neg square exp exp2 expm1 sin cos tan sinh cosh tanh asinh atan sigmoid sinc abs relu frac nan_to_num erf erfc "
    "deg2rad rad2deg reciprocal": [-1.3, -0.4, 0.35, 2.2],
    "log log2 log10 log1p sqrt rsqrt lgamma digamma": [0.2, 0.9, 1.7, 4.5],
    "asin acos atanh erfinv": [-0.8, -0.1, 0.3, 0.7],
    "acosh": [1.1, 1.9, 5.0],
    "logit": [0.1, 0.4, 0.9],
}


@pytest.mark.parametrize("name", [name for names in ONE for name in names.split()])
def test_functions_of_one(name: str) -> None:
    values = next(values for names, values in ONE.items() if name in names.split())
    check(getattr(torch, name), values)


TWO: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: torch.add(x, y, alpha=-2.5),
    "sub": lambda x, y: torch.sub(x, y, alpha=3),
    "rsub": lambda x, y: torch.rsub(x, y, alpha=2),
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x.abs() ** y,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "atan2": torch.atan2,
    "hypot": torch.hypot,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "xlogy": lambda x, y: torch.xlogy(x, y.abs()),
    "xlog1py": lambda x, y: torch.special.xlog1py(x, y.abs()),
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "copysign": torch.copysign,
    "ldexp": torch.ldexp,
    "where": lambda x, y: torch.where(x > y, x * y, x / y),
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "lerp_far": lambda x, y: torch.lerp(x, y, 1.7),
    "lerp_tensor": lambda x, y: torch.lerp(x, y, x * y),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=0.5),
    "addcdiv": lambda x, y: torch.addcdiv(y, x, y, value=-2),
    "clamp": lambda x, y: torch.clamp(x, min=y, max=y + 0.5),
    "masked_fill": lambda x, y: (x * y).masked_fill(x > 0, y[0].detach() * 0 + 3),
}


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two(name: str) -> None:
    check(TWO[name], [-1.3, -0.4, 0.35, 2.2], [0.7, -1.6, 1.45, 0.9])


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, 0.5, 2.5, -1.5])
def test_powers_with_numbers(exponent: float) -> None:
    check(lambda x: x**exponent, [0.3, 1.2, 2.0])
    check(lambda x: (abs(exponent) + 0.5) ** x, [-0.3, 1.2, 2.0])


@pytest.mark.parametrize("f", [lambda x: 3 - x, lambda x: 3 / x, lambda x: x % 0.7, lambda x: x.clamp(-1, 1), lambda x: +x])
def test_operators_with_numbers(f: Callable[..., Any]) -> None:
    check(f, [-1.3, -0.4, 0.35, 2.2])


def _parts(z: Any) -> Any:
    return z.real + 2 * z.imag


@pytest.mark.parametrize(
    "name", "exp log sin cos tan sinh cosh tanh asinh atan sqrt rsqrt reciprocal square sigmoid sgn".split()
)
def test_complex_functions(name: str) -> None:
    # The parts of the result as functions of the parts of the argument.
    f = getattr(torch, name)
    check(lambda x, y: f(torch.complex(x, y)).real + 2 * f(torch.complex(x, y)).imag, [0.4, -1.1, 0.7], [0.9, 0.3, -0.6])


@pytest.mark.parametrize("f", [lambda z, w: z * w, lambda z, w: z / w, lambda z, w: z**w, lambda z, w: z.conj() * w])
def test_complex_arithmetic(f: Callable[..., Any]) -> None:
    def parts(a: Any, b: Any, c: Any, d: Any) -> Any:
        result = f(torch.complex(a, b), torch.complex(c, d))
        return result.real + result.imag * 2 + result.abs() + result.angle()

    check(parts, [0.4, -1.1], [0.9, 0.3], [1.2, 0.7], [-0.5, 0.8])


# Corners: what PyTorch answers where the derivative has no value of its own. (values, gradient of the sum)
CORNERS: dict[str, tuple[Callable[..., Any], list[float], list[float], list[float]]] = {
    "abs": (lambda x: x.abs(), [0.0, -0.0, -2.0], [0.0, 0.0, 2.0], [0.0, 0.0, -1.0]),
    "sqrt at 0": (lambda x: x.sqrt(), [0.0, 4.0], [0.0, 2.0], [INF, 0.25]),
    "relu": (lambda x: x.relu(), [-1.0, 0.0, 1.0, NAN], [0.0, 0.0, 1.0, NAN], [0.0, 0.0, 1.0, 1.0]),
    "clamp at its bounds": (lambda x: x.clamp(0, 1), [0.0, 1.0, 1.5, NAN], [0.0, 1.0, 1.0, NAN], [1.0, 1.0, 0.0, 0.0]),
    "x ** 0": (lambda x: x**0, [0.0, INF, NAN], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
    "x ** 1 at 0": (lambda x: x**1, [0.0], [0.0], [1.0]),
    "0 ** x": (lambda x: 0**x, [0.0, 2.0], [1.0, 0.0], [0.0, 0.0]),
    "sinc at 0": (torch.sinc, [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]),
    "xlogy at 0": (lambda x: torch.xlogy(x, 0.0), [0.0, 1.0], [0.0, -INF], [0.0, -INF]),
    "atan2 at 0": (lambda x: torch.atan2(x, x), [0.0, 1.0], [0.0, math.pi / 4], [0.0, 0.0]),
    "maximum of equals": (lambda x: torch.maximum(x, x.detach()), [1.0], [1.0], [0.5]),
    "fmax with nan": (lambda x: torch.fmax(x, x.detach() * NAN), [1.0], [1.0], [1.0]),
    "where beside nan": (lambda x: torch.where(x > 0, x, x * NAN), [1.0], [1.0], [NAN]),
    "sign of nan": (lambda x: x.sign(), [NAN, -0.0, -3.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]),
    "nan_to_num": (torch.nan_to_num, [NAN, 1.0], [0.0, 1.0], [0.0, 1.0]),
}


@pytest.mark.parametrize("name", CORNERS)
def test_corners(name: str) -> None:
    f, values, results, gradient = CORNERS[name]
    x = tensor(values)
    y = f(x)
    np.testing.assert_allclose(y.detach().numpy(), results, atol=1e-15)
    y.backward(torch.ones_like(y))
    np.testing.assert_allclose(x.grad.numpy(), gradient, atol=1e-15)


def test_zeros_keep_their_sign() -> None:
    x = torch.tensor([-0.0])
    for y in (x.relu(), x.clamp(min=0), x.clamp(0, 1), x.clamp(max=0), x % 1, torch.fmod(x, 1), x.floor(), x * 1):
        assert math.copysign(1, y.item()) == -1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_relu_and_clamp_of_many_numbers(dtype: torch.dtype) -> None:
    values = np.random.default_rng(0).standard_normal(20_001)
    corners = [-0.0, 0.0, INF, -INF, NAN]
    values[:5] = values[-5:] = corners
    x = torch.tensor(values, dtype=dtype, requires_grad=True)
    y = x.relu()
    y.sum().backward()
    found, given = y.detach().numpy(), x.detach().numpy()
    np.testing.assert_array_equal(found, np.where(given < 0, 0, given))
    assert np.signbit(found[[0, 1, -5, -4]]).tolist() == [True, False, True, False]
    np.testing.assert_array_equal(x.grad.numpy(), ~(values <= 0))
    np.testing.assert_array_equal(x.detach().clamp(-0.5, 1).numpy(), np.clip(given, -0.5, 1))
    np.testing.assert_array_equal(torch.arange(-10_000, 10_000).clamp(max=7).numpy(), np.arange(-10_000, 10_000).clip(None, 7))


def test_integers() -> None:
    a, b = torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2])
    assert (a // b).tolist() == [3, -4, -4, 3]
    assert torch.div(a, b, rounding_mode="trunc").tolist() == [3, -3, -3, 3]
    assert (a % b).tolist() == [1, 1, -1, -1]
    assert torch.fmod(a, b).tolist() == [1, -1, 1, -1]
    assert (torch.tensor([-1, 2, 1]) ** torch.tensor([-3, -1, -2])).tolist() == [-1, 0, 1]
    assert (torch.tensor([1]) << torch.tensor([70])).tolist() == [0]
    assert (torch.tensor([-8]) >> 1).tolist() == [-4]
    assert torch.tensor([2, 200], dtype=torch.uint8).add(100).tolist() == [102, 44]
    for failing in (lambda: a // 0, lambda: a % torch.tensor([0, 1, 1, 1]), lambda: torch.fmod(a, 0)):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            failing()
    with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
        a**-1


@pytest.mark.parametrize(
    ("result", "dtype"),
    [
        (lambda: torch.ones(2, dtype=torch.int64) * 2.5, "torch.float32"),
        (lambda: torch.ones(2, dtype=torch.int32) / 2, "torch.float32"),
        (lambda: torch.ones(2) * torch.tensor(2.0, dtype=torch.float64), "torch.float32"),
        (lambda: torch.ones(2, dtype=torch.float16) + torch.ones(2), "torch.float32"),
        (lambda: torch.ones(2, dtype=torch.uint8) + torch.ones(2, dtype=torch.int8), "torch.int16"),
        (lambda: torch.ones(2, dtype=torch.bool) + True, "torch.bool"),
        (lambda: torch.ones(2) * 1j, "torch.complex64"),
        (lambda: torch.ones(2, dtype=torch.complex128).abs(), "torch.float64"),
        (lambda: torch.ones(2, dtype=torch.int64).sin(), "torch.float32"),
        (lambda: torch.ones(2, dtype=torch.int64).float_power(2), "torch.float64"),
        (lambda: torch.where(torch.tensor([True]), torch.ones(1, dtype=torch.int64), 2.5), "torch.float32"),
        (lambda: torch.ones(2, dtype=torch.int64).clamp(0.5), "torch.float32"),
        (lambda: torch.ones(2) == 1, "torch.bool"),
    ],
)
def test_result_dtypes(result: Callable[[], Any], dtype: str) -> None:
    assert str(result().dtype).replace("rushlight", "torch") == dtype


def test_foreign_operands() -> None:
    class Other:
        def __radd__(self, left: Any) -> str:
            return "radd"

        def __rmatmul__(self, left: Any) -> str:
            return "rmatmul"

    x = torch.ones(2)
    assert x + Other() == "radd"
    assert (x == "text") is False and (x != "text") is True
    for operator in ("__add__", "__rsub__", "__pow__", "__eq__", "__mod__", "__and__", "__rtruediv__"):
        assert getattr(x, operator)("text") is NotImplemented
    with pytest.raises(TypeError, match="unsupported operand type"):
        x - "text"
    with pytest.raises(TypeError, match=r"add\(\): argument 'other' \(position \d\) must be Tensor, not str"):
        torch.add(x, "text")
    with pytest.raises(TypeError, match="must be Tensor, not float"):
        torch.maximum(x, 2.0)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.eq(2, x)
    assert len({x, x}) == 1


def test_shapes_that_do_not_go_together() -> None:
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(2\) must match the size of tensor b \(3\)"):
        torch.ones(2) + torch.ones(3)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(2\) must match"):
        torch.ones(2).copy_(torch.ones(3))
    with pytest.raises(RuntimeError, match=r"output with shape \[1\] doesn't match the broadcast shape \[2\]"):
        torch.ones(1).add_(torch.ones(2))


def test_bool_has_no_difference() -> None:
    b = torch.tensor([True, False])
    for failing in (lambda: b - b, lambda: -b, lambda: torch.ones(2) - b, lambda: 1 - b):
        with pytest.raises(RuntimeError, match=r"(on a|two|with a) bool tensors? is not supported"):
            failing()
    assert (~b).tolist() == [False, True] and (b ^ True).tolist() == [False, True]


# In place.


def test_in_place_returns_the_tensor_and_counts() -> None:
    x = torch.tensor([1.0, 4.0])
    same = x.data_ptr()
    y = x
    y += 1
    y *= torch.tensor([2.0, 0.5])
    y.sqrt_().neg_().add_(torch.ones(2), alpha=3).clamp_(0, 2).pow_(2)
    assert y is x and x.data_ptr() == same and x._version == 7
    np.testing.assert_allclose(x.numpy(), [1.0, min(3 - math.sqrt(2.5), 2) ** 2], rtol=1e-6)
    assert torch.tensor([3.7, -1.0]).fill_(2).tolist() == [2.0, 2.0]
    assert torch.tensor([3, 4]).fill_(2.9).tolist() == [2, 2]
    assert torch.tensor([3, 4]).zero_().tolist() == [0, 0]
    assert torch.zeros(2, 2).copy_(torch.tensor([1, 2])).tolist() == [[1.0, 2.0], [1.0, 2.0]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.int64])
@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 8, 16])
def test_what_lies_in_steps_is_negated_in_its_place(dtype: torch.dtype, step: int) -> None:
    whole = torch.arange(1, 40 * step).to(dtype)
    part, rest = whole[1 : 20 * step : step], whole.clone()
    expected = [-value for value in part.tolist()]
    part.neg_()
    assert part.tolist() == expected
    rest[1 : 20 * step : step] = part
    assert whole.equal(rest)


def test_divisions_by_zero_in_place_do_not_warn() -> None:
    x = torch.zeros(2)
    x.div_(0)
    assert all(math.isnan(value) for value in x.tolist())
    assert torch.zeros(2).log_().tolist() == [-INF, -INF]
    assert torch.ones(1).add_(torch.tensor([3e38]), alpha=10).tolist() == [INF]
    assert torch.ones(2).div_(torch.zeros(2)).tolist() == [INF, INF]


def test_in_place_gradients() -> None:
    x, y = tensor([1.0, 2.0]), tensor([3.0, 5.0])
    z = x * 1
    z.mul_(y)
    z += x
    z.exp_()
    z.sum().backward()
    value = np.exp([1 * 3 + 1, 2 * 5 + 2])
    np.testing.assert_allclose(x.grad.numpy(), value * [4.0, 6.0])
    np.testing.assert_allclose(y.grad.numpy(), value * [1.0, 2.0])


def test_writes_and_their_gradients() -> None:
    x, y = tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([10.0, 20.0])
    z = x * 2
    z[0].copy_(y)
    z[1, 0].zero_()
    z[:, 1].mul_(3)
    assert z.tolist() == [[10.0, 60.0], [0.0, 24.0]]
    z.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 6.0]] and y.grad.tolist() == [1.0, 3.0]
    w, value = tensor([1.0, 2.0]) * 1, tensor(5.0)
    w.fill_(value)
    w.sum().backward()
    assert value.grad.item() == 2.0 and type(w.grad_fn).__name__ == "FillBackward3"


def test_in_place_refusals() -> None:
    leaf = tensor([1.0])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        leaf += 1
    with torch.no_grad():
        leaf -= 0.25
    assert leaf.item() == 0.75 and leaf.is_leaf
    saved = leaf * 2
    product = saved * saved
    saved.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.ones(2, dtype=torch.int64).mul_(1.5)
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[1:].add_(x[:-1])
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(1).expand(3).mul_(2)


def test_comparison_in_place_has_no_slope() -> None:
    x = tensor([1.0, 2.0])
    y = x * 1
    y.gt_(1.5)
    y.sum().backward()
    assert y.tolist() == [0.0, 1.0] and x.grad.tolist() == [0.0, 0.0]


# Comparison and complex numbers.


def test_comparison() -> None:
    a, b = torch.tensor([1.0, NAN, INF]), torch.tensor([1.0, NAN, INF])
    assert (a == b).tolist() == [True, False, True]
    assert torch.isclose(a, b, equal_nan=True).tolist() == [True, True, True]
    assert not torch.allclose(a, b) and torch.equal(torch.ones(2), torch.ones(2))
    assert not torch.equal(torch.ones(2), torch.ones(1, 2))
    assert torch.isclose(torch.tensor([INF]), torch.tensor([1e30])).tolist() == [False]
    with pytest.raises(NotImplementedError, match="\"lt_cpu\" not implemented for 'ComplexFloat'"):
        torch.lt(torch.tensor([1j]), torch.tensor([2j]))
    with pytest.raises(RuntimeError, match="Float did not match Double"):
        torch.isclose(torch.ones(1), torch.ones(1, dtype=torch.float64))


def test_parts_of_complex_numbers_are_views() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    z.real.mul_(10)
    z.imag = torch.tensor([5.0, 6.0])
    assert z.tolist() == [10 + 5j, 30 + 6j]
    pairs = torch.view_as_real(z)
    pairs[0, 1] = 7
    assert z[0].item() == 10 + 7j and torch.view_as_complex(pairs).tolist() == z.tolist()
    assert z.conj().is_conj() and not z.conj().conj().is_conj() and not z.is_conj()
    assert z.conj().resolve_conj().tolist() == [10 - 7j, 30 - 6j]
    x = torch.ones(2)
    assert x.real is x and x.conj() is x
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        _ = x.imag
    leaf = torch.tensor([3 + 4j], requires_grad=True)
    leaf.abs().sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), [0.6 + 0.8j], rtol=1e-6)


def test_empty_and_scalar_tensors() -> None:
    empty = tensor([])
    (empty.exp() * empty / 2).sum().backward()
    assert empty.grad.shape == (0,)
    x = tensor(2.0)
    y = (x**3).clamp(max=9.0).log()
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    slope.backward()
    assert slope.item() == pytest.approx(1.5) and x.grad.item() == pytest.approx(-0.75)


def test_signs_of_zero_and_infinite_directions_of_complex_numbers() -> None:
    assert repr(torch.sigmoid(torch.tensor([0j, 1 + 0j]))) == "tensor([0.5000+0.j, 0.7311+0.j])"
    directions = torch.sgn(torch.tensor([complex("inf+1j"), 3 - 4j, 0j]))
    assert torch.view_as_real(directions).isnan().tolist()[0][0] and directions[0].imag == 0
    assert torch.allclose(directions[1:], torch.tensor([0.6 - 0.8j, 0j]))


def test_ldexp_where_the_power_alone_is_too_great() -> None:
    x = torch.tensor([1e-38, 0.0, 3.0, torch.inf], requires_grad=True)
    result = torch.ldexp(x, torch.tensor([140, 255, -2, -140]))
    assert torch.allclose(result, torch.tensor([13937.9648, 0.0, 0.75, torch.inf]))
    result[2].backward()
    assert x.grad is not None and x.grad[2] == 0.25
    assert torch.ldexp(x.detach().bfloat16(), torch.tensor(140))[1] == 0


def test_numpy_arrays_take_over_in_operators() -> None:
    x = torch.arange(1.0, 4.0)
    array = np.arange(1.0, 4.0)
    kept = x
    x += array
    assert isinstance(x, torch.Tensor) and x.dtype is torch.float64 and x.tolist() == [2, 4, 6]
    assert kept.tolist() == [1, 2, 3]
    assert torch.allclose(array / kept, torch.ones(3, dtype=torch.float64))
    for other in (None, "a", [1]):
        with pytest.raises(TypeError, match="unsupported operand type"):
            kept *= other
        with pytest.raises(TypeError, match="unsupported operand type"):
            other / kept
    assert np.float32(2) in kept and np.int64(7) not in kept
    assert np.array(torch.ones(2, 3).t()).strides == (4, 12)


class Reluctant:
    """Takes no function over, and has operators of its own."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented

    def __radd__(self, other: Any) -> str:
        return "radd"

    def __rpow__(self, other: Any) -> str:
        return "rpow"

    def __gt__(self, other: Any) -> str:
        return "gt"


def test_operands_that_decline_are_asked_for_their_own_operator() -> None:
    x: Any = torch.ones(2)
    other: Any = Reluctant()
    assert (x + other, x**other, x < other) == ("radd", "rpow", "gt")
    with pytest.raises(TypeError, match="unsupported operand type"):
        x - other
    with pytest.raises(TypeError, match="all __torch_function__ handlers returned NotImplemented"):
        torch.sub(x, other)
    x += other
    assert x == "radd"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda x: torch.where(x > 0, None, x),
            r"where() received an invalid combination of arguments - got (Tensor, NoneType, Te",
        ),
        (lambda x: torch.where(x > 0, x), r"where() received an invalid combination of arguments"),
        (
            lambda x: torch.where(x > 0, [1, 2], x),
            r"where() received an invalid combination of arguments - got (Tensor, list, Tensor)",
        ),
        (lambda x: x.clamp("a"), r"clamp() received an invalid combination of arguments"),
        (lambda x: torch.clamp(x, 0, [1]), r"clamp() received an invalid combination of arguments - got (Tensor, int, list)"),
        (
            lambda x: torch.clamp_min(x, None),
            "clamp_min() received an invalid combination of arguments - got (Tensor, NoneType)",
        ),
        (
            lambda x: torch.lerp(x, x, None),
            r"lerp() received an invalid combination of arguments - got (Tensor, Tensor, NoneType)",
        ),
        (lambda x: torch.addcmul(x, x, x, value=None), "addcmul(): argument 'value' must be Number, not NoneType"),
        (lambda x: torch.addcdiv(x, x, x, value=[1]), "addcdiv(): argument 'value' must be Number, not list"),
        (lambda x: torch.add(x, x, alpha="a"), "add(): argument 'alpha' must be Number, not str"),
        (
            lambda x: x.masked_fill(x > 0, None),
            r"masked_fill() received an invalid combination of arguments - got (Tensor, NoneType)",
        ),
        (lambda x: torch.nan_to_num(x, neginf=[1]), "nan_to_num(): argument 'neginf' must be float, not list"),
        (lambda x: x.topk(1.0), "topk(): argument 'k' (position 1) must be int, not float"),
    ],
)
def test_what_is_no_number_is_not_taken_for_one(call: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        call(torch.ones(2))
    assert str(caught.value).startswith(words)


def test_corners_without_dimensions_or_fractions() -> None:
    number = torch.tensor(1.0)
    assert number.flatten().shape == (1,)
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 1"):
        number.flatten(1)
    with pytest.raises(RuntimeError, match=r"^unflatten got an unexpected error"):
        number.unflatten(0, (1, -1))
    with pytest.raises(NotImplementedError, match="\"round_cpu\" not implemented for 'Long'"):
        torch.round(torch.tensor([25]), decimals=-1)


def test_what_out_may_be() -> None:
    whole = torch.ones(4)
    for name in ("angle", "conj_physical", "exp", "logit", "nan_to_num", "square"):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"):
            getattr(torch, name)(whole[:3], out=whole[1:])
    for name in ("isneginf", "isposinf", "signbit"):
        with pytest.raises(RuntimeError, match=f"^{name} does not support non-boolean outputs"):
            getattr(torch, name)(whole, out=torch.ones(4))
    for name in ("abs", "exp", "signbit"):
        with pytest.raises(TypeError, match=rf"^{name}\(\): argument 'out' must be Tensor, not int"):
            getattr(torch, name)(whole, out=3)


def test_zeros_keep_their_signs_whichever_was_met_first() -> None:
    x = torch.ones(2)
    for zero, sign in ((0.0, False), (-0.0, True), (0, False), (-0.0, True), (0.0, False)):
        assert (x * zero).signbit().tolist() == [sign, sign]


def test_whole_numbers_beside_whole_tensors() -> None:
    x = torch.tensor([1, 2])
    for number, kind in ((1, torch.int64), (1.0, torch.float32), (True, torch.int64), (1 + 0j, torch.complex64)):
        assert (x + number).dtype is kind and (x + number).tolist() == [2, 3]
        assert (x == number).tolist() == [True, False]
    assert (x + (2**63 - 1)).tolist() == [-(2**63), -(2**63) + 1]
    assert x.add_(1).sub_(3).mul_(-2).tolist() == [2, 0] and x._version == 3
    with pytest.raises(OverflowError, match="int too big to convert"):
        x + 2**64
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.div_(2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_logarithms_of_sums_of_many_numbers(dtype):
    ends = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e30, -1e30, 1.5])
    numbers = np.concatenate([ends, np.random.default_rng(0).standard_normal(600) * 30]).astype(dtype)
    a, b = np.repeat(numbers, 2), np.concatenate([numbers[::-1], numbers])
    close = {"rtol": 4 * np.finfo(dtype).eps, "atol": np.finfo(dtype).eps}  # a logarithm and a number that nearly cancel
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(choice.logaddexp(a, b), np.logaddexp(a, b), **close)
        np.testing.assert_allclose(choice.logaddexp(a, a), np.logaddexp(a, a), **close)


@pytest.mark.parametrize("dtype, close", [(torch.float32, 3e-7), (torch.float64, 5e-16)])
def test_mish_is_what_its_name_says_everywhere(dtype, close):
    x = torch.cat([torch.linspace(-30, 60, 501, dtype=dtype), torch.tensor([1e30, -1e30], dtype=dtype)]).requires_grad_()
    y = torch.nn.functional.mish(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    wide = x.detach().numpy().astype(np.float64)
    softplus = np.logaddexp(0, wide)
    curve, gate = np.tanh(softplus), np.exp(-np.logaddexp(0, -wide))
    np.testing.assert_allclose(y.detach().numpy(), wide * curve, rtol=4 * close, atol=close)
    through = np.where(np.abs(wide) < 1e3, wide, 0) * gate / np.cosh(np.minimum(softplus, 300)) ** 2
    np.testing.assert_allclose(slope.numpy(), curve + through, rtol=20 * close, atol=20 * close)


@given(
    st.integers(0, 999), st.integers(-3, 5), st.integers(-3, 5), st.sampled_from(("any", "steps", "multiples", "one", "other"))
)
def test_rests_of_many_numbers_are_those_of_few(seed: int, size: int, other: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    a, b = (random.standard_normal(300) * 10.0**power for power in (size, other))
    if kind == "steps":
        a, b = np.round(4 * a) / 4, np.round(4 * b) / 4
    if kind == "multiples":
        a = b * random.integers(-50, 50, 300)
    x = torch.tensor(a[0] if kind == "one" else a, dtype=torch.float32)
    y = torch.tensor(b[0] if kind == "other" else b, dtype=torch.float32)
    if seed % 5 == 0 and kind != "other":
        y[7], y[9] = (float("inf"), 0.0) if seed % 2 else (float("nan"), -0.0)
    for function in (torch.remainder, torch.fmod, torch.floor_divide):
        many = function(x, y)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arithmetic, "_MANY_QUOTIENTS", 1 << 20)
            few = function(x, y)
        numbers = ~few.isnan()
        assert torch.equal(many.isnan(), few.isnan()) and torch.equal(many[numbers], few[numbers])
        assert torch.equal(many.signbit() & numbers, few.signbit() & numbers)


def test_conditions_of_bytes_are_warned_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public, "_warned", set())
    condition = torch.tensor([1, 0], dtype=torch.uint8)
    with pytest.warns(UserWarning, match="where received a uint8 condition tensor") as seen:
        assert torch.where(condition, torch.ones(2), torch.zeros(2)).tolist() == [1.0, 0.0]
        torch.ones(2).where(condition, torch.zeros(2))
    assert len(seen) == 1
