"""x-transformers: a small decoder with rotary positions that learns a sequence and continues it; and an encoder."""

import torch
from x_transformers import AutoregressiveWrapper, Decoder, Encoder, TransformerWrapper, ViTransformerWrapper

torch.manual_seed(0)
model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=32,
        max_seq_len=64,
        attn_layers=Decoder(dim=32, depth=2, heads=4, attn_dim_head=8, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True),
    )
)
print("parameters", sum(p.numel() for p in model.parameters()))
tokens = (torch.arange(33).repeat(4, 1) * torch.arange(1, 5)[:, None]) % 32
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(15):
    loss = model(tokens)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    optimizer.zero_grad()
    print("loss", loss.item(), norm.item())
model.eval()
print("greedy", model.generate(tokens[:2, :4], 8, temperature=0.0).tolist())

encoder = TransformerWrapper(num_tokens=50, max_seq_len=16, attn_layers=Encoder(dim=16, depth=1, heads=2, attn_dim_head=8))
x = torch.randint(0, 50, (2, 10))
mask = torch.ones(2, 10).bool()
mask[1, 6:] = False
out = encoder(x, mask=mask, return_embeddings=True)
print("encoder", out.shape, out.abs().mean().item(), out[1, 0, :4].tolist())

vit = ViTransformerWrapper(
    image_size=16, patch_size=8, num_classes=5, attn_layers=Encoder(dim=16, depth=1, heads=2, attn_dim_head=8)
)
print("image", vit(torch.randn(1, 3, 16, 16)).tolist())
