"""What random programs have found in half precision: each step is rounded where PyTorch rounds it, and nowhere else.

The numbers are PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

HALF, BRAIN = torch.float16, torch.bfloat16


def gradient(function: Callable[[Any], Any], values: list[float], dtype: Any = BRAIN) -> list[float]:
    x = torch.tensor(values, dtype=dtype, requires_grad=True)
    y = function(x)
    (found,) = torch.autograd.grad(y, x, torch.ones_like(y))
    return list(found.tolist())


@pytest.mark.parametrize(
    ("function", "values", "expected"),
    [
        (torch.tanh, [-2.0, 2.5, 0.7], [0.06884765625, 0.0233154296875, 0.6328125]),
        (torch.sigmoid, [-2.0, 2.5, 0.7], [0.10498046875, 0.06884765625, 0.2216796875]),
        (F.logsigmoid, [-3.28125, -0.6328125, 2.1875], [0.96484375, 0.65234375, 0.10107421875]),
        (F.glu, [1.25, -0.7, 2.3, 0.4], [0.91015625, 0.59765625, 0.10205078125, -0.16796875]),
    ],
)
def test_a_slope_is_rounded_once(function: Callable[[Any], Any], values: list[float], expected: list[float]) -> None:
    assert gradient(function, values) == expected


def test_what_is_multiplied_by_a_number_is_rounded_once() -> None:
    assert torch.sinc(torch.tensor([-1.0, 0.25], dtype=HALF)).tolist() == [0.0, 0.900390625]
    assert torch.rad2deg(torch.tensor([1.75], dtype=BRAIN)).item() == 100.5
    assert (torch.tensor([3.328125], dtype=BRAIN) // 0.37).item() == 8


def test_composed_functions_round_each_step() -> None:
    x = torch.tensor([-3.28125, -0.6328125, 2.1875], dtype=BRAIN)
    assert F.mse_loss(torch.tensor([3.328125], dtype=BRAIN), torch.tensor([-1.8359375], dtype=BRAIN)).item() == 26.625
    assert F.binary_cross_entropy_with_logits(x, x.flip(0), reduction="none").tolist() == [7.1875, 0.03125, 9.5]
    assert x.logsumexp(0).item() == 2.25
    assert x.log_softmax(0).tolist() == [-5.53125, -2.875, -0.060546875]
    assert x.view(3, 1).log_softmax(0).view(3).tolist() == [-5.53125, -2.875, -0.061767578125]


def test_products_round_each_factor() -> None:
    x = (torch.arange(1, 71) % 7 / 6 + 0.5).to(BRAIN)
    assert x[:4].prod().item() == 0.64453125
    assert x.prod().item() == 0.0130615234375  # by vectors
    assert x.view(70, 1).expand(70, 2).contiguous().prod(0).tolist() == [0.0125732421875] * 2
    assert torch.ones(0, 3, dtype=HALF).prod(0).tolist() == [1, 1, 1]


def test_an_exponent_without_dimensions_is_of_the_bases_precision_in_the_gradient_too() -> None:
    exponent = torch.tensor(742.07)  # 741 in half precision, less 1
    assert gradient(lambda x: x**exponent, [-0.5], HALF) == [0.0]


def test_a_weight_without_dimensions_is_of_any_dtype() -> None:
    start, end = torch.tensor([1.0, 2.0], dtype=HALF), torch.tensor([2.0, 4.0], dtype=HALF)
    weight = torch.tensor(0.37, requires_grad=True)
    mixed = torch.lerp(start, end, weight)
    assert mixed.tolist() == [1.3701171875, 2.740234375]
    (found,) = torch.autograd.grad(mixed.sum(), weight)
    assert (found.dtype, found.item()) == (torch.float32, 3)
    with pytest.raises(RuntimeError, match="expected dtype c10::Half for `weight` but got dtype float"):
        torch.lerp(start, end, weight.view(1))


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid])
def test_a_tangent_in_half_precision_meets_its_primals_slope(function: Callable[[Any], Any]) -> None:
    primal, tangent = torch.tensor([0.7]), torch.tensor([0.5], dtype=HALF)
    found = torch.func.jvp(function, (primal,), (tangent,))[1]
    assert found.dtype is torch.float32
    assert found.item() == pytest.approx(torch.func.jvp(function, (primal,), (tangent.float(),))[1].item())


def test_a_cotangent_of_atan2_meets_the_other_side_first() -> None:
    x, y = (torch.tensor([value], dtype=HALF, requires_grad=True) for value in (0.5, 3.0))
    torch.atan2(x, y).backward(torch.tensor([30000.0], dtype=HALF))
    assert x.grad.tolist() == [torch.inf]
    assert y.grad.tolist() == [-1621.0]


def test_a_cotangent_of_logits_meets_the_slope_before_the_mean() -> None:
    x = torch.zeros(4, dtype=HALF, requires_grad=True)
    target = torch.tensor([3.0, 1.0, 0.5, 0.0], dtype=HALF)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, target)
    loss.backward(torch.tensor(60000.0, dtype=HALF))
    assert x.grad.tolist() == [-torch.inf, -7500, 0, 7500]


def bits(x: Any) -> str:
    return " ".join(f"{int(each) & 0xFFFF:04x}" for each in x.detach().view(torch.int16).flatten().tolist())


@pytest.mark.parametrize(
    ("function", "dtype", "values", "value", "slope"),  # the last two by their bits
    [
        (lambda x: torch.atan2(x, x.flip(0)), BRAIN, [0.71875, 0.4375, 0.125], "3fb3 3f49 3e30", "bd8a 0000 3ec5"),
        (lambda x: torch.var(x, 0), BRAIN, [0.71875, 0.4375, 0.125, 0.71875], "3da4", "3cab bbc3 bd12 3cab"),
        (
            lambda x: torch.stack(torch.std_mean(x, 0)),
            BRAIN,
            [0.15625, 0.34375, 0.34375, 0.34375],
            "3dc0 3e98",
            "0000 3dc3 3dc3 3dc3",
        ),
        (lambda x: torch.addcdiv(x, x, x * x, value=0.37), BRAIN, [0.71875, 0.4375], "3f9e 3fa4", "3d20 be8c"),
        (
            lambda x: torch.addmv(x, torch.ones((2, 2), dtype=x.dtype), x, beta=0.3, alpha=0.7),
            BRAIN,
            [0.8125, 0.1875],
            "3f72 3f41",
            "3eaf 3ec5",
        ),
        (lambda x: torch.addr(x, x, x, beta=0.3, alpha=0.7), BRAIN, [0.71875, 0.4375], "3f14 3eb4 3ee0 3e88", "3f08 3f78"),
        (lambda x: torch.linalg.vector_norm(x, 0.5), BRAIN, [0.71875, 0.4375, 0.125], "405e", "3ea0 3ecd 3f40"),
        (
            lambda x: torch.renorm(x.view(2, 2), 2, 0, 0.7),
            BRAIN,
            [0.71875, 0.4375, 0.125, 0.71875],
            "3f19 3eba 3df6 3f31",
            "bd97 3df6 3e9d bd5b",
        ),
        (lambda x: F.huber_loss(x, x.flip(0) * 2, delta=0.7), BRAIN, [0.1875, 0.3125, 0.78125], "3e90", "bd94 3c74 3db0"),
        (lambda x: F.smooth_l1_loss(x, x.flip(0) * 2, beta=0.7), BRAIN, [0.15625, 0.34375, 0.34375], "3dc3", "bd25 3cbf 3d98"),
        (lambda x: F.mse_loss(x, x.flip(0) * 2), BRAIN, [0.71875, 0.4375, 0.125], "3f36", "3e97 3d2b be5b"),
        (lambda x: F.binary_cross_entropy(x, x.detach().flip(0)), BRAIN, [0.3125, 0.34375, 0.78125], "3f6c", "bdd4 0000 3e05"),
        (
            lambda x: F.binary_cross_entropy_with_logits(x, x.flip(0), pos_weight=x.detach()),
            BRAIN,
            [0.9375, 0.125, 0.21875],
            "3f22",
            "bc0a bc2e bd46",
        ),
        (
            lambda x: F.cross_entropy(x.view(5, 2), torch.tensor([0, 1, 1, 0, 1])),
            BRAIN,
            [0.53125, 0.625, 0.5, 0.90625, 0.5625, 0.625, 0.15625, 0.375, 0.625, 0.15625],
            "3f3d",
            "bc75 3c75 3c3c bc3a 3c63 bc62 bc82 3c82 3c90 bc90",
        ),
        (
            lambda x: F.nll_loss(x.view(5, 2), torch.tensor([0, 1, 1, 0, 1]), x.detach()[:2]),
            BRAIN,
            [0.3125, 0.34375, 0.78125, 0.1875, 0.625, 0.71875, 0.25, 0.15625, 0.34375, 0.65625],
            "bedd",
            "bcdc 0000 0000 bcf2 0000 bcf2 bcdc 0000 0000 bcf2",
        ),
        (
            lambda x: F.avg_pool1d(x.view(1, 1, 5), 3, 1),
            BRAIN,
            [0.71875, 0.4375, 0.125, 0.71875, 0.625],
            "3edb 3edb 3efb",
            "3d43 3e12 3e92 3e74 3e12",
        ),
        (
            lambda x: F.batch_norm(x.view(3, 2), None, None, x[:2] * 2, x[2:4], True),
            BRAIN,
            [0.65625, 0.34375, 0.125, 0.125, 0.78125, 0.875],
            "3f41 bdce bfd9 bf14 3fab 3f87",
            "bf93 3eec 3fc8 4004 3f91 3e14",
        ),
        (
            lambda x: F.batch_norm(x.view(2, 2, 1, 2).to(memory_format=torch.channels_last), None, None, training=True),
            BRAIN,
            [0.65625, 0.34375, 0.125, 0.125, 0.78125, 0.875, 0.625, 0.71875],
            "bd1f bfcc bf7f bf7f 3f15 3f86 3f53 3f95",
            "bfde 3f1f be7f 3e8a 3ee6 3f26 bdb6 3d83",
        ),
        (lambda x: torch.ldexp(x, x), HALF, [0.65625, 0.53125], "3c23 3a24", "353d 3885"),
        (
            lambda x: torch.index_add(x, 0, torch.tensor([0, 0]), x, alpha=0.37),
            BRAIN,
            [0.15625, 0.34375],
            "3eae 3eb0",
            "3e48 3ead",
        ),
        (
            lambda x: F.batch_norm(x.view(3, 2), x.detach()[:2], x.detach()[2:4], x[:2]),
            BRAIN,
            [0.375, 0.125, 0.15625, 0.9375, 0.84375, 0.5625],
            "0000 0000 be54 3dd7 3ee4 3d67",
            "3f3f 3f66 3ed0 3d97 3f2e 3de2",
        ),
        (
            lambda x: F.group_norm(x.view(2, 2, 2), 1, x[:2]),
            BRAIN,
            [0.71875, 0.4375, 0.125, 0.71875, 0.625, 0.53125, 0.15625, 0.25],
            "3f24 be3c bf2b 3ec8 3f5f 3f06 bf08 bea3",
            "3f9d c007 bd0b 3e91 be96 3eb0 be04 3da0",
        ),
        (
            lambda x: F.conv1d(x.view(3, 1, 4), x[:3].view(1, 1, 3) * 0.37),
            HALF,
            [0.53125, 0.625, 0.5, 0.90625, 0.5625, 0.625, 0.15625, 0.375, 0.625, 0.15625, 0.3125, 0.71875],
            "3577 3680 348b 334f 32f0 338d",
            "3878 3728 3908 2ac4 2d64 32c4 32c4 2ec4 307e 3556 3549 3113",
        ),
        (
            lambda x: F.conv_transpose1d(x[:6].view(1, 2, 3), x[2:].view(2, 1, 3) * 0.37),
            HALF,
            [0.53125, 0.625, 0.5, 0.90625, 0.5625, 0.625, 0.15625, 0.375],
            "34ed 379e 39b9 3697 321b",
            "32c3 350c 38be 35ec 3826 3701 3513 36d8",
        ),
        (
            lambda x: F.bilinear(x[:6].view(2, 3), x[6:10].view(2, 2), x.view(2, 3, 2)),
            BRAIN,
            [0.53125, 0.625, 0.5, 0.90625, 0.5625, 0.625, 0.15625, 0.375, 0.625, 0.15625, 0.3125, 0.71875],
            "3f17 3eb0 3f6e 3f11",
            "3eb1 3e46 3e9a 3eb0 3f1c 3edf 3f26 3efe 3f8d 3f9f 3e7a 3ddf",
        ),
        (
            lambda x: torch.mvlgamma(x + 2, 3),
            BRAIN,
            [0.53125, 0.625, 0.5, 0.90625],
            "3ff6 4003 3ff1 4021",
            "3e33 3ecd 3eff 3f8b",
        ),
    ],
)
def test_values_and_slopes_round_each_step(
    function: Callable[[Any], Any], dtype: Any, values: list[float], value: str, slope: str
) -> None:
    x = torch.tensor(values, dtype=dtype, requires_grad=True)
    y = function(x)
    (found,) = torch.autograd.grad(y, x, torch.arange(1, y.numel() + 1).to(dtype).view(y.shape) / 7)
    assert (bits(y), bits(found)) == (value, slope)


def test_doubles_become_float16_by_way_of_single_precision() -> None:
    number = 1 + 2**-11 + 2**-30
    assert torch.tensor([number], dtype=HALF).item() == torch.tensor([number], dtype=torch.float64).half().item() == 1


def test_running_statistics_move_by_rounded_steps() -> None:
    x = torch.tensor([[0.65625], [0.34375], [0.125]], dtype=BRAIN)
    mean, var = (torch.tensor([number], dtype=BRAIN) for number in (0.3, 0.7))
    F.batch_norm(x, mean, var, training=True)
    assert (bits(mean), bits(var)) == ("3e9d", "3f23")


def test_empty_complex_halves_have_views() -> None:
    empty = 1j - torch.tensor([[], []], dtype=torch.float16)
    assert [one.shape for one in torch.tensor_split(empty, 2, 0)] == [(1, 0), (1, 0)]
    assert empty.expand(3, 2, 0)[1:].dtype == torch.complex32


@pytest.mark.parametrize("rows", [8, 100])
def test_a_row_symmetric_about_its_middle_is_normalized_to_zero_there(rows: int) -> None:
    row = torch.tensor([[0.0, 1.75, 3.5]], dtype=torch.bfloat16).expand(rows, -1)
    assert torch.nn.functional.layer_norm(row.clone(), (3,))[:, 1].tolist() == [0.0] * rows


def test_layer_norm_of_halves_lies_row_by_row() -> None:
    turned = torch.tensor([[1.25, 2.5], [2.75, -0.5]], dtype=torch.bfloat16).t()
    assert torch.nn.functional.layer_norm(turned, (2,)).is_contiguous()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_where_takes_a_number_that_halves_do_not_hold(dtype: torch.dtype) -> None:
    scores, seen = torch.ones(2, dtype=dtype), torch.tensor([True, False])
    assert torch.where(seen, scores, -1e39).tolist() == [1.0, -math.inf]
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        torch.where(seen, scores.to(torch.uint8), 300)
