"""What XLA computes of a trace, where JAX is installed: each op's line beside its kernel, loops, and whole programs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.ops.table import table

jax: Any = pytest.importorskip("jax")

from rushlight.compiled.capture import trace as t  # noqa: E402
from rushlight.compiled.xla import program  # noqa: E402
from rushlight.compiled.xla.loop_invariants import Sum, parted  # noqa: E402
from rushlight.compiled.xla.loop_rerolling import Loop, rolled  # noqa: E402
from rushlight.compiled.xla.lowering import lowered  # noqa: E402


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: Any) -> None:
    if jax.config.jax_compilation_cache_dir is None:
        jax.config.update("jax_compilation_cache_dir", str(tmp_path_factory.mktemp("xla")))


def lines() -> dict[str, Any]:
    return lowered(jax.numpy, jax.lax, jax.nn, jax.vjp)


G = np.random.default_rng(0)


def f(*shape: int) -> Any:
    return G.standard_normal(shape).astype("f")


classes, rows = np.array([0, 2, -100, 1]), np.array([[1, 0, 2], [2, 2, 1]])
SAMPLES: dict[str, list[tuple[Any, ...]]] = {
    "attention": [(f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4), None, False, 0.5), (*(f(1, 2, 3, 4) for _ in range(3)), None, True, 0.5)],
    "attention_slopes": [
        (*(f(1, 2, 3, 4) for _ in range(4)), None, True, 0.5),
        (f(1, 2, 3, 4), f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4), f(3, 5), False, 0.5),
    ],
    "batch_norm_slopes": [(f(4, 3, 5), f(4, 3, 5), f(3), 1e-5, (True, True, True)), (f(4, 3), f(4, 3), None, 1e-5, (True, False, False))],
    "batch_norm": [(f(4, 3, 5), f(3), f(3), 1e-5), (f(4, 3), None, None, 1e-5)],
    "batch_norm_given": [(f(4, 3, 5), f(3), abs(f(3)), f(3), f(3), 1e-5)],
    "binary_cross_entropy_with_logits": [(f(2, 3), f(2, 3), None, None, "mean"), (f(2, 3), f(2, 3), f(3), f(3), "none")],
    "causal": [(f(2, 3, 3),)],
    "clamp": [(f(9), -0.5, 0.5), (f(9), None, 0.5)],
    "conv": [(f(2, 1, 6, 5), f(3, 1, 2, 3), (1, 2), (1, 0), (1, 1), 1, None), (f(2, 4, 6), f(6, 2, 3), (1,), (1,), (2,), 2, f(6))],
    "conv_input_grad": [(f(2, 3, 4, 4), f(3, 1, 3, 3), (2, 1, 6, 6), (1, 1), (0, 0), (1, 1), 1)],
    "conv_weight_grad": [(f(2, 3, 4, 4), f(2, 2, 6, 6), (3, 2, 3, 3), (1, 1), (0, 0), (1, 1), 1)],
    "convolution": [
        (f(2, 2, 6, 6), f(3, 2, 3, 3), f(3), (2, 2), (1, 1), (1, 1), False, (0, 0), 1),
        (f(2, 2, 4, 4), f(2, 3, 3, 3), f(3), (2, 2), (1, 1), (1, 1), True, (1, 1), 1),
    ],
    "embed_slice": [(f(2, 2), (2, 5), 1, 1, 4, 2)],
    "embed_select": [(f(2, 3), (2, 4, 3), 1, 2)],
    "embedding": [(f(3, 4), rows, -1, False, False)],
    "embedding_adjoint": [(f(2, 3, 4), rows, (3, 4), -1, False, False), (f(2, 3, 4), rows, (3, 4), 2, False, False)],
    "gelu_erf": [(f(9),)], "gelu_erf_backward": [(f(9), f(9))], "gelu_tanh": [(f(9),)], "gelu_tanh_backward": [(f(9), f(9))],
    "layer_norm_slopes": [(f(2, 5), f(2, 5), f(5), (1,), 1e-5, needs) for needs in ((True, True, True), (False, True, False))],
    "layer_norm": [(f(2, 5), f(5), f(5), (1,), 1e-5)],
    "log_softmax": [(f(2, 5), 1)], "log_softmax_grad": [(f(2, 5), f(2, 5), 1)],
    "logsumexp": [(f(2, 5), (1,), True), (f(2, 5), (), False)],
    "masked_fill": [(f(2, 5), f(2, 5) > 0, 3)],
    "max_pool2": [
        (f(2, 2, 6, 6), (2, 2), (2, 2), (0, 0), (1, 1), False), (np.round(f(1, 1, 7, 7)), (3, 3), (2, 2), (1, 1), (1, 1), True),
        (np.array([[[1.0, np.nan], [np.nan, 2.0]]], "f")[None], (2, 2), (2, 2), (0, 0), (1, 1), False),
    ],
    "pool_scatter": [(f(1, 2, 2, 2), np.array([[[[0, 3], [3, 15]], [[1, 2], [4, 5]]]]), (1, 2, 4, 4), 2)],
    "mean": [(f(2, 5), (1,), True, None), (f(2, 5), (), False, None)],
    "mse_loss": [(f(2, 5), f(2, 5), "mean")], "mse_loss_backward": [(f(), f(2, 5), f(2, 5), "mean")],
    "nll_loss": [(f(4, 3), classes, w, r, -100) for w in (None, f(3)) for r in ("mean", "sum", "none")],
    "nll_loss_adjoint": [(f(), f(4, 3), classes, None, "mean", -100), (f(4), f(4, 3), classes, f(3), "none", -100)],
    "normalized": [(f(2, 5), (1,), 1e-5)], "normalized_backward": [(f(2, 5), f(2, 5), (1,), 1e-5)],
    "only": [(f(5), f(5) > 0, None)],
    "relu_backward": [(f(5), f(5))], "sigmoid_backward": [(f(5), f(5))], "tanh_backward": [(f(5), f(5))],
    "silu": [(f(5),)], "softmax": [(f(2, 5), 1)], "softmax_grad": [(f(2, 5), f(2, 5), 1)],
    "slice": [(f(2, 5), 1, 1, 5, 2)], "split": [(f(2, 5), (2, 3), 1)], "sum": [(f(2, 5), (0,), True, None), (f(2, 5), (), False, None)],
    "transpose": [(f(2, 3), 0, 1), (f(), -1, -1)],
    "where": [(f(5) > 0, f(5), f(5))],
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_a_line_gives_what_the_kernel_gives(name: str) -> None:
    for sample in SAMPLES[name]:
        with jax.enable_x64(True):
            found = lines()[name](*sample)
        expected: Any = table[name].kernel(*sample)
        several = isinstance(expected, (tuple, list))
        for mine, its in zip(found if several else [found], expected if several else [expected], strict=True):
            assert mine.shape == its.shape
            np.testing.assert_allclose(mine, its, rtol=2e-5, atol=2e-6)


def test_rounds_that_repeat_themselves_are_a_loop_unless_weights_change() -> None:
    value = t.Value((2,), np.dtype("f"), (4,), 0)

    def rounds(weights: list[int]) -> list[t.Apply]:
        ops, state = [], 0
        for turn, weight in enumerate(weights):
            first = 100 + 3 * turn
            ops += [
                t.Apply("mul", (t.Ref(state), t.Ref(weight)), (), (first,)),
                t.Apply("add", (t.Ref(first), t.Ref(10 + turn)), (), (first + 1,)),
                t.Apply("neg", (t.Ref(first + 1),), (), (first + 2,)),
            ]
            state = first + 2
        return ops

    (loop,) = rolled(rounds([1] * 6), [value] * 200, {1, 2, 3, 4, 5, 6})
    assert isinstance(loop, Loop) and len(loop.rounds) == 6 and len(loop.ops) == 3
    assert loop.sources == {0: ("before", (2, 0)), 1: ("same", 1), 10: ("other", (10, 11, 12, 13, 14, 15))}
    layers = rounds([1, 2, 3, 4, 5, 6])
    assert rolled(layers, [value] * 200, {1, 2, 3, 4, 5, 6}) == layers


def test_products_that_no_round_needs_stand_before_the_loop_and_sums_behind_it() -> None:
    value = t.Value((2, 2), np.dtype("f"), (8, 4), 0)
    ops, state, total = [], 0, 1
    for turn in range(6):
        first = 100 + 4 * turn
        ops += [
            t.Apply("mm", (t.Ref(10 + turn), t.Ref(2)), (), (first,)),
            t.Apply("add", (t.Ref(state), t.Ref(first)), (), (first + 1,)),
            t.Apply("mm", (t.Ref(first + 1), t.Ref(10 + turn)), (), (first + 2,), value.dtype),
            t.Apply("add", (t.Ref(total), t.Ref(first + 2)), (), (first + 3,), value.dtype),
        ]
        state, total = first + 1, first + 3
    (loop,) = rolled(ops, [value] * 200, {2})
    assert isinstance(loop, Loop)
    parts = parted(loop, {state, total})
    assert (parts.before, parts.inside, parts.sums) == ([0], [1], [Sum(101, 10, (3, 0))])
    seen = parted(loop, {state, total, 107})  # the sum of the rounds up to the second is read as well
    assert (seen.before, seen.inside, seen.sums) == ([0], [1, 2, 3], [])


def by_hand() -> tuple[Any, list[Any]]:
    """Parameters that the step itself writes to, and reads again."""
    w, u, x, y = torch.randn(6, 5), torch.randn(5, 1), torch.randn(9, 6), torch.randn(9, 1)
    parameters = [w.requires_grad_(), u.requires_grad_()]

    def step() -> Any:
        for _ in range(2):
            loss = ((x @ w).tanh() @ u - y).pow(2).mean()
            loss.backward()
            with torch.no_grad():
                for p in parameters:
                    p -= 0.1 * p.grad + 0.01 * p.clone()
                    p.grad = None
        return loss.detach()

    return step, parameters


def normalized() -> tuple[Any, list[Any]]:
    """Running statistics, and counts of batches, which the step writes to and its user sees."""
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 5), torch.nn.BatchNorm1d(5), torch.nn.Tanh(), torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4, affine=False),
    )  # fmt: skip
    x, seen = torch.randn(9, 6), net[1].running_var
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step() -> Any:
        optimizer.zero_grad()
        loss = net(x).tanh().pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, [*net.parameters(), *net.buffers(), seen]


def lstm() -> tuple[Any, list[Any]]:
    w, u, b = ((torch.randn(*shape) * 0.3).requires_grad_() for shape in ((3, 16), (4, 16), (16,)))
    x = torch.randn(9, 2, 3)

    def step() -> Any:
        h = c = torch.zeros(2, 4)
        for one in x:
            i, f, g, o = (one @ w + h @ u + b).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        h.pow(2).mean().backward()
        with torch.no_grad():
            for p in (w, u, b):
                p -= 0.1 * p.grad
                p.grad = None
        return h.detach()

    return step, [w, u, b]


def net() -> tuple[Any, list[Any]]:
    body = torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(4, 2, 2, 2), torch.nn.Flatten(),
        torch.nn.LayerNorm(8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 3),
    )  # fmt: skip
    x, y = torch.randn(5, 1, 10, 10), torch.randint(0, 3, (5,))
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1, momentum=0.9)

    def step() -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(body(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, list(body.parameters())


def attention() -> tuple[Any, list[Any]]:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, activation="gelu")
    x = torch.randn(2, 5, 8)
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)

    def step() -> Any:
        optimizer.zero_grad()
        loss = layer(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, []  # of gradients that are rounding errors Adam makes whole steps


@pytest.mark.parametrize("make", [lstm, net, attention, by_hand, normalized])
def test_a_program_gives_what_it_gives_as_it_is(make: Any) -> None:
    torch.manual_seed(1)
    step, tensors = make()
    torch.manual_seed(1)
    other, others = make()
    fast: Any = torch.compile(other, backend="xla", fullgraph=True)
    fast._compiled.always = True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in range(6):
            torch.manual_seed(call)
            expected = step()
            torch.manual_seed(call)
            assert torch.allclose(fast(), expected, rtol=1e-4, atol=1e-5)
            for mine, its in zip(others, tensors, strict=True):
                assert mine._version == its._version
                assert torch.allclose(mine.double(), its.double(), rtol=1e-4, atol=1e-5)
    form = fast._compiled.forms[-1]
    assert type(form.program).__name__ == "XlaProgram"
    stretches = str(form.program.trace).count("host xla")
    assert stretches == (2 if make is by_hand else 1)  # no op in the middle that XLA does not know


INF, NAN = float("inf"), float("nan")
SPECIAL = torch.tensor([[NAN, INF, -INF, 0.0], [-0.0, 1e20, -1e20, 2.5], [-INF, -INF, -INF, -INF]])
FUNCTIONS: dict[str, Any] = {
    "relu": torch.relu, "softmax": lambda x: x.softmax(1), "log_softmax": lambda x: x.log_softmax(1), "root": lambda x: x**0.5,
    "inverse root": lambda x: x**-0.5, "clamp": lambda x: x.clamp(-1, 1), "maximum": lambda x: torch.maximum(x, x.flip(0)),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=x[:, :3]),
    "what a mask hides": lambda x: F.scaled_dot_product_attention(*[torch.ones(3, 4)] * 3, attn_mask=x[:, :3] > 0),
    "no class": lambda x: F.nll_loss(x, torch.tensor([0, -100, 2])), "cross entropy": lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2])),
    "convolution": lambda x: F.conv2d(x.view(1, 1, 3, 4), torch.ones(1, 1, 2, 2)), "pooling": lambda x: F.max_pool2d(x.view(1, 3, 4), 2, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_infinite_or_no_number_is_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "SHORTEST", 1)

    def step(x: Any) -> Any:
        result = FUNCTIONS[name](x) * 1
        return result.detach(), torch.autograd.grad((result * result).sum(), x)[0] if result.requires_grad else x * 1

    fast: Any = torch.compile(step, backend="xla", fullgraph=True)
    fast._compiled.always = True
    for given in [
        torch.randn(3, 4),
        torch.randn(3, 4),
        SPECIAL,
        SPECIAL.flip(1),
        torch.full((3, 4), -INF),
        torch.full((3, 4), INF),
    ]:
        x = given.requires_grad_()
        for mine, its in zip(fast(x), step(x), strict=True):
            assert torch.allclose(mine, its, rtol=1e-4, equal_nan=True)
    assert type(fast._compiled.forms[0].program).__name__ == "XlaProgram"


@pytest.mark.parametrize("drops", [False, True])
def test_indices_beyond_what_they_look_up_are_refused(drops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whatever nobody asks for too, and before anything is changed: running statistics are those of the program as it is."""
    monkeypatch.setattr(program, "SHORTEST", 1)

    def make() -> tuple[Any, list[Any], Any, Any]:
        torch.manual_seed(2)
        table = nn.Embedding(4, 3)
        model = nn.Sequential(table, nn.BatchNorm1d(3), nn.Linear(3, 3))
        rows, labels = torch.tensor([0, 1, 2, 3]), torch.tensor([0, 1, 2, 0])

        def step() -> Any:
            model.zero_grad()
            loss = F.cross_entropy(model(rows), labels.view(-1))
            loss.backward()
            return model[2].weight.grad if drops else loss.detach()

        return step, [*model.parameters(), *model.buffers()], rows, labels

    found = []
    for compiled in (False, True):
        step, tensors, rows, labels = make()
        function: Any = step
        if compiled:
            function = torch.compile(step, backend="xla")
            function._compiled.always = True
        log: list[Any] = []
        for call in range(10):
            rows[0], labels[0] = {4: (4, 0), 6: (-1, 0), 8: (0, 3)}.get(call, (call % 4, call % 3))
            try:
                log.append(function())
            except IndexError as error:
                log.append(str(error))
            log += [one.detach().clone() for one in tensors]
        found.append(log)
    assert type(function._compiled.forms[0].program).__name__ == "XlaProgram"
    for mine, its in zip(*found, strict=True):
        assert mine == its if isinstance(its, str) else torch.allclose(mine, its, rtol=1e-4, atol=1e-5)


def test_what_is_too_long_for_xla_is_replayed_all_the_same() -> None:
    x = torch.randn(3, requires_grad=True)

    def step(x: Any) -> Any:
        for turn in range(900):
            x = x + (1.0 + turn * turn)
        return x

    fast: Any = torch.compile(step, backend="xla", fullgraph=True)
    fast._compiled.always = True
    for _ in range(4):
        assert torch.equal(fast(x), step(x))
    assert type(fast._compiled.forms[-1].program).__name__ == "Program"


def test_what_xla_does_not_take_is_replayed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: Any) -> Any:
        raise TypeError("not this")

    monkeypatch.setattr(program, "lowered", lambda *given: lowered(*given) | {"tanh": refuses})
    w = torch.randn(3, requires_grad=True)

    def step(x: Any) -> Any:
        for turn in range(9):
            x = (x * w).tanh() + turn
        return x.sum()

    fast: Any = torch.compile(step, backend="xla", fullgraph=True)
    fast._compiled.always = True
    for call in range(4):
        found = [torch.autograd.grad(one(torch.ones(3) * call), w)[0] for one in (step, fast)]
        assert torch.equal(*found)
    assert type(fast._compiled.forms[-1].program).__name__ == "Program"


def test_xla_is_the_default_where_it_is_installed() -> None:
    assert [one.__name__ for one in torch.compile(lambda x: x)._compiled.builds] == ["XlaProgram", "Program"]  # type: ignore[attr-defined]
