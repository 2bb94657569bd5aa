"""What Tensor does when a program makes a class of it: the class's ``__torch_function__`` is asked from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..tensor import Tensor
from . import _disabled_torch_function_impl, default_torch_function, torch_dispatch
from .overridable_methods import watch
from .torch_dispatch import make_wrapper


def _init_subclass(cls: type[Tensor], /, own: bool = False, **kwargs: Any) -> None:
    """``own`` classes are this package's: that they exist makes nobody watch, and results are plain unless they say else."""
    super(Tensor, cls).__init_subclass__(**kwargs)
    if own:
        if "__torch_function__" not in cls.__dict__:
            setattr(cls, "__torch_function__", staticmethod(_disabled_torch_function_impl))  # noqa: B010  (unknown to mypy)
    else:
        watch()
        if "__torch_dispatch__" in cls.__dict__:
            torch_dispatch.watch()


def _torch_function(
    cls: type, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """What functions do with instances of a subclass that does not say so itself: results are of the subclass."""
    return default_torch_function(cls, func, types, args, kwargs)


def _make_wrapper_subclass(cls: type, size: Sequence[int], *args: Any, **kwargs: Any) -> Any:
    """A tensor of a subclass with ``__torch_dispatch__``, of a shape and without memory."""
    return make_wrapper(cls, size, *args, **kwargs)


# At once, since rooms that load before Tensor has all its methods make classes of their own.
_HOOKS: dict[str, object] = {
    "__init_subclass__": classmethod(_init_subclass),
    "__torch_function__": classmethod(_torch_function),
    "_make_wrapper_subclass": staticmethod(_make_wrapper_subclass),
}
for _name, _hook in _HOOKS.items():
    setattr(Tensor, _name, _hook)
