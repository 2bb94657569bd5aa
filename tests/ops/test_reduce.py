"""Reductions, extremes, norms, softmax and running ops: derivatives against differences, ties, nan, empty, errors."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differences import slopes, weighted

import rushlight as torch
import rushlight.nn.functional as F

INF, NAN = math.inf, math.nan
POINT = torch.tensor([[0.3, -1.2, 2.1], [1.7, 0.4, -0.6]], dtype=torch.float64)
POSITIVE = POINT.abs() + 0.1


SMOOTH: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(1),
    "sum keepdim": lambda x: x.sum((0, 1), keepdim=True),
    "mean": lambda x: x.mean(0),
    "mean of all": lambda x: x.mean(),
    "prod": lambda x: x.prod(1),
    "prod of all": lambda x: x.prod(),
    "var": lambda x: x.var(1, correction=2),
    "std": lambda x: x.std(),
    "var_mean": lambda x: torch.var_mean(x, 0),
    "std_mean": lambda x: torch.std_mean(x, 1),
    "norm": lambda x: x.norm(),
    "norm 1": lambda x: x.norm(1, dim=1),
    "norm 3": lambda x: x.norm(3, dim=0),
    "norm 1.5": lambda x: torch.linalg.vector_norm(x, 1.5),
    "norm inf": lambda x: x.norm(INF, dim=1),
    "dist": lambda x: torch.dist(x, POSITIVE, 3),
    "renorm": lambda x: torch.renorm(x, 2, 0, 1.9),
    "nansum": lambda x: x.nansum(0),
    "nanmean": lambda x: x.nanmean(1),
    "logsumexp": lambda x: x.logsumexp((0, 1)),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(0),
    "softmin": lambda x: F.softmin(x, 1),
    "max": lambda x: x.max(1).values,
    "max of all": lambda x: x.max(),
    "amin": lambda x: x.amin((0, 1)),
    "aminmax": lambda x: torch.aminmax(x, dim=1),
    "median": lambda x: x.median(1).values,
    "kthvalue": lambda x: x.kthvalue(2, 0).values,
    "cumsum": lambda x: x.cumsum(1),
    "cumprod": lambda x: x.cumprod(1),
    "cummax": lambda x: x.cummax(1).values,
    "logcumsumexp": lambda x: x.logcumsumexp(1),
    "diff": lambda x: x.diff(dim=1),
    "trapezoid": lambda x: torch.trapezoid(x, torch.tensor([0.0, 0.5, 2.0], dtype=torch.float64)),
    "gradient": lambda x: torch.gradient(x, dim=1)[0],
    "quantile": lambda x: x.quantile(0.4, dim=1),
    "cov": lambda x: torch.cov(x),
    "corrcoef": lambda x: torch.corrcoef(x),
    "sort": lambda x: x.sort(1, descending=True).values,
    "topk": lambda x: x.topk(2, 1).values,
}


@pytest.mark.parametrize("name", SMOOTH)
def test_first_and_second_derivatives(name: str) -> None:
    f = SMOOTH[name]
    x = POINT.clone().requires_grad_()
    (first,) = torch.autograd.grad(weighted(f(x)), x, create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), slopes(lambda x: weighted(f(x)), POINT)[0], rtol=1e-6, atol=1e-7)

    def gradient_of(point: Any) -> Any:
        point = point.clone().requires_grad_()
        return torch.autograd.grad(weighted(f(point)), point, create_graph=True)[0]

    linear = not first.requires_grad
    second = np.zeros(POINT.shape) if linear else torch.autograd.grad(weighted(first), x)[0].numpy()
    np.testing.assert_allclose(second, slopes(lambda x: weighted(gradient_of(x)), POINT)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize("name", ["prod", "prod of all", "cumprod"])
def test_products_with_zeros(name: str, zeros: int) -> None:
    f = SMOOTH[name]
    start = POINT.clone()
    start[0, :zeros] = 0
    x = start.clone().requires_grad_()
    (first,) = torch.autograd.grad(weighted(f(x)), x, create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), slopes(lambda x: weighted(f(x)), start)[0], rtol=1e-6, atol=1e-8)
    second = torch.autograd.grad(weighted(first), x)[0].numpy()

    def gradient_of(point: Any) -> Any:
        point = point.clone().requires_grad_()
        return torch.autograd.grad(weighted(f(point)), point, create_graph=True)[0]

    np.testing.assert_allclose(second, slopes(lambda x: weighted(gradient_of(x)), start)[0], rtol=1e-5, atol=1e-6)


def gradient(f: Callable[[Any], Any], values: Any) -> list[Any]:
    x = torch.tensor(values, requires_grad=True)
    f(x).backward()
    assert x.grad is not None
    return x.grad.tolist()


def test_ties_share_or_go_to_one() -> None:
    assert gradient(lambda x: x.max(), [3.0, 1.0, 3.0]) == [0.5, 0.0, 0.5]
    assert gradient(lambda x: x.max(0).values, [3.0, 1.0, 3.0]) == [1.0, 0.0, 0.0]
    assert gradient(lambda x: x.amin(0), [1.0, 1.0, 3.0]) == [0.5, 0.5, 0.0]
    assert gradient(lambda x: x.median(), [2.0, 2.0, 1.0, 5.0]) == [0.5, 0.5, 0.0, 0.0]
    assert gradient(lambda x: x.norm(INF), [-3.0, 3.0, 1.0]) == [-0.5, 0.5, 0.0]
    assert gradient(lambda x: x.cummax(0).values.sum(), [1.0, 1.0, 0.0]) == [1.0, 2.0, 0.0]


def test_gradients_at_the_corners() -> None:
    assert gradient(lambda x: x.norm(), [0.0, 0.0]) == [0.0, 0.0]
    assert gradient(lambda x: x.norm(1), [0.0, 2.0]) == [0.0, 1.0]
    assert gradient(lambda x: x.norm(0.5), [0.0, 4.0]) == [0.0, 1.0]
    assert gradient(lambda x: x.std(), [1.0, 1.0]) == [0.0, 0.0]
    assert gradient(lambda x: x.nansum(), [NAN, 2.0]) == [0.0, 1.0]
    assert gradient(lambda x: x.sum(), []) == []
    assert gradient(lambda x: x.mean(0), 3.0) == 1.0
    assert gradient(lambda x: x.prod(0), 0.0) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(gradient(lambda x: x.var(), [1.0])).all()


def test_nan_is_greater_than_all() -> None:
    x = torch.tensor([1.0, NAN, 3.0, NAN])
    assert x.max().isnan() and x.min().isnan() and x.median().isnan()
    assert x.max(0).indices.item() == x.min(0).indices.item() == x.argmax().item() == x.median(0).indices.item() == 1
    assert x.nanmedian().item() == 1.0
    assert x.cummax(0).indices.tolist() == [0, 1, 1, 3]
    assert x.nanquantile(0.5).item() == 2.0 and x.quantile(0.5).isnan()


def test_infinities() -> None:
    low = torch.full((2,), -INF)
    assert low.logsumexp(0).item() == -INF and (-low).logsumexp(0).item() == INF
    assert low.logcumsumexp(0).tolist() == [-INF, -INF]
    assert low.softmax(0).isnan().all()
    assert torch.tensor([1000.0, 0.0]).softmax(0).tolist() == [1.0, 0.0]


def test_dtypes() -> None:
    assert torch.tensor([200, 100], dtype=torch.uint8).sum().item() == 300
    assert torch.tensor([True, True]).sum().dtype == torch.int64
    assert torch.tensor([1, 2], dtype=torch.int32).cumprod(0).dtype == torch.int64
    assert torch.tensor([1.9, 2.9]).sum(dtype=torch.int32).item() == 3
    assert torch.tensor([1, 2]).mean(dtype=torch.float32).item() == 1.5
    assert torch.tensor([1, 2], dtype=torch.uint8).all().dtype == torch.uint8
    assert torch.full((3000,), 1.0, dtype=torch.float16).sum().item() == 3000.0
    assert torch.tensor([1 + 1j, 3.0]).var().dtype == torch.float32
    x = torch.ones(3, requires_grad=True)
    x.sum(dtype=torch.float64).backward()
    assert x.grad is not None and x.grad.dtype == torch.float32


@pytest.mark.parametrize(
    ("size", "total", "single", "norm", "var"),
    [
        (6, 2.45, 2.450000047683716, 1.2212243401148246, 0.09819444444444443),
        (9, 2.828968253968254, 2.8289685249328613, 1.240873777290237, 0.0813173360908149),
        (13, 3.180133755133755, 3.180133819580078, 1.253353022170616, 0.06607928638367751),
        (29, 3.961653797587058, 3.9616544246673584, 1.2692671139246012, 0.038208658098877045),
        (70, 4.832836757638071, 4.832836627960205, 1.2770081861483973, 0.018798381448928293),
    ],
)
def test_added_in_pytorchs_order(size: int, total: float, single: float, norm: float, var: float) -> None:
    # What PyTorch prints for reciprocals; NumPy's order of adding gives other last digits.
    reciprocals = torch.arange(1, size + 1, dtype=torch.float64).reciprocal()
    assert (reciprocals.sum().item(), reciprocals.norm().item(), reciprocals.var().item()) == (total, norm, var)
    assert torch.arange(1, size + 1).reciprocal().sum().item() == single


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_few_are_added_in_the_order_of_memory(dtype: Any) -> None:
    x = torch.tensor([[1e20, -1e20], [1.0, 1.0]], dtype=dtype)
    assert x.sum() == 2.0 and x.t().sum() == 2.0  # by the indices of x.t() it would be 1.0: 1e20 + 1 - 1e20 + 1
    for size in (1, 4, 5, 8, 15, 16, 64):  # of zeros below zero the sum is not below zero
        assert not torch.full((size,), -0.0, dtype=dtype).sum().signbit()


def test_results_are_named_tuples() -> None:
    found = torch.tensor([[1.0, 3.0], [4.0, 2.0]]).max(dim=1)
    assert repr(found) == "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 0]))"
    values, indices = found
    assert found[0] is values is found.values and found.indices is indices
    assert type(found) is torch.return_types.max
    out = (torch.empty(0), torch.empty(0, dtype=torch.int64))
    torch.max(torch.tensor([[1.0, 3.0]]), 1, out=out)
    assert out[0].tolist() == [3.0] and out[1].tolist() == [1]


def test_whole_numbers_hold_the_sum_when_their_mean_is_refused() -> None:
    out = torch.tensor([7, 7])
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.mean(torch.tensor([[1.5, 2.0], [2.5, 3.0]]), 0, out=out)
    assert out.tolist() == [3, 5]


def test_names_in_the_graph() -> None:
    x = torch.rand(2, 3, requires_grad=True)
    for result, name in (
        (x.sum(), "SumBackward0"), (x.sum(0), "SumBackward1"), (x.mean(), "MeanBackward0"),
        (x.mean(1), "MeanBackward1"),
        (x.max(), "MaxBackward1"), (x.max(0)[0], "MaxBackward0"), (x.norm(), "LinalgVectorNormBackward0"),
        (x.prod(0), "ProdBackward1"), (x.sort()[0], "SortBackward0"), (x.softmax(0), "SoftmaxBackward0"),
        (x.std(), "StdBackward0"), (torch.var_mean(x)[0], "VarMeanBackward0"), (x.median(), "MedianBackward0"),
    ):  # fmt: skip
        assert result.grad_fn.name() == name
        assert len(result.grad_fn.next_functions) == 1
    assert not x.max(0).indices.requires_grad


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: torch.tensor([1, 2]).mean(), RuntimeError, "floating point or complex dtype. Got: Long"),
    (lambda: torch.empty(0).max(), RuntimeError, r"max\(\): Expected reduction dim to be specified"),
    (lambda: torch.empty(0, 2).max(0), IndexError, r"max\(\): Expected reduction dim 0 to have non-zero size."),
    (lambda: torch.empty(0).argmin(), IndexError, r"argmin\(\): Expected reduction dim to be specified"),
    (lambda: torch.rand(2).sum(1), IndexError, r"in range of \[-1, 0\], but got 1"),
    (lambda: torch.rand(2, 2).sum((0, -2)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
    (lambda: torch.tensor([1, 2]).std(), RuntimeError, "std and var only support floating point"),
    (lambda: torch.tensor([1, 2]).norm(), RuntimeError, "complex tensor as input. Got Long"),
    (lambda: torch.empty(0).norm(INF), RuntimeError, "cannot compute the inf norm on an empty tensor"),
    (lambda: torch.tensor([1, 2]).softmax(0), NotImplementedError, "_kernel_impl\" not implemented for 'Long'"),
    (lambda: torch.tensor([1j]).max(), NotImplementedError, "\"max_all\" not implemented for 'ComplexFloat'"),
    (lambda: torch.rand(3).kthvalue(4), RuntimeError, r"selected number k out of range for dimension 0"),
    (lambda: torch.rand(2).diff(prepend=torch.rand(1, 1)), RuntimeError, "to be the same dimension as input"),
    (lambda: torch.gradient(torch.rand(1)), RuntimeError, "dimension size to be at least edge_order"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(case: int) -> None:
    call, kind, text = ERRORS[case]
    with pytest.raises(kind, match=text):
        call()


def test_warnings() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert torch.tensor([1.0]).std().isnan()
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax has been deprecated"):
        F.softmax(torch.rand(2, 2))


@pytest.mark.parametrize("shape", [(300, 40), (7, 50, 64), (4097, 17), (2, 3, 5000)])
@pytest.mark.parametrize("leading", [1, 2])
def test_sums_over_leading_dimensions(shape, leading):
    if leading == len(shape):
        return
    x = torch.arange(float(np.prod(shape))).remainder(7).reshape(shape).requires_grad_()
    axes = tuple(range(leading))
    for keepdim in (False, True):
        expected = x.detach().numpy().astype(np.float64).sum(axes, keepdims=keepdim)
        assert (x.sum(axes, keepdim=keepdim).detach().numpy() == expected).all()
    bias = torch.zeros(shape[leading:], requires_grad=True)
    (x.detach() * (bias + x.detach())).sum().backward()  # undoes the broadcasting of bias
    assert (bias.grad.numpy() == x.detach().numpy().astype(np.float64).sum(axes)).all()
