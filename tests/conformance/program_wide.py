"""More lines for random programs (see program_lines.py), held together as vocabularies.

`plain` is program_lines.py alone; `wide` adds every dtype, layouts, exports, hooks that keep what they see, transforms,
modules and more errors; `large` has tensors of 1e5 to 1e6 elements on one to four threads, and lines that do not tell
the order in which many numbers were added.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
from typing import Any

import program_corners
import program_idioms
import program_lines
import program_seldom
from program_parts import Holes
from program_wide_parts import LargeHoles, WideHoles

_VALUES: list[tuple[int, str]] = [
    (30, "{leaf}"),
    # Integers and bools.
    (8, "{whole}.{sum prod any all amax amin}()"),
    (8, "{whole}.{sum prod any all amax amin argmax argmin cumsum cumprod}({dim})"),
    (3, "{whole}.{sum prod any all amax amin}({dim}, keepdim=True)"),
    (3, "{whole}.{unique count_nonzero nonzero bitwise_not abs sgn}()"),
    (3, "{whole}.{mean median logcumsumexp norm std}({dim})"),
    (4, "{whole} {& | ^ << >> // %} {mate}"),
    (3, "torch.{gcd lcm bitwise_and floor_divide true_divide}({whole}, {mate})"),
    (3, "{tensor}.to(torch.{bfloat16 float16 uint8 int16 bool complex64})"),
    (3, "{tensor}.{half bfloat16 double int long bool}()"),
    (3, "torch.result_type({tensor}, {other}).is_floating_point"),
    # Nothing, and no dimensions.
    (3, "{number}[{dim}:{dim}]"),
    (3, "{number}[...,{0: :0 1: :1 None}]"),
    (3, "torch.{zeros ones}(({0 1 2}, {0 2})).to({number}.dtype)"),
    (2, "{number}.new_{zeros ones}(({0 2},))"),
    (3, "torch.cat([{number}, {other}[:0]])"),
    (2, "{number}.{sum prod amax mean}({dim}).sum()"),
    (2, "{zerodim} {+ * -} {other}"),
    (2, "{other} {+ * -} {zerodim}"),
    (2, "{zerodim}.expand(2, {3 0})"),
    # Layouts.
    (4, "torch.as_strided({number}, {overlap})"),
    (3, "{image}.contiguous(memory_format=torch.channels_last)"),
    (3, "{image}.permute(0, 2, 3, 1)"),
    (2, "{image}.to(memory_format=torch.channels_last).is_contiguous()"),
    (3, "{number}.{t() T mT H adjoint()}"),
    (3, "{number}[::2].{t() contiguous() clone() view(-1) reshape(-1)}"),
    (3, "{number}.{stride is_contiguous storage_offset element_size numel dim}()"),
    (2, "{complex}.{conj().imag real imag conj() resolve_conj()}"),
    (2, "torch.{view_as_real polar is_complex}({complex})"),
    # What the user holds.
    (6, "{plain}.detach().numpy()"),
    (4, "memoryview({plain}.detach().numpy())"),
    (4, "numpy.from_dlpack({plain}.detach())"),
    (4, "torch.from_numpy({array})"),
    (3, "torch.{as_tensor tensor asarray from_dlpack}({array})"),
    (2, "{number} {+ *} torch.as_tensor({array})"),
    # Transforms and checkpoints.
    (3, "torch.utils.checkpoint.checkpoint(lambda t: (t * t).sin(), {mildly}, use_reentrant={False True})"),
    (3, "torch.vmap(lambda r: r {* +} r.{sum() sin() exp()})({float})"),
    (3, "torch.vmap(lambda r, s: r * s)({float}, {other})"),
    (3, "torch.func.grad(lambda t: (t * t).{sum mean}())({float})"),
    (2, "torch.func.{jacrev jacfwd}(lambda t: t * t)({vector})"),
    (2, "torch.func.hessian(lambda t: (t * t * t).sum())({vector})"),
    (3, "torch.func.jvp(lambda t: t * t, ({float},), ({ftwin},))[1]"),
    (2, "torch.func.vjp(lambda t: t.{sin() tanh() sum()}, {mildly})[0]"),
    (2, "torch.autograd.functional.jvp(lambda t: t * t, {float}, {ftwin})[1]"),
    (2, "torch.autograd.functional.vhp(lambda t: (t ** 3).sum(), {float}, {ftwin})[1]"),
    # Modules and losses.
    (3, "(torch.manual_seed({3 4}), torch.nn.Linear({width}, 2, dtype={subject}.dtype))[1]({subject})"),
    (2, "torch.nn.{ReLU GELU Softplus Tanh SiLU Flatten Softmax Identity}()({float})"),
    (2, "torch.nn.functional.conv2d({image}, torch.ones(2, {subject}.shape[1], 1, 1, dtype={subject}.dtype))"),
    (2, "torch.nn.functional.{max_pool2d avg_pool2d}({image}, {1 2})"),
    (2, "torch.nn.functional.{adaptive_avg_pool2d interpolate}({image}, {1 2})"),
    (2, "torch.nn.{MSELoss L1Loss HuberLoss SmoothL1Loss}(reduction={'sum' 'none' 'mean'})({float}, {other})"),
    (2, "torch.nn.functional.{cross_entropy nll_loss mse_loss l1_loss kl_div}({float}, {other})"),
    (2, "torch.nn.functional.{log_softmax softmax}({float}, {dim}, dtype=torch.{float64 float32})"),
    # Errors.
    (3, "{other}.{item tolist numpy}()"),
    (2, "{bool int float len}({other})"),
    (3, "torch.cat([{tensor}, {other}], dim={dim})"),
    (2, "torch.stack([{tensor}, {other}], {dim})"),
    (3, "{other} @ {tensor}"),
    (3, "torch.{mm bmm mv dot outer inner cross kron tensordot}({tensor}, {other})"),
    (3, "{tensor}.{sum mean softmax cumsum squeeze unsqueeze select flip argmax}({7 -8 1.5 None 'a'})"),
    (3, "{tensor}.{view reshape expand}({strange})"),
    (2, "{tensor}.{transpose permute movedim}({0 5 -7}, {1 0})"),
    (2, "{tensor}.{chunk split unfold narrow}({0 -1 1}, {7 0})"),
    (3, "torch.{add mul maximum pow where eq}({tensor}, {other})"),
    (2, "torch.{add mul maximum pow atan2}({tensor}, {None 'a' [1]})"),
    (2, "{tensor}[{other}]"),
    (2, "{tensor}[{1.5 'a' 9 0,0,0,0,0 None,9}]"),
    (2, "torch.{sqrt exp sigmoid fmod erf floor logit}({other})"),
    (2, "torch.{gather index_select}({tensor}, {dim}, {other})"),
    (1, "torch.{linalg.inv linalg.det linalg.cholesky linalg.eigvalsh logdet}({other})"),
]

_SEVERAL: list[tuple[int, str, int]] = [
    (3, "{whole}.{max min sort topk}({dim})", 2),
    (2, "torch.{aminmax frexp}({tensor})", 2),
    (3, "torch.unique({whole}, return_{inverse counts}=True)", 2),
    (2, "torch.func.jvp(lambda t: torch.{sin exp tanh}(t), ({mildly},), ({ftwin},))", 2),
    (2, "torch.func.grad_and_value(lambda t: (t * t).sum())({float})", 2),
    (
        2,
        "torch.autograd.grad({outcome}, [{source}, {another}], retain_graph=True, materialize_grads=True, allow_unused=True)",
        2,
    ),
]

_ACTIONS: list[tuple[int, str]] = [
    # Views of views, written to.
    (6, "{target}[{window}].{mul_ add_ fill_}({scalar})"),
    (6, "{target}.unsqueeze(0).transpose(0, -1)[{0 -1}].{zero_() mul_(2) add_(1)}"),
    (5, "{target}[...].view(-1)[{0 1: ::2 -1}].{zero_() mul_(2) add_(1)}"),
    (4, "{target}.{T mT}[{0 1: ::2 -1}] {*= +=} {scalar}"),
    (4, "torch.as_strided({target}, {apartplaces}).{mul_ add_}({scalar})"),
    (3, "torch.as_strided({target}, {overlap}).{mul_ fill_}({scalar})"),
    (3, "{target}.expand(2, *{subject}.shape).{add_ mul_}({1 2})"),
    (3, "{target}.detach()[{window}] = {scalar}"),
    (3, "{ctarget}.{real imag conj().imag}.{mul_(2) zero_() add_(1)}"),
    (2, "torch.view_as_real({ctarget})[..., {0 1}] = {scalar}"),
    # What the user holds, and hooks that keep what they see.
    (4, "{array}.fill({2 0 1})"),
    (4, "{array}[...] {*= = +=} {2 0}"),
    (6, "{hookable}.register_hook(kept.append)"),
    (4, "{leafed}.register_hook(kept.append)"),
    (3, "{leafed}.register_post_accumulate_grad_hook(lambda p: kept.append(p.grad.clone()))"),
    (3, "{recorded}.grad_fn.register_hook(lambda i, o: kept.extend(g for g in o if g is not None))"),
    (3, "{recorded}.backward({twin}, retain_graph=True)"),
    # Errors.
    (2, "{tensor}.{add_ mul_ copy_ div_ pow_}({other})"),
    (2, "{tensor}.{sqrt_ exp_ requires_grad_ t_ sigmoid_ detach_}()"),
    (2, "{tensor}[{index}] = {other}"),
    (2, "{tensor}.{resize_as_ clamp_min_ copy_}({other})"),
    (2, "{tensor}.backward({other})"),
    (2, "{tensor}.grad = {other}"),
    (2, "torch.autograd.grad({other}, {tensor})"),
    (2, "torch.autograd.backward([{outcome}], [{other}])"),
    (2, "torch.{add mul sub maximum}({tensor}, {twin}, out={twin})"),
]

_FORWARD = (
    "torch.autograd.forward_ad.unpack_dual(torch.{sin exp tanh square neg}"
    "(torch.autograd.forward_ad.make_dual({mildly}.detach(), {ftwin}.detach()))).tangent"
)

# Sums of many numbers differ in their last digits, so nothing here turns on those.
_LARGE_VALUES: list[tuple[int, str]] = [
    (8, "{leaf}"),
    (6, "{number} {+ - *} {mate}"),
    (6, "{mate} {+ - *} {number}"),
    (4, "{number} {+ - * /} {scalar}"),
    (3, "{float} / ({fmate}.abs() + 1)"),
    (5, "torch.{exp tanh sigmoid relu abs neg square sign cos}({mildly})"),
    (2, "torch.where({tensor} > {scalar}, {tensor}, {mate})"),
    (3, "torch.{maximum minimum}({float}, {fmate})"),
    (4, "{number}.sum()"),
    (4, "{float}.{mean amax amin}()"),
    (5, "{number}.sum({dim}, keepdim={True False})"),
    (4, "{float}.{amax amin mean}({dim})"),
    (2, "{float}.{softmax log_softmax logsumexp}({dim})"),
    (2, "{float}.{max min sort cummax}({dim}).values"),
    (2, "{float}.cumsum({dim})"),
    (3, "{whole}.{sum any all amax amin}({dim})"),
    (2, "{whole}.{cumsum argmax}({dim})"),
    (5, "{number}.transpose({dim}, {dim})"),
    (3, "{number}.flatten()"),
    (3, "{number}[{::2 1: :-1 0 None}]"),
    (3, "{number}[..., {::2 1: :-1 0}]"),
    (3, "{number}.{contiguous clone detach}()"),
    (2, "torch.as_strided({number}, {overlap})"),
    (2, "{image}.contiguous(memory_format=torch.channels_last)"),
    (2, "{matrix} @ {matrix}.T[:, :{3 1}]"),
    (2, "torch.cat([{number}, {joinable}], dim={joined})"),
    (2, "torch.nn.functional.{mse_loss l1_loss smooth_l1_loss}({float}, {ftwin})"),
    (2, "torch.nn.functional.{softplus silu leaky_relu elu hardtanh}({float})"),
    (2, "torch.nn.functional.layer_norm({float}, {subject}.shape[-1:])"),
    (3, "{plain}.detach().numpy()"),
    (2, "memoryview({plain}.detach().numpy())"),
    (2, "numpy.from_dlpack({plain}.detach())"),
    (2, "torch.utils.checkpoint.checkpoint(lambda t: (t * t).tanh(), {float}, use_reentrant=False)"),
    (2, "torch.func.jvp(lambda t: t * t, ({float},), ({ftwin},))[1]"),
    (2, "{number}.to(torch.{float32 float64 complex64})"),
]

_LARGE_ACTIONS: list[tuple[int, str]] = [
    (30, "torch.set_num_threads({1 2 4})"),
    (6, "{target}.{add_ mul_ sub_}({scalar})"),
    (6, "{target}.{add_ mul_ sub_}({fitting})"),
    (4, "{target}.{neg_ zero_ relu_ abs_ sign_}()"),
    (3, "{target}.copy_({source_of_copy})"),
    (4, "{target}[{::2 1: 0}] = {scalar}"),
    (4, "{target}[..., {::2 1: 0}] {*= +=} {scalar}"),
    (3, "{target}.masked_fill_({mask}, {scalar})"),
    (3, "{hookable}.register_hook(kept.append)"),
    (2, "{leafed}.register_hook(kept.append)"),
    (8, "{outcome}.backward(retain_graph={True False})"),
    (3, "{outcome}.backward(create_graph=True)"),
    (2, "{array}.fill({2 0 1})"),
]


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """Lines, what fills their holes, and what each program begins with."""

    values: list[tuple[int, str]]
    several: list[tuple[int, str, int]]
    actions: list[tuple[int, str]]
    holes: type[Holes] = Holes
    begin: tuple[str, ...] = ()
    shorter: int = 1

    def draw(self, draw: random.Random, kind: str) -> Any:
        """One of the values, several or actions."""
        return draw.choices(getattr(self, kind), cum_weights=self._cumulative[kind])[0]

    @functools.cached_property
    def _cumulative(self) -> dict[str, list[int]]:
        kinds = {"values": self.values, "several": self.several, "actions": self.actions}
        return {kind: list(itertools.accumulate(weight for weight, *_ in lines)) for kind, lines in kinds.items()}


VOCABULARIES = {
    "plain": Vocabulary(program_lines.VALUES, program_lines.SEVERAL, program_lines.ACTIONS),
    "wide": Vocabulary(
        [*program_lines.VALUES, *_VALUES, (3, _FORWARD)],
        [*program_lines.SEVERAL, *_SEVERAL],
        [*program_lines.ACTIONS, *_ACTIONS],
        WideHoles,
        ("kept = []",),
    ),
    "large": Vocabulary(
        _LARGE_VALUES,
        [
            (1, "{number}.chunk(2, {even})", 2),
            (1, "torch.autograd.grad({outcome}, [{source}, {another}], allow_unused=True)", 2),
        ],
        _LARGE_ACTIONS,
        LargeHoles,
        ("kept = []",),
        2,
    ),
}


VOCABULARIES["idioms"] = Vocabulary(
    [*program_lines.VALUES, *_VALUES, *((2 * weight, line) for weight, line in program_idioms.VALUES)],
    [*program_lines.SEVERAL, *_SEVERAL, *program_idioms.SEVERAL],
    [*program_lines.ACTIONS, *_ACTIONS, *program_idioms.ACTIONS],
    program_idioms.IdiomHoles,
    program_idioms.BEGIN,
)
VOCABULARIES["corners"] = Vocabulary(
    [*program_lines.VALUES, *_VALUES, *((2 * weight, line) for weight, line in program_corners.VALUES)],
    [*program_lines.SEVERAL, *_SEVERAL, *program_corners.SEVERAL],
    [*program_lines.ACTIONS, *_ACTIONS, *((2 * weight, line) for weight, line in program_corners.ACTIONS)],
    program_corners.CornerHoles,
    ("kept = []",),
)
VOCABULARIES["seldom"] = Vocabulary(
    [*program_lines.VALUES, *_VALUES, *((5 * weight, line) for weight, line in program_seldom.VALUES)],
    [*program_lines.SEVERAL, *_SEVERAL, *((4 * weight, line, count) for weight, line, count in program_seldom.SEVERAL)],
    [*program_lines.ACTIONS, *_ACTIONS, *((4 * weight, line) for weight, line in program_seldom.ACTIONS)],
    program_seldom.SeldomHoles,
    ("kept = []",),
)
# Of sixteen programs in a row, by their seeds, what is neither wide nor plain; `narrow` is what `mixed` was up to seed 610020499.
MIXTURES = {"mixed": {0: "large", 4: "idioms", 8: "seldom", 10: "corners", 12: "seldom"}, "narrow": {0: "large"}}


def vocabulary_of(seed: int, name: str) -> Vocabulary:
    """`mixed` takes them by the seed: of sixteen eight are wide, three plain, two of what is seldom used, and one of each other kind."""
    if name in MIXTURES:
        name = MIXTURES[name].get(seed % 16, "wide" if seed % 2 else "plain")
    return VOCABULARIES[name]
