"""Writing by index, in every form; what is broadcast, converted, accumulated."""

import numpy as np
import torch


def fresh():
    return torch.zeros(2, 3)


i = torch.tensor([0, 2])
writes = {
    "element": lambda t: t.__setitem__((0, 1), 5),
    "row": lambda t: t.__setitem__(0, torch.tensor([1.0, 2.0, 3.0])),
    "row from list": lambda t: t.__setitem__(1, torch.tensor([7, 8, 9])),
    "column": lambda t: t.__setitem__((slice(None), 1), 4.0),
    "step": lambda t: t.__setitem__((slice(None), slice(None, None, 2)), torch.tensor([[1.0], [2.0]])),
    "ellipsis": lambda t: t.__setitem__((..., -1), torch.tensor([1.0, 2.0])),
    "all": lambda t: t.__setitem__(slice(None), 1),
    "dots": lambda t: t.__setitem__(..., torch.arange(3)),
    "long": lambda t: t.__setitem__((slice(None), i), 3.0),
    "long rows": lambda t: t.__setitem__(torch.tensor([1, 0]), torch.arange(6.0).reshape(2, 3)),
    "pairs": lambda t: t.__setitem__((torch.tensor([0, 1]), i), torch.tensor([10.0, 20.0])),
    "list": lambda t: t.__setitem__([0, 1], 2),
    "mixed": lambda t: t.__setitem__((1, [0, 2]), torch.tensor([5.0, 6.0])),
    "mask": lambda t: t.__setitem__(torch.tensor([[True, False, True], [False, True, False]]), -1),
    "mask values": lambda t: t.__setitem__(torch.tensor([[True, False, True], [False, True, False]]), torch.arange(3.0)),
    "row mask": lambda t: t.__setitem__(torch.tensor([False, True]), torch.tensor([1.0, 2.0, 3.0])),
    "none": lambda t: t.__setitem__((None, 0), torch.ones(1, 3)),
    "bool": lambda t: t.__setitem__(torch.tensor(2.0) > 1, 9),
    "zero-dim": lambda t: t.__setitem__(torch.tensor(1), torch.tensor(3)),
    "int to float": lambda t: t.__setitem__((0, 0), True),
    "tensor scalar": lambda t: t.__setitem__((0, 2), torch.tensor([[8.0]])),
    "empty": lambda t: t.__setitem__(slice(0, 0), 5),
    "numpy scalar": lambda t: t.__setitem__((0, 0), np.float64(2.5)),
}
for name, write in writes.items():
    t = fresh()
    write(t)
    print(name, t.tolist())
t = torch.zeros(3, dtype=torch.int64)
t[0] = 2.9
t[1] = True
t[2:] = torch.tensor([3.7])
print(t)
t = torch.zeros(3)
t[torch.tensor([0, 0, 1])] += 1
print(t)
t.index_put_((torch.tensor([0, 0, 1]),), torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
print(t)
t[t > 1] *= 10
print(t)
x = torch.arange(10)
x[2:8:3] = torch.tensor([-1, -2])
x[-1] = x[0] + 100
print(x)
x[1:5] = x[2:6].clone()
print(x)
x[x > 5], x[0] = 0, 42
print(x)
t = torch.zeros(2, 2)
t.data[0] = torch.tensor([1.0, 2.0])
t.select(0, 1).copy_(torch.tensor([3.0, 4.0]))
t.diagonal().fill_(9)
t[:, 1].mul_(2)
t.view(-1)[0] = 7
print(t)
c = torch.zeros(2, dtype=torch.complex64)
c[0] = 1 + 2j
c[1] = 3
b = torch.zeros(3, dtype=torch.bool)
b[1] = 1
b[2] = 0.5
print(c, b)
t = torch.zeros(2, 3, 4)
t[:, [0, 2], 1] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
t[0, :, [2, 3]] = 5
print(t)
w = torch.tensor(1.5, requires_grad=True)
places = torch.tensor([0])
for start in (torch.tensor([1, 2]), torch.tensor([True, False]), torch.tensor([1.0, 2.0])):
    for write in (
        lambda t: t.fill_(w),
        lambda t: t[:1].fill_(w),
        lambda t: t[None].__setitem__(slice(None), w),
        lambda t: t.masked_fill_(t > 0, w),
        lambda t: t.index_fill_(0, places, w),
    ):
        t = start.clone()
        write(t)  # what needs a gradient gives integers a node as well
        print(t.tolist(), t.requires_grad, t.grad_fn.name(), [edge[0] is None for edge in t.grad_fn.next_functions])
try:
    torch.tensor([1, 2]).fill_(w).requires_grad_()
except RuntimeError as error:
    print(error)
