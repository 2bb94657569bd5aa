"""In-place writes that are refused, at once or in backward; and those that are not."""

import torch


def refused(label, action):
    try:
        action()
        print(f"{label}: fine")
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {str(error)}")


def leaf():
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def changed(make, change):
    """Make a value from a fresh input, change something, then go backward."""
    x = leaf() * 1
    y = make(x)
    change(x, y)
    y.sum().backward()


def twice(x, y):
    x.mul_(2)


def result(x, y):
    y.mul_(2)


for name, make in {
    "exp": torch.exp,
    "sin": torch.sin,
    "sqrt": torch.sqrt,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "log": torch.log,
    "square": lambda x: x**2,
    "times two": lambda x: x * 2,
    "times itself": lambda x: x * x,
    "plus": lambda x: x + 1,
    "divided": lambda x: 1 / x,
    "abs": torch.abs,
    "clamp": lambda x: x.clamp(0, 2),
    "softmax": lambda x: x.softmax(0),
    "sum": lambda x: x.sum(),
    "prod": lambda x: x.prod(),
    "max": lambda x: x.max(),
    "max dim": lambda x: x.max(0)[0],
    "matmul": lambda x: x @ x,
    "norm": lambda x: x.norm(),
    "std": lambda x: x.std(),
    "index": lambda x: x[torch.tensor([0, 1])],
    "view": lambda x: x.view(3, 1),
    "clone": lambda x: x.clone(),
    "where": lambda x: torch.where(x > 0, x, x),
    "cat": lambda x: torch.cat([x, x]),
    "cumprod": lambda x: x.cumprod(0),
    "mean": lambda x: x.mean(),
    "reciprocal": torch.reciprocal,
}.items():
    refused(f"{name}, input changed", lambda make=make: changed(make, twice))
    refused(f"{name}, result changed", lambda make=make: changed(make, result))

x = leaf()
refused("leaf add_", lambda: x.add_(1))
refused("leaf +=", lambda: x.__iadd__(1))
refused("leaf element", lambda: x.__setitem__(0, 5.0))
refused("leaf zero_", lambda: x.zero_())
refused("view of leaf", lambda: x[1:].add_(1))
refused("copy into leaf", lambda: x.copy_(torch.ones(3)))
refused("out= leaf", lambda: torch.exp(torch.zeros(3), out=x))
refused("leaf in no_grad", lambda: torch.no_grad()(lambda: x.add_(0))())
refused("leaf by data", lambda: x.data.add_(0))
refused("fill detached", lambda: x.detach().add_(0))
refused("resize", lambda: x.resize_(5))
refused("unbind", lambda: (x * 1).unbind()[0].mul_(2))
refused("split", lambda: (x * 1).split(1)[0].mul_(2))
refused("expanded", lambda: (x * 1)[:1].expand(3).add_(1))
refused("overlap", lambda: torch.zeros(4)[:3].add_(torch.zeros(4)[1:]))


def shared_overlap():
    t = torch.arange(4.0)
    t[1:].copy_(t[:-1])


refused("copy onto itself, moved", shared_overlap)
refused("shape grows", lambda: torch.ones(1).add_(torch.ones(3)))
refused("integers plus halves", lambda: torch.ones(2, dtype=torch.int64).add_(0.5))
refused("bool plus one", lambda: torch.ones(2, dtype=torch.bool).add_(1))
refused("float from complex", lambda: torch.ones(2).mul_(1j))
refused("detach_ a view", lambda: (x * 1)[0].detach_())
w = leaf()
h = w * 2
out = (h * w).sum()
with torch.no_grad():
    w.mul_(1)
try:
    out.backward()
except RuntimeError as error:
    print(str(error))
h = (leaf() * 2).view(3, 1)
out = h.exp()
out += 1
try:
    out.sum().backward()
except RuntimeError as error:
    print(str(error))
