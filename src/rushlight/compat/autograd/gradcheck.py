"""torch.autograd.gradcheck: derivatives held against finite differences.

The module itself can be called too: ``torch.autograd.gradcheck`` names both the function and its module.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

from rushlight.testing.finite_differences import GradcheckError
from rushlight.testing.gradcheck import get_analytical_jacobian, get_numerical_jacobian, gradcheck, gradgradcheck

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]


class _CallableModule(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        return gradcheck(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(gradcheck)


sys.modules[__name__].__class__ = _CallableModule
