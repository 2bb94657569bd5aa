"""One parameter of a form that PyTorch takes arguments in: which values it takes, and what number stands for them."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from ..base import device as devices
from ..base import dtypes
from ..base.arguments import NUMBERS

# Functions that take numbers where their forms say Tensor.
_NUMBERS_TOO = frozenset(
    "add add_ copy_ div div_ divide divide_ floor_divide floor_divide_ mul mul_ multiply multiply_ sub sub_ subtract subtract_ true_divide "
    "true_divide_".split()
)
# What may be None, though no default says so.
_OR_NONE = dict.fromkeys("mean nansum norm nuclear_norm std std_mean sum var var_mean".split(), "dim") | {
    "random_": "to",
    **dict.fromkeys(("div", "div_", "divide", "divide_"), "rounding_mode"),
    "embedding_bag": "per_sample_weights padding_idx",
}
# Functions with a form for one dimension, and another for several.
_ONE_IS_ANOTHER_FORM = frozenset("all any squeeze squeeze_copy".split())
_KINDS: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "str": str,
    "torch.layout": devices.layout,
    "torch.memory_format": devices.memory_format,
    "torch.device": (devices.device, str, int),
    "tuple of Tensors": (tuple, list),
    "tuple of Scalars": (tuple, list),
    "tuple of floats": (tuple, list),
}


class Parameter(NamedTuple):
    """One of a form's parameters."""

    kind: str
    label: str
    default: str | None
    keyword_only: bool
    optional: bool  # may be None
    one_stands_for_all: bool  # an int for a tuple of ints
    by_index: bool  # whatever has __index__ is an int

    def takes(self, value: object, name: str) -> bool:
        """Whether PyTorch takes a value here, in a function of this name; of what is not known, yes."""
        if value is None:
            is_loose = self.kind == "torch.Generator" or self.label in ("pin_memory", "requires_grad")
            return self.optional or is_loose or self.label in _OR_NONE.get(name, "").split()
        if self.kind == "torch.Generator":
            return type(value).__name__ == "Generator"  # of a room above
        if self.kind == "Tensor":
            return is_tensor(value) or (name in _NUMBERS_TOO and isinstance(value, NUMBERS))
        if self.kind == "tuple of ints":
            if isinstance(value, (tuple, list)):
                return not value or is_index(value[0])
            return self.one_stands_for_all and name.rstrip("_") not in _ONE_IS_ANOTHER_FORM and is_index(value)
        if self.kind in ("Number", "float"):
            return is_number(value) and not (self.kind == "float" and value.__class__ is complex)
        if self.kind == "int":
            return is_index(value, "iu") if self.by_index else is_integer(value)
        if self.kind == "torch.dtype":
            return isinstance(value, dtypes.dtype) or any(value is kind for kind in dtypes.OF_PYTHON)
        return isinstance(value, _KINDS.get(self.kind, object)) and not (
            self.kind == "torch.device" and isinstance(value, bool)
        )

    def plain(self, value: Any) -> object:
        """A number of Python's for what stands for one here."""
        if self.kind in ("int", "tuple of ints") and (_stands_for_number(value) or isinstance(value, np.integer)):
            whole = operator.index(value)
            return (whole,) if self.label == "indices" else whole  # beside a form whose sections are an int
        if self.kind == "tuple of ints" and isinstance(value, (tuple, list)) and any(map(_stands_for_number, value)):
            return type(value)(operator.index(one) if _stands_for_number(one) else one for one in value)
        if self.kind == "torch.dtype" and isinstance(value, type):
            return dtypes.OF_PYTHON.get(value, value)
        if self.kind in ("Number", "float"):
            if is_tensor(value):
                return value.item()
            if isinstance(value, np.complexfloating) and not (self.kind == "Number" and isinstance(value, complex)):
                return float(value)  # as PyTorch reads it, with NumPy's warning
        return value


def _stands_for_number(value: object) -> bool:
    return is_tensor(value) or isinstance(value, np.ndarray)


def is_tensor(value: object) -> bool:
    return hasattr(value, "_array")


def _dimensions(value: object) -> int | None:
    """A tensor's; None of what is none."""
    array = getattr(value, "_array", None)
    return None if array is None else int(array.ndim)


def is_number(value: object) -> bool:
    """Whether PyTorch takes it for a number: a tensor of no dimensions, which no gradient is asked of, is one too."""
    return isinstance(value, NUMBERS) or (_dimensions(value) == 0 and not getattr(value, "requires_grad", False))


def overflows(value: object) -> bool:
    """Whether a whole number is beyond 64 bits."""
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def is_integer(value: object) -> bool:
    """Whether it is a whole number by its type."""
    if is_tensor(value):
        return _dimensions(value) == 0 and is_index(value, "iu") and is_number(value)
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_index(value: object, kinds: str = "iub") -> bool:
    """Whether it stands for a whole number by what it says of itself; ``kinds``: of the elements of tensors."""
    if isinstance(value, bool):
        return False
    array = getattr(value, "_array", None)
    if array is not None:
        return bool(array.size == 1 and array.dtype.kind in kinds)
    try:
        operator.index(value)  # type: ignore[arg-type]
    except Exception:  # of the object's own too
        return False
    return True
