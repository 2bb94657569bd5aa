"""view, reshape, squeeze, transpose, permute, expand and friends: shapes, values, gradients."""

import torch

x = torch.arange(24.0).reshape(2, 3, 4)
forms = """
x.view(6, 4); x.view(-1); x.view(2, -1); x.view((4, 6)); x.view(24, 1); x.reshape(3, 8); x.reshape((-1, 2)); x.reshape(2, 3, 2, 2)
x.flatten(); x.flatten(1); x.flatten(0, 1); x.flatten(start_dim=-2); x.unflatten(1, (3, 1)); x.unflatten(-1, (2, -1)); x.ravel()
x[:1].squeeze(); x[:1].squeeze(0); x.squeeze(0); x[:1, :1].squeeze((0, 1)); x.unsqueeze(0); x.unsqueeze(-1); x.unsqueeze(2)
x.transpose(0, 1); x.transpose(-1, 0); x.permute(2, 0, 1); x.permute((1, 2, 0)); x.permute(-1, 0, 1); x[0].t(); x[0].T; x.mT
x.movedim(0, 2); x.movedim((0, 1), (2, 0)); x.moveaxis(1, 0); x.swapaxes(0, 2); x.swapdims(1, 2); x[:, :1].expand(2, 3, 4)
x[0].expand(2, 3, 4); x[:, :, :1].expand(-1, -1, 5); x[0, 0].expand(3, -1); x[:1].expand_as(x); x[0, 0].broadcast_to(2, 4)
torch.broadcast_to(x[0], (2, 3, 4)); x.narrow(1, 1, 2); x.select(2, 1); x.unfold(2, 2, 2); x.unfold(1, 2, 1); x.adjoint()
x.as_strided((2, 2), (2, 1)); x.as_strided((3,), (7,), 2); x.view_as(torch.zeros(4, 6)); x.reshape_as(torch.zeros(8, 3)); x.squeeze()
x.diagonal(); x.diagonal(1, 0, 2); x[0].diagonal(-1); torch.atleast_2d(torch.tensor(1.0)); torch.atleast_3d(x[0]); x.tile(1, 2, 1)
torch.atleast_1d(torch.tensor(3.0)); torch.squeeze(x[:, :1], 1); torch.unsqueeze(x, 1); torch.transpose(x, 0, 2); torch.reshape(x, (6, 4))
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        y = eval(form)
        weights = torch.arange(1.0, 1 + y.numel()).reshape(y.shape)
        z = x.clone().requires_grad_()
        out = eval(form, {"x": z, "torch": torch})
        needs = out.requires_grad
        gradient = torch.autograd.grad(out, z, weights)[0] if needs else None
        total = None if gradient is None else (gradient * torch.arange(24.0).reshape(2, 3, 4)).sum().item()
        name = out.grad_fn.name() if needs else None
        print(f"{form:45} {tuple(y.shape)!s:13} {(y * weights).sum().item():8} {total} {name} {y._base is not None}")
y = torch.arange(6)
y.resize_(2, 3)
print(y, y.unsqueeze_(0).shape, y.squeeze_().shape, y.t_().shape)
print(y.transpose_(0, 1).shape, torch.broadcast_shapes((2, 1), (3,)))
a, b = torch.broadcast_tensors(torch.arange(3), torch.arange(2)[:, None])
print(a, b, x.ndim, x.dim(), x.size(), x.size(1), x.size(-1), x.shape[0], x.numel(), x.nelement())
for f in (
    lambda: x.view(5, 5),
    lambda: x.permute(0, 1),
    lambda: x.permute(0, 0, 1),
    lambda: x.transpose(0, 3),
    lambda: x.expand(3, 3, 4),
    lambda: x.expand(4),
    lambda: x.t(),
    lambda: x.unsqueeze(5),
    lambda: x.squeeze(3),
    lambda: x.flatten(2, 1),
    lambda: x.unflatten(1, (2, 2)),
    lambda: x.transpose(0, 1).view(-1),
    lambda: x.unfold(2, 9, 1),
    lambda: torch.broadcast_shapes((2,), (3,)),
    lambda: x.size(4),
    lambda: x.reshape(-1, -1),
    lambda: x.view(0, -1),
):
    try:
        print(f())
    except (RuntimeError, IndexError) as error:
        print(type(error).__name__, str(error))
