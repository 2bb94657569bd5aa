"""``Variable``, which tensors were wrapped in before they recorded operations themselves: every tensor is one."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import state
from rushlight.tensor import Tensor
from rushlight.tensors.arguments import type_name


class ImperativeEngine:
    """What stands for the engine in old code: ``Variable._execution_engine.queue_callback(f)``."""

    def queue_callback(self, callback: Callable[[], None]) -> None:
        """Runs ``callback`` at the end of the backward pass that is under way; RuntimeError outside of one."""
        if state.task is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.task.call_at_end(callback)


class VariableMeta(type):
    """Makes ``isinstance(x, Variable)`` true of tensors."""

    __module__ = "torch.autograd.variable"

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(data, requires_grad=False)``: a tensor over the same memory, a leaf.

    TypeError if ``data`` is no tensor.

    >>> import rushlight as torch
    >>> from rushlight.autograd import Variable
    >>> Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    __module__ = "torch.autograd.variable"
    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Any = None, requires_grad: Any = False, volatile: bool = False) -> Any:
        number = operator.index(requires_grad)
        if volatile:
            warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2)
        if not 0 <= number < 256:
            raise OverflowError(f"unsigned byte integer is {'less than minimum' if number < 0 else 'greater than maximum'}")
        if data is None:
            made = Tensor()
        elif isinstance(data, Tensor):
            made = data.data
            made._counter = data._counter
        else:
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        if requires_grad:
            if not (made.is_floating_point() or made.is_complex()):
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            made._needs_grad = True
        return made
