"""tqdm: a progress bar around an epoch."""

import io

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

torch.manual_seed(0)
data = TensorDataset(torch.randn(40, 3), torch.randn(40, 1))
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = io.StringIO()
bar = tqdm(DataLoader(data, batch_size=8, shuffle=True), file=out, mininterval=0)
for x, y in bar:
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    bar.set_postfix(loss=f"{loss.item():.4f}")
    print("loss", loss.item())
print("steps", bar.n, "5/5" in out.getvalue())
