"""performer-pytorch: linear attention in a small language model."""

import torch
from performer_pytorch import PerformerLM, SelfAttention
from torch import nn

torch.manual_seed(0)
model = PerformerLM(num_tokens=20, max_seq_len=16, dim=16, depth=2, heads=2, causal=False, nb_features=16)
tokens = torch.randint(0, 20, (2, 16))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(5):
    loss = nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
attention = SelfAttention(dim=16, heads=2, dim_head=8, causal=False)
print(attention(torch.randn(1, 10, 16))[0, 0].tolist())
