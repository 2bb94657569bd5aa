"""NumPy's warnings of overflow and invalid values switched off, for less than ``np.errstate`` takes: 0.2 us in place of 0.9.

``np.errstate`` makes a setting and puts it into a context variable; here it is made once. An interrupt that comes as it enters
leaves NumPy's warnings off for good, and none of what is here, but at the very entry of ``__exit__``.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

now: Callable[[], Any]  # what is set
begin: Callable[[], Any]
back: Callable[[Any], object]  # sets what was set before


def _found(**kinds: Any) -> tuple[contextvars.ContextVar[Any], Any] | None:
    with np.errstate(**kinds):
        for variable, setting in contextvars.copy_context().items():
            if variable.name == "numpy.ufunc.extobj":
                return variable, setting
    return None


def _restore(before: dict[str, Any]) -> None:
    np.seterr(**before)


_silence, _usual = _found(all="ignore"), _found()
if _silence is not None and _usual is not None:
    _variable = _silence[0]
    now = functools.partial(_variable.get, _usual[1])  # no thread has anything set when it begins
    begin, back = functools.partial(_variable.set, _silence[1]), _variable.set
else:
    now, begin, back = np.geterr, functools.partial(np.seterr, all="ignore"), _restore


class silent:
    """A block without NumPy's warnings.

    >>> import numpy as np
    >>> from rushlight.base.errstate import silent
    >>> with silent():
    ...     print(np.float32(1) / np.float32(0))
    inf
    """

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = now()
        try:
            begin()
        except BaseException:  # an interrupt's: handlers run behind calls
            back(self.before)
            raise

    def __exit__(self, *error: object) -> None:
        back(self.before)
