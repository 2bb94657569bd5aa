"""What passes, modes and custom Functions say of arguments that they do not take, and of those that hardly anybody gives."""

import torch


def show(f):
    try:
        print(f())
    except BaseException as e:
        print(type(e).__name__, str(e))


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
g = torch.autograd.grad
show(lambda: g(x * x, "x", torch.ones(3)))
show(lambda: g((x * x).sum(), "x"))
show(lambda: g((x * x).sum(), [x, None]))
show(lambda: g((x * x).sum(), None))
show(lambda: g({"a": x.sum()}, x))
show(lambda: g("a", x))
show(lambda: g([], x))
show(lambda: g(x.sum(), {"a": x}))
show(lambda: g(x.sum(), []))
show(lambda: g(x.sum(), 3))
show(lambda: g(x.sum(), x, grad_outputs="a"))
show(lambda: g(x.sum(), x, grad_outputs=1.0))
show(lambda: g(x * 2, x, is_grads_batched=True))
show(lambda: g([x * 2, x * 3], x, grad_outputs=[torch.eye(3), None], is_grads_batched=True))
show(lambda: g(x * 2, [x, b], grad_outputs=torch.eye(3), is_grads_batched=True, materialize_grads=True))
show(lambda: (x * 2).sum().backward(inputs=[x.detach()]))
show(lambda: (x * 2).sum().backward(inputs=[]))
show(lambda: (x * 2).sum().backward(inputs="a"))
show(lambda: (x * 2).sum().backward(None, None, "a"))
show(lambda: (x * 2).sum().backward(3))
show(lambda: (x * 2).sum().backward("a"))
show(lambda: g(x.sum(), x, allow_unused="a"))
show(lambda: g(x.sum(), x, create_graph="a"))
show(lambda: g(x.sum(), x, retain_graph="a"))
show(lambda: g(x.sum(), x, retain_graph=1))
show(lambda: g(x.sum(), x, create_graph=1))
show(lambda: torch.set_grad_enabled(3))
show(lambda: torch.set_grad_enabled("a"))
show(lambda: torch.set_grad_enabled(None))
print(torch.is_grad_enabled())
torch.set_grad_enabled(True)
show(lambda: torch.ones(2).requires_grad_(1))
show(lambda: torch.ones(2).requires_grad_("a"))
show(lambda: torch.ones(2).requires_grad_(None))
show(lambda: torch.ones(2).requires_grad_(0))
show(lambda: torch.ones(2, requires_grad=1))
show(lambda: torch.ones(2, requires_grad="a"))
show(lambda: torch.tensor([1.0], requires_grad=1))
show(lambda: torch.autograd.backward("a"))
show(lambda: torch.autograd.backward([x.sum()], ["a"]))
show(lambda: torch.autograd.backward([x.sum(), x.sum()], [None]))


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b=2):
        print(ctx.needs_input_grad)
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


show(lambda: A.apply(x, b=3))
show(lambda: A.apply(a=x))
show(lambda: A.apply(x, c=3))
show(lambda: A.apply(b=3, a=x))
show(lambda: A.apply())
show(lambda: A.apply(x, 1, 2))


class K(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, *, k=2):
        return a * k

    @staticmethod
    def backward(ctx, g):
        return g * 2


show(lambda: K.apply(x))
show(lambda: K.apply(x, k=3))


class E(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return ()

    @staticmethod
    def backward(ctx, *g):
        return g


show(lambda: E.apply(x))


class C(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g * (1 + 1j), torch.ones(7)


show(lambda: g(C.apply(x, b).sum(), x))
show(lambda: g(C.apply(x, b).sum(), b))


class D(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return torch.ones(7), g


show(lambda: g(D.apply(x, b).sum(), b))


class MD(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(3)
        return a * 1

    @staticmethod
    def backward(ctx, g):
        return g


show(lambda: MD.apply(x))
show(
    lambda: torch.utils.checkpoint.checkpoint_sequential(
        torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(4)]), 5, x, use_reentrant=False
    )
)
show(
    lambda: torch.autograd.gradgradcheck(
        torch.sin, x.detach().double().requires_grad_(), check_fwd_over_rev=True, check_rev_over_rev=False
    )
)
zz = torch.tensor([1 + 2j, 3j], requires_grad=True)
show(lambda: g(zz.clone().real.mul_(2).sum(), zz, create_graph=True))
