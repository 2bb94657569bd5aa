"""Results that are part of a graph: passes from one of them, from several, again, for chosen tensors; as of the program itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

W1, W2, W3 = (torch.empty(*shape, requires_grad=True) for shape in ((5, 7), (7, 3), (7, 3)))


def logits_and_loss(x: Any, y: Any) -> Any:
    hidden = torch.tanh(x @ W1)
    logits = hidden @ W2
    return logits, F.cross_entropy(logits, y) + hidden.pow(2).mean()


def sample_and_moments(x: Any, y: Any) -> Any:
    hidden = torch.tanh(x @ W1)
    mean, deviation = hidden @ W2, (hidden @ W3).exp()
    return {"sample": mean + deviation * torch.ones(3), "mean": mean, "deviation": deviation}


def apart(x: Any, y: Any) -> Any:
    return (W1 * 2).sum(), (W2 * W2).sum(), W3.sigmoid() * W1.sum()


def nothing_saved(x: Any, y: Any) -> Any:
    return W1 + W1, W2.sum()


def pieces(x: Any, y: Any) -> Any:
    values, places = (x @ W1).sort(dim=1)
    return values, places, (values[0] * W2.T).sum(), x


PROGRAMS = (logits_and_loss, sample_and_moments, apart, nothing_saved, pieces)


def in_graph(result: Any) -> list[Any]:
    values = result.values() if isinstance(result, dict) else result
    return [one for one in values if one.requires_grad]


def taken() -> list[Any]:
    grads = [None if w.grad is None else w.grad.clone() for w in (W1, W2, W3)]
    for w in (W1, W2, W3):
        w.grad = None
    return grads


def said(call: Callable[..., Any], *given: Any, **named: Any) -> str | None:
    try:
        call(*given, **named)
    except RuntimeError as error:
        return str(error)
    return None


def alike(mine: list[Any], its: list[Any]) -> bool:
    return all(
        (one is None) == (other is None) and (one is None or torch.allclose(one, other, rtol=1e-5, atol=1e-5))
        for one, other in zip(mine, its, strict=True)
    )


@pytest.fixture(params=PROGRAMS, ids=lambda one: one.__name__)
def sides(request: pytest.FixtureRequest) -> Any:
    """A program as it is and compiled, and what gives its arguments."""
    torch.manual_seed(0)
    with torch.no_grad():
        for w in (W1, W2, W3):
            w.normal_()
    taken()
    call: Any = torch.compile(request.param)
    call._compiled.always = True

    def arguments() -> Any:
        return torch.randn(4, 5), torch.randint(0, 3, (4,))

    for _ in range(4):
        call(*arguments())
    assert call._compiled.forms[-1].program is not None
    return (request.param, call), arguments


def test_passes_in_any_order_and_again(sides: Any) -> None:
    functions, arguments = sides
    given = arguments()
    count = len(in_graph(functions[0](*given)))
    orders = [order for length in (1, 2, 3) for order in itertools.product(range(count), repeat=length)]
    for order, keep in itertools.product(orders, (False, True)):
        given, found = arguments(), []
        for function in functions:
            results = in_graph(function(*given))
            errors = [said(results[one].sum().backward, retain_graph=keep) for one in order]
            found.append((errors, taken()))
        assert found[0][0] == found[1][0], (order, keep)
        assert alike(found[0][1], found[1][1]), (order, keep)


def test_one_pass_from_all_of_them_and_what_arrives_at_one(sides: Any) -> None:
    functions, arguments = sides
    given, found = arguments(), []
    for function in functions:
        results = in_graph(function(*given))
        for one in results:
            one.retain_grad()
        sum((one * one).sum() for one in results).backward()
        found.append([*taken(), *(one.grad for one in results)])
    assert alike(*found)


def test_gradients_of_one_by_another(sides: Any) -> None:
    functions, arguments = sides
    given, found = arguments(), []
    for function in functions:
        results = in_graph(function(*given))
        grads: list[Any] = []
        for one, other in itertools.permutations(results, 2):
            grads += torch.autograd.grad(one.sum(), [other, W1], allow_unused=True, retain_graph=True)
        grads += torch.autograd.grad(results, [W1, W2], [torch.ones_like(one) for one in results], allow_unused=True)
        found.append(grads)
    assert alike(*found)


def test_names_versions_and_writes_into_what_a_pass_reads() -> None:
    def function(x: Any) -> Any:
        power = x.exp()
        return power, (power * 3).sum()

    fast: Any = torch.compile(function)
    fast._compiled.always = True
    x = torch.ones(2, requires_grad=True)
    for _ in range(4):
        power, total = fast(x)
        assert (power.grad_fn.name(), total.grad_fn.name()) == ("ExpBackward0", "SumBackward0")
        with torch.no_grad():
            power.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            total.backward()
    assert fast._compiled.forms[-1].program is not None


def test_an_argument_that_is_made_of_another() -> None:
    def function(x: Any, y: Any) -> Any:
        return (x * y).sum(), (x + y).exp()

    fast: Any = torch.compile(function)
    fast._compiled.always = True
    for _ in range(5):
        found = []
        for call in (function, fast):
            x = torch.linspace(0, 1, 3, requires_grad=True)
            first, second = call(x, (x * x).tanh())
            (first + second.sum()).backward()
            found.append([x.grad])
        assert alike(*found)
    assert fast._compiled.forms[-1].program is not None


def test_more_of_them_than_are_cut_apart() -> None:
    fast: Any = torch.compile(lambda x: [x * number for number in range(9)])
    with pytest.warns(UserWarning, match="part of a graph, and not up to 8"):
        for _ in range(3):
            assert len(fast(torch.ones(2, requires_grad=True))) == 9


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_gradients_of_norms_in_half_precision_are_those_of_the_function_itself(dtype: torch.dtype) -> None:
    start = torch.tensor([[1.0, 2, 3, -1.5], [-0.5, 0.25, 0.75, 1.25]], dtype=dtype)

    def step(x: Any, weight: Any) -> Any:
        y = torch.nn.functional.layer_norm(x, (4,), weight)
        (y * y).sum().backward()
        return x.grad.clone(), weight.grad.clone()

    compiled: Any = torch.compile(step)
    compiled._compiled.always = True
    for weight in (torch.ones(4, dtype=dtype), torch.ones(4)):
        for _ in range(3):
            own, its = ([start.clone().requires_grad_(), weight.clone().requires_grad_()] for _ in range(2))
            assert all(map(torch.equal, compiled(*its), step(*own)))
    assert any(form.program is not None for form in compiled._compiled.forms)


def test_a_callers_cotangent_is_handed_through_a_recording() -> None:
    def step(x: Any, g: Any) -> Any:
        through = torch.autograd.grad(torch.atleast_2d(x), x, g)[0]
        return through * 2 + torch.autograd.grad(torch.atleast_2d(x).sin(), x, g)[0]

    compiled: Any = torch.compile(step)
    compiled._compiled.always = True
    x = torch.rand(3, requires_grad=True)
    for scale in range(4):
        g = torch.ones(1, 3) * scale
        assert torch.equal(compiled(x, g), step(x, g))
    assert any(form.program is not None for form in compiled._compiled.forms)
