"""Element types: the dtype objects, how they promote, and the defaults that new tensors get.

Every dtype is one object, compared with `is`. `dtype.numpy` is the NumPy type an array of it carries and
`of(array.dtype)` the way back. The types that NumPy lacks are those of the package ml_dtypes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NoReturn, cast

import numpy as np

Array = np.ndarray[Any, Any]

BOOLEAN, INTEGRAL, FLOATING, COMPLEX = range(4)


class dtype:
    """The type of a tensor's elements. There is one object per type; it cannot be constructed.

    >>> import rushlight as torch
    >>> torch.float32, torch.float32.itemsize, torch.float32.is_floating_point
    (torch.float32, 4, True)
    >>> torch.float64.to_complex()
    torch.complex128
    """

    __module__ = "rushlight"  # where pickles find it
    __slots__ = (
        "c_name",  # "float": as errors of compiled kernels spell it
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "kind_rank",  # BOOLEAN < INTEGRAL < FLOATING < COMPLEX
        "name",
        "numpy",
        "scalar_name",  # "Float": as most errors spell it, and "FloatTensor" less its ending
    )
    name: str
    scalar_name: str
    c_name: str
    kind_rank: int
    itemsize: int
    is_signed: bool
    is_floating_point: bool
    is_complex: bool
    numpy: np.dtype[Any]

    def __new__(cls, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("cannot create 'torch.dtype' instances")

    def to_real(self) -> dtype:
        """The type of the real part: `complex64` gives `float32`; a real type gives itself."""
        if not self.is_complex:
            return self
        return {4: float16, 8: float32, 16: float64}[self.itemsize]

    def to_complex(self) -> dtype:
        """The complex type whose parts hold this one. Raises RuntimeError for integers and booleans."""
        if self.is_complex:
            return self
        if not self.is_floating_point:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar_name}")
        if self is float16:
            return NAMES["complex32"]
        return complex128 if self is float64 else complex64

    @property
    def kind(self) -> str:
        """NumPy's letter ('b', 'i', 'u', 'f', 'c'), by which xarray chooses how it reduces; PyTorch has none.

        >>> import rushlight as torch
        >>> torch.float32.kind, torch.uint8.kind, torch.bool.kind
        ('f', 'u', 'b')
        """
        return "bifc"[self.kind_rank] if self.is_signed or self.kind_rank != INTEGRAL else "u"

    @property
    def type_name(self) -> str:
        """What `Tensor.type()` answers, `torch.FloatTensor` say."""
        return f"torch.{self.scalar_name}Tensor"

    @property
    def type_in_errors(self) -> str:
        """What errors call the type of a tensor: `torch.FloatTensor`, but `CPUBoolType` for types younger than such names."""
        return self.type_name if self.scalar_name in _WITH_TENSOR_NAMES else f"CPU{self.scalar_name}Type"

    def __getattr__(self, attribute: str) -> Any:
        # Only an unset slot comes here: bfloat16 and float8 types get their NumPy type when first asked for.
        if attribute == "numpy":
            if self.name in _OF_ML_DTYPES:
                return _load(self)
            raise NotImplementedError(f"rushlight has no tensors of {self!r}: NumPy has no such type")
        raise AttributeError(f"'torch.dtype' object has no attribute '{attribute}'")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def __copy__(self) -> dtype:
        return self

    def __deepcopy__(self, memo: object) -> dtype:
        return self


class _ByNumpy(dict[Any, dtype]):
    """NumPy type -> dtype: a plain lookup, and a sentence when there is none."""

    def __missing__(self, key: np.dtype[Any]) -> dtype:
        if key.name in _OF_ML_DTYPES:
            found = named(key.name)
            _load(found, of_array=True)
            return found
        if not key.isnative:
            raise ValueError(
                "given numpy array has byte order different from the native byte order. "
                "Conversion between byte orders is currently not supported."
            )
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{key.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
            "uint8, and bool."
        )


_WITH_TENSOR_NAMES = frozenset("Byte Char Short Int Long Half Float Double".split())
BY_NUMPY = _ByNumpy()
of = BY_NUMPY.__getitem__  # np.dtype -> dtype


def known(array: Array) -> Array:
    """The array under the NumPy dtype that all tensors of its dtype have: kernels tell dtypes by identity, and an array out of a
    pickle comes with another object for the same dtype."""
    own = of(array.dtype).numpy
    return array if array.dtype is own else array.view(own)


def _define(name: str, scalar_name: str, c_name: str, kind_rank: int, itemsize: int, signed: bool = True) -> dtype:
    made: dtype = object.__new__(cast(Any, dtype))  # past dtype.__new__, which refuses
    made.name = name
    made.scalar_name = scalar_name
    made.c_name = c_name
    made.kind_rank = kind_rank
    made.itemsize = itemsize
    made.is_signed = signed
    made.is_floating_point = kind_rank == FLOATING
    made.is_complex = kind_rank == COMPLEX
    if hasattr(np, name):
        made.numpy = np.dtype(name)
        BY_NUMPY[made.numpy] = made
    return made


# fmt: off
uint8      = _define("uint8",      "Byte",          "unsigned char",        INTEGRAL, 1, signed=False)
int8       = _define("int8",       "Char",          "signed char",          INTEGRAL, 1)
int16      = _define("int16",      "Short",         "short int",            INTEGRAL, 2)
int32      = _define("int32",      "Int",           "int",                  INTEGRAL, 4)
int64      = _define("int64",      "Long",          "long int",             INTEGRAL, 8)
uint16     = _define("uint16",     "UInt16",        "short unsigned int",   INTEGRAL, 2, signed=False)
uint32     = _define("uint32",     "UInt32",        "unsigned int",         INTEGRAL, 4, signed=False)
uint64     = _define("uint64",     "UInt64",        "long unsigned int",    INTEGRAL, 8, signed=False)
float16    = _define("float16",    "Half",          "c10::Half",            FLOATING, 2)
bfloat16   = _define("bfloat16",   "BFloat16",      "c10::BFloat16",        FLOATING, 2)
float32    = _define("float32",    "Float",         "float",                FLOATING, 4)
float64    = _define("float64",    "Double",        "double",               FLOATING, 8)
complex64  = _define("complex64",  "ComplexFloat",  "c10::complex<float>",  COMPLEX,  8)
complex128 = _define("complex128", "ComplexDouble", "c10::complex<double>", COMPLEX, 16)
bool_      = _define("bool",       "Bool",          "bool",                 BOOLEAN,  1, signed=False)
# fmt: on

ALL = (uint8, int8, int16, int32, int64, uint16, uint32, uint64,
       float16, bfloat16, float32, float64, complex64, complex128, bool_)  # fmt: skip

# Python's types that may stand for a dtype, as `dtype=float` does.
OF_PYTHON = {float: float64, int: int64, bool: bool_, complex: complex128}

# Every name a user may spell, for the face to export: some of them hide builtins, so they are no globals here.
NAMES: dict[str, dtype] = {
    **{each.name: each for each in ALL},
    "half": float16,
    "float": float32,
    "double": float64,
    "cfloat": complex64,
    "cdouble": complex128,
    "short": int16,
    "int": int32,
    "long": int64,
}


def __getattr__(name: str) -> dtype:
    if name in NAMES:
        return NAMES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def named(name: str) -> dtype:
    """The dtype of that name, aliases included. Earlier pickles ask for dtypes so."""
    return NAMES[name]


# Who wants to know that a type of ml_dtypes is in use, and whether it came with an array.
on_loading: list[Callable[[dtype, bool], object]] = []
_OF_ML_DTYPES = frozenset("bfloat16 complex32 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz".split())


def _load(rare: dtype, of_array: bool = False) -> np.dtype[np.generic]:
    try:
        import ml_dtypes
    except ImportError:
        raise RuntimeError(
            f"{rare!r} needs the package ml_dtypes, which gives NumPy that type: pip install ml_dtypes"
        ) from None
    rare.numpy = np.dtype(getattr(ml_dtypes, rare.name))
    BY_NUMPY[rare.numpy] = rare
    for told in on_loading:
        told(rare, of_array)
    return rare.numpy


def unload(rare: dtype) -> np.dtype[np.generic]:
    """Forgets the NumPy type of one of ml_dtypes' types, so that its next use is told of; returns it."""
    numpy_type = rare.numpy
    del rare.numpy, BY_NUMPY[numpy_type]
    return numpy_type


# Promotion.

_BARE_UNSIGNED = frozenset((uint16, uint32, uint64))
_promoted: dict[tuple[dtype, dtype], dtype] = {}


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest type that holds both. Raises RuntimeError for uint16, uint32 and uint64 beside another integer.

    >>> import rushlight as torch
    >>> torch.promote_types(torch.int32, torch.float32), torch.promote_types(torch.uint8, torch.int8)
    (torch.float32, torch.int16)
    """
    found = _promoted.get((type1, type2))
    if found is None:
        for position, (name, given) in enumerate((("type1", type1), ("type2", type2)), 1):
            check_argument("promote_types", name, position, given)
        found = _promoted[type1, type2] = _promote(type1, type2)
    return found


def _refuse_to_promote(a: dtype, b: dtype) -> None:
    """RuntimeError for types that have no place among the others: quantized ones, bits, and those of eight bits or fewer."""
    words, names = (a.scalar_name, b.scalar_name), (a.name, b.name)
    if any(name.startswith(("qint", "quint")) for name in names):
        raise RuntimeError(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, offending "
            "types: {} {}".format(*words)
        )
    if any(name.startswith("bits") for name in names):
        raise RuntimeError("Promotion from {} and {} is unsupported.".format(*words))
    if any(name.startswith("float8") for name in names):
        raise RuntimeError("Promotion for Float8 Types is not supported, attempted to promote {} and {}".format(*words))


def _promote(a: dtype, b: dtype) -> dtype:
    if a is b:
        return a
    if a not in ALL or b not in ALL:
        _refuse_to_promote(a, b)
    if a.kind_rank > b.kind_rank:
        low, high = b, a
    else:
        low, high = a, b
    if (low in _BARE_UNSIGNED or high in _BARE_UNSIGNED) and not high.is_floating_point:
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, "
            f"attempted to promote {a.scalar_name} and {b.scalar_name}"
        )
    if high.is_complex:
        if high not in ALL and (low is float16 or low.kind_rank < FLOATING):
            return high  # complex32
        return complex128 if complex128 in (a, b) or low is float64 else complex64
    if low.kind_rank < high.kind_rank:
        return high
    if high.is_floating_point:
        if low.itemsize == high.itemsize:
            return float32  # float16 beside bfloat16: neither holds the other
    elif uint8 in (a, b):
        signed = b if a is uint8 else a
        return int16 if signed is int8 else signed
    return low if low.itemsize > high.itemsize else high


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether an in-place op may put a result of `from_` into a tensor of `to`: not down a kind.

    >>> import rushlight as torch
    >>> torch.can_cast(torch.float64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    check_argument("can_cast", "from_", 1, from_)
    check_argument("can_cast", "to", 2, to)
    return from_.kind_rank <= to.kind_rank


def check_cast(result: np.dtype[Any], target: np.dtype[Any]) -> None:
    """RuntimeError where a result may not be put into a tensor, by the NumPy types of both."""
    if result is not target and not can_cast(of(result), of(target)):
        words = of(result).scalar_name, of(target).scalar_name
        raise RuntimeError("result type {} can't be cast to the desired output type {}".format(*words))


def check_argument(function: str, name: str, position: int, given: object) -> None:
    if not isinstance(given, dtype):
        raise TypeError(
            f"{function}(): argument '{name}' (position {position}) must be torch.dtype, not {type(given).__name__}"
        )


_results: dict[tuple[Any, ...], dtype] = {}  # emptied when a default changes


def result_dtype(
    dim_dtypes: tuple[dtype, ...], zero_dim_dtypes: tuple[dtype, ...] = (), number_types: tuple[type, ...] = ()
) -> dtype:
    """The type of an op's result, from its operands in three classes: a lower class only raises the kind.

    dim_dtypes: of the tensors with dimensions; zero_dim_dtypes: of those without; number_types: the Python types of
    the plain numbers. Pass them in the order of the operands: an error names the first two that do not promote.

    >>> from rushlight.base import dtypes
    >>> dtypes.result_dtype((dtypes.float32,), (dtypes.float64,), (int,))
    torch.float32
    >>> dtypes.result_dtype((dtypes.int64,), (), (float,))
    torch.float32
    """
    key = (dim_dtypes, zero_dim_dtypes, number_types)
    found = _results.get(key)
    if found is None:
        wrapped = tuple(of_number(each) for each in number_types)
        lower = _combine(_promote_all(zero_dim_dtypes), _promote_all(wrapped))
        result = _combine(_promote_all(dim_dtypes), lower)
        if result is None:
            raise ValueError("result_dtype needs at least one operand")
        found = _results[key] = result
    return found


def of_number(number_type: type) -> dtype:
    """The dtype that a Python number of this type stands for: bool, int64 or a default.

    Raises TypeError for a type that is no number.
    """
    if issubclass(number_type, bool):
        return bool_
    if issubclass(number_type, int | np.integer):
        return int64
    if issubclass(number_type, complex):
        return default_complex_dtype()
    if issubclass(number_type, float | np.inexact | np.bool_):  # what is complex to NumPy alone is read as a float
        return _default
    raise TypeError(f"expected a number, but got {number_type.__name__}")


def _promote_all(types: tuple[dtype, ...]) -> dtype | None:
    result = None
    for each in types:
        result = each if result is None else promote_types(result, each)
    return result


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    if higher is None or lower is None:
        return higher or lower
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if higher is bool_ or lower.kind_rank >= FLOATING:
        # A wider kind comes through whole, uint16 to uint64 under a complex one too.
        return lower if lower.kind_rank >= FLOATING else promote_types(higher, lower)
    return higher


# Defaults.

_default = float32


def get_default_dtype() -> dtype:
    """The type that Python floats, and tensors made without data, get."""
    return _default


def default_complex_dtype() -> dtype:
    """The type that Python complex numbers get: the complex type over the default one."""
    return _default.to_complex()


def implied_in_print() -> tuple[dtype, ...]:
    """The types that tensors are written without: of complex ones never that of halves."""
    return _default, complex128 if _default is float64 else complex64, int64, bool_


followers: list[Callable[[dtype], object]] = []  # what else changes with the default dtype


def set_default_dtype(d: dtype, /) -> None:
    """Make `d` the type that Python floats get. Raises TypeError unless it is a floating type.

    >>> import rushlight as torch
    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor([1.5]).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d
    _results.clear()
    for follow in followers:
        follow(d)


def set_default_tensor_type(t: Any, /) -> None:
    """The older spelling of `set_default_dtype`: takes 'torch.DoubleTensor' or that class."""
    if isinstance(t, str):
        chosen: Any = {each.type_name: each for each in ALL if not each.is_complex}.get(t)
        if t.startswith("torch.cuda."):
            raise TypeError(f"type {t} not available. Torch not compiled with CUDA enabled.")
        if chosen is None and t.startswith("torch."):
            raise AttributeError(f"module 'torch' has no attribute '{t[6:]}'")
        if chosen is None:
            raise ModuleNotFoundError(f"No module named '{t.split('.')[0]}'")
    else:
        chosen = getattr(t, "dtype", None) if isinstance(t, type) else None
        if not isinstance(chosen, dtype):
            raise TypeError("invalid type object: only floating-point types are supported as the default type")
    set_default_dtype(chosen)
    warnings.warn(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() "
        "and torch.set_default_device() as alternatives.",
        UserWarning,
        stacklevel=2,
    )
