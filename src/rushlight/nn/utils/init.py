"""Modules whose parameters are not set yet."""

from __future__ import annotations

import inspect
from typing import Any

import rushlight as torch

from ..modules.module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Makes a module without drawing first values: the random generator stays where it is, what parameters hold is undefined.

    RuntimeError for what is no module class, or one that takes no ``device``.

    >>> import rushlight as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 3, 2)
    Linear(in_features=3, out_features=2, bias=True)
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = torch.get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        torch.set_rng_state(before)
