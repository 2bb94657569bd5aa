"""How a lower room names what only a higher one can give.

Arrows go one way: tensor, ops, autograd, backend. Where the engine must make a Tensor, it calls a name of its own that
tensor.py sets when it is imported; :func:`provided` stands there until then.
"""

from __future__ import annotations

from typing import Any


def provided(name: str) -> Any:
    """A stand-in for ``name``, which a higher room replaces.

    >>> from rushlight.rooms import provided
    >>> provided("wrap")()
    Traceback (most recent call last):
    AssertionError: 'wrap' is set by a higher room of rushlight, which is not imported yet
    """

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"{name!r} is set by a higher room of rushlight, which is not imported yet")

    return stand_in
