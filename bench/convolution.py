"""Convolution of a batch of 32, forward and backward, by kernel size and channels: rushlight beside PyTorch.

    python bench/convolution.py [--rounds 3] [--seconds 0.3] [--threads N] [KERNEL ...]

Images are 28 x 28, of 32 channels and more 14 x 14, padded to keep their size; the gradients are those of the images,
the weight and the bias.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys

from measure import best_time
from turns import SIDES, Failed, ask, begin, in_turns, median, ratio, row

BATCH = 32
CHANNELS = ((1, 8), (3, 16), (8, 16), (16, 16), (32, 64), (64, 64))
BOUNDS = {1: 1.20, 3: 2.50, 5: 2.50, 7: None}


def measure(side: str, kernels: list[int], seconds: float) -> dict[str, float]:
    """Seconds that each case takes in this process, by its title."""
    torch = begin(side)
    torch.manual_seed(0)
    convolve = torch.nn.functional.conv2d
    times = {}
    for kernel in kernels:
        for channels, filters in CHANNELS:
            size = 28 if channels < 32 else 14
            x = torch.rand(BATCH, channels, size, size, requires_grad=True)
            w = torch.randn(filters, channels, kernel, kernel).mul(0.1).requires_grad_()
            bias = torch.zeros(filters, requires_grad=True)
            gradient = torch.rand(BATCH, filters, size, size)

            def step(x, w, bias, gradient):
                x.grad = w.grad = bias.grad = None
                convolve(x, w, bias, padding=w.shape[-1] // 2).backward(gradient)

            times[title(kernel, channels, filters)] = best_time(step, (x, w, bias, gradient), seconds)
    return times


def title(kernel: int, channels: int, filters: int) -> str:
    size = 28 if channels < 32 else 14
    return f"{kernel}x{kernel}, {channels} to {filters} channels, {size} x {size}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", type=int, metavar="KERNEL", help=f"kernel sizes of {', '.join(map(str, BOUNDS))}")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=0.3, help="time that one measurement of one case takes")
    parser.add_argument("--threads", type=int, help="threads of each side; all, where not given")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    kernels = options.kernels or list(BOUNDS)
    if not BOUNDS.keys() >= set(kernels):
        parser.error(f"kernel sizes are {', '.join(map(str, BOUNDS))}")
    if options.side:
        json.dump(measure(options.side, kernels, options.seconds), sys.stdout)
        return 0
    row(f"convolution, batch {BATCH}, forward and backward", "rushlight us", "PyTorch us", "ratio", "bound")
    for kernel in kernels:
        arguments = (str(kernel), "--seconds", str(options.seconds), "--side")
        try:
            found = in_turns(functools.partial(ask, "convolution.py", *arguments, threads=options.threads), options.rounds)
        except Failed as failure:
            print(failure)
            return 1
        for case in found[SIDES[0]][0]:
            times = [f"{median(found, side, case) * 1e6:,.0f}" for side in SIDES]
            bound = BOUNDS[kernel]
            shown = "" if bound is None else f"{bound:.2f}"
            row(case, *times, f"{ratio(found, case):.2f}", shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
