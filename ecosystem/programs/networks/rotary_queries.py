"""rotary-embedding-torch: rotations of queries and keys, with and without xpos, and over an image."""

import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

torch.manual_seed(0)
queries, keys = torch.randn(1, 4, 12, 16), torch.randn(1, 4, 12, 16)
rotary = RotaryEmbedding(dim=8)
print(rotary.rotate_queries_or_keys(queries)[0, 1, 5].tolist())
first, second = rotary.rotate_queries_with_cached_keys(queries[:, :, -1:], keys)
print(first[0, 0, 0, :4].tolist(), second[0, 0, 3, :4].tolist())
one, two = RotaryEmbedding(dim=8, use_xpos=True).rotate_queries_and_keys(queries, keys)
print(one[0, 2, 7].tolist(), two[0, 2, 7].tolist())
axial = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=16)
print(apply_rotary_emb(axial.get_axial_freqs(3, 4), torch.randn(1, 3, 4, 16)).sum((0, 1, 2)).tolist())
