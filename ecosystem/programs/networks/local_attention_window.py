"""local-attention: attention within windows, and a small transformer of it."""

import torch
from local_attention import LocalAttention, LocalTransformer

torch.manual_seed(0)
q, k, v = torch.randn(2, 4, 32, 8), torch.randn(2, 4, 32, 8), torch.randn(2, 4, 32, 8)
attention = LocalAttention(dim=8, window_size=8, causal=True, look_backward=1, look_forward=0, autopad=True)
mask = torch.ones(2, 32).bool()
mask[1, 20:] = False
print(attention(q, k, v, mask=mask)[0, 1, 9].tolist())
model = LocalTransformer(
    num_tokens=16, dim=16, depth=1, heads=2, dim_head=8, max_seq_len=32, causal=True, local_attn_window_size=8
)
tokens = torch.arange(33).repeat(2, 1) % 16
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(5):
    loss = model(tokens, return_loss=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
