"""Lines of what other vocabularies have hardly or not, for random programs (program_wide.py): distributions, functions over lists of tensors,
optimizers of several groups, autocast, modules given their parameters, hooks of modules, writes at places of overlapping views, sparse
results with gradients, `out=` of all kinds, factorizations and transforms of Fourier's, special functions, what torch.compile captures."""

from __future__ import annotations

from program_corners import CornerHoles

_MODULES = (
    "Linear({last}, 2, {like})", "LayerNorm({last}, {like})", "RMSNorm({last}, {like})", "Tanh()", "GELU()", "PReLU({like})", "Softmax(-1)",
    "Sequential(torch.nn.Linear({last}, 3, {like}), torch.nn.ReLU(), torch.nn.Linear(3, 1, {like}))",
    "Sequential(torch.nn.LayerNorm({last}, {like}), torch.nn.Dropout(0.5), torch.nn.SiLU())", "BatchNorm1d({channels}, {like})",
)  # fmt: skip
_STEPS = "{SGD Adam AdamW RMSprop Adagrad Adadelta Adamax NAdam RAdam ASGD Rprop}"


class SeldomHoles(CornerHoles):
    """Holes for modules, for lists of tensors, and for shares of views."""

    def module(self) -> str:
        """A module for the subject, made with the same random parameters on both sides."""
        made = self.fill(self.draw.choice(_MODULES))
        return f"(torch.manual_seed(3), torch.nn.{made})[1]"

    def share(self) -> str:
        """A view in which elements may meet each other's places."""
        name = self.target()
        shape = self.it.shape
        forms = [f"{name}.expand(2, {', '.join(map(str, shape))})" if shape else f"{name}.expand(2)"]
        if shape and shape[-1] > 1:
            forms += [f"{name}.unfold(-1, 2, 1)"] * 2
        if self.it.ndim and self.it.numel() > 2 and self.it.is_contiguous():
            forms += [f"{name}.as_strided((2, 2), (1, 1))"]
        return self.draw.choice(forms)

    def part(self) -> str:
        """A view whose elements are apart."""
        name = self.target()
        forms = ["[::2]", "[..., 0]", ".transpose(0, -1)", ".unsqueeze(0)", ".flatten()", "[-1:]", ".movedim(0, -1)[..., :1]"]
        return name + (self.draw.choice(forms) if self.it.ndim else ".unsqueeze(0)")

    def wanting(self) -> str:
        """What needs a gradient: PyTorch's functions over lists give all their results a node where one has it."""
        return self.pick(lambda t: t.is_floating_point() and t.requires_grad)

    def or_first(self) -> str:
        """The first of several, or all."""
        return self.draw.choice(["", "[0]"])

    def mask_or_none(self) -> str:
        return self.draw.choice(["None", f"torch.ones({self.it.shape[1]}, {self.it.shape[1]}, dtype=torch.bool).tril()"])

    def positive_of(self) -> str:
        """The subject's numbers, made positive."""
        return f"({self.subject()}.abs() + {self.draw.choice([0.5, 1, 2])})"


VALUES: list[tuple[int, str]] = [
    # Distributions.
    (4, "torch.distributions.{Normal Laplace Cauchy Gumbel}({mildly}, {positive_of}).log_prob({subject}.detach() + 1)"),
    (2, "torch.distributions.{Exponential HalfNormal HalfCauchy Chi2}({small}.abs() + 0.5).{mean variance stddev entropy()}"),
    (2, "torch.distributions.{Gamma Beta Weibull Pareto InverseGamma Kumaraswamy FisherSnedecor}({small}.abs() + 3, "
        "{positive_of} + 4).{mean variance log_prob(torch.tensor(0.5)) log_prob(torch.tensor(1.5)) entropy()}"),
    (3, "torch.distributions.Categorical({logits probs}={table}.{exp() softmax(-1)}).{entropy() log_prob(torch.tensor(0)) probs logits}"),
    (2, "torch.distributions.{Bernoulli Geometric ContinuousBernoulli}(logits={small}).{entropy() log_prob(torch.tensor(1.)) probs "
        "mean variance}"),
    (2, "torch.distributions.MultivariateNormal(torch.zeros({count}, {like}), {definite}).{entropy() variance precision_matrix "
        "log_prob(torch.ones(())) scale_tril}"),
    (3, "torch.distributions.kl_divergence(torch.distributions.{Normal Laplace}({mildly}, 1.5), torch.distributions.{Normal Laplace}"
        "({subject} * 0.5, {positive_of}))"),
    (3, "(torch.manual_seed(3), torch.distributions.{Normal Laplace Gumbel Cauchy LogNormal}({mildly}, 1.5).rsample())[1]"),
    (2, "(torch.manual_seed(3), torch.distributions.{Exponential HalfNormal Poisson Dirichlet Chi2}({mildly}.abs() + 0.5).sample())[1]"),
    (2, "torch.distributions.TransformedDistribution(torch.distributions.Normal({mildly}, 1.0), [torch.distributions.transforms."
        "{ExpTransform() SigmoidTransform() TanhTransform() AffineTransform(1.0,2.0) SoftplusTransform()}])"
        ".log_prob({subject}.detach().sigmoid() * 0.5 + 0.25)"),
    (2, "torch.distributions.Independent(torch.distributions.Normal({table}, 1.0), {1 2}).{log_prob(torch.zeros(())) entropy() mean}"),
    # Autocast.
    (4, "with torch.autocast('cpu', torch.{bfloat16 float16}, enabled={True True False}) :: {table} @ {subject}.{T mT}"),
    (2, "with torch.autocast('cpu') :: ({table} @ {subject}.T).{softmax(-1) sum() exp() tanh() pow(2) norm()}"),
    (2, "with torch.autocast('cpu') :: torch.nn.functional.{linear mse_loss l1_loss}({table}, {subject})"),
    (2, "with torch.autocast('cpu', torch.bfloat16) :: {module}({table})"),
    (2, "with torch.autocast('cpu') :: torch.{cat stack}([{table}, {subject}.bfloat16()])"),
    # Modules: given their parameters, hooked, for each example.
    (4, "{module}({table})"),
    (3, "{module}({series})"),
    (5, "torch.func.functional_call(torch.nn.Linear({last}, {count}, {like}), dict(weight={table}, bias={subject}[:, 0]), ({subject},))"),
    (4, "hooked({module}, {table}, {0 1 2 3})"),
    (3, "per_example({module}, {table})"),
    # Sparse layouts with gradients.
    (3, "torch.sparse.mm({table}.to_sparse(), {subject}.T)"),
    (2, "torch.sparse.addmm({square}, {subject}.to_sparse(), {subject}, beta={1 0.5})"),
    (2, "({table}.to_sparse() * {subject}.to_sparse()).to_dense()"),
    (2, "torch.sparse_coo_tensor(torch.tensor([[0, 1, 0], [1, 0, 1]]), torch.tensor([1.0, 2.0, 4.0], {like}), (2, {count})).mm({table})"),
    (2, "torch.sparse_coo_tensor({table}.detach().to_sparse().indices(), {subject}[{subject} != 0] * 2, {subject}.shape).to_dense()"),
    (2, "{table}.to_sparse().coalesce().{indices() index_select(0,torch.tensor([0,0])).to_dense() sum(0).to_dense()}"),
    # Factorizations.
    (3, "torch.linalg.{svdvals pinv matrix_norm cond det inv}({sound})"),
    (2, "torch.linalg.eigvals({sound}).abs().{sum() prod()}"),
    # The signs of eigenvectors are LAPACK's own.
    (2, "torch.linalg.eigh({definite}){or_first}[-1].abs()"),
    (3, "torch.linalg.{cholesky eigvalsh cholesky_ex inv_ex slogdet}({batched}){or_first}"),
    (2, "torch.linalg.{solve lstsq solve_ex}({batched}, {subject}){or_first}"),
    (2, "torch.linalg.householder_product({sound}, {subject}[0] * 0.1)"),
    (2, "torch.cholesky_solve({table}, torch.linalg.cholesky({subject} @ {subject}.T + 2 * torch.eye({count}, {like})))"),
    (2, "torch.linalg.{cross vecdot}({float}, {ftwin})"),
    (2, "torch.linalg.norm({batched}, {'nuc' 'fro' 1 -1 2 float('inf')}, dim=(-2, -1))"),
    (3, "torch.linalg.vector_norm({float}, {0 1 2 3 -1 float('inf') 0.5}, dim={dim}, keepdim={True False})"),
    # Fourier's.
    (4, "torch.fft.{fft ifft rfft hfft ihfft fftshift ifftshift}({float}).{abs() real sum()}"),
    (3, "torch.fft.{fft2 ifft2 rfft2 fftn ifftn rfftn}({table}, norm={None 'ortho' 'forward' 'backward'}).abs()"),
    (3, "torch.fft.{irfft hfft fft ifft}({complex}, n={1 2 3 5 None}, dim={dim}).{abs() real}"),
    (2, "torch.view_as_real(torch.fft.{fft ifft rfft}({float}, {2 3 5}, {dim}))"),
    (2, "torch.fft.{fftfreq rfftfreq}({3 4}, {0.5 2.0}) * {zerodim}"),
    # Special functions.
    (3, "torch.special.{entr erfcx expm1 gammaln i0 i0e i1 i1e log1p ndtr sinc logit}({mildly})"),
    (3, "torch.special.{bessel_j0 bessel_j1 bessel_y0 modified_bessel_i0 modified_bessel_k1 airy_ai spherical_bessel_j0 ndtri erfinv "
        "digamma log_ndtr exp2 round}({mildly})"),
    (2, "torch.special.{gammainc gammaincc zeta xlogy}({mildly}.abs() + 1, {positive_of})"),
    (2, "torch.special.{chebyshev_polynomial_t hermite_polynomial_h laguerre_polynomial_l legendre_polynomial_p}({mildly}, {2 3 0})"),
    (2, "torch.special.polygamma({0 1 2}, {mildly}.abs() + 2)"),
    # What torch.compile captures, on PyTorch's side as it is.
    (5, "captured(lambda t: {one}, {small})"),
    (4, "captured({module}, {table})"),
    (3, "captured(lambda t: t.clone().{add_(1) mul_(2) fill_(0.5) sin_() clamp_(min=0)} * t, {small})"),
    # Memory, and what is seldom used.
    (1, "{number}.untyped_storage().data_ptr() == {other}.untyped_storage().data_ptr()"),
    (1, "{number}.{is_set_to is_same_size}({other})"),
    (2, "torch.empty_strided((2, 2), (1, 2)).copy_({zerodim})"),
    (2, "torch.{addbmm baddbmm}({table}, {series}, {series}.mT)"),
    (2, "torch.chain_matmul({square}, {subject}, {subject})"),
    (2, "torch.nn.functional.{normalize softmin pdist}({table})"),
    (2, "torch.nn.functional.scaled_dot_product_attention({series}, {subject}, {subject}, attn_mask={mask_or_none})"),
    (2, "torch.nn.functional.{conv1d conv_transpose1d}({series}, torch.ones({channels}, {channels}, {1 2}, {like}), stride={1 2}, "
        "padding={0 1})"),
    (2, "torch.nn.functional.conv2d({picture}, torch.ones(2, {channels}, 2, 2, {like}), padding=1, dilation={1 2}, stride={1 2})"),
    (2, "{module}({table}).{square() exp() softmax(-1)}.{sum(0) mean() T}"),
]  # fmt: skip

_LISTS = "[{wanting}, {subject}]"
SEVERAL: list[tuple[int, str, int]] = [
    (4, "torch._foreach_{add sub mul div pow clamp_min maximum}([{wanting}, {wanting}], {2 0.5 -1.0})", 2),
    (4, f"torch._foreach_{{add mul sub minimum div}}({_LISTS}, [{{ftwin}}, {{ftwin}}])", 2),
    (3, "torch._foreach_{exp neg abs sqrt tanh sigmoid floor erf norm sign reciprocal log1p}([{wanting}, {wanting}])", 2),
    (2, f"torch._foreach_{{addcmul addcdiv}}({_LISTS}, [{{ftwin}}, {{ftwin}}], [{{ftwin}}, {{ftwin}}], {{2.0 [1.0,0.5]}})", 2),
    (2, f"torch._foreach_lerp({_LISTS}, [{{ftwin}}, {{ftwin}}], {{0.5 2.0}})", 2),
    (2, "torch.linalg.{slogdet qr cholesky_ex inv_ex lu_factor}({batched})", 2),
    (
        2,
        "torch.autograd.grad([{outcome}, {outcome}], [{source}, {another}], retain_graph=True, allow_unused=True, create_graph={True False})",
        2,
    ),
    (2, "torch.func.vjp(lambda t, u: {two}, {small}, {beside})[1](torch.ones(()))", 2),
]

ACTIONS: list[tuple[int, str]] = [
    # Optimizers of several groups.
    (5, f"torch.optim.{_STEPS}([dict(params=[{{trained}}], lr=0.05), dict(params=[{{trained}}], lr=0.2)], foreach={{True False}}).step()"),
    (4, f"torch.optim.{_STEPS}([dict(params=[{{trained}}], weight_decay=0.1)], lr=0.1, maximize={{True False}}).step()"),
    (2, "torch.optim.{SGD Adam AdamW Adagrad}([{trained}], lr=0.1, fused=True).step()"),
    (2, "torch.optim.Adam([{trained}], lr=torch.tensor(0.1), amsgrad={True False}).step()"),
    (2, "torch.optim.LBFGS([{trained}], max_iter=2).step(lambda: (({subject} * {subject}).sum().backward(), ({subject} ** 2).sum())[1])"),
    (2, "torch.optim.{Adam SGD}([{trained}]).zero_grad(set_to_none={True False})"),
    (2, "torch.nn.utils.clip_grad_norm_([{trained}, {trained}], 1.0, foreach={True False})"),
    # Lists of tensors, in place.
    (4, "torch._foreach_{add_ mul_ sub_ div_ pow_ clamp_min_}([{target}, {alike}], {2 0.5 True})"),
    (3, "torch._foreach_{add_ mul_ copy_ sub_}([{target}], [{fitting}])"),
    (3, "torch._foreach_{exp_ neg_ zero_ abs_ sqrt_ tanh_ floor_}([{target}, {alike}])"),
    (2, "torch._foreach_{addcmul_ addcdiv_}([{target}], [{fitting}], [{fitting}], {2.0 [0.5]})"),
    # Places of views, and of views that overlap.
    (5, "{part}[{mask}] = {scalar}"),
    (4, "{part}.masked_fill_({mask}, {scalar})"),
    (4, "{part}.{index_fill_ index_add_}({rows}, {scalar})"),
    (3, "{part}.index_put_((torch.tensor([0, 0]),), {zerodim}, accumulate={True False})"),
    (3, "{part}.{mul_ add_ copy_}({apart})"),
    (3, "{part}.scatter_(0, torch.zeros({1 2}, dtype=torch.long), {scalar})"),
    (3, "{share}.{masked_fill_ fill_ mul_ add_}({scalar})"),
    (3, "{share}.index_fill_(0, torch.tensor([0]), {scalar})"),
    (2, "{share}[..., 0] {= *= +=} {scalar}"),
    # `out=`.
    (4, "with torch.no_grad():\n    torch.{add mul sub maximum atan2 fmod}({number}, {mate}, out={part})"),
    (4, "with torch.no_grad():\n    torch.{sin exp neg tanh sqrt floor sign reciprocal}({number}, out={part})"),
    (3, "with torch.no_grad():\n    torch.{cumsum cumprod softmax sum mean std var norm amin}({float}, {dim}, out={apartplace})"),
    (3, "with torch.no_grad():\n    torch.{mm matmul bmm addmm}({table}, {subject}.T, out={apartplace})"),
    (2, "with torch.no_grad():\n    torch.linalg.{inv det cholesky svdvals}({sound}, out={apartplace})"),
    (2, "with torch.no_grad():\n    torch.special.{erfcx i0 ndtr entr}({mildly}, out={apartplace})"),
    # Hooks, and passes that somebody looks at.
    (3, "{leafed}.register_post_accumulate_grad_hook(lambda p: kept.append(p.grad.clone()))"),
    (3, "torch.autograd.graph.register_multi_grad_hook([{leafed}, {leafed}], lambda g: kept.append(g.clone()), mode='any')"),
    (3, "{hookable}.register_hook(lambda g: kept.append(g.{T flatten() clone() detach()}))"),
    (2, "with torch.autograd.{detect_anomaly() set_multithreading_enabled(False)}:\n    {outcome}.backward(retain_graph=True)"),
    (4, "{outcome}.backward(retain_graph=True, create_graph={True False})"),
]  # fmt: skip
