"""Dispatch keys: PyTorch's names for the steps that a call of an op goes through.

There are no such steps here; programs register rules under them (torch._ops) and switch them off, which is remembered.
"""

from __future__ import annotations

import enum
from typing import Any


class DispatchKey(enum.Enum):
    """The keys that programs name."""

    Undefined = enum.auto()
    Dense = enum.auto()
    CPU = enum.auto()
    CUDA = enum.auto()
    HIP = enum.auto()
    XLA = enum.auto()
    MPS = enum.auto()
    XPU = enum.auto()
    HPU = enum.auto()
    Lazy = enum.auto()
    MTIA = enum.auto()
    PrivateUse1 = enum.auto()
    PrivateUse2 = enum.auto()
    PrivateUse3 = enum.auto()
    Meta = enum.auto()
    Quantized = enum.auto()
    QuantizedCPU = enum.auto()
    QuantizedCUDA = enum.auto()
    Sparse = enum.auto()
    SparseCPU = enum.auto()
    SparseCUDA = enum.auto()
    SparseMeta = enum.auto()
    SparseCsr = enum.auto()
    SparseCsrCPU = enum.auto()
    SparseCsrCUDA = enum.auto()
    SparseCsrMeta = enum.auto()
    NestedTensor = enum.auto()
    NestedTensorCPU = enum.auto()
    NestedTensorCUDA = enum.auto()
    NestedTensorMeta = enum.auto()
    BackendSelect = enum.auto()
    Python = enum.auto()
    Functionalize = enum.auto()
    Conjugate = enum.auto()
    Negative = enum.auto()
    ZeroTensor = enum.auto()
    ADInplaceOrView = enum.auto()
    AutogradOther = enum.auto()
    AutogradFunctionality = enum.auto()
    AutogradNestedTensor = enum.auto()
    AutogradCPU = enum.auto()
    AutogradCUDA = enum.auto()
    AutogradXLA = enum.auto()
    AutogradMPS = enum.auto()
    AutogradXPU = enum.auto()
    AutogradHPU = enum.auto()
    AutogradLazy = enum.auto()
    AutogradMTIA = enum.auto()
    AutogradPrivateUse1 = enum.auto()
    AutogradMeta = enum.auto()
    AutocastCPU = enum.auto()
    AutocastCUDA = enum.auto()
    AutocastXPU = enum.auto()
    AutocastMPS = enum.auto()
    AutocastHPU = enum.auto()
    AutocastIPU = enum.auto()
    AutocastPrivateUse1 = enum.auto()
    FuncTorchBatched = enum.auto()
    FuncTorchBatchedDecomposition = enum.auto()
    FuncTorchVmapMode = enum.auto()
    FuncTorchGradWrapper = enum.auto()
    FuncTorchDynamicLayerFrontMode = enum.auto()
    FuncTorchDynamicLayerBackMode = enum.auto()
    PythonTLSSnapshot = enum.auto()
    PreDispatch = enum.auto()
    PythonDispatcher = enum.auto()
    Autograd = enum.auto()
    CompositeImplicitAutograd = enum.auto()
    CompositeImplicitAutogradNestedTensor = enum.auto()
    CompositeExplicitAutograd = enum.auto()
    CompositeExplicitAutogradNonFunctional = enum.auto()

    @classmethod
    def _missing_(cls, value: object) -> None:
        if not isinstance(value, int):
            raise TypeError(
                "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
                f"    1. torch._C.DispatchKey(value: typing.SupportsInt | typing.SupportsIndex)\n\nInvoked with: {value!r}"
            )


class DispatchKeySet:
    """A set of dispatch keys."""

    def __init__(self, *keys: Any) -> None:
        self._keys: frozenset[DispatchKey] = frozenset()
        for one in keys:
            self._keys |= one._keys if isinstance(one, DispatchKeySet) else {one}

    def has(self, key: DispatchKey) -> bool:
        return key in self._keys

    def add(self, key: DispatchKey) -> DispatchKeySet:
        return DispatchKeySet(self, key)

    def remove(self, key: DispatchKey) -> DispatchKeySet:
        return DispatchKeySet(*(self._keys - {key}))

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)


_excluded: list[DispatchKeySet] = []


class _ExcludeDispatchKeyGuard:
    """``with _ExcludeDispatchKeyGuard(keys):`` remembers that the keys are switched off."""

    def __init__(self, keys: DispatchKeySet) -> None:
        self._keys = keys

    def __enter__(self) -> None:
        _excluded.append(self._keys)

    def __exit__(self, *error: object) -> None:
        _excluded.pop()


def _dispatch_tls_local_exclude_set() -> DispatchKeySet:
    """The keys that are switched off now."""
    return DispatchKeySet(*_excluded)
