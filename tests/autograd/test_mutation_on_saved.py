"""allow_mutation_on_saved_tensors: copies are made when a saved tensor is written to, once, and go with their graph."""

from __future__ import annotations

import pytest

import rushlight as torch

allow = torch.autograd.graph.allow_mutation_on_saved_tensors


def test_a_tensor_saved_twice_is_copied_once_and_only_when_written():
    with allow() as block:
        a = torch.ones(3, requires_grad=True).clone()
        b, c = a**2, a**2
        assert len(block.tid_to_weakhandle) == 1 and len(block.cloned) == 0
        a.sin_()
        assert len(block.cloned) == 1
        d = a**2
        a.sin_()
        assert len(block.cloned) == 2
        del b
        assert len(block.cloned) == 2
        del c
        assert len(block.cloned) == 1
        del d
        assert len(block.cloned) == 0


def test_writes_through_views_and_bases():
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    with allow() as block:
        base = leaf.clone()
        out = (base**2).sum()
        base[:1].mul_(10)
        out.backward()
        assert leaf.grad.tolist() == [2.0, 4.0] and len(block.cloned) == 0
        leaf.grad = None
        base = leaf.clone()
        out = (base[:] ** 2).sum()
        base *= 2
        out.backward()
    assert leaf.grad.tolist() == [2.0, 4.0]


def test_out_arguments_write_too():
    a, b = torch.tensor([1.0], requires_grad=True), torch.tensor([5.0])
    with allow() as block:
        product = a * b
        torch.neg(torch.ones(1), out=b)
        assert len(block.cloned) == 1
        product.backward()
    assert a.grad.item() == 5.0 and b.item() == -1.0


def test_backward_belongs_into_the_block():
    with allow():
        out = (torch.ones(2, requires_grad=True) ** 2).sum()
        with pytest.raises(RuntimeError, match="contexts cannot be nested"), allow():
            pass
    with pytest.raises(AssertionError, match="Trying to backward outside of the"):
        out.backward()
