"""Memory seen in other ways: as another dtype, by strides, in channels last, at another size."""

from __future__ import annotations

import copy
import itertools
import warnings

import numpy as np
import pytest

import rushlight as torch

DTYPES = ("uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize(("have", "wanted"), [*itertools.product(DTYPES, DTYPES)])
def test_bytes_as_another_dtype(have: str, wanted: str) -> None:
    array = np.frombuffer(np.random.default_rng(0).bytes(3 * 4 * 32), have).reshape(3, 4, -1).copy()
    x = torch.tensor(array).transpose(0, 1)
    seen = x.view(getattr(torch, wanted))
    expected = np.ascontiguousarray(array.transpose(1, 0, 2)).view(wanted)
    assert seen.data_ptr() == x.data_ptr()
    assert seen.contiguous().numpy().tobytes() == expected.tobytes() and seen.shape == expected.shape
    assert seen.view(getattr(torch, have)).stride() == x.stride()


def test_bytes_of_nothing_keep_their_strides() -> None:
    assert torch.zeros(0, 5, 64).view(torch.int64).stride() == (160, 32, 1)
    assert torch.zeros(0, 5, 64).view(torch.uint8).shape == (0, 5, 256)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (torch.tensor(1.0), r"self.dim\(\) cannot be 0 to view Float as Long \(different element sizes\)"),
        (torch.zeros(4, 4).t(), r"self.stride\(-1\) must be 1 to view .*, but got 4"),
        (torch.zeros(4, 3), r"self.size\(-1\) must be divisible by 2 .*, but got 3"),
        (torch.zeros(4, 4)[:, 1:3], r"self.storage_offset\(\) must be divisible by 2 .*, but got 1"),
        (torch.zeros(5).as_strided((4, 2), (1, 1)), r"self.stride\(0\) must be divisible by 2 .*, but got 1"),
    ],
)
def test_where_elements_do_not_fit_together(x: torch.Tensor, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        x.view(torch.int64)
    if x.ndim:  # smaller elements only need neighbours that are neighbours
        assert x.stride(-1) != 1 or x.view(torch.int16).shape[-1] == 2 * x.shape[-1]


def test_another_dtype_ends_the_graph_but_shares_the_version() -> None:
    x = torch.ones(2, requires_grad=True)
    seen = (x * 2).view(torch.int32)
    assert not seen.requires_grad and seen.grad_fn is None
    y = torch.zeros(2)
    y.view(torch.int32).fill_(1065353216)
    assert y.tolist() == [1.0, 1.0] and y._version == 1


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (lambda x: x.expand(3, 4), ((3, 4), (0, 1), 0)),
        (lambda x: x.expand(3, 4), ((2, 2), (1, 1), 0)),
        (lambda x: x.as_strided((3, 2), (1, 1)), ((4,), (1,), 0)),
        (lambda x: x, ((2, 3), (0, 1), 1)),
    ],
)
def test_gradients_of_strides_over_shared_elements(make: object, arguments: tuple[object, ...]) -> None:
    x = torch.randn(4, dtype=torch.float64, requires_grad=True)
    out = lambda x: make(x).as_strided(*arguments)  # noqa: E731
    assert torch.autograd.gradcheck(out, x) and torch.autograd.gradgradcheck(out, x)


def test_strides_of_expanded_tensors() -> None:
    x = torch.ones(5)
    assert x.expand(1, 1, 5).stride() == x[None, None].stride() == (5, 5, 1)
    assert x.expand(1, 3, 5).stride() == (0, 0, 1)
    assert x.expand(3, 1, 5).stride() == (0, 5, 1)


def test_channels_last() -> None:
    x = torch.randn(2, 3, 4, 5, requires_grad=True)
    y = x.contiguous(memory_format=torch.channels_last)
    assert y.stride() == (60, 1, 15, 3) and y.contiguous(memory_format=torch.channels_last) is y
    assert torch.equal(x, y) and type(y.grad_fn).__name__ == "CloneBackward0"
    y.sum().backward()
    assert x.grad.stride() == (60, 20, 5, 1)
    assert x.clone(memory_format=torch.channels_last).stride() == y.stride()
    assert torch.ones(1).resize_as_(y.detach(), memory_format=torch.preserve_format).stride() == y.stride()
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        torch.ones(2).contiguous(memory_format=torch.channels_last)


def test_resizing_beyond_all_memory() -> None:
    x = torch.empty((), dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"Storage size calculation overflowed with sizes=\[8, 536870912, 536870912\]"):
        x.resize_([8, 2**29, 2**29])
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        x.resize_([64, 2**29, 2**29])
    assert x.shape == ()


def test_numbers_transposed_are_themselves() -> None:
    number, turned = torch.tensor(2.0), torch.tensor(1 + 2j)
    torch.set_warn_always(True)  # else once in a process
    try:
        for name in ("T", "mT", "H", "mH"):
            with pytest.warns(UserWarning, match=f"Tensor.{name} is deprecated on 0-D tensors"):
                assert getattr(number, name).item() == 2.0
        with pytest.warns(UserWarning, match="0-D"):
            assert turned.mH.item() == 1 - 2j
    finally:
        torch.set_warn_always(False)


def test_transposes_of_several_names() -> None:
    x = torch.arange(6).view(1, 2, 3)
    for swapped in (torch.swapaxes(x, axis0=-1, axis1=0), x.swapdims(dim0=0, dim1=2), x.transpose(2, 0)):
        assert swapped.shape == (3, 2, 1) and swapped._base is x._base
    y = torch.zeros(2, 3)
    assert y.swapaxes_(axis0=0, axis1=1) is y and y.shape == (3, 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            torch.zeros(3).T  # noqa: B018
    assert len(caught) <= 1


def test_the_last_size_that_does_not_fit_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"\(1\) must match the existing size \(2\) at non-singleton dimension 2"):
        torch.ones(3, 2).expand(4, 1, 1)


def test_parts_by_tensors() -> None:
    x = torch.arange(6).view(3, 2)
    assert x.narrow(0, torch.tensor(1), 2).tolist() == [[2, 3], [4, 5]]
    assert [part.tolist() for part in x.tensor_split(torch.tensor([1]))] == [[[0, 1]], [[2, 3], [4, 5]]]
    for start in (torch.tensor(1.0), torch.tensor([1]), torch.tensor(True)):
        with pytest.raises(RuntimeError, match="start must be an 0-dim integral Tensor"):
            x.narrow(0, start, 1)
    with pytest.raises(RuntimeError, match="to have dtype of long, but got Float"):
        x.tensor_split(torch.tensor(1.5))


def test_broadcasting_shapes() -> None:
    assert torch.broadcast_shapes(3, (2, 1), (1, 1, 1)) == (1, 2, 3)
    with pytest.raises(RuntimeError, match=r"length 2 at -1! Mismatching argument at index 1 had \(2,\)"):
        torch.broadcast_shapes((1, 3), (2,))
    with pytest.raises(ValueError, match="negative length"):
        torch.broadcast_shapes((1, -3))
    with pytest.raises(RuntimeError, match="should be of type ints"):
        torch.broadcast_shapes(1.5)


def test_storages_hold_numbers_of_one_dtype() -> None:
    storage = torch.ShortStorage.from_buffer(bytearray([1, 2, 3, 4]), "big")
    assert storage.tolist() == [258, 772] and torch.tensor(storage, dtype=torch.int16).tolist() == [258, 772]
    with pytest.raises(RuntimeError, match="Expected a Storage of type Float or an UntypedStorage, but got type Short"):
        torch.tensor(storage, dtype=torch.float32)
    with pytest.raises(RuntimeError, match="Expected a Storage of type float or"):
        torch.empty(0).set_(storage)
    with pytest.raises(RuntimeError, match="'byte_order'"):
        torch.ShortStorage.from_buffer(bytearray(2))
    assert torch.IntStorage([-1, 0, 2]).byte().tolist() == [255, 0, 2]


def test_deep_copies_of_tensors_and_their_storages_share() -> None:
    x = torch.zeros(4)
    twin, storage, view = copy.deepcopy([x, x.untyped_storage(), x[2:]])
    twin.add_(1)
    assert view.tolist() == [1.0, 1.0] and storage.data_ptr() == twin.untyped_storage().data_ptr()
    assert x.tolist() == [0.0] * 4


def test_sizes_of_the_wrong_type() -> None:
    x = torch.zeros(2, 3)
    for call, text in (
        (lambda: x.reshape(2.0, 3), r"reshape\(\) takes 1 positional argument but 2 were given"),
        (lambda: x.expand((2, 3.0)), "argument 'size' failed to unpack the object at pos 2 with error .*but got float"),
        (lambda: x.permute(), 'permute\\(\\) missing 1 required positional arguments: "dims"'),
        (lambda: x.view("a"), r"view\(\) received an invalid combination of arguments - got \(str\)"),
        (lambda: x.transpose(0), 'missing 1 required positional arguments: "dim1"'),
        (lambda: x.select(0, 1.5), "argument 'index' \\(position 2\\) must be int, not float"),
        (
            lambda: torch.ones((2.0, 3)),
            "argument 'size' \\(position 1\\) must be tuple of ints, but found element of type float",
        ),
        (lambda: torch.ones(True), "argument 'size' \\(position 1\\) must be tuple of ints, not bool"),
    ):
        with pytest.raises(TypeError, match=text):
            call()


def test_repeated_elements() -> None:
    assert torch.repeat_interleave(torch.tensor([0, 1, 2], dtype=torch.int32)).dtype == torch.int32
    with pytest.raises(RuntimeError, match="repeats can not be negative"):
        torch.repeat_interleave(torch.tensor([1, -1]))
    with pytest.raises(RuntimeError, match="repeat_interleave: Invalid output_size, expected 4 but got 5"):
        torch.ones(2).repeat_interleave(2, output_size=5)
    assert [row.tolist() for row in reversed(torch.tensor([[1, 2], [3, 4]]))] == [[3, 4], [1, 2]]
    assert torch.arange(6).view(2, 3).rot90().stride() == (1, 3)


def test_tensors_to_test_with() -> None:
    make = torch.testing.make_tensor
    x = make((4, 3), dtype=torch.complex64, device="cpu", noncontiguous=True)
    assert x.stride() == (6, 2) and x.storage_offset() == 1
    torch.manual_seed(0)
    whole = make(8, dtype=torch.int64, device="cpu")
    torch.manual_seed(0)  # the gaps hold numbers of the same stream
    assert torch.equal(make(4, dtype=torch.int64, device="cpu", noncontiguous=True), whole[1::2])
    assert make((3, 0), dtype=torch.complex64, device="cpu")._base is None
    bounded = make(500, dtype=torch.uint8, device="cpu", low=-5, high=5)
    assert set(bounded.tolist()) == set(range(5))
    assert not (make(500, dtype=torch.int8, device="cpu", low=-1, high=2, exclude_zero=True) == 0).any()
    with pytest.raises(ValueError, match="`low` must be less than `high`, but got 5 >= 5"):
        make(1, dtype=torch.int32, device="cpu", low=5, high=5)
    with pytest.raises(ValueError, match=r"only supports \[0, 256\)"):
        make(1, dtype=torch.uint8, device="cpu", low=1000, high=1001)
    with pytest.raises(ValueError, match="mutually exclusive"):
        make((1, 2, 3, 4), dtype=torch.float32, device="cpu", noncontiguous=True, memory_format=torch.channels_last)


def test_places_lie_one_after_the_other() -> None:
    rows, columns = torch.eye(3).nonzero(as_tuple=True)
    assert rows.stride() == columns.stride() == (1,) and torch.eye(3).nonzero().stride() == (1, 3)
    with pytest.raises(RuntimeError, match="does not support the out kwarg when as_tuple is True"):
        torch.nonzero(torch.eye(3), as_tuple=True, out=torch.empty(0, dtype=torch.long))
    with pytest.raises(IndexError, match="but got 2"):
        torch.eye(3)[:2].rot90(1, [0, 2])
    with pytest.raises(RuntimeError, match="rotation dims to be different, but got dim0 = 0 and dim1 = -2"):
        torch.eye(3).rot90(1, [0, -2])
