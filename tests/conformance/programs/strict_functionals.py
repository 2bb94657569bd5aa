"""Jacobians, Hessians and products: what strict mode and wrong arguments are told."""

import torch
import torch.autograd.functional as F

x = torch.tensor([0.5, 1.0, 1.5, 2.0])
v = torch.tensor([1.0, 0.0, 2.0, 0.0])


def attempt(label, function, *args, **options):
    try:
        print(label, function(*args, **options))
    except (RuntimeError, TypeError, NotImplementedError, AssertionError) as error:
        print(label, type(error).__name__, error)


def cut(a):
    return a.detach()


def elsewhere(a):
    return a.long().float().requires_grad_().clone()


def linear(a):
    return a.clone()


for name in ("vjp", "jvp"):
    function = getattr(F, name)
    for inner in (cut, elsewhere, linear):
        attempt(f"{name} {inner.__name__}", function, inner, x, v, strict=True, create_graph=inner is linear)
        attempt(f"{name} {inner.__name__} loose", function, inner, x, v)
    attempt(f"{name} second input", function, lambda a, b: (a * 2, a * 3), (x, x.clone()), (v, v), strict=True)
    attempt(f"{name} no vector", function, linear, x)
    attempt(f"{name} two vectors", function, linear, x, (v, v))
    attempt(f"{name} short", function, linear, x, v[:2])
    attempt(f"{name} number", function, linear, x, 3)
    attempt(f"{name} list", function, linear, [x], v)
for name in ("vhp", "hvp"):
    function = getattr(F, name)
    for inner in (cut, elsewhere, linear):
        attempt(f"{name} {inner.__name__}", function, lambda a, inner=inner: inner(a).sum(), x, v, strict=True)
    attempt(f"{name} value", function, lambda a: (a**3).sum(), x, v, strict=True)
    attempt(f"{name} two results", function, lambda a: (a.sum(), a.sum()), x, v)
    attempt(f"{name} not one number", function, lambda a: a * 2, x, v)
    attempt(f"{name} no vector", function, lambda a: a.sum(), x)
    attempt(f"{name} number in vectors", function, lambda a: a.sum(), x, (v, 2))
for inner in (cut, elsewhere, linear):
    attempt(f"jacobian {inner.__name__}", F.jacobian, inner, x, strict=True, create_graph=inner is linear)
    attempt(f"hessian {inner.__name__}", F.hessian, lambda a, inner=inner: inner(a).sum(), x, strict=True)
attempt("jacobian vectorized", F.jacobian, linear, x, strict=True, vectorize=True)
attempt("hessian vectorized", F.hessian, lambda a: (a**3).sum(), x, strict=True, vectorize=True)
attempt("hessian", F.hessian, lambda a: (a**3).sum(), x, strict=True)
attempt("hessian of a text", F.hessian, lambda a: (a.sum(), "text"), x)
attempt("forward", F.jacobian, linear, x, strategy="forward-mode")
attempt("unknown", F.jacobian, linear, x, strategy="sideways")
print(F._construct_standard_basis_for((torch.ones(2), torch.ones(1, dtype=torch.float64)), (2, 1)))
