# Writes through conjugates and negatives, attributes copied whole, numbers that are none, boundaries in no order.
import collections

import torch
import torch.nn.functional as F

torch.manual_seed(0)
inf, nan = float("inf"), float("nan")


def tell(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, str(error))


# Conjugates and negatives are views.
def written(write):
    x = torch.tensor([1 + 2j, 3 + 4j], requires_grad=True)
    y = x * 2
    write(y)
    version = y._version
    y.abs().sum().backward()
    return y.detach(), version, x.grad


for write in (
    lambda y: y.conj().imag.fill_(3.0),
    lambda y: y.conj().mul_(1j),
    lambda y: y.conj()[0].fill_(2j),
    lambda y: y.imag._neg_view().mul_(3),
    lambda y: y.conj().conj().mul_(2),
    lambda y: y.conj().real.add_(1),
    lambda y: y.detach().conj().add_(1),
):
    tell(lambda write=write: written(write))
leaf = torch.tensor([1 + 2j], requires_grad=True)
tell(lambda: leaf.conj().mul_(2))
matrix = torch.tensor([[1 + 2j, 3j], [4 - 1j, 5]])
matrix.mH[0].zero_()
print(matrix)

# Attributes.
a, b = torch.ones(2, requires_grad=True), torch.zeros(2)
a.label, b.other = "a", 1
print(a.__dict__, (a * 2).__dict__, vars(torch.nn.Parameter(b)))
b.__dict__ = a.__dict__.copy()
print(b, b.label, hasattr(b, "other"), b.requires_grad)
b.__dict__["more"] = 2
b.__dict__.update(label="b")
print(b.more, b.label, a.label, sorted(vars(b)))
del b.__dict__["more"]
print(hasattr(b, "more"), b.__dict__.pop("label"), b.__dict__)


class Named(torch.Tensor):
    pass


named = torch.zeros(2).as_subclass(Named)
named.name_of = "n"
print(named.__dict__, (named + 1).__dict__)


class Beside:
    pass


class NamedToo(Beside, torch.Tensor):
    pass


one, other = torch.zeros(2).as_subclass(NamedToo), torch.tensor([True, False]).as_subclass(NamedToo)
one.name_of = "n"
other.__dict__ = one.__dict__.copy()
print(one.__dict__, other.__dict__, other.dtype, other.tolist())


# Hooks of all modules, assigned.
module = torch.nn.modules.module
before, seen = module._global_forward_hooks, []
module._global_forward_hooks = collections.OrderedDict({0: lambda *call: seen.append(type(call[0]).__name__)})
torch.nn.ReLU()(torch.ones(1))
module._global_forward_hooks = before
torch.nn.ReLU()(torch.ones(1))
print(seen)

# Convolutions of no channels.
for shape in ((1, 0, 4, 4), (0, 0, 4, 4)):
    w, bias = torch.zeros(2, 0, 3, 3, requires_grad=True), torch.ones(2, requires_grad=True)
    out = F.conv2d(torch.zeros(shape), w, bias)
    out.sum().backward()
    print(out.shape, w.grad.shape, bias.grad)
print(F.conv1d(torch.zeros(1, 0, 4), torch.zeros(2, 0, 3), torch.ones(2), padding=1))

# Infinities.
values = [complex(*parts) for parts in ((inf, 0), (inf, inf), (0, inf), (-inf, nan), (1, inf), (1, 2))]
for one in values:
    print([(torch.tensor([one]) - torch.tensor([other])) for other in values])
print(torch.tensor(values) - 1, 1 - torch.tensor(values))

# Small dtypes.
for dtype in (torch.float16, torch.bfloat16, torch.int8):
    print([torch.polygamma(n, torch.tensor([1, 2, 3], dtype=dtype)) for n in range(4)])
for dtype in (torch.uint8, torch.bfloat16, torch.int8, torch.int32):
    for mode in ("nearest-exact", "nearest"):
        tell(lambda: F.interpolate(torch.arange(7).reshape(1, 1, 7).to(dtype), size=(11,), mode=mode))
    for mode in ("nearest-exact", "bicubic", "bilinear"):
        tell(lambda: F.interpolate(torch.arange(6).reshape(1, 1, 2, 3).to(dtype), size=(3, 3), mode=mode).dtype)
weight = torch.zeros(4, 2).bfloat16().requires_grad_()
places = torch.tensor([0, 1, 0, 0, 2, 3, 0, 0, 1, 0] * 30)
bags = F.embedding_bag(places, weight, torch.tensor([0, 120, 200]), mode="sum")
bags.backward(torch.tensor([[0.3, 1.7], [-2.1, 0.6], [0.9, -1.3]]).bfloat16())
print(weight.grad)
for dtype in (torch.bfloat16, torch.float16):
    weight = torch.zeros(4, 2, dtype=dtype, requires_grad=True)
    rows = (torch.arange(600.0).reshape(300, 2) / 7 - 41).to(dtype)
    F.embedding(places, weight, padding_idx=3).backward(rows)
    print(weight.grad)

# Nothing, and what has no order.
for reduction in ("none", "mean", "sum"):
    x = torch.zeros(0, 3, requires_grad=True)
    F.multi_margin_loss(x, torch.zeros(0, dtype=torch.long), reduction=reduction).sum().backward()
    print(x.grad)
rows = torch.tensor([[1.0, nan], [1.0, nan], [nan, 0.0], [1.0, 2.0], [1.0, nan]])
print(torch.unique(rows, dim=0, return_inverse=True, return_counts=True))
line = torch.tensor([nan, 1.0, nan, 2.0, 1.0, nan, 0.5, 3.0, nan, 2.0, 7.0, 1.0, nan, 0.0, 5.0, nan, 4.0, 2.0, 1.0, nan])
print(torch.unique(line, dim=0, return_inverse=True, return_counts=True))
for size in (3, 4, 7, 8, 16, 17, 1000):
    boundaries = (torch.arange(size) * 7919 + 3) % 23
    for right in (False, True):
        print(torch.searchsorted(boundaries, torch.arange(-1, 24), right=right).tolist())
        print(torch.bucketize(torch.tensor(11.0), boundaries.float(), right=right))
print(torch.gradient(torch.arange(4.0), spacing=2 + 1j), torch.gradient(torch.ones(2, 2), spacing=[2 + 1j, 1.0]))

# How results lie in memory.
x = torch.rand(2, 3, 4, 4).contiguous(memory_format=torch.channels_last).requires_grad_()
plain = torch.rand(2, 3, 4, 4)
print(torch.lerp(x, plain, 0.3).stride(), torch.lerp(plain, x, 0.7).stride(), x.roll(1, 1).stride())
print(F.adaptive_avg_pool2d(x, 1).stride(), torch.autograd.grad(torch.nn.BatchNorm2d(3)(x).sum(), x)[0].stride())

# A sparse gradient does not change with the places it was made of.
layer, places = torch.nn.Embedding(5, 2, sparse=True), torch.tensor([1, 2])
layer(places).sum().backward()
places.fill_(4)
print(layer.weight.grad._indices())
