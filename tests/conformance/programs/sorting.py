"""sort, argsort, topk, msort, unique, searchsorted, bucketize, bincount, isin."""

import torch

x = torch.tensor([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])
print(x.sort(), x.sort(descending=True).indices, x.sort(0).values, torch.sort(x, dim=1, descending=True)[0])
print(x.argsort(), x.argsort(0), x.argsort(descending=True))
print(torch.tensor([2, 1, 2, 1]).sort(stable=True), torch.msort(x))
print(x.topk(2), x.topk(1, dim=0), x.topk(2, largest=False), torch.topk(torch.tensor([4, 9, 1, 7]), 3).values)
print(torch.tensor([3, 1, 3, 2, 1]).unique())
print(torch.tensor([3.5, 1.5, 3.5]).unique())
print(torch.unique(torch.tensor([[1, 2], [2, 3]])))
print(torch.unique(torch.tensor([3, 1, 3]), return_inverse=True))
print(torch.unique(torch.tensor([3, 1, 3]), return_counts=True))
print(torch.unique(torch.tensor([5, 5, 6]), return_inverse=True, return_counts=True))
print(torch.unique(torch.tensor([[1, 2], [1, 2], [0, 3]]), dim=0))
print(torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1])))
print(torch.unique_consecutive(torch.tensor([1, 1, 2]), return_inverse=True, return_counts=True))
print(torch.tensor([True, True]).unique())
edges = torch.tensor([1.0, 3.0, 5.0])
print(torch.searchsorted(edges, torch.tensor([0.0, 1.0, 2.0, 3.0, 9.0])))
print(torch.searchsorted(edges, torch.tensor([1.0, 3.0]), right=True))
print(torch.searchsorted(edges, 3.0))
print(torch.bucketize(torch.tensor([[0.5, 4.0], [5.0, 7.0]]), edges))
print(torch.searchsorted(edges, 3.0, side="right"))
print(torch.searchsorted(torch.tensor([[1, 3], [2, 4]]), torch.tensor([[2], [4]])))
print(torch.bucketize(2.0, edges, out_int32=True).dtype)
print(torch.tensor([0, 1, 1, 3]).bincount())
print(torch.bincount(torch.tensor([0, 1, 1]), weights=torch.tensor([0.5, 1.0, 2.0]), minlength=4))
print(torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5])))
print(torch.tensor([1, 0, 2]).nonzero(as_tuple=True))
print(torch.tensor([[1, 0], [0, 2]]).nonzero())
print(torch.argwhere(torch.tensor([0, 3])))
print(torch.nonzero(torch.tensor(5)).shape)
print(torch.tensor([1.0, float("nan"), 0.0]).sort())
print(torch.tensor([2, 1], dtype=torch.uint8).sort(descending=True))
print(torch.tensor(4).sort())


def gradient(f, t):
    t = t.clone().requires_grad_()
    y = f(t)
    y.backward(torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
    return t.grad.tolist()


print(gradient(lambda t: t.sort().values, x))
print(gradient(lambda t: t.sort(0, True)[0], x))
print(gradient(lambda t: t.topk(2)[0], x))
print(gradient(lambda t: t.topk(1, 0, False).values, x))
print(gradient(lambda t: t.gather(1, t.argsort(1)), x), gradient(torch.msort, x))
y = x.clone().requires_grad_()
values, order = torch.sort(y, 1)
print(values.requires_grad, order.requires_grad, order.is_leaf, values.grad_fn.name())
(g,) = torch.autograd.grad((values**2).sum(), y, create_graph=True)
print(g.detach(), torch.autograd.grad(g.sum(), y)[0])
for f in (
    lambda: x.topk(5),
    lambda: x.sort(2),
    lambda: torch.bincount(torch.tensor([-1])),
    lambda: torch.bincount(torch.tensor([0.5])),
):
    try:
        print(f())
    except (RuntimeError, IndexError) as error:
        print(type(error).__name__, str(error))
