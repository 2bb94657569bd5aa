"""Indexing, views, writes in place, joining and sorting."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from leaves import leaf


def graph_messages():
    x = leaf(1000, 16)
    src = torch.randint(0, 1000, (5000,))
    dst = torch.randint(0, 1000, (5000,))
    w = leaf(16, 16)

    def step():
        h = x @ w
        m = h[src]
        out = torch.zeros(1000, 16).index_add(0, dst, m)
        out.relu().sum().backward()
        x.grad = None
        w.grad = None

    return step


def scatter_messages():
    x = leaf(1000, 16)
    src = torch.randint(0, 1000, (5000,))
    dst = torch.randint(0, 1000, (5000, 1)).expand(5000, 16)

    def step():
        m = torch.gather(x, 0, src[:, None].expand(-1, 16))
        out = torch.zeros(1000, 16).scatter_add(0, dst, m)
        out.tanh().sum().backward()
        x.grad = None

    return step


def graph_convolution():
    edges = torch.randint(0, 300, (2, 1500))
    graph = torch.sparse_coo_tensor(edges, torch.rand(1500), (300, 300)).coalesce()
    x, t = torch.randn(300, 16), torch.randint(0, 4, (300,))
    w1, w2 = leaf(16, 32), leaf(32, 4)

    def step():
        h = torch.sparse.mm(graph, x @ w1).relu()
        F.cross_entropy(torch.sparse.mm(graph, h @ w2), t).backward()
        w1.grad = w2.grad = None

    return step


def writes_one_by_one():
    m = leaf(200)

    def step():
        n = torch.zeros(200)
        for i in range(0, 200, 4):
            n[i] = m[i] ** 2
        n.sum().backward()
        m.grad = None

    return step


def writes_by_slices():
    x = leaf(100, 100)

    def step():
        y = torch.zeros(100, 100)
        y[:50] = x[:50] * 2
        y[50:] = x[50:].exp()
        y.sum().backward()
        x.grad = None

    return step


def split_chunk():
    x = leaf(64, 256)

    def step():
        a, b, c, d = x.chunk(4, 1)
        (a.sigmoid() * b.tanh() + c.sigmoid() * d).sum().backward()
        x.grad = None

    return step


def permute_views():
    x = leaf(8, 32, 4, 16)

    def step():
        y = x.permute(0, 2, 1, 3).reshape(8, 4, -1).transpose(1, 2).contiguous()
        (y * y).sum().backward()
        x.grad = None

    return step


def patches():
    x = leaf(4, 3, 32, 32)

    def step():
        F.unfold(x, 4, stride=4).pow(2).sum().backward()
        x.grad = None

    return step


def pixel_shuffle():
    x = leaf(4, 16, 16, 16)

    def step():
        F.pixel_shuffle(x, 2).pow(2).sum().backward()
        x.grad = None

    return step


def broadcast_bias():
    x = torch.randn(32, 64, 56)
    b = leaf(64, 1)
    s = leaf(64, 1)

    def step():
        (x * s + b).relu().mean().backward()
        b.grad = s.grad = None

    return step


def where_and_clamp():
    x = leaf(20000)

    def step():
        torch.where(x > 0, x * x, x.clamp(-1, 1)).sum().backward()
        x.grad = None

    return step


def maximum_minimum():
    x = leaf(10000)
    y = leaf(10000)

    def step():
        (torch.maximum(x, y) - torch.minimum(x, y)).sum().backward()
        x.grad = y.grad = None

    return step


def sort_and_topk():
    x = leaf(64, 200)

    def step():
        (x.sort(1).values[:, :10].sum() + x.topk(5).values.sum()).backward()
        x.grad = None

    return step


def standardized():
    x = leaf(500, 40)

    def step():
        ((x - x.mean(0)) / x.std(0)).pow(3).mean().backward()
        x.grad = None

    return step


def loop_of_scalars():
    a = torch.tensor(0.5, requires_grad=True)

    def step():
        x = a
        for _ in range(50):
            x = 3.5 * x * (1 - x)
        x.backward()
        a.grad = None

    return step


def custom_function():
    class Sq(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(100)

    def step():
        y = x
        for _ in range(10):
            y = Sq.apply(y) * 0.5
        y.sum().backward()
        x.grad = None

    return step


def bfloat16():
    x = torch.randn(64, 64, dtype=torch.bfloat16)
    w = torch.randn(64, 64, dtype=torch.bfloat16).requires_grad_()

    def step():
        torch.relu(x @ w).sum().backward()
        w.grad = None

    return step


PROGRAMS = """
graph_messages scatter_messages graph_convolution writes_one_by_one writes_by_slices split_chunk permute_views
patches pixel_shuffle broadcast_bias where_and_clamp maximum_minimum sort_and_topk
standardized loop_of_scalars custom_function bfloat16
""".split()
