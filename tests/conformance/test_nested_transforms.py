"""Every nesting of torch.func's transforms over every kind of function: values, and gradients by all that they depend on.

A gradient that is lost shows only where somebody asks for it: so each result is differentiated once more, by the argument, by
the batch, and by a tensor that the function has from outside.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import rushlight

Function = Callable[[Any, Any, Any], Any]


def written(torch: Any, t: Any, w: Any) -> Any:
    y = t.clone() * 1
    y.mul_(w)
    return (y * y).sum()


def written_through(torch: Any, t: Any, w: Any) -> Any:
    y = t * 2
    y[:1].mul_(t[:1])
    return (y * w).sum()


def written_by_itself(torch: Any, t: Any, w: Any) -> Any:
    y = t * 2
    y.mul_(t)
    return (y * w).sum()


def written_at(torch: Any, t: Any, w: Any) -> Any:
    y = t * w
    z = y.clone()
    z[:1].copy_(t[-1:] * t[:1])
    return (z * y).sum()


FUNCTIONS: dict[str, Function] = {
    "square": lambda torch, t, w: (t * t * w).sum(),
    "power": lambda torch, t, w: (t.pow(3) * w).sum(),
    "exp": lambda torch, t, w: (t * w).exp().sum(),
    "of a sum": lambda torch, t, w: ((t * t).sum() * w).sum(),
    "softmax": lambda torch, t, w: (torch.softmax(t * w, -1) * w).sum(),
    "logsumexp": lambda torch, t, w: torch.logsumexp(t + w, -1),
    "products": lambda torch, t, w: (t.unsqueeze(0) @ (w.unsqueeze(1) * t)).squeeze().sum() ** 2,
    "cat": lambda torch, t, w: torch.cat([t, t * w]).pow(2).sum(),
    "indices": lambda torch, t, w: (t[[1, 0]] * t * w).sum(),
    "where": lambda torch, t, w: torch.where(t > 0.8, t * t * w, t * w).sum(),
    "outer": lambda torch, t, w: torch.outer(t, t * w).sin().sum(),
    "cumsum": lambda torch, t, w: (t.cumsum(0) * w * t).sum(),
    "tanh": lambda torch, t, w: (t * w).tanh().sum() * t.sum(),
    "half detached": lambda torch, t, w: (t.detach() * t * t * w).sum(),
    "matrix on a vector": lambda torch, t, w: (torch.outer(w, w) @ t.tanh()).sum(),
    "vector on a matrix": lambda torch, t, w: (t.exp() @ torch.outer(w, w)).sum(),
    "linear": lambda torch, t, w: torch.nn.functional.linear(t[None].tanh(), torch.outer(w, w), w).pow(2).sum(),
    "addmm": lambda torch, t, w: torch.addmm(w[:, None], torch.outer(w, t), (t * t)[:, None]).sum(),
    "einsum": lambda torch, t, w: torch.einsum("i,ij,j->", t, torch.outer(w, w), t.sin()),
    "bmm": lambda torch, t, w: torch.bmm(torch.outer(w, t)[None], torch.outer(t, w)[None]).sum(),
    "conv1d": lambda torch, t, w: torch.nn.functional.conv1d(t[None, None], w[None, None], padding=1).pow(2).sum(),
    "layer norm": lambda torch, t, w: (
        torch.nn.functional.layer_norm(torch.cat([t, t * t, w]), (6,), torch.cat([w, w, w])).pow(3).sum()
    ),
    "prod": lambda torch, t, w: torch.cat([t, w, t]).prod(),
    "var": lambda torch, t, w: (torch.cat([t, w]) * 2).var(),
    "max": lambda torch, t, w: torch.maximum(t, w).prod() + (t * w).max(),
    "sorted": lambda torch, t, w: (torch.cat([t, w]).sort()[0] ** 2)[1:].prod(),
    "gather": lambda torch, t, w: (t * w).gather(0, torch.tensor([1, 1, 0])).prod(),
    "index_add": lambda torch, t, w: (t * t).index_add(0, torch.tensor([1, 0, 1]), torch.cat([w, t[:1]])).prod(),
    "pad and flip": lambda torch, t, w: (torch.nn.functional.pad(t * w, (1, 1), value=2.0).flip(0)[1:] ** 3).sum(),
    "prelu": lambda torch, t, w: (torch.nn.functional.prelu(t - 0.6, w[:1]) ** 2).sum(),
    "cross entropy": lambda torch, t, w: torch.nn.functional.cross_entropy((t * w)[None], torch.tensor([1])),
    "solve": lambda torch, t, w: torch.linalg.solve(torch.outer(w, w) + torch.diag(t), w).sum(),
    "attention": lambda torch, t, w: torch.nn.functional.scaled_dot_product_attention(
        torch.outer(t, w)[None], torch.outer(w, t)[None], torch.outer(t, t)[None]
    ).sum(),
    "branches": lambda torch, t, w: torch.stack([torch.where(t > w, t, w * t), t.abs() * w]).norm(),
    "complex": lambda torch, t, w: torch.complex(t, w * t).abs().pow(2).sum(),
    "not of w": lambda torch, t, w: (t * t).sum() + (w * w).sum(),
    "not of t": lambda torch, t, w: (w * w).sum(),
    "written": written,
    "written through a view": written_through,
    "written by itself": written_by_itself,
    "written at": written_at,
}


def nestings(torch: Any, f: Callable[[Any], Any], x: Any, b: Any) -> dict[str, Callable[[], Any]]:
    F, vmap = torch.func, torch.vmap
    g = F.grad(f)
    h = F.grad(lambda t: (g(t) ** 2).sum())
    both = F.grad_and_value(f)
    return {
        "grad": lambda: g(x),
        "grad grad": lambda: h(x),
        "vmap grad": lambda: vmap(g)(b),
        "vmap grad grad": lambda: vmap(h)(b),
        "vmap vmap grad": lambda: vmap(lambda a: vmap(lambda c: g(a * c))(b))(b),
        "vmap grad_and_value, gradients": lambda: vmap(both)(b)[0],
        "vmap grad_and_value, values": lambda: vmap(both)(b)[1],
        "vmap grad, columns": lambda: vmap(g, in_dims=1, out_dims=1)(b.t()),
        "vmap grad, chunks": lambda: vmap(g, chunk_size=2)(b),
        "vmap grad, by what all share": lambda: vmap(lambda a: F.grad(lambda t: f(t) * a.sum())(x))(b),
        "vmap grad, batch in the function": lambda: vmap(lambda a: F.grad(lambda t: (f(t * a) * a).sum())(x))(b),
        "vmap grad vmap": lambda: vmap(lambda a: F.grad(lambda t: vmap(lambda c: f(t * c))(b).sum())(a))(b),
        "grad vmap": lambda: F.grad(lambda t: vmap(lambda a: f(a * t))(b).sum())(x),
        "grad vmap grad": lambda: F.grad(lambda t: vmap(lambda a: g(a * t))(b).pow(2).sum())(x),
        "hessian": lambda: F.hessian(f)(x),
        "vmap hessian": lambda: vmap(F.hessian(f))(b),
        "jacrev jacrev": lambda: F.jacrev(F.jacrev(f))(x),
        "jacfwd jacfwd": lambda: F.jacfwd(F.jacfwd(f))(x),
        "jacrev jacfwd": lambda: F.jacrev(F.jacfwd(f))(x),
        "jacrev grad, chunks": lambda: F.jacrev(g, chunk_size=1)(x),
        "jacrev vmap": lambda: F.jacrev(vmap(f))(b),
        "vjp grad": lambda: F.vjp(g, x)[1](x)[0],
        "vmap vjp grad": lambda: vmap(lambda a: F.vjp(g, x)[1](a)[0])(b),
        "vmap vjp grad, batch in both": lambda: vmap(lambda a: F.vjp(g, a)[1](a)[0])(b),
        "jvp grad": lambda: F.jvp(g, (x,), (x,))[1],
        "vmap jvp grad": lambda: vmap(lambda a: F.jvp(g, (x,), (a,))[1])(b),
        "vmap jvp grad, batch in both": lambda: vmap(lambda a: F.jvp(g, (a,), (a,))[1])(b),
        "jvp vmap grad": lambda: F.jvp(vmap(g), (b,), (b * 2,))[1],
    }


def _layer_norm(torch: Any, t: Any, w: Any) -> Any:
    c = torch.cat([t, t * t, w])
    off = c - c.mean()
    return (off / ((off**2).mean() + 1e-5).sqrt() * torch.cat([w, w, w])).pow(3).sum()


# PyTorch's own third derivatives of these are wrong: it is asked for the formula written out, whose derivatives agree with ours.
WRITTEN_OUT: dict[str, Function] = {
    "layer norm": _layer_norm,
    "solve": lambda torch, t, w: (torch.linalg.inv(torch.outer(w, w) + torch.diag(t)) @ w).sum(),
}

NESTINGS = list(nestings(rushlight, lambda t: t.sum(), rushlight.ones(2), rushlight.ones(3, 2)))


def found(torch: Any, function: str, nesting: str, tracked: bool) -> Iterator[Any]:
    """The result, and how much it depends on what; zeros where no gradient is."""
    w = torch.tensor([1.13, 0.426], dtype=torch.float64, requires_grad=True)
    x = torch.tensor([0.87, 0.54], dtype=torch.float64, requires_grad=tracked)
    b = torch.tensor([[0.83, 0.5], [0.96, 0.55], [0.53, 0.7]], dtype=torch.float64, requires_grad=tracked)
    of = WRITTEN_OUT.get(function, FUNCTIONS[function]) if torch is not rushlight else FUNCTIONS[function]
    result = nestings(torch, lambda t: of(torch, t, w), x, b)[nesting]()
    yield result.detach().numpy()
    if result.requires_grad:
        (result * result).sum().backward()
    for one in (w, x, b):
        yield np.zeros(one.shape) if one.grad is None else one.grad.numpy(force=True)


# What PyTorch cannot do: its tangents of zero have no storage, and some rules write to what others have kept.
ITS_OWN = (
    r"ZeroTensors are immutable|unallocated storage|Cannot access data pointer|modified by an inplace operation|"
    r"Batching rule not|forward gradient that has a different size"
)


@pytest.mark.parametrize("nesting", NESTINGS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_nested_transforms_depend_on_what_pytorchs_do(function: str, nesting: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for tracked in (False, True):
            ours = list(found(rushlight, function, nesting, tracked))
            try:
                its = list(found(torch, function, nesting, tracked))
            except RuntimeError as error:
                assert re.search(ITS_OWN, str(error)), error
                continue
            for mine, right in zip(ours, its, strict=True):
                np.testing.assert_allclose(mine, right, 1e-6, 1e-9)


def losses_by_weight(torch: Any, name: str) -> tuple[Callable[[Any, Any, Any], Any], Any, Any]:
    """A loss by its weights, with a batch of inputs and of targets."""
    F = torch.nn.functional
    x = torch.arange(12.0, dtype=torch.float64).reshape(2, 2, 3).log1p()
    classes = torch.tensor([[0, 1], [2, 0]])
    likely = x.sigmoid(), (x > 1).double()
    found: dict[str, tuple[Callable[[Any, Any, Any], Any], Any, Any]] = {
        "nll_loss": (lambda x, y, w: F.nll_loss(x, y, w), x, classes),
        "nll_loss, unreduced": (lambda x, y, w: F.nll_loss(x, y, w, ignore_index=1, reduction="none"), x, classes),
        "nll_loss of one": (lambda x, y, w: F.nll_loss(x, y, w, reduction="sum"), x[:, 0], classes[:, 0]),
        "nll_loss of planes": (
            lambda x, y, w: F.nll_loss(x, y, w),
            x.transpose(1, 2)[:, None, :, None],
            classes[:, None, None],
        ),
        "cross_entropy": (lambda x, y, w: F.cross_entropy(x, y, w), x, classes),
        "binary_cross_entropy": (lambda x, y, w: F.binary_cross_entropy(x, y, w), *likely),
        "with logits": (lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, w), *likely),
        "pos_weight": (lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w), *likely),
        "multi_margin_loss": (lambda x, y, w: F.multi_margin_loss(x, y, weight=w), x, classes),
    }
    return found[name]


WEIGHED = (
    "nll_loss|nll_loss, unreduced|nll_loss of one|nll_loss of planes|cross_entropy|binary_cross_entropy|with logits|pos_weight|"
    "multi_margin_loss"
).split("|")


def by_weight(torch: Any, name: str) -> dict[str, Any]:
    """The derivative by the weights, or the error, in each nesting."""
    of, X, Y = losses_by_weight(torch, name)
    func, w = torch.func, torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    W, one = torch.stack([w, w * 2]), torch.ones(3, dtype=torch.float64)

    def f(x: Any, y: Any, w: Any) -> Any:
        return of(x, y, w).sum()

    def outer(make: Callable[[Any], Any], value: Any = w) -> Any:
        leaf = value.clone().requires_grad_()
        made = make(leaf)
        return torch.autograd.grad(made.sum(), leaf)[0] if made.requires_grad else None

    def pushed(x: Any, y: Any, w: Any) -> Any:
        return func.jvp(lambda w: f(x, y, w), (w,), (one,))[1]

    ways = {
        "plain": lambda: outer(lambda w: f(X[0], Y[0], w)),
        "grad": lambda: func.grad(lambda w: f(X[0], Y[0], w))(w),
        "jvp": lambda: pushed(X[0], Y[0], w),
        "jacfwd": lambda: func.jacfwd(lambda w: f(X[0], Y[0], w))(w),
        "vmap of inputs": lambda: outer(lambda w: func.vmap(lambda x: f(x, Y[0], w))(X)),
        "vmap of targets": lambda: outer(lambda w: func.vmap(lambda y: f(X[0], y, w))(Y)),
        "vmap of weights": lambda: outer(lambda w: func.vmap(lambda w: f(X[0], Y[0], w))(w), W),
        "vmap grad": lambda: func.vmap(lambda x, y: func.grad(lambda w: f(x, y, w))(w))(X, Y),
        "vmap grad of weights": lambda: func.vmap(lambda w: func.grad(lambda w: f(X[0], Y[0], w))(w))(W),
        "vmap grad by inputs": lambda: outer(
            lambda w: func.vmap(lambda x, y: func.grad(lambda x: f(x, y, w))(x))(X, Y)[..., :2]
        ),
        "grad vmap": lambda: func.grad(lambda w: func.vmap(lambda x, y: f(x, y, w))(X, Y).sum())(w),
        "jvp vmap": lambda: func.jvp(lambda w: func.vmap(lambda x, y: f(x, y, w))(X, Y).sum(), (w,), (one,))[1],
        "vmap jvp": lambda: func.vmap(lambda x, y: pushed(x, y, w))(X, Y),
        "vmap jvp of weights": lambda: func.vmap(lambda w: pushed(X[0], Y[0], w))(W),
    }
    made: dict[str, Any] = {}
    for way, call in ways.items():
        try:
            made[way] = call()
        except (RuntimeError, NotImplementedError) as error:
            made[way] = str(error).partition("\n")[0]
    return made


@pytest.mark.parametrize("name", WEIGHED)
def test_weights_of_losses_have_the_gradients_that_pytorch_gives_them(name: str) -> None:
    """On one example PyTorch refuses them; inside of ``vmap`` it composes most losses of what has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, its = by_weight(rushlight, name), by_weight(torch, name)
    for way, right in its.items():
        if isinstance(right, torch.Tensor) and ours[way] is not None:
            np.testing.assert_allclose(ours[way].detach().numpy(), right.detach().numpy(), 1e-9, 1e-12, err_msg=way)
        else:
            assert ours[way] == right, way
