"""What one op costs on a tensor of four elements, on rushlight and on PyTorch: recorded, microseconds, best of many.

    python bench/overhead.py [--rounds 3] [OP ...]

Each side is a process of its own with one thread, in turns; the ratio is the median over the rounds.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import sys
import timeit

from turns import SIDES, ask, begin, in_turns

SETUP = """
import torch.nn.functional as F
x = torch.ones(2, 2, requires_grad=True)
y = torch.full((2, 2), 0.5, requires_grad=True)
flat = torch.ones(4, requires_grad=True)
d = torch.ones(2, 2)
e = torch.full((2, 2), 0.25)
mask = d > 0
index = torch.tensor([1, 0])
bias = torch.zeros(2, requires_grad=True)
one = (x * x).sum()
"""

OPS = """
x + y; x - y; x * y; x / y; x @ y; -x; x + 2; x * 3; x / 2; 1 - x; x ** 2
x.exp(); x.log(); x.sqrt(); torch.tanh(x); torch.sigmoid(x); torch.relu(x); torch.abs(x); x.pow(2); x.clamp(0, 1)
x.sum(); x.mean(); x.sum(0); x.mean(1, keepdim=True); x.max(); x.max(1); x.argmax(1); x.var(); x.norm()
x.view(4); x.reshape(4); x.t(); x.transpose(0, 1); x[0]; x[0:1]; x[:, 0]; x[index]; x.unsqueeze(0); x.squeeze(); x.expand(3, 2, 2)
x.flatten(); x.permute(1, 0); x.chunk(2, 1); x.unbind(0); x.split(1); torch.cat([x, y]); torch.stack([x, y]); x.detach(); x.clone()
torch.softmax(x, -1); F.log_softmax(x, -1); F.linear(x, y, bias); F.cross_entropy(x, index); F.mse_loss(x, d); F.layer_norm(x, (2,))
F.embedding(index, x); F.gelu(x); torch.matmul(x, y); torch.addmm(bias, x, y); x.gather(1, index[:, None]); torch.where(mask, x, y)
x > 0; x == y; x.item if 0 else flat[0].item(); d.add_(1e-9); d.mul_(1.0); d.add_(e, alpha=1e-9); d.zero_(); d.copy_(e)
torch.zeros(2, 2); torch.ones(2, 2); torch.tensor([1.0, 2.0]); torch.randn(2, 2); torch.arange(4); torch.zeros_like(d)
x.shape; x.size(0); x.requires_grad; x.sort(); x.cumsum(0); x.topk(1); torch.einsum("ij,jk->ik", x, y); d.float()
one.backward(retain_graph=True)
"""
STATEMENTS = [each.strip() for each in OPS.replace("\n", ";").split(";") if each.strip()]


def measure(side: str, chosen: list[str]) -> dict[str, float | str]:
    """Microseconds of each statement in this process."""
    torch = begin(side)
    torch.set_num_threads(1)
    names: dict[str, object] = {"torch": torch}
    exec(SETUP, names)
    times: dict[str, float | str] = {}
    for statement in chosen:
        try:
            timer = timeit.Timer(statement, globals=names)
            count = max(1, int(0.01 / max(min(timer.repeat(3, 20)) / 20, 1e-8)))
            times[statement] = min(timer.repeat(7, count)) / count * 1e6
        except Exception as error:
            times[statement] = f"{type(error).__name__}: {error}"
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", nargs="*", metavar="OP", help="statements that contain one of these; all where none is given")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = [each for each in STATEMENTS if not options.ops or any(part in each for part in options.ops)]
    if options.side:
        json.dump(measure(options.side, chosen), sys.stdout)
        return 0
    found = in_turns(functools.partial(ask, "overhead.py", *options.ops, "--side", threads=1), options.rounds)
    print(f"{'op':40}{'rushlight us':>14}{'PyTorch us':>14}{'ratio':>8}")
    ratios = []
    for statement in chosen:
        ours, theirs = ([each[statement] for each in found[side]] for side in SIDES)
        wrong = next((value for value in [*ours, *theirs] if isinstance(value, str)), None)
        if wrong is not None:
            print(f"{statement:40}  {wrong}")
            continue
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        ratios.append(ratio)
        print(f"{statement:40}{statistics.median(ours):14.2f}{statistics.median(theirs):14.2f}{ratio:8.2f}")
    print(f"{'geometric mean':40}{'':28}{statistics.geometric_mean(ratios):8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
