"""out=: results written into tensors one already has; resizing, dtypes, refusals."""

import torch

a = torch.tensor([1.0, 2.0, 3.0])
b = torch.tensor([4.0, 5.0, 6.0])
m = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
out = torch.zeros(3)
address = out.data_ptr()
for name, f in {
    "add": lambda o: torch.add(a, b, out=o),
    "sub": lambda o: torch.sub(a, b, alpha=2, out=o),
    "mul": lambda o: torch.mul(a, 2, out=o),
    "div": lambda o: torch.div(a, b, out=o),
    "pow": lambda o: torch.pow(a, 2, out=o),
    "exp": lambda o: torch.exp(a * 0, out=o),
    "sqrt": lambda o: torch.sqrt(a * a, out=o),
    "neg": lambda o: torch.neg(a, out=o),
    "abs": lambda o: torch.abs(-a, out=o),
    "clamp": lambda o: torch.clamp(a, 1.5, 2.5, out=o),
    "maximum": lambda o: torch.maximum(a, b.flip(0), out=o),
    "where": lambda o: torch.where(a > 1, a, b, out=o),
    "lerp": lambda o: torch.lerp(a, b, 0.5, out=o),
    "addcmul": lambda o: torch.addcmul(a, a, b, out=o),
    "cumsum": lambda o: torch.cumsum(a, 0, out=o),
    "sum": lambda o: torch.sum(m, 0, out=o),
    "mean": lambda o: torch.mean(m, 0, out=o),
    "amax": lambda o: torch.amax(m, 0, out=o),
    "cat": lambda o: torch.cat([a[:1], b[1:]], out=o),
    "mv": lambda o: torch.mv(m.t() @ m, a, out=o),
    "matmul": lambda o: torch.matmul(a, torch.eye(3), out=o),
    "softmax": lambda o: torch.softmax(a * 0, 0, out=o),
    "arange": lambda o: torch.arange(3, out=o),
    "linspace": lambda o: torch.linspace(0, 1, 3, out=o),
    "zeros": lambda o: torch.zeros(3, out=o),
    "full": lambda o: torch.full((3,), 2.0, out=o),
    "flip into": lambda o: torch.index_select(a, 0, torch.tensor([2, 1, 0]), out=o),
    "gather": lambda o: torch.gather(a, 0, torch.tensor([1, 1, 0]), out=o),
    "take": lambda o: torch.take(m, torch.tensor([0, 5, 3]), out=o),
    "remainder": lambda o: torch.remainder(b, 4, out=o),
    "round": lambda o: torch.round(a / 2, out=o),
    "tanh": lambda o: torch.tanh(a * 0, out=o),
    "atan2": lambda o: torch.atan2(a * 0, b, out=o),
}.items():
    result = f(out)
    print(name, result is out, out, out.data_ptr() == address)
flags = torch.zeros(3, dtype=torch.bool)
print(torch.gt(a, 2, out=flags), torch.eq(a, b, out=flags), torch.logical_not(flags, out=flags))
values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
torch.max(m, 1, out=(values, indices))
print(values, indices)
torch.sort(a, descending=True, out=(values, indices))
print(values, indices)
part = torch.zeros(2, 3)
torch.add(a, 1, out=part[1])
torch.mul(a, b, out=part[0])
print(part, part._version)
grown = torch.empty(0)
print(torch.add(a, b, out=grown), grown.shape, torch.mm(m, m.t(), out=torch.empty(2, 2)))
print(torch.add(torch.tensor([1, 2]), 1, out=torch.zeros(2)), torch.add(a, 1, out=torch.zeros(3, dtype=torch.float64)))
print(torch.add(a, a, out=a), torch.stack([a, b], out=torch.empty(2, 3)))
print(torch.bmm(m[None], m.t()[None], out=torch.empty(1, 2, 2)))
w = torch.ones(3, requires_grad=True)
for f in (
    lambda: torch.add(w, 1, out=torch.zeros(3)),
    lambda: torch.add(b, 1, out=w),
    lambda: torch.add(b, 1.5, out=torch.zeros(3, dtype=torch.int64)),
    lambda: torch.exp(b, out=torch.zeros(3, dtype=torch.bool)),
    lambda: torch.mm(m, m.t(), out=torch.zeros(2, 2, dtype=torch.float64)),
    lambda: torch.add(b, 1, out=[1, 2]),
):
    try:
        print(f())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error))
with torch.no_grad():
    print(torch.add(w, 1, out=torch.zeros(3)))

# What is resized keeps its memory where that is long enough; an input that is the output has no other shape to take.
d = torch.tensor([[2.25, 1.75], [1.0, 2.0]])
wide = torch.zeros(4, 4)
corner = wide.diagonal()
torch.exp(d, out=wide)
print(corner, wide, wide._version)
for made, source in ((torch.zeros(0), d.t()), (torch.zeros(4)[1:], d), (torch.zeros(6)[::2], d), (torch.zeros(0), d)):
    torch.neg(source, out=made)
    print(made, made._version, made.stride(), made.storage_offset())
column, square = torch.zeros(6, 1), torch.zeros(6, 3)
whole = torch.zeros(6, 1).int()
apart = torch.ones(4)
for f in (
    lambda: torch.add(column, square, out=column),
    lambda: torch.mul(square, whole, out=whole),
    lambda: torch.lerp(square, column, 0.5, out=column),
    lambda: torch.where(square > 0, square, column, out=column),
    lambda: torch.clamp(square, column, column, out=column),
    lambda: torch.mul(apart, apart.unfold(0, 1, 1), out=apart),
    lambda: torch.mul(torch.ones(3), torch.ones(()), out=apart[:3]),
):
    try:
        print(f())
    except RuntimeError as error:
        print(str(error))
