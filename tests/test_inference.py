"""Tensors made in inference mode: what they are, what may be done with them outside of it."""

from __future__ import annotations

import pytest

import rushlight as torch


def made(**options):
    with torch.inference_mode():
        return torch.ones(2, 3, **options)


def test_views_of_inference_tensors_are_inference_tensors_and_no_views():
    x = made(requires_grad=True)
    for view in (x.view(-1), x.t(), x[0], x.detach()):
        assert view.is_inference() and not view._is_view() and not view.requires_grad
    assert x.view(-1).data_ptr() == x.data_ptr()
    with torch.inference_mode():
        x.view(-1).add_(1)
    assert x.tolist() == [[2.0] * 3] * 2


def test_views_of_ordinary_tensors_stay_views_in_inference_mode():
    x = torch.ones(2, 3, requires_grad=True).clone()
    with torch.inference_mode():
        view = x.view(-1)
    assert view._is_view() and view.requires_grad and not view.is_inference() and view.is_leaf
    with pytest.raises(RuntimeError, match="A view was created in inference mode and is being modified inplace"):
        view.add_(1)


def test_nothing_counts_writes_so_writes_outside_are_refused():
    x = made()
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = x._version
    y = torch.ones(2, 3)
    for write in (
        lambda: x.add_(1),
        lambda: x.zero_(),
        lambda: torch.mul(y, y, out=x),
        lambda: x.resize_(3),
        lambda: x.set_(y),
        lambda: x.unsqueeze_(0),
    ):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
            write()
    assert x.clone().add_(1)._version == 1


def test_ops_on_inference_tensors_alone_are_not_recorded():
    x = made(requires_grad=True)
    assert not (x * x).requires_grad and not x.sum().requires_grad and not torch.cat([x, x]).requires_grad
    assert (x * 2).requires_grad  # a number counts as an ordinary tensor
    y = torch.ones(2, 3, requires_grad=True)
    (x + y).sum().backward()
    assert x.grad.tolist() == y.grad.tolist() == [[1.0] * 3] * 2
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * y
