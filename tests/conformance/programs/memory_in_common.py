"""Writes that read what they write, set_, and where a tensor's element is written back into it."""

import torch


def attempt(label, f):
    try:
        print(label, f())
    except (RuntimeError, IndexError) as error:
        print(label, type(error).__name__, str(error))


index, mask = torch.tensor([0, 1]), torch.tensor([True, False])
WRITES = {
    "index_add_": lambda a, b: a.index_add_(0, index, b),
    "index_copy_": lambda a, b: a.index_copy_(0, index, b),
    "index_reduce_": lambda a, b: a.index_reduce_(0, index, b, "prod"),
    "index_add_ of too few": lambda a, b: a.index_add_(0, index[:1], b),
    "index_put_": lambda a, b: a.index_put_((index,), b),
    "[]": lambda a, b: a.__setitem__(index, b),
    "scatter_": lambda a, b: a.scatter_(0, index, b),
    "scatter_add_": lambda a, b: a.scatter_add_(0, index, b),
    "scatter_reduce_": lambda a, b: a.scatter_reduce_(0, index, b, "sum"),
    "put_": lambda a, b: a.put_(index, b),
    "masked_scatter_": lambda a, b: a.masked_scatter_(mask, b),
    "masked_fill_": lambda a, b: a.masked_fill_(mask, b[1]),
    "copy_": lambda a, b: a.copy_(b),
    "add_": lambda a, b: a.add_(b),
    "lerp_": lambda a, b: a.lerp_(b, 0.5),
}
for name, write in WRITES.items():
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    attempt(name + " of itself", lambda: write(x[:2], x[:2]))  # noqa: B023
    attempt(name + " of a part", lambda: write(x[:2], x[1:3]))  # noqa: B023

# set_ leaves the graph.
a, other = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([5.0, 6.0, 7.0])


def replaced(x, source):
    before = x._version
    x.set_(source)
    nodes = [node and node.name() for node, _ in x.grad_fn.next_functions] if x.grad_fn else []
    print(x, x._version - before, x.requires_grad, nodes)
    return x.sum().backward() if x.requires_grad else None


for make in (lambda: torch.zeros(2), lambda: a * 2, lambda: torch.ones(2, requires_grad=True)):
    for source in (other, a, a * 3):
        attempt("set_", lambda: replaced(make(), source))  # noqa: B023


def kept():
    x = a * 2
    y = x * x
    x.set_(other)
    y.sum().backward()


attempt("kept", kept)

# Indices for one number, for too few, and padding that takes off more than there is.
zero = torch.tensor(2.0, requires_grad=True)
attempt("scatter_add", lambda: torch.zeros(3).scatter_add(0, torch.tensor([2]), zero))
attempt("scatter", lambda: torch.zeros(3).scatter(0, torch.tensor([1, 2]), zero))
attempt("scatter of another dtype", lambda: torch.zeros(3).scatter_add(0, torch.tensor([1, 2, 0, 0]), torch.zeros(2).double()))
attempt("repeat_interleave", lambda: zero.repeat_interleave(3, 0))
attempt("select_scatter", lambda: zero.select_scatter(zero, 0, 0))
attempt("slice_scatter", lambda: zero.slice_scatter(zero))
attempt("unfold", lambda: (zero.unfold(0, 1, 1), zero.unfold(0, 0, 1)))
for widths in ((1, -1), (-2, 0), (-3, 0), (-2, -2), (-4, 5), (5, -4)):
    attempt(f"pad {widths}", lambda: torch.nn.functional.pad(a, widths))  # noqa: B023
for y in (a, torch.zeros(2, 0, requires_grad=True), torch.arange(3)):
    attempt("trapezoid", lambda: (torch.trapezoid(y), torch.trapezoid(y, dx=0.5), torch.trapezoid(y, y.detach())))  # noqa: B023

# The real part of one number, written into.
c = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
for part in (lambda z: z.real, torch.view_as_real):
    z = (c * 1).sum()
    part(z).mul_(2)
    z.abs().backward()
    print(z, c.grad)
    c.grad = None

# What was there is kept for the slope, so a write into it is an error.
m = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
for f in (torch.det, torch.linalg.det):
    y = f(m)
    y.data.fill_(1.0)
    y.backward()
    y = f(m)
    with torch.no_grad():
        y.fill_(1.0)
    attempt("det", y.backward)
x = m * 1
y = x.cummax(0).values.sum()
with torch.no_grad():
    x.fill_(1.0)
attempt("cummax", y.backward)

# Slopes of distances between rows that are the same, and of x log y where nothing arrives.
rows = torch.tensor([[0.0, 1.0], [0.0, 1.0], [2.0, 2.0]], requires_grad=True)
torch.cdist(rows, rows).sqrt().sum().backward()
print(rows.grad)
p, q = torch.tensor([0.0, 1.0, 2.0], requires_grad=True), torch.tensor([1.0, -1.0, -2.0], requires_grad=True)
torch.xlogy(p, q)[0].backward()
print(p.grad, q.grad)

# Which comes first: what is wrong with the arguments, or the memory they share. Triangles of expanded matrices are written.
a, b, one = torch.zeros(3, 3), torch.zeros(2), torch.zeros(2, 1)
attempt("put", lambda: a.put_(torch.tensor([0, -1]), a))
attempt("index_copy", lambda: one.index_copy_(0, torch.tensor([0, 0, 1]), one))
attempt("index_copy", lambda: one.expand(2, 3).index_copy_(0, torch.tensor([0, 0]), b))
attempt("index_put", lambda: b.index_put_((torch.tensor([0]), torch.tensor([0])), b))
attempt("index_put", lambda: torch.zeros(0).index_put_((torch.tensor([0]),), a[0]))
for index in ([0, 1, 0], [0, 1], [[0, 1]]):
    attempt("scatter_add", lambda: b.scatter_add_(0, torch.tensor(index), b))  # noqa: B023
empty = torch.zeros(2, 0)
attempt("index_add", lambda: empty.index_add_(0, torch.tensor([1, 0]), empty))
for shape in ((1, 1), (1, 3), (3, 1), ()):
    base = torch.full(shape, 2.0)
    print(base.expand(3, 3).tril_(), base, torch.full(shape, 2.0).expand(2, 3, 3).triu_()[0])
z = torch.tensor([[1 + 2j], [3 - 1j]]).expand(2, 2)
for write in (lambda: z.conj().imag.mul_(2), lambda: z.conj().add_(1), lambda: torch._neg_view(z).exp_()):
    try:
        write()
    except RuntimeError as error:
        print(error)
z.conj().imag[:, :1].mul_(3)
print(z, z.conj(), z.conj().stride(), z.conj().is_contiguous())
t = torch.arange(4.0)
block = t.untyped_storage()
print(t.resize_(0), t.untyped_storage().nbytes(), t.resize_(0, 3).resize_(2, 2), t.resize_(1).resize_(0).resize_(4))
print(t.data_ptr() == block.data_ptr(), t[2:].resize_(0).resize_(2), torch.arange(3.0).set_(block, 1, (0,)).resize_(2))
