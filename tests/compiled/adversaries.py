"""Programs that look where a compiler may not: each calls compiled functions while something changes, and yields what came of it.

``compiled`` is torch.compile, or gives its argument back. Numbers are exact in single precision, so results may be held to equality.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import io
import itertools
import operator
import pickle
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn

Function = Callable[..., Any]
Compile = Callable[[Function], Function]
CALLS = range(9)


class Holder:
    """An object that has a number."""

    scale = 1.0


@dataclasses.dataclass
class Plan:
    rate: float
    kind: str


def ones(*shape: int) -> Any:
    return torch.ones(*shape or (3,))


# Attributes that no name in the code tells.


def names_that_are_texts(compiled: Compile) -> Iterator[Any]:
    holder, get, made, text = Holder(), operator.attrgetter("scale"), operator.attrgetter, "{0.scale}"
    functions = [
        compiled(lambda x: x * operator.attrgetter("scale")(holder)),
        compiled(lambda x: x * get(holder)),
        compiled(lambda x: x * made("scale")(holder)),
        compiled(lambda x: x * object.__getattribute__(holder, "scale")),
        compiled(lambda x: x * holder.__getattribute__("scale")),
        compiled(lambda x: x * float(text.format(holder))),
        compiled(lambda x: x * vars(holder)["scale"]),
        compiled(lambda x: x * eval("holder.scale", {"holder": holder})),
    ]
    for call in CALLS:
        holder.scale = float(call // 3)
        for function in functions:
            yield function(ones())


def patterns_of_classes(compiled: Compile) -> Iterator[Any]:
    plan = Plan(1.0, "constant")

    @compiled
    def by_name(x: Any) -> Any:
        match plan:
            case Plan(rate=rate, kind="constant"):
                return x * rate
            case Plan(rate=rate):
                return x - rate

    @compiled
    def by_place(x: Any) -> Any:
        match plan:
            case Plan(rate, "constant"):
                return x * rate
            case Plan(rate, _):
                return x - rate

    for call in CALLS:
        plan.rate, plan.kind = float(call // 3), "constant" if call < 7 else "other"
        yield by_name(ones())
        yield by_place(ones())


def attributes_of_arguments(compiled: Compile) -> Iterator[Any]:
    asks = compiled(lambda x: x * x.scale)
    may_ask = compiled(lambda x: x * getattr(x, "scale", 7.0))
    has = compiled(lambda x: x * 2 if hasattr(x, "mark") else x)

    @compiled
    def catches(x: Any) -> Any:
        try:
            return x * x.mark
        except AttributeError:
            return x * 5

    same = ones()
    for call in CALLS:
        for x in (same, ones()):
            x.scale = float(call // 3)
            yield asks(x)
        x = ones()
        if call in (4, 6):
            x.scale = x.mark = 2.0
        yield may_ask(x), has(x), catches(x)


def attributes_of_tensors_there(compiled: Compile) -> Iterator[Any]:
    w = ones()
    w._scale, w.plan = 1.0, {"rate": 1.0}
    function = compiled(lambda x: x * w._scale * w.plan["rate"])
    for call in CALLS:
        w._scale = float(call // 3)
        if call == 7:
            w.plan["rate"] = 4.0
        if call == 8:
            w.plan = {"rate": 8.0}
        yield function(ones())


def attributes_that_are_set(compiled: Compile) -> Iterator[Any]:
    w = nn.Parameter(ones())
    w.uses = 0
    same = ones()

    @compiled
    def marks(x: Any) -> Any:
        x.mark = 1
        return x * 2

    @compiled
    def counts(x: Any) -> Any:
        w.uses += 1
        return x * w.detach()

    for call in CALLS:
        x = same if call < 5 else ones()
        yield marks(x), getattr(x, "mark", None)
        yield counts(x), w.uses


# Where tensors lie, and what they are part of.


def places_in_memory(compiled: Compile) -> Iterator[Any]:
    offset = compiled(lambda x: x * x.storage_offset())
    strided = compiled(lambda x: (x.as_strided((4,), (1,)) * 2, x.as_strided((4,), (1,), 0) * 2))
    through = compiled(lambda x: x.sum() + x._base.sum())
    base = torch.arange(8.0)
    for call in CALLS:
        x = base[call // 3 * 2 :][:2]
        yield offset(x), strided(x), through(x)


def nodes_of_arguments(compiled: Compile) -> Iterator[Any]:
    w = ones().requires_grad_()
    function = compiled(lambda x: (x * len(x.grad_fn.name()), x.grad_fn.name()))
    for call in CALLS:
        yield function(w * 2 if call % 3 else w.neg())


def memory_that_overlaps(compiled: Compile) -> Iterator[Any]:
    @compiled
    def function(a: Any, b: Any) -> Any:
        before = b * 2
        then = before * 2 + b
        a.add_(1)
        return before + b, a * b, then * b * 3 - a

    def buffer(numbers: Any, first: int) -> Any:
        return torch.frombuffer(numbers, dtype=torch.float32, offset=4 * first, count=4)

    for call in range(12):
        numbers = np.arange(6, dtype=np.float32)
        other = numbers if call in (3, 5, 6, 9) else numbers.copy()
        base, second = torch.from_numpy(numbers).clone(), torch.arange(6.0)
        for a, b in (
            (torch.from_numpy(numbers[:4]), torch.from_numpy(other[2:])),
            (base[:4], (base if other is numbers else second).data[2:]),
            (base.data[:4], base.detach()[2:] if other is numbers else second[2:]),
        ):
            yield function(a, b), a, b
        raw = bytearray(numbers.tobytes())
        a, b = buffer(raw, 0), buffer(raw if other is numbers else bytearray(raw), 2)
        yield function(a, b), a, b


def gradients_in_one_memory(compiled: Compile) -> Iterator[Any]:
    flat = torch.zeros(6)
    w, v = (ones().requires_grad_() for _ in range(2))

    @compiled
    def function(x: Any) -> Any:
        (w * x).sum().backward()
        y = x * 2
        (v * y).sum().backward()
        return ((x + w.grad) * 2 + y).detach()

    for call in range(14):
        if call == 4:
            w.grad, v.grad = flat[:3], flat[3:]
        if call == 7:
            v.grad = flat.data[:3]
        if call == 10:
            w.grad, v.grad = torch.zeros(3), torch.zeros(3)
        x = w.grad.data if call in (11, 13) else ones()
        yield function(x), w.grad.clone(), v.grad.clone(), x.clone()


# What holds for the whole program, and what stands in the place of what.


def modes_that_are_left(compiled: Compile) -> Iterator[Any]:
    w = ones().requires_grad_()

    @compiled
    def no_more_gradients(x: Any) -> Any:
        torch.set_grad_enabled(False)
        return w * x

    @compiled
    def in_double(x: Any) -> Any:
        torch.set_default_dtype(torch.float64)
        return x + torch.zeros(3)

    @compiled
    def on_one_thread(x: Any) -> Any:
        torch.set_num_threads(1)
        return x * 2

    threads = torch.get_num_threads()
    try:
        for _ in CALLS:
            torch.set_grad_enabled(True)
            yield no_more_gradients(ones()).requires_grad, torch.is_grad_enabled()
            torch.set_default_dtype(torch.float32)
            yield str(in_double(torch.arange(3)).dtype), str(torch.get_default_dtype())
            torch.set_num_threads(2)
            yield on_one_thread(ones()), torch.get_num_threads()
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(threads)


def functions_of_ours_exchanged(compiled: Compile) -> Iterator[Any]:
    direct, net = compiled(lambda x: F.relu(x) + torch.tanh(x * 0)), compiled(nn.ReLU())
    relu, tanh = F.relu, torch.tanh
    try:
        for call in CALLS:
            if call == 4:
                F.relu = lambda x, inplace=False: x * 2
            if call == 6:
                torch.tanh = lambda x: x + 5
            yield direct(-ones()), net(-ones())
    finally:
        F.relu, torch.tanh = relu, tanh


def hooks_of_a_step(compiled: Compile) -> Iterator[Any]:
    w = ones().requires_grad_()
    optimizer, seen, handles = torch.optim.SGD([w], 0.5), [], []

    @compiled
    def step() -> None:
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()

    def doubles(*_: Any) -> None:
        w.grad.mul_(0.5)

    for call in range(14):
        if call == 4:
            handles.append(optimizer.register_step_post_hook(lambda *_: seen.append(w.detach().clone())))
        if call in (6, 9, 12):
            handles.pop().remove()
        if call == 7:
            handles.append(optimizer.register_step_pre_hook(doubles))
        if call == 10:
            handles.append(torch.optim.optimizer.register_optimizer_step_post_hook(lambda *_: seen.append(len(seen))))
        step()
        yield w.detach().clone(), list(seen)
        with torch.no_grad():
            w.fill_(1.0 + call)


def hooks_of_what_is_given(compiled: Compile) -> Iterator[Any]:
    seen: list[Any] = []
    w = ones().requires_grad_()
    w.register_hook(lambda grad: seen.append(("w", grad.tolist())))
    function = compiled(lambda x: (x * x).sum())
    for call in CALLS:
        x = ones().requires_grad_()
        kept, hooked = x * (call + 1), x * 2
        kept.retain_grad()
        hooked.register_hook(lambda grad: seen.append(grad.tolist()))
        hooked.grad_fn.register_prehook(lambda grads: seen.append("before"))
        hooked.grad_fn.register_hook(lambda grads, given: seen.append("after"))
        for given in (kept, hooked, w):
            function(given).backward()
        yield x.grad, kept.grad, w.grad, list(seen)


def few_ops_and_running_statistics(compiled: Compile) -> Iterator[Any]:
    net = nn.BatchNorm1d(2)
    function = compiled(net)
    x = torch.tensor([[1.0, 2.0], [3.0, -2.0], [1.0, 2.0], [3.0, -2.0]])
    for call in CALLS:
        if call == 6:
            net.eval()
        yield function(x + call).detach(), net.running_mean.clone(), net.running_var.clone()


# What programs keep and change.


def queues(compiled: Compile) -> Iterator[Any]:
    class Queue(collections.deque[float]):
        pass

    plain, own = collections.deque([1.0, 2.0]), Queue([1.0, 2.0])
    functions = [compiled(lambda x: x * sum(plain) * plain[0]), compiled(lambda x: x * sum(own) * own[0])]
    for call in CALLS:
        for queue in (plain, own):
            queue.append(float(call // 3))
            queue.popleft()
        yield [function(ones()) for function in functions]


def what_is_kept_of_arguments(compiled: Compile) -> Iterator[Any]:
    holder: Any = Holder()
    kept: list[Any] = [None, None]
    first, second = ones(), ones() * 2

    @compiled
    def keeps(x: Any, y: Any) -> Any:
        holder.last, kept[0], kept[1] = x, y, x
        return x + y

    for call in CALLS:
        x, y = (first, second) if call < 5 else (second, first) if call < 7 else (ones(), ones())
        yield keeps(x, y), holder.last is x, kept[0] is y, kept[1] is x


def counters(compiled: Compile) -> Iterator[Any]:
    holder, calls, count = Holder(), [], itertools.count()
    drawn, cache = random.Random(3), dict[str, Any]()

    @compiled
    def property_like(x: Any) -> Any:
        holder.scale += 1
        return x * holder.scale

    @compiled
    def lasts(x: Any) -> Any:
        holder.scale += 1
        y = x * holder.scale
        holder.scale -= 1
        return y

    @compiled
    def caches(x: Any) -> Any:
        if "y" not in cache:
            cache["y"] = torch.arange(3.0)
        return x + cache["y"]

    def appends(x: Any) -> Any:
        calls.append(1)
        return x * len(calls)

    functions = [compiled(appends), compiled(lambda x: x * next(count)), compiled(lambda x: x * drawn.random())]
    for call in CALLS:
        if call == 6:
            cache.clear()
        yield [function(ones()) for function in (*functions, property_like, lasts, caches)], holder.scale


def results_are_ones_own(compiled: Compile) -> Iterator[Any]:
    w = ones().requires_grad_()

    @compiled
    def several(x: Any) -> Any:
        y = (x * 2 + 1).relu()
        return y, (y * 3)[:2], y.detach(), [y.t()]

    graph = compiled(lambda x: ((w * x).relu() * x * x).sum())
    kept = [several(ones() * call) for call in CALLS]
    yield kept
    kept[6][0].zero_()
    yield several(ones()), kept
    losses = [graph(ones() * call) for call in range(12)]
    for loss in losses[::-1]:
        loss.backward()
        yield w.grad.clone()


def models_changed_and_copied(compiled: Compile) -> Iterator[Any]:
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    for one in net.parameters():
        nn.init.ones_(one)
    before = copy.deepcopy(net.state_dict())
    function, x = compiled(net), ones(1, 3)
    for call in range(18):
        if call == 4:
            net.load_state_dict({name: value * 2 for name, value in before.items()})
        if call == 6:
            net.load_state_dict({name: value * 3 for name, value in before.items()}, assign=True)
        if call == 8:
            net.append(nn.Linear(2, 2, bias=False))
            nn.init.ones_(net[2].weight)
        if call == 10:
            net[2] = nn.Tanh()
        if call == 12:
            other = pickle.loads(pickle.dumps(copy.deepcopy(net)))
            with torch.no_grad():
                other[0].weight.mul_(5)
            yield other(x)
        if call == 14:
            net[0].weight.requires_grad_(False)
        if call == 16:
            net.forward = lambda x: x * 2  # type: ignore[method-assign]
        result = function(x)
        yield result, result.requires_grad


def threads(compiled: Compile) -> Iterator[Any]:
    w = ones(50)

    @compiled
    def function(x: Any) -> Any:
        y = x
        for _ in range(5):
            y = (y * w + 1).relu() + x
        return y

    found: dict[int, Any] = {}

    def work(number: int) -> None:
        found[number] = [function(torch.full((50,), float(number))) for _ in range(40)]

    every = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for one in every:
        one.start()
    for one in every:
        one.join()
    yield [found[number] for number in range(3)]


def what_is_printed(compiled: Compile) -> Iterator[Any]:
    out = io.StringIO()

    @compiled
    def function(x: Any) -> Any:
        print("called", file=out)
        return x * 2

    for _ in CALLS:
        yield function(ones())
    yield out.getvalue()


ADVERSARIES = (
    names_that_are_texts, patterns_of_classes, attributes_of_arguments, attributes_of_tensors_there, attributes_that_are_set,
    places_in_memory, nodes_of_arguments, memory_that_overlaps, gradients_in_one_memory, modes_that_are_left,
    functions_of_ours_exchanged, hooks_of_a_step, hooks_of_what_is_given,
    few_ops_and_running_statistics, queues, what_is_kept_of_arguments, counters,
    results_are_ones_own, models_changed_and_copied, threads, what_is_printed,
)  # fmt: skip
