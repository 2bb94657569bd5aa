"""normflows: a flow of masked affine layers fits a density."""

import normflows as nf
import torch

torch.manual_seed(0)
base = nf.distributions.base.DiagGaussian(2)
layers = []
for _ in range(4):
    layers.append(nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 16, 16, 2], init_zeros=True)))
    layers.append(nf.flows.Permute(2, mode="swap"))
model = nf.NormalizingFlow(base, layers)
target = nf.distributions.TwoMoons()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(10):
    x = target.sample(64)
    loss = model.forward_kld(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
sample, log_prob = model.sample(5)
print(sample.tolist(), log_prob.tolist())
