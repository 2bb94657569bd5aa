"""What random programs of the corners have found: where results lie, what may be written where, and which error comes first."""

import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


def show(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


# Random numbers do not depend on how logits lie.
torch.manual_seed(3)
print(F.gumbel_softmax(torch.zeros(2, 3).t(), dim=-1))
print(F.gumbel_softmax(torch.zeros(2, 3).t(), dim=-1, hard=True).stride())

# `out=` of another size: the memory stays, and its views see what is written.
x = torch.arange(10).view(5, 2)[::2]
left, right = x.split(1, 1)
torch.zeros(3, out=x)
print(x, left.flatten(), right.flatten(), x.stride())

# What has no derivative writes into `out=` whoever needs a gradient.
x, into = torch.tensor([1.0, 3.0, 2.0], requires_grad=True), torch.zeros(3, requires_grad=True) * 1
print(torch.argmax(x, 0, out=torch.tensor(0)), torch.eq(x, x, out=into), into._version)
print(torch.all(x, out=torch.tensor(False)), torch.any(torch.ones(2, dtype=torch.uint8), out=torch.tensor(False)))
show(lambda: torch.argmax(x, 0, out=torch.tensor(0.0)))
show(lambda: torch.all(x, 0, out=torch.tensor(0.0)))
show(lambda: torch.bucketize(x, torch.ones(2), out=torch.zeros(3)))
show(lambda: torch.exp(x, out=into))

# A number of another kind does not fit into integers, whatever the op.
for name in ("__ior__", "bitwise_and_", "__ilshift__", "gcd_", "fmod_", "add_", "pow_"):
    for number in (2, 2.5, True, 1j):
        show(lambda name=name, number=number: (name, getattr(torch.tensor([1, 2]), name)(number)))
show(lambda: torch.tensor([1]).bitwise_or_(torch.tensor(2.5)))
show(lambda: torch.ones(0, 2).add_(torch.ones(3, 3), alpha=True))

# Distributions come before memory that a write meets twice.
for name, arguments in (
    ("geometric_", (2,)),
    ("exponential_", (-2,)),
    ("uniform_", (3, 2)),
    ("bernoulli_", (3,)),
    ("random_", (3, 2)),
):
    show(lambda name=name, arguments=arguments: getattr(torch.ones(3).expand(2, 3), name)(*arguments))
show(lambda: torch.ones(2).random_(0.5, generator=torch.Generator()))
show(lambda: torch.sin(torch.Size([1])))

# Hooks that change a dtype.
for dtype in (torch.float64, torch.bfloat16, torch.bool, torch.complex64):
    y = torch.ones(2, requires_grad=True) * 1
    y.register_hook(lambda g, dtype=dtype: g.to(dtype))
    show(lambda y=y: y.sum().backward())

# Jacobians are several views, and functions without numbers to differentiate have none.
jacobian = torch.func.jacrev(torch.square)(torch.ones(1, requires_grad=True))
show(lambda: jacobian.add_(1))
for function in (torch.func.vjp, lambda f, *given: torch.func.jacrev(f)(*given)):
    show(lambda function=function: function(lambda t: t > 0, torch.ones(2)))
    show(lambda function=function: function(torch.argmax, torch.ones(2)))

# Gradients lie as what they are of.
w = torch.arange(10.0).view(5, 2).t()
x = w.detach().requires_grad_()
for function in (lambda t: t**3, lambda t: t * w, torch.sin, F.gelu, lambda t: t.clone(), lambda t: t - 1):
    print(torch.autograd.grad(function(x).sum(), x)[0].stride(), torch.autograd.grad(function(x).mean(), x)[0].stride())
print(torch.autograd.functional.vhp(lambda t: (t**3).sum(), x, w)[1].stride())

# A product's gradient is computed from what went into it.
x = torch.tensor([2.0, -0.5, 1.25, 0.0], requires_grad=True)
y = x.scatter_reduce(0, torch.tensor([1, 0, 0, 2]), torch.tensor([1.5, 2.5, 0.5, 1.75]), "prod")
y.data.mul_(1.5)
y.sum().backward()
print(x.grad)

# Places are columns of one table.
print([part._is_view() for part in torch.ones(2, 2).nonzero(as_tuple=True)], torch.tensor(3.0).nonzero(as_tuple=True))
print(torch.where(torch.tensor([[True, False], [True, True]])))

# What has no dimensions, and half precision.
show(lambda: torch.gradient(torch.tensor(1.0), dim=-1))
show(lambda: torch.gradient(torch.tensor(1.0)))
show(lambda: torch.tensor(1.0).unsafe_chunk(2))
show(lambda: torch.nn.utils.parameters_to_vector([torch.ones(2, 2).t()[:, :1], torch.ones(2, 3).t()]))
for dtype in (torch.bfloat16, torch.int64, torch.bool):
    show(lambda dtype=dtype: torch.view_as_complex(torch.ones(2, 2).to(dtype)))
show(lambda: torch.stft(torch.ones(3, dtype=torch.bfloat16), 2, 1, return_complex=True))
show(lambda: F.rrelu(torch.ones(2, dtype=torch.float16), training=True))

# A list is written whole, or not at all.
x, leaf = torch.ones(2), torch.ones(2, requires_grad=True)
for name, arguments in (("add_", (2,)), ("exp_", ()), ("addcmul_", ([x, x], [x, x])), ("lerp_", ([x, x], 0.5)), ("zero_", ())):
    show(lambda name=name, arguments=arguments: getattr(torch, f"_foreach_{name}")([x, leaf], *arguments))
    print(x)

# What the loss does not look at may be infinite.
x = torch.tensor([torch.inf, 2.0, -torch.inf], requires_grad=True)
loss = F.hinge_embedding_loss(x, torch.tensor([-1.0, -1, 1]), reduction="none")
print(loss)
loss[:2].sum().backward()
print(x.grad)
show(lambda: torch.special.zeta(torch.ones(2, requires_grad=True), 2.0).sum().backward())
show(lambda: torch.sub(torch.ones(0), torch.ones(36), alpha=True))
show(lambda: torch.tensor(1.0).unsafe_split(1))

# What has no elements lies where it was cut out.
whole = torch.arange(12.0).view(3, 4)
for part in (
    whole[3:],
    whole[1:1],
    whole[:, 4:].T,
    whole.narrow(1, 2, 0),
    whole[1:, :0][1],
    torch.tensor_split(whole, (2, 2))[1],
):
    print(part.storage_offset(), part.untyped_storage().nbytes())
empty = torch.ones(3, 1).expand(2, -1, -1)[..., :0].unfold(-2, 1, 1)
print(torch.as_strided(empty, (2, 1), (0, 1)))

# Gradients of sums are views of one number, also of no elements and of several tensors at once.
x = torch.ones(4, 3, requires_grad=True)
for function in (torch.square, lambda t: t / t, lambda t: t.unsqueeze(-2), lambda t: t[0:0], lambda t: t.mT):
    for recorded in (False, True):
        y = function(x)
        gradients = torch.autograd.grad(y.sum(), [y, x], create_graph=recorded)
        print([(g._is_view(), g._base is not None and tuple(g._base.shape)) for g in gradients])
        show(lambda gradients=gradients: gradients[0].detach_())
        show(lambda gradients=gradients, x=x: gradients[0].pow_(x.sum()))

# The order of looks at complex numbers and at no elements.
for shape in ((2, 0), (0, 2), (2, 2)):
    for name in ("amax", "amin", "max", "min"):
        show(lambda name=name, shape=shape: getattr(torch.zeros(shape, dtype=torch.complex64), name)(0))

# Where a derivative is not to be had, infinite cotangents count for nothing; and products that were written to.
x = torch.tensor([1j, 0, -1 + 2j], requires_grad=True)
(x - x).angle().log2().sum().backward()
print(x.grad)
for numbers in ([2.25, -2, 0, 2, 0], [2.25, -2, 3, 0.5], [0, 3, 2.5]):
    x = torch.tensor(numbers, requires_grad=True)
    y = x.cumprod(0)
    y.data.add_(1)
    y.sum().backward()
    print(x.grad)

# A loss that overflows has no gradient; half precision overflows sooner. And where nan goes in single numbers.
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    x = torch.tensor([-800.0, -15.35, -3.0, 0.7, 9.0], dtype=dtype, requires_grad=True)
    loss = torch.nn.functional.soft_margin_loss(x, torch.tensor([1, 1, -1, -1, 1.0], dtype=dtype), reduction="none")
    print(loss, torch.autograd.grad(loss.sum(), x, create_graph=True))
x = torch.tensor([torch.nan, -2.0, 0.5, 3.0], requires_grad=True)
for function in ("hardtanh", "relu6", "softshrink", "hardshrink"):
    print(torch.autograd.grad(getattr(torch.nn.functional, function)(x).sum(), x))
