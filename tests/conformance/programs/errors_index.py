"""What an index may not be."""

import torch

x = torch.arange(6).reshape(2, 3)
f = torch.zeros(2, 3)
attempts = {
    "too large": lambda: x[2],
    "too small": lambda: x[-3],
    "second": lambda: x[0, 5],
    "too many": lambda: x[0, 0, 0],
    "scalar": lambda: torch.tensor(1)[0],
    "float": lambda: x[1.0],
    "string": lambda: x["a"],
    "negative step": lambda: x[::-1],
    "zero step": lambda: x[::0],
    "mask shape": lambda: x[torch.tensor([True, False, True])],
    "mask of two": lambda: x[torch.ones(2, 2, dtype=torch.bool)],
    "long out of range": lambda: x[torch.tensor([0, 5])],
    "long negative": lambda: x[torch.tensor([-3])],
    "float tensor": lambda: x[torch.tensor([0.5])],
    "no broadcast": lambda: x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])],
    "two dots": lambda: x[..., 0, ..., 0, 0],
    "select": lambda: x.select(0, 3),
    "select dim": lambda: x.select(2, 0),
    "narrow": lambda: x.narrow(1, 2, 3),
    "gather": lambda: x.gather(1, torch.tensor([[5]])),
    "gather dims": lambda: x.gather(0, torch.tensor([0])),
    "gather type": lambda: x.gather(0, torch.tensor([[0.0]])),
    "index_select": lambda: x.index_select(0, torch.tensor([9])),
    "take": lambda: x.take(torch.tensor([6])),
    "write size": lambda: f.__setitem__(0, torch.ones(2)),
    "write mask": lambda: f.__setitem__(f == 0, torch.ones(2)),
    "write range": lambda: f.__setitem__((0, 7), 1.0),
    "write list": lambda: f.__setitem__(torch.tensor([0, 1]), torch.ones(3, 3)),
    "write complex": lambda: f.__setitem__((0, 0), 1j),
    "write string": lambda: f.__setitem__(0, "a"),
    "masked_select": lambda: x.masked_select(torch.tensor([1, 0, 1])),
    "scatter": lambda: f.scatter(1, torch.tensor([[4]]), 1.0),
    "index_add": lambda: f.index_add(0, torch.tensor([0]), torch.ones(2, 3)),
    "iterate scalar": lambda: list(torch.tensor(1)),
    "len scalar": lambda: len(torch.tensor(1)),
    "unpack": lambda: (lambda a, b, c: None)(*x),
}
for name, attempt in attempts.items():
    try:
        print(name, "=", attempt())
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error)}")
