"""What a recording sees: hooks that run inside of ops, results of every kind, shapes that depend on values."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.autograd.graph import save_on_cpu, saved_tensors_hooks
from rushlight.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from rushlight.ops import promotion
from rushlight.ops.table import table


def compiled(function: Callable[..., Any]) -> Any:
    """The function compiled, replayed even where that is not faster."""
    call: Any = torch.compile(function)
    call._compiled.always = True
    return call


# XLA's tanh is off by up to 4.4 units in the last place, so 1 - tanh(x) ** 2 is by 5e-7 where that is next to nothing: here times
# tangents of up to 36. One by expm1 or exp is off by 4 to 6 as well, and takes sixteen times as long.
OFF = 1e-6 if importlib.util.find_spec("jax") is None else 2e-5


def is_replayed(call: Any) -> bool:
    return call._compiled.forms[-1].program is not None


def test_a_hook_that_takes_values_from_what_is_saved_ends_it() -> None:
    w = torch.ones(2, requires_grad=True)

    def step() -> Any:
        with saved_tensors_hooks(lambda saved: saved.tolist(), torch.tensor):
            loss = (w * w).sum()
        loss.backward()
        return w.grad

    fast = compiled(step)
    with pytest.warns(UserWarning, match=r"tolist\(\) looks at a tensor's values"):
        for number in (1.0, 1.0, 1.0, 3.0):
            w.grad = None
            with torch.no_grad():
                w.fill_(number)
            assert fast().tolist() == [2 * number, 2 * number]


@pytest.mark.parametrize("hooks", [save_on_cpu, lambda: saved_tensors_hooks(lambda saved: saved * 2, lambda kept: kept / 2)])
def test_hooks_that_compute_with_what_is_saved_are_replayed(hooks: Callable[[], Any]) -> None:
    w = torch.ones(2, requires_grad=True)

    def step() -> Any:
        with hooks():
            loss = w.exp().log().sum() + (w * w).sum()  # an op's input, its result, and one tensor twice
        loss.backward()
        return w.grad

    fast = compiled(step)
    for number in (1.0, 1.0, 1.0, 3.0):
        w.grad = None
        with torch.no_grad():
            w.fill_(number)
        assert fast().tolist() == pytest.approx([1 + 2 * number] * 2)
    assert is_replayed(fast)


def test_results_made_in_inference_mode() -> None:
    w = torch.ones(2, requires_grad=True)

    def predict(x: Any) -> Any:
        with torch.inference_mode():
            return w * x

    inside = compiled(predict)
    around = compiled(lambda x: w * x)
    for number in range(12):  # each block is a mode of its own
        x = torch.full((2,), float(number))
        assert inside(x).is_inference() and inside(x).tolist() == [number, number]
        with torch.inference_mode():
            result = around(x)
        assert result.is_inference() and result.tolist() == [number, number]
    assert is_replayed(inside) and is_replayed(around)
    assert len(around._compiled.forms) == 1


def test_a_result_that_is_a_view_of_what_the_function_made() -> None:
    fast = compiled(lambda x: (x * 2).view(-1))
    for _ in range(4):
        assert fast(torch.ones(2, 2)).tolist() == [2.0] * 4
    assert is_replayed(fast)


def test_lengths_of_sequences_may_change() -> None:
    scores = torch.randn(5, 2, 4, requires_grad=True)
    labels, times, sizes = torch.tensor([[1, 2, 3], [3, 1, 2]]), torch.tensor([5, 4]), torch.tensor([3, 2])
    optimizer = torch.optim.SGD([scores], 0.1)

    def step() -> Any:
        optimizer.zero_grad()  # a change before what the shapes depend on
        F.ctc_loss(scores.log_softmax(2), labels, times, sizes).backward()
        return scores.grad.clone()

    fast = compiled(step)
    for number, (first, second) in enumerate([(3, 2), (3, 2), (3, 2), (3, 1), (2, 1), (1, 1), (3, 3)]):
        sizes.copy_(torch.tensor([first, second]))
        assert torch.allclose(fast(), step(), atol=1e-6), number
    assert is_replayed(fast)
    sizes.fill_(4)
    with pytest.raises(RuntimeError, match="Expected tensor to have size at least 4 at dimension 1"):
        fast()


def test_a_shape_that_depends_on_what_the_program_wrote_is_not_replayed() -> None:
    def function(x: Any) -> Any:
        x.add_(1)
        return x.unique()

    fast = compiled(function)
    with pytest.warns(UserWarning, match="a shape that depends on values"):
        for _ in range(4):
            assert fast(torch.tensor([1, 1, 2])).tolist() == [2, 3]
    ahead = compiled(lambda x: (x.unique(), x.add_(1)))
    for numbers, distinct in (([1, 1], [1]), ([2, 2], [2]), ([3, 3], [3]), ([3, 4], [3, 4])):
        x = torch.tensor(numbers)
        assert ahead(x)[0].tolist() == distinct
        assert x.tolist() == [number + 1 for number in numbers]


def layer(x: Any) -> Any:
    return torch.tanh(x * torch.arange(3.0) + x.sum())


INSIDE: dict[str, Callable[[Any], Any]] = {
    "grad": grad(lambda x: layer(x).sum()),
    "jacrev": jacrev(layer),
    "jacrev by rows": jacrev(layer, chunk_size=1),
    "jacrev of jacrev": jacrev(jacrev(layer)),
    "vmap of jacrev": lambda x: vmap(jacrev(layer))(torch.stack([x, 2 * x])),
    "vmap of grad": lambda x: vmap(grad(lambda one: layer(one).sum()))(torch.stack([x, 2 * x])),
    "vjp": lambda x: vjp(layer, x)[1](x)[0],
    "jvp": lambda x: torch.stack(jvp(layer, (x,), (2 * x,))),
    "jvp of sorts and norms": lambda x: jvp(lambda y: y.max() + y.sort()[0] * y.cumsum(0) + y.norm(), (x,), (2 * x,))[1],
    "jvp of grad": lambda x: jvp(grad(lambda y: layer(y).sum()), (x,), (2 * x,))[1],
    "jacfwd": jacfwd(layer),
    "jacfwd of jacfwd": jacfwd(jacfwd(layer)),
    "hessian": hessian(lambda x: layer(x).sum()),
    "vmap of jacfwd": lambda x: vmap(jacfwd(layer))(torch.stack([x, 2 * x])),
}


@pytest.mark.parametrize("name", INSIDE)
def test_transforms_inside_are_replayed(name: str) -> None:
    fast = compiled(INSIDE[name])
    for number in range(5):
        x = torch.linspace(0.1, number + 1.0, 3)
        assert torch.allclose(fast(x), INSIDE[name](x), atol=OFF)
    assert is_replayed(fast)


def test_a_mask_that_is_an_argument_is_an_input() -> None:
    fast = compiled(lambda q, mask: F.scaled_dot_product_attention(q, q, q, attn_mask=mask))
    for number in range(5):
        query, mask = torch.randn(2, 3, 4), torch.randn(3, 3) * number
        expected = F.scaled_dot_product_attention(query, query, query, attn_mask=mask)
        assert torch.allclose(fast(query, mask), expected, atol=1e-6)
    assert is_replayed(fast)


def test_compiled_functions_inside_transforms() -> None:
    fast = compiled(layer)
    x = torch.linspace(0.1, 1.0, 3)
    for _ in range(4):
        fast(x)
    batch = torch.stack([x, 2 * x])
    for inside, outside in (
        (jacrev(fast)(x), jacrev(layer)(x)),
        (jacfwd(fast)(x), jacrev(layer)(x)),
        (vmap(fast)(batch), vmap(layer)(batch)),
        (vmap(grad(lambda one: fast(one).sum()))(batch), vmap(grad(lambda one: layer(one).sum()))(batch)),
        (torch.autograd.functional.jacobian(fast, x), jacrev(layer)(x)),
    ):
        assert torch.allclose(inside, outside, atol=1e-6)
    assert fast._compiled.forms[0].program is not None


def _by_masks(x: Any) -> Any:
    y = x.clone()
    y[x > 0.5] = 7.0
    y[torch.tensor([0, 0]), torch.tensor([1, 2])] += 1
    return y, x[x > 0.5].sum(), (x > 0.5).nonzero(), torch.where(x > 0.5)[1]


def _adversarial(x: Any) -> Any:
    near = x.detach().requires_grad_()
    near.sin().sum().backward()
    other = x.clone().requires_grad_()
    for _ in range(2):
        (other * near.detach()).sum().backward()
    return x + 0.1 * near.grad.sign(), other.grad


def _through_data(x: Any) -> Any:
    x.data.mul_(0.5)
    return x + 1


SEEN: dict[str, Callable[..., Any]] = {
    "casts": lambda x: (x.long(), (x > 0).int().sum(), x.to(torch.uint8), x.bool(), x.bfloat16()),
    "masks": _by_masks,
    "gradients of its own leaves": _adversarial,
    "data": _through_data,
    "numbers beside two bytes": lambda x: (x.bfloat16() * 0.1 + 0.1, x.half() / 3, x.half() * x[0, 0], 0.7 - x.bfloat16()),
    "draws": lambda x: torch.distributions.Normal(x, x.abs() + 1).rsample(),
    "lists": lambda x: x * torch.as_tensor([1.0, 2.0, 3.0, 4.0]),
    "one-hot": lambda x: F.one_hot(x[0].abs().long().clamp(max=3), 4) * 2,
    "bags": lambda x: F.embedding_bag(torch.tensor([0, 1, 1]), x, torch.tensor([0, 2]), mode="mean"),
    "out": lambda x: torch.mul(x, 2, out=torch.empty(4, 4)) + 1,
    "scattered": lambda x: x.scatter(0, torch.zeros_like(x, dtype=torch.long), 2.0),
    "noise": lambda x: F.gumbel_softmax(x, hard=True),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_it_does_is_seen(name: str) -> None:
    torch.manual_seed(0)
    start = torch.randn(4, 4) * 2
    mine, its = start.clone(), start.clone()
    fast = compiled(SEEN[name])
    for call in range(5):
        found = []
        for function, x in ((SEEN[name], mine), (fast, its)):
            torch.manual_seed(call)
            result = function(x)
            found.append(result if isinstance(result, tuple) else (result,))
        for one, other in zip(*found, strict=True):
            assert one.dtype is other.dtype
            assert torch.equal(one, other), call
        assert torch.equal(mine, its)
        assert mine._version == its._version
        for x in (mine, its):
            x.mul_(1.01)
    assert is_replayed(fast)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_weight_that_autocast_casts_is_cast_once(dtype: Any) -> None:
    layer, x = torch.nn.Linear(8, 3), torch.randn(5, 8)

    def function(x: Any) -> Any:
        with torch.autocast("cpu", dtype=dtype):
            return layer(x), layer(x).sum(0)

    fast = compiled(function)
    for _ in range(4):
        found = []
        for one in (function, fast):
            layer.zero_grad()
            first, second = one(x)
            (first.float().pow(2).sum() + second.float().pow(2).sum()).backward()
            found.append((first, second, layer.weight.grad, layer.bias.grad))
        assert all(map(torch.equal, *found))
    assert is_replayed(fast)
    assert first.dtype is dtype


def test_a_gradient_that_stays_is_given_back() -> None:
    layer, x = torch.nn.Linear(3, 1), torch.ones(2, 3)

    def step() -> Any:
        layer(x).sum().backward()
        return layer.weight.grad

    fast = compiled(step)
    for call in range(1, 6):
        assert fast() is layer.weight.grad
        assert layer.weight.grad.tolist() == [[2.0 * call] * 3]
    assert is_replayed(fast)


def test_a_function_of_the_library_that_is_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = compiled(lambda x: F.relu(x) + torch.sin(x))
    x = torch.tensor([-1.0, 0.0])
    for _ in range(4):
        fast(x)
    assert is_replayed(fast)
    monkeypatch.setattr(F, "relu", lambda x: x * 5)
    assert torch.allclose(fast(x), x * 5 + x.sin())
    monkeypatch.setattr(torch, "sin", torch.cos)
    assert torch.allclose(fast(x), x * 5 + x.cos())


def test_ops_that_take_lists_are_no_products() -> None:
    x = torch.ones(2)
    assert promotion.in_single(table["stack"], [[x, x]], [[x._array, x._array]]) is None


def test_seeds_inside_are_replayed() -> None:
    def program() -> Any:
        before = torch.rand(2)
        with torch.random.fork_rng():
            torch.manual_seed(3)
            inside = torch.rand(2)
        return torch.stack([before, inside, torch.rand(2)])

    fast: Any = torch.compile(program, fullgraph=True)
    fast._compiled.always = True
    for call in range(4):
        torch.manual_seed(call)
        right, state = program(), torch.get_rng_state()
        torch.manual_seed(call)
        assert torch.equal(fast(), right) and torch.equal(torch.get_rng_state(), state)
    assert fast._compiled.forms[-1].program is not None


def test_where_no_line_is_to_blame_the_warning_names_the_functions() -> None:
    counts = [0]

    def counting() -> Any:
        counts[0] += 1
        return torch.ones(2) * counts[0]

    fast = torch.compile(counting)
    with pytest.warns(UserWarning, match=rf"test_recording.py:{counting.__code__.co_firstlineno}\)"):
        fast()
        fast()


@pytest.mark.filterwarnings("ignore:torch.compile")
@pytest.mark.parametrize("product", [torch.prod, lambda x: x.prod(0), lambda x: x.cumprod(0)])
def test_a_rule_that_looks_for_zeros_is_not_replayed(product: Any) -> None:
    def step(x: Any) -> Any:
        return torch.autograd.grad(product(x).sum(), x)[0]

    fast = compiled(step)
    for number in (2.0, 3.0, 4.0, 0.0, 5.0):
        x = torch.tensor([3.0, number, 1.0], requires_grad=True)
        assert fast(x).tolist() == step(x).tolist()
    assert not is_replayed(fast)


@pytest.mark.parametrize("norm", ["layer_norm", "batch_norm", "group_norm"])
def test_slopes_that_nobody_differentiates_come_of_one_kernel(norm: str) -> None:
    x = torch.randn(2, 2, 3, 4, requires_grad=True)
    weight = torch.randn(4 if norm == "layer_norm" else 2, requires_grad=True)
    options: Any = {"layer_norm": ((4,),), "batch_norm": (None, None), "group_norm": (2,)}[norm]
    last: Any = (weight, weight, True) if norm == "batch_norm" else (weight, weight)

    def slopes(again: bool) -> Any:
        normed = getattr(F, norm)(x, *options, *last)
        seen = F.scaled_dot_product_attention(normed, normed * 2, normed * 3, is_causal=True)
        first = torch.autograd.grad(seen.pow(3).sum(), (x, weight), create_graph=again)
        return torch.autograd.grad(first[0].pow(2).sum(), (x, weight)) if again else first

    for again in (False, True):
        call = compiled(slopes)
        expected = slopes(again)
        for _ in range(4):
            for mine, its in zip(call(again), expected, strict=True):
                assert torch.allclose(mine, its, rtol=1e-4, atol=1e-4 * float(its.abs().max()))
        assert is_replayed(call)
        trace = str(call._compiled.forms[-1].first)
        assert trace.count("_slopes") == 2  # where the first pass is differentiated, the second one's
