"""One-argument functions: values and first and second derivatives to four digits, methods and functions alike."""

import torch

inside = torch.tensor([-0.75, -0.25, 0.3, 0.9], dtype=torch.float64)
positive = torch.tensor([0.5, 1.0, 2.5, 3.0], dtype=torch.float64)
above_one = torch.tensor([1.25, 2.0, 3.5], dtype=torch.float64)
names = {
    "exp exp2 expm1 sin cos tan sinh cosh tanh sigmoid asin acos atan asinh atanh": inside,
    "erf erfc neg abs square logit arcsin arctan arctanh sinc deg2rad rad2deg": inside,
    "log log2 log10 log1p sqrt rsqrt reciprocal lgamma digamma": positive,
    "acosh arccosh": above_one,
    "floor ceil round trunc frac sign sgn relu": positive - 2.25,
}


def digits(t):
    return [f"{round(v, 4) + 0.0:.4f}" for v in (t + torch.zeros(t.shape)).tolist()]


for group, x in names.items():
    for name in group.split():
        t = (x * 0.5 + 0.5 if name == "logit" else x).clone().requires_grad_()
        y = getattr(torch, name)(t)
        (g,) = torch.autograd.grad(y.sum(), t, create_graph=True)
        h = torch.autograd.grad(g.sum(), t, allow_unused=True)[0] if g.requires_grad else None
        same = torch.equal(y, getattr(t, name)())
        print(name, digits(y), digits(g), digits(torch.zeros_like(x) if h is None else h), same)
print(torch.tensor([2, 3]).sqrt(), torch.tensor([1, 2]).exp().dtype)
print(torch.tensor([-1.5, 2.5]).round(), torch.tensor(1.2345).round(decimals=2))
print(torch.tensor([1.5, -1.5, 0.5, -0.5, 2.5]).round(), torch.tensor([-1.7]).trunc())
print(torch.tensor([-1.25]).frac(), torch.tensor([3]).floor())
print(torch.tensor([-1.0, 0.0]).sqrt(), torch.tensor([0.0, -1.0]).log())
print(torch.tensor([0.0]).reciprocal(), torch.tensor([0.0]).rsqrt())
print(torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0]).isnan(), torch.tensor([float("inf"), 1.0]).isinf())
print(torch.tensor([float("nan"), float("inf"), 1.0]).isfinite())
print(torch.tensor([-float("inf")]).isneginf(), torch.signbit(torch.tensor([-1.0])))
print(torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -float("inf"), 2.0])))
print(torch.tensor([float("nan")]).nan_to_num(7.0))
print(torch.tensor([-2, 0, 3]).abs(), torch.tensor([-2, 0, 3]).sign())
print(torch.tensor([-2, 3]).neg(), torch.tensor([-2, 3]).square())
print(torch.exp(torch.tensor(0.0)), torch.exp(torch.tensor([1])))
print(torch.atan2(torch.tensor([1.0, -1.0]), torch.tensor([1.0, 0.0])))
print(torch.hypot(torch.tensor([3.0]), torch.tensor([4.0])), torch.copysign(torch.tensor([1.0]), torch.tensor([-0.0])))
print(torch.logaddexp(torch.zeros(1), torch.zeros(1)), torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 1.0])))
