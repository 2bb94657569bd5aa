"""Arguments that do not fit: the error is of PyTorch's class, and its first line is PyTorch's."""

from __future__ import annotations

import fractions
import warnings
from typing import Any

import numpy as np
import pytest
import torch

import rushlight

LINES = """
torch.is_autocast_enabled(3)
torch.is_autocast_enabled("nonsense")
torch.get_autocast_dtype("nonsense")
torch.get_autocast_dtype(1)
torch.set_autocast_enabled(1)
torch.set_autocast_enabled("cpu", 1)
torch.set_autocast_enabled(1, True)
torch.set_autocast_enabled("a", "b", "c")
torch.set_autocast_dtype(1, torch.float16)
torch.set_autocast_dtype("cpu", 1)
torch.set_autocast_cache_enabled(1)
torch.set_flush_denormal(1)
torch.set_warn_always(1)
torch.set_float32_matmul_precision(1)
torch.autograd.set_multithreading_enabled(1)
torch.autograd.enforce_grad_layout_policy(1)
torch.autograd._force_original_view_tracking(1)
torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(1)
torch.autograd.set_detect_anomaly(1)
torch.autograd.set_detect_anomaly(False, None)
torch.is_distributed(1)
torch.sym_sum(args=[1])
torch.sym_max("a", 1)
torch.sym_min(1j, 1)
torch.library.register_fake(1)
torch.library.register_vmap(1)
torch.library.register_kernel(1, "cpu")
torch.library.register_autograd(1, len)
torch.eig()
torch.eig(1)
torch.eig(1, 2, 3)
torch.eig(1, eigenvectors=3, out=3)
torch.symeig(1, 2, 3, 4)
torch.symeig(1, a=3)
torch.matrix_rank(1, 2, 3, 4)
torch.matrix_rank(1)
torch.solve(1)
torch.lstsq(1, 2, 3)
torch.lstsq(1, 2)
torch.ones(1).eig(1, 2)
torch.ones(1).symeig(a=1)
torch.ones(1).solve()
torch.ones(1).lstsq(1)
torch.ones(2).int().bitwise_left_shift_(2**64)
torch.ones(2).int().__radd__(2**64)
torch.ones(2).int() + 2**64
torch.arange(2**64)
torch.arange(2**63)
torch.nn.UninitializedBuffer(0.5)
torch.nn.UninitializedParameter(0.5)
torch.split_with_sizes(torch.ones(3), torch.ones(2))
torch.ones(3).split(torch.eye(3))
torch.split(torch.ones(3), "a")
torch.ones(3).split_with_sizes((1.5, 1.5))
torch.ones(3).split_with_sizes(3)
torch.conv_transpose2d(torch.ones(3), torch.ones(3), True)
torch.conv_transpose3d(torch.ones(3), True)
torch.ones(2, requires_grad=True).square_(1)
torch.ones(2).frac_(1)
torch.ones(2).contiguous(None)
torch.dropout(torch.ones(2), 0.5, "a")
torch.dropout_(torch.ones(2), 0.5, 1)
torch.feature_dropout(torch.ones(2, 2), 0.5, 1)
torch.nn.functional.dropout1d(torch.ones(2, 2), 0.5, ())
torch.ones(2).is_pinned(torch.ones(1))
torch.nn.utils.rnn.PackedSequence_(1, 2)
torch.ones(2).copy_(torch.ones(2), 3)
torch.ones(2, 2).to_sparse_csr("a")
torch.ones(2, 2).to_sparse_csc(1)
torch.ones(2).cauchy_((1,))
torch.ones(2).log_normal_(np.ones(2))
torch.ones(2).diff(float("inf"))
torch.nn.functional.softmax(3)
torch.nn.functional.log_softmax(Exception("e"))
torch.softmax(3, 1)
torch.nn.functional.dropout3d(3)
torch.nn.functional.upsample_nearest("abc", 2)
torch.nn.functional.max_unpool2d(3, 3, 3)
torch.sigmoid(3)
torch.tensordot(3, torch.ones(2))
torch.masked.sum(3)
torch.sum("a")
torch.unique(torch.ones(3), return_inverse=torch.ones(2))
torch.unique(torch.ones(3), 3, torch.ones(2))
torch.ones(3).unique_consecutive(torch.ones(2))
torch.lu(torch.ones(2, 2), 3, torch.ones(2))
torch.nn.functional.max_pool1d(torch.ones(1, 2), 1, 1, 0, 1, 0, torch.ones(2))
torch.distributions.Poisson(fractions.Fraction(1, 2))
torch.distributions.Exponential(1j)
""".strip().splitlines()


def said(package: Any, line: str) -> tuple[str, str]:
    """The class and the first line of the error that a line ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(line, {"torch": package, "np": np, "fractions": fractions})
        except Exception as error:
            kind = next(each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
            return kind, str(error).partition("\n")[0]
    return "", ""


@pytest.mark.parametrize("line", LINES)
def test_refused_as_pytorch_refuses(line: str) -> None:
    expected = said(torch, line)
    assert expected[0]
    assert said(rushlight, line) == expected
