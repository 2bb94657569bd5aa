"""How a lower room names what only a higher one can give, and knows of it without importing it.

Arrows go one way: tensor, ops, autograd, backend. Where the engine must make a Tensor, it calls a name of its own that
tensor.py sets when it is imported; :func:`provided` stands there until then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import threading

State = TypeVar("State", bound="threading.local")
carried_states: list[threading.local] = []


def provided(name: str) -> Any:
    """A stand-in for ``name``, which a higher room replaces.

    >>> from rushlight.base.rooms import provided
    >>> provided("wrap")()
    Traceback (most recent call last):
    AssertionError: 'wrap' is set by a higher room of rushlight, which is not imported yet
    """

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"{name!r} is set by a higher room of rushlight, which is not imported yet")

    return stand_in


def opened(name: str) -> Any:
    """The module of that name (``overrides.torch_dispatch`` say) if something has imported it, else None."""
    return sys.modules.get(f"{__name__.partition('.')[0]}.{name}")


def carried(state: State) -> State:
    """Says that what a thread has switched on in ``state`` goes along where its work goes on in another thread."""
    carried_states.append(state)
    return state
