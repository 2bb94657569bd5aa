"""rushlight: PyTorch's autograd without PyTorch, in Python, on NumPy.

>>> import rushlight as torch
>>> x = torch.ones(2, 2, requires_grad=True)
>>> y = x + 2
>>> out = (y * y * 3).mean()
>>> out.backward()
>>> x.grad
tensor([[4.5000, 4.5000],
        [4.5000, 4.5000]])
"""

from __future__ import annotations

from typing import Any

from . import ops as _ops
from .autograd.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .device import device
from .dtypes import *  # noqa: F403
from .dtypes import dtype, finfo, iinfo
from .missing import module_getattr
from .ops.public import registry as _registry
from .size import Size
from .tensor import Tensor, install_methods
from .torch_alias import install_as_torch
from .version import __version__

install_methods()
_missing = module_getattr(__name__)


def __getattr__(name: str) -> Any:
    function = _registry["torch"].get(name)
    if function is None:
        return _missing(name)
    globals()[name] = function
    return function
