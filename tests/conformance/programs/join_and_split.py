"""cat, stack, split, chunk, tensor_split, unbind, repeat, tile, and gradients to every part."""

import torch

a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([[5.0, 6.0]], requires_grad=True)
v = torch.tensor([7.0, 8.0], requires_grad=True)
joins = {
    "cat": lambda: torch.cat([a, b]),
    "cat dim": lambda: torch.cat((a, a), dim=1),
    "cat -1": lambda: torch.cat([b, b * 2], -1),
    "cat empty": lambda: torch.cat([torch.zeros(0), a]),
    "concat": lambda: torch.concat([a, b, a]),
    "stack": lambda: torch.stack([v, v * 2]),
    "stack 1": lambda: torch.stack([v, b[0]], dim=1),
    "stack -1": lambda: torch.stack([a, a], -1),
    "hstack": lambda: torch.hstack([v, v]),
    "hstack 2": lambda: torch.hstack([a, b.t()]),
    "vstack": lambda: torch.vstack([v, a]),
    "dstack": lambda: torch.dstack([v, v]),
    "column_stack": lambda: torch.column_stack([v, a]),
    "repeat": lambda: v.repeat(2, 2),
    "repeat_interleave": lambda: v.repeat_interleave(2),
    "repeats": lambda: a.repeat_interleave(torch.tensor([1, 2]), dim=0),
    "tile": lambda: v.tile((2, 2)),
    "block_diag": lambda: torch.block_diag(a, b),
    "pad": lambda: torch.nn.functional.pad(v, (1, 2), value=9.0),
    "kron": lambda: torch.kron(b, v),
    "cartesian": lambda: torch.cartesian_prod(v, b[0]),
}
for name, join in joins.items():
    a.grad = b.grad = v.grad = None
    y = join()
    y.backward(torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
    grads = [t.grad.tolist() if t.grad is not None else None for t in (a, b, v)]
    print(name, y.tolist(), y.grad_fn.name(), *grads)

x = torch.arange(10)
print(x.split(3), x.split([2, 8]), x.chunk(3), x.chunk(20)[-1], x.tensor_split(3), x.tensor_split([2, 5]))
m = torch.arange(12).reshape(3, 4)
print(m.split(2, dim=1), m.chunk(2), m.unbind(), m.unbind(1)[3], torch.hsplit(m, 2)[1], torch.vsplit(m, [1])[1])
print([p.shape for p in torch.split(m, 2)])
print([p.shape for p in torch.tensor_split(m, 2, dim=1)])
print(torch.dsplit(m[None], 2)[0].shape)
w = torch.arange(6.0).requires_grad_()
p, q, r = (w * 2).split(2)
(p * 1 + r * 10).sum().backward()
print(w.grad)
w.grad = None
first, *rest = (w * w).unbind()
(first + rest[2] * 3).backward()
print(w.grad, len(rest))
w.grad = None
halves = w.view(2, 3).chunk(2, 1)
(halves[0] * halves[1][:, :1]).sum().backward()
print(w.grad, [tuple(h.shape) for h in halves])
print(torch.cat([torch.tensor([1]), torch.tensor([1.5])]))
print(torch.stack([torch.tensor(1), torch.tensor(2)]), torch.cat([m, m]).shape)
for f in (
    lambda: torch.cat([a, v]),
    lambda: torch.cat([a, torch.zeros(2, 3)]),
    lambda: torch.cat([]),
    lambda: torch.stack([]),
    lambda: torch.stack([a, b]),
    lambda: torch.cat([a, b], dim=2),
    lambda: x.split([3, 3]),
    lambda: x.split(-1),
    lambda: x.chunk(0),
    lambda: x.repeat(()),
    lambda: torch.zeros(2, 2).repeat(2),
    lambda: torch.cat([torch.tensor(1.0), torch.tensor(2.0)]),
):
    try:
        print(f())
    except (RuntimeError, ValueError, IndexError) as error:
        print(type(error).__name__, str(error))
