"""The node that each operation leaves behind, by name."""

import torch
import torch.nn.functional as F  # noqa: F401  the cases use it

a = torch.tensor([[0.5, 0.25], [0.75, 1.0]], requires_grad=True)
b = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
v = torch.tensor([0.5, 0.25], requires_grad=True)
mask = torch.tensor([[True, False], [False, True]])
index = torch.tensor([1, 0])
cases = """
a + b; a - b; a * b; a / b; a ** b; a ** 2; 2 ** a; 2 + a; 2 - a; 2 / a; -a; a @ b; a @ v; v @ v; a % b; a // b
abs(a); a.exp(); a.log(); a.sqrt(); a.rsqrt(); a.sin(); a.cos(); a.tan(); a.asin(); a.acos(); a.atan(); a.sinh()
a.cosh(); a.tanh(); a.sigmoid(); a.relu(); a.reciprocal(); a.square(); a.log1p(); a.expm1(); a.log2(); a.log10()
a.erf(); a.erfc(); a.erfinv(); a.lgamma(); a.digamma(); a.sign(); a.floor(); a.ceil(); a.round(); a.trunc(); a.frac()
a.clamp(0, 1); a.clamp(min=0); a.clamp_max(1); torch.clamp(a, min=b); torch.where(mask, a, b); a.masked_fill(mask, 0)
torch.maximum(a, b); torch.minimum(a, b); torch.atan2(a, b); torch.hypot(a, b); a.lerp(b, 0.5); a.lerp(b, b)
torch.addcmul(a, a, b); torch.addcdiv(a, a, b); a.remainder(b); a.fmod(2); a.nan_to_num(); torch.logaddexp(a, b)
a.sum(); a.sum(0); a.mean(); a.mean(1); a.prod(); a.prod(0); a.max(); a.max(0)[0]; a.min(); a.amax(); a.amin(0)
a.std(); a.var(); a.var(0); a.norm(); a.norm(1); a.norm(dim=0); a.logsumexp(0); a.cumsum(0); a.cumprod(0); a.median()
a.view(4); a.reshape(4); a.flatten(); a.t(); a.T; a.mT; a.transpose(0, 1); a.permute(1, 0); a.squeeze(); a.squeeze(0)
a.unsqueeze(0); v.expand(2, 2); a.repeat(2, 1); a.flip(0); a.roll(1, 0); a.narrow(0, 0, 1); a.select(0, 0); a[0]; a[:, 1]
a[mask]; a[index]; a[None]; a[..., 0]; a[0, 1]; a.chunk(2)[0]; a.split(1)[1]; a.unbind()[0]; torch.cat([a, b])
torch.stack([a, b]); torch.hstack([a, b]); torch.vstack([a, b]); a.diagonal(); a.diag(); a.tril(); a.triu(); a.unfold(0, 2, 1)
a.as_strided((2,), (1,)); a.movedim(0, 1); a.swapaxes(0, 1); a.clone(); a.contiguous(); a.double(); a.detach()
a.mm(b); a.mv(v); v.dot(v); torch.outer(v, v); torch.addmm(a, a, b); torch.bmm(a[None], b[None]); torch.einsum("ij,jk", a, b)
a.gather(0, index[None]); a.index_select(0, index); a.masked_select(mask); a.take(index); a.sort()[0]; a.topk(1)[0]
a.scatter(0, index[None], 1.0); a.scatter_add(0, index[None], b); a.index_add(0, index, b); a.index_fill(0, index, 1.0)
a.softmax(0); a.log_softmax(0); F.relu(a); F.leaky_relu(a); F.elu(a); F.gelu(a); F.softplus(a); F.silu(a); F.hardtanh(a)
F.linear(a, b, v); F.linear(a, b); F.mse_loss(a, b); F.l1_loss(a, b); F.smooth_l1_loss(a, b); F.cross_entropy(a, index)
F.nll_loss(a, index); F.binary_cross_entropy(a, a.detach()); F.binary_cross_entropy_with_logits(a, a.detach()); F.kl_div(a, b)
torch.linalg.inv(a); torch.det(a); torch.linalg.norm(a); torch.linalg.solve(a, b); torch.trace(a); torch.logdet(a)
a.real; torch.complex(a, b); torch.zeros_like(a); a > b; a.argmax(); a.cummax(0)[0]; a.kthvalue(1)[0]; a.dist(b); a.tile(2)
torch.inner(v, v); torch.tensordot(a, b); torch.tensordot(a, b, 1); torch.tensordot(a, b.t()); a.sort(stable=True)[0]
torch.special.ndtr(a); torch.cumulative_trapezoid(a); torch.gradient(v)[0]; a.quantile(0.5, 0); a.round(decimals=0)
torch.linalg.matrix_power(a, -1); torch.linalg.matrix_norm(a[:0], 2); F.poisson_nll_loss(a, b, full=True)
"""
for line in cases.strip().splitlines():
    for case in line.split("; "):
        result = eval(case)
        print(f"{case:45} {result.grad_fn.name() if result.grad_fn is not None else None}")
