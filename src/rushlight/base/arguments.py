"""What is said of arguments: their types as PyTorch spells them, its errors, and warnings at the user's line."""

from __future__ import annotations

import os
import sys
import warnings
from types import CodeType, FrameType
from typing import Any, NoReturn

import numpy as np

from .device import device

NUMBERS = (bool, int, float, complex, np.number, np.bool_)
ROOT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
OWN_CODE = (ROOT, "<rushlight")  # how filenames of this package begin, those of compiled ops too


class _OwnFiles(dict[str, bool]):
    """Whether a file belongs to this package: asked for each op that is recorded."""

    def __missing__(self, filename: str) -> bool:
        self[filename] = filename.startswith(OWN_CODE)
        return self[filename]


is_own = _OwnFiles()


def code_of(function: object) -> CodeType | None:
    """What a function in Python was compiled to, to read where it stands and what its parameters are; None of other callables."""
    code: CodeType | None = getattr(function, "__code__", None)
    return code


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame outside the package."""
    while frame is not None and frame.f_code.co_filename.startswith(OWN_CODE):
        frame = frame.f_back
    return frame


def refuse(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], *forms: str) -> NoReturn:
    """PyTorch's TypeError for arguments that fit none of a function's forms."""
    got = ", ".join([type_name(value) for value in args] + [f"{key}={type_name(value)}" for key, value in kwargs.items()])
    expected = "".join(f" * ({form})\n" for form in forms)
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{expected}")


_MADE_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE: types written in C carry their module in their name


# Classes that PyTorch makes in C++, which its errors name with their module.
_PACKAGES = __name__.partition(".")[0], "torch"  # or as it is called in a program that says so
_IN_ERRORS = {"Generator": "torch._C.Generator", "Size": "torch.Size", "dtype": "torch.dtype", "layout": "torch.layout"}


def type_name(value: Any) -> str:
    """A value's type as PyTorch's argument errors spell it."""
    kind = type(value)
    home = getattr(kind, "__module__", "builtins")  # the arrays of ctypes have none
    if home != "builtins" and not kind.__flags__ & _MADE_IN_PYTHON:
        return f"{home}.{kind.__name__}"
    if isinstance(value, device):
        return "torch.device"
    return _IN_ERRORS.get(kind.__name__, kind.__name__) if home.partition(".")[0] in _PACKAGES else kind.__name__


def check_switch(name: str, label: str, position: int, value: object) -> None:
    """PyTorch's TypeError for an argument that is neither True nor False."""
    if value.__class__ is not bool:
        raise TypeError(f"{name}(): argument '{label}' (position {position}) must be bool, not {type_name(value)}")


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line of the user's program that is running."""
    depth = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN_CODE):
        frame = frame.f_back
        depth += 1
    warnings.warn(text, category, stacklevel=depth)


def refuse_too_large(value: object) -> None:
    """PyTorch's error for a whole number that its numbers do not hold: those are of 64 bits, with a sign or without."""
    if not isinstance(value, int):
        return
    if value >= 2**64:
        raise OverflowError("int too big to convert")
    if value < -(2**63):
        raise OverflowError("can't convert negative int to unsigned")


def axis_of(dim: Any, ndim: int, *, wrap_scalar: bool = True) -> int:
    """A dimension as a number from 0: PyTorch's error when there is no such dimension."""
    if dim.__class__ is int and -ndim <= dim < ndim:
        return dim if dim >= 0 else dim + ndim
    try:
        array = getattr(dim, "_array", None)
        if isinstance(dim, (bool, np.ndarray)) or (array is not None and (array.ndim or array.dtype.kind == "b")):
            raise TypeError  # those stand for a number only where a form says so
        axis = dim.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"'{type(dim).__name__}' object cannot be interpreted as an integer") from None
    size = ndim or (1 if wrap_scalar else 0)
    if not -size <= axis < size:
        if not -(2**63) <= axis < 2**63:
            raise ValueError("Overflow when unpacking long long")
        if not size:
            raise IndexError(f"Dimension specified as {axis} but tensor has no dimensions")
        raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {axis})")
    return axis + size if axis < 0 else axis


def check_device(function: str, where: object) -> None:
    """TypeError, naming `function`, for what is no device, no name of one, no index and not None."""
    if where is not None and (isinstance(where, bool) or not isinstance(where, (device, str, int, np.integer))):
        raise TypeError(f"{function}(): argument 'device' (position 1) must be torch.device, not {type_name(where)}")
    if where is not None and not isinstance(where, device):
        device(where)  # of a name or an index that there is
