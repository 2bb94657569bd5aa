"""Attention whose scores and masks are functions of a place."""

import warnings

import torch
from torch.nn.attention.flex_attention import (
    AuxRequest,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    noop_mask,
    or_masks,
)

warnings.simplefilter("ignore")
torch.manual_seed(0)


def causal(b, h, q, kv):
    return q >= kv


def first_four(b, h, q, kv):
    return (q >= kv) & (q < 4)


mask = create_block_mask(causal, 2, 3, 300, 256, device="cpu")
print(mask.shape, round(mask.sparsity(), 4), mask.BLOCK_SIZE, mask.seq_lengths, mask.numel(), mask.mask_mod is causal)
print(mask.to_dense()[0, 0], mask.kv_num_blocks[0, 0], mask.kv_indices[0, 0], mask.full_kv_num_blocks[1, 2])
print(create_mask(causal, 1, 2, 3, 4), create_mask(lambda b, h, q, kv: q == kv, None, None, 2, 2).shape)
zero, one, two = (torch.tensor(number) for number in range(3))
print(and_masks(causal, lambda b, h, q, kv: kv > 0)(zero, zero, two, one), or_masks(causal, noop_mask)(zero, zero, one, two))

query = torch.randn(2, 4, 8, 4)
key, value = (torch.randn(2, 2, 8, 4) for _ in range(2))
print(flex_attention(query, key, value, enable_gqa=True)[0, 3, 0])
query = query[:, :2]
print(flex_attention(query, key, value, scale=0.1)[0, 0, 0])
print(flex_attention(query, key, value, score_mod=lambda score, b, h, q, kv: score + (q - kv) * 0.1 * h)[1, 1, :2])
print(flex_attention(query, key, value, lambda score, b, h, q, kv: torch.where(q >= kv, score, -float("inf")))[0, 0, :2])
small = create_block_mask(first_four, None, None, 8, 8, device="cpu", BLOCK_SIZE=4)
out, aux = flex_attention(query, key, value, block_mask=small, return_aux=AuxRequest(lse=True))
print(out[0, 0], aux.lse[0, 0], aux.max_scores, small.to_dense(), small.sparsity())
for attempt in (
    lambda: flex_attention(torch.cat([query, query], 1), key, value),
    lambda: flex_attention(query[0], key[0], value[0]),
    lambda: flex_attention(query, key, value, block_mask=mask),
    lambda: flex_attention(query, key, value, return_aux=AuxRequest(max_scores=True)),
    lambda: and_masks(3),
):
    try:
        attempt()
    except Exception as error:
        print(type(error).__name__, str(error).rstrip("."))
