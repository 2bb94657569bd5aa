"""Policy gradient on a small corridor, with distributions."""

import torch
import torch.nn as nn
from torch.distributions import Categorical, Normal

torch.manual_seed(3)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 16), nn.ReLU())
        self.actor = nn.Linear(16, 2)
        self.critic = nn.Linear(16, 1)

    def forward(self, x):
        h = self.body(x)
        return self.actor(h), self.critic(h).squeeze(-1)


policy = Policy()
opt = torch.optim.RMSprop(policy.parameters(), lr=1e-2)
for episode in range(10):
    pos, logs, rewards, values, ent = 2, [], [], [], []
    for t in range(12):
        logits, value = policy(nn.functional.one_hot(torch.tensor(pos), 5).float())
        m = Categorical(logits=logits)
        a = m.sample()
        logs.append(m.log_prob(a))
        values.append(value)
        ent.append(m.entropy())
        pos += 1 if a.item() == 1 else -1
        done = pos in (0, 4)
        rewards.append(1.0 if pos == 4 else 0.0 if not done else -1.0)
        if done:
            break
    R, returns = 0, []
    for r in reversed(rewards):
        R = r + 0.9 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    advantage = returns - torch.stack(values)
    loss = -(torch.stack(logs) * advantage.detach()).sum() + advantage.pow(2).sum() - 0.01 * torch.stack(ent).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(episode, len(rewards), f"{loss.item():.4f}")
mu = torch.zeros(3, requires_grad=True)
s = torch.ones(3, requires_grad=True)
d = Normal(mu, s)
x = d.rsample()
(-d.log_prob(x.detach()).sum() + x.sum()).backward()
print(mu.grad, s.grad, d)
