"""x[...], index vectors and masks: NumPy's elements, PyTorch's views, warnings and refusals."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from forking import program_output
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch

SHAPE = (3, 4, 2)


@st.composite
def keys(draw: st.DrawFn) -> tuple[object, ...]:
    """An index of slices, integers, None, at most one ... and lists side by side, which fits SHAPE."""
    count = draw(st.integers(0, 2))
    listed = draw(st.integers(0, len(SHAPE) - count))
    key: list[object] = []
    for axis, size in enumerate(SHAPE):
        if draw(st.booleans()):
            key.append(None)
        if listed <= axis < listed + count:
            key.append(draw(st.lists(st.integers(-size, size - 1), min_size=3, max_size=3)))
        elif count == 0 and draw(st.booleans()):
            key.append(draw(st.integers(-size, size - 1)))
        else:
            ends = st.none() | st.integers(-size - 2, size + 2)
            key.append(slice(draw(ends), draw(ends), draw(st.none() | st.integers(1, 3))))
    if count == 0 and draw(st.booleans()):
        key = [*key[: draw(st.integers(0, len(key)))], ...]
    # A None between lists parts them, and then NumPy and PyTorch alike put them in front.
    return tuple(key)


@given(keys())
def test_elements_are_numpys(key: tuple[object, ...]) -> None:
    array = np.arange(24.0).reshape(SHAPE)
    found, expected = torch.from_numpy(array)[key], array[key]
    assert found.numpy().shape == expected.shape
    assert np.array_equal(found.numpy(), expected)


@given(keys())
def test_writing_is_numpys(key: tuple[object, ...]) -> None:
    array = np.arange(24.0).reshape(SHAPE)
    values = -np.arange(float(array[key].size)).reshape(array[key].shape)
    x = torch.from_numpy(array.copy())
    recorded = torch.from_numpy(array.copy())
    weight = torch.ones((), dtype=torch.float64, requires_grad=True)
    x[key] = torch.from_numpy(values)
    recorded[key] = torch.from_numpy(values) * weight
    array[key] = values
    assert np.array_equal(x.numpy(), array)
    assert np.array_equal(recorded.detach().numpy(), array)


def test_basic_indexing_shares_memory_and_lists_copy() -> None:
    x = torch.zeros(3, 4)
    for view in (x[0], x[1:], x[..., 0], x[None], x[()], x[...], x[torch.tensor(1)]):
        assert view._is_view() and view._base is x
    for copy in (x[[0]], x[x == 0], x[torch.tensor([0])], x[True], x[torch.tensor(True)]):
        assert not copy._is_view()


def test_masks() -> None:
    x = torch.arange(6).view(2, 3)
    assert x[x > 3].tolist() == [4, 5]
    assert x[torch.tensor([True, False]), :, None].shape == (1, 3, 1)
    assert x[:, torch.tensor([True, False, True])].tolist() == [[0, 2], [3, 5]]
    x[x > 3] = torch.tensor([-4, -5])
    x[x == 0] = 9
    assert x.tolist() == [[9, 1, 2], [3, -4, -5]]
    with pytest.raises(IndexError, match=r"The shape of the mask \[3\] at index 0 does not match"):
        x[torch.tensor([True] * 3)]


def test_byte_masks_warn_once_each() -> None:
    byte = torch.tensor([1, 0], dtype=torch.uint8)
    x = torch.arange(4).view(2, 2)
    with pytest.warns(UserWarning, match="indexing with dtype torch.uint8 is now deprecated") as caught:
        assert x[byte, byte].tolist() == [0]
    assert len(caught) == 2
    assert caught[0].filename == __file__
    with pytest.raises(RuntimeError, match="only supports boolean masks"):
        x[byte] = 1


@pytest.mark.parametrize(
    ("key", "error", "text"),
    [
        (slice(0.0, 2), TypeError, "slice indices must be integers or None or have an __index__ method"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (2, IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
        ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
        ([0, 7], IndexError, "index 7 is out of bounds for dimension 0 with size 2"),
        (0.5, IndexError, "only integers, slices"),
        (np.array([0.5]), IndexError, "tensors used as indices must be long, int, byte or bool"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (1 << 64, ValueError, "Overflow when unpacking long long"),
        (([0, 1], [0, 1, 2]), IndexError, r"could not be broadcast together with shapes \[2\], \[3\]"),
    ],
)
def test_wrong_subscripts(key: object, error: type[Exception], text: str) -> None:
    x = torch.zeros(2, 3)
    with pytest.raises(error, match=text):
        x[key]
    with pytest.raises(error, match=text):
        x[key] = 1.0
    assert not x.any()


def test_a_short_list_of_sequences_is_a_tuple_and_a_long_one_an_index() -> None:
    x = torch.arange(4).view(2, 2)
    with pytest.warns(UserWarning, match="non-tuple sequence for multidimensional indexing"):
        assert x[[[0, 1], [1, 0]]].tolist() == [1, 2]
    assert x[[[0]] * 32].shape == (32, 1, 2)


def test_numbers_that_do_not_fit_are_refused() -> None:
    x = torch.zeros(2, dtype=torch.uint8)
    for key in (0, [0], x == 0):
        with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
            x[key] = 300
    x[0] = -1
    assert x.tolist() == [255, 0]
    half = torch.zeros(1, dtype=torch.float16)
    half[0] = 1e10
    assert half.item() == float("inf")
    assert half.fill_(1e10).item() == float("inf")  # one element, which a double comes to
    with pytest.raises(RuntimeError, match="c10::Half without overflow"):
        torch.zeros(2, dtype=torch.float16).fill_(1e10)


def test_values_meet_at_repeated_indices() -> None:
    indices = (torch.tensor([0, 2, 0]),)
    x = torch.zeros(3, requires_grad=True)
    values = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    out = x.index_put(indices, values, accumulate=True)
    assert out.tolist() == [5.0, 0.0, 2.0]
    out.backward(torch.tensor([1.0, 10.0, 100.0]))
    assert x.grad.tolist() == [1.0, 10.0, 100.0] and values.grad.tolist() == [1.0, 100.0, 1.0]


def test_a_failed_write_leaves_no_trace() -> None:
    x = torch.zeros(3)
    with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[2\]"):
        x[[0, 1, 2]] = torch.ones(2)
    with pytest.raises(RuntimeError, match="got Float for the destination and Long for the source"):
        x[[0, 1, 2]] = torch.ones(3, dtype=torch.int64)
    assert x.tolist() == [0.0] * 3 and x._version == 0


def test_a_view_of_plain_numbers_is_written_as_they_are() -> None:
    whole = torch.zeros(2, 3)
    row = whole[0]
    row.fill_(1)
    row.add_(torch.ones(1, 3)[0], alpha=2)
    whole[1] = row
    assert whole.tolist() == [[3.0] * 3] * 2 and whole._version == row._version == 3 and row.grad_fn is None
    whole.requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        whole[0].zero_()
    for x in (torch.zeros(2), torch.zeros(2, 2)[0]):
        with pytest.raises(RuntimeError, match=r"^shape mismatch: value tensor of shape \[2\] cannot be broadcast"):
            x[torch.tensor([True, False])] = torch.ones(1, 2)


def test_a_write_counts() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    z = y * y
    with torch.no_grad():
        y[[0]] = 5.0
    assert y._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_index_vectors() -> None:
    x = torch.zeros(3, 2)
    assert x.index_copy(0, torch.tensor([2]), torch.ones(1, 2)).tolist() == [[0, 0], [0, 0], [1, 1]]
    for index in (-1, 3):
        with pytest.raises(IndexError, match=f"index {index} is out of bounds for dimension 0 with size 3"):
            x.index_copy_(0, torch.tensor([index]), torch.ones(1, 2))
        with pytest.raises(RuntimeError, match=f"index {index} is out of bounds"):
            x.index_add_(0, torch.tensor([index]), torch.ones(1, 2))
    assert x.index_fill(0, torch.tensor([-1]), 7)[2].tolist() == [7.0, 7.0]
    with pytest.raises(RuntimeError, match="Converting complex Scalar to non-complex type is not supported"):
        x.index_fill_(0, torch.tensor([0]), 1 + 1j)
    with pytest.raises(IndexError, match="tried to access index 6 on a tensor of 6 elements"):
        x.put_(torch.tensor([6]), torch.ones(1))


@given(st.lists(st.integers(0, 23), min_size=1, max_size=5), st.permutations((4, 3, 2)))
def test_flat_indices_taken_apart(flat: list[int], shape: list[int]) -> None:
    parts = torch.unravel_index(torch.tensor(flat), tuple(shape))
    assert torch.arange(24).view(*shape)[parts].tolist() == flat


def test_index_put_in_place_needs_no_second_tensor() -> None:
    x = torch.zeros(4, dtype=torch.int8)
    indices = (torch.tensor([0, -1, 0], dtype=torch.int32),)
    address = x.data_ptr()
    assert x.index_put_(indices, torch.tensor([1, 2, 3], dtype=torch.int8), accumulate=True) is x
    assert x.tolist() == [4, 0, 0, 2] and x.data_ptr() == address and x._version == 1
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[1, 3\] cannot be broadcast to .* shape \[3\]"):
        x.index_put_(indices, torch.ones(1, 3, dtype=torch.int8))
    y = torch.ones(4, requires_grad=True) * 2
    y.index_put_(indices, torch.tensor(5.0))
    assert type(y.grad_fn).__name__ == "IndexPutBackward0"


def test_writes_at_indices_of_an_expanded_tensor_warn() -> None:
    row = torch.zeros(3)
    program = """
import warnings, rushlight as torch
row = torch.zeros(3)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    row.expand(2, 3)[torch.tensor([0]), torch.tensor([1])] = 5.0
    row.expand(2, 3).masked_fill_(torch.tensor([True, False, False]), 1.0)
    row.expand(2, 3).index_fill_(1, torch.tensor([2]), 2.0)
    row.as_strided((2, 2), (1, 1)).index_put_((torch.tensor([0]),), torch.tensor([1.0, 5.0]))
print(row.tolist(), [str(one.message).split(" on ")[0] for one in seen])
"""
    assert program_output(program).strip() == str([1.0, 5.0, 2.0]) + " " + str(
        [f"Use of {n}_" for n in ("index_put", "masked_fill", "index_fill")]
    )
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        row.expand(2, 3).index_add_(0, torch.tensor([0]), torch.ones(1, 3))


@pytest.mark.filterwarnings("ignore:index_reduce")
def test_reductions_at_indices_keep_the_dtype() -> None:
    where, ones = torch.tensor([0, 0]), torch.ones(2, dtype=torch.uint8)
    start = torch.full((3,), 5, dtype=torch.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that index_reduce is in beta
        means = start.index_reduce(0, where, ones, "mean"), start.scatter_reduce(0, where, ones, "mean")
    for found in means:
        assert found.dtype is torch.uint8 and found.tolist() == [2, 5, 5]
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
        torch.ones(3, dtype=torch.cfloat).scatter_reduce(0, where, torch.ones(2, dtype=torch.cfloat), "amin")
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.ones(3, dtype=torch.bool).index_reduce(0, where, torch.ones(2, dtype=torch.bool), "prod")
    rows = torch.ones(3, 2, dtype=torch.cfloat)
    assert rows.index_reduce(0, where, rows[:2] * 2, "prod")[0].tolist() == [4, 4]
    for reduce, include_self in (("amax", True), ("prod", False)):
        with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
            rows.index_reduce(0, where, rows[:2], reduce, include_self=include_self)


@pytest.mark.parametrize(
    ("key", "text"),
    [(0, "invalid index of a 0-dim"), (1, "out of bounds"), (slice(None), "slice()"), (0.5, "too many"), ((0,), "too many")],
)
def test_numbers_have_no_elements(key: object, text: str) -> None:
    number = torch.tensor(1.0)
    with pytest.raises(IndexError, match=re.escape(text)):
        number[key]  # type: ignore[index]
    with pytest.raises(IndexError, match=re.escape(text)):
        number[key] = 2.0  # type: ignore[index]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_short_numbers_are_rounded_once(dtype: torch.dtype) -> None:
    # Each of these is too little to change 256 by itself.
    little = torch.full((4,), 0.0625 if dtype == torch.float16 else 0.5, dtype=dtype)
    total = 256.25 if dtype == torch.float16 else 258
    start, where = torch.full((1,), 256.0, dtype=dtype), torch.zeros(4, dtype=torch.int64)
    assert start.scatter_add(0, where, little).item() == total
    assert start.scatter_reduce(0, where, little, "sum").item() == total
    assert start.scatter_reduce(0, where, little, "sum").dtype is dtype
    factors = torch.full((4,), 1.0625 if dtype == torch.float16 else 1.125, dtype=dtype)
    exact = torch.tensor(factors[0].item() ** 4 * 256, dtype=dtype).item()
    assert start.scatter_reduce(0, where, factors, "prod").item() == exact
    stepwise = start[0]
    for factor in factors:
        stepwise = stepwise * factor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that index_reduce is in beta
        assert start.index_reduce(0, where, factors, "prod").item() == stepwise.item()


def test_a_number_that_is_filled_by_index_has_no_gradient():
    index = torch.tensor([0])
    for write in (lambda x: x.index_fill(0, index, 3.0), lambda x: x.put(index, torch.tensor([3.0]))):
        x = torch.tensor(2.0, requires_grad=True)
        (write(x) ** 2).backward()
        assert x.grad.item() == 0.0


def test_one_index_vector_anywhere_gives_rows_in_order():
    x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
    index = torch.tensor([[2, -1], [0, 2]])
    for key, numpy_key in (
        ((slice(None), index), (slice(None), index.numpy())),
        ((None, ..., index), (None, ..., index.numpy())),
    ):
        part = x[key]
        assert part.is_contiguous()
        assert np.array_equal(part.detach().numpy(), x.detach().numpy()[numpy_key])
    assert torch.arange(3.0).reshape(3, 1)[None, torch.tensor([1, 0])].stride() == (2, 1, 1)


@pytest.mark.parametrize("rows", [3, 300])
def test_rows_that_are_read_often_sum_their_gradients(rows):
    torch.manual_seed(0)
    x = torch.zeros(7, 4, dtype=torch.float64, requires_grad=True)
    index = torch.randint(-7, 7, (rows,))
    g = torch.randn(rows, 4, dtype=torch.float64)
    wanted = np.zeros((7, 4))
    np.add.at(wanted, index.numpy(), g.numpy())
    for part in (x[index], torch.nn.functional.embedding(index % 7, x)):
        found = torch.autograd.grad(part, x, g)[0]
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12, atol=1e-12)


def test_the_gradient_of_an_index_adds_to_zeros():
    x = torch.ones(2, 2, requires_grad=True)
    x[torch.tensor([1])].backward(torch.full((1, 2), -0.0))
    assert not torch.signbit(x.grad).any()


def test_the_index_out_of_range_that_is_named_lies_first_in_memory() -> None:
    turned = torch.tensor([[0, 0], [0, 2], [3, 1]]).T
    with pytest.raises(IndexError, match="index 2 is out of bounds for dimension 0 with size 2"):
        torch.ones(2)[turned]
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 2"):
        torch.ones(2)[turned.contiguous()]


def test_filling_at_indices_of_nothing() -> None:
    with pytest.raises(RuntimeError, match=r"^setStorage: sizes \[2, 1\], strides \[1, 0\], .* for storage of size 0$"):
        torch.empty(2, 0).index_fill_(1, torch.tensor([0]), 1)
    assert torch.empty(2, 0).index_fill_(0, torch.tensor([7]), 1).shape == (2, 0)


@pytest.mark.parametrize("key", [0, slice(2), torch.tensor([0])])
def test_an_element_of_a_half_takes_whole_numbers_of_numpy_as_those_of_python(key) -> None:
    x = torch.zeros(3, dtype=torch.float16)
    x[key] = np.int64(100000)
    assert x[0] == float("inf")


@pytest.mark.parametrize("value", [np.float32(1), np.True_, np.array(1.0)])
def test_other_values_of_numpy_cannot_be_assigned(value) -> None:
    with pytest.raises(TypeError, match=rf"^can't assign a numpy.{type(value).__name__} to a torch.FloatTensor$"):
        torch.zeros(2)[0] = value
