"""What registering a hook returns, and whether any hook was registered."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar


class RemovableHandle:
    """What registering a hook returns; ``remove()`` takes the hook out again, and so does leaving a ``with`` block.

    ``extra_dict``  further dicts, one or a list, from which the same key goes too
    """

    __module__ = "torch.utils.hooks"
    _ids: ClassVar[Iterator[int]] = itertools.count()

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        self.id = next(self._ids)
        extra = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self.extra_dict_ref: Any = tuple(weakref.ref(one) for one in extra)

    def remove(self) -> None:
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> Any:
        return (self.hooks_dict_ref(), self.id, tuple(reference() for reference in self.extra_dict_ref))

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if one is None else one) for one in extra)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, kind: object, error: object, tb: object) -> None:
        self.remove()


Hooks = OrderedDict[int, Any]
"""Hooks in the order of their registration; they can be referred to weakly, which handles do."""


def add_hook(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class Observers:
    """Whether the program has code that a backward pass calls: it may look at gradients in the middle of one."""

    present = False


observers = Observers()
