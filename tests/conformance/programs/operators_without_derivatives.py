"""Operators of a library that have no derivative: what autograd records of them, and when it warns."""

import warnings

import torch

lib = torch.library.Library("underived", "FRAGMENT")
lib.define("closed(Tensor a, Tensor b, int c) -> Tensor")
lib.impl("closed", lambda a, b, c: torch.from_numpy(a.detach().numpy() + b.detach().numpy() + c), "CPU")
lib.define("recorded(Tensor a, *, float k=2.0) -> (Tensor, Tensor)")
lib.impl("recorded", lambda a, k=2.0: (a * k, a.long()), "CPU")
lib.define("composite(Tensor a) -> Tensor")
lib.impl("composite", lambda a: a.sin() * 2, "CompositeImplicitAutograd")
lib.define("explicit(Tensor a) -> Tensor")
lib.impl("explicit", lambda a: a.sin() * 2, "CompositeExplicitAutograd")
lib.define("triple_(Tensor(a!) a) -> Tensor(a!)")
lib.define("several(Tensor[] a) -> Tensor[]")


@torch.library.impl(lib, "triple_", "CPU")
def triple_(a):
    with torch.no_grad():
        a.mul_(3)
    return a


@torch.library.impl(lib, "several", "CPU")
def several(a):
    with torch.no_grad():
        return [one * 2 for one in a]


def noted(label, function):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            print(label, function())
        except RuntimeError as error:
            print(label, "RuntimeError:", str(error))
    for one in found:
        print("   ", one.category.__name__, str(one.message).split(" (Triggered")[0].strip())


ops = torch.ops.underived
a, b = torch.ones(2), torch.full((2,), 2.0, requires_grad=True)
for mode in ("warn", "nothing"):
    torch._C._set_autograd_fallback_mode(mode)
    print(torch._C._get_autograd_fallback_mode())
    out = ops.closed(a, b, 1)
    print(out.requires_grad, out, out.grad_fn and (out.grad_fn.name(), len(out.grad_fn.next_functions)))
    noted("closed", lambda: torch.autograd.grad(ops.closed(a, b, 1).sum(), b, allow_unused=True))
    print([(one.requires_grad, one.grad_fn and one.grad_fn.name()) for one in ops.recorded(b, k=3.0)])
    for name in ("composite", "explicit"):
        noted(name, lambda name=name: torch.autograd.grad(getattr(ops, name)(b).sum(), b))
    x = torch.ones(2, 2, requires_grad=True)
    whole = x.clone()
    row = whole[0]
    print(ops.triple_(row) is row, whole, row, whole._version)
    noted("base", lambda: torch.autograd.grad(whole.sum(), x, retain_graph=True))
    noted("view", lambda: torch.autograd.grad(row.sum(), x))
    noted("list", lambda: [one.requires_grad for one in ops.several([a, b])])
    noted("list", lambda: torch.autograd.grad(ops.several([a, b])[1].sum(), b, allow_unused=True))
    with torch.no_grad():
        print(ops.closed(a, b, 1).requires_grad, ops.recorded(b)[0].requires_grad)
