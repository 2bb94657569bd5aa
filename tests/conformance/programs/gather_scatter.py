"""gather, scatter and the index_ family: values, reductions, in-place forms, gradients."""

import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
src = torch.tensor([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]], requires_grad=True)
i = torch.tensor([[0, 1, 0], [1, 1, 0]])
p = torch.tensor([[2, 0, 1], [1, 2, 0]])
k = torch.tensor([1, 0])
forms = """
x.gather(0, i); x.gather(1, i); torch.gather(x, 1, torch.tensor([[2], [0]])); x.gather(1, i[:1]); x.gather(-1, i[:, :1])
x.scatter(1, p, src); x.scatter(1, i, 7.0); x.scatter_add(1, i, src)
x.scatter_add(0, i, src); x.scatter_reduce(1, i, src, "sum"); x.index_select(0, k); x.index_select(1, torch.tensor([2, 2, 0]))
x.index_add(0, k, src); x.index_add(1, torch.tensor([0, 0, 1]), src); x.index_add(0, k, src, alpha=2); x.index_copy(0, k, src)
x.index_fill(1, torch.tensor([0, 2]), -1.0); x.take(torch.tensor([[0, 5], [2, 2]])); torch.take_along_dim(x, i, 1); x.masked_select(x > 2)
x.masked_scatter(x > 2, src); x.index_put((k, k), src[0, :2]); x.index_put((k,), src, accumulate=True); x.scatter(-1, p[:, :1], -1.0)
x.masked_fill(i.bool(), 0.5); torch.where(i.bool(), x, src); torch.index_select(x, 0, k); x.index_copy(1, torch.tensor([2]), src[:, :1])
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        y = eval(form)
        gx, gs = torch.autograd.grad(y, [x, src], torch.arange(1.0, 1 + y.numel()).reshape(y.shape), allow_unused=True)
        print(f"{form}: {y.tolist()} {gx.tolist()} {gs if gs is None else gs.tolist()}")
t = torch.zeros(2, 3)
t.scatter_(1, torch.tensor([[2], [0]]), 1.0)
print(t)
t.scatter_add_(1, i, torch.ones(2, 3))
print(t)
t.index_add_(0, k, torch.ones(2, 3)).index_fill_(1, torch.tensor([1]), 9).index_copy_(0, torch.tensor([0]), torch.zeros(1, 3))
print(t)
t.masked_fill_(t == 9, -9).masked_scatter_(t < 0, torch.tensor([3.0, 4.0]))
print(t)
labels = torch.tensor([2, 0, 1])
print(torch.zeros(3, 3).scatter_(1, labels.unsqueeze(1), 1), torch.nn.functional.one_hot(labels), torch.eye(3)[labels])
counts = torch.zeros(3, dtype=torch.int64).scatter_add_(0, torch.tensor([0, 2, 2, 2]), torch.ones(4, dtype=torch.int64))
print(counts, torch.zeros(2).index_add_(0, torch.tensor([1, 1, 0]), torch.tensor([1.0, 2.0, 4.0])))
logits = torch.tensor([[1.0, 2.0, 3.0], [1.0, 5.0, 1.0]], requires_grad=True)
picked = logits.gather(1, torch.tensor([[2], [1]])).squeeze(1)
picked.sum().backward()
print(picked, logits.grad)
