"""Methods that some modules share here and PyTorch writes out for each: errors tell them by the name of the module's own class."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType
from typing import Any

_SHARED = {
    "__init__": frozenset(
        "_AlongDim _AlphaActivation _AvgPool _ConstantPadNd _Conv _ConvTransposeNd _FractionalMaxPoolNd _InplaceActivation _LazyConv "
        "_LazyConvTranspose _MaxUnpoolNd _Pad _Shrink".split()
    ),
    "forward": frozenset(
        "RNNBase _AdaptiveAvgPoolNd _AdaptiveMaxPoolNd _AvgPool _Conv _ConvTransposeNd _DropoutNd _LPPoolNd _MaxPoolNd _MaxUnpoolNd".split()
    ),
}
# The names in PyTorch's errors of classes that it has between these bases and the modules.
_BETWEEN = {
    "__init__": {
        "_BatchNorm": "_BatchNorm",
        "_LazyBatchNorm": "_LazyNormBase",
        "_LazyInstanceNorm": "_LazyNormBase",
    },
    "forward": {name: name for name in ("_CircularPadNd", "_ConstantPadNd", "_ReflectionPadNd", "_ReplicationPadNd")},
}


def name_methods(classes: Iterable[type]) -> None:
    """Gives each class the methods that it shares with others under its own name."""
    bases = {base for cls in classes for base in cls.__mro__}
    for cls in sorted(bases, key=lambda each: len(each.__mro__)):
        for method, owners in _SHARED.items():
            owner = next((base for base in cls.__mro__ if method in vars(base)), None)
            if cls.__name__ in _BETWEEN[method]:
                _give(cls, method, _BETWEEN[method][cls.__name__])
            elif owner is not None and owner is not cls and owner.__name__ in owners and cls.__name__[0] != "_":
                _give(cls, method, cls.__name__)


def _give(cls: type, method: str, name: str) -> None:
    shared: Any = getattr(cls, method)
    own = FunctionType(shared.__code__, shared.__globals__, method, shared.__defaults__, shared.__closure__)
    own.__kwdefaults__, own.__doc__, own.__annotations__ = shared.__kwdefaults__, shared.__doc__, shared.__annotations__
    own.__module__, own.__qualname__ = shared.__module__, f"{name}.{method}"
    setattr(cls, method, own)
