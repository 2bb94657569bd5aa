"""The losses a small network needs, in every reduction, with gradients."""

import torch
import torch.nn.functional as F

x = torch.tensor([[0.5, -1.0], [2.0, 0.0]], requires_grad=True)
y = torch.tensor([[1.0, -1.0], [0.0, 0.5]])
p = torch.tensor([[0.25, 0.75], [0.5, 0.125]], requires_grad=True)
t = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
c = torch.tensor([1, 0])
losses = {
    "mse": lambda r: F.mse_loss(x, y, reduction=r),
    "l1": lambda r: F.l1_loss(x, y, reduction=r),
    "smooth_l1": lambda r: F.smooth_l1_loss(x, y, reduction=r),
    "smooth_l1 beta": lambda r: F.smooth_l1_loss(x, y, reduction=r, beta=0.5),
    "huber": lambda r: F.huber_loss(x, y, reduction=r, delta=1.5),
    "bce": lambda r: F.binary_cross_entropy(p, t, reduction=r),
    "bce weight": lambda r: F.binary_cross_entropy(p, t, weight=torch.tensor([1.0, 2.0]), reduction=r),
    "bce logits": lambda r: F.binary_cross_entropy_with_logits(x, t, reduction=r),
    "bce pos_weight": lambda r: F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.tensor([1.0, 3.0]), reduction=r),
    "cross_entropy": lambda r: F.cross_entropy(x, c, reduction=r),
    "ce weight": lambda r: F.cross_entropy(x, c, weight=torch.tensor([1.0, 3.0]), reduction=r),
    "ce ignore": lambda r: F.cross_entropy(x, torch.tensor([1, -100]), reduction=r),
    "ce smoothing": lambda r: F.cross_entropy(x, c, label_smoothing=0.1, reduction=r),
    "ce probabilities": lambda r: F.cross_entropy(x, t, reduction=r),
    "nll": lambda r: F.nll_loss(F.log_softmax(x, 1), c, reduction=r),
    "kl_div": lambda r: F.kl_div(F.log_softmax(x, 1), t * 0.5 + 0.25, reduction=r),
}
for name, loss in losses.items():
    for reduction in ("none", "mean", "sum"):
        value = loss(reduction)
        grads = torch.autograd.grad(value.sum(), [x, p], allow_unused=True)
        shown = [[f"{v + 0.0:.4f}" for v in g.flatten().tolist()] for g in grads if g is not None]
        print(name, reduction, [f"{v + 0.0:.4f}" for v in value.flatten().tolist()], *shown)
image = torch.arange(12.0).reshape(1, 3, 2, 2) / 4
print(f"{F.cross_entropy(image, torch.tensor([[[0, 1], [2, 0]]])).item():.4f}")
print(F.cross_entropy(image, torch.zeros(1, 2, 2).long(), reduction="none").shape)
print(F.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]])).item() > 0.7)
print(F.mse_loss(torch.zeros(0), torch.zeros(0)))
(g,) = torch.autograd.grad(F.mse_loss(x, y), x, create_graph=True)
print(torch.autograd.grad(g.sum(), x)[0])
for f in (
    lambda: F.cross_entropy(x, torch.tensor([2, 0])),
    lambda: F.cross_entropy(x, torch.tensor([0, 1, 0])),
    lambda: F.cross_entropy(x, torch.tensor([0.0, 1.0])),
    lambda: F.binary_cross_entropy(p, torch.tensor([0.0, 1.0, 1.0])),
    lambda: F.binary_cross_entropy(x, t),
    lambda: F.nll_loss(torch.zeros(2, 2), torch.tensor([0, 5])),
    lambda: F.mse_loss(x, y, reduction="average"),
    lambda: F.mse_loss(x, torch.zeros(3)),
):
    try:
        print(f())
    except (RuntimeError, ValueError, IndexError) as error:
        print(type(error).__name__, str(error))
# Logits of one precision and targets of another: the loss has the target's.
for kind, other in ((torch.float64, torch.float32), (torch.float32, torch.float64)):
    logits, wanted = torch.tensor([1.5, -2.0, 0.25], dtype=kind, requires_grad=True), torch.tensor([1.0, 0.0, 0.5], dtype=other)
    for reduction in ("mean", "sum", "none"):
        loss = F.binary_cross_entropy_with_logits(logits, wanted, reduction=reduction)
        loss.sum().backward()
        print(loss, logits.grad)
    heavy = torch.tensor(2.0, dtype=other)
    print(F.binary_cross_entropy_with_logits(logits, wanted, weight=wanted + 1, pos_weight=heavy))
    wanted.requires_grad_()
    print(torch.autograd.grad(F.binary_cross_entropy_with_logits(logits, wanted, pos_weight=heavy), [logits, wanted]))
# The gradient of nll_loss depends on its input, if only by zeros, and a write into that is an error.
scores = torch.tensor([[-1.0, -2.0], [-0.5, -3.0]], requires_grad=True)
F.nll_loss(scores, torch.tensor([1, 0])).backward(create_graph=True)
print(scores.grad)
print(torch.autograd.grad((scores.grad * scores).sum(), scores))
written = scores * 1
loss = F.nll_loss(written, torch.tensor([1, 0]))
written.mul_(2)
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(";")[0])
wanted = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
for a, b in ((scores.detach(), wanted), (wanted, scores.detach())):
    try:
        F.huber_loss(a, b).backward()
    except RuntimeError as error:
        print(error)
