"""Two sides of torch.distributions: PyTorch's and rushlight's, on which the same expressions are evaluated.

In an expression `torch` and all names of torch.distributions mean one side or the other, and `p(...)` makes a parameter that
gradients are asked for.
"""

from __future__ import annotations

import importlib
import math
import warnings
from typing import Any

import numpy as np
import torch

import rushlight


class Side:
    """Evaluates expressions with one library's names."""

    def __init__(self, library: Any, dtype: str = "float64") -> None:
        self.torch = library
        self.dtype = getattr(library, dtype)
        self.distributions = importlib.import_module(f"{library.__name__}.distributions")
        self.parameters: list[Any] = []
        self.names: dict[str, Any] = {"torch": library, "p": self.parameter, "math": math, "warnings": warnings}
        for name in dir(torch.distributions):
            if not name.startswith("__"):
                self.names[name] = getattr(self.distributions, name)

    def parameter(self, value: Any) -> Any:
        tensor = self.torch.tensor(value, dtype=self.dtype, requires_grad=True)
        self.parameters.append(tensor)
        return tensor

    def __call__(self, expression: str, **names: Any) -> Any:
        self.torch.set_default_dtype(self.dtype)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return eval(expression, self.names | names)
        finally:
            self.torch.set_default_dtype(self.torch.float32)

    def outcome(self, expression: str, **names: Any) -> Any:
        """The result, or the error's type and text."""
        try:
            return self(expression, **names)
        except Exception as error:
            return type(error), str(error)

    def gradients(self, result: Any) -> list[Any]:
        """Of a weighted sum of the result, for each parameter; None where it does not depend on one."""
        if not getattr(result, "requires_grad", False):
            return []
        weights = self.torch.arange(1, result.numel() + 1, dtype=result.dtype).reshape(result.shape).cos()
        try:
            return list(self.torch.autograd.grad((result * weights).sum(), self.parameters, allow_unused=True))
        except RuntimeError as error:
            return [str(error)]


def sides(dtype: str = "float64") -> tuple[Side, Side]:
    return Side(torch, dtype), Side(rushlight, dtype)


def assert_alike(expected: Any, found: Any, what: str, rtol: float = 1e-9, atol: float = 1e-10) -> None:
    if isinstance(expected, torch.Tensor):
        assert isinstance(found, rushlight.Tensor), (what, found)
        assert (str(found.dtype), tuple(found.shape)) == (str(expected.dtype), tuple(expected.shape)), what
        assert found.requires_grad == expected.requires_grad, what
        arrays = found.detach().numpy(), expected.detach().numpy(force=True)
        np.testing.assert_allclose(*arrays, rtol=rtol, atol=atol, err_msg=what)
    elif isinstance(expected, tuple) and len(expected) == 2 and isinstance(expected[0], type):
        assert found[0] is expected[0], (what, found)
        # Rushlight may say more on lines below, and writes numbers as it computed them.
        assert found[1].startswith(expected[1].replace("'torch.", "'rushlight.")), what
    elif isinstance(expected, list | tuple) and not isinstance(expected, torch.Size):
        assert len(found) == len(expected), what
        for one, other in zip(expected, found, strict=True):
            assert_alike(one, other, what, rtol, atol)
    else:
        assert repr(found) == repr(expected), what
