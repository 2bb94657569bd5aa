"""A generative adversarial network on points of a circle: batch norm, spectral norm and softened labels."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
critic = nn.Sequential(nn.utils.spectral_norm(nn.Linear(2, 16)), nn.LeakyReLU(0.2), nn.Linear(16, 1))


def small_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight_orig if hasattr(module, "weight_orig") else module.weight, 0.0, 0.02)
        nn.init.zeros_(module.bias)


generator.apply(small_weights)
critic.apply(small_weights)
generator_steps = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
critic_steps = torch.optim.Adam(critic.parameters(), lr=2e-3, betas=(0.5, 0.999))
loss = nn.BCEWithLogitsLoss()
for step in range(8):
    angle = torch.rand(32) * 6.28318
    real = torch.stack([angle.cos(), angle.sin()], 1)
    critic.zero_grad()
    fake = generator(torch.randn(32, 4))
    critic_loss = loss(critic(real), torch.full((32, 1), 0.9)) + loss(critic(fake.detach()), torch.zeros(32, 1))
    critic_loss.backward()
    critic_steps.step()
    generator.zero_grad()
    generator_loss = loss(critic(fake), torch.ones(32, 1))
    generator_loss.backward()
    generator_steps.step()
    print(f"{step} {critic_loss.item():.4f} {generator_loss.item():.4f}")
print(sorted(generator.state_dict()), [tuple(value.shape) for value in critic.state_dict().values()])
nn.utils.remove_spectral_norm(critic[0])
print(list(critic.state_dict()))
