"""torch._VF: PyTorch's functions before its Python code wraps them; here they are those of torch."""

from typing import Any

from rushlight.ops.public import registry


def __getattr__(name: str) -> Any:
    function = registry["torch._VF"].get(name) or registry["torch"].get(name)
    if function is None:
        raise AttributeError(f"module 'torch._VF' has no attribute {name!r}")
    return function
