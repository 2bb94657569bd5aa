"""Which tensors are leaves, which need a gradient, which get one."""

import torch

a = torch.tensor([1.0, 2.0])
b = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.rand(10, requires_grad=True) + 2
table = {
    "plain": a,
    "asked at once": b,
    "asked later": torch.zeros(2).requires_grad_(),
    "sum of plain": a + a,
    "sum with one that needs it": a + b,
    "constant added": c,
    "detached": (a + b).detach(),
    "data": (a + b).data,
    "view of a leaf": b[0],
    "view of plain": a[0],
    "clone": b.clone(),
    "converted": b.double(),
    "same dtype": b.float(),
    "to nothing new": b.to(torch.float32),
    "integers": torch.tensor([1, 2]),
    "integers of b": b.long(),
    "comparison": b > 1,
    "argmax": b.argmax(),
    "made in no_grad": None,
    "random": torch.rand(10).requires_grad_(),
    "ones_like": torch.ones_like(b),
    "sign": b.sign(),
    "floor": b.floor(),
    "item": torch.tensor(b[0].item()),
    "reshape": b.reshape(2),
    "contiguous": b.contiguous(),
    "max": b.max(),
    "indices of max": b.max(0).indices,
    "values of max": b.max(0).values,
    "index": b.sort()[1],
}
with torch.no_grad():
    table["made in no_grad"] = b * 2
for name, tensor in table.items():
    node = type(tensor.grad_fn).__name__
    print(f"{name:28} leaf={tensor.is_leaf!s:5} needs={tensor.requires_grad!s:5} grad_fn={node}")

print(b.reshape(2) is b, b.contiguous() is b, b.float() is b, b.to(torch.float32) is b)
total = (b * a + b).sum()
total.backward()
print(b.grad, a.grad)
print(b.grad.is_leaf, b.grad.requires_grad)
