"""Memory for time: segments that run anew in the backward pass, dropout among them, with the same gradients and random numbers."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Block(nn.Module):
    calls = 0

    def __init__(self, width):
        super().__init__()
        self.norm, self.linear, self.drop = nn.LayerNorm(width), nn.Linear(width, width), nn.Dropout(0.3)

    def forward(self, x):
        Block.calls += 1
        return x + self.drop(torch.relu(self.linear(self.norm(x))))


def gradients(run):
    torch.manual_seed(5)
    Block.calls = 0
    model.zero_grad()
    x.grad = None
    out = run()
    out.square().sum().backward()
    print(Block.calls, f"{out.sum().item():.3f} {x.grad.norm().item():.3f} {torch.rand(1).item():.6f}")
    return [p.grad.clone() for p in model.parameters()] + [x.grad.clone()]


torch.manual_seed(0)
model = nn.Sequential(*[Block(6) for _ in range(4)])
x = torch.randn(3, 6, requires_grad=True)
plain = gradients(lambda: model(x))
ways = {
    "each": lambda: [out := x] and [out := checkpoint(block, out, use_reentrant=False) for block in model][-1],
    "segments": lambda: checkpoint_sequential(model, 2, x, use_reentrant=False),
    "reentrant": lambda: checkpoint(model, x, use_reentrant=True),
    "no random state": lambda: checkpoint(model, x, use_reentrant=False, preserve_rng_state=False),
}
for name, way in ways.items():
    same = [torch.equal(one, other) for one, other in zip(plain, gradients(way))]
    print(name, all(same))
with torch.autograd.graph.save_on_cpu():
    model(x).sum().backward()


def careless(x):
    return (x * (2 if careless.first else 3)).exp() if careless.first else x.sin()


careless.first = True
out = checkpoint(careless, x, use_reentrant=False)
careless.first = False
try:
    out.sum().backward()
except torch.utils.checkpoint.CheckpointError as error:
    print(type(error).__name__, str(error).splitlines()[0])
try:
    checkpoint(model, x.detach(), use_reentrant=True).sum().backward()
    print("parameters are not seen by the reentrant way" if model[0].linear.weight.grad is None else "seen")
except RuntimeError as error:
    print(error)
