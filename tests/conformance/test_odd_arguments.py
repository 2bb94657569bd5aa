"""Arguments that are odd but right, or almost: a tensor for a dimension, NumPy's numbers, Python's types for dtypes, empty lists."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch

import rushlight

LINES = """
torch.nanmean(x, dtype=float)
x.sum(dtype=int)
x.sum(0, dtype=int)
x.mean(dtype=float)
x.cumprod(0, dtype=int)
torch.softmax(x, 0, float)
torch.softmax(x, 0, bool)
torch.special.softmax(x, 0, float)
F.softmax(x, 0, 2, float)
F.log_softmax(x, 0, dtype=float)
F.softmin(x, 0, dtype=float)
torch.std(x, torch.tensor([1]))
torch.std(x, torch.tensor([2]))
torch.sum(x, torch.tensor([1]))
torch.sum(x, torch.tensor(True))
torch.amax(x, torch.tensor([1]))
torch.amax(x, (torch.tensor(1), torch.tensor(0)))
torch.all(x, torch.tensor([1]))
torch.squeeze(x, torch.tensor([1]))
torch.squeeze(x, (torch.tensor(1),))
torch.argmax(x, torch.tensor(True))
torch.argmax(x, torch.tensor(1))
torch.cumsum(x, torch.tensor(True))
x.swapdims_(0, torch.tensor(True))
x.swapdims_(0, torch.tensor(1))
x.unsqueeze_(dim=np.array(1))
x.unsqueeze_(dim=torch.tensor(1))
x.select(dim=np.array(1), index=torch.tensor([1]))
torch.select(x, np.array(1), index=1)
torch.transpose_copy(x, torch.tensor(True), 1)
torch.unbind_copy(x, torch.tensor(True))
x.prod(torch.tensor(True))
x.swapdims(torch.tensor(0, dtype=torch.int8), np.array(1))
torch.flip(x, (torch.tensor(0),))
torch.permute(x, (torch.tensor(1), 0))
torch.fft.fft2(x, dim=(torch.tensor(1), 0))
torch.reshape(x, 6)
torch.reshape(x, 3, 2)
torch.reshape(x, [True, 2])
torch.permute(x, 1, 0)
torch.permute(x, [True])
torch.permute(x.ravel(), 0)
torch.permute(x, dims=[1, 0])
torch.clip(input=x, min=0.0, out=torch.ones(2, 3, dtype=torch.float64))
torch.sum(x, out=torch.ones(()))
torch.sum(x, None, out=torch.ones(()))
torch.median(x, out=torch.ones(()))
torch.where(x > 2, 2**63, torch.tensor(1))
torch.where(x > 2, 300, torch.tensor(1, dtype=torch.uint8))
torch.where(x > 2, -1, torch.tensor(1, dtype=torch.uint8))
x.__setstate__(())
x.__setstate__((1,))
x.__setstate__(None)
F.hardtanh_(x, 3.0, 2.0)
F.hardtanh(x, 3.0, 2.0, True)
F.elu_(x - 3, 1, 2, 3)
F.elu_(x - 3, scale=2, input_scale=0.5)
F.elu_(x - 3, 1, 1j)
x.mul(x2=x)
x.eq(x2=2)
x.atan2(x2=x)
x.mul(x, x2=x)
x.mul()
torch.masked.sum(x, False)
torch.masked.var(x, (True,))
x * np.complex64(1j)
x <= np.complex64(1j)
x.int() + np.complex64(2)
(x + 1j) * np.complex64(1 + 1j)
x.mul_(np.complex64(2j))
torch.where(x > 2, np.complex64(1 + 1j), x)
torch.tensor(np.complex64(1j))
x + np.complex128(1j)
x.reshape(1, 2, 3).sum([0, 1], dtype=bool)
torch.add(x, x, alpha=torch.tensor(1j))
torch.add(x.int(), x.int(), alpha=torch.tensor(1.5))
torch.sub(x, x, alpha=torch.tensor(True))
torch.sub(x, x, alpha=torch.tensor(3))
torch.logit(x, torch.tensor(1j))
x.to_sparse_csr().flatten()
x.to_sparse_csr().type_as(x)
x.type_as(x.to_sparse_csr())
torch.addcmul(x, x, x, value=1j)
torch.addcdiv(x, x, x, value=1j)
torch.addcmul(x, x, x, value=torch.tensor(2))
torch.ones(2, requires_grad=np.bool_(True))
torch.eye(2, requires_grad=np.bool_(True))
torch.tensor(1.0, requires_grad=np.bool_(True))
x.to(torch.float64, copy=np.bool_(True))
torch.narrow(x, 0, 0, True)
torch.narrow(x, 0, True, 1)
torch.narrow(x, 0, 0, np.int64(1))
torch.narrow_copy(x, 0, 1, -1)
torch.hsplit(x, np.array(1))
x.hsplit(np.array(1))
x.hsplit(np.int64(3))
x.cumsum_(0, dtype=torch.float64)
x.cumprod_(0, dtype=float)
x.int().cumsum_(0, dtype=torch.int32)
x.bool().cumsum_(0)
torch.embedding_renorm_(x[0], torch.tensor([0]), 1.0, 2.0)
torch.embedding_renorm_(x, torch.tensor([0.0]), 1.0, 2.0)
torch.diagonal_scatter(x, x[0], 0, 0, -2)
torch.renorm(x, 1j, 0, 1.0)
x.to_sparse(dense_dim=-1)
x.to_sparse(blocksize=(-1, 1))
x.to_sparse_bsr((0, 0))
F.hardtanh(x, torch.ones(1))
F.hardtanh(x, torch.tensor(2.0), 4)
F.mse_loss(x, x, reduction=0)
F.huber_loss(x, x, 2)
F.cross_entropy(x, torch.tensor([0, 1]), reduction=1)
F.soft_margin_loss(x, x, reduction=0)
F.triplet_margin_loss(x, x, x, reduction=1)
torch.nn.MSELoss(reduction=1)(x, x)
torch.margin_ranking_loss(x, x, x, reduction=3)
torch.margin_ranking_loss(x, x, x, reduction=2)
torch.hinge_embedding_loss(x, x, reduction=-1)
torch.ctc_loss(torch.ones(3, 1, 2).log_softmax(2), torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1]), 0, 3)
""".strip().splitlines()


def shown(package: Any, value: Any) -> Any:
    """What there is to see of a result, of either side."""
    if isinstance(value, (tuple, list)):
        return [shown(package, each) for each in value]
    if isinstance(value, package.Tensor):
        return str(value.dtype), value.shape, repr(value.resolve_conj().resolve_neg())
    return repr(value)


def outcome(package: Any, line: str) -> Any:
    """A line's result, or the class and the first line of its error."""
    package.manual_seed(0)
    names = {"torch": package, "np": np, "F": package.nn.functional, "x": package.arange(1.0, 7.0).reshape(2, 3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return shown(package, eval(line, names))
        except Exception as error:
            kind = next(each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
            return kind, str(error).partition("\n")[0]


@pytest.mark.parametrize(
    "line",
    ["torch.mm(x, x.t(), torch.float32)", "torch.addmm(x, x, x, out_dtype=torch.float64)", "torch.bmm(x, x, torch.int8)"],
)
def test_products_in_a_dtype_of_their_own_are_of_other_devices(line: str) -> None:
    found = outcome(rushlight, line)
    assert found[0] == "NotImplementedError" and outcome(torch, line)[1].startswith(found[1])


@pytest.mark.parametrize("line", LINES)
def test_value_or_error_is_pytorchs(line: str) -> None:
    assert outcome(rushlight, line) == outcome(torch, line)
