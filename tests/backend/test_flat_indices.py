"""Flat indices, beside NumPy's own ways to pick and to add."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import rushlight as torch
from rushlight.backend import flat_indices, index
from rushlight.backend.flat_indices import within

SHAPES = arrays.array_shapes(min_dims=1, max_dims=4, max_side=5)


@st.composite
def _along(draw):
    """An array's shape, an axis, and indices along it, some of them stretched along the other axes."""
    shape = draw(SHAPES)
    axis = draw(st.integers(0, len(shape) - 1))
    count = draw(st.integers(0, 6))
    whole = tuple(count if other == axis else draw(st.integers(0, size)) for other, size in enumerate(shape))
    own = tuple(1 if draw(st.booleans()) else size for size in whole)
    indices = draw(arrays.arrays(draw(st.sampled_from((np.int32, np.int64))), own, elements=st.integers(0, shape[axis] - 1)))
    return shape, axis, np.broadcast_to(indices, whole)


@given(_along())
def test_the_line_has_what_the_axes_have(case):
    shape, axis, indices = case
    x = np.arange(np.prod(shape)).reshape(shape)
    for many in (1, 4096):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(flat_indices, "MANY", many)
            found = flat_indices.in_line(indices, shape, axis)
        assert found.dtype == np.int64 and found.flags.c_contiguous
        part = x[tuple(slice(None) if other == axis else slice(size) for other, size in enumerate(indices.shape))]
        np.testing.assert_array_equal(x.reshape(-1)[found], np.take_along_axis(part, indices.astype(np.int64), axis))


@pytest.mark.parametrize(
    "named",
    [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (1, 3), (0, 2, 3), (0, 1, 2, 3)],
)
def test_arrays_of_indices_name_what_they_name_in_numpy(named):
    shape = (3, 4, 5, 2)
    rng = np.random.default_rng(0)
    common = [(2, 3), (3,), (2, 1), ()]
    indices = [rng.integers(-size, size, common[axis]) if axis in named else None for axis, size in enumerate(shape)]
    x = np.arange(np.prod(shape)).reshape(shape)
    key = tuple(slice(None) if one is None else one for one in indices)
    for given_ in (indices, indices[: named[-1] + 1]):
        np.testing.assert_array_equal(x.reshape(-1)[flat_indices.at_in_line(given_, shape)], x[key])


@pytest.mark.parametrize("is_zero", [True, False])
@pytest.mark.parametrize("width", [(), (3,), (40,), (5, 20)])
@pytest.mark.parametrize(("length", "count"), [(1, 0), (4, 2), (50, 40), (20, 200), (3, 400), (400, 300)])
def test_rows_are_added_where_they_belong(length, count, width, is_zero):
    rng = np.random.default_rng(1)
    rows, values = rng.integers(0, length, count), rng.integers(-9, 9, (count, *width)).astype(np.float32)
    out = np.zeros((length, *width), np.float32) if is_zero else np.ones((length, *width), np.float32)
    expected = out.copy()
    np.add.at(expected, rows, values)
    flat_indices.add_rows(out, rows, values, is_zero)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("index", [(torch.full((300,), 7),), (torch.arange(300) % 3, torch.full((300,), -9))])
def test_many_indices_that_are_not_there_are_an_error_and_nothing_is_added(index, accumulate):
    x = torch.zeros(3, 8)
    with pytest.raises(IndexError, match="out of bounds"):
        x.index_put_(index, torch.tensor(1.0), accumulate=accumulate)
    assert not x.any()


def test_a_histogram_counts():
    x, where = torch.zeros(4, 5, requires_grad=True), torch.arange(1000) % 20
    counts = x.index_put((where % 4, where // 4), torch.ones(()), accumulate=True)
    assert torch.equal(counts, torch.full((4, 5), 50.0))
    counts.sum().backward()
    assert torch.equal(x.grad, torch.ones(4, 5))
    turned = torch.zeros(5, 4).t().index_put((where % 4, where // 4), torch.ones(()), accumulate=True)
    assert torch.equal(turned, counts)


def test_indices_of_shapes_that_do_not_meet_are_an_error():
    with pytest.raises(IndexError, match="shape mismatch"):
        torch.zeros(3, 8).index_put(
            (torch.zeros(300, dtype=torch.long), torch.zeros(7, dtype=torch.long)), torch.ones(()), True
        )


@pytest.mark.parametrize("many", [4, 40])
@pytest.mark.parametrize("changed", ["size", "before all", "in another row"])
@pytest.mark.parametrize("find", ["sort", "cummax", "max", "kthvalue", "gather", "scatter_add", "index_select", "subscript"])
def test_indices_changed_since_they_were_saved_are_an_error_and_no_gradient(find, changed, many):
    x = torch.rand(many, many, requires_grad=True)
    some = torch.zeros(many, many, dtype=torch.int64)
    if find == "gather":
        values, indices = x.gather(1, some), some
    elif find == "scatter_add":
        values, indices = torch.zeros(many, many).scatter_add(1, some, x), some
    elif find == "index_select":
        values, indices = x.index_select(1, some[0]), some
    elif find == "subscript":
        values, indices = x[some[0]], some
    else:
        values, indices = x.kthvalue(1, 1) if find == "kthvalue" else getattr(x, find)(1)
    indices.data.fill_({"size": many, "before all": -many - 1, "in another row": many + 1}[changed])
    x.grad = before = torch.ones(many, many)
    with pytest.raises((IndexError, RuntimeError), match=r"index .* is out of bounds for dimension [01] with size"):
        values.sum().backward()
    assert x.grad is before and bool((before == 1).all())


def test_whether_indices_are_within_their_bounds():
    for count in (3, 100):
        for dtype in (np.int32, np.int64):
            of = np.arange(count, dtype=dtype)
            assert within(of, 0, count) and within(of - 1, -1, count) and within(of[:0], 0, 0)
            assert not within(of, 0, count - 1) and not within(of - 1, 0, count) and not within(of, 1, count)
            assert within(np.broadcast_to(of[:, None], (count, 5)), 0, count)


@given(arrays.array_shapes(min_dims=0, max_dims=4, max_side=12), st.integers(0, 9), st.booleans())
def test_where_elements_are_not_zero(shape, share, turned):
    x = np.random.default_rng(share).integers(0, 10, shape) < share
    x = x.T if turned else x
    found = index.nonzero(x.reshape(x.shape or (1,)))
    for one, other in zip(found, np.nonzero(x.reshape(x.shape or (1,))), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == np.int64
