"""dtypes, devices and sizes: what they are, what they promote to, and what they refuse."""

# ruff: noqa: RUF005 (joining sizes with + is what is tested)

from __future__ import annotations

import copy
import importlib
import pickle
import re
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest

import rushlight as torch
from rushlight.base import dtypes, type_limits
from rushlight.base.device import device
from rushlight.base.size import Size, of_ints

devices = importlib.import_module("rushlight.base.device")  # the name `rushlight.device` is the class

IN_NUMPY = [each for each in dtypes.ALL if each is not dtypes.bfloat16]


@pytest.fixture(autouse=True)
def _defaults():
    yield
    dtypes.set_default_dtype(dtypes.float32)
    devices.set_default_device(None)


# dtypes


@pytest.mark.parametrize("each", dtypes.ALL, ids=repr)
def test_a_dtype_is_one_object_under_any_copy(each):
    assert pickle.loads(pickle.dumps(each)) is each
    assert copy.copy(each) is each and copy.deepcopy(each) is each
    assert dtypes.named(each.name) is each
    assert repr(each) == f"torch.{each.name}"


def test_a_dtype_cannot_be_made_or_given_attributes():
    with pytest.raises(TypeError, match=r"cannot create 'torch\.dtype' instances"):
        dtypes.dtype("float32")
    with pytest.raises(AttributeError):
        dtypes.float32.colour = "red"
    with pytest.raises(AttributeError, match=r"'torch\.dtype' object has no attribute 'colour'"):
        _ = dtypes.float32.colour


@pytest.mark.parametrize("each", IN_NUMPY, ids=repr)
def test_a_dtype_knows_its_numpy_type_and_back(each):
    assert each.numpy == np.dtype(each.name)
    assert dtypes.of(np.zeros(2, each.name).dtype) is each
    assert each.itemsize == each.numpy.itemsize
    assert each.is_complex == (each.numpy.kind == "c")
    assert each.is_floating_point == (each.numpy.kind == "f")


def test_aliases_and_names_that_hide_builtins():
    assert dtypes.NAMES["float"] is dtypes.float32 and dtypes.NAMES["bool"] is dtypes.bool_
    assert dtypes.long is dtypes.int64 and dtypes.half is dtypes.float16
    with pytest.raises(AttributeError):
        _ = dtypes.no_such_type


def test_c_long_and_long_long_are_both_int64():
    assert dtypes.of(np.dtype("long")) is dtypes.of(np.dtype("longlong")) is dtypes.int64


def test_numpy_types_without_a_dtype_are_refused():
    with pytest.raises(TypeError, match=r"can't convert np\.ndarray of type numpy\.object_\. The only supported types"):
        dtypes.of(np.dtype(object))
    with pytest.raises(ValueError, match="byte order different from the native byte order"):
        dtypes.of(np.dtype("f4").newbyteorder())


def test_bfloat16_takes_its_numpy_type_from_ml_dtypes():
    assert dtypes.bfloat16.numpy == np.dtype(ml_dtypes.bfloat16)
    assert dtypes.of(np.zeros(2, ml_dtypes.bfloat16).dtype) is dtypes.bfloat16


def test_bfloat16_without_ml_dtypes_says_what_is_missing():
    script = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "from rushlight.base import dtypes\n"
        "assert dtypes.promote_types(dtypes.bfloat16, dtypes.int8) is dtypes.bfloat16\n"
        "try: dtypes.bfloat16.numpy\n"
        "except RuntimeError as e: print(e)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install ml_dtypes" in ran.stdout


def test_real_and_complex_partners():
    assert dtypes.float32.to_complex() is dtypes.complex64
    assert dtypes.bfloat16.to_complex() is dtypes.complex64
    assert dtypes.float16.to_complex() is dtypes.named("complex32")
    assert dtypes.complex128.to_real() is dtypes.float64
    assert dtypes.int8.to_real() is dtypes.int8
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Char"):
        dtypes.int8.to_complex()


# Promotion


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("uint8", "int8", "int16"),
        ("uint8", "int32", "int32"),
        ("int64", "float16", "float16"),
        ("float16", "bfloat16", "float32"),
        ("float64", "complex64", "complex128"),
        ("bfloat16", "complex64", "complex64"),
        ("bool", "uint8", "uint8"),
        ("uint32", "float16", "float16"),
        ("uint32", "uint32", "uint32"),
    ],
)
def test_promotion_is_symmetric(a, b, expected):
    a, b = dtypes.named(a), dtypes.named(b)
    assert dtypes.promote_types(a, b) is dtypes.promote_types(b, a) is dtypes.named(expected)


def test_wide_unsigned_types_do_not_promote():
    with pytest.raises(RuntimeError, match="not supported, attempted to promote Int and UInt16"):
        dtypes.promote_types(dtypes.int32, dtypes.uint16)
    with pytest.raises(RuntimeError, match="attempted to promote UInt64 and ComplexFloat"):
        dtypes.promote_types(dtypes.uint64, dtypes.complex64)
    with pytest.raises(TypeError, match=r"argument 'type2' \(position 2\) must be torch\.dtype, not int"):
        dtypes.promote_types(dtypes.int32, 3)


@pytest.mark.parametrize(
    ("dim", "zero_dim", "numbers", "expected"),
    [
        (("float32",), ("float64",), (), "float32"),
        (("int32",), ("float64",), (), "float64"),
        (("int32",), ("int64",), (), "int32"),
        (("int8",), (), (int,), "int8"),
        (("bool",), (), (int,), "int64"),
        (("int8",), (), (float,), "float32"),
        (("float64",), (), (complex,), "complex128"),
        ((), ("int8",), (int,), "int8"),
        ((), ("int8",), (float,), "float32"),
        ((), (), (bool, int), "int64"),
        (("uint16",), (), (int,), "uint16"),
        (("float32", "int64"), ("complex128",), (), "complex64"),
    ],
)
def test_result_of_three_classes_of_operand(dim, zero_dim, numbers, expected):
    found = dtypes.result_dtype(tuple(map(dtypes.named, dim)), tuple(map(dtypes.named, zero_dim)), numbers)
    assert found is dtypes.named(expected)


def test_the_default_dtype_is_what_floats_become():
    assert dtypes.result_dtype((dtypes.int64,), (), (float,)) is dtypes.float32
    dtypes.set_default_dtype(dtypes.float64)
    assert dtypes.get_default_dtype() is dtypes.float64
    assert dtypes.default_complex_dtype() is dtypes.complex128
    assert dtypes.result_dtype((dtypes.int64,), (), (float,)) is dtypes.float64
    assert dtypes.of_number(np.float32) is dtypes.float64
    with pytest.raises(TypeError, match=r"^only floating-point types are supported as the default type"):
        dtypes.set_default_dtype(dtypes.int32)
    with pytest.raises(TypeError, match=r"^invalid dtype object: only floating-point types"):
        dtypes.set_default_dtype("float")


def test_set_default_tensor_type_by_name():
    with pytest.warns(UserWarning, match="deprecated as of PyTorch 2.1"):
        dtypes.set_default_tensor_type("torch.DoubleTensor")
    assert dtypes.get_default_dtype() is dtypes.float64
    for wrong, error in [("torch.IntTensor", TypeError), ("torch.cuda.FloatTensor", TypeError), (3, TypeError),
                         ("torch.NoTensor", AttributeError), ("no", ModuleNotFoundError)]:  # fmt: skip
        with pytest.raises(error):
            dtypes.set_default_tensor_type(wrong)


def test_can_cast_does_not_go_down_a_kind():
    assert dtypes.can_cast(dtypes.float64, dtypes.float16) and dtypes.can_cast(dtypes.bool_, dtypes.complex64)
    assert not dtypes.can_cast(dtypes.float16, dtypes.int64) and not dtypes.can_cast(dtypes.int8, dtypes.bool_)


# finfo, iinfo


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_finfo_is_numpys(name):
    ours, numpys = type_limits.finfo(dtypes.named(name)), np.finfo(name)
    for field in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, field) == getattr(numpys, field)
    assert ours == type_limits.finfo(dtypes.named(name)) != type_limits.finfo(dtypes.bfloat16)


def test_finfo_text():
    assert repr(type_limits.finfo()) == (
        "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)"
    )
    assert type_limits.finfo(dtypes.complex128).dtype == "float64"
    with pytest.raises(TypeError, match="requires a floating point input type"):
        type_limits.finfo(dtypes.int8)


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_iinfo_is_numpys(name):
    ours, numpys = type_limits.iinfo(dtypes.named(name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max, ours.dtype) == (numpys.bits, numpys.min, numpys.max, name)


def test_iinfo_refuses_what_is_no_integer():
    assert repr(type_limits.iinfo(dtypes.int32)) == "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)"
    with pytest.raises(TypeError, match="requires an integer input type"):
        type_limits.iinfo(dtypes.float32)
    with pytest.raises(TypeError, match=r"torch\.bool is not supported by torch\.iinfo"):
        type_limits.iinfo(dtypes.bool_)


# Devices


def test_device_spellings():
    assert device("cpu:0") == device("cpu", 0) != device("cpu")
    assert repr(device("cuda:1")) == "device(type='cuda', index=1)" and str(device("cuda:1")) == "cuda:1"
    assert device(device("cpu")) == device(type="cpu") and hash(device("cpu")) == hash(device("cpu"))
    assert device("cpu") != "cpu"
    assert pickle.loads(pickle.dumps(device("cuda:1"))) == copy.deepcopy(device("cuda", 1))


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        (("foo",), RuntimeError, "Expected one of cpu, cuda, .* device type at start of device string: foo"),
        (("",), RuntimeError, "Device string must not be empty"),
        (("cpu:01",), RuntimeError, "Invalid device string: 'cpu:01'"),
        (("cpu", -1), RuntimeError, "Device index must not be negative"),
        (("cpu:0", 0), RuntimeError, "must not include an index because index was passed explicitly: cpu:0"),
        ((0,), RuntimeError, "Cannot access accelerator device when none is available."),
        (("cpu", "0"), TypeError, r"argument 'index' \(position 2\) must be int, not str"),
        ((1.5,), TypeError, r"invalid combination of arguments - got \(float\)"),
        ((), TypeError, r"invalid combination of arguments - got \(\)"),
    ],
)
def test_device_refusals(args, error, text):
    with pytest.raises(error, match=text):
        device(*args)


def test_a_device_does_not_change_or_compare():
    with pytest.raises(AttributeError, match="not writable"):
        device("cpu").type = "cuda"
    with pytest.raises(TypeError, match="comparison not implemented"):
        _ = device("cpu") < device("cuda")


def test_only_the_cpu_is_there():
    assert devices.require_cpu() is devices.require_cpu("cpu:1") is devices.CPU
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        devices.require_cpu("cuda:0")
    with pytest.raises(RuntimeError, match="PyTorch is not linked with support for mps devices"):
        devices.require_cpu(device("mps"))
    with pytest.raises(TypeError, match=r"ones\(\): argument 'device' must be torch\.device, not float"):
        devices.require_cpu(1.5, "ones")


def test_the_device_in_use():
    with device("cuda") as entered, pytest.raises(AssertionError):
        assert devices.get_default_device() is entered
        devices.require_cpu()
    devices.set_default_device("xpu")
    with device("cpu"):
        assert devices.require_cpu() is devices.CPU
    with pytest.raises(AssertionError, match="XPU"):
        devices.require_cpu()
    devices.set_default_device(None)
    assert devices.get_default_device() == device("cpu")


def test_a_device_context_is_its_threads_own():
    seen = []
    with device("cuda"):
        thread = threading.Thread(target=lambda: seen.append(devices.require_cpu()))
        thread.start()
        thread.join()
    assert seen == [devices.CPU]


def test_layouts_and_memory_formats():
    for each in (devices.strided, devices.sparse_coo, devices.channels_last, devices.preserve_format):
        assert pickle.loads(pickle.dumps(each)) is each
        assert repr(each) == f"torch.{each.name}"
        with pytest.raises(TypeError, match="cannot create"):
            type(each)()


# Sizes


def test_size_stays_a_size():
    size = Size([2, 3, 4])
    assert repr(size) == str(size) == "torch.Size([2, 3, 4])"
    for part in (size[1:], size[::-1], size + (1,), (1,) + size, size * 2, 2 * size, size[5:]):
        assert type(part) is Size
    assert size + (1,) == (2, 3, 4, 1) and (1,) + size == (1, 2, 3, 4)
    assert size == (2, 3, 4) and hash(size) == hash((2, 3, 4)) and type(size[-1]) is int
    assert size.numel() == 24 and Size().numel() == 1
    assert type(pickle.loads(pickle.dumps(size))) is type(copy.deepcopy(size)) is Size
    assert of_ints((2, 3)) == Size((2, 3)) and type(of_ints([2])) is Size


def test_size_takes_what_is_an_integer():
    assert Size([True, np.int64(3)]) == (1, 3) and repr(Size([True])) == "torch.Size([1])"
    assert Size(range(3)) == Size(i for i in range(3))
    for wrong, text in [
        ([1.5], r"torch\.Size\(\) takes an iterable of 'int' \(item 0 is 'float'\)"),
        ([1, "a"], r"\(item 1 is 'str'\)"),
        ([np.float32(2)], r"\(item 0 is 'numpy\.float32'\)"),
        (3, "'int' object is not iterable"),
    ]:
        with pytest.raises(TypeError, match=text):
            Size(wrong)
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        Size([2**63])


def test_size_joins_tuples_only():
    with pytest.raises(TypeError, match=r"can only concatenate tuple \(not list\) to torch\.Size"):
        _ = Size([2]) + [1]
    with pytest.raises(TypeError, match=r'can only concatenate list \(not "torch\.Size"\) to list'):
        _ = [1] + Size([2])
    with pytest.raises(TypeError, match=r"\(item 1 is 'str'\)"):
        _ = Size([2]) + ("a",)
    with pytest.raises(TypeError, match="can't multiply sequence by non-int of type 'float'"):
        _ = Size([2]) * 1.5


def test_limits_of_types_of_eight_bits() -> None:
    limits = torch.finfo(torch.float8_e4m3fn)
    assert (limits.max, limits.min, limits.eps, limits.tiny, limits.bits) == (448.0, -448.0, 0.125, 2.0**-6, 8)
    with pytest.raises(NotImplementedError, match="not implemented for 'Float4_e2m1fn_x2'"):
        torch.finfo(torch.float4_e2m1fn_x2)


OUT_OF_ANOTHER_DTYPE = [
    ("abs", "float64", "Found dtype Double but expected Float"),
    ("neg", "float64", "Found dtype Double but expected Float"),
    ("floor", "int64", "Found dtype Long but expected Float"),
    ("sgn", "complex64", "Found dtype ComplexFloat but expected Float"),
    ("nan_to_num", "float64", "dtype of out: Double should be same as input: Float"),
    ("signbit", "float32", "signbit does not support non-boolean outputs"),
    ("sin", "int64", "result type Float can't be cast to the desired output type Long"),
]


@pytest.mark.parametrize(("name", "dtype", "text"), OUT_OF_ANOTHER_DTYPE)
def test_out_of_another_dtype(name: str, dtype: str, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        getattr(torch, name)(torch.ones(2), out=torch.empty(2, dtype=getattr(torch, dtype)))


def test_absolute_values_of_complex_numbers_go_into_either_kind() -> None:
    z = torch.tensor([3 + 4j])
    assert torch.abs(z, out=torch.empty(1, dtype=torch.float64)).item() == 5
    assert torch.abs(z, out=torch.empty(1, dtype=torch.complex64)).item() == 5 + 0j
    with pytest.raises(RuntimeError, match="Found dtype ComplexDouble but expected ComplexFloat"):
        torch.abs(z, out=torch.empty(1, dtype=torch.complex128))


WHOLE, FLOATS, MASK = torch.tensor([1, 2]), torch.tensor([1.0, 2.0]), torch.tensor([True, False])
REFUSED = [
    (lambda: torch.lerp(WHOLE, WHOLE, 0.5), "\"lerp_kernel_scalar\" not implemented for 'Long'"),
    (lambda: torch.lerp(MASK, MASK, MASK), "\"lerp_kernel_tensor\" not implemented for 'Bool'"),
    (lambda: torch.addcdiv(FLOATS, WHOLE, MASK), "Integer division with addcdiv is no longer supported"),
    (lambda: torch.addcmul(MASK, MASK, MASK), "\"addcmul_cpu_out\" not implemented for 'Bool'"),
    (lambda: torch.cross(torch.ones(3), torch.ones(3).double(), 0), "expected scalar type Float but found Double"),
    (lambda: torch.ldexp(FLOATS, MASK), "\"ldexp_cpu_exp\" not implemented for 'Bool'"),
    (lambda: FLOATS.cumsum(0, dtype=torch.bool), "\"cumsum_out_cpu\" not implemented for 'Bool'"),
    (lambda: FLOATS.nansum(dtype=torch.cfloat), "\"nansum_cpu\" not implemented for 'ComplexFloat'"),
    (lambda: FLOATS.nanmean(dtype=torch.int32), "Optional dtype must be either a floating point or complex dtype. Got: Int"),
    (lambda: torch.searchsorted(MASK, MASK), "\"searchsorted_out_cpu\" not implemented for 'Bool'"),
    (lambda: WHOLE.char().masked_fill(MASK, torch.tensor(1j)), "cannot be converted to type int8_t without overflow"),
    (lambda: torch.add(1, 1, alpha=True), "Boolean alpha only supported for Boolean results"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED, ids=range(len(REFUSED)))
def test_dtypes_that_functions_refuse(call: object, text: str) -> None:
    with pytest.raises(RuntimeError, match=re.escape(text)):
        call()  # type: ignore[operator]


def test_what_cannot_be_joined_is_no_type_that_cat_takes() -> None:
    with pytest.raises(TypeError, match="input types can't be cast to the desired output type Int"):
        torch.cat([FLOATS, FLOATS], out=torch.empty(0, dtype=torch.int32))
    assert torch.cat([FLOATS, WHOLE], out=torch.empty(0, dtype=torch.float16)).dtype is torch.float16


def test_arithmetic_of_two_numbers_gives_a_tensor() -> None:
    assert torch.add(True, True).item() is True
    assert torch.add(1, 2.5).dtype is torch.float32 and torch.add(1j, 2).item() == 2 + 1j
    assert (torch.sub(2, 3).item(), torch.mul(2, 3).item(), torch.add(1, 2, alpha=3).item()) == (-1, 6, 7)
    assert torch.div(5, 2).item() == 2.5 and torch.floor_divide(5, 2).item() == 2
    with pytest.raises(TypeError, match="got \\(int, int\\)"):
        torch.eq(1, 2)


def test_elements_equal_to_those_of_an_array() -> None:
    assert (np.array([1, 5]) == WHOLE).tolist() == [True, False]
    assert (np.array([1, 5]) == WHOLE).tolist() == [True, False]


def test_filling_with_a_complex_number_that_is_real() -> None:
    assert FLOATS.masked_fill(MASK, torch.tensor(7 + 0j)).tolist() == [7, 2]
    assert MASK.masked_fill(~MASK, torch.tensor(1j)).tolist() == [True, True]
    assert torch.searchsorted(WHOLE, MASK).tolist() == [0, 0]


def test_powers_in_double_precision_need_the_room() -> None:
    assert FLOATS.double().float_power_(2).tolist() == [1, 4]
    assert torch.float_power(FLOATS, 2, out=torch.empty(2, dtype=torch.float64)).tolist() == [1, 4]
    with pytest.raises(RuntimeError, match=r"the base given to float_power_ has dtype Float but .* requires dtype Double"):
        FLOATS.clone().float_power_(2)
    with pytest.raises(RuntimeError, match=r"the output given to float_power has dtype Float but .* requires dtype Double"):
        torch.float_power(FLOATS, 2, out=torch.empty(2))
