"""What random programs of ``program_corners.py`` came upon: each line does on rushlight what it does on PyTorch.

A line is run on tensors made anew; compared are its error, or its value and what it has made of those tensors.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

import rushlight

# `a` is a leaf that needs a gradient, `b` comes of it, `v` is a view of `b`; the others need none.
MADE = """
a = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
b, v = (made := a * 2), made[0]
x, row, one, none = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([2.0, 1.0]), torch.tensor(0.5), torch.tensor([])
i, half, z = torch.tensor([[1, 2], [3, 4]]), torch.ones(2, dtype=torch.float16), torch.tensor([1 + 2j, 3j])
table = torch.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True)
places = torch.zeros(2, 2, dtype=torch.long)
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
"""
CREATION = ("ones(3", "zeros(2, 2", "eye(2", "arange(2", "full((2,), 3.0", "linspace(0, 1, 3")

LINES = [
    # Results of no arguments, written into what has a history.
    *(f"torch.{call}, out={target})" for call in CREATION for target in ("a", "b", "v", "b.unbind()[0]", "a.view(-1)")),
    *(f"torch.{call}(2, 2, out={target})" for call in ("empty", "randn") for target in ("a", "b")),
    "torch.arange(0, out=torch.ones(2, dtype=torch.complex64, requires_grad=True))",
    # What refuses to be recorded, and what comes before.
    *(f"torch.{call}, out=(none, torch.ones(2, requires_grad=True)))" for call in ("sort(row, 0", "max(x, 0", "topk(row, 1", "mode(x")),
    *(f"torch.amax({what}, 0, out=torch.ones(2, dtype=torch.float64, requires_grad={needs}))"
      for what in ("x", "a") for needs in (True, False)),
    *(f"torch.{call}, out=none)" for call in (
        "outer(a, row", "outer(a[0], row", "matmul(a[0, 0], one", "matmul(a, row", "kron(a, x", "linalg.inv(a")),
    "torch.cumsum(one, -1, out=torch.ones(2).expand(2, 2))",
    # Scatters that reduce by what they are told have no derivative.
    *(f"b.scatter{end}(0, places, {source}, reduce='{way}')" for end in ("", "_") for source in ("x", "a", "3.0")
      for way in ("add", "multiply")),
    "b.scatter_(0, places, x, reduce='add').sum().backward()",
    # Comparisons in place.
    *(f"{target}.{name}({other})" for target in ("b", "x", "half", "v") for name in ("eq_", "gt_", "not_equal_")
      for other in ("1", "a[0]", "row")),
    "b.eq_(z)",
    # Of several wrong things about a number, one is said.
    *(f"{target}.{name}({other}, alpha={alpha})" for target in ("row", "i", "one") for name in ("add_", "sub_")
      for other in ("x", "i", "z") for alpha in (True, 1.5, 1j)),
    *(f"{target}.{name}({bound})" for target in ("row", "i", "half") for name in ("clamp_", "clip_", "clamp_min_") for bound in (1j, 1 + 0j)),
    # Numbers written into lists of tensors.
    *(f"torch._foreach_{name}_([b, row], {number})" for name in ("add", "sub", "mul", "div") for number in (2, 0.5, "[2, 3]")),
    # Names in errors.
    *(f"torch.{name}({given})" for name in (
        "special.multigammaln", "special.polygamma", "special.gammainc", "linalg.multi_dot") for given in ("", "x", "x, x, x, x")),
    "torch.nn.functional.threshold(x)",
    "torch.special.round(b)",
    "torch.func.jvp(torch.unique, (row,), (row,))",
    *(f"torch.linalg.matrix_rank(half.expand(2, 2), {more})" for more in ("0.5", "rtol=0.5", "hermitian=True, tol=1.0")),
    # Rows, and what is written before one of them is refused.
    "torch.nn.functional.embedding(torch.tensor([0, 2]), x, max_norm=1.0)",
    "torch.ones(2, dtype=torch.complex64).index_reduce(0, torch.tensor([5]), torch.ones(1, dtype=torch.complex64), 'mean')",
    # Elements of another size.
    *(f"torch.zeros(9, dtype=torch.float16)[{part}].view(torch.float32)" for part in ("1:", "1::2", "::2", ":8:2", ":8")),
    "torch.zeros(0, dtype=torch.int64).expand(2, -1).view(torch.int16).add_(1)",
    # Values of sparse tensors are views.
    *(f"table.{kind}().values().{then}" for kind in ("to_sparse", "to_sparse_csr") for then in ("_is_view()", "detach_()")),
    "(sparse := table.to_sparse(), sparse.values().mul_(2), sparse.to_dense(), sparse.values().grad_fn.name())[1:]",
    "table.to_sparse().values().mul_(2).sum().backward()",
    # Batches of numbers, and batches of nothing.
    *(f"torch.vmap(lambda t: {body})({batch})" for batch in ("row", "none", "x", "torch.zeros(0, 2)") for body in (
        "t[-1:]", "t.flip(0)", "t.roll(1, -1)", "t.split(1)[0]", "t.unbind()[0]", "t.rot90()", "torch.cat([t, t])", "t.tril()",
        "t.prod()", "t.index_select(0, torch.tensor([0, 0]))", "1 + t", "t * t", "torch.func.grad(lambda u: u.sinc().sum())(t)")
      if (batch, body) not in (
        ("none", "torch.cat([t, t])"), ("none", "t.roll(1, -1)"), ("x", "t.rot90()"), ("torch.zeros(0, 2)", "t.rot90()"))),
    *(f"torch.vmap(lambda t, u: torch.{name}([t, u]), in_dims={dims})(x, {other})" for name in ("cat", "stack")
      for dims in ("(0, None)", "(None, 0)") for other in ("x", "row")),
    # Dimensions of size 1 that examples lack may be written to them.
    *(f"torch.vmap(lambda t, u: t.clone().{name}(u), in_dims=(0, None))(row, torch.ones({size}))" for name in ("add_", "mul_", "sub_")
      for size in (1, 2)),
    # What forward mode hands on, and what its results hang on.
    *(f"torch.func.jvp(lambda t: t{body}, (a{at},), (a{at},))[1].grad_fn" for body, at in (
        ("[...]", ""), (".movedim(0, -1)", ".sum()"), (".prod()", ".sum()"), (".prod(0)", ".sum()"))),
    *(f"torch.func.hessian(lambda t: {body}.sum())(a).requires_grad" for body in (
        "t.relu()", "torch.nn.functional.threshold(t, 0, 0)", "torch.nn.functional.leaky_relu(t)")),
    "(h := torch.func.grad(lambda t: torch.func.grad(lambda u: (u ** 3).sum())(t).sum())(b), b.mul_(2), h.sum().backward())[-1]",
    # linearize is done with its primals, and no transform to Functions.
    "(push := torch.func.linearize(lambda t: t.sin() * 2, b)[1], slope := push(x), b.mul_(2), slope.sum().backward(), slope.detach())[-1]",
    "torch.func.linearize(lambda t: t.sin(), half.expand(1, 2))[1](half.expand(1, 2))",
    "torch.func.linearize(lambda t: Doubled.apply(t), x)[1](x)",
    # Compositions are named by what they are made of.
    *(f"torch.func.{name}(lambda t: torch.nn.functional.linear(t, t).sum())(one)" for name in ("grad", "jacrev", "hessian")),
    *(f"torch.func.{name}(lambda t: torch.dot(t, t))(x)" for name in ("grad", "hessian")),
    # Under autocast.
    *(f"(torch.autocast('cpu', torch.bfloat16).__enter__(), torch.{call})[1]" for call in (
        "stack([half, half])", "cat([half, row])", "cat([row, half])", "tensordot(row, row, 1)", "tensordot(x, x, 1)")),
    # Random numbers of nothing.
    *(f"torch.zeros({size}, dtype=torch.{kind}).exponential_({rate})" for size in (0, 2) for kind in ("int64", "complex64")
      for rate in (-1, 1) if (size, kind, rate) != (2, "complex64", 1)),
    # Imaginary parts of pairs of halves.
    *(f"(lambda s, t: ({body}.sum().backward(), s.grad, t.grad)[1:])(half.requires_grad_(), torch.ones_like(half).requires_grad_())"
      for body in ("torch.complex(s, t).imag", "torch.complex(s, t).abs()", "torch.view_as_real(torch.complex(s, t))[..., 1]")),
    # What random programs of `seldom` came upon: places of `out=`, and what is said first.
    *(f"(lambda o: (torch.mean(x, 0, out=o), 0))(torch.zeros({size}, dtype=torch.int8))" for size in (2, 3)),
    *(f"torch.{call}, out=torch.zeros(3).expand(2, 3))" for call in ("eye(3", "zeros(3, 3", "eye(2, 3")),
    *(f"torch.{name}({what}, 1, out=torch.ones(2, dtype=torch.complex64))" for name in ("std", "var") for what in ("x", "x + 0j")),
    *(f"torch.std(torch.ones(2, 2, dtype=torch.bfloat16), {dim}out=torch.ones((), dtype=torch.{kind}))" for dim in ("", "0, ")
      for kind in ("float32", "bfloat16")),
    "torch.std(torch.ones(1, 0, dtype=torch.float16), 1, out=torch.ones((), dtype=torch.float64)).isnan()",
    "torch.neg(torch.zeros(2, dtype=torch.int8), out=torch.zeros(3, dtype=torch.bfloat16).expand(2, 3)[..., 0])",
    *(f"(lambda t: t.transpose(0, -1).{name}(t))(torch.ones(3, 1))" for name in ("copy_", "add_")),
    "(lambda t: t.addcdiv_(t, t))(torch.zeros(3, dtype=torch.int8).expand(2, 3))",
    *(f"(lambda t: torch.nn.functional.{name}(t, {p}, True, True)._version)(torch.ones({size}))" for size in (0, 2)
      for name in ("dropout", "alpha_dropout", "feature_alpha_dropout") for p in (0.0, 0.5) if (size, p) != (2, 0.5)),
    "torch.conj_physical_(z.detach().clone().requires_grad_()[torch.tensor([0])])",
    "torch.conj_physical_(b)",
    "torch.nn.functional.threshold(a, inplace=True)",
    "torch.nn.functional.threshold(a, 1.0, inplace=True)",
    "half.floor_divide_(1j)",
    *(f"torch.linalg.{name}(torch.ones(2, 3, 3), {what}=torch.ones(3))" for name, what in (
        ("matrix_rank", "tol"), ("matrix_rank", "atol"), ("matrix_rank", "rtol"), ("pinv", "rtol"))),
    *(f"torch.fft.{name}(torch.ones(2, 2, dtype=torch.complex32))" for name in ("irfft", "hfft", "irfftn", "hfft2")),
    *(f"torch._foreach_{name}_([z, z.{how}{rest})" for how in ("conj()]", "conj().imag]") for name, rest in (
        ("exp", ""), ("add", ", 2"), ("zero", ""))),
    "torch._foreach_addcdiv_([i.to(torch.int8)[:1].expand(2, 2)], [i], [i], [0.5])",
    "torch.linalg.cholesky(torch.full((2, 2), float('inf')))",
    *(f"torch.special.zeta({what}).sum().backward()" for what in ("a, a", "a, 2.0")),
    "torch.geqrf(a)[0].sum().backward()",
    *(f"torch.nn.functional.{name}(torch.ones(5, 2, dtype=torch.bfloat16).expand(2, -1, -1)).stride()" for name in (
        "softplus", "sigmoid", "gelu", "elu")),
    # Indices beyond a sparse matrix are looked at where they are used; gradients of that layout have few derivatives.
    *(f"torch.sparse_coo_tensor({indices}, [1.0, 2.0], {size}{check}){use}" for indices in ("[[0, 1], [1, 0]]", "[[2, 0], [2, 0]]")
      for size in ("(2, 1)", "(1, 2)", "(2, 2)", "(2,)") for check in ("", ", check_invariants=True")
      for use in ("._nnz()", ".mm(x)", ".mm(x[:1])", ".mm(x[:1].half())", ".mm(i[:1])")),
    "torch.mm(x[:1], torch.sparse_coo_tensor([[0, 1], [1, 2]], [1.0, 2.0], (2, 2)))",
    *(f"table.to_sparse().coalesce().{call}.sum().backward()" for call in (
        "sum(0).to_dense()", "sum((0, 1))", "sum(0)", "index_select(0, torch.tensor([0, 0])).to_dense()", "unsqueeze(0).to_dense()",
        "index_select(0, torch.tensor([0, 0]))", "select(0, 1).to_dense()", "t().to_dense()")),
    # What nothing lies in keeps its steps in views; a step of 0 by an index then has too little memory.
    *(f"{view}.stride()" for nothing in ("torch.tensor([[], []])", "torch.tensor([[[], []]], dtype=torch.int8)") for view in (
        f"{nothing}.transpose(0, 1)", f"{nothing}.expand(3, *{nothing}.shape).movedim(0, -1)", f"{nothing}.mT[..., :1]")),
    "torch.tensor([[], []]).t_().unfold(-1, 2, 1).index_fill_(0, torch.tensor([0]), 3)",
    # Numbers that do not fit, as tensors; and what is told of before them.
    *(f"torch.ones(2, dtype=torch.{kind}).{form}{end}({place}, torch.tensor({value}))" for kind in ("uint8", "int8", "half")
      for form, place in (("masked_fill", "torch.tensor([True, False])"), ("index_fill", "0, torch.tensor([0])")) for end in ("", "_")
      for value in (-2.0, 300.0, 1e300, 2.5)),
    "torch.ones(2, dtype=torch.uint8).masked_fill_(torch.ones(1, 2, dtype=torch.bool), -2.0)",
    # The result is kept, and may not be written to.
    *(f"(lambda t, u: (t.fill_(2), u.sum().backward()))(*[(t := {call}), t * 1])" for call in (
        "torch.linalg.householder_product(a, a[0])", "torch.ormqr(a, a[0], x)")),
    *(f"(lambda t: (t.backward(x), t.backward(x)))(table.to_sparse().coalesce().{call}.to_dense())" for call in ("t()",)),
    "(lambda t: t.sum().backward())(torch._foreach_addcdiv([a, a], [a, a], [b[:1], b[:1]], 2.0)[1].add(b.add_(1).sum()))",
    "torch.autograd.grad(torch._foreach_addcdiv([a, a], [a, a], [b[:1], x[:1]], 2.0)[1].sum(), [b], allow_unused=True)",
    # Where the other wins, infinity does not come through; views of nothing are set to it.
    *(f"torch._foreach_{name}([a], {bound})[0].backward(x / 0)" for name in ("maximum", "minimum")
      for bound in ("0.7", "[0.7]", "0.5")),
    *(f"(lambda t: {view}.is_set_to(t))(torch.tensor([[], []]))" for view in (
        "t.view_as(t)", "t.squeeze(-1)", "t.detach()", "t.T", "torch.tensor([[], []])", "t.data", "(t * 1)", "t.view(0, 2)")),
    # A list of divisors is indexed twice where its dtype is asked for.
    *(f"torch._foreach_addcdiv([{one}] * 2, [{one}] * 2, [{other}] * 2, {value})[{place}].sum().backward()"
      for one, other in (("a", "a"), ("a[:1]", "a[:1]"), ("a[0, 0]", "a[0, 0]"), ("a", "x[:1]"), ("one", "a[:1]"))
      for value in ("2.0", "[1.0, 0.5]") for place in (0, 1)),
    "torch.distributions.kl_divergence(torch.distributions.Laplace(half, 1.5), torch.distributions.Normal(half * 0.5, half + 0.25))",
    "torch.distributions.kl_divergence(torch.distributions.Normal(half, 1.5), torch.distributions.Laplace(half * 0.5, half + 0.25))",
]  # fmt: skip


def seen(value: object) -> object:
    """What is compared of a value: of tensors also their place in the graph."""
    if isinstance(value, (tuple, list)):
        return [seen(one) for one in value]
    if not hasattr(value, "requires_grad"):
        return value
    node = value.grad_fn
    grad = None if not value.is_leaf or value.grad is None else value.grad.tolist()
    facts = str(value.dtype), tuple(value.shape), node and node.name(), value.requires_grad, grad
    return (*facts, np.array(value.detach().to_dense().tolist()).round(5).tolist())


def outcome(line: str, module) -> tuple[object, object]:
    """The value or the error, and what has become of the tensors."""
    space = {"torch": module}
    exec(MADE, space)
    try:
        found = seen(eval(line, space))
    except Exception as error:
        found = f"{type(error).__name__}: {str(error).splitlines()[0].partition('. ')[0]}"
    finally:
        module.set_autocast_enabled("cpu", False)
    return found, [
        (seen(one), one._version) for one in map(space.get, ("a", "b", "v", "x", "row", "one", "i", "half", "table"))
    ]


@pytest.mark.parametrize("line", LINES)
def test_line(line):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert outcome(line, rushlight) == outcome(line, torch)


def test_a_copy_of_a_view_made_without_history_needs_what_it_needs():
    import copy

    for module in (torch, rushlight):
        leaf = module.ones(2, 2, requires_grad=True)
        with module.no_grad():
            view = leaf[0]
        assert copy.deepcopy(view).requires_grad is view.requires_grad is True


def test_a_function_that_may_not_write_has_written_twice():
    for module in (torch, rushlight):

        class Doubled(module.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

        view = module.ones(4)[::2].requires_grad_()
        with pytest.raises(RuntimeError, match="has been used in an in-place operation"):
            Doubled.apply(view)
        assert view._version == 2
