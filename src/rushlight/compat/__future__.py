"""torch.__future__: how modules are converted and loaded, by choice.

>>> import rushlight as torch
>>> torch.__future__.get_swap_module_params_on_conversion()
False
"""

from __future__ import annotations

from rushlight.nn.modules.conversion_choices import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion,
)

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]
