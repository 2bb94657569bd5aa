# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight._inner import ContextDecorator
from typing import Any
from typing import NamedTuple

class UnpackedDualTensor(NamedTuple):
    """A dual tensor's two parts; the tangent is None if there is none."""
    primal: Any
    tangent: Any
class dual_level(ContextDecorator):
    """Within it, :func:`make_dual` gives tensors tangents, and every op passes them on."""
    def __enter__(self) -> int: ...
    def __exit__(self, kind: object, error: object, tb: object) -> None: ...
def enter_dual_level() -> int:
    """Opens the level that :func:`make_dual` uses, and returns its number. There is one at a time: RuntimeError for a second."""
    ...
def exit_dual_level(*, level: int | None = None) -> None:
    """Closes the level: tensors made in it have no tangent any more. RuntimeError where none is open."""
    ...
def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that carries ``tangent`` (of its shape and dtype) in the open level."""
    ...
def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A tensor without its tangent (``primal``), and the ``tangent``: None where it has none, or outside of a level."""
    ...
