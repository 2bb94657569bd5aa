"""Tensors on the meta device: what holds whatever PyTorch's shapes are."""

import gc
import time

import pytest

import rushlight as torch
from rushlight.autograd.modes import special


def test_no_memory_is_taken():
    huge = torch.empty(10**6, 10**6, device="meta")
    assert huge.nbytes == 4 * 10**12
    assert huge.t().stride() == (1, 10**6)


def test_pointwise_ops_on_large_tensors_take_no_time():
    x = torch.empty(30_000, 30_000, device="meta", requires_grad=True)
    start = time.process_time()  # others may want the processor too
    y = (x * 2).exp() + x.t()
    assert time.process_time() - start < 1
    assert y.shape == x.shape
    assert y.requires_grad


@pytest.mark.parametrize(
    "read", [lambda m: m._array.sum(), lambda m: m._array + 1, lambda m: m._array[0], lambda m: bool(m._array)]
)
def test_whoever_asks_for_numbers_is_refused(read):
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        read(torch.empty(3, device="meta"))


@pytest.mark.usefixtures("nothing_else_special")
def test_ops_go_their_short_way_again_when_no_meta_tensor_is_left():
    gc.collect()
    before = len(special.active)
    m = torch.empty(3, device="meta")
    view = m[1:]
    del m
    assert len(special.active) > before
    del view
    gc.collect()
    assert len(special.active) == before


def test_a_tensor_on_the_cpu_is_not_written_to():
    x = torch.ones(3)
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        x.copy_(torch.empty(3, device="meta"))
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "rand_like", "empty_like"])
def test_what_is_made_like_a_meta_tensor_is_one(name):
    m = torch.empty(2, 3, device="meta")
    assert getattr(torch, name)(m).is_meta
    assert getattr(torch, name)(m, device="cpu").is_cpu


def test_after_a_meta_tensor_a_list_that_holds_itself_is_refused_by_its_reader():
    assert torch.empty(2, device="meta").is_meta
    alive = torch.empty(2, device="meta")
    held = [torch.ones(2)]
    held.append(held)
    with pytest.raises(TypeError, match="expected Tensor as element 1"):
        torch.stack(held)
    assert alive.is_meta


@pytest.mark.usefixtures("nothing_else_special")
def test_what_numpy_is_refused_it_does_not_keep() -> None:
    """While a meta tensor is alive, nothing is compiled."""
    gc.collect()
    before = len(special.hidden)
    torch.histc(torch.empty(2, 3, device="meta"))
    gc.collect()
    assert len(special.hidden) == before
