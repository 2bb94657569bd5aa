"""What random programs of the vocabulary `seldom` have found: lists of tensors, distributions, places that `out=` is written to."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_what_no_gradient_arrives_at_opens_what_it_kept() -> None:
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    squared = y * y
    squared.mul_(squared)
    first, _ = torch._foreach_neg([x, squared])
    with pytest.raises(RuntimeError, match="output 0 of Mul, is at version 1; expected version 0"):
        first.backward()


def test_what_no_gradient_arrives_at_may_have_been_freed() -> None:
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    raised = y.exp()
    raised.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch._foreach_neg([x, raised])[0].backward()
    whole = torch._foreach_exp([y, x])
    whole[0].backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch._foreach_neg([x, whole[1]])[0].backward()


def test_what_no_gradient_arrives_at_may_have_no_derivative() -> None:
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    first, _ = torch._foreach_neg([x, torch.special.gammainc(y, y)])
    with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
        first.backward()


def test_transforms_of_reals_keep_them() -> None:
    x = torch.ones(3, requires_grad=True)
    spectrum = torch.fft.rfft(x)
    x.detach().add_(1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        spectrum.abs().sum().backward()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_zero_to_complex_powers_of_negative_real_part_is_infinite(dtype: torch.dtype) -> None:
    zero = torch.zeros(1, dtype=dtype)
    for exponent in (torch.tensor(-1 + 1j), -1 + 1j, torch.tensor(-1.5 + 0j)):
        assert torch.view_as_real(zero**exponent)[0, 0].item() == torch.inf


@pytest.mark.parametrize("label", [4, -1])
def test_labels_of_no_class_are_refused_where_they_count(label: int) -> None:
    log_probs, targets = torch.zeros(3, 1, 4).log_softmax(-1), torch.tensor([[1, label]])
    lengths = torch.tensor([3])
    assert torch.nn.functional.ctc_loss(log_probs, targets, lengths, torch.tensor([1])).isfinite()
    with pytest.raises(IndexError, match=f"Target {label} is out of bounds"):
        torch.nn.functional.ctc_loss(log_probs, targets, lengths, torch.tensor([2]))


def test_the_gradient_of_a_leaf_of_another_shape_by_now_is_what_it_is() -> None:
    for size, shape in (([], [1, 1]), ([2, 3], [1, 3]), ([1], [1, 3])):
        x = torch.ones(shape, requires_grad=True)
        y = x * 2
        with torch.no_grad():
            torch.ones(size, out=x)
        y.sum().backward()
        assert x.grad.shape == tuple(shape)
