"""Gradients of complex values: the conjugate convention, mixed graphs, a descent."""

import torch


def show(label, f, *values):
    leaves = [
        torch.tensor(v, dtype=torch.complex128 if isinstance(v, complex) else torch.float64, requires_grad=True) for v in values
    ]
    y = f(*leaves)
    y.backward(torch.ones_like(y))
    print(label, shown(y.detach()), [shown(leaf.grad) for leaf in leaves])


def shown(t):
    value = complex(t)
    return f"{round(value.real, 4) + 0.0:.4f} {round(value.imag, 4) + 0.0:.4f}i"


z, w = 1.0 + 2.0j, 0.5 - 1.0j
show("abs squared", lambda a: (a * a.conj()).real, z)
show("abs", torch.abs, z)
show("real", lambda a: a.real, z)
show("imag", lambda a: a.imag, z)
show("conj", torch.conj, z)
show("angle", torch.angle, z)
show("product", lambda a, b: a * b, z, w)
show("quotient", lambda a, b: a / b, z, w)
show("difference", lambda a, b: a - b, z, w)
show("square", lambda a: a**2, z)
show("power", lambda a: a**3, z)
show("exp", torch.exp, w)
show("log", torch.log, z)
show("sqrt", torch.sqrt, z)
show("sin", torch.sin, w)
show("tanh", torch.tanh, w)
show("reciprocal", torch.reciprocal, z)
show("real times complex", lambda a, b: a * b, 3.0, z)
show("real plus complex", lambda a, b: a + b, 3.0, z)
show("sgn", torch.sgn, z)
show("made of parts", lambda a, b: torch.complex(a, b) ** 2, 1.0, 2.0)
show("polar", lambda a, b: torch.polar(a, b), 2.0, 0.5)
show("abs at zero", torch.abs, 0j)

a = torch.tensor([1 + 1j, 2 - 1j], requires_grad=True)
m = torch.tensor([[1j, 2.0], [0.5, -1j]], requires_grad=True)
loss = (m @ a).abs().pow(2).sum()
loss.backward()
print(loss, a.grad, m.grad)
print(a.real.grad_fn.name(), a.conj().grad_fn.name(), torch.view_as_real(a * 1).grad_fn.name(), a.abs().grad_fn.name())
a.grad = None
r = torch.view_as_real(a * 1)
(r * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
print(a.grad)
(g,) = torch.autograd.grad((a * a).abs().pow(2).sum(), a, create_graph=True)
(h,) = torch.autograd.grad(g.abs().pow(2).sum(), a)
print([f"{v:.2f}" for v in g.tolist()], [f"{v:.1f}" for v in h.tolist()])

target = torch.tensor([0.5 + 0.5j, -1j])
p = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
for step in range(20):
    loss = (p - target).abs().square().sum()
    (g,) = torch.autograd.grad(loss, p)
    with torch.no_grad():
        p -= 0.25 * g
    if step % 5 == 4:
        print(step, f"{loss.item():.6f}", [f"{v:.3f}" for v in p.tolist()])
try:
    (p * 1j).sum().backward()
except RuntimeError as error:
    print(str(error))
q = torch.tensor([1.0, 2.0], requires_grad=True)
out = (q * 1j + q).abs().sum() if q.is_complex() else (q * (1 + 1j)).real.sum()
out.backward()
print(q.grad)
