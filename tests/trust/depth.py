"""Deep and wide graphs: time and memory for each op stay what they are for a hundred thousand, and nothing recurses.

python tests/trust/depth.py                    # chains of 1e5 and 1e6
python tests/trust/depth.py --largest 7        # and of 1e7: four and a half gigabytes, and a minute of the processor

Time is the processor's: what others take of it does not count.
"""

from __future__ import annotations

import argparse
import copy
import gc
import io
import pickle
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight as torch


class Cost(NamedTuple):
    """What one op of many takes: microseconds of the processor forward, backward and freed, and bytes."""

    count: int
    forward: float
    backward: float
    freed: float
    memory: float


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _cost(count: int, build: Callable[[], Any], check: Callable[[], bool]) -> Cost:
    """The cost of a graph of ``count`` ops; AssertionError where its gradient is wrong."""
    gc.collect()
    gc.disable()  # the collector looks at all that lives, again and again: the graph has nothing for it
    try:
        before, begun = resident(), time.process_time()
        out = build()
        built, memory = time.process_time(), resident() - before
        out.backward()
        went = time.process_time()
        assert check()
        checked = time.process_time()
        del out
        freed = time.process_time()
    finally:
        gc.enable()
    scale = 1e6 / count
    return Cost(count, (built - begun) * scale, (went - built) * scale, (freed - checked) * scale, memory / count)


def chain(count: int) -> Cost:
    """``count`` ops one behind the other."""
    x = torch.tensor(1.0, requires_grad=True)

    def build() -> Any:
        y = x
        for _ in range(count):
            y = y * 1.0
        return y

    return _cost(count, build, lambda: x.grad.item() == 1.0)


def fan(count: int) -> Cost:
    """One tensor with ``count`` uses, whose results are added up in one."""
    x = torch.tensor(1.0, requires_grad=True)

    def build() -> Any:
        shared = x * 1.0
        return torch.stack([shared * 2.0 for _ in range(count)]).sum()

    return _cost(count, build, lambda: x.grad.item() == 2.0 * count)


def views(count: int) -> Cost:
    """A view of a view of a view, written to at the end, so that the history of the base is rewritten."""
    x = torch.ones(2, 3, requires_grad=True)

    def build() -> Any:
        base = x * 1.0
        y = base
        for _ in range(count):
            y = y.t()
        y.mul_(3.0)
        return base.sum()

    return _cost(count, build, lambda: x.grad.tolist() == [[3.0] * 3] * 2)


def hooks(count: int) -> Cost:
    """``count`` hooks on one tensor, one on each op of a chain, and as many behind the leaf."""
    x = torch.tensor(1.0, requires_grad=True)
    calls = [0]

    def count_call(g: Any) -> None:
        calls[0] += 1

    def build() -> Any:
        y = x * 1.0
        for _ in range(count):
            y.register_hook(count_call)
            x.register_post_accumulate_grad_hook(count_call)
        for _ in range(count):
            y = y * 1.0
            y.register_hook(count_call)
        return y

    return _cost(count, build, lambda: calls[0] == 3 * count and x.grad.item() == 1.0)


def containers(count: int) -> None:
    """Modules and lists as deep as Python's own recursion allows, and tensors with a deep history, shown and copied."""
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(count):
        y = y.clone()
    assert repr(y) == "tensor(1., grad_fn=<CloneBackward0>)"
    y.retain_grad()
    file = io.BytesIO()
    torch.save(y.detach(), file)
    assert pickle.loads(pickle.dumps(y.detach())).item() == 1.0
    assert copy.deepcopy(x).item() == copy.copy(y).item() == 1.0
    node, steps = y.grad_fn, 0
    while node.next_functions:
        node, steps = node.next_functions[0][0], steps + 1
    assert steps == count
    seen = torch.autograd.graph.get_gradient_edge(y)
    assert seen.node is y.grad_fn
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    assert g.item() == 1.0
    del node, seen, y, g


def higher(count: int) -> None:
    """A second derivative through ``count`` ops."""
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(count):
        y = y + x * x * (1.0 / count)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert abs(first.item() - 3.0) < 1e-2 and abs(second.item() - 2.0) < 1e-2


def nested_modules(count: int) -> None:
    """Modules in modules: they run as deep as Python's recursion goes, as in PyTorch, and are walked and freed at any depth."""
    module = torch.nn.Sequential(torch.nn.Linear(1, 1))
    for _ in range(count):
        module = torch.nn.Sequential(module)
    del module


KINDS: dict[str, Callable[[int], Cost]] = {"chain": chain, "fan-out": fan, "views": views, "hooks": hooks}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=6, help="the longest chain's power of ten")
    asked = parser.parse_args()
    counts = {
        "chain": [10**power for power in range(5, asked.largest + 1)],
        "fan-out": [10**power for power in range(5, min(asked.largest, 6) + 1)],
        "views": [1_000, 10_000],
        "hooks": [1_000, 10_000],
    }
    print(f"{'':9}{'ops':>11}  {'forward':>8} {'backward':>8} {'freed':>8}  microseconds an op {'bytes':>6} an op", flush=True)
    for name, kind in KINDS.items():
        for count in counts[name]:
            cost = kind(count)
            print(
                f"{name:9}{cost.count:11,}  {cost.forward:8.2f} {cost.backward:8.2f} {cost.freed:8.2f} {cost.memory:25.0f}",
                flush=True,
            )
    containers(100_000)
    higher(20_000)
    nested_modules(10_000)
    print(f"shown, pickled, copied, differentiated twice and freed; recursion limit {sys.getrecursionlimit()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
