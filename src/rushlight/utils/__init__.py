"""torch.utils: what stands beside the tensors."""

from ..base.missing_names import lazy_names
from . import _import_utils

__path__.append(f"{__path__[0]}/../compat/utils")  # names that it only passes on lie there, and are imported from here
__all__ = ["_import_utils"]
__getattr__, __dir__ = lazy_names(
    __name__,
    frozenset(
        {
            "_device",
            "_dtype_abbrs",
            "_mode_utils",
            "_pytree",
            "_python_dispatch",
            "_traceback",
            "checkpoint",
            "collect_env",
            "data",
            "deterministic",
            "dlpack",
            "flop_counter",
            "hooks",
            "model_zoo",
            "weak",
        }
    ),
    {"swap_tensors": "swapping"},
)
