"""Gradients where there is no derivative: ties, kinks, zeros, infinities."""

import torch


def gradient(f, *values):
    x = torch.tensor(values, requires_grad=True)
    f(x).sum().backward()
    return x.grad


zero = (-1.0, 0.0, 1.0)
print("abs", gradient(torch.abs, *zero))
print("relu", gradient(torch.relu, *zero))
print("sign", gradient(torch.sign, *zero))
print("clamp at bounds", gradient(lambda x: x.clamp(0, 1), *zero, 2.0))
print("clamp min", gradient(lambda x: x.clamp(min=0), *zero))
print("hardtanh", gradient(torch.nn.functional.hardtanh, *zero))
print("max", gradient(torch.max, 1.0, 1.0, 0.0))
print("max dim", gradient(lambda x: x.max(0)[0], 1.0, 1.0, 0.0))
print("min", gradient(torch.min, 0.0, 0.0, 5.0))
print("amax", gradient(torch.amax, 1.0, 1.0, 1.0, 1.0))
print("maximum", gradient(lambda x: torch.maximum(x, torch.ones(3)), 0.0, 1.0, 2.0))
print("minimum", gradient(lambda x: torch.minimum(x, torch.ones(3)), 0.0, 1.0, 2.0))
print("norm at 0", gradient(torch.norm, 0.0, 0.0))
print("norm 1", gradient(lambda x: x.norm(1), *zero))
print("sqrt", gradient(torch.sqrt, 0.0, 1.0, 4.0))
print("pow 0", gradient(lambda x: x**0, *zero))
print("pow 2", gradient(lambda x: x**2, *zero))
print("pow 0.5", gradient(lambda x: x**0.5, 0.0, 4.0))
print("0 ** x", gradient(lambda x: torch.zeros(3) ** x, 0.0, 1.0, 2.0))
print("x ** x", gradient(lambda x: x**x, 0.0, 1.0))
print("reciprocal", gradient(torch.reciprocal, 0.0, 2.0))
print("log", gradient(torch.log, 0.0, 2.0))
print("prod", gradient(torch.prod, 0.0, 2.0, 3.0), gradient(torch.prod, 0.0, 0.0, 3.0))
print("atan2", gradient(lambda x: torch.atan2(x, torch.zeros(2)), 1.0, 2.0))
print("round", gradient(torch.round, 0.5, 1.5), "floor", gradient(torch.floor, 0.5, 1.0))
print("frac", gradient(torch.frac, 0.5, 1.5), "trunc", gradient(torch.trunc, 0.5, -1.5))
print("where hides nan", gradient(lambda x: torch.where(x > 0, x.log(), torch.zeros(2)), 0.0, 1.0))
print("nan_to_num", gradient(lambda x: torch.nan_to_num(x), float("nan"), float("inf"), 2.0))
print("median", gradient(torch.median, 1.0, 2.0, 2.0), "sort")
print(gradient(lambda x: x.sort()[0] * torch.arange(3.0), 2.0, 2.0, 1.0))
print("std", gradient(torch.std, 1.0, 1.0), "var", gradient(torch.var, 1.0, 3.0))
print("softmax", gradient(lambda x: x.softmax(0)[0], 0.0, 0.0), "logsumexp")
print(gradient(lambda x: x.logsumexp(0), 0.0, 0.0))
print("inf", gradient(lambda x: x.logsumexp(0), -float("inf"), 0.0))
print(gradient(torch.sigmoid, float("inf"), -float("inf")))
print("hypot", gradient(lambda x: torch.hypot(x, torch.zeros(2)), 0.0, 3.0), "leaky")
print(gradient(torch.nn.functional.leaky_relu, *zero))
print("cumprod", gradient(lambda x: x.cumprod(0), 2.0, 0.0, 3.0), "dist")
print(gradient(lambda x: torch.dist(x, x.detach()), 1.0, 2.0))
for name in ("relu6", "hardtanh", "hardsigmoid", "hardswish"):
    beyond = torch.tensor([-7.0, 7.0, 0.5], requires_grad=True)
    getattr(torch.nn.functional, name)(beyond).backward(torch.tensor([float("inf"), float("nan"), 1.0]))
    print(name, beyond.grad)
F = torch.nn.functional
for mode in ("reflect", "replicate"):
    for shape, widths in (
        ((2, 4, 5), (1, -6, 1, 1)),
        ((1, 2, 4, 5), (-2, -2, -2, -2)),
        ((1, 1, 3, 4, 5), (1, 1, 0, 0, -2, -1)),
    ):
        print(mode, F.pad(torch.ones(shape), widths, mode=mode))
    for shape, widths in (((2, 4), (-2, -2)), ((2, 4, 5), (-2, -3, -2, -2)), ((1, 2, 3, 4, 5), (-2, -3, -2, -2, -2, -1))):
        try:
            F.pad(torch.ones(shape), widths, mode=mode)
        except RuntimeError as error:
            print(mode, error)
for off in (float("inf"), float("nan")):
    image, grid = torch.ones(1, 1, 2, 2, 2, requires_grad=True), torch.full((1, 1, 1, 2, 3), off)
    grid[0, 0, 0, 1] = 0.25
    grid.requires_grad_()
    sampled = F.grid_sample(image, grid, align_corners=True)
    sampled.sum().backward()
    print(sampled, image.grad, grid.grad)
for reduce in ("amin", "amax"):
    kept = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    reduced = kept.scatter_reduce(0, torch.tensor([0, 0, 1]), torch.tensor([1.0, 3.0, 2.0]), reduce)
    print(reduce, torch.autograd.grad(reduced.sum(), kept, create_graph=True))
poles = torch.tensor([-2.0, -1.0, 0.5], requires_grad=True)
torch.digamma(poles).sum().backward()
print(poles.grad)
