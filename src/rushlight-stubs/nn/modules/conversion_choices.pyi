# Written by tools/stubs.py; `make stubs` writes it anew.

def get_overwrite_module_params_on_conversion() -> bool:
    """What :func:`set_overwrite_module_params_on_conversion` said; False at first."""
    ...
def get_swap_module_params_on_conversion() -> bool:
    """What :func:`set_swap_module_params_on_conversion` said; False at first."""
    ...
def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether ``module.to(...)`` and the like make new parameters, instead of giving the old ones other memory."""
    ...
def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether conversions and ``load_state_dict`` exchange parameters with new ones by ``torch.utils.swap_tensors``."""
    ...
