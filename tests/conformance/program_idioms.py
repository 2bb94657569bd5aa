"""Lines of training and of transforms, for random programs (program_wide.py): modules, losses, attention, optimizers, factorizations,
derivatives of derivatives, functions of one's own, nested transforms, hooks on nodes and on what is saved."""

from __future__ import annotations

import torch
from program_parts import NoFit
from program_wide_parts import WideHoles

_FLOATS = (torch.float32, torch.float64)

# What programs that use these lines begin with.
BEGIN = (
    "kept = []",
    "class Cubed(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n"
    "        return x * x * x\n"
    "    @staticmethod\n"
    "    def backward(ctx, g):\n"
    "        (x,) = ctx.saved_tensors\n"
    "        return 3 * x * x * g",
    "class Split(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(ctx, x, scale):\n"
    "        ctx.scale = scale\n"
    "        return x * scale, x.detach().sign()\n"
    "    @staticmethod\n"
    "    def backward(ctx, g, unused):\n"
    "        return g * ctx.scale, None",
)


class IdiomHoles(WideHoles):
    """Holes for what modules take: floats of full precision that hold something, of a certain number of dimensions."""

    def _of_rank(self, rank: int, least: int = 1) -> str:
        return self.pick(
            lambda t: (
                t.ndim == rank and t.dtype in _FLOATS and t.numel() > 0 and min(t.shape) >= least
                and bool((t.detach().abs() < 20).all())
            )
        )  # fmt: skip

    def table(self) -> str:
        return self._of_rank(2)

    def series(self) -> str:
        return self._of_rank(3)

    def picture(self) -> str:
        return self._of_rank(4)

    def square(self) -> str:
        name = self._of_rank(2)
        if self.it.shape[0] != self.it.shape[1]:
            raise NoFit
        return name

    def sound(self) -> str:
        """A matrix that is far from singular, made of one."""
        name = self.square()
        return f"({name} + 9 * torch.eye({self.it.shape[0]}, dtype={name}.dtype))"

    def definite(self) -> str:
        """A definite matrix, whose eigenvalues are apart."""
        name = self._of_rank(2)
        return f"({name} @ {name}.T + torch.arange(2, {self.it.shape[0] + 2}, dtype={name}.dtype).diag())"

    def like(self) -> str:
        """`dtype=` of the subject's."""
        return f"dtype={self.subject()}.dtype"

    def channels(self) -> str:
        return str(self.it.shape[1])

    def trained(self) -> str:
        return self.pick(lambda t: t.is_leaf and t.requires_grad and t.dtype in _FLOATS)

    def last(self) -> str:
        return str(self.it.shape[-1])

    def count(self) -> str:
        return str(self.it.shape[0])


def _module(text: str) -> str:
    """A module with random parameters, called: the same on both sides, whose random numbers are the same."""
    name, _, given = text.partition(" ON ")
    return f"(torch.manual_seed(3), torch.nn.{name})[1]({given})"


VALUES: list[tuple[int, str]] = [
    (14, "{leaf}"),
    (10, "torch.randn({2,3 3,3 2,4 2,3,4 2,3,4,4 1,2,3,3}, generator=torch.Generator().manual_seed({1 2 3})).requires_grad_()"),
    # Modules.
    (4, _module("Linear({last}, {2 3}, bias={True False}, {like}) ON {table}")),
    (3, _module("Linear({last}, 3, {like}) ON {series}")),
    (3, _module("BatchNorm1d({channels}, {like}) ON {table}")),
    (2, _module("BatchNorm1d({channels}, {like}).eval() ON {series}")),
    (3, _module("BatchNorm2d({channels}, affine={True False}, {like}) ON {picture}")),
    (3, _module("LayerNorm({last}, {like}) ON {series}")),
    (2, _module("LayerNorm({last}, elementwise_affine=False, {like}) ON {picture}")),
    (3, _module("GroupNorm(1, {channels}, {like}) ON {picture}")),
    (2, _module("InstanceNorm2d({channels}, {like}) ON {picture}")),
    (2, _module("RMSNorm({last}, {like}) ON {table}")),
    (3, _module("Conv1d({channels}, 2, {1 2}, padding={0 1}, {like}) ON {series}")),
    (3, _module("Conv2d({channels}, 2, {1 2}, padding={0 1}, stride={1 2}, {like}) ON {picture}")),
    (2, _module("ConvTranspose2d({channels}, 2, 2, stride={1 2}, {like}) ON {picture}")),
    (2, _module("Conv2d({channels}, {channels}, 1, groups={channels}, {like}) ON {picture}")),
    (2, _module("{MaxPool2d AvgPool2d}({1 2}, stride=1) ON {picture}")),
    (1, _module("LPPool2d(2, {1 2}) ON {picture}")),
    (2, "torch.nn.functional.{max_pool1d avg_pool1d}({series}, {1 2}, stride=1)"),
    (2, "torch.nn.functional.{adaptive_max_pool2d adaptive_avg_pool2d}({picture}, {1 2})"),
    (2, "torch.nn.functional.interpolate({picture}, scale_factor=2, mode='{nearest bilinear bicubic area}')"),
    (2, "torch.nn.functional.unfold({picture}, {1 2})"),
    (1, "torch.nn.functional.grid_sample({picture}, torch.zeros({count}, 2, 2, 2, {like}), align_corners={True False})"),
    (2, "torch.nn.functional.{pixel_unshuffle channel_shuffle}({picture}, 1)"),
    (2, "torch.nn.functional.pad({picture}, (1, 0, 0, 1), mode='{constant reflect replicate circular}')"),
    (2, _module("{LSTM GRU RNN}({last}, 2, batch_first={True False}, {like}) ON {series}") + "[0]"),
    (2, _module("MultiheadAttention({last}, 1, batch_first=True, {like}) ON {series}, {subject}, {subject}") + "[0]"),
    (1, _module("TransformerEncoderLayer({last}, 1, 4, dropout=0.0, batch_first=True, {like}) ON {series}")),
    (3, "torch.nn.functional.scaled_dot_product_attention({series}, {subject}, {subject}, is_causal={True False})"),
    (
        2,
        _module(
            "Sequential(torch.nn.Linear({last}, 3, {like}), torch.nn.{ReLU GELU Tanh SiLU}(), torch.nn.Linear(3, 1, {like})) ON {table}"
        ),
    ),
    (2, _module("{Dropout AlphaDropout Dropout1d}(0.5) ON {table}")),
    (2, _module("Embedding(5, 3, padding_idx={None 0}) ON torch.tensor([[0, 1, 4], [1, 1, 0]])")),
    (2, _module("EmbeddingBag(5, 3, mode='{sum mean max}') ON torch.tensor([[0, 1, 4], [1, 1, 0]])")),
    (2, _module("PReLU({like}) ON {table}")),
    (1, _module("Bilinear({last}, {last}, 2, {like}) ON {table}, {subject}")),
    (
        2,
        "torch.func.functional_call(torch.nn.Linear({last}, 1, {like}), dict(weight={table}[:1], bias={subject}[0, :1]), ({subject},))",
    ),
    # Losses.
    (
        3,
        "torch.nn.functional.cross_entropy({table}, torch.zeros({count}, dtype=torch.long), label_smoothing={0.0 0.1}, "
        "reduction='{mean sum none}')",
    ),
    (2, "torch.nn.functional.cross_entropy({table}, {subject}.detach().softmax(1))"),
    (
        2,
        "torch.nn.functional.nll_loss({table}.log_softmax(1), torch.zeros({count}, dtype=torch.long), weight=torch.ones({last}, {like}))",
    ),
    (2, "torch.nn.functional.binary_cross_entropy({table}.sigmoid(), {subject}.detach().sigmoid())"),
    (
        2,
        "torch.nn.functional.kl_div({table}.log_softmax(1), {subject}.detach().log_softmax(1), log_target=True, reduction='{batchmean sum}')",
    ),
    (2, "torch.nn.functional.cosine_embedding_loss({table}, {subject}.detach() + 1, torch.ones({count}, {like}))"),
    (2, "torch.nn.functional.triplet_margin_loss({table}, {subject} + 1, {subject} * 2)"),
    (2, "torch.nn.functional.gaussian_nll_loss({table}, {subject}.detach(), {subject}.exp())"),
    (2, "torch.nn.functional.multi_margin_loss({table}, torch.zeros({count}, dtype=torch.long))"),
    (2, "torch.nn.functional.multilabel_soft_margin_loss({table}, {subject}.detach().sign())"),
    (1, "torch.nn.functional.{smooth_l1_loss huber_loss mse_loss}({table}, {subject}.detach() * 0.5)"),
    # Factorizations.
    (2, "torch.linalg.{inv pinv matrix_exp}({sound})"),
    (2, "torch.linalg.solve({sound}, {subject})"),
    (2, "torch.linalg.{cholesky eigvalsh inv}({definite})"),
    (2, "torch.linalg.{qr svd}({sound})[1].abs()"),
    (1, "torch.linalg.{svdvals cond}({sound})"),
    (1, "torch.linalg.solve_triangular({sound}, {subject}, upper={True False})"),
    (1, "torch.linalg.lstsq({sound}, {subject}).solution"),
    (2, "torch.linalg.matrix_power({square}, {0 2 3})"),
    (2, "torch.fft.{fft rfft ifft fft2 rfft2}({table}).abs()"),
    (2, "torch.fft.irfft({table}.to(torch.complex128), {3 4})"),
    (3, "torch.einsum('{ij,ij->i ij,jk->ik}', {square}, {subject})"),
    (2, "torch.einsum('bij,bkj->{bik ik}', {series}, {subject})"),
    (2, "torch.einsum('{ii->i ij->ji ii->}', {square})"),
    (2, "torch.tensordot({series}, {subject}, dims=([0, 2], [0, 2]))"),
    (2, "torch.baddbmm({series} @ {subject}.mT, {subject}, {subject}.mT)"),
    # Derivatives of derivatives.
    (
        4,
        "torch.autograd.grad(torch.autograd.grad({outcome}, {source}, create_graph=True)[0].sum(), {subject}, allow_unused=True)[0]",
    ),
    (3, "torch.autograd.grad(({mildly} * {subject}).{sin cos tanh}().sum(), {subject}, create_graph=True)[0]"),
    (3, "torch.autograd.grad({outcome}, {source}, create_graph={True False}, materialize_grads=True)[0]"),
    (2, "torch.autograd.functional.{hessian jacobian}(lambda t: (t ** 3).sum(), {vector}, create_graph={True False})"),
    (2, "torch.autograd.functional.vjp(lambda t: t * t, {float}, {ftwin}, create_graph={True False})[1]"),
    (2, "torch.autograd.functional.hvp(lambda t: (t ** 3).sum(), {mildly}, {subject}.detach())[1]"),
    # Functions of one's own.
    (5, "Cubed.apply({mildly})"),
    (3, "Split.apply({float}, {2 0.5})[{0 1}]"),
    (2, "torch.func.grad(lambda t: Cubed.apply(t).sum())({mildly})"),
    # Transforms.
    (3, "torch.vmap(lambda r: r * 2, in_dims={0 1 -1}, out_dims={0 1 -1})({table})"),
    (3, "torch.vmap(lambda r, s: r @ s, in_dims=(0, None))({table}, {subject}[0])"),
    (2, "torch.vmap(torch.vmap(lambda r: r.{sum mean prod}()))({series})"),
    (3, "torch.vmap(torch.func.grad(lambda r: (r * r).{sum mean}()))({table})"),
    (2, "torch.vmap(lambda r: r.{softmax(0) cumsum(0) sort()[0] flip(0) norm() var() unsqueeze(0)})({table})"),
    (2, "torch.vmap(lambda r: r.where(r > 0, 0.5 * r))({table})"),
    (2, "torch.vmap(lambda r: r.{t() mT diagonal() tril() transpose(0,1)})({series})"),
    (2, "torch.vmap(lambda r: r[{0 -1 1: ::2 None}])({table})"),
    (2, "torch.vmap(lambda r: torch.nn.functional.{relu gelu silu softplus elu}(r), chunk_size={1 2})({table})"),
    (2, "torch.func.jacrev(torch.func.jacfwd(lambda t: t.{sin() exp() tanh()} * t))({vector})"),
    (2, "torch.func.{jacrev jacfwd}(lambda t: (t @ t.T).{sum(0) diagonal()})({table})"),
    (2, "torch.func.jvp(torch.func.grad(lambda t: (t ** 3).sum()), ({mildly},), ({ftwin},))[1]"),
    (2, "torch.func.grad(lambda t: torch.func.grad(lambda u: (u ** 3).sum())(t).sum())({mildly})"),
    (2, "torch.func.vjp(lambda t: (t * t, t.sum()), {mildly})[1]((torch.ones_like({subject}), torch.ones(())))[0]"),
    (2, "torch.func.linearize(lambda t: t.{sin() exp()} * 2, {mildly})[1]({subject}.detach())"),
    (2, "torch.utils.checkpoint.checkpoint(lambda t, u: (t * u).tanh() + t, {mildly}, {ftwin}, use_reentrant={False True})"),
    (
        1,
        "torch.utils.checkpoint.checkpoint_sequential([torch.nn.Tanh(), torch.nn.Sigmoid()], {1 2}, {float}, use_reentrant=False)",
    ),
]

# What comes before `::` is a block in which the value after it is made.
_SAVED = "with torch.autograd.graph.saved_tensors_hooks(lambda t: {t t.clone() t.detach() (t,t)[0]}, lambda t: t) :: "
VALUES += [
    (3, _SAVED + "{mildly} * {ftwin}"),
    (3, _SAVED + "{mildly}.{exp() sin() tanh() softmax(-1) square()}"),
    (2, "with torch.autograd.graph.save_on_cpu() :: {mildly} * {ftwin}"),
    (2, "with torch.enable_grad() :: {float} * 2"),
    (2, "with torch.inference_mode() :: {float} * 2"),
    (2, "with torch.autograd.set_grad_enabled({True False}) :: {float} * 2"),
]

SEVERAL: list[tuple[int, str, int]] = [
    (3, "torch.linalg.slogdet({definite})", 2),
    (3, "Split.apply({float}, {2 0.5})", 2),
    (2, "torch.func.grad_and_value(lambda t: (t ** 3).{sum mean}())({mildly})", 2),
    (3, "torch.func.jvp(lambda t: t * t.{sin() sum() exp()}, ({mildly},), ({ftwin},))", 2),
    (2, "torch.func.grad(lambda t: ((t * t).sum(), t + 1), has_aux=True)({mildly})", 2),
    (2, "torch.vmap(lambda r: (r.sum(), r * 2))({table})", 2),
    (2, "torch.nn.functional.max_pool2d({picture}, {1 2}, return_indices=True)", 2),
    (
        3,
        "torch.autograd.grad({outcome}, [{source}, {another}], retain_graph=True, create_graph={True False}, allow_unused=True)",
        2,
    ),
]

ACTIONS: list[tuple[int, str]] = [
    (6, "torch.optim.{SGD Adam AdamW RMSprop Adagrad}([{trained}], lr=0.1).step()"),
    (3, "torch.optim.SGD([{trained}], lr=0.1, momentum=0.9, nesterov={True False}).step()"),
    (2, "torch.nn.utils.clip_grad_norm_([{trained}], {1.0 0.5})"),
    (2, "torch.nn.utils.clip_grad_value_([{trained}], 0.5)"),
    (2, "torch.optim.SGD([{trained}]).zero_grad(set_to_none={True False})"),
    (4, "{hookable}.register_hook(lambda g: {g+1 g*2 None kept.append(g)})"),
    (3, "{leafed}.register_hook(lambda g: g.{clone() detach() neg()})"),
    (2, "{recorded}.grad_fn.register_prehook(lambda o: tuple(None if g is None else g * 2 for g in o))"),
    (2, "{recorded}.grad_fn.register_hook(lambda i, o: tuple(None if g is None else g + g for g in i))"),
    (
        2,
        "torch.autograd.graph.register_multi_grad_hook([{leafed}, {leafed}], lambda gs: kept.extend(g for g in gs if g is not None))",
    ),
    (4, "{outcome}.backward(create_graph=True)"),
    (6, "{outcome}.backward(retain_graph=True)"),
    (2, "{recorded}.backward(torch.ones_like({subject}), inputs=[{source}], retain_graph=True)"),
    (2, "{leafed}.grad = torch.ones_like({subject})"),
    (2, "torch.nn.init.{ones_ zeros_}({trained}.data)"),
]
