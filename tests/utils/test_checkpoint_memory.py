"""Checkpointing frees memory: a deep chain keeps the inputs of its segments, not what every node saves."""

import gc
import tracemalloc
from collections.abc import Callable

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import checkpoint_sequential

LAYERS, WIDTH, ROWS = 64, 64, 512
ACTIVATION = ROWS * WIDTH * 4  # bytes


def deep_chain() -> torch.nn.Sequential:
    return torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh()) for _ in range(LAYERS)])


def peak(run: Callable[[], torch.Tensor]) -> int:
    """The most bytes that a forward and a backward pass held at a time."""
    gc.collect()
    tracemalloc.start()
    try:
        run().sum().backward()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpointed_chain_holds_a_fraction_of_the_memory(use_reentrant: bool) -> None:
    chain = deep_chain()
    plain = torch.randn(ROWS, WIDTH, requires_grad=True)
    cut = plain.detach().requires_grad_()
    whole = peak(lambda: chain(plain))
    parts = peak(lambda: checkpoint_sequential(chain, 8, cut, use_reentrant=use_reentrant))
    assert whole > LAYERS * ACTIVATION
    assert parts < LAYERS * ACTIVATION / 2
    assert torch.equal(plain.grad, cut.grad)
