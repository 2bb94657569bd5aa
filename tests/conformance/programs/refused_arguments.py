"""Arguments that functions refuse: sources of other dimensions, targets that need gradients, arguments left out."""

import torch
import torch.nn.functional as F


def show(function):
    try:
        print(function())
    except (RuntimeError, IndexError, TypeError) as error:
        print(type(error).__name__, str(error).splitlines()[0])


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
