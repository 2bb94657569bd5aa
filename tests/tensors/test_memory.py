"""Memory: which tensors share it, storages, NumPy and DLPack both ways, copies and pickles. Without PyTorch."""

from __future__ import annotations

import array
import contextlib
import copy
import gc
import pickle
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch


def test_numpy_shares_memory_both_ways():
    data = np.arange(6.0).reshape(2, 3)
    for x in (torch.from_numpy(data), torch.as_tensor(data), torch.asarray(data), torch.from_dlpack(data)):
        data[0, 0] += 1
        assert x[0, 0] == data[0, 0] and x.data_ptr() == data.__array_interface__["data"][0]
    x = torch.zeros(3)
    x.numpy()[1] = 5
    np.asarray(x)[2] = 6
    assert x.tolist() == [0, 5, 6] and np.shares_memory(np.from_dlpack(x), x.numpy())
    assert torch.tensor(data).data_ptr() != data.__array_interface__["data"][0]


def test_a_tensor_over_part_of_an_array_ends_there():
    data = np.arange(10)
    x = torch.from_numpy(data[2:8:2])
    assert x.storage_offset() == 0 and x.stride() == (2,) and x.untyped_storage().nbytes() == 5 * 8
    x[0] = 50
    assert data[2] == 50
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        x.as_strided((6,), (1,))


def test_numpy_refuses():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        x.numpy()
    assert x.numpy(force=True).tolist() == [1, 1] and x.detach().numpy().tolist() == [1, 1]
    with torch.no_grad():
        assert x.numpy().tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="requires grad"):
        np.asarray(x)
    with pytest.raises(BufferError, match="require gradient"):
        np.from_dlpack(x)


def test_read_only_memory_is_not_written_through():
    octets = b"\x01\x02\x03"
    with pytest.warns(UserWarning, match="not writable"):
        x = torch.frombuffer(octets, dtype=torch.uint8)
    x[0] = 9
    assert octets == b"\x01\x02\x03" and x.tolist() == [9, 2, 3]


def test_a_copy_of_read_only_memory_warns_of_nothing():
    fixed = np.arange(3.0)
    fixed.flags.writeable = False  # as what pandas gives
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.tensor(fixed)
        torch.tensor([fixed, fixed])
    x[0] = 9
    assert fixed.tolist() == [0, 1, 2]


def test_numpy_functions_on_tensors():
    x = torch.tensor([0.0, 1.0])
    assert isinstance(np.exp(x), torch.Tensor) and isinstance(np.add(np.ones(2), x), torch.Tensor)
    assert np.array(x, dtype=np.int32).tolist() == [0, 1] and np.stack([x, x]).shape == (2, 2)
    assert (np.float64(2) * x).tolist() == [0, 2] and (x * np.ones(2)).dtype is torch.float64
    assert np.arange(5)[torch.tensor([1, 3])].tolist() == [1, 3]


def test_buffers():
    source = array.array("f", [1, 2, 3])
    x = torch.frombuffer(source, dtype=torch.float32, count=2, offset=4)
    x[0] = 7
    assert source[1] == 7 and x.tolist() == [7, 3]
    for options in ({"offset": 3}, {"count": 4}, {"count": 0}, {"offset": 12}):
        with pytest.raises(ValueError):
            torch.frombuffer(source, dtype=torch.float32, **options)


def test_views_share_a_storage():
    x = torch.arange(12.0).reshape(3, 4)
    for view in (x[1], x.t(), x[:, ::2], x.view(-1), x.detach(), x.data, x.unfold(1, 2, 1), x.diagonal()):
        assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    assert x.clone().untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
    assert x[1, 1:].storage_offset() == 5 and x[1, 1:].untyped_storage().nbytes() == 48
    assert torch.zeros(0).data_ptr() == 0


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages_read_and_write():
    x = torch.tensor([1.0, 2.0])
    octets, numbers = x.untyped_storage(), x.storage()
    assert octets.tolist() == list(np.array([1, 2], "f").tobytes()) and numbers.tolist() == [1, 2]
    numbers[1] = 5.0
    octets[3] = 0
    assert x[1] == 5 and x[0] != 1 and len(octets) == 8 and numbers.dtype is torch.float32
    assert torch.Tensor(numbers).data_ptr() == x.data_ptr()
    assert torch.is_storage(octets) and isinstance(numbers, torch.FloatStorage) and not torch.is_storage(x)
    assert str(torch.LongStorage([3])).endswith("[torch.storage.TypedStorage(dtype=torch.int64, device=cpu) of size 1]")
    with pytest.raises(IndexError):
        octets[8]


def test_set_and_resize():
    x = torch.arange(6.0)
    y = torch.zeros(1).set_(x.untyped_storage(), 1, (2, 2), (2, 1))
    assert y.tolist() == [[1, 2], [3, 4]]
    y[0, 0] = 9
    assert x[1] == 9
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        torch.zeros(1).set_(x.untyped_storage(), 4, (3,))
    with pytest.raises(RuntimeError, match="Could not set tensor of type long int to a tensor of type float"):
        x.set_(torch.tensor([1]))
    z = torch.arange(4.0)
    assert z.resize_(2).tolist() == [0, 1] and z.resize_(2, 2).tolist() == [[0, 1], [2, 3]]
    assert z.resize_(3, 2)[:2].tolist() == [[0, 1], [2, 3]] and z.resize_as_(x).shape == (6,)
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(1)


def test_deepcopy_keeps_views_together_and_pickle_does_not():
    x = torch.arange(6.0).reshape(2, 3)
    x.note = "kept"
    pickled = pickle.loads(pickle.dumps((x, x[1], x.t())))
    for (a, b, c), seen in ((copy.deepcopy((x, x[1], x.t())), 50), (pickled, 3)):
        a[1, 0] = 50
        assert b[0] == seen and c[0, 1] == seen and c.stride() == (1, 3) and b.storage_offset() == 3
        assert x[1, 0] == 3 and a.note == "kept"
    a, b = pickle.loads(pickle.dumps((x, x)))
    assert a is b
    turned = torch.arange(12.0).reshape(2, 3, 2).transpose(0, 1).clone()  # memory that lies in an order of its own
    for view in (turned, turned[1:], turned[..., 0], turned.permute(2, 0, 1)):
        same = pickle.loads(pickle.dumps(view))
        assert same.tolist() == view.tolist() and same.stride() == view.stride()
    assert copy.copy(x).data_ptr() == x.data_ptr()


def test_copies_of_leaves_and_results():
    x = torch.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    twin = copy.deepcopy(x)
    assert twin.grad.tolist() == [3, 3] and twin.grad is not x.grad and twin.requires_grad
    assert pickle.loads(pickle.dumps(x)).grad is None and pickle.loads(pickle.dumps(x * 2)).requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)
    for value in (
        torch.tensor(3),
        torch.zeros(0, 2),
        torch.tensor([1j]),
        torch.ones(2).bool(),
        torch.zeros(1).expand(3),
    ):
        assert torch.equal(pickle.loads(pickle.dumps(value)), value) and torch.equal(copy.deepcopy(value), value)


def test_dlpack_capsules():
    x = torch.arange(3.0)
    y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    y[0] = 7
    assert x[0] == 7
    with pytest.raises(RuntimeError, match="invalid capsule"):
        torch.from_dlpack(3)


def test_fills():
    x = torch.ones(3, 3, requires_grad=True)
    y = (x * 2).fill_diagonal_(5)
    y.sum().backward()
    assert y.diagonal().tolist() == [5, 5, 5] and x.grad.tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    assert torch.zeros(7, 2).fill_diagonal_(1, wrap=True).sum(1).tolist() == [1, 1, 0, 1, 1, 0, 1]
    assert torch.arange(3.0).apply_(lambda value: value * 10).tolist() == [0, 10, 20]
    assert torch.arange(3.0).map_(torch.ones(1), lambda a, b: a + b).tolist() == [1, 2, 3]


def test_queries():
    assert torch.typename(torch.ones(1)) == "torch.FloatTensor" and torch.typename("a") == "str"
    assert torch.is_tensor(torch.ones(1)) and not torch.is_tensor(1) and torch.numel(torch.ones(2, 3)) == 6
    assert torch.result_type(torch.tensor([1]), 2.5) is torch.float32
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        torch.is_nonzero(torch.ones(2))
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        torch.is_floating_point(3)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    assert torch.get_num_threads() == 1
    torch.set_num_threads(before)
    with pytest.raises(RuntimeError, match="positive integer"):
        torch.set_num_threads(0)
    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.cuda.current_device()


HALF = torch.ones(2, dtype=torch.float16)


@pytest.mark.parametrize(
    "call",
    [
        torch.linalg.cholesky,
        lambda x: x[torch.tensor([7])],
        lambda x: torch.maximum(x.to(torch.complex32), HALF),  # while one of complex32 is alive ops take their general path
        lambda x: torch.add(x, "a"),
        lambda x: torch.sum(x, foo=1),
    ],
)
def test_what_an_error_held_is_freed_without_the_collector(call: Callable[[Any], Any]) -> None:
    x = torch.ones(2, 2)
    seen = weakref.ref(x)
    gc.collect()
    gc.disable()
    try:
        with contextlib.suppress(RuntimeError, IndexError, TypeError):
            call(x)
            pytest.fail("no error")
        del x
        assert seen() is None
    finally:
        gc.enable()
