"""Exported models give what the program gives, by ONNX's own runtime; what cannot be written says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn

onnxruntime = pytest.importorskip("onnxruntime")
onnx: Any = torch.onnx
export = onnx.export
torch.manual_seed(0)


def run(program: Any, *arguments: Any) -> list[Any]:
    """What the runtime gives."""
    session = onnxruntime.InferenceSession(program.model_proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(
        None, dict(zip([one.name for one in session.get_inputs()], [one.numpy() for one in arguments], strict=True))
    )


def check(function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """On the example, and on other numbers."""
    program = export(function, arguments, **options)
    for scale in (1, 0.7):
        given = [one if one.dtype in (torch.int64, torch.bool) else one * scale for one in arguments]
        expected = function(*given)
        expected = expected if isinstance(expected, (tuple, list)) else [expected]
        for one, other in zip(run(program, *given), expected, strict=True):
            assert one.dtype == other.detach().numpy().dtype
            assert one.shape == tuple(other.shape)
            assert torch.allclose(torch.from_numpy(one), other.detach(), rtol=1e-4, atol=1e-5)


X = torch.randn(2, 4)
PLACES = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 0]])
IMAGE = torch.randn(2, 3, 8, 8)
OPS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: (x + 1) * x / 2 - x**2 + (1 - x) + -x.abs(),
    "powers": lambda x: (x.abs() + 1) ** 0.5 + 2 ** x + x.pow(3) + (x.abs() + 1).rsqrt(),
    "functions": lambda x: x.exp() + x.sin() * x.cos() + (x * x + 1).log().sqrt() + x.tanh() + torch.erf(x) + x.atan(),
    "rounding": lambda x: torch.stack([x.floor(), x.ceil(), x.round(), x.sign(), x.remainder(0.3)]),
    "activations": lambda x: torch.stack([F.relu(x), F.silu(x), F.mish(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.elu(x)]),
    "hard": lambda x: torch.stack([F.hardtanh(x), F.hardsigmoid(x), F.hardswish(x), F.leaky_relu(x, 0.1), F.relu6(x)]),
    "soft": lambda x: torch.stack([F.softplus(x), F.softplus(x, 2, 0.5), F.logsigmoid(x), x.sigmoid(), F.selu(x)]),
    "glu": lambda x: F.glu(x, 1),
    "softmax": lambda x: torch.stack([x.softmax(1), x.log_softmax(0), x.logsumexp(1, keepdim=True).expand(2, 4)]),
    "sums": lambda x: (x.sum(), x.mean(), x.sum(1), x.mean(0, keepdim=True), x.prod(1), x.cumsum(1)),
    "spread": lambda x: (x.std(1), x.var(0, keepdim=True), x.std(), x.norm(), x.norm(1, 1)),
    "extremes": lambda x: (x.max(), x.min(), x.amax(1), x.max(1).values, x.min(0, keepdim=True).values, x.argmax(1), x.argmin()),
    "bounds": lambda x: (x.clamp(-0.5, 0.5), x.clamp(min=0), x.clamp(max=0.1), torch.maximum(x, -x), torch.minimum(x, x * x)),
    "comparisons": lambda x: (x > 0, x <= 0.5, x == x, x != 1, (x > 0) & (x < 1) | (x < -1), ~(x > 0)),
    "choices": lambda x: torch.where(x > 0, x, x * 2) + x.masked_fill(x > 0.3, 7.0),
    "shapes": lambda x: (x.view(8), x.reshape(2, 2, 2).permute(2, 0, 1), x.T, x.unsqueeze(1).squeeze(1), x.flatten()),
    "parts": lambda x: (x[0], x[:, 1:3], x[..., ::2], x[1, 2], *x.chunk(2, 1), *x.split([1, 3], 1), *x.unbind(0)),
    "together": lambda x: (torch.cat([x, x], 1), torch.stack([x, x * 2], 1), x.expand(3, 2, 4), x.repeat(2, 1, 3), x.flip(1)),
    "triangles": lambda x: (x.tril(), x.triu(1), F.pad(x, (1, 2)), F.pad(x, (1, 0, 0, 2), value=3.0)),
    "products": lambda x: (x @ x.T, torch.bmm(x[None], x.T[None]), x[0] @ x[1], x @ x[0], torch.einsum("ij,kj->ik", x, x)),
    "casts": lambda x: (x.double() + 1, (x > 0).float(), x.double().to(torch.float32), (x > 0).double(), (x * 3).long(), x.int().bool()),
    "made": lambda x: x + torch.arange(4) + torch.zeros(2, 1) + torch.eye(2, 4) + torch.full((4,), 2.0),
    "written": lambda x: x.clone().add_(1).mul_(x),
    "order": lambda x: (*x.topk(3), *x.sort(1), x.argsort(1, descending=True), F.one_hot(x.argmax(1), 4)),
    "normalized": lambda x: (F.rms_norm(x, (4,)), F.layer_norm(x, (4,)), F.group_norm(x[:, :, None], 2), F.normalize(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPS)
def test_ops(name: str) -> None:
    check(OPS[name], X)


def test_indices() -> None:
    check(lambda x, index: (x.gather(1, index), x.index_select(0, index[0]), F.embedding(index, x)), X, PLACES)


LAYERS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "convolutions": (
        nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), nn.ReLU(), nn.Conv2d(6, 6, 3, padding=2, dilation=2, groups=2)),
        (IMAGE,),
    ),
    "of one dimension": (nn.Conv1d(4, 3, 1), (torch.randn(2, 4, 5),)),
    "transposed": (nn.ConvTranspose2d(3, 2, 3, 2, 1, 1), (IMAGE,)),
    "batch norm": (nn.Sequential(nn.BatchNorm2d(3), nn.Conv2d(3, 4, 1, bias=False), nn.BatchNorm2d(4, affine=False)), (IMAGE,)),
    "pools": (nn.Sequential(nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten()), (IMAGE,)),
    "adaptive": (nn.Sequential(nn.AdaptiveAvgPool2d(4), nn.AdaptiveMaxPool2d(2)), (IMAGE,)),
    "resized": (nn.Sequential(nn.Upsample(scale_factor=2), nn.Upsample(size=(9, 20), mode="bilinear")), (IMAGE,)),
    "corners": (nn.Upsample(size=(5, 11), mode="bilinear", align_corners=True), (IMAGE,)),
    "of three dimensions": (nn.Sequential(nn.Conv3d(1, 2, 3), nn.MaxPool3d(2), nn.AvgPool3d(1)), (torch.randn(1, 1, 6, 6, 6),)),
    "perceptron": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3), nn.Softmax(1)), (X,)),
    "norms": (nn.Sequential(nn.LayerNorm([3, 8, 8]), nn.GroupNorm(3, 3), nn.PReLU()), (IMAGE,)),
    "attention": (nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), (torch.randn(2, 5, 16),)),
    "instance norm": (nn.InstanceNorm2d(3, affine=True), (IMAGE,)),
    "weight norm": (nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 6, 3)), (torch.randn(2, 4, 5),)),
    "rnn": (nn.RNN(4, 3, batch_first=True), (torch.randn(2, 5, 4),)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str) -> None:
    layer, arguments = LAYERS[name]
    layer.eval()
    check(lambda *given: layer(*given)[0] if name == "rnn" else layer(*given), *arguments)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
@pytest.mark.parametrize("two_ways", [False, True])
def test_recurrent_networks(kind: Any, two_ways: bool) -> None:
    net = kind(4, 3, num_layers=2, batch_first=True, bidirectional=two_ways).eval()
    embedding = nn.Embedding(7, 4)
    check(lambda index: net(embedding(index))[0], torch.randint(0, 7, (2, 5)))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("options", [{}, {"padding_idx": 2}, {"include_last_offset": True}])
def test_bags(mode: str, options: dict[str, Any]) -> None:
    net = nn.EmbeddingBag(7, 4, mode=mode, **options)
    inputs = torch.tensor([1, 2, 6, 2, 0, 2]), torch.tensor([0, 2, 2, 5, 6])  # the second is empty
    check(net, *inputs)
    program = export(net, inputs)
    for others in (
        (torch.tensor([2, 2, 3, 4, 5, 2]), torch.tensor([0, 1, 2, 6, 6])),
        (inputs[0].flip(0), torch.tensor([0] * 4 + [6])),
    ):
        assert torch.allclose(torch.from_numpy(run(program, *others)[0]), net(*others), rtol=1e-5, atol=1e-6)
    if "include_last_offset" not in options:
        check(net, torch.tensor([[0, 1], [2, 6], [2, 2]]))


def test_bags_of_weighted_rows() -> None:
    net = nn.EmbeddingBag(7, 4, mode="sum")
    check(lambda rows, shares: net(rows, per_sample_weights=shares), torch.tensor([[0, 1, 1], [6, 2, 3]]), torch.randn(2, 3))


def test_causal_attention() -> None:
    query, key, value = (torch.randn(2, 2, 5, 4) for _ in range(3))
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), query, key, value)
    mask = torch.randn(5, 5)
    check(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), query, key, value, mask)
    seen = torch.rand(5, 5) < 0.7
    check(
        lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), query, key, value, seen | torch.eye(5).bool()
    )


def test_padding_of_sequences() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    check(lambda x, padding: net(x, src_key_padding_mask=padding), torch.randn(2, 5, 16), padding)


@pytest.mark.parametrize("opset", [18, 21])
def test_names_and_files(tmp_path: Any, opset: int) -> None:
    net = nn.Linear(4, 3)
    path = tmp_path / "net.onnx"
    names = {"input_names": ["numbers"], "output_names": ["scores"]}
    program = export(net, (X,), path, opset_version=opset, dynamo=False, **names)
    session = onnxruntime.InferenceSession(str(path))
    assert [one.name for one in session.get_inputs()] == ["numbers"]
    assert [one.name for one in session.get_outputs()] == ["scores"]
    assert {one.name for one in program.model_proto.graph.initializer} >= {"weight", "bias"}
    assert math.isclose(session.run(None, {"numbers": X.numpy()})[0][0, 0], net(X)[0, 0].item(), rel_tol=1e-5)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x * x.sum().item(), r"item\(\) looks at a tensor's values"),
        (lambda x: x + torch.randn(4), "draws numbers"),
        (nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)), r"is the module in eval\(\)"),
        (lambda x: torch.linalg.inv(x[:, :2]), "the op inv has no line"),
        (lambda x: F.max_pool1d(x, 2, return_indices=True)[1], "such as the places of a maximum"),
        (lambda x: x.data.mul_(2) + 1, "changes a tensor that was there before"),
        (lambda x: 3, "a result that is no tensor"),
    ],
)
def test_what_cannot_be_written(function: Any, message: str) -> None:
    with pytest.raises(onnx.OnnxExporterError, match=message):
        export(function, (X,))


def test_sets_of_operators_that_are_too_old() -> None:
    with pytest.raises(ValueError, match="opset_version 11: models are written for 18 to 23"):
        export(nn.Linear(4, 3), (X,), opset_version=11)
