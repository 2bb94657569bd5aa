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


@pytest.mark.parametrize("line", LINES)
def test_value_or_error_is_pytorchs(line: str) -> None:
    assert outcome(rushlight, line) == outcome(torch, line)
