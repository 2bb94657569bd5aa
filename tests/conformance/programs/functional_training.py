"""Training by torch.func: parameters as a dictionary, an ensemble under vmap, gradients per example clipped with noise, a Hessian by two ways."""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap

torch.manual_seed(0)
x, y = torch.randn(30, 4), torch.randint(3, (30,))


def made():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))


model = made()
params = {name: p.detach() for name, p in model.named_parameters()}


def loss_of(params, x, y):
    return F.cross_entropy(functional_call(model, params, (x,)), y)


for step in range(10):
    grads, loss = grad_and_value(loss_of)(params, x, y)
    params = {name: params[name] - 0.5 * grads[name] for name in params}
    if step % 3 == 0:
        print(step, f"{loss.item():.5f}")
print(model[0].weight.grad, f"{loss_of(dict(model.named_parameters()), x, y).item():.5f}")

per_example = vmap(grad(lambda p, x, y: loss_of(p, x[None], y[None])), in_dims=(None, 0, 0))(params, x, y)
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_example.values()]).norm(dim=0)
factor = (0.5 / norms).clamp(max=1.0)
private = {name: torch.einsum("b,b...->...", factor, g) + 0.1 * torch.randn(g.shape[1:]) for name, g in per_example.items()}
print({name: tuple(g.shape) for name, g in per_example.items()}, f"{norms.max():.4f} {private['2.bias'].norm():.4f}")

members = [made() for _ in range(3)]
stacked, buffers = stack_module_state(members)
base = copy.deepcopy(members[0])


def member_loss(params, buffers, x, y):
    return F.cross_entropy(functional_call(base, (params, buffers), (x,)), y)


step_all = vmap(grad_and_value(member_loss), in_dims=(0, 0, 0, 0), randomness="different")
picks = torch.stack([torch.randint(30, (20,)) for _ in members])
for _ in range(5):
    grads, losses = step_all(stacked, buffers, x[picks], y[picks])
    stacked = {name: (p - 0.5 * grads[name]).detach() for name, p in stacked.items()}
print([f"{loss:.5f}" for loss in losses.tolist()])
logits = vmap(lambda p, b: functional_call(base, (p, b), (x,)))(stacked, buffers)
votes = logits.softmax(-1).mean(0).argmax(-1)
print(logits.shape, f"{(votes == y).float().mean():.4f}")

head = lambda w: F.softplus(x @ w).sum()  # noqa: E731
w = torch.linspace(-1, 1, 4)
print(
    torch.allclose(hessian(head)(w), jacrev(jacrev(head))(w), atol=1e-5),
    torch.allclose(jacfwd(jacrev(head))(w), jacfwd(jacfwd(head))(w), atol=1e-5),
)
print(jvp(head, (w,), (torch.ones(4),)))
value, pull = vjp(lambda w: torch.stack([w.sin(), w.cos()]), w)
print(pull(torch.ones(2, 4))[0], vmap(pull)(torch.eye(8).view(8, 2, 4))[0].shape)
print(vmap(torch.dot, in_dims=(0, None))(x, w)[:3], vmap(vmap(torch.mul, (None, 0)), (0, None))(w, w)[0])
try:
    vmap(lambda a: a.item())(w)
except RuntimeError as error:
    print(str(error).splitlines()[0])
