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
torch.celu(torch.tensor(1), "a")
torch.celu(torch.ones(2), alpha=3, inplace=True)
torch.selu(torch.ones(2), [])
torch.rrelu_((1, 2))
torch.rrelu(torch.tensor([1, 0]), -2, [2, 2])
torch.relu_(())
torch.relu_(self=3)
torch.clamp_max_(10)
torch.clip_("a", torch.ones(2))
torch.ones(2, requires_grad=True).eq_("a")
torch.ones(2, requires_grad=True).addr_(torch.tensor(2.5), torch.eye(3), 3, 1)
torch.nn.functional.elu_(torch.ones(2, requires_grad=True), "a")
torch.nn.functional.leaky_relu(torch.tensor([1]), negative_slope="a")
torch.nn.functional.threshold(torch.ones(3), torch.eye(3), True)
torch.nn.functional.max_pool2d_with_indices(3, (1, 2, 5, 5))
torch.nn.functional.max_pool3d(torch.ones(2, 3), 2, (1, 4), 0.5, 3)
torch.nn.functional.max_pool1d([None], (1, 2))
torch.nn.functional.hinge_embedding_loss(torch.ones(2), 3, 1j)
torch.nn.functional.cosine_embedding_loss(torch.eye(3), slice(None), torch.ones(3), torch.ones(2))
torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.ones(2, 3), 3.7, "a")
torch.nn.functional.nll_loss(torch.ones(2, 3), torch.ones(4, 4), (1, 2))
torch.nn.functional.soft_margin_loss(torch.ones(3), np.ones(3))
torch.nn.functional.max_unpool2d(torch.tensor(2.5), torch.ones(2), 3, 2, 0)
torch.ones(2, 3).to_sparse().gcd_("a")
torch.ones(2, 3).to_sparse().erf_(1, 2)
torch.hspmm([], torch.ones(2))
torch.smm(torch.ones(2), 3)
torch.sspaddmm(torch.tensor(2.5), torch.ones(3), 3)
torch.sparse.softmax(3, -1)
torch.sparse.mm(3, torch.ones(2), "none")
torch.sparse.sum(set())
torch.sparse.spdiags(3, 1, 2)
torch.sparse.sampled_addmm(torch.ones(2, 3), 3, torch.ones(2))
torch.sparse.FloatTensor(device=1j)
torch.frobenius_norm([], 0)
torch.frobenius_norm(torch.ones(2))
torch.kl_div(3, torch.ones(2), 1)
torch.kl_div(torch.ones(2), torch.ones(2), "a")
torch.gcd(torch.tensor([1]), torch.tensor([1.0]), out=set())
torch.diag(torch.ones(2, 2), out=3)
torch.argmin(torch.eye(3), 2, keepdim=3, out=torch.ones(3))
torch.bitwise_and(torch.ones(2, 3), torch.ones(4))
torch.ones(2, 3).gcd(torch.ones(4))
torch.tensor(1).istft("a")
torch.ones(3).pin_memory(torch.eye(3))
torch.nn.Linear(3, 2).cuda({})
torch.nn.Linear(3, 2).xpu(torch.ones(2))
torch.ones(3).add_(torch.ones(3), "a")
torch.ones(3).sub_("a", 1)
torch.as_tensor([1], None)
torch.block_diag(torch.ones(1, 2, 3), 3)
torch.cartesian_prod(torch.ones(2, 2), None)
torch.chain_matmul(torch.ones(2, 3, 4), 3)
torch.eye(3).addbmm(torch.ones(3), torch.ones(3, 3))
torch.eye(3).baddbmm(torch.ones(3, 3, 3), torch.ones(3))
torch.ones(3).backward(torch.ones(2), {})
torch.autograd.backward([torch.ones(2)], torch.ones(3), (2, 3))
torch.nn.utils.clip_grad_norm_([torch.ones(2)], torch.ones(3), [])
torch.nn.utils.clip_grad_value_([torch.ones(2)], (1, 2))
torch.nn.Linear(3, 2).set_submodule(torch.ones(2), 3)
torch.Generator().graphsafe_set_state("a")
torch.autograd.ProfilerActivity("a")
torch.library.define(3, "() -> ()")
torch.func.stack_module_state(torch.ones(2))
torch.nn.init.dirac_(np.ones(3))
torch.nn.init.kaiming_normal_(torch.ones(2, 3), (1, 2), 3)
torch.distributions.PowerTransform(bytearray(3))
torch.ones(2).to_dense(3)
torch.ones(2).to_mkldnn(3)
torch.ones(3).unsafe_chunk(-1)
torch.ones(3).unsafe_split(-1)
torch.nn.functional.hardshrink(torch.ones(3), bytearray(3))
torch.tensor(1.0).logit(bytearray(3))
torch.ones(3).add(3, -1, 4)
torch.lstm(torch.ones(2, 3, 4), (torch.ones(1, 3, 5), torch.ones(1, 3, 5)), [], True, 1, 0.0, False, False, False)
torch.lstm(torch.ones(2, 3, 4), (torch.ones(1, 3, 5), torch.ones(1, 3, 5)), [torch.ones(20, 4)], True, 1, 0.0, False, False, False)
torch.gru(torch.ones(2, 3, 4), torch.ones(1, 3, 5), [], True, 1, 0.0, False, False, False)
torch.gru(torch.ones(2, 3, 4), torch.ones(2, 3, 5), [torch.ones(15, 4)] * 4, True, 1, 0.0, False, True, False)
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


@pytest.mark.parametrize(
    "line",
    [
        "torch.special.chebyshev_polynomial_t(x=torch.ones(2), n=3)",
        "torch.special.hermite_polynomial_h(torch.ones(2), n=2)",
        "torch.nn.functional.soft_margin_loss(torch.ones(2, 3), torch.tensor([True, False, True]))",
        "torch.nn.functional.soft_margin_loss(torch.ones(2, 3), torch.tensor([1, 0, 2], dtype=torch.uint8))",
        "torch.lstm(torch.ones(2, 3, 4), (torch.ones(1, 3, 5),) * 2, [torch.ones(20, 4), torch.ones(20, 5), torch.ones(20), "
        "torch.ones(20)] * 2, True, 1, 0.0, False, False, False)[0]",
    ],
)
def test_taken_as_pytorch_takes_it(line: str) -> None:
    theirs, ours = (eval(line, {"torch": package}) for package in (torch, rushlight))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)
