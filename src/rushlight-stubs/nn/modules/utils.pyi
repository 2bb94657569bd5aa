# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any

def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Takes a prefix off all keys of a state dict that begin with it, in place: ``module.`` of a wrapped model, say."""
    ...
