"""Lines from the corners of the interface, for random programs (program_wide.py): transforms over the table's functions, `out=`,
numbers of other dtypes written in place, hooks that change what must not be changed, functions that write to their arguments,
copies and files in the middle of a program, several groups and schedules, sparse layouts, factorizations in batches."""

from __future__ import annotations

from program_idioms import IdiomHoles
from program_parts import NoFit, _share

# Functions of one tensor, as transforms take them; `t` is any float tensor.
_ONE = (
    "t.sin()", "t.exp()", "t.tanh()", "t.abs()", "t.square()", "t.sigmoid()", "t.relu()", "t.neg()", "t.erf()", "t.sinc()", "t.round()",
    "t.clamp(-1, 1)", "t ** 2", "t ** 3", "2 ** t", "t * t", "t - t.mean()", "t / (1 + t * t)", "t.sgn()", "t.frac()", "t.atan2(t + 3)",
    "t.sum()", "t.mean()", "t.prod()", "t.var()", "t.std()", "t.norm()", "t.amax()", "t.max()", "t.logsumexp(-1)", "t.sum(-1)",
    "t.prod(-1)",
    "t.mean(0)", "t.cumsum(-1)", "t.cumprod(-1)", "t.cummax(-1)[0]", "t.softmax(-1)", "t.log_softmax(0)", "t.sort(-1)[0]", "t.topk(1)[0]",
    "t.median()", "t.median(-1)[0]", "t.flip(0)", "t.roll(1)", "t.roll(1, -1)", "t.diff()", "t.t()", "t.mT", "t.flatten()", "t.view(-1)",
    "t.reshape(-1, 1)", "t.unsqueeze(0)", "t.unsqueeze(-1)", "t.squeeze()", "t[0]", "t[-1:]", "t[..., 0]", "t[..., None]", "t[::2]",
    "t[torch.tensor([0, 0])]", "t[..., torch.tensor([0, 0])]", "t.expand(2, *t.shape)", "t.repeat(2, *[1] * t.ndim)", "t.diagonal()",
    "t.diag()", "t.tril()", "t.triu(1)", "t.trace()", "t.unfold(-1, 1, 1)", "t.movedim(0, -1)", "t.transpose(0, -1)", "t.chunk(2)[0]",
    "t.split(1)[0]", "t.unbind()[0]", "t.index_select(0, torch.tensor([0, 0]))", "t.gather(0, torch.zeros_like(t, dtype=torch.long))",
    "t.scatter_add(0, torch.zeros_like(t, dtype=torch.long), t)", "t.masked_fill(t > 0, 2.0)", "torch.where(t > 0, t, 0.5 * t)",
    "t.where(t > 0, torch.zeros(()))", "torch.cat([t, t])", "torch.stack([t, 2 * t], -1)", "torch.hstack([t, t])", "t.lerp(t * t, 0.25)",
    "torch.addcmul(t, t, t, value=2)", "t @ t.mT", "t.T @ t", "torch.outer(t, t)", "torch.dot(t, t)", "torch.einsum('ij,kj->ik', t, t)",
    "torch.kron(t, t)", "t.clone().mul_(2)", "t.clone().add_(t)", "t.detach() * t", "t.clone().fill_(2) * t", "t.contiguous()",
    "torch.nn.functional.gelu(t)", "torch.nn.functional.silu(t)", "torch.nn.functional.softplus(t)", "torch.nn.functional.elu(t)",
    "torch.nn.functional.layer_norm(t, t.shape[-1:])", "torch.nn.functional.normalize(t, dim=-1)", "torch.nn.functional.pad(t, (1, 1))",
    "torch.nn.functional.mse_loss(t, t * t)", "torch.nn.functional.hardtanh(t)", "torch.nn.functional.leaky_relu(t)",
    "torch.cdist(t, 2 * t)",
    "torch.linalg.vector_norm(t, 3)", "torch.linalg.matrix_norm(t)", "torch.linalg.det(t @ t.mT + torch.eye(t.shape[-2]))",
    "torch.linalg.inv(t @ t.mT + torch.eye(t.shape[-2]))", "torch.linalg.solve(t @ t.mT + torch.eye(t.shape[-2]), t)",
    "torch.fft.fft(t).abs()",
    "torch.fft.rfft(t).real", "torch.complex(t, t * t).abs()", "torch.view_as_real(torch.complex(t, t)).sum(-1)", "torch.cov(t)",
    "torch.logcumsumexp(t, -1)", "torch.trapezoid(t)", "torch.renorm(t, 2, 0, 1.0)", "torch.tensor_split(t, 2)[1]", "t.double() * 2",
    "t.to(torch.float32)", "t.argmax()", "t > 0", "t.long()", "t.new_zeros(2)", "torch.zeros_like(t)", "torch.ones(2)", "t.var_mean(-1)[0]",
    "torch.vmap(torch.sin)(t)", "torch.func.grad(lambda u: (u ** 3).sum())(t)", "torch.func.jacrev(torch.sin)(t)", "Wide.apply(t, t)",
    "Cubed.apply(t)", "torch.utils.checkpoint.checkpoint(torch.sin, t, use_reentrant=False)", "t.quantile(0.5)", "t.nansum(0)",
    "t.aminmax()[0]",
    "t.index_add(0, torch.tensor([0]), t[:1])", "t.index_put((torch.tensor([0, 0]),), t[:1], accumulate=True)", "t.rot90()", "t.item()",
    "t.nonzero()", "t[t > 0]", "t.unique()", "t.tolist()", "t.count_nonzero(0)", "t.isnan()", "t.nan_to_num()", "t.dist(2 * t)",
    "t.addmm(t, t)",
)  # fmt: skip
_TWO = (
    "t * u", "t + u", "t - u", "t / (u * u + 1)", "t ** 2 * u", "torch.maximum(t, u)", "torch.atan2(t, u + 3)", "torch.where(t > u, t, u)",
    "(t * u).sum()", "t @ u.mT", "t.mT @ u", "torch.outer(t, u)", "torch.cat([t, u])", "torch.stack([t, u])", "t.lerp(u, 0.5)",
    "t.clone().add_(u)", "t.clone().copy_(u)", "torch.nn.functional.mse_loss(t, u)", "torch.nn.functional.linear(t, u)",
    "torch.nn.functional.cosine_similarity(t, u, -1)", "torch.cdist(t, u)", "torch.einsum('...i,...i->...', t, u)",
    "torch.tensordot(t, u, 1)",
    "torch.hypot(t, u)", "torch.fmod(t, u.abs() + 1)", "torch.logaddexp(t, u)", "torch.addcmul(t, u, u)", "torch.bmm(t, u)",
    "Wide.apply(t, u)",
    "torch.kron(t, u)", "torch.dot(t, u)", "torch.cross(t, u)", "t.masked_fill(u > 0, 0)", "t.sub(u, alpha=2)",
    "torch.xlogy(t, u.abs() + 1)",
    "torch.complex(t, u).abs()", "t.scatter(0, torch.zeros_like(u, dtype=torch.long), u)", "t.index_copy(0, torch.tensor([0]), u[:1])",
)  # fmt: skip
_OPTIMIZERS = (
    "SGD(p, lr=0.1)", "SGD(p, lr=0.1, momentum=0.9, dampening=0.1, weight_decay=0.01)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True, maximize=True)",
    "Adam(p, lr=0.1, amsgrad=True)", "Adam(p, lr=0.1, weight_decay=0.1, betas=(0.5, 0.9))", "AdamW(p, lr=0.1, maximize=True)",
    "RMSprop(p, lr=0.01, centered=True, momentum=0.5)", "Adagrad(p, lr=0.1, lr_decay=0.1)", "Adadelta(p, lr=0.5)", "Adamax(p, lr=0.1)",
    "NAdam(p, lr=0.1)", "RAdam(p, lr=0.1)", "ASGD(p, lr=0.1, t0=1)", "Rprop(p, lr=0.1)", "Adafactor(p, lr=0.1)",
)  # fmt: skip
_SCHEDULES = (
    "StepLR(o, 2, 0.5)", "ExponentialLR(o, 0.9)", "MultiStepLR(o, [1, 3])", "CosineAnnealingLR(o, 4)", "LinearLR(o, 0.5, 1.0, 3)",
    "LambdaLR(o, [lambda n: 0.9 ** n, lambda n: 1 / (n + 1)])", "OneCycleLR(o, 0.2, total_steps=9)", "PolynomialLR(o, 4, 2.0)",
    "ConstantLR(o, 0.3, 2)",
    "CosineAnnealingWarmRestarts(o, 2)", "CyclicLR(o, 0.01, 0.1, 2, cycle_momentum=False)", "MultiplicativeLR(o, lambda n: 0.9)",
)  # fmt: skip


class CornerHoles(IdiomHoles):
    """Holes for functions that transforms take, options of optimizers, and places of other dtypes and shapes."""

    def one(self) -> str:
        return self.draw.choice(_ONE)

    def two(self) -> str:
        return self.draw.choice(_TWO)

    def rates(self) -> str:
        return f"lambda p: torch.optim.{self.draw.choice(_OPTIMIZERS)}, lambda o: torch.optim.lr_scheduler.{self.draw.choice(_SCHEDULES)}"

    def small(self) -> str:
        """Something to take Jacobians by."""
        return self.pick(
            lambda t: t.is_floating_point() and t.itemsize >= 4 and 0 < t.numel() <= 12 and bool((t.detach().abs() < 20).all())
        )

    def beside(self) -> str:
        """A small one of the subject's dtype, mostly of its shape."""
        return self.pick(
            lambda t: t.dtype == self.it.dtype and (t.shape == self.it.shape or self.draw.random() < 0.2) and t.numel() <= 12,
            False,
        )

    def written(self) -> str:
        """What may be written to whatever it is: any dtype, but no gradient, and no leaf that needs one."""
        return self.target()

    def alike(self) -> str:
        """What shares no memory with the subject, and can be written to as that can."""
        return self.pick(lambda t: t.dtype == self.it.dtype and not _share(t, self.it) and not t.requires_grad, subject=False)

    def apartplace(self) -> str:
        """What results may be written to: not what they are of, nor twice the same."""
        taken = self.__dict__.setdefault("taken", [self.it])
        name = self.pick(lambda t: not any(_share(t, each) for each in taken), subject=False)
        taken.append(self.tensors[name])
        return name

    def places(self) -> str:
        """Repeated places in the first dimension."""
        if not self.it.ndim or not len(self.it):
            raise NoFit
        return (
            f"torch.tensor({[self.draw.randint(-len(self.it), len(self.it) - 1) for _ in range(self.draw.choice([1, 2, 3]))]})"
        )

    def batched(self) -> str:
        """Square matrices, well apart from singular, with eigenvalues apart."""
        name = self.pick(lambda t: t.ndim >= 2 and t.itemsize >= 4 and t.is_floating_point() and t.numel() > 0)
        size = self.it.shape[-2]
        least = self.draw.choice([2, 5])
        return f"({name} @ {name}.mT + torch.arange({least}, {size + least}, dtype={name}.dtype).diag())"


_IN, _OUT = "{0 0 0 1 -1 None (0,)}", "{0 0 0 1 -1 2 None}"
VALUES: list[tuple[int, str]] = [
    # Transforms of the table's functions.
    (10, f"torch.vmap(lambda t: {{one}}, in_dims={_IN}, out_dims={_OUT})({{float}})"),
    (6, "torch.vmap(lambda t, u: {two}, in_dims={(0,0) (0,None) (None,0) (-1,0) (0,1) 0})({float}, {ftwin})"),
    (3, "torch.vmap(torch.vmap(lambda t: {one}, in_dims={0 -1}))({float})"),
    (2, "torch.vmap(torch.vmap(lambda t, u: {two}, (None, 0)), (0, None))({float}, {ftwin})"),
    (5, "torch.vmap(torch.func.grad(lambda t: ({one}).sum()))({small})"),
    (6, "torch.func.grad(lambda t: ({one}).sum())({small})"),
    (4, "torch.func.grad(lambda t, u: ({two}).sum(), argnums={0 1 (0,1)})({small}, {beside})"),
    (5, "torch.func.jvp(lambda t: {one}, ({small},), ({ftwin},))[{0 1 1 1}]"),
    (4, "torch.func.jvp(lambda t, u: {two}, ({small}, {beside}), ({beside}, {beside}))[{0 1 1 1}]"),
    (5, "torch.func.vjp(lambda t: {one}, {small})[1](torch.ones(()))[0]"),
    (4, "torch.func.vjp(lambda t: ({one}).sum(-1), {small})[0]"),
    (6, "torch.func.{jacrev jacfwd}(lambda t: {one})({small})"),
    (3, "torch.func.{jacrev jacfwd}(lambda t, u: {two}, argnums={0 1})({small}, {beside})"),
    (3, "torch.func.{jacrev jacfwd}(torch.func.{jacrev jacfwd}(lambda t: ({one}).sum()))({small})"),
    (4, "torch.func.hessian(lambda t: ({one}).sum())({small})"),
    (3, "torch.func.grad(lambda t: torch.func.grad(lambda t: ({one}).sum())(t).square().sum())({small})"),
    (2, "torch.func.linearize(lambda t: {one}, {small})[1]({subject}.detach())"),
    (3, "torch.autograd.functional.{jacobian hessian}(lambda t: ({one}).sum(), {small}, create_graph={True False})"),
    (2, "torch.autograd.functional.jacobian(lambda t: {one}, {small}, vectorize={True False}, strict={False False True})"),
    (2, "torch.autograd.functional.{vjp jvp hvp vhp}(lambda t: ({one}).sum(), {small}, strict={True False})[1]"),
    (3, "(lambda t: {one})({float})"),
    (3, "(lambda t, u: {two})({float}, {ftwin})"),
    (3, "torch.utils.checkpoint.checkpoint(lambda t: {one}, {small}, use_reentrant={False True}, "
        "preserve_rng_state={True False})"),
    (2, "torch.utils.checkpoint.checkpoint(lambda t, u: torch.utils.checkpoint.checkpoint(lambda t: {one}, t, "
        "use_reentrant=False) * 2, {small}, u=None, use_reentrant=False)"),
    # Derivatives of derivatives, in batches.
    (3, "torch.autograd.grad({recorded}, {source}, torch.ones(2, *{subject}.shape, dtype={subject}.dtype), "
        "is_grads_batched=True, retain_graph=True, allow_unused=True)[0]"),
    (4, "torch.autograd.grad({outcome}, {source}, create_graph=True, materialize_grads=True)[0]"),
    (3, "torch.autograd.grad([{outcome}, {outcome}], {source}, [torch.tensor({1. 2.}), None], "
        "retain_graph=True, allow_unused=True)[0]"),
    (2, "torch.autograd.grad({outcome}, torch.autograd.graph.get_gradient_edge({recorded}), retain_graph=True, "
        "allow_unused=True)[0]"),
    (2, "torch.autograd.grad({outcome}, {source}, materialize_grads=True, allow_unused={True False})[0]"),
    # Functions of one's own.
    (4, "doubled_({target})"),
    (3, "doubled_({float}.clone())"),
    (3, "doubled_({target}[{window}])"),
    (4, "Wide.apply({float}, {ftwin})"),
    (2, "torch.vmap(Wide.apply, {0 (0,None) -1})({float}, {ftwin})"),
    # Numbers of other dtypes.
    (5, "{tensor} {+ - * / // % **} {2.5 True 1j 2 -1 0}"),
    (4, "{2.5 True 1j 2 -1} {+ - * / ** %} {tensor}"),
    (3, "torch.{add sub}({number}, {other}, alpha={2 1.5 True})"),
    (3, "torch.where({mask}, {1 2.5 True 1j}, {other})"),
    (3, "torch.{result_type can_cast}({zerodim}, {other})"),
    (3, "torch.{add mul div pow fmod remainder bitwise_and}({zerodim}, {other})"),
    (3, "{tensor}.{clamp fill clamp_min}({2.5 True 1j 2})"),
    (2, "torch.full_like({tensor}, {2.5 True 1j 2})"),
    (2, "torch.linspace({0 1.5}, {2 4.0}, {1 3 0}, dtype={subject}.dtype) * {number}"),
    (2, "torch.{cat stack}([{number}, {other}])"),
    # Copies and files.
    (4, "copy.{deepcopy copy}({tensor})"),
    (3, "copy.deepcopy([{tensor}, {other}])"),
    (3, "pickle.loads(pickle.dumps({tensor}))"),
    (3, "stored({tensor})"),
    (3, "stored([{tensor}, {other}], weights_only={True False})"),
    (2, "{number}.{cpu() contiguous() clone() type(torch.float64) to('cpu') to(torch.float32,copy=True)}"),
    # Modes.
    (3, "torch.{no_grad enable_grad}()(lambda t: {one})({float})"),
    (3, "with torch.set_grad_enabled({True False}) :: (lambda t: {one})({float})"),
    (2, "with torch.inference_mode({True False}) :: (lambda t: {one})({float})"),
    (2, "with torch.autocast('cpu', torch.bfloat16) :: (lambda t, u: {two})({float}, {ftwin})"),
    (2, "with torch.autograd.graph.saved_tensors_hooks(lambda t: {t.double() t.sum() t[:1] t.detach() None}, "
        "lambda t: t) :: {mildly}.{exp() square()}"),
    (2, "with torch.autograd.graph.allow_mutation_on_saved_tensors() :: ({float} * {ftwin})"),
    # Sparse layouts, dense again at the end.
    (3, "({table}.to_sparse() {* /} {2 0.5}).to_dense()"),
    (3, "{table}.{to_sparse() to_sparse_csr() to_sparse_csc() to_sparse(1)}.to_dense()"),
    (2, "{table}.to_sparse().coalesce().{values indices}()"),
    (2, "{table}.to_sparse_csr().{values col_indices crow_indices}()"),
    (3, "torch.sparse.mm({table}.{to_sparse() to_sparse_csr()}, {subject}.t())"),
    (2, "({table}.to_sparse() @ {subject}.t())"),
    (2, "torch.sparse.{sum softmax}({table}.to_sparse(), {0 1 -1}).to_dense()"),
    (3, "torch.sparse_coo_tensor(torch.tensor([[0, 1, 0]]), {vector}, ({2 3},)).to_dense()"),
    (2, "({table}.to_sparse() + {subject}.to_sparse()).to_dense()"),
    (1, "{table}.to_sparse().{t() transpose(0,1) neg() sin() relu() coalesce() sqrt() abs()}.to_dense()"),
    (1, "{table}.sparse_mask({subject}.detach().to_sparse()).to_dense()"),
    # Training.
    (4, "trained({table}, {rates}, {True False})"),
    # Random numbers.
    (3, "(torch.manual_seed({3 4}), torch.nn.functional.{dropout alpha_dropout feature_alpha_dropout}({float}, "
        "{0.5 0.25}))[1]"),
    (2, "(torch.manual_seed({3 4}), torch.{rand_like randn_like bernoulli}({mildly}))[1]"),
    (2, "(torch.manual_seed(3), torch.nn.functional.gumbel_softmax({mildly}, dim={dim}, hard={True False}))[1]"),
    (2, "(torch.manual_seed(3), torch.nn.functional.rrelu({mildly}, training={True False}))[1]"),
    # Places.
    (4, "{number}[{mask}]"),
    (4, "{number}[{places}, {places}]"),
    (3, "{number}[..., {places}]"),
    (3, "{number}.index_put(({places},), {other}, accumulate={True False})"),
    (3, "{number}.index_reduce(0, {places}, {twin}, '{prod mean amax amin}', include_self={True False})"),
    (2, "{number}.scatter_reduce(0, torch.zeros_like({subject}, dtype=torch.long), {twin}, "
        "'{sum prod mean amax amin}', include_self={True False})"),
    (2, "{number}.{take put}({places})"),
    (2, "{number}.take_along_dim({places}.view(-1, *[1] * ({subject}.ndim - 1)), 0)"),
    (2, "torch.segment_reduce({vector}, '{sum mean max min prod}', lengths=torch.tensor([1, 0, "
        "{subject}.numel() - 1]), unsafe={True False})"),
    # Factorizations in batches, and what is seldom used.
    (2, "torch.linalg.{inv cholesky det logdet matrix_exp eigvalsh pinv cond}({batched})"),
    (2, "torch.linalg.{lu qr svd}({batched})[1].abs()"),
    (2, "torch.linalg.{solve solve_ex ldl_factor lu_factor}({batched}, {series})"),
    (1, "torch.cholesky_{inverse solve}({batched})"),
    (2, "torch.{logdet slogdet det inverse pinverse matrix_exp}({batched})"),
    (2, "torch.linalg.{vecdot cross multi_dot tensorinv matrix_rank}({float}, {ftwin})"),
    (2, "torch.{cov corrcoef}({table})"),
    (2, "torch.{quantile nanquantile}({float}, {0.5 0.25 torch.tensor([0.1,0.9])}, {dim}, "
        "interpolation='{linear lower nearest midpoint}')"),
    (2, "torch.{histc msort argsort unique_consecutive argwhere cartesian_prod combinations vander}({vector})"),
    (2, "torch.{bucketize isin}({float}, {vector}.sort().values)"),
    (2, "torch.gradient({float}, dim={dim})[0]"),
    (2, "torch.{float_power nextafter ldexp hypot igamma igammac fmod}({float}, {ftwin})"),
    (2, "torch.special.{zeta xlog1py}({float}, {ftwin})"),
    (2, "torch.special.{entr ndtri multigammaln erfinv bessel_j0 i1e log1p sinc psi gammaln round}({mildly})"),
    (2, "torch.{polygamma mvlgamma}({1 2}, {mildly})"),
    (2, "torch.block_diag({table}, {subject})"),
    (2, "torch.renorm({table}, {1 2}, {0 1}, {1.0 0.5})"),
    (2, "torch.cdist({table}, {subject}, p={0.0 1.0 1.5 2.0 float('inf')})"),
    (2, "torch.stft({vector}, 2, {1 2}, return_complex=True, center={True False}).abs()"),
    (2, "torch.nn.functional.fold({series}, (2, 2), {1 2})"),
    (2, "torch.nn.functional.{multilabel_margin_loss multilabel_soft_margin_loss}({table}, "
        "torch.zeros_like({subject}, dtype=torch.long))"),
    (2, "torch.nn.functional.ctc_loss({series}.log_softmax(-1), torch.ones({subject}.shape[1], 1, "
        "dtype=torch.long), torch.full(({subject}.shape[1],), {subject}.shape[0]), "
        "torch.ones({subject}.shape[1], dtype=torch.long), reduction='{mean sum none}')"),
    (2, "torch.nn.functional.{instance_norm local_response_norm lp_pool2d}({picture}, {None 2})"),
    (2, "torch.nn.functional.grid_sample({picture}, torch.randn({count}, 2, 2, 2, {like}, "
        "generator=torch.Generator().manual_seed(1)), mode='{bilinear nearest bicubic}', "
        "padding_mode='{zeros border reflection}', align_corners={True False})"),
    (2, "torch.nn.functional.conv2d({picture}, torch.randn({channels}, 1, 2, 1, {like}, "
        "generator=torch.Generator().manual_seed(1)), padding='{same valid}', groups={channels})"),
    (2, "torch.nn.functional.max_unpool2d(*torch.nn.functional.max_pool2d({picture}, {1 2}, return_indices=True), {1 2})"),
    (2, "torch.nn.functional.embedding(torch.tensor([0, 1, 0]), {table}, padding_idx={None 0}, "
        "scale_grad_by_freq={True False})"),
    (2, "torch.nn.utils.parametrizations.{weight_norm spectral_norm orthogonal}((torch.manual_seed(3), "
        "torch.nn.Linear({last}, 2, {like}))[1])({table})"),
    (2, "torch.nn.utils.parameters_to_vector([{float}, {other}])"),
    # Views by dtype and by parts.
    (3, "{number}.view(torch.{int32 float32 int16 uint8 complex64 float64})"),
    (2, "torch.view_as_complex({number}.reshape(-1, 2))"),
    (3, "{complex}.{real imag mH conj() resolve_neg() imag.neg() conj().real}"),
    (3, "{complex} {+ * - /} {number}"),
    (2, "{complex}.{abs angle sgn exp sin square prod cumsum(0) sum}()"),
    (2, "{number}.unfold({dim}, 2, 1)"),
    (2, "{number}.expand(2, 3, *{subject}.shape)[{0 1}].{flatten() sum(0) t() contiguous() clone()}"),
]  # fmt: skip

SEVERAL: list[tuple[int, str, int]] = [
    (4, "Part.apply({float}, {0 1})", 3),
    (3, "torch.func.vjp(lambda t, u: {two}, {small}, {beside})[1](torch.ones(()))", 2),
    (3, "torch.func.jvp(lambda t: {one}, ({small},), ({ftwin},))", 2),
    (2, "torch.vmap(lambda t: ({one}, t.sum()), out_dims={0 (0,0) (-1,0)})({float})", 2),
    (3, "torch.autograd.grad({outcome}, [{source}, {another}], create_graph=True, materialize_grads=True)", 2),
    (3, "copy.deepcopy(({tensor}, {other}))", 2),
    (3, "stored(({number}, {number}[{index}]))", 2),
    (2, "pickle.loads(pickle.dumps(({tensor}, {other})))", 2),
    (2, "torch.nn.functional.adaptive_max_pool2d({picture}, {1 2}, return_indices=True)", 2),
    (2, "torch.linalg.{slogdet qr lu_factor cholesky_ex inv_ex}({batched})", 2),
    (2, "torch.frexp({mildly})", 2),
    (2, "torch.nonzero({table}, as_tuple=True)", 2),
    (2, "{number}.{unsafe_chunk chunk split}({1 2})", 2),
    (1, "torch.autograd.functional.jvp(lambda t: {one}, {small}, {ftwin}, create_graph={True False})", 2),
]

ACTIONS: list[tuple[int, str]] = [
    # Numbers of other dtypes, in place.
    (6, "{written}.{add_ mul_ sub_ div_ pow_ floor_divide_ remainder_}({2.5 True 1j 2 0})"),
    (5, "{written}.{add_ mul_ sub_ div_ pow_ copy_ fmod_ bitwise_and_ logical_and_ eq_}({zerodim})"),
    (4, "{zerodim}.{add_ mul_ copy_ sub_}({other})"),
    (4, "{written} {+= -= *= /= //= **= %= |= &= <<=} {2.5 True 2}"),
    (3, "{written}.add_({other}, alpha={2 1.5 True})"),
    (3, "{written}[{index}] = {2.5 True 1j}"),
    (3, "{written}.{fill_ clamp_ clamp_min_ masked_fill_}({2.5 True 1j})"),
    # Views of views, of several results, and with places in common.
    (4, "{target}.{unbind() split(1) chunk(2) unsafe_split(1)}[0].{mul_(2) add_(1) zero_()}"),
    (4, "{target}.unfold({dim}, 2, 2).{mul_ add_}({scalar})"),
    (3, "{target}.unfold({dim}, 2, 1)[..., {0 -1}].{mul_ add_}({scalar})"),
    (4, "{target}.{diagonal() flatten() view(-1) squeeze() unsqueeze(-1) movedim(0,-1) T}.{mul_(2) add_(1) "
        "exp_() fill_(0.5) t_() detach_()}"),
    (3, "{target}.expand(2, *{subject}.shape)[{0 1}].{add_ mul_}({scalar})"),
    (3, "{target}.as_strided({apartplaces}).unfold(0, 1, 1).{mul_ add_}({scalar})"),
    (3, "{target}.{view reshape}({shape}).{add_ mul_}({scalar})"),
    (2, "{target}.data[{index}] {+= *=} {scalar}"),
    (2, "{target}.detach().{add_ mul_}({scalar})"),
    (2, "{target}.{squeeze_ unsqueeze_}({dim})"),
    (2, "{target}.{swapdims_ transpose_}({dim}, {dim})"),
    (2, "{target}.set_({twin})"),
    # Parts of complex numbers.
    (4, "{ctarget}.{real imag} = {other}"),
    (3, "{ctarget}.{real imag conj().real mH.imag}.copy_({other})"),
    (3, "torch.view_as_real({ctarget}).{mul_ add_ fill_}({scalar})"),
    (3, "torch.view_as_real({ctarget})[..., {0 1}].copy_({other})"),
    (2, "{ctarget}.{conj_physical_ neg_ square_ exp_ abs_ sgn_}()"),
    (2, "{ctarget}.conj().{mul_ add_ fill_ copy_}({scalar})"),
    # Places.
    (4, "{target}[{mask}] = {other}"),
    (3, "{target}[{mask}] {+= *= -=} {scalar}"),
    (3, "{target}[{places}] {+= *= =} {other}"),
    (3, "{target}[{places}, ...] = {window_value}"),
    (4, "{target}.index_put_(({places},), {other}, accumulate={True True False})"),
    (2, "{target}.{put_ index_add_ index_copy_ index_reduce_}(0, {places}, {other})"),
    (2, "{target}.scatter_(0, torch.zeros_like({subject}, dtype=torch.long), {other}, reduce='{add multiply}')"),
    # `out=` of other shapes and dtypes.
    (5, "torch.{add mul sub div maximum pow atan2 eq}({number}, {mate}, out={other})"),
    (4, "torch.{exp sin abs neg sqrt isnan}({number}, out={other})"),
    (3, "torch.{sum mean cumsum prod argmax amax all}({number}, {dim}, out={apartplace})"),
    (3, "torch.{mm matmul outer dot}({float}, {ftwin}, out={apartplace})"),
    (3, "torch.{cat stack}([{number}, {twin}], out={other})"),
    (3, "torch.{max sort min}({number}, {dim}, out=({apartplace}, {apartplace}))"),
    (2, "torch.{zeros ones arange eye}({2 3 0}, out={other})"),
    (2, "torch.{where clamp lerp}({mask}, {other}, {other}, out={apartplace})"),
    # Hooks that replace gradients by what does not fit.
    (5, "{hookable}.register_hook(lambda g: {g.double() g.float() g.sum() g[:1] g.int() g.to(torch.complex64) "
        "g.unsqueeze(0) 1.5 g.detach() None})"),
    (3, "{leafed}.register_hook(lambda g: {g.double() g.float() g.sum() g.expand(2,*g.shape) g.bool() g.clone()})"),
    (3, "{recorded}.grad_fn.register_{hook prehook}(lambda *a: {None a[-1] (None,) () a[0] 3})"),
    (2, "{recorded}.grad_fn.register_prehook(lambda o: tuple({g.double() g.sum() g.neg() None} for g in o))"),
    (2, "{recorded}.grad_fn.register_hook(lambda i, o: tuple(None if g is None else {g.double() g.sum() g.neg()} for g in i))"),
    (2, "{leafed}.register_post_accumulate_grad_hook(lambda p: {p.grad.zero_() p.grad.add_(1) "
        "setattr(p,'grad',None) kept.append(p.grad.sum()) 3})"),
    (2, "{leafed}.grad = {other}"),
    (2, "{leafed}.grad.{add_ mul_}({other})"),
    # Modes and history.
    (3, "torch.set_grad_enabled({True True False})"),
    (3, "{float}.requires_grad_({True False})"),
    (2, "{tensor}.requires_grad = {True False}"),
    (2, "{target}.data = {other}"),
    (2, "{leafed}.data {= +=} {ftwin}"),
    (2, "torch.autograd.graph.increment_version({target})"),
    (3, "{target}.{normal_ uniform_ exponential_ bernoulli_ random_ geometric_}({0.5 2}, "
        "generator=torch.Generator().manual_seed(5))"),
    (3, "{target}[{window}].{normal_ uniform_}({0 -1}, {1 2}, generator=torch.Generator().manual_seed(5))"),
    (2, "torch.nn.init.{xavier_uniform_ kaiming_normal_ orthogonal_ trunc_normal_ uniform_}({target}, "
        "generator=torch.Generator().manual_seed(5))"),
    (2, "torch.nn.functional.{relu elu leaky_relu hardtanh silu dropout threshold}({target}, inplace=True)"),
    (2, "torch.nn.functional.embedding(torch.tensor([0, 1]), {table}, max_norm=1.0)"),
    (4, "{outcome}.backward(retain_graph=True, create_graph={True False}, inputs=[{source}])"),
    (3, "torch.autograd.backward([{recorded}, {recorded}], [torch.ones_like({subject}), None])"),
    (3, "[{leafed}.grad, {outcome}.backward(retain_graph=True)]"),
    (2, "torch._foreach_{add_ mul_}([{target}, {apartplace}], {2 0.5})"),
    (2, "torch.nn.utils.clip_grad_norm_([{trained}, {trained}], {0.5 1.0}, norm_type={1 2 float('inf')}, "
        "foreach={True False})"),
    (2, "torch.nn.utils.vector_to_parameters({vector}, [{target}])"),
]  # fmt: skip
