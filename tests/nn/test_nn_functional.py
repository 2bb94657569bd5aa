"""nn.functional: derivatives against differences, values against plain loops, the ugly cases, names of nodes, errors."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differences import slopes, weighted

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.backend import grid_sample

INF, NAN = math.inf, math.nan


def draw(*shape: int, seed: int = 0) -> Any:
    """Uneven numbers, none of them near a kink at a whole number."""
    values = np.random.RandomState(seed + math.prod(shape)).uniform(-1, 1, shape)
    return torch.tensor(values + 0.05 * np.sign(values))


CLASSES = torch.tensor([2, 0, 1])
BYTES = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]], dtype=torch.float64)
UNIT = (draw(3, 3) + 2) / 4

# Each with the inputs that it is differentiated in.
SMOOTH: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.2), [draw(7)]),
    "elu": (lambda x: F.elu(x, 1.3), [draw(7)]),
    "selu": (F.selu, [draw(7)]),
    "celu": (lambda x: F.celu(x, 0.7), [draw(7)]),
    "gelu": (F.gelu, [draw(7)]),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), [draw(7)]),
    "silu": (F.silu, [draw(7)]),
    "mish": (F.mish, [draw(7)]),
    "softplus": (lambda x: F.softplus(x, 2.0, 1.5), [draw(7)]),
    "hardswish": (lambda x: F.hardswish(3 * x), [draw(7)]),
    "hardsigmoid": (lambda x: F.hardsigmoid(4 * x), [draw(7)]),
    "logsigmoid": (F.logsigmoid, [draw(7)]),
    "glu": (lambda x: F.glu(x, 0), [draw(4, 2)]),
    "prelu": (F.prelu, [draw(2, 3, 2), draw(3)]),
    "softshrink": (lambda x: F.softshrink(x, 0.31), [draw(7)]),
    "mse_loss": (F.mse_loss, [draw(2, 3), draw(2, 3, seed=1)]),
    "smooth_l1_loss": (functools.partial(F.smooth_l1_loss, beta=0.4), [draw(2, 3), draw(2, 3, seed=1)]),
    "huber_loss": (functools.partial(F.huber_loss, delta=0.4), [draw(2, 3), draw(2, 3, seed=1)]),
    "cross_entropy": (lambda x: F.cross_entropy(x, CLASSES, torch.tensor([0.2, 1.0, 2.0], dtype=torch.float64)), [draw(3, 3)]),
    "cross_entropy smoothed": (lambda x: F.cross_entropy(x, CLASSES, label_smoothing=0.3), [draw(3, 3)]),
    "cross_entropy of probabilities": (lambda x, t: F.cross_entropy(x, t), [draw(3, 3), UNIT]),
    "nll_loss of planes": (lambda x: F.nll_loss(x, torch.tensor([[[1, 0], [0, 1]]])), [draw(1, 2, 2, 2)]),
    "binary_cross_entropy": (F.binary_cross_entropy, [UNIT, UNIT.flip(0)]),
    "bce with logits": (
        lambda x, t: F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)),
        [draw(3, 3), UNIT],
    ),
    "kl_div": (lambda x, t: F.kl_div(x, t, reduction="batchmean"), [draw(3, 3), UNIT]),
    "soft_margin_loss": (lambda x: F.soft_margin_loss(x, 2 * BYTES - 1), [draw(3, 3)]),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x, CLASSES, p=2, margin=0.7), [draw(3, 3)]),
    "multilabel_margin_loss": (
        lambda x: F.multilabel_margin_loss(x, torch.tensor([[0, 2, -1], [1, -1, 0], [-1, 0, 0]])),
        [draw(3, 3)],
    ),
    "triplet_margin_loss": (lambda a, p, n: F.triplet_margin_loss(a, p, n, swap=True), [draw(2, 3, seed=s) for s in range(3)]),
    "cosine_embedding_loss": (
        lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor([1.0, -1.0]), margin=-0.9),
        [draw(2, 3), draw(2, 3, seed=1)],
    ),
    "gaussian_nll_loss": (lambda x, t, v: F.gaussian_nll_loss(x, t, v, full=True), [draw(3, 3), draw(3, 3, seed=1), UNIT]),
    "poisson_nll_loss": (lambda x: F.poisson_nll_loss(x, 3 * UNIT, log_input=False, full=True), [UNIT]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (2, 3), w, b), [draw(3, 2, 3), draw(2, 3), draw(2, 3, seed=1)]),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [draw(3, 2, 2), draw(2), draw(2, seed=1)]),
    "batch_norm of statistics": (
        lambda x, w, b: F.batch_norm(x, draw(2), UNIT[0, :2], w, b),
        [draw(3, 2, 2), draw(2), draw(2, seed=1)],
    ),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b), [draw(2, 4, 2), draw(4), draw(4, seed=1)]),
    "instance_norm": (lambda x, w: F.instance_norm(x, weight=w), [draw(2, 2, 3), draw(2)]),
    "rms_norm": (lambda x, w: F.rms_norm(x, (3,), w), [draw(2, 3), draw(3)]),
    "local_response_norm": (lambda x: F.local_response_norm(x, 3, alpha=0.5), [draw(1, 4, 3)]),
    "pad reflect": (lambda x: F.pad(x, (2, 1, 0, 1), "reflect"), [draw(1, 2, 3)]),
    "pad circular": (lambda x: F.pad(x, (2, -1), "circular"), [draw(2, 3)]),
    "cdist": (lambda a, b: torch.cdist(a, b, 3.0), [draw(2, 3), draw(4, 3)]),
    "pdist": (F.pdist, [draw(4, 3)]),
    "cosine_similarity": (F.cosine_similarity, [draw(2, 3), draw(2, 3, seed=1)]),
    "normalize": (F.normalize, [draw(2, 3)]),
    "embedding": (lambda w: F.embedding(torch.tensor([[0, 2], [2, 2]]), w), [draw(3, 2)]),
    "embedding_bag": (
        lambda w, s: F.embedding_bag(torch.tensor([0, 2, 2]), w, torch.tensor([0, 1]), mode="sum", per_sample_weights=s),
        [draw(3, 2), draw(3)],
    ),
    "embedding_bag max": (
        lambda w: F.embedding_bag(torch.tensor([0, 2, 1]), w, torch.tensor([0, 1, 3]), mode="max"),
        [draw(3, 2)],
    ),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, 2, 1), [draw(2, 2, 5), draw(3, 2, 3), draw(3)]),
    "conv2d same": (lambda x, w: F.conv2d(x, w, padding="same", groups=2), [draw(1, 2, 3, 3), draw(2, 1, 3, 3)]),
    "conv3d": (lambda x, w: F.conv3d(x, w, dilation=(1, 2, 1)), [draw(1, 1, 2, 3, 2), draw(1, 1, 2, 2, 1)]),
    "conv_transpose2d": (
        lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1, 2, (2, 1)),
        [draw(1, 2, 2, 2), draw(2, 2, 2, 2)],
    ),
    "conv_transpose1d, more padding than a stride": (
        lambda x, w: F.conv_transpose1d(x, w, None, 1, 0, 2, 1, 3),
        [draw(1, 1, 3), draw(1, 1, 2)],
    ),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 1, 1), [draw(1, 1, 3, 3)]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, 2, 1, True, False), [draw(1, 1, 3, 4)]),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 2), [draw(1, 5)]),
    "lp_pool1d": (lambda x: F.lp_pool1d(x, 2, 2), [draw(1, 4)]),
    "interpolate": (lambda x: F.interpolate(x, size=(3, 5), mode="bicubic"), [draw(1, 1, 4, 3)]),
    "grid_sample": (lambda x, g: F.grid_sample(x, 0.9 * g, align_corners=False), [draw(1, 2, 3, 4), draw(1, 2, 2, 2)]),
    "affine_grid": (lambda t: F.affine_grid(t, (1, 1, 2, 3), align_corners=True), [draw(1, 2, 3)]),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), [draw(4, 1, 2)]),
    "unfold": (lambda x: F.unfold(x, 2, dilation=(1, 2), padding=1, stride=2), [draw(1, 2, 3, 3)]),
    "fold": (lambda x: F.fold(x, (3, 3), 2), [draw(1, 4, 4)]),
    "attention": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [draw(1, 1, 3, 2), draw(1, 1, 3, 2, seed=1), draw(1, 1, 3, 2, seed=2)],
    ),
    "attention composed": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, torch.tensor([[True, False], [True, True]])),
        [draw(2, 2), draw(2, 2, seed=1), draw(2, 3)],
    ),
    "bilinear": (F.bilinear, [draw(2, 2), draw(2, 3), draw(2, 2, 3), draw(2)]),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives(name: str) -> None:
    f, points = SMOOTH[name]
    inputs = [point.detach().clone().requires_grad_() for point in points]
    gradients = torch.autograd.grad(weighted(f(*inputs)), inputs, create_graph=True)
    for mine, theirs in zip(gradients, slopes(lambda *xs: weighted(f(*xs)), *points), strict=True):
        assert np.allclose(mine.detach().numpy(), theirs, atol=1e-7)

    def steepness(*xs: Any) -> Any:
        leaves = [x.detach().clone().requires_grad_() for x in xs]
        return sum(weighted(g) for g in torch.autograd.grad(weighted(f(*leaves)), leaves))

    total = sum(weighted(g) for g in gradients)
    if total.requires_grad and name not in ("hardsigmoid", "multi_margin_loss"):  # of which PyTorch has no second
        second = torch.autograd.grad(total, inputs, allow_unused=True)
        for mine, theirs in zip(second, slopes(steepness, *points), strict=True):
            assert np.allclose(0 if mine is None else mine.numpy(), theirs, atol=1e-6)


@pytest.mark.parametrize("p", [1, 2])
def test_the_gradient_of_a_multi_margin_loss_is_recorded_and_has_none(p: int) -> None:
    x = torch.tensor([[1.25, 2.5], [0.5, 0.25]]).requires_grad_()
    (slope,) = torch.autograd.grad(F.multi_margin_loss(x, torch.zeros(2, dtype=torch.long), p), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::multi_margin_loss_backward is not implemented"):
        slope.sum().backward()
    with pytest.raises(NotImplementedError, match="forward AD with multi_margin_loss that"):
        torch.func.jvp(lambda t: F.multi_margin_loss(t, torch.zeros(2, dtype=torch.long), p), (x,), (x,))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_slope_of_gelu_in_half_precision_is_rounded_once(dtype: torch.dtype) -> None:
    half = torch.linspace(-4, 4, 101).to(dtype).requires_grad_()
    single = half.detach().float().requires_grad_()
    F.gelu(half).sum().backward()
    F.gelu(single).sum().backward()
    assert torch.allclose(half.grad, single.grad.to(dtype), rtol=torch.finfo(dtype).eps, atol=1e-7)
    assert half.grad.dtype is dtype


# Whose derivatives are ops of their own, with rules for the cotangent and for what they were given.
WITH_SLOPES = ["mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy"]
ACTIVATIONS = ["elu", "selu", "celu", "gelu", "gelu tanh", "silu", "mish", "softplus", "hardswish", "logsigmoid", "glu", "prelu",
               "softshrink", "leaky_relu", "bce with logits", "soft_margin_loss"]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *itertools.product(WITH_SLOPES, [{"reduction": reduction} for reduction in ("mean", "sum", "none")]),
        *itertools.product(ACTIVATIONS, [{}]),
    ],
)
def test_derivatives_of_derivatives(name: str, options: dict[str, Any]) -> None:
    """By the cotangent too, which the square makes depend on the inputs, and once more."""
    f, points = SMOOTH[name]

    def first(*xs: Any) -> list[Any]:
        return list(torch.autograd.grad(weighted(f(*xs, **options) ** 2), xs, create_graph=True))

    def second(*xs: Any) -> list[Any]:
        return list(torch.autograd.grad(sum(weighted(g) for g in first(*xs)), xs, create_graph=True))

    inputs = [point.detach().clone().requires_grad_() for point in points]
    for below, found in ((first, second(*inputs)), (second, torch.autograd.grad(sum(map(weighted, second(*inputs))), inputs))):

        def total(*xs: Any, below: Any = below) -> Any:
            return sum(weighted(g) for g in below(*[x.detach().clone().requires_grad_() for x in xs]))

        for mine, theirs in zip(found, slopes(total, *points), strict=True):
            assert np.allclose(mine.detach().numpy(), theirs, atol=1e-6)


def test_convolution_is_what_loops_give() -> None:
    x, w = draw(2, 4, 5, 6), draw(6, 2, 2, 3)
    found = F.conv2d(x, w, stride=(2, 1), padding=(1, 2), dilation=(2, 1), groups=2).numpy()
    padded = np.pad(x.numpy(), ((0, 0), (0, 0), (1, 1), (2, 2)))
    for n, o, i, j in np.ndindex(*found.shape):
        window = padded[n, o // 3 * 2 : o // 3 * 2 + 2, 2 * i : 2 * i + 3 : 2, j : j + 3]
        assert found[n, o, i, j] == pytest.approx((window * w.numpy()[o]).sum())
    y = draw(*found.shape)
    back = F.conv_transpose2d(y, w, stride=(2, 1), padding=(1, 2), output_padding=0, groups=2, dilation=(2, 1))
    assert (torch.tensor(found) * y).sum().item() == pytest.approx((x[..., : back.shape[2], :] * back).sum().item())


def test_convolution_of_nothing() -> None:
    assert F.conv1d(torch.ones(0, 2, 3), torch.ones(4, 2, 2)).shape == (0, 4, 2)
    x = torch.ones(1, 0, 3, requires_grad=True)
    F.conv1d(x, torch.ones(4, 0, 2)).sum().backward()
    assert x.grad.shape == (1, 0, 3)


def test_ctc_sums_over_alignments() -> None:
    logits = draw(4, 3)
    logs = logits.log_softmax(1)
    for labels in ([1, 2], [1, 1], [2], []):
        total = 0.0
        for path in itertools.product(range(3), repeat=4):
            kept = [label for place, label in enumerate(path) if place == 0 or path[place - 1] != label]
            if [label for label in kept if label != 0] == labels:
                total += math.exp(sum(logs[t, label].item() for t, label in enumerate(path)))
        targets = torch.tensor([labels], dtype=torch.long).reshape(1, len(labels))
        loss = F.ctc_loss(logs[:, None], targets, [4], [len(labels)], reduction="sum")
        assert loss.item() == pytest.approx(-math.log(total))
    x = logits.clone().requires_grad_()

    def loss_of(y: Any) -> Any:
        return F.ctc_loss(y.log_softmax(1)[:, None], torch.tensor([[1, 1]]), [4], [2])

    loss_of(x).backward()
    assert np.allclose(x.grad.numpy(), slopes(loss_of, logits)[0], atol=1e-7)
    logs = logs.clone().requires_grad_()
    short = F.ctc_loss(logs[:, None], torch.tensor([[1, 1]]), [2], [2], reduction="none")
    short.backward()
    assert short.item() == INF and logs.grad[:2].isnan().all() and not logs.grad[2:].any()
    assert F.ctc_loss(logs[:, None], torch.tensor([[1, 1]]), [2], [2], zero_infinity=True).item() == 0


def test_attention_is_what_loops_give() -> None:
    q, k, v = draw(2, 2, 3, 4), draw(2, 2, 5, 4), draw(2, 2, 5, 4, seed=1)
    mask = torch.tensor([[True, False, True, True, False]] * 2 + [[False] * 5])
    out = F.scaled_dot_product_attention(q, k, v, mask).numpy()
    for n, h, row in np.ndindex(2, 2, 3):
        scores = np.where(mask.numpy()[row], k.numpy()[n, h] @ q.numpy()[n, h, row] / 2, -INF)
        weights = np.exp(scores) / np.exp(scores).sum() if np.isfinite(scores).any() else np.zeros(5)
        assert np.allclose(out[n, h, row], weights @ v.numpy()[n, h])
    few = F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True)
    same = F.scaled_dot_product_attention(q, k[:, :1].expand(-1, 2, -1, -1), v[:, :1].expand(-1, 2, -1, -1))
    assert torch.equal(few, same)


def test_extremes_of_activations() -> None:
    x = torch.tensor([-INF, -1000.0, 0.0, 1000.0, INF, NAN])
    expected = {
        F.relu: [0, 0, 0, 1000, INF, NAN],
        F.logsigmoid: [-INF, -1000, -math.log(2), 0, 0, NAN],
        F.softplus: [0, 0, math.log(2), 1000, INF, NAN],
        F.hardtanh: [-1, -1, 0, 1, 1, NAN],
        F.elu: [-1, -1, 0, 1000, INF, NAN],
        F.hardshrink: [-INF, -1000, 0, 1000, INF, NAN],
        F.softsign: [NAN, -1000 / 1001, 0, 1000 / 1001, NAN, NAN],
    }
    for f, values in expected.items():
        assert np.allclose(f(x).numpy(), values, equal_nan=True), f.__name__
    edges = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    for f, slope in ((F.relu, [0, 0, 1]), (F.hardtanh, [0, 1, 0]), (F.relu6, [0, 0, 1]), (F.leaky_relu, [0.01, 0.01, 1])):
        assert torch.autograd.grad(f(edges).sum(), edges)[0].tolist() == pytest.approx(slope), f.__name__
    nothing = torch.full((40,), NAN, requires_grad=True)
    for f in (F.hardtanh, F.relu6, F.softshrink, F.hardshrink):
        assert torch.autograd.grad(f(nothing).sum(), nothing)[0].tolist() == [1.0] * 40, f.__name__


def test_losses_at_their_edges() -> None:
    logs = torch.zeros(2, 3, requires_grad=True)
    nothing = torch.tensor([-100, -100])
    assert math.isnan(F.cross_entropy(logs, nothing).item())
    assert F.cross_entropy(logs, nothing, reduction="sum").item() == 0
    assert F.nll_loss(logs, torch.tensor([0, -100]), reduction="none").tolist() == [0, 0]
    sure = torch.tensor([0.0, 1.0], requires_grad=True)
    assert F.binary_cross_entropy(sure, torch.tensor([1.0, 0.0])).item() == 100
    assert F.binary_cross_entropy_with_logits(torch.tensor([-1e4, 1e4]), torch.tensor([0.0, 1.0])).item() == 0
    assert F.kl_div(torch.tensor([-1.0]), torch.tensor([0.0]), reduction="sum").item() == 0
    assert F.cross_entropy(torch.tensor([[1e4, 0.0]]), torch.tensor([0])).item() == 0
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[3\]\)\) that is different"):
        F.mse_loss(torch.zeros(2, 3), torch.zeros(3))
    with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated, please use reduction='sum'"):
        assert F.l1_loss(torch.ones(3), torch.zeros(3), size_average=False).item() == 3


def test_pooling_of_ties_nan_and_borders() -> None:
    x = torch.tensor([[[1.0, 1.0, NAN, 2.0]]])
    values, indices = F.max_pool1d(x, 2, return_indices=True)
    assert indices.tolist() == [[[0, 2]]] and math.isnan(values[0, 0, 1])
    assert F.max_pool1d(-torch.ones(1, 1, 3), 2, padding=1).tolist() == [[[-1.0, -1.0]]]
    assert F.avg_pool1d(torch.ones(1, 1, 3), 2, padding=1, count_include_pad=False).tolist() == [[[1.0, 1.0]]]
    big, where = F.max_pool2d(draw(1, 2, 4, 4), 2, return_indices=True)
    spread = F.max_unpool2d(big, where, 2)
    assert torch.equal(F.max_pool2d(spread.where(spread != 0, torch.tensor(-INF).double()), 2), big)
    assert F.adaptive_max_pool1d(torch.arange(5.0)[None], 3).tolist() == [[1.0, 3.0, 4.0]]
    assert F.adaptive_avg_pool2d(torch.ones(1, 2, 3), (None, 1)).shape == (1, 2, 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("pool", [F.max_pool1d, F.max_pool2d, F.max_pool3d])
def test_a_window_wholly_in_the_padding_gives_no_gradient(pool, dtype):
    rank = int(pool.__name__[-2])
    x = torch.ones(2, 1, *(1,) * rank, dtype=dtype, requires_grad=True)
    out = pool(x, 2, padding=1, dilation=2)
    assert out.flatten().tolist() == [-INF, -INF]
    (grad,) = torch.autograd.grad(out, x, torch.ones_like(out).requires_grad_(), create_graph=True)
    assert grad.flatten().tolist() == [0.0, 0.0]
    grad.sum().backward()


def test_normalization_keeps_its_statistics() -> None:
    x, mean, var = draw(4, 2, 3), torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    F.batch_norm(x, mean, var, training=True, momentum=0.3)
    columns = x.numpy().transpose(1, 0, 2).reshape(2, -1)
    assert np.allclose(mean.numpy(), 0.3 * columns.mean(1))
    assert np.allclose(var.numpy(), 0.7 + 0.3 * columns.var(1, ddof=1))
    assert mean._version == 0
    assert F.layer_norm(torch.full((2, 3), 7.0), (3,)).tolist() == [[0.0] * 3] * 2
    half = F.layer_norm(torch.arange(8).half(), (8,))
    assert half.dtype is torch.float16 and half.float().var(correction=0).item() == pytest.approx(1, abs=2e-3)


def test_embedding() -> None:
    weight = draw(4, 2).requires_grad_()
    F.embedding(torch.tensor([1, 1, 3]), weight, padding_idx=3).sum().backward()
    assert weight.grad.tolist() == [[0, 0], [2, 2], [0, 0], [0, 0]]
    weight.grad = None
    F.embedding(torch.tensor([1, 1, 3]), weight, scale_grad_by_freq=True).sum().backward()
    assert weight.grad.tolist() == [[0, 0], [1, 1], [0, 0], [1, 1]]
    table = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    assert F.embedding(torch.tensor([0]), table, max_norm=1.0).norm().item() == pytest.approx(1)
    assert table[0].norm().item() == pytest.approx(1) and table._version == 1
    bags = F.embedding_bag(torch.tensor([0, 1, 1]), table, torch.tensor([0, 2, 2]), padding_idx=0)
    assert np.allclose(bags.numpy(), [[0.3, 0.4], [0, 0], [0.3, 0.4]])
    assert F.one_hot(torch.tensor([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_dropout() -> None:
    torch.manual_seed(0)
    x = torch.ones(2000, requires_grad=True)
    out = F.dropout(x, 0.25)
    assert np.allclose(out.unique().detach().numpy(), [0, 4 / 3])
    assert out.mean().item() == pytest.approx(1, abs=0.05)
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())
    assert F.dropout(x, 0.3, training=False) is x
    assert F.dropout(x, 1.0).tolist() == [0.0] * 2000
    with pytest.warns(UserWarning, match="Received a 2-D input to dropout3d"):
        rows = F.dropout3d(torch.ones(200, 9))  # without a batch: the first dimension is that of the channels
    assert set(rows.sum(1).tolist()) == {0.0, 18.0}
    whole = F.dropout2d(torch.ones(50, 4, 3, 3)).reshape(200, 9)
    assert torch.equal(whole.amin(1), whole.amax(1)) and whole.unique().tolist() == [0, 2]
    y = torch.randn(20000)
    kept = F.alpha_dropout(y, 0.2, training=True)
    assert kept.mean().item() == pytest.approx(0, abs=0.05) and kept.var().item() == pytest.approx(1, abs=0.06)


def test_sizes_of_a_grid_are_whole_numbers_or_tensors_of_one() -> None:
    theta = torch.eye(2, 3)[None]
    grid = F.affine_grid(theta, [1, torch.tensor(1), torch.tensor(2), torch.tensor(3)], align_corners=False)
    assert torch.equal(grid, F.affine_grid(theta, (1, 1, 2, 3), align_corners=False))
    wrong = r"affine_grid_generator\(\): argument 'size' failed to unpack the object at pos 3 with error \"type must be tuple of ints,but got "
    for size, kind in ((2.0, "float"), (torch.tensor(2.0), "Tensor")):
        with pytest.raises(TypeError, match=wrong + kind):
            F.affine_grid(theta, [1, 1, size, 3], align_corners=False)
    with pytest.raises(TypeError, match=r"argument 'size' \(position 2\) must be tuple of ints, not Tensor"):
        F.affine_grid(theta, torch.tensor([1, 1, 2, 3]), align_corners=False)


def test_resizing_and_sampling() -> None:
    x = draw(1, 2, 3, 4)
    identity = F.affine_grid(torch.eye(2, 3, dtype=torch.float64)[None], (1, 2, 3, 4), align_corners=False)
    assert torch.allclose(F.grid_sample(x, identity, align_corners=False), x)
    assert torch.equal(F.interpolate(x, scale_factor=2)[..., ::2, 1::2], x)
    assert F.interpolate(torch.tensor([[[0.0, 1.0]]]), 3, mode="linear", align_corners=True).tolist() == [[[0, 0.5, 1]]]
    assert torch.equal(F.pixel_unshuffle(F.pixel_shuffle(draw(1, 8, 2, 3), 2), 2), draw(1, 8, 2, 3))
    counts = F.fold(F.unfold(torch.ones(1, 1, 3, 3), 2), 3, 2)
    assert counts.tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]
    far = F.grid_sample(torch.ones(1, 1, 2, 2), torch.full((1, 1, 1, 2), NAN), align_corners=False)
    assert far.shape == (1, 1, 1, 1)


def chain(node: Any) -> str:
    if node is None:
        return "-"
    name = node.name().replace("Backward", "").replace("torch::autograd::AccumulateGrad", "x")
    inputs = ",".join(chain(one) for one, _ in node.next_functions)
    return f"{name}({inputs})" if inputs else name


X = torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.25, -0.5]], requires_grad=True)
T = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
C = torch.tensor([0, 2])
GRAPHS: dict[str, tuple[Callable[[], Any], str]] = {
    "relu6": (lambda: F.relu6(X), "Hardtanh0(x)"),
    "softsign": (lambda: F.softsign(X), "Div0(x,Add0(Abs0(x),-))"),
    "l1": (lambda: F.l1_loss(X, T), "Mean0(Abs0(Sub0(x,-)))"),
    "cross": (lambda: F.cross_entropy(X, C), "NllLoss0(LogSoftmax0(x))"),
    "probabilities": (lambda: F.cross_entropy(X, T), "Div1(Neg0(Sum0(Mul0(LogSoftmax0(x),-))))"),
    "hinge": (lambda: F.hinge_embedding_loss(X, T), "Mean0(Add0(Where0(ClampMin0(Sub0(-,x)),-),Where0(x,-)))"),
    "margin": (lambda: F.margin_ranking_loss(X, T, T), "Mean0(ClampMin0(Add1(Mul0(-,Sub0(x,-)))))"),
    "layer": (lambda: F.layer_norm(X, (3,)), "NativeLayerNorm0(x,-,-)"),
    "rms": (lambda: F.rms_norm(X, (3,)), "Mul0(x,Rsqrt0(Add1(Mean1(Pow0(x)))))"),
    "normalize": (lambda: F.normalize(X), "Div0(x,Expand0(ClampMin0(LinalgVectorNorm0(x))))"),
    "distance": (lambda: F.pairwise_distance(X, T), "Norm1(Add1(Sub0(x,-)))"),
    "max_pool1d": (lambda: F.max_pool1d(X[None], 2), "Squeeze1(MaxPool2DWithIndices0(Unsqueeze0(Unsqueeze0(x))))"),
    "conv1d": (lambda: F.conv1d(X[None], torch.ones(1, 2, 2)), "Convolution0(Unsqueeze0(x),-,-)"),
    "ctc": (
        lambda: F.ctc_loss(F.log_softmax(X, 1)[:, None], torch.tensor([[1]]), (2,), (1,)),
        "Mean0(Div0(CtcLoss0(Unsqueeze0(LogSoftmax0(x))),-))",
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name: str) -> None:
    f, expected = GRAPHS[name]
    assert chain(f().grad_fn) == expected


Z = torch.zeros
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: F.nll_loss(Z(2, 3), torch.tensor([0, 5])), IndexError, "Target 5 is out of bounds."),
    (
        lambda: F.nll_loss(Z(2, 3), torch.tensor([0])),
        ValueError,
        "Expected input batch_size (2) to match target batch_size (1).",
    ),
    (lambda: F.nll_loss(Z(2, 3), Z(2)), RuntimeError, "expected target dtype to be Long or Byte, but got Float"),
    (lambda: F.mse_loss(Z(2), Z(2), reduction="some"), ValueError, "some is not a valid value for reduction"),
    (lambda: F.binary_cross_entropy(Z(2) + 2, Z(2)), RuntimeError, "all elements of input should be between 0 and 1"),
    (
        lambda: F.linear(Z(2, 2), Z(3, 2), Z(4)),
        RuntimeError,
        "The expanded size of the tensor (3) must match the existing size (4)",
    ),
    (lambda: F.linear(Z(2), Z(2), Z(1)), RuntimeError, "mat2 must be a matrix, got 1-D tensor"),
    (
        lambda: F.linear(Z(2)[0], Z(3, 2)),
        RuntimeError,
        "both arguments to linear need to be at least 1D, but they are 0D and 2D",
    ),
    (
        lambda: F.linear(Z(2, 2).double(), Z(3, 2), Z(3)),
        RuntimeError,
        "mat1 and mat2 must have the same dtype, but got Double and",
    ),
    (
        lambda: torch.feature_dropout(Z(2), 0.5, True),
        RuntimeError,
        "Feature dropout requires at least 2 dimensions in the input",
    ),
    (lambda: F.dropout(Z(2).long()), RuntimeError, "result type Float can't be cast to the desired output type Long"),
    (lambda: F.dropout(Z(2), 1.5), ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
    (lambda: F.gelu(torch.ones(2).long()), NotImplementedError, "\"GeluKernelImpl\" not implemented for 'Long'"),
    (lambda: F.elu(torch.ones(2) * 1j), NotImplementedError, "\"elu_cpu\" not implemented for 'ComplexFloat'"),
    (lambda: F.leaky_relu(torch.ones(2) * 1j), NotImplementedError, "\"leaky_relu_cpu\" not implemented for 'ComplexFloat'"),
    (lambda: F.adaptive_avg_pool2d(Z(2, 2), (2, 2)), ValueError, "Input dimension should be at least 3"),
    (
        lambda: F.adaptive_max_pool2d(Z(2, 2), 2),
        RuntimeError,
        "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [2, 2]",
    ),
    (lambda: F.glu(torch.ones(2).int()), NotImplementedError, "\"glu_cpu\" not implemented for 'Int'"),
    (lambda: F.relu6(torch.ones(2) * 1j), NotImplementedError, "clamp is not supported for complex types"),
    (lambda: F.relu6(torch.ones(2).bool()), RuntimeError, "Bool inputs not supported for hardtanh"),
    (lambda: F.hardtanh(torch.ones(2).byte()), RuntimeError, "cannot do hardtanh on an unsigned type with negative limits"),
    (lambda: F.conv1d(Z(3), Z(1, 1, 1)), RuntimeError, "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got"),
    (
        lambda: F.conv1d(Z(1, 2, 3), Z(2, 3, 1)),
        RuntimeError,
        "Given groups=1, weight of size [2, 3, 1], expected input[1, 2, 3] to",
    ),
    (
        lambda: F.conv2d(Z(1, 1, 2, 2), Z(1, 1, 3, 3)),
        RuntimeError,
        "Calculated padded input size per channel: (2 x 2). Kernel size",
    ),
    (lambda: F.max_pool2d(Z(1, 1, 2, 2), 3), RuntimeError, "Given input size: (1x2x2). Calculated output size: (1x0x0)."),
    (
        lambda: F.max_pool2d(Z(1, 1, 2, 2), (3, 4), 1),
        RuntimeError,
        "Given input size: (1x2x2). Calculated output size: (1x0x-1). Output size is too small",
    ),
    (
        lambda: F.avg_pool3d(Z(1, 1, 2, 3, 3), 3, padding=1),
        RuntimeError,
        "input image (T: 2 H: 3 W: 3) smaller than kernel size (kT: 3 kH: 3 kW: 3)",
    ),
    (
        lambda: F.batch_norm(Z(1, 3), None, None, training=True),
        ValueError,
        "Expected more than 1 value per channel when training",
    ),
    (lambda: F.layer_norm(Z(2, 3), (2,)), RuntimeError, "Given normalized_shape=[2], expected input with shape [*, 2]"),
    (
        lambda: F.pad(Z(2, 3), (3, 0), "reflect"),
        RuntimeError,
        "Argument #4: Padding size should be less than the corresponding",
    ),
    (lambda: F.embedding(torch.tensor([5]), Z(2, 3)), IndexError, "index out of range in self"),
    (lambda: F.interpolate(Z(1, 1, 3)), ValueError, "either size or scale_factor should be defined"),
    (lambda: torch.cdist(Z(2, 3), Z(2, 4)), RuntimeError, "X1 and X2 must have the same number of columns. X1: 3 X2: 4"),
    (lambda: F.one_hot(torch.tensor([-1])), RuntimeError, "Class values must be non-negative."),
    (lambda: F.glu(Z(3)), RuntimeError, "Halving dimension must be even, but dimension 0 is size 3"),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    f, kind, words = ERRORS[number]
    with pytest.raises(kind) as caught:
        f()
    assert str(caught.value).startswith(words)


def test_pools_of_no_places_and_no_samples() -> None:
    assert F.fractional_max_pool2d(Z(4, 5, 8, 8), 2, output_size=[0, 1]).shape == (4, 5, 0, 1)
    more = torch.rand(2, 3, 2)  # of more samples than there are, the first are taken
    x = torch.randn(1, 3, 6, 6)
    drawn = F.fractional_max_pool2d(x, 2, output_size=3, _random_samples=more)
    assert torch.equal(drawn, F.fractional_max_pool2d(x, 2, output_size=3, _random_samples=more[:1]))
    assert F.adaptive_max_pool2d(Z(0, 1, 2, 2), 2).shape == (0, 1, 2, 2)


@pytest.mark.parametrize(
    ("kernel", "begin"), [(0, [0, 5, 25, 30]), ((0, 1), [0, 4, 25, 29]), ((2, 0), [0, 5, 15, 20]), (-1, [0, 6, 30, 36])]
)
def test_fractional_windows_of_nothing(kernel: int | tuple[int, int], begin: list[int]) -> None:
    """As PyTorch: the greatest of nothing, and where such windows begin."""
    x = torch.ones(1, 2, 5, 5, requires_grad=True)
    out, indices = F.fractional_max_pool2d(x, kernel, output_size=2, return_indices=True, _random_samples=torch.zeros(1, 2, 2))
    assert out.flatten().tolist() == [-math.inf] * 8 and indices.flatten().tolist() == begin * 2
    if max(begin) < 25:
        out.sum().backward()
        assert x.grad.flatten(1).nonzero()[:4, 1].tolist() == begin
    else:
        with pytest.raises(RuntimeError, match="begin outside of the input"):
            out.sum().backward()


def test_embedding_bags_of_no_bags() -> None:
    assert F.embedding_bag(torch.tensor([0, 1]), Z(3, 2), torch.tensor([0]), include_last_offset=True).shape == (0, 2)


@pytest.mark.parametrize("scale, offset", [(1, 0), (50, 0), (1, -60), (3, 500), (1000, 0)])
def test_softmax_of_many_rows_as_of_each(scale, offset):
    values = np.random.default_rng(scale).standard_normal((70, 64)).astype(np.float32) * scale + offset
    values[3] = -np.inf
    values[5, 7] = np.nan
    values[9, :40] = -np.inf
    values[11, 2] = np.inf
    x = torch.from_numpy(values).requires_grad_()
    exact = values.astype(np.float64)
    with np.errstate(all="ignore"):
        off = exact - exact.max(1, keepdims=True)
        logs = off - np.log(np.exp(off).sum(1, keepdims=True))
        exact = np.exp(logs)
    weights = np.linspace(-1, 1, values.size, dtype=np.float32).reshape(values.shape)
    for function, expected in ((torch.softmax, exact), (torch.log_softmax, logs)):
        y = function(x, 1)
        shown = y.detach().numpy()
        whole = np.isfinite(expected)
        assert (np.isnan(shown) == np.isnan(expected)).all()
        np.testing.assert_allclose(shown[whole], expected[whole], 2e-5, 1e-6 if function is torch.softmax else 2e-4)
        sound = ~np.isnan(exact).any(1)
        (grad,) = torch.autograd.grad(y, x, torch.from_numpy(weights))
        g = weights.astype(np.float64)
        slope = (
            exact * (g - (g * exact).sum(1, keepdims=True))
            if function is torch.softmax
            else g - exact * g.sum(1, keepdims=True)
        )
        np.testing.assert_allclose(grad.numpy()[sound], slope[sound], 1e-4, 1e-5)


ROWS = [(5,), (2, 2), (2, 3, 7), (40, 20), (70, 65), (300, 3), (6, 700)]  # few numbers, some, many; short rows and long ones


@pytest.mark.parametrize("shape", ROWS, ids=str)
@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax])
def test_softmax_in_single_precision_as_in_double(function, shape):
    exact, g = (draw(*shape, seed=seed).requires_grad_() for seed in (0, 1))
    single = exact.detach().float().requires_grad_()
    expected, y = function(exact * 3, -1), function(single * 3, -1)
    np.testing.assert_allclose(y.detach(), expected.detach(), 1e-5, 1e-6)
    (slope,) = torch.autograd.grad(expected, exact, g)
    for cotangent in (g.float(), g.float().mT.contiguous().mT if g.dim() > 1 else g.float()):
        (found,) = torch.autograd.grad(y, single, cotangent, retain_graph=True)
        np.testing.assert_allclose(found, slope, 1e-4, 1e-5)


@pytest.mark.parametrize("shape", ROWS, ids=str)
@pytest.mark.parametrize("parameters", [0, 1, 2])
def test_layer_norm_in_single_precision_as_in_double(parameters, shape):
    width = shape[-1:]
    given = [draw(*shape), *(draw(*width, seed=seed) for seed in range(parameters))]
    results = []
    for dtype in (torch.float64, torch.float32):
        inputs = [one.to(dtype).requires_grad_() for one in given]
        y = F.layer_norm(inputs[0], width, *inputs[1:], eps=0.1)
        results.append([y, *torch.autograd.grad(y, inputs, draw(*shape, seed=2).to(dtype))])
    for expected, found in zip(*results, strict=True):
        np.testing.assert_allclose(found.detach(), expected.detach(), 1e-4, 1e-5)


@pytest.mark.parametrize("shape", ROWS, ids=str)
def test_layer_norm_of_one_number_over_and_over_is_zero(shape):
    assert not F.layer_norm(torch.full(shape, 100.1), shape[-1:]).any()


@pytest.mark.parametrize("weight_last", [False, True])
def test_images_with_their_channels_last_stay_so(weight_last: bool) -> None:
    torch.manual_seed(0)
    plain = torch.randn(2, 4, 6, 5)
    image = plain.contiguous(memory_format=torch.channels_last)
    kernel = torch.randn(4, 4, 3, 3)
    if weight_last:
        kernel = kernel.contiguous(memory_format=torch.channels_last)
    functions = (
        lambda x: F.conv2d(x, kernel, padding=1),
        lambda x: F.conv_transpose2d(x, kernel),
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.adaptive_max_pool2d(x, 3),
        lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2, output_size=(6, 5)),
        lambda x: F.group_norm(x, 2),
        lambda x: F.batch_norm(x, None, None, training=True),
        lambda x: F.pad(x, (1, 2)),
        lambda x: F.pad(x, (1, 2, 0, 1), mode="replicate"),
        lambda x: F.interpolate(x, scale_factor=2),
        lambda x: F.pixel_shuffle(torch.cat([x, x], 1), 2),
        lambda x: torch.cat([x, x], 1),
        torch.relu,
    )
    for function in functions:
        out, expected = function(image), function(plain)
        assert out.is_contiguous(memory_format=torch.channels_last)
        assert torch.allclose(out, expected)


def test_pictures_of_bytes_are_rounded_half_up() -> None:
    picture = torch.arange(16, dtype=torch.uint8).reshape(1, 1, 4, 4)
    assert F.interpolate(picture, size=2, mode="bilinear").flatten().tolist() == [3, 5, 11, 13]


def test_norms_of_rows_lie_in_order() -> None:
    assert F.pairwise_distance(torch.ones(3, 4), torch.zeros(3, 4), p=1).stride() == (1,)


def test_pictures_of_bytes_are_bytes_again_after_each_axis() -> None:
    picture = torch.tensor([[[[0, 255, 3], [90, 17, 200], [255, 0, 128]]]], dtype=torch.uint8)
    smaller = F.interpolate(picture, size=(4, 2), mode="bicubic")
    assert smaller.flatten().tolist() == [67, 63, 53, 132, 112, 142, 202, 85]
    larger = F.interpolate(picture, size=(5, 4), mode="bilinear", align_corners=True)
    assert larger[0, 0].tolist() == [
        [0, 170, 171, 3],
        [45, 106, 125, 102],
        [90, 41, 78, 200],
        [173, 63, 61, 164],
        [255, 85, 43, 128],
    ]


@pytest.mark.parametrize("together", [1, 500, 1 << 15])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_samples_of_a_grid_are_each_their_own(mode: str, padding: str, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_sample, "_TOGETHER", together)
    x, grid = draw(5, 3, 6, 7).requires_grad_(), (draw(5, 4, 4, 2) * 1.5).requires_grad_()

    def sampled(x: Any, grid: Any) -> Any:
        return F.grid_sample(x, grid, mode, padding, align_corners=False)

    y = sampled(x, grid)
    y.square().sum().backward()
    alone = torch.cat([sampled(x[place : place + 1], grid[place : place + 1]) for place in range(5)])
    assert torch.equal(y, alone)
    for got, want in zip((x.grad, grid.grad), torch.autograd.grad(alone.square().sum(), (x, grid)), strict=True):
        torch.testing.assert_close(got, want)


def test_a_grid_for_no_samples() -> None:
    x, grid = torch.ones(0, 3, 4, 4, requires_grad=True), torch.zeros(0, 5, 5, 2, requires_grad=True)
    y = F.grid_sample(x, grid, align_corners=False)
    y.sum().backward()
    assert y.shape == (0, 3, 5, 5) and x.grad.shape == x.shape and grid.grad.shape == grid.shape


def test_gradients_of_interpolations_of_no_images() -> None:
    for mode in ("nearest", "bilinear", "bicubic", "area"):
        x = torch.ones(0, 3, 4, 4, requires_grad=True)
        torch.nn.functional.interpolate(x, size=(8, 8), mode=mode).sum().backward()
        assert x.grad is not None and x.grad.shape == x.shape


def test_indices_and_offsets_of_bags_meet_in_one_dtype() -> None:
    weight = torch.arange(6.0).reshape(3, 2)
    indices, offsets = torch.tensor([0, 2, 1]), torch.tensor([0, 2])
    expected = torch.tensor([[4.0, 6], [2, 3]])
    for pair in ((indices.short(), offsets), (indices, offsets.short()), (indices.int(), offsets)):
        assert torch.equal(torch.nn.functional.embedding_bag(pair[0], weight, pair[1], mode="sum"), expected)
    for mode in ("sum", "mean", "max"):
        with pytest.raises(RuntimeError, match=r"scalar types: Long, Int; but got torch\.FloatTensor instead"):
            torch.nn.functional.embedding_bag(indices, weight, offsets.float(), mode=mode)


def test_pixels_shuffled_into_one_channel_have_its_stride_where_channels_lie_last() -> None:
    x = torch.ones(2, 4, 3, 5).to(memory_format=torch.channels_last)
    assert torch.nn.functional.pixel_shuffle(x, 2).stride() == (60, 1, 10, 1)
    assert torch.nn.functional.pixel_shuffle(x.contiguous(), 2).stride() == (60, 60, 10, 1)


@pytest.mark.parametrize(
    ("call", "kernel", "refused"),
    [
        (lambda x: F.avg_pool3d(x(1, 2, 2, 2), 2), "avg_pool3d_out_frame", "Half BFloat16 Byte ComplexFloat"),
        (lambda x: F.lp_pool3d(x(1, 2, 2, 2), 2.0, 2), "avg_pool3d_out_frame", "Half BFloat16"),
        (lambda x: F.local_response_norm(x(1, 2, 3, 3), 2), "avg_pool3d_out_frame", "Half BFloat16 Byte"),
        (lambda x: F.adaptive_avg_pool2d(x(1, 4, 4), 2), "adaptive_avg_pool2d", "ComplexFloat Long"),
        (lambda x: F.adaptive_max_pool3d(x(1, 4, 4, 4), 2), "adaptive_max_pool3d_cpu", "ComplexFloat Long"),
        (lambda x: F.fractional_max_pool2d(x(1, 4, 4), 2, output_size=2), "fractional_max_pool2d_out_frame", "ComplexFloat"),
        (lambda x: F.max_unpool2d(x(1, 1, 1), torch.tensor([[[0]]]), 2), "max_unpool2d", "Long Byte Bool ComplexFloat"),
        (
            lambda x: F.multi_margin_loss(x(2, 3), torch.tensor([0, 1])),
            "multi_margin_loss_cpu_kernel",
            "Half BFloat16 Long Bool",
        ),
        (
            lambda x: F.multilabel_margin_loss(x(2), torch.tensor([0, -1])),
            "multilabel_margin_loss_forward_out_frame",
            "Half BFloat16 Long ComplexFloat",
        ),
        (
            lambda x: F.ctc_loss(x(2, 2), torch.tensor([1]), torch.tensor(2), torch.tensor(1)),
            "ctc_loss_cpu",
            "Half BFloat16 Long",
        ),
        (lambda x: F.multilabel_soft_margin_loss(x(2, 3), x(2, 3)), "log_sigmoid_cpu", "Long Byte ComplexFloat"),
        (lambda x: F.binary_cross_entropy(x(2), x(2)), "binary_cross_entropy", "Long Byte"),
        (lambda x: F.pdist(x(2, 2)), "pdist", "Half BFloat16"),
        (lambda x: F.unfold(x(1, 2, 2), 2), "im2col_out_cpu", "Long Byte"),
        (lambda x: F.fold(x(4, 1), 2, 2), "col2im_out_cpu", "Long Byte"),
    ],
)
def test_dtypes_that_pytorchs_kernels_lack_are_refused(call: Any, kernel: str, refused: str) -> None:
    names = {"Half": torch.half, "BFloat16": torch.bfloat16, "Long": torch.long, "Byte": torch.uint8, "Bool": torch.bool}
    for name in refused.split():
        dtype = names.get(name, torch.complex64)
        with pytest.raises(NotImplementedError) as raised:
            call(lambda *shape, dtype=dtype: torch.ones(shape).to(dtype))
        assert str(raised.value) == f"\"{kernel}\" not implemented for '{name}'"
    call(torch.ones)


def test_tensors_of_bilinear_have_one_dtype() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(
        RuntimeError, match=r"same dtype, got input1: long int, input2: float, weight: double, bias: c10::Half$"
    ):
        F.bilinear(x.long(), x, torch.ones(4, 3, 3).double(), torch.ones(4).half())


def test_losses_of_whole_numbers() -> None:
    x = torch.tensor([2, 3])
    assert F.margin_ranking_loss(x, x + 1, torch.tensor([1, 1])).item() == 1.0
    with pytest.raises(RuntimeError, match="Float can't be cast to the desired output type Long"):
        F.soft_margin_loss(x, x)
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype"):
        F.hinge_embedding_loss(x, torch.tensor([1, -1]))


def test_affine_grids_of_halves_are_halves() -> None:
    theta = torch.tensor([[[1.0, 0, 0], [0, 1, 0]]])
    for dtype in (torch.bfloat16, torch.half):
        x = theta.to(dtype).requires_grad_()
        grid = F.affine_grid(x, (1, 1, 2, 2), align_corners=False)
        grid.sum().backward()
        assert grid.dtype is dtype and x.grad is not None and x.grad.dtype is dtype
        assert torch.equal(grid.float(), F.affine_grid(theta, (1, 1, 2, 2), align_corners=False))
