"""The text of tensors, in cases written out by hand from what PyTorch prints."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from rushlight.base import dtypes
from rushlight.tensors import printing
from rushlight.tensors.printing import tensor_text


@pytest.fixture(autouse=True)
def _defaults():
    yield
    dtypes.set_default_dtype(dtypes.float32)
    printing.set_printoptions(profile="default")


def text(values, dtype="float32", **how):
    return tensor_text(np.array(values, dtype=dtype), dtypes.named(dtype), **how)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (1.0, "tensor(1.)"),
        ([1.0, 2.0], "tensor([1., 2.])"),
        ([1.0, 2.5], "tensor([1.0000, 2.5000])"),
        ([1000.5, 1.5], "tensor([1000.5000,    1.5000])"),
        ([1000.5, 1.0], "tensor([1.0005e+03, 1.0000e+00])"),
        ([1e8], "tensor([100000000.])"),
        ([1e8, 1e10], "tensor([1.0000e+08, 1.0000e+10])"),
        ([1e-4, 1.0], "tensor([1.0000e-04, 1.0000e+00])"),
        ([0.5, 500.0], "tensor([  0.5000, 500.0000])"),
        ([-0.0, 0.0], "tensor([-0., 0.])"),
        ([np.nan, 1.0], "tensor([nan, 1.])"),
        ([np.nan, np.inf, -np.inf], "tensor([nan, inf, -inf])"),
        ([np.inf, 1.5], "tensor([   inf, 1.5000])"),
        ([np.inf, 1e9], "tensor([       inf, 1.0000e+09])"),
        ([[1.0], [-2.0]], "tensor([[ 1.],\n        [-2.]])"),
        ([[[1.0]], [[2.0]]], "tensor([[[1.]],\n\n        [[2.]]])"),
        ([], "tensor([])"),
        (np.zeros((0, 3)), "tensor([], size=(0, 3))"),
    ],
)
def test_floats(values, expected):
    assert text(values) == expected


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        (3, "int64", "tensor(3)"),
        ([1, 2, -300], "int64", "tensor([   1,    2, -300])"),
        ([1, 2], "int32", "tensor([1, 2], dtype=torch.int32)"),
        ([True, False], "bool", "tensor([ True, False])"),
        ([True, True], "bool", "tensor([True, True])"),
        ([], "int64", "tensor([], dtype=torch.int64)"),
        ([], "bool", "tensor([], dtype=torch.bool)"),
        ([2**64 - 1], "uint64", "tensor([18446744073709551615], dtype=torch.uint64)"),
        ([1 / 3], "float16", "tensor([0.3333], dtype=torch.float16)"),
        ([0.1], "float64", "tensor([0.1000], dtype=torch.float64)"),
        (1j, "complex64", "tensor(0.+1.j)"),
        ([1 + 2j, 3.5 - 1j], "complex64", "tensor([1.0000+2.j, 3.5000-1.j])"),
        ([1 + 2j, -5 - 100j], "complex64", "tensor([ 1.+2.j, -5.-100.j])"),
        ([complex(1, np.nan)], "complex64", "tensor([1.+nanj])"),
        ([1 + 2j], "complex128", "tensor([1.+2.j], dtype=torch.complex128)"),
    ],
)
def test_other_types(values, dtype, expected):
    assert text(values, dtype) == expected


def test_bfloat16():
    array = np.array([1 / 3, -2.0], dtype=ml_dtypes.bfloat16)
    assert tensor_text(array, dtypes.bfloat16) == "tensor([ 0.3340, -2.0000], dtype=torch.bfloat16)"


def test_the_default_dtype_is_not_shown():
    dtypes.set_default_dtype(dtypes.float64)
    assert text([1.5], "float64") == "tensor([1.5000])"
    assert text([1j], "complex128") == "tensor([0.+1.j])"
    assert text([1.5], "float32") == "tensor([1.5000], dtype=torch.float32)"
    assert text([], "float64") == "tensor([])"


def test_long_lines_break_under_the_first_element():
    assert text(range(40), "int64") == (
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,\n"
        "        36, 37, 38, 39])"
    )


def test_what_is_long_is_summarised():
    assert text(np.arange(2000), "int64") == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"
    # Both dimensions are cut, and only the elements shown decide the notation.
    values = np.full((40, 40), 0.5)
    values[10, 10] = 1e12
    row = "[0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000]"
    between = ",\n        "
    assert text(values) == f"tensor([{between.join([row] * 3 + ['...'] + [row] * 3)}])"
    assert text(np.zeros((1001, 1))).count("[0.]") == 6


def test_notes_follow_or_go_on_the_next_line():
    assert text([1.0], requires_grad=True) == "tensor([1.], requires_grad=True)"
    assert text([1.0], grad_fn_name="MulBackward0") == "tensor([1.], grad_fn=<MulBackward0>)"
    assert text([0.25] * 3, "float64", grad_fn_name="ToCopyBackward0") == (
        "tensor([0.2500, 0.2500, 0.2500], dtype=torch.float64,\n       grad_fn=<ToCopyBackward0>)"
    )
    assert text(np.zeros((0, 2)), "float64", requires_grad=True) == (
        "tensor([], size=(0, 2), dtype=torch.float64, requires_grad=True)"
    )
    assert text([1.0], tangent="tensor([3.])") == "tensor([1.], tangent=tensor([3.]))"


def test_a_subclass_is_named_and_indented_by_its_name():
    assert text([[1.0], [2.0]], name="Sub") == "Sub([[1.],\n     [2.]])"


def test_options():
    printing.set_printoptions(precision=2)
    assert text([1.23456]) == "tensor([1.23])"
    printing.set_printoptions(sci_mode=True)
    assert text([1.0, np.nan]) == "tensor([1.00e+00,      nan])"
    printing.set_printoptions(profile="default", sci_mode=False)
    assert text([1e10, 1e-9]) == "tensor([10000000000.0000,           0.0000])"
    printing.set_printoptions(edgeitems=1, threshold=3, linewidth=30)
    assert text(np.full((10, 10), 0.5)) == (
        "tensor([[0.5000,  ...,\n         0.5000],\n        ...,\n        [0.5000,  ...,\n         0.5000]])"
    )


def test_profiles_and_reading_the_options():
    printing.set_printoptions(profile="short")
    assert printing.get_printoptions() == {
        "precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80, "sci_mode": None,
    }  # fmt: skip
    printing.set_printoptions(profile="full", precision=8)
    assert printing.PRINT_OPTS.threshold == float("inf") and printing.PRINT_OPTS.precision == 8
    assert text(np.arange(2000), "int64").count(",") == 1999


def test_options_for_the_length_of_a_block():
    with pytest.raises(KeyError), printing.printoptions(precision=1, sci_mode=True):
        assert text([1.5]) == "tensor([1.5e+00])"
        raise KeyError
    assert text([1.5]) == "tensor([1.5000])"
