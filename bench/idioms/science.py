"""Points, fields, matrices and derivatives of derivatives."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from leaves import leaf
from torch import nn


def distances():
    x = leaf(128, 3)

    def step():
        d = (x[:, None] - x[None]).pow(2).sum(-1)
        (torch.exp(-d)).sum().backward()
        x.grad = None

    return step


def distances_large():
    x = leaf(300, 8)

    def step():
        d = (x[:, None] - x[None]).pow(2).sum(-1)
        (torch.exp(-d)).sum().backward()
        x.grad = None

    return step


def gravity():
    x = leaf(40, 3)
    m = torch.rand(40)

    def step():
        d = x[:, None] - x[None]
        r = (d.pow(2).sum(-1) + 1e-2).sqrt()
        (m[:, None] * m / r).triu(1).sum().backward()
        x.grad = None

    return step


def rotations():
    t = leaf(500)
    p = torch.randn(500, 2)

    def step():
        c, s = t.cos(), t.sin()
        R = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
        (R @ p[..., None]).sum().backward()
        t.grad = None

    return step


def stencil_by_slices():
    u = leaf(128, 128)

    def step():
        v = u
        for _ in range(5):
            lap = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4 * v[1:-1, 1:-1]
            v = F.pad(v[1:-1, 1:-1] + 0.1 * lap, (1, 1, 1, 1))
        (v**2).sum().backward()
        u.grad = None

    return step


def rolled_field():
    u = leaf(128, 128)

    def step():
        v = u
        for _ in range(5):
            v = v + 0.1 * (torch.roll(v, 1, 0) + torch.roll(v, -1, 0) + torch.roll(v, 1, 1) + torch.roll(v, -1, 1) - 4 * v)
        (v**2).sum().backward()
        u.grad = None

    return step


def ode_by_runge_kutta():
    A = leaf(4, 4, scale=0.3)
    y0 = torch.randn(4)

    def f(y):
        return torch.tanh(A @ y)

    def step():
        y = y0
        for _ in range(20):
            k1 = f(y)
            k2 = f(y + 0.05 * k1)
            k3 = f(y + 0.05 * k2)
            k4 = f(y + 0.1 * k3)
            y = y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y.sum().backward()
        A.grad = None

    return step


def differential_equation_net():
    m = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    x = torch.linspace(0, 1, 100)[:, None].requires_grad_()

    def step():
        u = m(x)
        du = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        ddu = torch.autograd.grad(du.sum(), x, create_graph=True)[0]
        (ddu + u).pow(2).mean().backward()
        m.zero_grad()
        x.grad = None

    return step


def gradient_through_a_step():
    w = leaf(10, 1)
    x = torch.randn(20, 10)
    y = torch.randn(20, 1)

    def step():
        loss = ((x @ w - y) ** 2).mean()
        g = torch.autograd.grad(loss, w, create_graph=True)[0]
        w2 = w - 0.1 * g
        ((x @ w2 - y) ** 2).mean().backward()
        w.grad = None

    return step


def hessian_times_vector():
    w = torch.randn(50)
    v = torch.randn(50)
    A = torch.randn(50, 50)

    def f(w):
        return (torch.tanh(A @ w) ** 2).sum()

    def step():
        torch.autograd.functional.hvp(f, w, v)

    return step


def hessian():
    A = torch.randn(10, 10)

    def f(x):
        return (x @ A @ x) ** 2 + x.sin().sum()

    x = torch.randn(10)

    def step():
        torch.autograd.functional.hessian(f, x)

    return step


def gradients_by_sample():
    w = torch.randn(10)
    X = torch.randn(64, 10)
    Y = torch.randn(64)
    g = torch.func.vmap(torch.func.grad(lambda w, x, y: (x @ w - y) ** 2), (None, 0, 0))

    def step():
        g(w, X, Y)

    return step


def gaussian_process():
    x = torch.randn(100, 2)
    y = torch.randn(100)
    length = leaf(1)

    def step():
        K = torch.exp(-(x[:, None] - x[None]).pow(2).sum(-1) / length.exp()) + 0.1 * torch.eye(100)
        L = torch.linalg.cholesky(K)
        a = torch.cholesky_solve(y[:, None], L)
        (y @ a[:, 0] + 2 * torch.log(torch.diagonal(L)).sum()).backward()
        length.grad = None

    return step


def determinant_and_solve():
    a = leaf(30, 30)
    b = torch.randn(30, 5)

    def step():
        m = a + 30 * torch.eye(30)
        (torch.linalg.slogdet(m)[1] + torch.linalg.solve(m, b).sum()).backward()
        a.grad = None

    return step


def eigenvalues():
    a = leaf(30, 30)

    def step():
        s = (a + a.T) / 2
        torch.linalg.eigh(s)[0].pow(2).sum().backward()
        a.grad = None

    return step


def matrix_exponential():
    a = leaf(20, 20, scale=0.1)

    def step():
        torch.matrix_exp(a).sum().backward()
        a.grad = None

    return step


def regression_in_doubles():
    x = torch.randn(500, 20, dtype=torch.float64)
    w = torch.randn(20, dtype=torch.float64).requires_grad_()
    y = torch.randn(500, dtype=torch.float64)

    def step():
        ((x @ w - y) ** 2).mean().backward()
        w.grad = None

    return step


def spectrum():
    x = leaf(64, 256)

    def step():
        torch.fft.rfft(x).abs().sum().backward()
        x.grad = None

    return step


def complex_mul():
    x = torch.randn(5000, dtype=torch.complex64).requires_grad_()
    y = torch.randn(5000, dtype=torch.complex64)

    def step():
        (x * y).abs().sum().backward()
        x.grad = None

    return step


def median_quantile():
    x = leaf(100, 51)

    def step():
        (x.median(1).values.sum() + x.quantile(0.9, dim=1).sum()).backward()
        x.grad = None

    return step


def total_variation():
    x = leaf(1, 3, 64, 64)

    def step():
        ((x[..., 1:, :] - x[..., :-1, :]).abs().sum() + (x[..., 1:] - x[..., :-1]).abs().sum()).backward()
        x.grad = None

    return step


PROGRAMS = """
distances distances_large gravity rotations stencil_by_slices rolled_field
ode_by_runge_kutta differential_equation_net gradient_through_a_step hessian_times_vector hessian gradients_by_sample
gaussian_process determinant_and_solve eigenvalues matrix_exponential regression_in_doubles spectrum
complex_mul median_quantile total_variation
""".split()
