"""How requires_grad spreads through operations, and what stops it."""

import torch

x = torch.zeros(1)
y = torch.zeros(1)
z = torch.zeros(1, requires_grad=True)
a = x + y
b = a + z
print(a.requires_grad, b.requires_grad, a.grad_fn is None, b.grad_fn is None)

x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
print((x + y).requires_grad, (x + z).requires_grad, (x @ z).requires_grad, (z > x).requires_grad)

z.requires_grad = False
print((x + z).requires_grad)
z.requires_grad_(True)
b = x + z
for flag in (False, True):
    try:
        b.requires_grad = flag
    except RuntimeError as error:
        print(type(error).__name__, str(error))
print(b.requires_grad)

# freezing a part: no gradient for it, and none computed through it
w1 = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w2 = torch.tensor([[1.0, -1.0]], requires_grad=True)
v = torch.tensor([1.0, 2.0])
h = w1 @ v
out = w2 @ h
print(h.requires_grad, out.requires_grad)
out.sum().backward()
print(w1.grad, w2.grad)

t = torch.ones(3, requires_grad=True)
pieces = {
    "detach": t.detach() * 2,
    "data": t.data * 2,
    "no_grad": None,
    "int": t.int() * 2,
    "where": torch.where(t > 0, t, torch.zeros(3)),
    "condition only": torch.where(t > 0, torch.ones(3), torch.zeros(3)),
    "index by it": torch.arange(4.0)[t.long()],
    "cat": torch.cat([torch.zeros(2), t]),
    "stack": torch.stack([torch.zeros(3), t]),
    "multiplied by zero": t * 0,
    "ones_like": torch.ones_like(t),
    "max indices": t.max(0)[1],
    "isnan": t.isnan(),
    "round": t.round(),
    "masked": t.masked_fill(t > 0, 0.0),
}
with torch.no_grad():
    pieces["no_grad"] = t * 2
for name, piece in pieces.items():
    print(f"{name:20} {piece.requires_grad!s:5} {piece}")
