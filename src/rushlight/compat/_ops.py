"""torch._ops: ``HigherOrderOperator``, an operator whose rules are told by the kind of transform that meets it.

And what ``torch.ops`` does with libraries in C++.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from rushlight.base.public_names import loaded_libraries
from rushlight.transforms import dynamic_layers

from ._C import DispatchKey
from ._C import _functorch as transforms

__all__ = ["HigherOrderOperator"]

Rule = TypeVar("Rule", bound=Callable[..., Any])

# Under which keys the rule of a call outside of all transforms is looked for, in this order.
_PLAIN = (
    DispatchKey.AutogradCPU,
    DispatchKey.Autograd,
    DispatchKey.CPU,
    DispatchKey.CompositeImplicitAutograd,
    DispatchKey.CompositeExplicitAutograd,
)

# Libraries in C++ whose operators stand in a module here.
_MODULES = {
    "torchvision/_C": "rushlight.torchvision_operators",
    "lib/_torchaudio": "rushlight.torchaudio_operators",
    "lib/libtorchaudio": "rushlight.torchaudio_operators",
}


def load_library(path: str) -> None:
    """Defines the operators of a library, known by the end of its path. OSError for others: code written for PyTorch's C++ cannot run."""
    file = Path(path)
    module = _MODULES.get(f"{file.parent.name}/{file.name.partition('.')[0]}")
    if module is None or not file.exists():
        raise OSError(f"Could not load this library: {path}")
    import_module(module)
    loaded_libraries.add(str(path))


class HigherOrderOperator:
    """A subclass gives it a name; ``py_impl`` gives it rules.

    The rule of a transform (``TransformType.Vmap``, ...) is called with the running layer first; inside
    ``with interpreter.lower():`` a call meets the next layer outside, at last the rule of a dispatch key.
    NotImplementedError where there is no rule.

    >>> import rushlight as torch
    >>> from rushlight._C import DispatchKey
    >>> from rushlight._ops import HigherOrderOperator
    >>> class Twice(HigherOrderOperator):
    ...     def __init__(self):
    ...         super().__init__("twice")
    >>> twice = Twice()
    >>> @twice.py_impl(DispatchKey.AutogradCPU)
    ... def _(x):
    ...     return x + x
    >>> twice(torch.ones(1))
    tensor([2.])
    """

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = self.__name__ = name
        self.cacheable = cacheable
        self.py_kernels: dict[Any, Callable[..., Any]] = {}

    def py_impl(self, k: Any) -> Callable[[Rule], Rule]:
        """Marks a function as the rule of a key."""

        def register(rule: Rule) -> Rule:
            self.py_kernels[k] = rule
            return rule

        return register

    def fallthrough(self, key: Any) -> None:
        """Calls go by a key as if it did not exist: so they do for all without a rule."""

    def name(self) -> str:
        return self._name

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if dynamic_layers.state.stack:
            interpreter = transforms.CInterpreter(dynamic_layers.state.stack[-1])
            rule = self.py_kernels.get(interpreter.key())
            if rule is None:
                raise NotImplementedError(f"{self._name} has no rule for {interpreter.key()}")
            return rule(interpreter, *args, **kwargs)
        for key in _PLAIN:
            if key in self.py_kernels:
                return self.py_kernels[key](*args, **kwargs)
        raise NotImplementedError(f"{self._name} has no rule for {_PLAIN[0]}")

    def __str__(self) -> str:
        return self._name
