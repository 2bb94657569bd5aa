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

# A leaf that is given another shape while a graph ends at it: the end keeps the shape that it was made with.
reshaped = {
    "t_": lambda leaf: leaf.t_(),
    "unsqueeze_": lambda leaf: leaf.unsqueeze_(0),
    "data, other sizes": lambda leaf: setattr(leaf, "data", torch.ones(4, 5)),
    "data, more dimensions": lambda leaf: setattr(leaf, "data", torch.ones(4, 2, 3)),
    "data, double": lambda leaf: setattr(leaf, "data", torch.ones(2, 3, dtype=torch.float64)),
    "resize_": lambda leaf: leaf.resize_(6),
}
for name, change in reshaped.items():
    for create_graph in (False, True):
        for run in (
            lambda leaf, before, create_graph: before.sum().backward(create_graph=create_graph),
            lambda leaf, before, create_graph: (leaf * 2).sum().backward(create_graph=create_graph),
            lambda leaf, before, create_graph: print(torch.autograd.grad((leaf * 2).sum(), leaf)[0].shape),
        ):
            leaf = torch.arange(6.0).reshape(2, 3).requires_grad_()
            before = leaf.exp()
            try:
                with torch.no_grad():
                    change(leaf)
                run(leaf, before, create_graph)
                print(name, leaf.shape, None if leaf.grad is None else (leaf.grad.shape, leaf.grad.dtype))
            except RuntimeError as error:
                print(name, str(error), leaf.grad)
            leaf.grad = None
