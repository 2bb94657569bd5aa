"""dtypes, devices and sizes beside PyTorch's own, exhaustively where the cases can be counted."""

# ruff: noqa: RUF005 (joining sizes with + is what is tested)

from __future__ import annotations

import itertools

import pytest
import torch

from rushlight.base import dtypes, type_limits
from rushlight.base.device import device
from rushlight.base.size import Size

NUMBERS = (True, 1, 1.5, 1j)


def theirs(ours):
    return getattr(torch, ours.name)


def outcome(function, *args):
    """The text of what a call gives, or its error."""
    try:
        return repr(function(*args))
    except (TypeError, RuntimeError, ValueError, AttributeError, IndexError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.fixture(params=["float32", "float64", "bfloat16", "float16"])
def default(request):
    dtypes.set_default_dtype(dtypes.named(request.param))
    torch.set_default_dtype(getattr(torch, request.param))
    yield
    dtypes.set_default_dtype(dtypes.float32)
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("each", dtypes.ALL, ids=repr)
def test_attributes(each):
    reference = theirs(each)
    for name in ("is_floating_point", "is_complex", "is_signed", "itemsize"):
        assert getattr(each, name) == getattr(reference, name)
    assert repr(each) == repr(reference)
    assert each.type_name == torch.empty(0, dtype=reference).type()
    assert outcome(each.to_complex) == outcome(reference.to_complex)
    assert outcome(each.to_real) == outcome(reference.to_real)
    assert outcome(type_limits.finfo, each) == outcome(torch.finfo, reference)
    assert outcome(type_limits.iinfo, each) == outcome(torch.iinfo, reference)


@pytest.mark.parametrize("each", [d for d in dtypes.ALL if d.kind_rank >= dtypes.FLOATING], ids=repr)
def test_finfo_fields(each):
    ours, reference = type_limits.finfo(each), torch.finfo(theirs(each))
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"):
        assert getattr(ours, field) == getattr(reference, field)


@pytest.mark.parametrize("each", dtypes.ALL, ids=repr)
def test_c_names_as_in_errors_of_mm(each):
    other, other_name = (torch.float64, "double") if each is dtypes.float32 else (torch.float32, "float")
    with pytest.raises(RuntimeError) as error:
        torch.mm(torch.ones(1, 1, dtype=theirs(each)), torch.ones(1, 1, dtype=other))
    assert str(error.value).endswith(f"but got: {each.c_name} != {other_name}")


def test_promotion_of_types_that_arrays_do_not_have():
    rare = [dtypes.named(name) for name in ("complex32", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "qint8", "bits8")]
    for a in rare:
        for b in (*dtypes.ALL, *rare):
            for pair in ((a, b), (b, a)):
                assert outcome(dtypes.promote_types, *pair) == outcome(torch.promote_types, *map(theirs, pair)), pair


@pytest.mark.parametrize("a", dtypes.ALL, ids=repr)
def test_promotion_of_every_pair(a):
    for b in dtypes.ALL:
        assert outcome(dtypes.promote_types, a, b) == outcome(torch.promote_types, theirs(a), theirs(b))
        assert dtypes.can_cast(a, b) == torch.can_cast(theirs(a), theirs(b))


@pytest.mark.parametrize("a", dtypes.ALL, ids=repr)
def test_result_of_every_pair_of_tensors(a, default):
    for b, a_shape, b_shape in itertools.product(dtypes.ALL, [(2,), ()], [(2,), ()]):
        dim = (a,) * bool(a_shape) + (b,) * bool(b_shape)
        zero_dim = (a,) * (not a_shape) + (b,) * (not b_shape)
        ours = outcome(dtypes.result_dtype, dim, zero_dim)
        pair = torch.empty(a_shape, dtype=theirs(a)), torch.empty(b_shape, dtype=theirs(b))
        assert ours == outcome(torch.result_type, *pair)


@pytest.mark.parametrize("a", dtypes.ALL, ids=repr)
def test_result_of_every_tensor_and_number(a, default):
    for number, shape in itertools.product(NUMBERS, [(2,), ()]):
        dim, zero_dim = ((a,), ()) if shape else ((), (a,))
        ours = outcome(dtypes.result_dtype, dim, zero_dim, (type(number),))
        assert ours == outcome(torch.result_type, torch.empty(shape, dtype=theirs(a)), number)


def test_result_of_two_numbers(default):
    for a, b in itertools.product(NUMBERS, NUMBERS):
        ours = outcome(dtypes.result_dtype, (), (), (type(a), type(b)))
        assert ours == outcome(torch.result_type, a, b)


def test_result_of_three_classes_together(default):
    kinds = [dtypes.bool_, dtypes.uint8, dtypes.int32, dtypes.float16, dtypes.float64, dtypes.complex64]
    for a, b, c, number in itertools.product(kinds, kinds, kinds, (1, 1.5)):
        ours = outcome(dtypes.result_dtype, (a, b), (c,), (type(number),))
        dim = torch.promote_types(theirs(a), theirs(b))
        # result_type takes two operands: the lower classes meet first, as they do in an op.
        low = torch.result_type(torch.empty((), dtype=theirs(c)), number)
        assert ours == outcome(torch.result_type, torch.empty(2, dtype=dim), torch.empty((), dtype=low))


@pytest.mark.parametrize("wrong", ["int32", "complex64", "bool"])
def test_default_dtype_errors(wrong):
    ours, reference = dtypes.named(wrong), getattr(torch, wrong)
    assert outcome(dtypes.set_default_dtype, ours) == outcome(torch.set_default_dtype, reference)
    assert outcome(dtypes.set_default_dtype, wrong) == outcome(torch.set_default_dtype, wrong)


@pytest.mark.parametrize(
    "args",
    [("cpu",), ("cpu:0",), ("cpu", 0), ("cuda:3",), ("cuda", 3), ("meta",), ("privateuseone:1",), ("cpu", None),
     (), ("",), ("foo",), ("CPU",), ("cpu:",), ("cpu:a",), ("cpu:-1",), ("cpu:01",), (":0",), ("cpu 0",), ("cuda: 1",),
     ("cpu:0:0",), ("cpu:1a",), ("cuda:99999999999999",), (0,), (-1,), ("cpu", -1), ("cpu:0", 0), ("cpu", "0"),
     (None,), (1.5,), ([],)],
)  # fmt: skip
def test_devices(args):
    assert outcome(device, *args) == outcome(torch.device, *args)
    assert outcome(lambda: str(device(*args))) == outcome(lambda: str(torch.device(*args)))


@pytest.mark.parametrize("wrong", [[1.5], [1, "a"], [None], "ab", 3, None, [2**63], [[1]]], ids=repr)
def test_sizes_refused(wrong):
    assert outcome(Size, wrong) == outcome(torch.Size, wrong)


@pytest.mark.parametrize("items", [(), (0,), (2, 3), (True, 4), range(3)], ids=repr)
def test_sizes(items):
    ours, reference = Size(items), torch.Size(items)
    for operation in (
        repr, str, hash, tuple, len,
        lambda s: s.numel(), lambda s: s[1:], lambda s: s[::-1], lambda s: s + (5,), lambda s: (5,) + s,
        lambda s: s * 2, lambda s: 2 * s, lambda s: s + [1], lambda s: [1] + s, lambda s: s + ("a",),
        lambda s: ("a",) + s, lambda s: s + 5, lambda s: s * 1.5, lambda s: s * -1, lambda s: s[0],
    ):  # fmt: skip
        assert outcome(operation, ours) == outcome(operation, reference)
