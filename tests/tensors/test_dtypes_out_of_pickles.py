"""What comes out of a pickle is computed with by the same kernels as what was made here: they know NumPy's dtypes by identity."""

import copy
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, Dataset

KINDS = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.bool, torch.complex64]
ARRAY = pickle.loads(pickle.dumps(np.ones((3, 4), np.float32)))
WAYS = {
    "from_numpy": torch.from_numpy,
    "tensor": torch.tensor,
    "as_tensor": torch.as_tensor,
    "asarray": torch.asarray,
    "Tensor": torch.Tensor,
    "from_dlpack": torch.from_dlpack,
    "sum": lambda array: torch.ones(3, 4) + torch.from_numpy(array),
    "twice": lambda array: torch.from_numpy(array) * 2,
    "copied": lambda array: copy.deepcopy(torch.from_numpy(array)),
}


def test_numpy_makes_another_object():
    assert ARRAY.dtype is not np.dtype(np.float32)


@pytest.mark.parametrize("way", WAYS)
def test_arrays(way):
    assert WAYS[way](ARRAY)._array.dtype is np.dtype(np.float32)


def test_memory_is_still_shared():
    array = pickle.loads(pickle.dumps(np.zeros(2)))
    torch.from_numpy(array)[0] = 5
    assert array[0] == 5


@pytest.mark.parametrize("kind", KINDS)
def test_tensors(kind):
    for tensor in (
        torch.ones(3, dtype=kind),
        torch.ones(2, 3, dtype=kind).t(),
        torch.nn.Parameter(torch.ones(2, dtype=kind), False),
    ):
        again = pickle.loads(pickle.dumps(tensor))
        assert again._array.dtype is kind.numpy
        assert torch.equal(again, tensor)


def test_modules_give_the_same_to_the_last_bit():
    module = torch.nn.Conv1d(1, 1, 3, padding=1)
    x = torch.linspace(-1, 2, 40).reshape(10, 1, 4)
    assert torch.equal(pickle.loads(pickle.dumps(module))(x), module(x))


class Numbers(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, place):
        return torch.arange(8.0).reshape(2, 4)[:, place], np.ones(3, np.float32)


def test_batches_of_workers():
    for batch in DataLoader(Numbers(), batch_size=2, num_workers=1):
        assert all(part._array.dtype is np.dtype(np.float32) for part in batch)
    for one in DataLoader(Numbers(), batch_size=None, num_workers=1):
        assert one[0]._array.dtype is np.dtype(np.float32)
