"""Arguments that functions refuse: sources of other dimensions, targets that need gradients, arguments left out."""

import torch
import torch.nn.functional as F


def show(function):
    try:
        print(function())
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        print(type(error).__name__, str(error))


z = torch.zeros
cases = [
    (z(2), 0, [0, 1], z(())),
    (z(2), 0, [0], z(())),
    (z(1, 1), 1, [0, 0], z(())),
    (z(2, 3), 1, [1], z(6)),
    (z(2, 3), 0, [1], z(6)),
    (z(()), 0, [0, 0], z(())),
    (z(()), 0, [0], z(1)),
    (z(2, 2), 1, [0], z(2, 1, 1)),
    (z(2, 2), -1, [0, 1], z(2)),
    (z(2), 1, [0], z(1)),
    (z(2, 0), 0, [0], z(0)),
    (z(2, 2), 0, [0], z(())),
]
for into, dim, index, source in cases:
    for name in ("index_add", "index_copy", "index_add_"):
        show(lambda: tuple(getattr(into, name)(dim, torch.tensor(index), source).shape))  # noqa: B023
    show(lambda: tuple(into.index_reduce(dim, torch.tensor(index), source, "prod").shape))  # noqa: B023

# The distance of two numbers is a norm over all there is.
for p in (2.0, 1.0, 3.0, float("inf"), 0.0):
    x = torch.tensor(1.0, requires_grad=True)
    distance = F.pairwise_distance(x, torch.tensor(3.5), p=p, keepdim=True)
    distance.backward()
    print(distance, x.grad)

signs = torch.tensor([1.0, -1.0], requires_grad=True)
show(lambda: F.soft_margin_loss(signs, signs))
show(lambda: F.soft_margin_loss(signs.detach(), signs))
show(lambda: F.soft_margin_loss(signs, signs.detach()))
with torch.no_grad():
    show(lambda: F.soft_margin_loss(signs, signs))
show(lambda: F.glu(torch.tensor(1.0)))

# Weights that would need a gradient, beside what else is wrong; the weights of losses, and which mean they go into.
p, c, w = (
    torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.4, 0.3]]),
    torch.tensor([0, 2]),
    torch.tensor([0.2, 0.3, 0.5], requires_grad=True),
)
for one in (p, p[0], p[:, :, None], p[:, :, None, None]):
    for classes in (c, c[0], c[:, None], c[:, None, None], c[:1], c.double()):
        for loss in (F.nll_loss, F.cross_entropy):
            show(lambda: loss(one, classes, weight=w))  # noqa: B023
show(lambda: F.cross_entropy(p, c, weight=w, label_smoothing=0.1))
show(lambda: F.cross_entropy(p, p.flip(0), weight=w).requires_grad)
show(lambda: F.multi_margin_loss(p, c, weight=w))
for against in (p.flip(0), p.double(), p[0]):
    show(lambda: F.binary_cross_entropy(p, against, weight=w))  # noqa: B023
    show(lambda: F.binary_cross_entropy_with_logits(p, against, weight=w))  # noqa: B023
    show(lambda: F.binary_cross_entropy_with_logits(p, against, pos_weight=w))  # noqa: B023
show(lambda: F.binary_cross_entropy(p, p, weight=torch.ones(2)))
show(lambda: torch.func.grad(lambda v: F.nll_loss(p, c, weight=v))(w.detach()))
with torch.no_grad():
    show(lambda: F.nll_loss(p, c, weight=w))
for loss in (F.mse_loss, F.l1_loss, F.huber_loss):
    for reduction in ("none", "sum", "mean"):
        show(lambda: loss(p, p[0] + 2, reduction=reduction, weight=p.flip(1)))  # noqa: B023
    show(lambda: loss(p[0], p, weight=p))  # noqa: B023

x = torch.zeros(2, 3)
show(lambda: x.swapaxes())
show(lambda: x.swapaxes_())
show(lambda: x.swapdims_(0))
show(lambda: x.transpose_())
show(lambda: x.unsqueeze_())

# Sizes that are no tuple; integers that would need a gradient; dtypes that a loss finds on its way back.
show(lambda: torch.broadcast_to(x, 2))
show(lambda: torch.broadcast_to(torch.ones(()), (2,)).broadcast_to(3, 2))
show(lambda: torch.tensor([]).nanquantile(0.5))
grown = torch.ones(3, requires_grad=True)
show(lambda: torch.slice_scatter(torch.tensor([1, 2, 3]), grown, 0))
show(lambda: torch.select_scatter(torch.tensor([1, 2, 3]), grown[0], 0, 0))
show(lambda: torch.inner(torch.ones(2), torch.ones(3).double()))
show(lambda: torch.linalg.norm(torch.zeros(0), ord=float("inf")))
loss = F.huber_loss(grown, torch.zeros(3).double())
show(lambda: (loss.dtype, loss.backward()))

# Arguments of the wrong kind, as functions, methods and in place: which one, where it stands, what it had to be.
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
kinds = """
x.addcdiv_(1.5, x); x.index_copy_(0, torch.tensor([0]), 1.5); x.index_add_(0, 1.5, x); x.gather(0, 1.5); torch.gather(x, 0, 1.5)
x.masked_scatter_(x > 0, 1.5); x.put_(1.5, x); x.take(1.5); torch.take(x, 1.5); x.index_select(0, 1.5); x.scatter_(0, 1.5, x)
x.masked_fill_(1.5, 2); x.tril(1.5); torch.tril(x, 1.5); torch.tril(x, diagonal=1.5); x.triu_(1.5); x.triu("x"); x.roll(1.5)
torch.roll(x, "x"); x.rot90(1.5); torch.rot90(x, "x"); x.random_(1.5); x.random_(1.5, 2); x.diag(1.5); x.diagonal(1.5)
x.cumsum_("x"); x.cumsum(1.5); x.unfold(0, 1.5, 1); x.topk(1.5); torch.topk(x, 1.5); x.kthvalue(1.5); x.sort(1.5); x.flip(1.5)
x.chunk(1.5); x.select(0, 1.5); torch.select(x, 0, 1.5); x.unsqueeze(1.5); x.squeeze(1.5); x.transpose(0, 1.5); x.flatten(1.5)
x.sum(1.5); torch.sum(x, 1.5); x.mean("x"); x.max(1.5); x.argmax(1.5); x.std(1.5); x.all(1.5); x.softmax(1.5); x.logsumexp(1.5)
x.hypot_(torch.ones(2, 2) * 1j); x.atan2_(torch.ones(2, 2) * 1j)
x.copysign_("x"); x.fmod_("x"); x.pow_("x"); x.lerp_("x", 0.5); x.add_("x"); x.mul_("x"); x.add("x"); x.atan2_("x"); x.dist("x")
x.heaviside_("x"); x.heaviside("x"); x.is_same_size(1.5); torch.is_same_size(x, 1.5); x.is_set_to(1.5); x.trace(1); x.square(1)
x.contiguous(memory_format=1.5); x.matmul("x"); torch.matmul(x, "x"); x.mm(1.5); x.bmm(1.5); x.repeat_interleave(1.5); x.det(1)
x.view_as(1.5); x.expand_as(1.5); x.reshape_as(1.5); x.masked_select(1.5); x.addmm(x, 1.5); x.sum(dim=1.5)
"""
for line in kinds.strip().splitlines():
    for case in line.split("; "):
        try:
            eval(case)
            print(case, "is taken")
        except Exception as error:
            print(case, type(error).__name__, str(error))
