"""Every readable rule says what the rule does: worked out with NumPy on what PyTorch's samples bring to the ops of the table."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import op_samples
import pytest
import torch as pytorch
from readable_words import words, worked_out
from sides import Missing, Side

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.autograd import interpreters, modes
from rushlight.backend.unbroadcast import unbroadcast
from rushlight.explain.readable import READABLE
from rushlight.explain.rules import form_of
from rushlight.ops import promotion
from rushlight.ops.interceptors import run_below
from rushlight.ops.rules_text import parameters
from rushlight.ops.table import Op, arrays, table

OURS = Side(torch)
DIVIDES = re.compile(r"/|log|exp|\*\*|inv")  # what may have no value where the rule has one: then the text says nothing there
TRIALS = 12  # of each input of each op
SAMPLES = 24  # of each of PyTorch's ops


class Trials:
    """What was tried, and what differed."""

    def __init__(self) -> None:
        self.tried: dict[str, int] = {}
        self.different: dict[str, str] = {}
        self.texts: dict[str, set[str]] = {}  # that were tried
        self.most = TRIALS
        self.random = np.random.default_rng(0)

    def see(self, op: Op, args: tuple[Any, ...], result: Any) -> None:
        for source in op.sources:
            key = f"{op.name}.{source}"
            if self.tried.get(key, 0) < self.most and key not in self.different:
                try:
                    found = self._try(op, source, args, result)
                except Exception as error:  # of the program's, it would be taken for a sample that is not for us
                    found = f"{type(error).__name__}: {error}"
                if found is not None:
                    self.tried[key] = self.tried.get(key, 0) + 1
                    self.texts.setdefault(key, set()).add(self.text)
                    if found:
                        self.different[key] = found

    def _try(self, op: Op, source: str, args: tuple[Any, ...], result: Any) -> str | None:
        """ "" where text and rule agree, None where they cannot be held against each other."""
        given = dict(zip(op.inputs, args, strict=False))
        told = {**dict(op.params), **dict(zip((name for name, _ in op.params), args[len(op.inputs) :], strict=False))}
        present = {name: True for name, value in given.items() if value is not None}
        text, kind = form_of(op, source, {**told, **present})
        if text is None or kind == "code" or given.get(source) is None:
            return None
        self.text = text
        values = {name: as_array(value) for name, value in given.items()}
        if op.promote is not None:
            promoted = promotion.promoted(op, list(given.values()))
            values = dict(zip(given, promoted, strict=True))
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        if not all(ordinary(one) for one in [*values.values(), *map(as_array, results)]) or not is_real(values[source]):
            return None
        outputs = dict(zip(op.outputs, map(as_array, results), strict=False))
        wanted = [
            as_array(one) for name, one in zip(op.outputs, results, strict=False) if name in op.differentiable or name == "out"
        ]
        wanted = [as_array(one) for one in results] if op.outputs == ["*"] else wanted
        gs = [self.random.normal(size=one.shape) for one in wanted]
        if op.name.endswith("_with_moments"):  # the texts say nothing of what arrives at the moments
            gs[1:] = [None] * (len(gs) - 1)
        g: Any = gs if op.outputs == ["*"] or len(op.differentiable) > 1 else gs[0]
        names = {
            **values,
            **outputs,
            **told,
            "g": g,
            "xp": arrays,
            "needs": tuple(given.get(name) is not None for name in op.inputs),
        }
        for name, value in values.items():
            if value is not None:
                names[f"{name}_shape"] = (
                    [getattr(one, "shape", None) for one in value] if isinstance(value, list) else value.shape
                )
                names[f"{name}_strides"] = (
                    [getattr(one, "strides", None) for one in value] if isinstance(value, list) else value.strides
                )
                names[f"{name}_dtype"] = (
                    [getattr(one, "dtype", None) for one in value] if isinstance(value, list) else value.dtype
                )
        rule = op.rules.get(source) or op.joint
        assert rule is not None
        expected = rule(**{name: names[name] for name in parameters(rule)})
        if source not in op.rules:
            expected = expected[op.inputs.index(source)]
        return self._difference(op, source, text, expected, values, outputs, told, names)

    def _difference(
        self, op: Op, source: str, text: str, expected: Any, values: Any, outputs: Any, told: Any, names: dict[str, Any]
    ) -> str:
        x = values[source]
        g = names["g"]
        first = g[0] if isinstance(g, list) else g
        scope = dict(names)
        if "reduction" in told and "/ n" in text:
            shapes = [one.shape for name, one in values.items() if one is not None and not op.name.startswith("multi")]
            scope["n"] = int(np.prod(np.broadcast_shapes(np.shape(x), *shapes))) or 1
        elif "n" not in told and not isinstance(x, list):
            scope["n"] = max(1, np.size(x) // max(1, first.size))
        if isinstance(g, list):
            scope.update({f"g{number}": one for number, one in enumerate(g)})
        for name in [*outputs, "g", "g0", "g1"] if "keepdims" not in text else []:
            if isinstance(scope.get(name), np.ndarray):
                scope[name] = stretched(op, scope[name], values, told)
        if op.name in ("prelu", "batch_norm", "batch_norm_given", "group_norm", "group_norm_with_moments"):
            for name in ("weight", "bias", "mean", "var"):
                if isinstance(scope.get(name), np.ndarray) and scope[name].ndim == 1 and values["x"].ndim > 1:
                    scope[name] = scope[name].reshape(-1, *(1,) * (values["x"].ndim - 2))
            channel = np.ones((1, 1, *(1,) * (values["x"].ndim - 2))) if source != "x" else None
        else:
            channel = None
        if told.get("scale", 0) is None:
            scope["scale"] = 1 / np.sqrt(values["query"].shape[-1])
        scope = {
            name: value for name, value in scope.items() if not re.search(rf"\b{re.escape(name)}\(", text)
        }  # `mean` is the function in it
        found = worked_out(text, scope, words(x, values.get("x"), {**told, **values}, g))
        for one, want, of in zip(*([v] if not isinstance(x, list) else v for v in (found, expected, x)), strict=True):
            value, wish = np.asarray(one, float), np.asarray(want)
            if channel is not None and np.ndim(of) == 1:
                value = np.moveaxis(value, 1, 0).reshape(value.shape[1], -1).sum(1) if value.ndim > 1 else value
                value = value.sum() if of.size == 1 else value
            value = fitted(value, of.shape, of.size, wish.shape)
            wish = fitted(wish, of.shape, of.size, wish.shape)
            says = np.isfinite(value) & np.isfinite(wish)
            if (
                value.size
                and says.mean() < 0.5
                and np.isfinite(wish).all()
                and np.isfinite(np.asarray(of)).all()
                and not DIVIDES.search(text)
            ):
                return f"{text}: says nothing of {told}"
            if not np.allclose(value[says], wish[says], rtol=1e-6, atol=1e-8):
                return f"{text}, of {told} and {[np.shape(one) for one in values.values()]}: {value.ravel()[:4]} for {wish.ravel()[:4]}"
        return ""


def as_array(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value._array
    return [as_array(one) for one in value] if isinstance(value, (list, tuple)) else value


def ordinary(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(ordinary, value))
    return value is None or not isinstance(value, np.ndarray) or value.dtype.kind in "fiub"


def is_real(value: Any) -> bool:
    return all(map(is_real, value)) if isinstance(value, list) else isinstance(value, np.ndarray) and value.dtype.kind == "f"


def fitted(value: Any, shape: Any, size: int, rule: Any) -> Any:
    """In the shape of the input, broadcasting undone."""
    whole = np.broadcast_to(value, np.broadcast_shapes(value.shape, shape)) if value.size != size else value.reshape(shape)
    return unbroadcast(np.array(whole, float), tuple(shape), np.dtype(float))


def stretched(op: Op, value: Any, values: dict[str, Any], told: dict[str, Any]) -> Any:
    """As rules speak of a result: of a reduction with the axes that were reduced, of a determinant as a matrix."""
    if op.name in ("det", "slogdet"):
        return value[..., None, None]
    if told.get("vector") and op.name in ("solve", "solve_ex"):
        return value[..., None]
    x = values.get("x")
    axis = told.get("axis")
    if "keepdims" not in told or told["keepdims"] or x is None or axis is None or axis == ():
        return value
    axes = [one % x.ndim for one in (axis if isinstance(axis, tuple) else (axis,))] if x.ndim else []
    return np.expand_dims(value, tuple(axes)) if value.ndim + len(axes) == x.ndim else value


@contextmanager
def watching(trials: Trials) -> Iterator[None]:
    class Watching(interpreters.Interpreter):
        def op(self, op: Op, args: tuple[Any, ...]) -> Any:
            result = run_below(op, args, self)
            trials.see(op, args, result)
            return result

    watching = Watching()
    interpreters.stack.put(watching)
    unusual = modes.Mark(hidden=True)
    try:
        yield
    finally:
        del unusual
        interpreters.stack.take(watching)


def everything(pattern: str | None = None) -> Trials:
    trials = Trials()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for op in op_samples.ops(pattern):
            if not op.supports_autograd or pytorch.float64 not in op.supported_dtypes("cpu"):
                continue
            try:
                form = OURS.resolve(op.op, op.full_name)
            except Missing:
                continue
            samples = list(op.sample_inputs("cpu", pytorch.float64, requires_grad=True))
            for sample in op_samples.chosen(samples, SAMPLES):
                with watching(trials):
                    try:
                        out = form(*OURS.build((sample.input, *sample.args)), **OURS.build(sample.kwargs))
                        results = [one for one in OURS.leaves(out) if isinstance(one, torch.Tensor) and one.requires_grad]
                        sum((one.abs() if one.is_complex() else one).sum() for one in results).backward(create_graph=True)
                    except Exception:
                        continue
        of_own(trials)
    return trials


# What PyTorch's samples do not come to.
OWN: list[Any] = [
    lambda r: torch.stack(torch._foreach_maximum([r(3), r(3)], 0.5)),
    lambda r: torch.stack(torch._foreach_minimum([r(3), r(3)], 0.5)),
    lambda r: torch.stack(torch._foreach_maximum([r(3), r(3)], [0.5, 0.25])),
    lambda r: torch.stack(torch._foreach_minimum([r(3), r(3)], [0.5, 0.25])),
    lambda r: F.scaled_dot_product_attention(r(2, 3, 4), r(2, 3, 4), r(2, 3, 4)),
    lambda r: F.scaled_dot_product_attention(r(2, 3, 4), r(2, 3, 4), r(2, 3, 5), is_causal=True),
    lambda r: F.scaled_dot_product_attention(r(2, 3, 4), r(2, 3, 4), r(2, 3, 4), attn_mask=torch.ones(3, 3).tril() > 0),
    lambda r: torch._weight_norm(r(3, 4), r(3, 1), 0),
    lambda r: r(3, 4).norm(3),
    lambda r: r(3, 4).norm(),
    lambda r: torch.igamma(torch.rand(5, dtype=torch.float64) + 1, r(5).abs() + 0.5),
    lambda r: torch.igammac(torch.rand(5, dtype=torch.float64) + 1, r(5).abs() + 0.5),
    lambda r: torch.mvlgamma(r(5).abs() + 3, 3),
    lambda r: torch.outer(r(3), r(4)),
    lambda r: torch.xlogy(r(3).abs(), 2.5),
    lambda r: torch.xlogy(2.5, r(3).abs()),
    lambda r: torch.special.xlog1py(r(3).abs(), 2.5),
    lambda r: torch.special.xlog1py(2.5, r(3).abs()),
    lambda r: torch.special.zeta(torch.full((3,), 3.0, dtype=torch.float64), r(3).abs() + 1),
    lambda r: torch.special.zeta(2.5, r(3).abs() + 1),
    lambda r: torch.native_layer_norm(r(3, 4), (4,), r(4), r(4), 1e-5)[0],
    lambda r: torch.native_group_norm(r(2, 4, 3), r(4), r(4), 2, 4, 3, 2, 1e-5)[0],
    lambda r: torch.div(r(3), r(3), rounding_mode=None),
    lambda r: torch.clamp_max(r(5), 0.1),
    lambda r: torch.fmod(r(5), 0.3),
    lambda r: torch.remainder(r(5), 0.3),
    lambda r: F.interpolate(r(1, 2, 6, 6), size=(3, 3), mode="bilinear", antialias=True),
    lambda r: F.interpolate(r(1, 2, 6, 6), size=(3, 3), mode="bicubic", antialias=True),
    lambda r: torch.frexp(r(4))[0],
    lambda r: F.nll_loss(r(2, 3, 4), torch.tensor([[0, 1, 2, 0], [1, 1, 2, 0]])),
    lambda r: torch.block_diag(r(2, 3), r(2, 2)),
    lambda r: torch.unsafe_split_with_sizes(r(5), [2, 3])[0],
    lambda r: torch.slice_scatter(r(5), r(2), 0, 1, 3),
    lambda r: torch.select_copy(r(3, 2), 0, 1),
    lambda r: torch.slice_copy(r(5), 0, 1, 4, 2),
    lambda r: torch.split_copy(r(5), 2)[0],
    lambda r: torch.squeeze_copy(r(1, 3, 1), (0, 2)),
    lambda r: table["outer"].call(r(3), r(4)),
    lambda r: table["adjoint"].call(r(3, 4)),
    lambda r: table["norm_of_all"].call(r(3, 4), 3.0),
    lambda r: torch.fft.irfft(r(5)),
    lambda r: torch.fft.fft(r(5)).real,
    lambda r: torch.cat([r(2), torch.ones(2, requires_grad=True)]),
    lambda r: torch.stack([r(2), torch.ones(2, requires_grad=True)]),
    lambda r: torch.block_diag(r(2, 3), torch.ones(2, 2, requires_grad=True)),
    lambda r: r(2, 3).mean(),
    lambda r: r(2, 3).to_sparse().to_dense(),
    lambda r: r(2, 3).to_sparse().to_dense(masked_grad=False),
    lambda r: F.binary_cross_entropy_with_logits(r(2, 3).float(), torch.rand(2, 3, dtype=torch.float64)),
    lambda r: F.binary_cross_entropy_with_logits(r(2, 3), torch.rand(2, 3).requires_grad_(), pos_weight=r(3).detach().abs()),
    lambda r: table["lstm_layer"].call(r(5, 2, 3), r(16, 3), r(16, 4), r(16), r(16), r(2, 4), r(2, 4))[0],
    lambda r: table["lstm_layer"].call(r(5, 2, 3), r(16, 3), r(16, 4), r(16), r(16), r(2, 4), r(2, 4), True)[2],
    lambda r: torch.conv_tbc(r(5, 2, 3), r(2, 3, 4), r(4), 1),
    lambda r: torch.ormqr(r(4, 3), r(3), r(4, 2)),
    lambda r: torch.ormqr(r(4, 3), r(3), r(4, 2), True, True),
    lambda r: torch.ormqr(r(4, 3), r(3), r(2, 4), False, False),
    lambda r: torch.ormqr(r(4, 3), r(3), r(2, 4), False, True),
    lambda r: torch.nn.Bilinear(3, 4, 2).double()(r(5, 3), r(5, 4)),
    *(lambda r, order=order: table["norm_of_all"].call(r(3, 4), order) for order in (1.0, 2.0, float("inf"))),
    *(lambda r, order=order: table["norm_along"].call(r(3, 4), order, (1,), False) for order in (1.0, 3.0, float("inf"))),
    lambda r: torch.native_group_norm(r(2, 4, 3), None, None, 2, 4, 3, 2, 1e-5)[0],
    *(lambda r, back=back: table["recurrence"].call(r(3, 4), r(3, 4), 1, back) for back in (True, False)),
    # broadcast
    lambda r: r(3, 1) * r(4),
    lambda r: r(3, 1) / (r(2, 1, 1) + 5) - r(4),
    lambda r: r(3, 1).abs() ** r(4),
    lambda r: torch.add(r(3, 1), r(4), alpha=3) + torch.sub(r(4), r(3, 1), alpha=2),
    lambda r: torch.where(r(3, 1) > 0, r(4), r(2, 1, 1)),
    lambda r: torch.lerp(r(3, 1), r(4), r(2, 1, 1)),
    lambda r: torch.logaddexp(r(3, 1), r(4)) + torch.logaddexp2(r(3, 1), r(4)),
    lambda r: torch.maximum(r(3, 1), r(4)) + torch.hypot(r(3, 1), r(4)) + torch.atan2(r(3, 1), r(4)),
    lambda r: F.mse_loss(r(3, 1), r(4)) + F.smooth_l1_loss(r(3, 1), r(4)) + F.huber_loss(r(3, 1), r(4)),
    lambda r: (r(3, 4) * 1).copy_(r(4)),
    lambda r: torch.igamma(torch.rand(3, 1, dtype=torch.float64) + 1, r(4).abs() + 0.5),
    lambda r: torch.addcmul(r(4), r(3, 1), r(2, 1, 1), value=2) + torch.addcdiv(r(4), r(3, 1), r(2, 1, 1).exp(), value=2),
    # other shapes, dimensions and attributes
    lambda r: r(3, 4)[torch.tensor([2, 0, 2])],
    lambda r: r(3, 4)[:, torch.tensor([[1], [1]])],
    lambda r: r(3, 4)[torch.tensor([0, 2]), torch.tensor([3, 3])],
    lambda r: r(3, 4)[torch.tensor([True, False, True])],
    lambda r: torch.cat([r(2, 3), r(2, 1)], 1),
    lambda r: torch.stack([r(2, 3), r(2, 3)], -1),
    lambda r: r(2, 3).flip(-1) + r(2, 3).roll(2, 1),
    lambda r: r(2, 3).rot90(3),
    lambda r: r(3, 4).renorm(1, 1, 0.5),
    lambda r: torch._weight_norm(r(3, 4, 2), r(1, 4, 1), 1),
    lambda r: torch.outer(r(1), r(2)),
    lambda r: r(2, 3, 2).logcumsumexp(1),
    # what texts go by
    lambda r: r(3) ** 0,
    lambda r: torch.linalg.solve(r(2, 3, 3), r(2, 2, 3), left=False),
    lambda r: torch.linalg.solve_ex(r(3, 3), r(2, 3), left=False)[0],
    lambda r: torch.logit(r(5).sigmoid(), eps=0.3),
    lambda r: F.group_norm(r(2, 4, 3), 2),
    lambda r: F.layer_norm(r(2, 3, 4), (3, 4), r(3, 4), r(3, 4)),
    lambda r: F.embedding(torch.tensor([[0, 1], [1, 2]]), r(3, 2), padding_idx=1),
    lambda r: F.embedding(torch.tensor([[0, 1], [1, 2]]), r(3, 2), scale_grad_by_freq=True),
    lambda r: F.conv_transpose2d(r(1, 2, 4, 4), r(2, 3, 3, 3), r(3), stride=2, padding=1),
    lambda r: F.conv1d(r(2, 4, 7), r(6, 2, 3), r(6), stride=2, padding=2, dilation=2, groups=2),
    *(lambda r, order=order: r(3, 4).norm(order) for order in (0, 1, 2.5, float("inf"), float("-inf"))),
    *(lambda r, order=order: torch.linalg.vector_norm(r(3, 4), order, 0) for order in (0, 1, 2.5, float("inf"))),
    *(
        lambda r, kind=kind, own=own: r(3, 2).scatter_reduce(0, torch.tensor([[0, 1], [0, 2]]), r(2, 2), kind, include_self=own)
        for kind in ("sum", "mean", "prod", "amax", "amin")
        for own in (True, False)
    ),
]
# Of inputs that are complex or sparse, or of what has no value to be held against: the rest of the table's readable rules. Those of
# sparse matrices and of complex eigenvalues are tried in tests/explain/test_rules.py.
UNTRIED = frozenset({
    "divide_number.g", "eig.a", "fft_r2c.x", "mm_by_sparse.x", "put_at.values", "sparse_addmm.a", "sparse_addmm.bias", "sparse_addmm.x",
    "sampled_addmm.a", "sampled_addmm.x", "sampled_addmm.y", "sparse_log_softmax.x", "sparse_mm.x", "sparse_mv.x", "sparse_softmax.x",
})  # fmt: skip


# The other form is of weights, which this op does not have.
ONE_FORM = {"normalized.x"}


@pytest.fixture(scope="module")
def trials() -> Trials:
    return everything()


def test_each_text_says_what_its_rule_does(trials: Trials) -> None:
    assert not trials.different


def test_texts_that_are_given_are_tried(trials: Trials) -> None:
    given = {f"{op}.{source}" for op, forms in READABLE.items() for source in forms}
    assert sorted(given - set(trials.tried)) == sorted(UNTRIED)
    assert len(trials.tried) >= 550


def test_texts_that_go_by_what_was_given_are_tried_in_more_than_one_form(trials: Trials) -> None:
    several = {f"{op}.{source}" for op, forms in READABLE.items() for source, form in forms.items() if callable(form)}
    assert {key for key in several & set(trials.tried) if len(trials.texts[key]) == 1} == ONE_FORM


def of_own(trials: Trials) -> None:
    torch.manual_seed(0)
    trials.most = len(OWN) * TRIALS

    def r(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.float64, requires_grad=True)

    for number, program in enumerate(OWN):
        try:
            with watching(trials):
                program(r).sum().backward(create_graph=True)
        except (RuntimeError, NotImplementedError, AttributeError) as error:
            trials.different[f"own {number}"] = str(error)
