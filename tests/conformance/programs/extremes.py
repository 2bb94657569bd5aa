"""max, min, median, kthvalue, quantile: named tuples, ties, two-tensor forms, gradients."""

import torch

x = torch.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])
print(x.max(), x.min(), torch.max(x), x.median())
print(x.max(0))
print(x.min(dim=1))
values, indices = x.max(1, keepdim=True)
print(values, indices)
m = x.max(1)
print(m.values, m.indices, m[0], type(m).__name__, len(m), isinstance(m, tuple))
print(torch.max(x, 1)[1], torch.max(x, torch.tensor(2.5)), torch.min(x, x.flip(0)))
print(x.median(1), torch.tensor([4.0, 1.0, 3.0, 2.0]).median(), torch.tensor([1, 5, 3]).median(0).indices)
print(x.kthvalue(2), x.kthvalue(1, dim=0).values)
print(torch.tensor([1.0, 2.0, 3.0, 4.0]).quantile(0.25))
print(x.quantile(torch.tensor([0.0, 0.5, 1.0])), x.quantile(0.5, dim=1))
print(torch.tensor([1.0, float("nan"), 3.0]).max(), torch.tensor([1.0, float("nan"), 3.0]).median())
print(torch.tensor([1.0, float("nan"), 3.0]).nanmedian(), torch.tensor([float("nan"), 5.0]).max(0))
print(torch.tensor([[1, 5], [7, 2]]).max(), torch.tensor([True, False]).max())
print(torch.tensor([2, 2, 1]).max(0), torch.tensor(7).max(0))
print(torch.fmax(torch.tensor([1.0, float("nan")]), torch.tensor([2.0, 3.0])), torch.maximum(x, x.flip(1)))
print(torch.return_types.max, type(x.topk(1)), x.sort()[0].tolist())


def gradient(f, *data):
    t = torch.tensor(data).requires_grad_()
    f(t).backward()
    return t.grad.tolist()


print(gradient(lambda t: t.max(), 1.0, 3.0, 2.0), gradient(lambda t: t.max(), 3.0, 1.0, 3.0))
print(gradient(lambda t: t.max(0).values, 3.0, 1.0, 3.0), gradient(lambda t: t.amax(), 3.0, 1.0, 3.0))
print(gradient(lambda t: t.median(), 3.0, 1.0, 2.0), gradient(lambda t: t.min(), 2.0, 2.0, 2.0, 5.0))
print(gradient(lambda t: torch.max(t, torch.tensor([1.0, 2.0])).sum(), 1.0, 3.0))
print(gradient(lambda t: torch.maximum(t, t.flip(0)).sum(), 1.0, 3.0, 2.0))
print(gradient(lambda t: t.kthvalue(2).values, 5.0, 1.0, 4.0), gradient(lambda t: t.quantile(0.5), 1.0, 2.0, 4.0, 8.0))
print(gradient(lambda t: t.view(2, 2).max(1)[0].sum(), 1.0, 2.0, 4.0, 3.0))
y = x.clone().requires_grad_()
v, k = y.min(0)
print(v, k, k.requires_grad, v.grad_fn.name())
v.backward(torch.tensor([1.0, 2.0, 3.0]))
print(y.grad)
