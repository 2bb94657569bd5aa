"""Derivatives of functions with parameters, taken while nothing is recorded: they are what they are while it is."""

import torch
import torch.autograd.forward_ad as forward
from torch import vmap
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
x, y = torch.randn(5, 3), torch.randn(5, 2)
names, parameters = zip(*net.named_parameters())
ones = tuple(torch.ones_like(one) for one in parameters)


def predict(*values):
    return functional_call(net, dict(zip(names, values)), (x,))


def loss(*values):
    return ((predict(*values) - y) ** 2).mean()


def gauss_newton(*vectors):
    out, moved = jvp(predict, parameters, vectors)
    _, curved = jvp(jacrev(lambda out: ((out - y) ** 2).mean()), (out,), (moved,))
    return vjp(predict, *parameters)[1](curved)


def quietly(function):
    def call(*args):
        with torch.no_grad():
            return function(*args)

    return call


def show(name, results):
    print(name, [f"{one.sum().item():.4f}" for one in results], [one.requires_grad for one in results])


show("jvp", quietly(jvp)(predict, parameters, ones))
show("jvp recorded", jvp(predict, parameters, ones))
show("vjp", quietly(lambda: vjp(predict, *parameters)[1](torch.ones(5, 2)))())
show("grad", quietly(grad(loss, argnums=(0, 1, 2, 3)))(*parameters))
show("jacfwd", quietly(jacfwd(loss, argnums=(0, 2)))(*parameters))
show("hessian", quietly(lambda: hessian(loss, argnums=(1,))(*parameters)[0])())
show("gauss newton", quietly(gauss_newton)(*ones))
show("of each", vmap(quietly(gauss_newton))(*(torch.stack([one, 2 * one]) for one in ones)))
with torch.no_grad(), forward.dual_level():
    weight = forward.make_dual(parameters[0], ones[0])
    bias = forward.make_dual(parameters[1], ones[1])
    for name, out in {
        "addmm": torch.addmm(bias, x, weight.T),
        "addmv": torch.addmv(bias, weight, x[0]),
        "baddbmm": torch.baddbmm(bias[:, None, None], weight[:, None], x.T[None].expand(4, 3, 5)),
        "logsumexp": weight.logsumexp(1),
        "softmax": weight.softmax(1),
        "layer_norm": torch.layer_norm(weight * x[:4], (3,))[:, 0],
        "cumprod": weight.cumprod(0),
        "solve": torch.linalg.solve(weight[:3], x.T),
    }.items():
        tangent = forward.unpack_dual(out).tangent
        print(name, f"{tangent.sum().item():.4f}", out.requires_grad, tangent.requires_grad)

# Vectors that are known up to a factor have forward derivatives too, though not every loss of them has a gradient.
torch.manual_seed(1)
for dtype in (torch.float64, torch.complex128):
    square, direction = torch.randn(3, 3, dtype=dtype), torch.randn(3, 3, dtype=dtype)
    symmetric, other = square + square.mH, direction + direction.mH
    print([round(one, 6) for one in jvp(torch.linalg.svdvals, (square,), (direction,))[1].tolist()])
    print([round(one, 6) for one in jvp(torch.linalg.eigvalsh, (symmetric,), (other,))[1].tolist()])
    print(jvp(torch.linalg.eigvals, (square,), (direction,))[1].abs().sum().item().__round__(6))
    for name, function, args in (
        ("svd", torch.linalg.svd, (square, direction)),
        ("eigh", torch.linalg.eigh, (symmetric, other)),
        ("eig", torch.linalg.eig, (square, direction)),
    ):
        tangents = jvp(function, args[:1], args[1:])[1]
        print(name, [round(one.abs().sum().item(), 6) for one in tangents])
