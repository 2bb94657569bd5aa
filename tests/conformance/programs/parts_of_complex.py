"""Writes into the real view of complex numbers and the complex view of real ones, with gradients that are recorded."""

import torch

g = torch.autograd.grad
zz = torch.tensor([1 + 2j, 3j], requires_grad=True)
for cg in (False, True):
    print(g(zz.clone().real.mul_(2).sum(), zz, create_graph=cg))

    def f(z):
        y = z.clone()
        y.real.mul_(3)
        y.imag[0] = y.real[1] * 2
        return (y * y).real.sum()

    (a,) = g(f(zz), zz, create_graph=True)
    print(a)
    if a.requires_grad:
        print(g(a.real.sum(), zz))
    x = torch.arange(8.0).reshape(4, 2).requires_grad_()

    def h(x):
        y = x.clone()
        torch.view_as_complex(y)[1:].mul_(1j)
        return (y**3).sum()

    (a,) = g(h(x), x, create_graph=cg)
    print(a)
    if a.requires_grad:
        print(g(a.sum(), x))

    def k(z):
        y = z.clone()
        v = torch.view_as_real(y)
        v[:, 0].mul_(2.0)
        return (y**2).imag.sum()

    (a,) = g(k(zz), zz, create_graph=cg)
    print(a)
z0 = torch.tensor(1 + 2j, requires_grad=True)
y = z0.clone()
y.real.mul_(3)
print(g((y * y).real, z0, create_graph=True))
for base, seen in ((torch.zeros(2, dtype=torch.complex64), torch.view_as_real), (torch.zeros(2, 2), torch.view_as_complex)):
    view = seen(base)
    view.mul_(torch.ones(1, requires_grad=True) * 2)
    print(view.grad_fn.name(), view.grad_fn.next_functions[0][0].name(), base.grad_fn.name())
