"""Anomaly detection: each node knows where it was recorded, and an error or a nan in a gradient is led back to there."""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Any

from ..base.arguments import OWN_CODE, ROOT, check_switch
from .grad_mode import ContextDecorator
from .modes import Mark, marked, state
from .nodes import Node


class set_detect_anomaly(ContextDecorator):
    """Anomaly detection: each recorded op keeps its forward traceback, and a nan in a gradient is an error.

    Takes effect when called; as a ``with`` block it is undone at the end.

    >>> import rushlight as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        check_switch("set_anomaly_enabled", "enabled", 1, mode)
        check_switch("set_anomaly_enabled", "check_nan", 2, check_nan)
        self.prev, self.prev_check_nan, self._mark = state.anomaly, state.anomaly_check_nan, state.anomaly_mark
        self.mode, self.check_nan = mode, check_nan
        self.__enter__()

    def __enter__(self) -> None:
        mark = marked(state.anomaly_mark, self.mode, hidden=True)
        state.anomaly, state.anomaly_check_nan, state.anomaly_mark = self.mode, self.check_nan, mark

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        state.anomaly, state.anomaly_check_nan, state.anomaly_mark = self.prev, self.prev_check_nan, self._mark

    def clone(self) -> set_detect_anomaly:
        return self.__class__(self.mode, self.check_nan)


class detect_anomaly(ContextDecorator):
    """``with detect_anomaly():`` finds the forward op behind a failing or nan-producing backward one.

    ``check_nan``   whether a nan in a gradient is a RuntimeError

    >>> import warnings
    >>> import rushlight as torch
    >>> warnings.simplefilter("ignore")  # that it is slow; and where the op was recorded
    >>> with torch.autograd.detect_anomaly():
    ...     x = torch.tensor(-1.0, requires_grad=True)
    ...     x.sqrt().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self.previous: list[tuple[bool, bool, Mark | None]] = []

    def __enter__(self) -> None:
        self.previous.append((state.anomaly, state.anomaly_check_nan, state.anomaly_mark))
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )
        mark = marked(state.anomaly_mark, True, hidden=True)
        state.anomaly, state.anomaly_check_nan, state.anomaly_mark = True, self.check_nan, mark

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        state.anomaly, state.anomaly_check_nan, state.anomaly_mark = self.previous[-1]
        del self.previous[-1]

    def clone(self) -> detect_anomaly:
        return self.__class__(self.check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on in this thread."""
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection also looks for nan."""
    return state.anomaly_check_nan


def user_traceback(frame: Any) -> list[str]:
    """The lines of a traceback that ends at ``frame``, without the frames of this package and what started it."""
    kept = []  # before their lines are read, which is what takes long
    for one, line in traceback.walk_stack(frame):
        file = one.f_code.co_filename
        if file == ROOT + "__main__.py":
            break
        if not file.startswith(OWN_CODE):
            kept.append((one, line))
    return traceback.StackSummary.extract(reversed(kept)).format()


def keep_traceback(node: Node, frame: Any, parent: Node | None) -> None:
    """Under anomaly detection: where a node was recorded, and in the backward of which other node, if in any."""
    node.metadata["traceback_"] = user_traceback(frame)
    if parent is not None:
        node.metadata["parent_"] = parent


def warn_of_origin(node: Node) -> None:
    """Warns of an error in a node with the traceback of its forward call, and of what that was part of."""
    trace = node.metadata.get("traceback_")
    if trace is None:
        _warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during forward "
            "pass for more information."
        )
        return
    _warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(trace)}")
    parent = node.metadata.get("parent_")
    while parent is not None:
        trace = parent.metadata.get("traceback_")
        if trace is None:
            _warn(
                f"\n\nPrevious calculation was induced by {parent.name()}. No forward pass information available. Enable "
                "detect anomaly during forward pass for more information."
            )
            return
        _warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the previous "
            f"calculation:\n{''.join(trace)}"
        )
        parent = parent.metadata.get("parent_")


def _warn(text: str) -> None:
    """Warns beside an error that is on its way: a filter that makes errors of warnings must not hide that one."""
    try:
        warnings.warn(text, stacklevel=8)
    except UserWarning:
        print(text, file=sys.stderr)
