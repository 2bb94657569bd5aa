"""torch.lobpcg: a few eigenpairs, and their derivatives."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("largest", [True, False])
def test_pairs_solve_the_equation_of_both_kinds(largest: bool, dtype: torch.dtype) -> None:
    a, b = (torch.randn(2, 9, 9, dtype=dtype) for _ in range(2))
    a, b = a + a.mH, b @ b.mH + torch.eye(9)
    for other in (None, b):
        values, vectors = torch.lobpcg(a, 3, B=other, largest=largest)
        right = vectors if other is None else other @ vectors
        assert torch.allclose(a @ vectors, right * values[..., None, :], atol=1e-8)
        assert torch.allclose(vectors.mH @ right, torch.eye(3, dtype=dtype), atol=1e-8)
        assert bool(((values.diff() < 0) if largest else (values.diff() > 0)).all())


def test_gradients_of_values_and_vectors() -> None:
    a = torch.randn(6, 6, dtype=torch.float64)
    a = (a @ a.mT / 10).requires_grad_()

    def pairs(a):
        values, vectors = torch.lobpcg(a, 2)
        signs = vectors.gather(-2, vectors.abs().max(-2, keepdim=True)[1]).sign()
        return values, vectors * signs

    assert gradcheck(pairs, a) and gradgradcheck(pairs, a, atol=1e-4)
    values, vectors = pairs(a)
    (values.sum() + vectors.sum()).backward()
    assert torch.allclose(a.grad, a.grad.mT)


def test_what_it_does_not_take() -> None:
    with pytest.raises(ValueError, match="number of A rows"):
        torch.lobpcg(torch.eye(5), 2)
    with pytest.raises(AssertionError, match="must be square"):
        torch.lobpcg(torch.ones(6, 5))
