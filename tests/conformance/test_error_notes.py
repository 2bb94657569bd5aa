"""Where rushlight has a note to add, what the error itself says is PyTorch's sentence to the byte: one program for each such place."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
import torch

import rushlight

PROGRAMS = {
    "shapes of a sum": "torch.ones(3) + torch.ones(4)",
    "shapes of a product": "torch.ones(2, 3) @ torch.ones(4, 5)",
    "shapes of cat": "torch.cat([torch.ones(2, 3), torch.ones(2, 4)])",
    "no scalar": "leaf.exp().backward()",
    "no graph": "torch.ones(3).sum().backward()",
    "freed": "loss = leaf.exp().sum(); loss.backward(); loss.backward()",
    "written": "a = leaf.exp(); a.add_(1); a.sum().backward()",
    "a leaf": "leaf.add_(1)",
    "a view of a leaf": "leaf[0].zero_()",
    "whole numbers": "torch.tensor([1, 2], requires_grad=True)",
    "whole numbers of a size": "torch.ones(2, dtype=torch.int64, requires_grad=True)",
    "whole numbers asked": "torch.arange(2).requires_grad_()",
    "whole numbers set": "torch.arange(2).requires_grad = True",
    "numbers for a gradient": "(leaf * 2).backward([1, 1, 1])",
    "a number for a gradient": "(leaf * 2).sum().backward(1.0)",
    "no brackets": "with torch.no_grad:\n    pass",
    "fewer functions than segments": "checkpoint_sequential([torch.nn.Identity()], 2, leaf, use_reentrant=False)",
    "fewer elements than ones": "torch.zeros(3).masked_scatter(torch.ones(3, dtype=torch.bool), torch.ones(2))",
    "a complex gradient of a real input": """
        class Turned(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1j
            @staticmethod
            def backward(ctx, g):
                return g * 1j
        Turned.apply(leaf).abs().sum().backward()
        """,
    "no classes": "torch.distributions.register_kl(1, 2)",
}


def said(library: Any, program: str) -> tuple[BaseException, str]:
    """The error that a program ends with."""
    sequential = library.utils.checkpoint.checkpoint_sequential
    names = {"torch": library, "leaf": library.ones(3, requires_grad=True), "checkpoint_sequential": sequential}
    try:
        exec(textwrap.dedent(program), names)
    except Exception as error:
        return error, str(error)
    raise AssertionError(f"no error: {program}")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_an_error_with_a_note_says_pytorchs_sentence_to_the_byte(program: str) -> None:
    theirs, sentence = said(torch, program)
    ours, text = said(rushlight, program)
    assert (type(ours), text) == (type(theirs), sentence)
    assert ours.__notes__
