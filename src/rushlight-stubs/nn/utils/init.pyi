# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any

def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Makes a module without drawing first values: the random generator stays where it is, what parameters hold is undefined."""
    ...
