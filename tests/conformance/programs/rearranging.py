"""flip, roll, rot90, diag, tril, triu, unfold, meshgrid and their gradients."""

import torch

x = torch.arange(1.0, 10.0).reshape(3, 3).requires_grad_()
forms = """
x.flip(0); x.flip(0, 1); x.flip((1,)); x.fliplr(); x.flipud(); x.roll(1); x.roll(1, 0); x.roll((1, 2), (0, 1)); x.roll(-1, 1)
x.rot90(); x.rot90(2); x.rot90(-1, (0, 1)); x.diag(); x.diag(1); x[0].diag(); x[0].diag(-1); x.diagonal(); x.diagonal(-1)
torch.diag_embed(x); torch.diag_embed(x[0], 1); torch.diagflat(x[1]); x.tril(); x.triu(); x.tril(-1); x.triu(1); x.trace()
x.unfold(0, 2, 1); x.unfold(1, 2, 2); x.t(); x.T @ x; torch.rot90(x, 1, (1, 0)); x.diagonal().sum(); x.take_along_dim(x.argsort(1), 1)
torch.meshgrid(x[0], x[1], indexing="ij")[0]; torch.meshgrid(x[0], x[1], indexing="xy")[1]; x.index_select(0, torch.tensor([2, 0]))
x.masked_fill(x > 4, 0.0); torch.where(x > 4, x, -x); x.tril().triu(); x[[2, 1, 0]]; x[:, [1, 0, 2]]; x.as_strided((2, 2), (3, 1), 1)
x.new_zeros(3).scatter(0, torch.tensor([2, 1]), x[0, :2])
torch.tril(x) @ torch.triu(x); x.unsqueeze(0).expand(2, 3, 3).sum(0); x.repeat(1, 2); x.tile(2); x.expand(2, 3, 3); x.permute(1, 0)
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        y = eval(form)
        (g,) = torch.autograd.grad(y, x, torch.arange(1.0, 1 + y.numel()).reshape(y.shape))
        print(f"{form}: {y.tolist()} <- {g.tolist()}")
m = torch.arange(6).reshape(2, 3)
print(m.flip(0), m.roll(2), m.tril(), m.triu(), m.diag(), m.rot90(), torch.arange(3).diag())
mask = torch.ones(4, 4, dtype=torch.bool).tril()
print(mask, torch.zeros(4, 4).masked_fill(~mask, float("-inf")))
print(torch.eye(3).flip(1), torch.arange(4).view(2, 2).t().flatten())
