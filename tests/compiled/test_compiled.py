"""torch.compile: what is replayed gives what the program would, whatever changes between two calls."""

from __future__ import annotations

import copy
import pickle
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.compiled.function import Compiled
from rushlight.compiled.guarding import Guards


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """The function compiled, replayed even where that is not faster."""
    call: Any = torch.compile(function, **options)
    call._compiled.always = True
    return call


def replays(call: Any) -> bool:
    return any(form.program is not None for form in call._compiled.forms)


def reason(call: Any) -> str:
    whole: Compiled = call._compiled
    return next((form.reason.reason for form in whole.forms if form.reason is not None), "")


def same(mine: Any, its: Any) -> None:
    assert type(mine) is type(its)
    if isinstance(mine, torch.Tensor):
        assert mine.dtype is its.dtype and mine.stride() == its.stride() and mine.requires_grad == its.requires_grad
        assert torch.equal(mine.isnan(), its.isnan())
        assert torch.allclose(mine, its, rtol=1e-6, atol=1e-7, equal_nan=True)
    elif isinstance(mine, (list, tuple)):
        assert len(mine) == len(its)
        for one, other in zip(mine, its, strict=True):
            same(one, other)
    elif isinstance(mine, dict):
        assert list(mine) == list(its)
        same(list(mine.values()), list(its.values()))
    else:
        assert mine == its


def beside_eager(make: Callable[[], tuple[Callable[..., Any], Callable[[], Any]]], between: Any = None, calls: int = 8) -> Any:
    """Calls a program and its compiled twin in turns, each on numbers of its own; ``make`` gives the program and what to compare."""
    torch.manual_seed(0)
    eager, seen = make()
    torch.manual_seed(0)
    other, others = make()
    fast = compiled(other)
    generator = torch.get_rng_state()
    for number in range(calls):
        torch.set_rng_state(generator)
        if between is not None:
            between(number, eager)
        first = eager()
        after = torch.get_rng_state()
        torch.set_rng_state(generator)
        if between is not None:
            between(number, other)
        second = fast()
        assert torch.equal(torch.get_rng_state(), after)
        generator = after
        same(second, first)
        same(others(), seen())
    return fast


def training() -> tuple[Callable[..., Any], Callable[[], Any]]:
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    x, y = torch.randn(5, 3), torch.randn(5, 1)

    def step() -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    step.parts = net, optimizer, x, y  # type: ignore[attr-defined]
    return step, lambda: [*[(p.detach(), p.grad, p._version) for p in net.parameters()], x]


def test_a_whole_step_with_dropout_and_an_optimizer() -> None:
    assert replays(beside_eager(training))


def test_a_learning_rate_that_changes() -> None:
    def between(number: int, step: Any) -> None:
        step.parts[1].param_groups[0]["lr"] = 0.1 / (number + 1)

    assert replays(beside_eager(training, between))


def test_training_switched_off_and_on() -> None:
    def between(number: int, step: Any) -> None:
        step.parts[0].train(number < 4 or number > 6)

    beside_eager(training, between, 12)


def test_a_parameter_replaced_tied_or_given_other_numbers() -> None:
    def between(number: int, step: Any) -> None:
        net = step.parts[0]
        if number == 4:
            net[0].bias = nn.Parameter(torch.ones(8))
        if number == 6:
            net[0].bias = net[0].bias
            net[3].bias.data = torch.full((1,), 3.0)
        if number == 7:
            step.parts[2].mul_(2)

    beside_eager(training, between, 14)


def test_a_layer_exchanged_and_a_hook_registered() -> None:
    heard: list[list[int]] = []

    def between(number: int, step: Any) -> None:
        if number == 4:
            step.parts[0][1] = nn.ReLU()
        if number == 8:
            own: list[int] = []
            heard.append(own)
            step.parts[0][0].register_forward_hook(lambda *given: own.append(number))

    with pytest.warns(UserWarning, match="changes the length of list"):
        beside_eager(training, between, 12)
    assert list(map(len, heard)) == [4, 4]


def test_a_gradient_that_is_there_before_each_call_and_gone_after_it() -> None:
    x, y = torch.ones(3, requires_grad=True), torch.ones(3)

    def step() -> Any:
        (x * y).sum().backward()
        total = x.grad.sum()
        x.grad = None
        y.add_(1)
        return total

    fast = compiled(step)
    for number in range(5):
        x.grad = torch.full((3,), 2.0)
        assert fast().item() == 3 * (number + 3)
    assert replays(fast)


FACTOR = 2.0


def test_numbers_of_globals_closures_defaults_and_containers() -> None:
    global FACTOR
    options: dict[str, Any] = {"scale": 3.0, "terms": [1.0, 2.0]}
    shift = 1.0

    def function(x: Any, power: float = 2.0) -> Any:
        return x**power * FACTOR * options["scale"] + sum(options["terms"]) + shift

    fast = compiled(function)
    x = torch.tensor([1.0, 2.0])
    changes: list[Callable[[], Any]] = [
        lambda: options.update(scale=5.0),
        lambda: options["terms"].append(4.0),
        lambda: options["terms"].__setitem__(0, 7.0),
        lambda: setattr(function, "__defaults__", (3.0,)),
    ]
    for change in [*changes, None, None]:
        for _ in range(4):
            same(fast(x), function(x))
        if change is not None:
            change()
        else:
            FACTOR, shift = FACTOR + 1, shift - 2
    assert replays(fast)


def test_shapes_dtypes_modes_and_values_of_arguments() -> None:
    def function(x: Any, flag: bool = False) -> Any:
        return (x * 2).sum() if flag else torch.relu(x) - x.shape[0] + float(torch.is_grad_enabled())

    fast = compiled(function)
    inputs = [torch.randn(3), torch.randn(4), torch.randn(3).double(), torch.arange(3), torch.randn(3, 2).t()]
    with pytest.warns(UserWarning, match="captured for 8 forms"):
        for _ in range(4):
            for x in inputs:
                for flag in (False, True):
                    same(fast(x, flag), function(x, flag))
    with torch.no_grad():
        for _ in range(4):
            same(fast(inputs[0]), function(inputs[0]))


def test_arguments_that_are_one_tensor_or_share_memory() -> None:
    def function(a: Any, b: Any) -> Any:
        a.add_(1)
        return a * b

    fast = compiled(function)
    for number in range(12):
        mine, its = torch.ones(4), torch.ones(4)
        if number % 3 == 0:
            same(fast(mine, torch.ones(4)), function(its, torch.ones(4)))
        elif number % 3 == 1:
            same(fast(mine, mine), function(its, its))
        else:
            same(fast(mine[:2], mine[:2]), function(its[:2], its[:2]))
        same(mine, its)
        assert mine._version == its._version


def test_views_that_the_user_holds_see_the_writes() -> None:
    def make() -> tuple[Callable[..., Any], Callable[[], Any]]:
        x = torch.zeros(4)
        view = x[1:3]

        def step() -> Any:
            x.add_(1)
            x[0] = 5.0
            return (view * 2).sum()

        return step, lambda: [x, view, x._version]

    assert replays(beside_eager(make))


def test_gradients_add_up_in_the_same_tensor() -> None:
    def make() -> tuple[Callable[..., Any], Callable[[], Any]]:
        w = torch.ones(3, requires_grad=True)
        seen: list[Any] = []

        def step() -> None:
            (w * w * 2).sum().backward()

        def look() -> Any:
            if not seen:
                seen.append(w.grad)
            assert w.grad is seen[0]
            return [w.grad, w.grad._version]

        return step, look

    assert replays(beside_eager(make))


def test_a_saved_value_is_of_before_the_write() -> None:
    def make() -> tuple[Callable[..., Any], Callable[[], Any]]:
        w = torch.tensor([1.0, 2.0], requires_grad=True)

        def step() -> Any:
            y = w * 3
            z = y * y
            y2 = y.clone()
            y2.mul_(y2.detach() + 1)
            y2[0] = 0.0
            (z + y2).sum().backward()
            g = torch.clone(w.grad)  # type: ignore[arg-type]
            w.grad = None
            return g

        return step, lambda: w

    assert replays(beside_eager(make))


def test_what_is_not_understood_runs_as_it_is_with_one_warning() -> None:
    def function(x: Any) -> Any:
        return x * x.sum().item()

    fast = compiled(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(4):
            same(fast(torch.ones(2)), function(torch.ones(2)))
    (warning,) = caught
    assert __file__ in str(warning.message) and "item" in str(warning.message)
    with pytest.raises(RuntimeError, match="looks at a tensor's values"):
        compiled(function, fullgraph=True)(torch.ones(2))


def test_a_program_that_changes_what_it_finds_runs_as_it_is() -> None:
    counts = {"calls": 0}
    log: list[float] = []

    def counting(x: Any) -> Any:
        counts["calls"] += 1
        return x * counts["calls"]

    def listing(x: Any) -> Any:
        log.append(1.0)
        return x * len(log)

    for function, expected in ((counting, [1.0, 2.0, 3.0, 4.0, 5.0]), (listing, [1.0, 2.0, 3.0, 4.0, 5.0])):
        fast = compiled(function)
        with pytest.warns(UserWarning, match="changes the"):
            assert [fast(torch.ones(1)).item() for _ in range(5)] == expected


def test_random_numbers_of_python_and_time_end_it() -> None:
    import random
    import time

    for draw in (random.random, time.perf_counter_ns):
        fast = compiled(lambda x, draw=draw: x * (draw() % 1e6))
        with pytest.warns(UserWarning, match="may give another result"):
            assert fast(torch.ones(1)).item() != fast(torch.ones(1)).item()


def test_errors_are_the_programs_own() -> None:
    def function(x: Any, index: Any) -> Any:
        return torch.gather(x, 0, index)

    fast = compiled(function)
    x = torch.arange(3.0)
    for _ in range(4):
        same(fast(x, torch.tensor([0, 2])), torch.tensor([0.0, 2.0]))
    with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 0 with size 3"):
        fast(x, torch.tensor([0, 7]))
    assert replays(fast)


def test_modules_compile_in_place_and_as_a_whole() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    x = torch.randn(4, 2)
    expected = net(x).detach()
    whole: Any = torch.compile(net)
    twin = copy.deepcopy(net)
    net.compile()
    with torch.no_grad():
        for _ in range(6):
            same(net(x), expected)
            same(whole(x), expected)
            same(twin(x), expected)
    same(pickle.loads(pickle.dumps(net))(x).detach(), expected)
    assert "forward" not in copy.deepcopy(net).__dict__


def test_reports_and_backends() -> None:
    def function(x: Any) -> Any:
        return (x * 2).sum()

    fast = compiled(function)
    for _ in range(3):
        fast(torch.ones(2))
    report = str(torch._dynamo.explain(fast)())
    assert "instructions" in report and "guards" in report
    broken = torch._dynamo.explain(lambda x: x * x.sum().item())(torch.ones(2))
    assert broken.graph_break_count == 1 and broken.break_reasons[0].user_stack[0].filename == __file__
    seen: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        seen.append((graph.code, len(inputs)))
        return graph.forward

    mine = compiled(function, backend=backend)
    for _ in range(4):
        same(mine(torch.ones(2)), torch.tensor(4.0))
    assert len(seen) == 1 and "def replay" in seen[0][0]
    assert torch.compile(function, backend="eager") is function
    with pytest.raises(RuntimeError, match="Invalid backend: 'nothing'"):
        torch.compile(function, backend="nothing")
    torch.compiler.reset()
    assert not fast._compiled.forms


def test_what_is_looked_at_before_a_replay_is_part_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.ones(3)
    hold = Guards.hold

    def slowly(self: Guards, leaves: list[Any]) -> bool:
        time.sleep(0.002)
        return hold(self, leaves)

    monkeypatch.setattr(Guards, "hold", slowly)
    whole: Any = torch.compile(lambda: ((x * 2 + 1).tanh() * x).exp(), backend="replay")
    for _ in range(60):
        whole()
    assert whole._compiled.forms[0].replays is False and whole._compiled.settled


def test_two_threads_at_once() -> None:
    import threading

    fast = compiled(lambda x: (x * x).sum())
    wrong: list[Any] = []

    def run(number: int) -> None:
        x = torch.full((8,), float(number))
        for _ in range(50):
            if fast(x).item() != 8.0 * number * number:
                wrong.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_model_whose_loss_and_step_are_outside() -> None:
    def make() -> tuple[Callable[..., Any], Callable[[], Any]]:
        net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 2))
        x = torch.randn(6, 3)
        return lambda: net(x), lambda: [(p.detach(), p.grad, p._version) for p in net.parameters()]

    torch.manual_seed(0)
    eager, seen = make()
    torch.manual_seed(0)
    other, others = make()
    fast = compiled(other)
    sides = [(eager, seen), (fast, others)]
    for _ in range(7):
        generator = torch.get_rng_state()
        outs = []
        for function, look in sides:
            torch.set_rng_state(generator)
            out = function()
            outs.append(out.detach())
            assert out.grad_fn.name() == "AddmmBackward0"
            out.pow(2).mean().backward()
            with pytest.raises(RuntimeError, match="backward through the graph a second time"):
                out.sum().backward()
            for parameter, grad, _ in look():
                parameter -= 0.1 * grad
        same(outs[1], outs[0])
        same(others(), seen())
    assert replays(fast)


def test_gradients_of_what_a_compiled_function_gives() -> None:
    x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    fast = compiled(lambda a, b: (a.exp() * b, 3))
    for _ in range(6):
        h = x * 2
        out, three = fast(h, y.detach())
        assert three == 3
        (grad,) = torch.autograd.grad(out.sum(), x)
        same(grad, 2 * (x * 2).exp().detach() * y.detach())
    assert replays(fast)
    out = fast(x * 2, y.detach())[0].add_(1)  # which the pass does not read
    out.sum().backward()
    same(x.grad, 2 * (x * 2).exp().detach() * y.detach())


@pytest.mark.parametrize("call", [1, 2, 3, 6])
def test_a_value_that_is_written_before_its_backward_pass(call: int) -> None:
    """Each call in which it is recorded, timed or replayed gives the error."""
    w = torch.ones(3, requires_grad=True)
    fast = compiled(lambda x: (x * w).exp())
    for _ in range(call):
        out = fast(torch.ones(3))
    out.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()
    square = compiled(lambda: (w * w).sum())
    for _ in range(call):
        out = square()
    with torch.no_grad():
        w.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_xla_computes_what_it_can_or_says_what_it_needs() -> None:
    try:
        import jax  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="needs JAX"):
            torch.compile(lambda x: x, backend="xla")
        return
    torch.manual_seed(0)
    eager, seen = training()
    torch.manual_seed(0)
    other, others = training()
    fast = compiled(other, backend="xla")
    generator = torch.get_rng_state()
    for _ in range(6):
        torch.set_rng_state(generator)
        first = eager()
        torch.set_rng_state(generator)
        second = fast()
        generator = torch.get_rng_state()
        assert torch.allclose(first, second, rtol=1e-5, atol=1e-6)
        for (p, g, _), (q, h, _) in zip(seen()[:-1], others()[:-1], strict=True):
            assert torch.allclose(p, q, rtol=1e-4, atol=1e-5) and torch.allclose(g, h, rtol=1e-4, atol=1e-5)
    assert replays(fast) and "xla" in str(fast._compiled.forms[-1].program.trace)


def _of_two(function: Callable[..., Any], dtype: Any = None) -> Callable[[], tuple[Callable[..., Any], Callable[[], Any]]]:
    """A program of a 4 x 4 tensor and a row of 4 numbers, whose values change from call to call."""

    def make() -> tuple[Callable[..., Any], Callable[[], Any]]:
        x, v = torch.randn(4, 4, dtype=dtype), torch.rand(4, dtype=dtype)

        def step() -> Any:
            return function(x, v)

        step.numbers = x, v  # type: ignore[attr-defined]
        return step, lambda: [x, x._version, v, v._version]

    return make


def _other_numbers(_: int, step: Any) -> None:
    for tensor in step.numbers:
        tensor.mul_(0.9)


def _gradient(value: Any, x: Any) -> Any:
    (found,) = torch.autograd.grad(value, (x,))
    return found


def _of_leaf(function: Callable[..., Any]) -> Callable[..., Any]:
    def gradient(x: Any, v: Any) -> Any:
        leaf = x.detach().requires_grad_()
        return _gradient(function(leaf, v), leaf)

    return gradient


def _in_two_parts(x: Any, v: Any) -> Any:
    leaf = x.detach().requires_grad_()
    return torch.autograd.grad([leaf[0] * leaf[1], leaf.pow(2).sum()], [leaf], [v, None])


def _checkpointed(x: Any, v: Any) -> Any:
    return torch.utils.checkpoint.checkpoint(lambda a: F.dropout(a.tanh()) @ v, x, use_reentrant=False).sum()


def _by_sample(x: Any, v: Any) -> Any:
    return torch.func.vmap(torch.func.grad(lambda row, w: (row * w).sum().tanh()), (0, None))(x, v)


CAPTURED: dict[str, Callable[..., Any]] = {
    "bincount": lambda x, v: torch.bincount((x.flatten() * 0 + 3).long(), x.flatten(), minlength=2),
    "combinations": _of_leaf(lambda x, v: torch.combinations(x[0], 2).pow(3).sum()),
    "condition": lambda x, v: torch.linalg.cond(x, 1),
    "checkpoint": _of_leaf(_checkpointed),
    "checkpoint whose last value is a result": _of_leaf(
        lambda x, v: torch.utils.checkpoint.checkpoint(lambda a: (a * v).tanh(), x, use_reentrant=False).sum()
    ),
    "eigenvalues": _of_leaf(lambda x, v: (torch.linalg.eigh(x @ x.mT + torch.eye(4))[0] * v).sum()),
    "embedding": lambda x, v: F.embedding(torch.tensor([1, 3]), x, max_norm=0.5),
    "gaussian loss": _of_leaf(lambda x, v: F.gaussian_nll_loss(x, x[0] * v, v.expand(4, 4))),
    "hessian": lambda x, v: torch.autograd.functional.hessian(lambda a: (x @ a).tanh().sum(), v).clone(),
    "histogram": lambda x, v: torch.histc(x, 5) + torch.histogram(x, 5, range=(-1.0, 1.0)).hist,
    "hvp": lambda x, v: torch.autograd.functional.hvp(lambda a: (x @ a).tanh().sum(), v, x[0].clone())[1],
    "jacobian": lambda x, v: torch.autograd.functional.jacobian(lambda a: (x @ a).sin(), v).clone(),
    "least squares": _of_leaf(lambda x, v: torch.linalg.lstsq(x + 2 * torch.eye(4), v[:, None])[0].sum()),
    "margin losses": _of_leaf(lambda x, v: F.multi_margin_loss(x, (v * 3).long()) + F.multilabel_margin_loss(x[0], (v * 3).long() - 1)),
    "numbers beside masks": _of_leaf(lambda x, v: torch.where(x > 0, x * v, 2.0).sum()),
    "places along": _of_leaf(lambda x, v: torch.take_along_dim(x, (v * 4).long()[None] - 2, 0).pow(2).sum()),
    "pooling": _of_leaf(lambda x, v: (F.adaptive_avg_pool2d(x[None, None], 2).sum() * v).sum()),
    "pseudo-inverse": _of_leaf(lambda x, v: (torch.linalg.pinv(x) @ v).sum()),
    "quantile": _of_leaf(lambda x, v: x.quantile(0.3, dim=1).sum()),
    "quantiles": _of_leaf(lambda x, v: x.quantile(v, dim=0).sum()),
    "random slopes": lambda x, v: F.rrelu(x, training=True) + F.rrelu(-x),
    "repeated places": lambda x, v: torch.repeat_interleave(x, (v * 0 + 2).long(), 0),
    "seeds": _in_two_parts,
    "search": lambda x, v: torch.isin(x.round(), v.round()) & (torch.unravel_index((v * 9).long(), (4, 4))[1] > 1),
    "vmap": lambda x, v: torch.vmap(lambda row: row.softmax(0) * v)(x),
    "vmap of grad": _by_sample,
}  # fmt: skip


@pytest.mark.parametrize("name", CAPTURED)
def test_what_is_captured_goes_on_with_other_numbers(name: str) -> None:
    assert replays(beside_eager(_of_two(CAPTURED[name]), _other_numbers)), name


def test_conjugates_are_captured_unless_they_are_written_to() -> None:
    def through(x: Any, v: Any) -> Any:
        x.conj()[0] = v
        return x.clone()

    product = _of_leaf(lambda x, v: (x * v).abs().sum() + (x.conj() @ v).real.sum())
    assert replays(beside_eager(_of_two(product, torch.complex64), _other_numbers))
    with pytest.warns(UserWarning, match="looks at|a write into|in place"):
        assert not replays(beside_eager(_of_two(through, torch.complex64), _other_numbers))


def test_what_is_refused_by_its_values_is_refused_again() -> None:
    q = torch.tensor([0.2, 0.9])
    fast = compiled(lambda x: x.quantile(q))
    x = torch.arange(5.0)
    for _ in range(4):
        same(fast(x), x.quantile(q))
    assert replays(fast)
    q[1] = 1.5
    with pytest.raises(RuntimeError, match="must be in the range"):
        fast(x)


def test_after_meta_tensors_functions_are_captured_and_one_that_makes_them_is_not() -> None:
    assert torch.empty(3, 4, device="meta").is_meta
    w = torch.ones(3, requires_grad=True)

    def step() -> Any:
        loss = (w * w).sum()
        loss.backward()
        with torch.no_grad():
            w.mul_(0.5)
        return loss.detach()

    def outline() -> Any:
        return torch.zeros(torch.empty(3, device="meta").expand(2, 3).shape)

    compiled: list[Any] = [torch.compile(function, backend="replay") for function in (step, outline)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fast in compiled:
            fast._compiled.always = True
            for _ in range(3):
                fast()
    assert [fast._compiled.forms[-1].program is not None for fast in compiled] == [True, False]
