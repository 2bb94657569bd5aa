"""torch._functorch.pyfunctorch: the running transforms as objects."""

from __future__ import annotations

from .._C._functorch import CInterpreter, TransformType, get_interpreter_stack, peek_interpreter_stack

__all__ = ["CInterpreter", "TransformType", "retrieve_all_functorch_interpreters", "retrieve_current_functorch_interpreter"]


def retrieve_current_functorch_interpreter() -> CInterpreter:
    """The innermost running transform. RuntimeError if there is none."""
    found = peek_interpreter_stack()
    if found is None:
        raise RuntimeError("no function transform is running")
    return found


def retrieve_all_functorch_interpreters() -> list[CInterpreter]:
    """All running transforms, the outermost first."""
    return get_interpreter_stack() or []
