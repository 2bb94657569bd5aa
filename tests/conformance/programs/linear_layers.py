"""F.linear and addmm of tensors of any number of dimensions and mixed dtypes: shapes, nodes and errors."""

import itertools

import torch
import torch.nn.functional as F


def attempt(label, f):
    try:
        r = f()
        nodes = [node and node.name() for node, _ in r.grad_fn.next_functions] if r.grad_fn else []
        print(label, tuple(r.shape), r.grad_fn and r.grad_fn.name(), nodes)
    except (RuntimeError, IndexError) as error:
        print(label, type(error).__name__, str(error))


SHAPES = [(), (3,), (2,), (2, 3), (3, 3), (1, 3), (2, 2, 3), (0, 3), (2, 3, 3)]
for shape, weight in itertools.product(SHAPES, SHAPES):
    x, w = torch.ones(shape, requires_grad=True), torch.ones(weight, requires_grad=True)
    attempt(f"linear {shape} {weight}", lambda: F.linear(x, w))  # noqa: B023
    for bias in ((), (2,), (3,), (1,), (2, 2)):
        b = torch.ones(bias, requires_grad=True)
        attempt(f"linear {shape} {weight} {bias}", lambda: F.linear(x, w, b))  # noqa: B023
KINDS = (torch.float32, torch.float64, torch.int64)
for kinds in itertools.product(KINDS, repeat=3):
    for first, second, third in itertools.product([(3,), (2, 3), (2, 2, 3)], [(2, 3), (3,)], [(3, 3), (3,), (3, 2)]):
        a, b, c = (torch.ones(s, dtype=kind) for s, kind in zip((first, second, third), kinds, strict=True))
        attempt(f"addmm {first} {second} {third} {kinds}", lambda: torch.addmm(a, b, c))  # noqa: B023
    x, w, b = (torch.ones(s, dtype=kind) for s, kind in zip(((2, 2, 3), (4, 3), (4,)), kinds, strict=True))
    attempt(f"linear {kinds}", lambda: (F.linear(x[0], w, b), F.linear(x, w, b))[1])  # noqa: B023

# A bias that is a vector but for dimensions of size 1 is one; and it counts how it lies in memory.
for shape in ((2,), (1, 1, 2), (2, 1, 2), (2, 3, 2), (0,)):
    x, w = torch.ones(shape, requires_grad=True), torch.ones(3, shape[-1])
    for bias in ((1, 3), (3, 1), (1, 1, 3), (1,), ()):
        b = torch.ones(bias)
        attempt(f"linear {shape} {bias}", lambda: F.linear(x, w, b))  # noqa: B023
stepped = torch.ones(3, 2)[:, 0]
attempt("stepped bias", lambda: F.linear(torch.ones(1, 1, 2, requires_grad=True), torch.ones(3, 2), stepped))

# A bias is added in place, and so does not change the dtype.
x, w = torch.ones(2, 3, 2).transpose(0, 1), torch.ones(2, 2, requires_grad=True)
for dtype in (torch.float64, torch.int32, torch.complex64):
    for given in (x, torch.ones(2)):
        b = torch.ones(1 if given is x else (), dtype=dtype)
        attempt(f"bias {dtype}", lambda: F.linear(given, w, b).double())  # noqa: B023
