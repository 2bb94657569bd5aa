"""PyTorch and the library held against it, as two sides that are handed equal inputs.

A side is a module that answers to PyTorch's names. `Side.build` makes a side's own copy of whatever PyTorch's
samples hold (tensors with their strides, dtypes, sizes, functions), `Side.resolve` finds its form of a callable.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

# The order decides which path names a function that PyTorch offers under several: the public one first.
NAMESPACES = (
    "nn.functional",
    "linalg",
    "fft",
    "special",
    "signal.windows",
    "masked",
    "",
    "autograd",
    "nn",
    "Tensor",
    "functional",
)
SEED = 42
# Seeds for devices that are not there wait for them, each with the text of the stack.
torch.cuda.manual_seed_all = torch.xpu.manual_seed_all = torch.mtia.manual_seed_all = lambda seed: None
# What NumPy cannot hold is compared in the next wider type.
_WIDER = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
_KEPT_BY_VALUE = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic)
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    functools.partial,
    torch._ops.OpOverload,
    torch._ops.OpOverloadPacket,
    type,
)


class Missing(Exception):
    """The side has no such name."""


def attribute(root: Any, path: str) -> Any:
    """`attribute(torch, "nn.functional.relu")`; raises Missing where a part is not there."""
    found = root
    for part in path.split(".") if path else ():
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError) as error:
            if not isinstance(found, types.ModuleType):
                raise Missing(path) from error
            try:
                found = importlib.import_module(f"{found.__name__}.{part}")
            except ImportError:
                raise Missing(path) from error
    return found


@functools.cache
def _paths_by_identity() -> dict[int, str]:
    paths: dict[int, str] = {}
    for space in NAMESPACES:
        holder = attribute(torch, space)
        for name in dir(holder):
            value = getattr(holder, name, None)
            if callable(value) and not isinstance(value, types.ModuleType):
                paths.setdefault(id(value), f"{space}.{name}" if space else name)
    return paths


def path_of(function: Any, preferred: str | None = None) -> str | None:
    """The public path under `torch` of a callable of PyTorch's, or None."""
    if preferred is not None:
        try:
            if attribute(torch, preferred) is function:
                return preferred
        except Missing:
            pass
    return _paths_by_identity().get(id(function))


class Side:
    """One of the two: `Side(torch)` or `Side(rushlight)`."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module
        self._tensor_type = module.Tensor
        self._rebound: dict[types.FunctionType, Any] = {}
        self._wider = {self.build(narrow): self.build(wide) for narrow, wide in _WIDER.items()}

    # Values ---------------------------------------------------------------------------------------------------------

    def build(self, value: Any, memo: dict[int, Any] | None = None) -> Any:
        """This side's own copy of a value taken from PyTorch; one tensor met twice stays one tensor."""
        memo = {} if memo is None else memo
        if id(value) in memo:
            return memo[id(value)]
        built = self._build(value, memo)
        if isinstance(value, torch.Tensor):
            memo[id(value)] = built
        return built

    def _build(self, value: Any, memo: dict[int, Any]) -> Any:
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, _KEPT_BY_VALUE):
            return value
        if isinstance(value, torch.Size):
            return self.module.Size(tuple(value))
        if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
            return attribute(self.module, str(value).removeprefix("torch."))
        if isinstance(value, torch.device):
            return self.module.device(str(value))
        if isinstance(value, torch.Generator):
            generator = self.module.Generator()
            generator.manual_seed(value.initial_seed())
            return generator
        if isinstance(value, slice):
            return slice(*(self.build(part, memo) for part in (value.start, value.stop, value.step)))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.build(item, memo) for item in value))
        if isinstance(value, list | tuple):
            return type(value)(self.build(item, memo) for item in value)
        if isinstance(value, dict):
            return {key: self.build(item, memo) for key, item in value.items()}
        if isinstance(value, np.ndarray):
            return value.copy()
        if isinstance(value, torch.nn.Module):
            return self._module(value)
        if isinstance(value, _FUNCTIONS):
            return self.resolve(value)
        return value

    def tensor(self, source: torch.Tensor) -> Any:
        """A leaf over its own memory, laid out as the source is: strides, offset, expanded dimensions and all."""
        if source.layout is not torch.strided:
            raise Missing(f"layout {source.layout}")
        if source.dtype in _WIDER:
            narrow = self.tensor(source.detach().to(_WIDER[source.dtype])).to(self.build(source.dtype))
            return narrow.requires_grad_(source.requires_grad)
        made = self.module.from_numpy(_array_like(source.detach()))
        if source.is_neg():
            made = -made
        if source.is_conj():
            made = made.conj()
        made = made.detach()
        return made.requires_grad_() if source.requires_grad else made

    def _module(self, source: torch.nn.Module) -> Any:
        made = attribute(self.module, f"nn.{type(source).__name__}")()
        for name, value in vars(source).items():
            if not name.startswith("_"):
                setattr(made, name, self.build(value))
        return made

    def array(self, tensor: Any, copy: bool = True) -> np.ndarray:
        """The tensor's values as an array, its own where it is a copy; bfloat16 and complex32 in double their width."""
        tensor = tensor.detach()
        wider = self._wider.get(tensor.dtype)
        if wider is not None:
            tensor = tensor.to(wider)
        if isinstance(tensor, torch.Tensor):
            if tensor.layout is not torch.strided:
                tensor = tensor.to_dense()
            array = tensor.numpy(force=True)
        else:
            if tensor.is_conj():
                tensor = tensor.resolve_conj()
            if tensor.is_neg():
                tensor = tensor.resolve_neg()
            array = tensor.numpy()
        return np.array(array) if copy else array

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self._tensor_type)

    def leaves(self, value: Any) -> Iterator[Any]:
        """The tensors and plain values in nested lists, tuples and dicts, in order."""
        if self.is_tensor(value) or isinstance(value, self.module.Size):
            yield value
        elif isinstance(value, list | tuple):
            for item in value:
                yield from self.leaves(item)
        elif isinstance(value, dict):
            for key in sorted(value):
                yield from self.leaves(value[key])
        else:
            yield value

    # Functions ------------------------------------------------------------------------------------------------------

    def resolve(self, function: Any, preferred: str | None = None) -> Any:
        """This side's form of a function: by its public name, or the same code with its globals bound to this side."""
        if self.module is torch:
            return _SEEDED if getattr(function, "__name__", "") == "wrapper_set_seed" else function
        if getattr(function, "__name__", "") == "wrapper_set_seed":
            return self._seeded
        path = path_of(function, preferred)
        if path is not None:
            return attribute(self.module, path)
        if isinstance(function, functools.partial):
            keywords = {name: self.build(value) for name, value in function.keywords.items()}
            return functools.partial(self.resolve(function.func), *self.build(function.args), **keywords)
        if isinstance(function, types.FunctionType):
            return self._rebind(function)
        if isinstance(function, types.MethodType):
            return types.MethodType(self._rebind(function.__func__), function.__self__)
        if isinstance(function, type) and function is torch.Tensor:
            return self.module.Tensor
        if (getattr(function, "__module__", None) or "").startswith("torch"):
            raise Missing(f"{function!r} has no public name in PyTorch")
        return function

    def _seeded(self, op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self.module.manual_seed(SEED)
        return op(*args, **kwargs)

    def _rebind(self, function: types.FunctionType) -> types.FunctionType:
        if function in self._rebound:
            return self._rebound[function]
        space = _Globals(self, function.__globals__)
        closure = function.__closure__ and tuple(types.CellType() for _ in function.__closure__)
        made = types.FunctionType(function.__code__, space, function.__name__, None, closure)
        self._rebound[function] = made
        for cell, original in zip(closure or (), function.__closure__ or (), strict=True):
            cell.cell_contents = self._name(original.cell_contents)
        if function.__defaults__:
            made.__defaults__ = tuple(self._name(value) for value in function.__defaults__)
        if function.__kwdefaults__:
            made.__kwdefaults__ = {name: self._name(value) for name, value in function.__kwdefaults__.items()}
        return made

    def _name(self, value: Any) -> Any:
        """What a global, a captured variable or a default of a rebound function stands for on this side."""
        if isinstance(value, types.ModuleType):
            if value is torch:
                return self.module
            if value.__name__.startswith("torch."):
                return attribute(self.module, value.__name__.removeprefix("torch."))
            return value
        if isinstance(value, type) and value is not torch.Tensor:
            path = path_of(value)
            return value if path is None else attribute(self.module, path)
        return self.build(value)


class _Globals(dict[str, Any]):
    """The globals of a rebound function: each is translated when the code first asks for it."""

    def __init__(self, side: Side, original: dict[str, Any]) -> None:
        super().__init__(__builtins__=original["__builtins__"])
        self._side = side
        self._original = original

    def __missing__(self, name: str) -> Any:
        self[name] = self._side._name(self._original[name])
        return self[name]


_SEEDED = Side(torch)._seeded


def _array_like(source: torch.Tensor) -> np.ndarray:
    """A NumPy array over a copy of the tensor's storage, seen with the tensor's offset and strides."""
    physical = source.conj() if source.is_conj() else source
    physical = torch._neg_view(physical) if physical.is_neg() else physical
    dtype = torch.empty((), dtype=physical.dtype).numpy().dtype
    if physical.numel() == 0:
        return np.empty(tuple(physical.shape), dtype)
    steps = physical.stride()
    reach = 1 + sum((size - 1) * step for size, step in zip(physical.shape, steps, strict=True))
    flat = physical.as_strided((reach,), (1,), physical.storage_offset()).numpy().copy()
    strides = [step * dtype.itemsize for step in steps]
    return np.lib.stride_tricks.as_strided(flat, tuple(physical.shape), strides)


# Comparison.


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """|a - b| <= relative * |b| + absolute * max(1, largest finite |b|, beside)."""

    relative: float
    absolute: float
    beside: float = 0.0


def tolerance_for(dtype: np.dtype, order: int = 0, beside: float = 0.0) -> Tolerance:
    """For results (order 0) and derivatives of that order.

    In single precision a derivative can be a difference of much larger numbers: `beside` is the largest one in play.
    """
    if dtype in (np.float64, np.complex128):
        return Tolerance(1e-5, 1e-7 if order else 1e-8)
    if dtype in (np.float32, np.complex64):
        return Tolerance(1e-3, 1e-4, beside / 10) if order else Tolerance(1e-4, 1e-5)
    if dtype == np.float16:
        return Tolerance(1e-2, 1e-2 if order else 1e-3)
    return Tolerance(0.0, 0.0)


def largest(arrays: Iterable[np.ndarray | None]) -> float:
    """The largest finite magnitude in any of the arrays."""
    sizes = [np.abs(array[np.isfinite(array)]).max(initial=0.0) for array in arrays if array is not None]
    return float(max(sizes, default=0.0))


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have one shape and the same bytes in it, nan and the sign of zero too."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.size < 10_000:
        return one.tobytes() == other.tobytes()
    if one.dtype.kind == "c":
        return same_bits(one.real, other.real) and same_bits(one.imag, other.imag)
    return np.array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{one.itemsize}"))


def array_difference(ours: np.ndarray, theirs: np.ndarray, tolerance: Tolerance) -> str | None:
    """None where the values agree, else where they differ most. `theirs` is the reference."""
    if theirs.size == 0 or (ours.dtype == theirs.dtype and same_bits(ours, theirs)):
        return None
    if theirs.dtype.kind not in "fc":
        wrong = ours != theirs
        if not wrong.any():
            return None
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        return f"{int(wrong.sum())}/{wrong.size} differ, at {list(where)}: {ours[where]!s} for {theirs[where]!s}"
    if theirs.dtype.kind == "c":
        real = array_difference(ours.real, theirs.real, tolerance)
        imaginary = array_difference(ours.imag, theirs.imag, tolerance)
        if real is None and imaginary is None:
            return None
        # The parts of a complex number are judged together: an error of one part may be large beside that part alone.
        if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
            return f"real {real}, imaginary {imaginary}"
    with np.errstate(all="ignore"):
        finite = np.isfinite(theirs)
        size = np.abs(theirs)
        scale = max(1.0, tolerance.beside, float(size[finite].max(initial=0.0)))
        close = np.abs(ours - theirs) <= tolerance.relative * size + tolerance.absolute * scale
        agree = np.where(finite & np.isfinite(ours), close, (ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
        if agree.all():
            return None
        gap = np.where(agree, -1.0, np.where(np.isfinite(ours) & finite, np.abs(ours - theirs), np.inf))
    where = np.unravel_index(int(np.argmax(gap)), gap.shape)
    place = [int(i) for i in where]
    return f"{int((~agree).sum())}/{agree.size} differ, at {place}: {ours[where]!s} for {theirs[where]!s}"
