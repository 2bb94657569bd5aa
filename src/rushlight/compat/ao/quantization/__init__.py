"""torch.ao.quantization: the stubs of a model that is not quantized, which change nothing."""

from __future__ import annotations

from typing import Any

from rushlight.base.missing_names import lazy_names
from rushlight.nn import Module
from rushlight.tensor import Tensor

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]


class QuantStub(Module):
    """Marks where tensors would be quantized.

    >>> import rushlight as torch
    >>> torch.ao.quantization.QuantStub()(torch.ones(1))
    tensor([1.])
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(QuantStub):
    """Marks where tensors would be read back as floating point."""


class QuantWrapper(Module):
    """A module between two stubs."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant, self.dequant, self.module = QuantStub(qconfig), DeQuantStub(qconfig), module
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        return self.dequant(self.module(self.quant(X)))  # type: ignore[no-any-return]


__getattr__, __dir__ = lazy_names(__name__)
