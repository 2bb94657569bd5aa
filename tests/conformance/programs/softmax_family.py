"""softmax, log_softmax, logsumexp, softmin: stability, dtypes, gradients, and cross-entropy made of them."""

import torch
import torch.nn.functional as F

x = torch.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
print(x.softmax(0), x.softmax(1), torch.softmax(x, dim=-1))
print(F.softmax(x, dim=1), x.log_softmax(1), F.log_softmax(x, dim=0))
print(x.logsumexp(1), torch.logsumexp(x, (0, 1)), x.logsumexp(0, keepdim=True), F.softmin(x, dim=1))
big = torch.tensor([1000.0, 1000.0, -1000.0])
print(big.softmax(0), big.log_softmax(0), big.logsumexp(0), torch.tensor([-1000.0, -1000.0]).logsumexp(0))
print(torch.tensor([-float("inf"), 0.0]).softmax(0))
print(torch.tensor([-float("inf")] * 2).logsumexp(0))
print(torch.tensor([1.0]).softmax(0))
print(torch.softmax(torch.tensor([1, 1]), 0, dtype=torch.float64))
print(F.softmax(torch.tensor([0.0, 0.0]).half(), 0), torch.tensor(2.0).softmax(0))
for f in (
    lambda t: t.softmax(1),
    lambda t: t.softmax(0),
    lambda t: t.log_softmax(1),
    lambda t: t.logsumexp(1),
    lambda t: F.softmin(t, 1),
    lambda t: t.softmax(1).log(),
    lambda t: t.exp() / t.exp().sum(1, keepdim=True),
    lambda t: t - t.logsumexp(1, keepdim=True),
):
    t = x.clone().double().requires_grad_()
    y = f(t)
    weights = torch.arange(1.0, 1 + y.numel(), dtype=torch.float64).reshape(y.shape)
    (g,) = torch.autograd.grad(y, t, weights, create_graph=True)
    (h,) = torch.autograd.grad((g * weights.sum()).pow(2).sum(), t)
    print([round(v, 4) + 0.0 for v in g.flatten().tolist()], [round(v, 2) + 0.0 for v in h.flatten().tolist()])

logits = torch.tensor([[2.0, 0.5, -1.0], [0.0, 1.0, 3.0]], requires_grad=True)
target = torch.tensor([0, 2])
by_hand = -logits.log_softmax(1)[range(2), target].mean()
loss = F.cross_entropy(logits, target)
print(f"{by_hand.item():.4f} {loss.item():.4f}", torch.allclose(by_hand, loss))
loss.backward()
print(torch.allclose(logits.grad, (logits.softmax(1) - F.one_hot(target, 3)).detach() / 2))
print([f"{v:.4f}" for v in logits.grad.flatten().tolist()])
# attention, by hand
q = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
k = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
scores = (q @ k.t() / 2**0.5).masked_fill(torch.tensor([[False, True], [False, False]]), float("-inf"))
out = scores.softmax(-1) @ v
out.sum().backward()
print([f"{n:.4f}" for n in out.flatten().tolist()])
print([f"{n:.4f}" for n in q.grad.flatten().tolist()], v.grad.sum().item())
try:
    x.softmax(2)
except IndexError as error:
    print(str(error))
