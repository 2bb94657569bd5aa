"""The stack of modes that watch calls (TorchFunctionMode), as torch._C shows it."""

from __future__ import annotations

from enum import Enum
from typing import Any

from rushlight.autograd.modes import marked, state
from rushlight.overrides.torch_function import switches

__all__ = [
    "_TorchFunctionState",
    "_get_function_stack_at",
    "_get_torch_function_state",
    "_is_torch_function_mode_enabled",
    "_len_torch_function_stack",
    "_pop_torch_function_stack",
    "_push_on_torch_function_stack",
]


class _TorchFunctionState(Enum):
    """Who is asked about calls."""

    ENABLED = 0
    SUBCLASSES_DISABLED = 1
    ALL_DISABLED = 2


def _get_torch_function_state() -> _TorchFunctionState:
    """What the ``Disable`` blocks around say."""
    if switches.all_off:
        return _TorchFunctionState.ALL_DISABLED
    return _TorchFunctionState.SUBCLASSES_DISABLED if switches.subclasses_off else _TorchFunctionState.ENABLED


def _len_torch_function_stack() -> int:
    """How many modes are on in this thread."""
    return len(state.function_modes)


def _is_torch_function_mode_enabled() -> bool:
    """Whether a mode is on in this thread, and may be asked."""
    return bool(state.function_modes) and not switches.all_off


def _get_function_stack_at(index: int) -> Any:
    """A mode, the outermost first."""
    return state.function_modes[index]


def _pop_torch_function_stack() -> Any:
    """Takes the innermost mode off."""
    innermost = state.function_modes[-1]
    _set_modes(state.function_modes[:-1])
    return innermost


def _push_on_torch_function_stack(mode: Any) -> None:
    """Puts a mode on top."""
    _set_modes((*state.function_modes, mode))


def _set_modes(function_modes: tuple[Any, ...]) -> None:
    state.function_modes, state.function_modes_mark = function_modes, marked(state.function_modes_mark, function_modes)
