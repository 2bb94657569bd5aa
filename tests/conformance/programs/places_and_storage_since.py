"""What backward finds where indices, storages and places in the graph are no longer what they were; copies that keep their storage."""

import torch
from torch.utils.checkpoint import checkpoint


def attempt(label, f):
    try:
        print(label, f())
    except Exception as error:
        print(label, type(error).__name__, str(error).partition("\n")[0])


for name in "max min median nanmedian mode kthvalue sort topk cummax cummin".split():
    for place in (3, -1, 0):
        x = torch.tensor(2.0, requires_grad=True)
        values, places = getattr(torch, name)(x, *(1, 0) if name in ("topk", "kthvalue") else (0,))
        places.data[...] = place
        attempt(f"{name} {place}", lambda: (values.sum().backward(), x.grad)[1])  # noqa: B023
for shape, place in (((), 9), ((2,), 9), ((2,), -1)):
    for f in (lambda x, i: x.gather(0, i), lambda x, i: x.scatter(0, i, 2.0)):
        x, index = torch.ones(shape, requires_grad=True), torch.zeros(shape, dtype=torch.int64)
        y = f(x * 1, index)
        index.data[...] = place
        attempt(f"{shape} {place}", lambda: (y.sum().backward(), x.grad)[1])  # noqa: B023

whole = torch.arange(12.0).reshape(3, 4)
for x in (whole, whole[::2], whole[1:], whole[:, 1:3], whole.T, whole.expand(2, 3, 4)):
    for y in (torch.slice_scatter(x, x, 0), torch.select_scatter(x, x[0], 0, 0), torch.diagonal_scatter(x, x.diagonal())):
        print(y.stride(), y.storage_offset(), y.untyped_storage().nbytes())
print(torch.flip(torch.ones(1, 3).unfold(-1, 1, 1)[:, :2], [0]).stride())

for reentrant in (False, True):
    x = torch.tensor([2.0], requires_grad=True)
    between = x * 1
    y = checkpoint(lambda t: t * t, between, use_reentrant=reentrant)
    between.detach_()
    attempt(f"detached, reentrant {reentrant}", lambda: y.backward())  # noqa: B023
attempt("set_ of a view of a leaf", lambda: torch.ones(2, requires_grad=True).view(2).set_())
