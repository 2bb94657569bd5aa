"""Q-learning with a network that follows another slowly, and a network that learns to be learnt quickly."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = copy.deepcopy(online)
optimizer = torch.optim.AdamW(online.parameters(), lr=1e-3, amsgrad=True)
states, later = torch.randn(8, 4), torch.randn(8, 4)
actions, rewards = torch.randint(2, (8, 1)), torch.randn(8)
over = torch.zeros(8, dtype=torch.bool)
over[2] = True
for step in range(4):
    values = online(states).gather(1, actions)
    ahead = torch.zeros(8)
    with torch.no_grad():
        ahead[~over] = target(later[~over]).max(1).values
    loss = nn.SmoothL1Loss()(values, (ahead * 0.99 + rewards).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(online.parameters(), 100)
    optimizer.step()
    weights = target.state_dict()
    for name, new in online.state_dict().items():
        weights[name] = new * 0.005 + weights[name] * 0.995
    target.load_state_dict(weights)
    print(step, loss, weights["0.bias"][:3])
print(optimizer)

# Policy gradient with a baseline.
policy = nn.Linear(4, 3)
drawn = torch.distributions.Categorical(logits=policy(states))
chosen = drawn.sample()
advantage = torch.linspace(-1, 1, 8)
loss = -(drawn.log_prob(chosen) * advantage).mean() - 0.01 * drawn.entropy().mean()
loss.backward()
print(chosen, loss, policy.bias.grad)

# Two steps of learning inside, gradients of both outside.
weights = [torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)]


def model(x, w, b):
    return torch.tanh(x @ w + b)


outer = torch.optim.SGD(weights, lr=0.1)
for task in range(3):
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    fast = weights
    for _ in range(2):
        grads = torch.autograd.grad(F.mse_loss(model(x, *fast), y), fast, create_graph=True)
        fast = [w - 0.1 * g for w, g in zip(fast, grads)]
    after = F.mse_loss(model(x, *fast), y)
    outer.zero_grad()
    after.backward()
    print(task, round(after.item(), 5), [w.grad.flatten() for w in weights])
    outer.step()
