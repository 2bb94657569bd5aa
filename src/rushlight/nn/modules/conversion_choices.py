"""How modules are converted and loaded, by choice: what ``torch.__future__`` sets."""

from __future__ import annotations

_overwrite_module_params_on_conversion = False
_swap_module_params_on_conversion = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether ``module.to(...)`` and the like make new parameters, instead of giving the old ones other memory."""
    global _overwrite_module_params_on_conversion
    _overwrite_module_params_on_conversion = value


def get_overwrite_module_params_on_conversion() -> bool:
    """What :func:`set_overwrite_module_params_on_conversion` said; False at first."""
    return _overwrite_module_params_on_conversion


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether conversions and ``load_state_dict`` exchange parameters with new ones by ``torch.utils.swap_tensors``."""
    global _swap_module_params_on_conversion
    _swap_module_params_on_conversion = value


def get_swap_module_params_on_conversion() -> bool:
    """What :func:`set_swap_module_params_on_conversion` said; False at first."""
    return _swap_module_params_on_conversion
