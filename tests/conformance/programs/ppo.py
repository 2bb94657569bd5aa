"""Proximal policy optimisation: generalised advantages, clipped objective, value loss, entropy, KL that stops early; a Gaussian policy too."""

import torch
from torch import nn
from torch.distributions import Categorical, Independent, Normal, TanhTransform, TransformedDistribution, kl_divergence


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 16), nn.Tanh())
        self.policy, self.value = nn.Linear(16, 3), nn.Linear(16, 1)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.orthogonal_(module.weight, 2**0.5)
                nn.init.constant_(module.bias, 0.0)

    def forward(self, state):
        hidden = self.body(state)
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


torch.manual_seed(0)
actor = Actor()
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-2, eps=1e-5)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / 8)
for iteration in range(5):
    states, actions, rewards, values, logs = [], [], [], [], []
    place = torch.zeros(6, 2)
    with torch.no_grad():
        for t in range(10):
            family, value = actor(place)
            action = family.sample()
            after = place + torch.stack([(action - 1).float() * 0.3, torch.full((6,), 0.1)], 1)
            for column, one in zip(
                (states, actions, rewards, values, logs),
                (place, action, -(after[:, 0] - 0.9).abs(), value, family.log_prob(action)),
            ):
                column.append(one)
            place = after
        last = actor(place)[1]
    states, actions, rewards, values, logs = map(torch.stack, (states, actions, rewards, values, logs))
    advantages, running = torch.zeros_like(rewards), torch.zeros(6)
    for t in reversed(range(10)):
        following = values[t + 1] if t < 9 else last
        running = rewards[t] + 0.95 * following - values[t] + 0.95 * 0.9 * running
        advantages[t] = running
    returns = advantages + values
    flat = [one.flatten(0, 1) for one in (states, actions, logs, advantages, returns)]
    for epoch in range(3):
        for rows in torch.randperm(60).chunk(4):
            state, action, old, advantage, wanted = (one[rows] for one in flat)
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            family, value = actor(state)
            ratio = (family.log_prob(action) - old).exp()
            gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            loss = -gain + 0.5 * nn.functional.mse_loss(value, wanted) - 0.01 * family.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
            optimizer.step()
        with torch.no_grad():
            divergence = kl_divergence(Categorical(logits=actor.policy(actor.body(flat[0]))), actor(flat[0])[0]).abs().max()
            moved = (flat[2] - actor(flat[0])[0].log_prob(flat[1])).mean()
        if moved > 0.02:
            break
    scheduler.step()
    print(
        iteration,
        epoch,
        f"{rewards.sum(0).mean():.3f} {loss.item():.3f} {moved.item():.4f} {divergence.item()}",
        scheduler.get_last_lr(),
    )
print(actor(torch.tensor([[0.0, 0.0], [1.5, 0.5]]))[0].probs.round(decimals=2))
mean, log_scale = torch.zeros(3, requires_grad=True), torch.full((3,), -1.0, requires_grad=True)
policy = TransformedDistribution(Independent(Normal(mean, log_scale.exp()), 1), [TanhTransform(cache_size=1)])
action = policy.rsample((4,))
print(policy, action, policy.log_prob(action), sep="\n")
(-policy.log_prob(action).mean() + action.pow(2).sum()).backward()
print(mean.grad, log_scale.grad)
