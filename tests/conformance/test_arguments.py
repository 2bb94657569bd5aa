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
torch.addcmul(torch.ones(2), torch.ones(2), 2)
torch.ones(2).view(10**30, 1)
torch.reshape(torch.ones(2), (2**64,))
torch.DispatchKey(0.5)
torch.nn.LinearCrossEntropyOptions(slice(None), (3,), (1, 2, 5, 5), acc_policy="constant")
torch.special.zeta(torch.ones(2, dtype=torch.complex64), torch.ones(2), out=torch.ones(2))
torch.logit(torch.tensor(0.2), torch.tensor([0.1]))
torch.special.airy_ai(input=torch.ones(2))
torch.special.spherical_bessel_j0(a=torch.ones(2))
torch.linalg.tensorinv(torch.tensor(1.0))
torch.linalg.tensorinv(torch.ones(1, 1), ind=3)
torch.ones(2).is_contiguous(memory_format=3)
torch.ones(2).is_contiguous(memory_format=None)
torch.nn.functional.rrelu_(torch.ones(2), True, 99, training="c")
torch.nn.functional.rrelu_(torch.ones(2), True, 99, 1)
torch.nn.functional.elu(torch.ones(2), alpha=1j)
torch.nn.functional.elu_(torch.ones(2, dtype=torch.float64), 1j)
torch.nn.functional.celu(torch.ones(2), alpha=1j)
torch.nn.functional.leaky_relu(torch.ones(2, dtype=torch.bfloat16), 1j)
torch.nn.functional.softplus(torch.ones(2), 1, 1j)
torch.nn.functional.softshrink(torch.ones(2), 1j)
torch.hardshrink(torch.ones(2), 1j)
torch.celu(torch.ones(2), out=torch.ones(2))
torch.clone(torch.ones(2), out=torch.ones(2))
torch.diag_embed(torch.ones(2), out=torch.ones(2, 2))
torch.hardshrink(torch.ones(2, dtype=torch.float64), out=torch.ones(2))
torch.nn.functional.softshrink(torch.ones(2), out=torch.ones(2, dtype=torch.float64))
torch.nn.functional.softplus(torch.ones(2), out=torch.ones(2, dtype=torch.float64))
torch.nn.functional.gelu(torch.ones(2), out=torch.ones(2, dtype=torch.float64))
torch.nn.functional.logsigmoid(torch.ones(2), out=torch.ones(2, dtype=torch.float64))
torch.ones(2).sub_(1, alpha=np.matrix([[1.0]]))
torch.ones(2).add_(1, alpha=[1])
torch.ones(2).add_(1, alpha=torch.ones(1))
torch.ones(2).sub(1, alpha=np.ones(1))
torch.sub(torch.ones(2), 1, alpha=None)
torch.addmm(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2), alpha=np.ones(1))
torch.addmv(torch.ones(2), torch.ones(2, 2), torch.ones(2), beta=np.ones(1))
torch.baddbmm(torch.ones(2, 2, 2), torch.ones(2, 2, 2), torch.ones(2, 2, 2), beta="a")
torch.masked.softmax(torch.ones(2), [])
torch.masked.cumsum(torch.tensor(1.0), None)
torch.masked.cumprod(torch.ones(2), {})
torch.masked.median(torch.ones(2), "")
torch.masked.log_softmax(torch.tensor(1), {})
torch.to_dlpack(3)
torch.ones(2).to_sparse().const_data_ptr()
torch.ones(2, 2).to_sparse().copy_(None, 0)
torch.ones(2, 2).to_sparse_bsr(blocksize=(1, 2, 3))
torch.ones(2, 3).to_sparse().floor_divide_(torch.ones(3))
torch.nn.utils.rnn.pad_sequence(torch.tensor([1, 0, 1]))
torch.nn.Linear(2, 3).to(torch.ones(2), range(3))
torch.frombuffer(bytearray(8), dtype=None)
torch.max(torch.ones(2), dim=99, keepdim=True, other=torch.tensor(1))
torch.min(input=torch.ones(2), dim=0, other=torch.tensor(1), out=torch.ones(2))
torch.atan2(torch.ones(1, dtype=torch.complex64), torch.ones(1), out=torch.ones(1))
torch.special.i0(torch.ones(1, dtype=torch.complex64), out=torch.ones(1))
torch.nn.functional.fractional_max_pool2d(torch.tensor([1, 0, 1]), torch.ones(0), 2)
torch.nn.functional.fractional_max_pool2d(torch.ones(2, 3, 3), [1, 'a'], 2, None, torch.ones(2, 3))
torch.nn.functional.huber_loss(torch.ones(2, 3), torch.ones(3, 2), 'constant')
torch.nn.functional.huber_loss(torch.ones(2, 3), torch.tensor(1), delta=np.zeros(2), weight=torch.ones(3, 2))
torch.nn.functional.elu(torch.tensor([1, 0, 1]), 0.5, True)
torch.celu_(torch.tensor([True, False, True]), 3)
torch.nn.functional.leaky_relu_(torch.tensor([True, False, True]), 2)
torch.eye(3).index_put_([2, 2], torch.tensor(1.0))
torch.index_put(torch.eye(3), torch.tensor([1, 0]), torch.tensor(1.0))
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
F.avg_pool2d(x, 2)
F.avg_pool2d(torch.ones(3), 2)
F.avg_pool2d(torch.tensor(1.), 2)
F.avg_pool2d(torch.tensor(1), (-1,), 3, -1)
F.lp_pool2d(x, 2, [2,2])
F.lp_pool1d(x, 2, [2,2])
F.gaussian_nll_loss(x, x, -1)
F.gaussian_nll_loss(x, x, 1)
F.gaussian_nll_loss(x, x, 1, x)
F.gaussian_nll_loss('a', x, 1, x)
F.gaussian_nll_loss('a', x, x+1j)
F.dropout1d(torch.ones(3), torch.tensor(float('nan')))
F.dropout2d(x, 'a')
F.dropout3d(x, 'a')
F.dropout(x, 'a')
F.dropout(x, None)
F.rms_norm(x, (1,2,5,5))
F.softmin(x, None, 2, -3)
F.softmin(x, 0, 2, 'a')
F.softmax(x, 0, 2, 'a')
F.log_softmax(x, 0, 2, 'a')
torch.linalg.multi_dot(np.ones(3))
torch.linalg.multi_dot(x)
torch.linalg.multi_dot([1])
torch.linalg.multi_dot(3)
torch.norm(x, x)
torch.norm(torch.tensor(1), np.ones(3))
torch.norm(torch.tensor(1), torch.device('cpu'))
torch.norm(x, [2])
x.norm([2])
torch.triu_indices(3, 'a', dtype=torch.bfloat16)
torch.chain_matmul(out='')
torch.diff(x, -1, 2)
torch.split((), np.ones(3))
torch.resize_as_((), x)
torch.resize_as_(x, 3)
x.to_dense(np.ones(3))
x.view(np.ones(3))
torch.set_autocast_dtype('mean', 'cuda')
torch.broadcast_tensors([])
torch.broadcast_tensors([x])
torch.broadcast_tensors([x, 3])
torch.broadcast_tensors(())
torch.broadcast_tensors((x, x))
torch.roll(x, 3, 1, out=x)
torch.tensor_split(input=x, indices_or_sections=(2,3), dim=0)
torch.tensor_split(x, indices_or_sections=(2,3))
torch.tensor_split(x, indices_or_sections=2)
torch.var_mean(x, dim=None, unbiased=False, correction=1)
torch.var_mean(x, unbiased=False, correction=1)
torch.var(x, None, unbiased=False, correction=1)
torch.std(x, None, unbiased=False, correction=1)
torch.std(x, dim=0, unbiased=False, correction=1)
torch.std_mean(x, dim=0, unbiased=False, correction=1)
torch.fft.ifft2(x, (1.5, 2))
torch.fft.fft2(x, (1.5, 2))
torch.fft.fft2(x, (2, 1.5))
torch.fft.fftn(x, (2.5, 1))
torch.logsumexp(x, dim=None)
torch.logsumexp(x+0j, dim=None)
torch.special.round(torch.tensor([1,2]))
torch.serialization.add_safe_globals([[]])
x.dim_order(ambiguity_check=[None])
x.to_sparse().dim_order(ambiguity_check=[None])
x.to_sparse().dim_order()
torch.ScriptFunction()
torch.addcdiv(x, x, x, 0.5)
torch.addcdiv(x, x, x, 0.5, b'x')
torch.addcdiv(x, 0.5, x, x, b'x')
torch.autograd.Variable(x, x)
torch.autograd.Variable(x, None)
torch.autograd.Variable(x, 'a')
torch.autograd.Variable(x, requires_grad=2.5)
torch.autograd.Variable(x, 300)
torch.autograd.grad(np.ones(3), x, -1)
torch.autograd.grad(range(3), [[]], 2)
torch.autograd.graph.increment_version(np.array([None]))
torch.autograd.graph.increment_version([3])
torch.autograd.graph.increment_version(3)
torch.nn.utils.rnn.pack_padded_sequence(torch.tensor([1,0,1]), torch.tensor([1j,2]), 'b', True)
torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([True,False,True]), -2, 's')
torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([2,2]), 1)
torch.nn.utils.rnn.pad_sequence('constant', x, 3, -1)
torch.nn.utils.rnn.pad_sequence(torch.tensor(1), 'constant', ..., x)
torch.nn.utils.rnn.pad_sequence([x], padding_side=3)
torch.serialization.location_tag((-1,))
torch.serialization.location_tag({})
torch.serialization.location_tag(3)
torch.serialization.default_restore_location(x, x)
torch.serialization.default_restore_location(x, 3)
torch.nn.Unfold((0,))(x)
F.unfold(x, (0,))
F.unfold(torch.ones(1,2,5,5), (2,))
F.unfold(torch.ones(1,2,5,5), 2, (1,))
torch.nn.Dropout2d(torch.tensor(float('nan')))(torch.tensor(1.))
torch.nn.InstanceNorm1d(1, [], bytearray(3))(x)
F.instance_norm(torch.ones(1,2,3), eps=[])
F.pad(x, (1,1,1,1,1,1), value=lambda: 1)
F.pad(x, (1,1), value='a')
F.sigmoid([[]])
F.sigmoid(input=np.ones(2))
F.tanh(3)
F.sigmoid(x, out=x)
torch.bitwise_left_shift(10**30, other=x)
torch.max(x+0j, 2**63)
torch.asarray([[]], dtype=torch.bool, device='mean', copy=x)
torch.asarray([[]], copy=3)
torch.tensor([[1],[1,2]], device='sum', requires_grad=x)
torch.empty(2, layout=3, device=-1)
torch.ones(2, x, device=3, requires_grad=x)
torch.ones(2, device=3, requires_grad=3)
x.__dlpack__(stream=torch.strided)
x.__dlpack__(stream='a')
torch.channel_shuffle(x, 2**64)
torch.channel_shuffle(x, -2**64)
torch.polygamma(2**63, x)
x.polygamma(2**63)
torch.add(x, 2**64)
torch.clamp(x, 10**30)
x.eq(2**64)
x + 2**64
x * -2**64
x.double() / (-2**63-1)
torch.special.hermite_polynomial_he(x, 2**64)
torch.where(x > 0, 2**64, x)
torch.where(x > 0, x, 10**30)
torch.addcmul(x, x, x, value=2**64)
torch.clamp_max(x, 2**64)
torch.rsub(x, 2**64)
2**64 - x
2**64 / x
x.narrow(0, 2**64, 1)
x.select(0, 2**64)
torch.nn.functional.max_pool2d(x, [2,2], 10**30)
torch.nn.functional.adaptive_max_pool2d_with_indices(x, 2**63)
torch.fft.fft(x, 2**64)
torch.nn.functional.rrelu_(x, 10**30, upper=2)
torch.bitwise_left_shift(10**30, x)
x.istft(10**30)
x.to_sparse(sparse_dim=10**30)
torch.nn.PixelShuffle(2**64)(x)
torch.nn.Linear(3, 2).to(2**63)
torch.sparse.ShortTensor(device=10**30)
x.to(2**64)
x.clip(2**64)
x.clamp_max_(10**30)
torch.mvlgamma(x, 2**63)
torch.special.multigammaln(x, 2**64)
torch.nn.utils.rnn.PackedSequence(None, 3)
torch.nn.utils.rnn.PackedSequence(x, "a")
torch.nn.Sequential(torch.nn.ReLU()).state_dict(prefix=3)
torch.nn.Linear(2, 3).cuda()
torch.nn.Linear(2, 3).cuda(x)
torch.nn.Linear(2, 3).xpu()
torch.vmap(lambda a: a, 0, "nearest")(x)
torch.histogram()
torch.nn.init.trunc_normal_("a", x)
torch.nn.init.trunc_normal_(torch, x)
torch.nn.Parameter(3.7, x)
torch.nn.Parameter(x, 1)
torch.nn.Parameter(x.int(), x)
torch.sym_constrain_range(x)
torch.sym_constrain_range(10**30)
torch.sym_fresh_size((2, 3))
F.fractional_max_pool2d(3, 2, 1, _random_samples=x)
F.max_unpool2d(x, "a", 2)
F.lp_pool2d(3, 2, (1, 2, 3))
F.embedding(x, 3.7, 1)
F.embedding(x, x, x)
F.embedding_bag(3, x.view(1, 2, 3))
F.instance_norm(x, 3)
F.nll_loss(x, x, ignore_index="a")
F.cross_entropy(x, x, ignore_index="a")
F.layer_norm(x, [2], eps="a")
F.rms_norm(x, [2], eps="a")
F.group_norm(x, x)
F.unfold(x, 2, stride=0.5)
F.fold(3, (3,), 1)
F.softmin(3)
F.softmin("a", 1)
F.hardtanh(3, x, x)
F.kl_div(x, x, x)
F.poisson_nll_loss(x, x, 2, size_average=x)
F.huber_loss(x, x, weight=3)
F.multi_margin_loss(x, x, weight=3)
F.ctc_loss(x, 3, x, x)
x.norm(2, [[1]])
x.int().norm(2, {})
torch.norm([1])
torch.stft(3, 4)
x.stft("a", center=x)
x.stft(4, "a")
torch.tensordot(x, x, 1.5)
torch.tensordot(x, x, (0, 1))
torch.tensordot(x, x, torch.ones(3))
torch.lobpcg(3)
torch.lobpcg(x, 1, 3)
torch.polygamma(-2, 1j)
torch.empty_strided((1, 2), {1})
torch.adaptive_max_pool1d(x, 1, True)
torch.repeat_interleave(x)
torch.tensor([True]).trace()
torch.func.linearize(None, -1)
torch.library.CustomOpDef(3)
torch.library.infer_schema(3, mutates_args=())
torch.library.impl(1, "zz", len)
torch.library.define(qualname="a", schema="b")
torch.autograd.DeviceType(0, 1)
torch.randn(torch.tensor(2**62))
torch.logspace(0, 1, 2**62)
torch.HalfStorage(b"x")
torch.HalfStorage([1, "a"])
torch.CharStorage([300])
x.resize(5)
x.resize((3, 2))
x.resize_as(3)
x.module_load(x, x)
torch.nn.UninitializedParameter(3, "a")
torch.nn.Bilinear(0, "ij", 1)
torch.nn.FractionalMaxPool3d(len)
torch.nn.BatchNorm2d([[]], device=3)
torch.masked.sum(x, np.ones(3))
torch.sparse.FloatTensor((2, 3))
torch.sparse.FloatTensor(1.5)
torch.sparse_coo_tensor((2**62, 4))
torch.sparse_compressed_tensor(x, x, x)
torch.sparse_csr_tensor(3, 3, x)
torch.sparse_bsr_tensor(x, 3, x)
torch.sparse_csr_tensor(x, x, x, 3, x)
x.map_(torch.ones(2, 3, requires_grad=True), 3)
torch.ones(2, requires_grad=True).sub_("a")
torch.ones(2, requires_grad=True).add_(np.ones(2))
torch.tensor([1, 0, 1]).sub_(np.bool_(True))
torch.tensor([1, 0, 1]).bitwise_and(np.bool_(True))
torch.ones(2, 3, dtype=torch.complex64).kthvalue(9)
torch.meshgrid(indexing=-2)
torch.kl_div(x, x, a=x)
torch.nn.functional.pad(x, [0] * 70, "mean", -1)
x.unflatten(5, 1.5)
x.is_pinned("sum")
x.pin_memory(2**64)
torch.device(np.ones(3)[::-1])
torch.set_default_device(np.int64(-1))
torch.full((2,), 3, out=3)
torch.clamp_min(x, 1j)
torch.linalg.lu_solve(torch.eye(2).bfloat16(), torch.ones(2).int(), torch.eye(2))
torch.linalg.lu_solve(torch.eye(2).int(), torch.ones(2).int(), torch.eye(2))
torch.unsafe_split(x, 0)
torch.Stream(0, priority=(-1,))
torch.autograd.grad(1, x)
torch.autograd.forward_ad.unpack_dual(3.5, level=2)
torch.autograd.forward_ad.unpack_dual(x, level="none")
F.softmax(x, None, "sum")
F.instance_norm(x.view(1, 2, 3), momentum="a")
F.threshold(x.int(), float("nan"), 1)
F.celu(x, "a", inplace=torch.ones(2))
F.cosine_embedding_loss(x, x, 3, reduce="mul", size_average=torch.ones(3))
F.max_unpool3d(x.bfloat16(), None, (3,), -1, "abc", [2, 2])
F.max_unpool2d(x, "ij", (1,))
F.dropout([], 0.0)
torch.nn.AlphaDropout(0)([])
torch.nn.init.eye_(np.ones(2))
torch.nn.utils.rnn.pad_sequence([x], "fro")
torch.nn.utils.rnn.pad_sequence([x], True, "a")
torch.masked.argmax(torch.tensor([True]), mask=0)
torch.masked.cumsum(torch.tensor([True]), 1e400)
torch.sparse.mm(x, np.ones(3))
torch.special.i1(x.to_sparse(), out=(2, 3))
x.to_sparse().view_as(x, 3)
x.to_sparse().floor_divide(other=torch.ones(3))
x.to_sparse().to_sparse_csr(1e400)
x.__array__(None, {"a": 1})
x.bool().dist(x)
torch.rrelu(x, float("nan"))
torch.rrelu(x.int(), 0.5, 0.1)
F.poisson_nll_loss(x, 3)
torch.cat([], "a")
torch.nn.Dropout3d(torch.ones(1), True)(x.view(1, 1, 1, 2, 3))
torch.nn.LazyConv2d(2, 1)(np.ones(2))
torch.nn.LinearCrossEntropyOptions(batch_chunk_size="x", chunking_method=3)
torch.nn.LinearCrossEntropyOptions(batch_chunk_size="x", chunking_method=b"a")
""".strip().splitlines()


def said(package: Any, line: str) -> tuple[str, str]:
    """The class and the first line of the error that a line ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            x, F = package.ones(2, 3), package.nn.functional
            eval(line, {"torch": package, "np": np, "fractions": fractions, "x": x, "F": F})
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
        "torch.special.airy_ai(x=torch.ones(2))",
        "torch.special.i1(torch.tensor([float('inf'), -float('inf'), 1e30, 100.0, 88.0]))",
        "torch.special.modified_bessel_i0(torch.tensor([float('inf'), -float('inf'), 1e30]))",
        "torch.signal.windows.hann(True)",
        "torch.special.bessel_y1(torch.ones(2, requires_grad=True), out=torch.ones(2))",
        "torch.isin(torch.ones(2, requires_grad=True), torch.ones(2), out=torch.ones(2, dtype=torch.bool))",
        "torch.ones(2, 3).triu(-2**63)",
        "torch.ones(2, 3).tril(2**63 - 1)",
        "torch.ones(2).logit(eps=torch.tensor(0.1))",
        "torch.nn.init.normal_(torch.ones(2), torch.tensor(2.5), torch.tensor(0.0))",
        "torch.nn.init.xavier_normal_(torch.ones(2, 2), gain=torch.tensor(0.0))",
        "torch._foreach_maximum([torch.ones(2, dtype=torch.bfloat16)], 1.5)[0].float()",
        "torch._foreach_minimum([torch.ones(2, dtype=torch.bfloat16)], [0.5])[0].float()",
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


@pytest.mark.parametrize(
    "line",
    [
        "torch.histogram(torch.tensor([1.0, 2, 3])).hist",
        "torch.tensor([1.0, 2, 3]).histogram().bin_edges",
        "torch.ones(2, 3) == np.ones(3).view(np.recarray)",
        "torch.ones(2, 3) != np.ma.masked_array([1.0, 2, 3], [False, True, False])",
        "torch.mvlgamma(torch.tensor([5.0, 80.0]), 100)",
        "torch.tensor([1, 0, 1]) + np.bool_(True)",
        "torch.full((2,), np.bool_(True))",
        "torch.ones(2).nan_to_num(np.bool_(True))",
        "torch.norm(torch.ones(3), True)",
        "torch.dist(torch.ones(2).int(), torch.ones(2) * 3)",
        "torch.linalg.matrix_norm(torch.ones(2, 3), np.float128(1))",
        "torch.ones(1).expand(2, 3).diag(torch.tensor(-1))",
        "torch.binary_cross_entropy_with_logits(torch.ones(3), torch.ones(3))",
        "torch.masked.sum(torch.ones(2, 3), 1, keepdim='abc')",
        "torch.nn.functional.normalize(torch.ones(2), 2.0, 0, 1e-3, torch.ones(2))",
        "torch.ones(2, 3).to_sparse().sin_().to_dense()",
        "torch.ones(2, 3).to_sparse().relu_().to_dense()",
        "torch.nn.Sequential(torch.nn.ReLU()).cuda()(torch.ones(2))",
        "torch.nn.Sequential(torch.nn.ReLU()).xpu('abc')(torch.ones(2))",
    ],
)
def test_taken_as_pytorch_takes_it_exactly(line: str) -> None:
    theirs, ours = (eval(line, {"torch": package, "np": np}) for package in (torch, rushlight))
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-6)
    if isinstance(ours, rushlight.Tensor):
        assert type(ours._array) is np.ndarray


def test_what_is_looked_at_only_when_it_is_used() -> None:
    for package in (torch, rushlight):
        package.vmap(len, 0, "nearest")
        package.serialization.safe_globals(3)
        package.GradScaler(2, "a")
        package.nn.utils.clip_grads_with_norm_(package.ones(2), 0.5, (1, 2))


@pytest.mark.parametrize("line", ["x == 1", "1 in x", "x != x", "x & 1", "x << 1", "2**x", "torch.nn.functional.elu_(x)",
    "torch.fft.rfft(x)", "torch.squeeze_copy(x)", "torch.ones(6).int().set_(x)", "torch.round(x, decimals=1)", "torch.linalg.pinv(x)",
    "torch.nn.functional.logsigmoid(x)"])  # fmt: skip
def test_sparse_tensors_refuse_what_pytorch_has_for_dense_ones(line: str) -> None:
    for package in (torch, rushlight):
        with pytest.raises(NotImplementedError):
            eval(line, {"torch": package, "x": package.ones(2, 3).int().to_sparse()})


def test_sparse_tensors_beside_what_is_no_number() -> None:
    for package in (torch, rushlight):
        x = package.ones(2, 3).to_sparse()
        assert (x == "a") is False and (x != None) is True  # noqa: E711


def test_numpy_bools_are_floats_and_numbers_of_enumerations_need_no_name() -> None:
    for package in (torch, rushlight):
        assert package.tensor([1]).mul(np.bool_(True)).dtype is package.float32
        assert int(package.autograd.ProfilerActivity(-5)) == -5 and package.serialization.location_tag(package.ones(2)) == "cpu"


@pytest.mark.parametrize(
    "line",
    [
        "torch.where(x, None)", "torch.where(x > 0, None, None)", "torch.where(x > 0, other=None)", "torch.addcdiv(x, x, 1)",
        "torch.addcdiv(x, 1.5, x)", "torch.addcdiv(1, x, x)", "x.addcdiv_(x, tensor2=1.0)", "x.float(None)",
        "x.bool(torch.contiguous_format)", "x.double('a')", "torch.futures.Future(devices=['cpu'])",
        "torch.futures.Future(devices=['cuda:0'])", "torch.futures.Future(devices=1)", "torch.futures.Future(devices=[None])",
        "torch.nn.utils.clip_grad_norm_([x], 'a')",
    ],
)  # fmt: skip
def test_nonsense_that_was_taken(line: str) -> None:
    found = []
    for package in (torch, rushlight):
        with pytest.raises((TypeError, ValueError, RuntimeError)) as error:
            eval(line, {"torch": package, "x": package.ones(2)})
        found.append((error.type, str(error.value).partition("\n")[0].partition(" takes ")[0]))
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "line",
    [
        "torch.tensordot(x, x, 2**62)", "torch.tensordot(x, x, 2**70)", "torch.tensordot(x, np.float32(2), -1)",
        "torch.fill(x, torch.tensor([1j, 2]))", "torch.fill(x, torch.ones(1))", "torch.norm(x, 2**70)", "x.norm(-2**70)",
        "x.to_sparse().untyped_storage()", "x.to_sparse().storage()", "torch.ones(2, 2).to_sparse_csc().untyped_storage()",
        "torch.sparse_coo_tensor(x.to_sparse(), x)", "torch.sparse_coo_tensor(torch.ones(1, 2), x.to_sparse())",
        "torch.sparse.LongTensor(x.to_sparse(), x)", "x.polygamma(torch.tensor(-1))", "x.quantile(np.float64(2))",
    ],
)  # fmt: skip
def test_what_ended_in_an_error_of_another_kind_or_was_taken(line: str) -> None:
    found = []
    for package in (torch, rushlight):
        with pytest.raises((TypeError, RuntimeError, OverflowError)) as error:
            eval(line, {"torch": package, "x": package.ones(2), "np": np})
        found.append((error.type, str(error.value).partition("\n")[0]))
    assert found[0] == found[1]


@pytest.mark.parametrize("q", [np.float32(0.5), np.float16(0.25), np.int64(1), np.bool_(True)])
def test_numbers_of_numpy_are_quantiles_and_orders(q: object) -> None:
    for name in ("quantile", "nanquantile"):
        mine, its = (getattr(package.tensor([1.0, 2.0, 4.0]), name)(q).tolist() for package in (rushlight, torch))
        assert mine == its
    for n in (np.int64(1), 1):
        assert rushlight.ones(2).polygamma(n).tolist() == rushlight.ones(2).polygamma(rushlight.tensor(n)).tolist()


def test_a_sparse_tensor_of_more_bytes_than_numpy_counts_is_refused_in_words() -> None:
    with pytest.raises(RuntimeError, match=r"Storage size calculation overflowed with sizes=\[4611686018427387904\]"):
        rushlight.sparse_coo_tensor((2**62,))
