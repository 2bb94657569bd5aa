"""Forward mode over forward mode, over the reverse pass and under it: second derivatives all ways round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import func
from rushlight.autograd import Function, forward_ad

_MATRIX = [[2.0, 0.5, 0.1], [0.3, 3.0, 0.2], [0.4, 0.1, 4.0]]
TWICE: dict[str, Callable[[Any, Any], Any]] = {
    "norm": lambda x, m: x.norm(),
    "var": lambda x, m: x.var(),
    "prod": lambda x, m: x.prod(),
    "cumprod": lambda x, m: (x.cumprod(0) * m[0]).sum(),
    "logsumexp": lambda x, m: x.logsumexp(0),
    "softmax": lambda x, m: x.softmax(0)[0],
    "log_softmax": lambda x, m: x.log_softmax(0)[0],
    "cross_entropy": lambda x, m: F.cross_entropy(x[None], torch.tensor([1])),
    "mse_loss": lambda x, m: F.mse_loss(x, x.flip(0) * 2),
    "inv": lambda x, m: torch.linalg.inv(m * x).sum(),
    "solve": lambda x, m: torch.linalg.solve(m * x, x * x).sum(),
    "cholesky": lambda x, m: torch.linalg.cholesky(m @ m.T + torch.diag(x)).sum(),
    "matrix_exp": lambda x, m: torch.matrix_exp(m * x / 8).sum(),
    "cosine_similarity": lambda x, m: F.cosine_similarity(x[None], x.flip(0)[None] * m[0]).sum(),
    "linear": lambda x, m: F.linear(x, m * x, x).sum(),
    "attention": lambda x, m: F.scaled_dot_product_attention(x[None, :, None], x[None, :, None], x[None, :, None]).sum(),
    "conv1d": lambda x, m: F.conv1d(x[None, None], x[None, None, :2], x[:1]).sum(),
    "layer_norm": lambda x, m: F.layer_norm(x, (3,))[0],
    "svdvals": lambda x, m: torch.linalg.svdvals(m * x).sum(),
}


@pytest.mark.parametrize("point", [[1.1, 2.2, 3.3], [0.0, 1.5, 2.5]])
@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_are_those_of_the_reverse_pass(name: str, point: list[float]) -> None:
    if 0.0 in point and name not in ("prod", "cumprod", "norm", "var", "softmax", "linear", "layer_norm", "mse_loss"):
        point = [0.7, *point[1:]]
    m, x = torch.tensor(_MATRIX, dtype=torch.float64), torch.tensor(point, dtype=torch.float64)

    def f(x: Any) -> Any:
        return TWICE[name](x, m)

    right = func.jacrev(func.jacrev(f))(x)
    for found in (func.jacfwd(func.jacfwd(f))(x), func.hessian(f)(x), func.jacrev(func.jacfwd(f))(x)):
        assert torch.allclose(found, right, rtol=1e-8, atol=1e-10) and not found.requires_grad
    direction = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    twice = func.jvp(lambda t: func.jvp(f, (t,), (direction,))[1], (x,), (direction,))[1]
    assert torch.allclose(twice, direction @ right @ direction, rtol=1e-8, atol=1e-10)


def test_a_function_keeps_the_tangents_of_what_it_saves() -> None:
    class Cube(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            (x,) = ctx.saved_tensors
            return t * 3 * x**2

    class Exponential(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            ctx.save_for_forward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (y,) = ctx.saved_tensors
            return g * y

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            (y,) = ctx.saved_tensors
            return t * y

    assert func.hessian(lambda t: Cube.apply(t).sum())(torch.tensor([1.0, 2.0])).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.tensor([1.0, 10.0]))
        (g,) = torch.autograd.grad(Exponential.apply(dual).sum(), dual, create_graph=True)
        assert torch.allclose(forward_ad.unpack_dual(g).tangent, x.exp() * torch.tensor([1.0, 10.0]))


def test_derivatives_where_there_is_a_kink() -> None:
    ones, zeros = torch.ones(2), torch.zeros(2)
    at_zero, moved = torch.tensor([0j, 1 + 1j]), torch.tensor([1 + 0j, 1j])
    assert func.jacfwd(torch.std)(ones).tolist() == func.jacfwd(lambda t: t.norm(3))(zeros).tolist() == [0.0, 0.0]
    for function in (torch.sgn, torch.angle, func.grad(lambda z: z.abs().sum())):
        tangent = func.jvp(function, (at_zero,), (moved,))[1]
        assert tangent[0] == 0 and not torch.view_as_real(tangent + 0j).isnan().any()
    assert func.hessian(lambda t: torch.fft.rfft(t).abs().sum())(torch.ones(4)).abs().max() < 1e-5
