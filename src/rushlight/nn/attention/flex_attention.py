"""torch.nn.attention.flex_attention: attention whose scores and mask functions of one place say, computed for all places.

A score function gets (score, batch, head, query, key) and gives a score, a mask function gets (batch, head, query, key) and says
whether that query sees that key. Both are written for numbers and run under vmap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight as torch

from ...tensor import Tensor

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

Mask = Callable[[Any, Any, Any, Any], Any]
Score = Callable[[Any, Any, Any, Any, Any], Any]
_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """What :func:`flex_attention` is to return beside its result: the logarithm of the sum of exponentials."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What it returned: (B, H, L) each, None where nobody asked."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def _over_places(function: Callable[..., Any], arguments: int) -> Callable[..., Any]:
    """A function of one place, of all places: batch, head, query and key are its last four arguments."""
    for dims in ((None, None, None, 0), (None, None, 0, None), (None, 0, None, None), (0, None, None, None)):
        function = torch.vmap(function, (0,) * (arguments - 4) + dims)
    return function


def _places(shape: tuple[int, int, int, int]) -> list[Tensor]:
    return [torch.arange(size, dtype=torch.int32) for size in shape]


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask by which every query sees every key."""
    return batch.new_ones((), dtype=torch.bool)


def _joined(masks: tuple[Mask, ...], join: Callable[[Any, Any], Any], start: bool) -> Mask:
    if not all(callable(mask) for mask in masks):
        raise RuntimeError(f"All inputs should be callable mask_mods: {masks}")

    def joined(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        result = b.new_full((), start, dtype=torch.bool)
        for mask in masks:
            result = join(result, mask(b, h, q_idx, kv_idx))
        return result

    return joined


def and_masks(*mask_mods: Mask) -> Mask:
    """The mask by which a query sees what it sees by all of several."""
    return _joined(mask_mods, lambda one, other: one & other, True)


def or_masks(*mask_mods: Mask) -> Mask:
    """The mask by which a query sees what it sees by any of several."""
    return _joined(mask_mods, lambda one, other: one | other, False)


def create_mask(
    mod_fn: Callable[..., Any], B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None, **more: Any
) -> Tensor:
    """A mask function's values, (B, H, Q_LEN, KV_LEN) bools; None for B or H is 1.

    >>> from rushlight.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False]]]])
    """
    return _over_places(mod_fn, 4)(*_places((B or 1, H or 1, Q_LEN, KV_LEN)))


class BlockMask:
    """A mask function with the blocks of queries and keys where it is true everywhere, somewhere or nowhere.

    ``kv_num_blocks``, ``kv_indices``            for each row of blocks, how many are partly true, and which: those first
    ``full_kv_num_blocks``, ``full_kv_indices``  the same of those that are true everywhere
    """

    def __init__(self, mask_mod: Mask, shape: tuple[int, int, int, int], block_size: tuple[int, int]) -> None:
        self.mask_mod = mask_mod
        self.shape = shape
        self.seq_lengths = shape[2:]
        self.BLOCK_SIZE = block_size
        rows, columns = (-(-size // block) for size, block in zip(shape[2:], block_size, strict=True))
        padded = torch.zeros((*shape[:2], rows * block_size[0], columns * block_size[1]), dtype=torch.bool)
        padded[..., : shape[2], : shape[3]] = create_mask(mask_mod, *shape)
        blocks = padded.reshape(*shape[:2], rows, block_size[0], columns, block_size[1]).transpose(3, 4).flatten(-2)
        full = blocks.all(-1)
        self.kv_num_blocks, self.kv_indices = self._ordered(blocks.any(-1) & ~full)
        self.full_kv_num_blocks, self.full_kv_indices = self._ordered(full)

    @staticmethod
    def _ordered(blocks: Tensor) -> tuple[Tensor, Tensor]:
        order = torch.argsort(blocks.to(torch.int32), dim=-1, descending=True, stable=True)
        return blocks.sum(-1).to(torch.int32), order.to(torch.int32)

    def to_dense(self) -> Tensor:
        """Which blocks are looked at: ones and zeros of shape (B, H, rows of blocks, columns of blocks)."""
        dense = torch.zeros(self.kv_indices.shape, dtype=torch.int32)
        places = torch.arange(self.kv_indices.shape[-1])
        for counts, order in ((self.kv_num_blocks, self.kv_indices), (self.full_kv_num_blocks, self.full_kv_indices)):
            dense = dense.scatter_add(-1, order.long(), (places < counts[..., None]).to(torch.int32))
        return dense

    def numel(self) -> int:
        """How many pairs of a query and a key there are."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """How many per cent of the pairs are in blocks that nobody looks at; below 0 where blocks reach beyond the ends."""
        seen = int(self.to_dense().sum().item()) * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - seen / self.numel())

    def to(self, device: Any) -> BlockMask:
        """The mask itself: it is on the CPU."""
        torch.empty(0).to(device)
        return self

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def create_block_mask(
    mask_mod: Mask,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    **more: Any,
) -> BlockMask:
    """A mask function prepared for :func:`flex_attention`; None for B or H is 1."""
    block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    return BlockMask(mask_mod, (B or 1, H or 1, Q_LEN, KV_LEN), block)


def _changed(scores: Tensor, score_mod: Score | None, block_mask: BlockMask | None) -> Tensor:
    """Scores (B, H, L, S) after the functions: minus infinity where a query does not see a key."""
    if score_mod is not None:
        scores = _over_places(score_mod, 5)(scores, *_places(tuple(scores.shape)))  # type: ignore[arg-type]
    if block_mask is not None:
        B, H, L, S = scores.shape
        shape = (1 if block_mask.shape[0] == 1 else B, 1 if block_mask.shape[1] == 1 else H)
        scores = scores.masked_fill(~create_mask(block_mask.mask_mod, *shape, L, S), -math.inf)
    return scores


def _of_other_lengths(block_mask: BlockMask, q_len: int, kv_len: int) -> str:
    """What is said of a mask that was made for sequences of other lengths."""
    lengths = f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={q_len} and kv_len={kv_len}."
    if q_len > block_mask.seq_lengths[0] or kv_len > block_mask.seq_lengths[1]:
        return (
            f"{lengths} As the block mask was created for a smaller length than you're using it for, you likely need to create a "
            "new block mask."
        )
    return (
        f"{lengths} As the block mask was created for a larger length than you're using it for, you can either 1. create a new "
        "block mask with the correct length, or 2. 'adjust' the existing block mask to the correct length by calling "
        "block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to the upper left corner, which does not "
        "work for all mask_mods!"
    )


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Score | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: Any = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Attention of (B, H, L, E) queries to (B, H, S, E) keys and (B, H, S, Ev) values: (B, H, L, Ev).

    A query that sees no key gets zeros. With ``return_aux`` the result is (output, AuxOutput). It has gradients, which
    PyTorch's has on GPUs only.

    NotImplementedError for inputs that are not of 4 dimensions; ValueError for lengths or numbers of heads that do not fit.

    >>> import rushlight as torch
    >>> from rushlight.nn.attention.flex_attention import flex_attention
    >>> x = torch.eye(2).reshape(1, 1, 2, 2)
    >>> flex_attention(x, x, x, score_mod=lambda score, b, h, q, kv: torch.where(q >= kv, score, -torch.inf))[0, 0, 0]
    tensor([1., 0.])
    """
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, shared = query.size(1), key.size(1)
    if not enable_gqa and heads != shared:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={shared}. "
            "Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and heads % shared:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={shared}."
        )
    if block_mask is not None and block_mask.seq_lengths != (query.size(2), key.size(2)):
        raise ValueError(_of_other_lengths(block_mask, query.size(2), key.size(2)))
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    if heads != shared:
        key, value = (one.repeat_interleave(heads // shared, 1) for one in (key, value))
    scores = query @ key.mT * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    scores = _changed(scores, score_mod, block_mask)
    lse = scores.logsumexp(-1)
    probabilities = scores.softmax(-1).masked_fill((lse == -math.inf).unsqueeze(-1), 0)
    out = (probabilities @ value).to(query.dtype)
    if return_aux is not None:
        return out, AuxOutput(lse if return_aux.lse else None)
    return (out, lse) if return_lse else out
