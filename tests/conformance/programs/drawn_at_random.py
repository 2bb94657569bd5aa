"""What random programs have found to differ, each in its shortest form."""

import numpy
import torch
import torch.nn.functional as F


def show(label, function):
    try:
        print(label, function())
    except Exception as error:
        print(label, type(error).__name__, str(error))


# DLPack gives memory that may be written to, expanded too.
x = torch.zeros(2, 2)
array = numpy.from_dlpack(x)
array[0] = 1
print(x, array.flags.writeable, numpy.from_dlpack(x[0].expand(3, 2)).flags.writeable)
z = torch.tensor([1 + 1j])
torch.from_numpy(numpy.from_dlpack(z)).mul_(2)
print(z)

# A write of a tensor into itself counts.
y = torch.tensor([1.0, 2.0])
y.copy_(y)
y[...] = y
print(y._version)

# Norms are taken in the precision of each vector.
one = torch.tensor([[0.1, 0.2, 0.7]], dtype=torch.float64, requires_grad=True)
other = torch.tensor([[0.3, 0.5, 0.11]], dtype=torch.float16)
cosine = F.cosine_similarity(one, other)
cosine.sum().backward()
print(f"{cosine.item():.8f}", one.grad, F.cosine_similarity(one, torch.zeros(1, 3, dtype=torch.float16)))

# No examples: what comes of them needs a gradient all the same.
empty = torch.zeros(0, 2, requires_grad=True)
nothing = torch.vmap(lambda row: row * row.sin())(empty)
print(nothing.shape, nothing.requires_grad)
nothing.sum().backward()
print(empty.grad)

# Numbers that unsigned types hold, and do not.
for number in (-2, -2.0, -0.5, 255.0, 255.5, 300):
    show(f"fill {number}", lambda number=number: torch.zeros(1, dtype=torch.uint8).fill_(number))
for number in (-128.5, -128.0, 127.5):
    show(f"full {number}", lambda number=number: torch.full((1,), number, dtype=torch.int8))

# Which error comes first.
spread = torch.zeros(1).expand(2)
show("lerp_", lambda: spread.lerp_(torch.zeros(2, dtype=torch.float64), 3))
show("renorm_", lambda: spread.renorm_(2, 0, 1.0))
show("sub_", lambda: spread.sub_(torch.tensor([True, True])))
show("cumsum_", lambda: spread.cumsum_(4))
show("add_", lambda: spread.add_(torch.zeros(2)))
show("stack", lambda: torch.stack([torch.zeros(4, 2), torch.zeros(5)], 4))

# Words of errors.
v = torch.ones(2)
for name in ("pow", "fmod", "remainder", "eq", "lt", "floor_divide", "copysign", "xlogy", "add", "atan2"):
    show(name, lambda name=name: getattr(torch, name)(v, "a"))
    show(name, lambda name=name: getattr(v, name)(None))
show("where", lambda: torch.where(v > 0, v))
for name in ("unsqueeze", "softmax", "cumsum", "flip", "transpose"):
    show(name, lambda name=name: getattr(v, name)(None, *([1] if name == "transpose" else [])))
show("interpolate", lambda: F.interpolate(torch.zeros(1, 2, 3, 0), 2))
show("interpolate", lambda: F.interpolate(torch.zeros(1, 2, 0), 2))
for kind in (torch.float16, torch.bfloat16):
    few = torch.ones(2, 2, dtype=kind)
    for name in ("cholesky", "det", "qr", "svd", "eigvals", "inv"):
        show(name, lambda name=name, few=few: getattr(torch.linalg, name)(few))
    show("cdist", lambda few=few: torch.cdist(few, few))
