"""Calling modules with other parameters and buffers than their own."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...tensor import Tensor
from ..modules.module import Module


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Tensor:
    """As :func:`torch.func.functional_call`, which replaces it, with one dict.

    >>> import rushlight as torch
    >>> import warnings
    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.utils.stateless.functional_call(layer, {"weight": torch.tensor([[2.0]])}, torch.tensor([3.0]))
    tensor([6.])
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of "
        "PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """:func:`functional_call` without its warning."""
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights, strict)


def _reparametrize_module(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    *,
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Any:
    """A context in which a module has other parameters and buffers."""
    return replaced(module, parameters_and_buffers, tie_weights, strict)


def call_with(
    module: Any, given: dict[str, Any], args: Any, kwargs: dict[str, Any] | None, tie_weights: bool, strict: bool
) -> Tensor:
    """:func:`functional_call` with one dict."""
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, given, tie_weights, strict):
        return module(*positional, **({} if kwargs is None else kwargs))


def _with_tied(given: dict[str, Any], places: dict[str, Any]) -> dict[str, Any]:
    """What is given, and the same for the other names of the tensors that it stands for."""
    names: dict[int, list[str]] = {}
    for name, tensor in places.items():
        names.setdefault(id(tensor), []).append(name)
    wanted = dict(given)
    for name, value in given.items():
        same = names.get(id(places[name]), ()) if name in places else ()
        chosen = [other for other in same if other in given]
        if any(given[other] is not value for other in chosen):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(chosen)}, which are tied. Consider using "
                "tie_weights=False"
            )
        wanted.update(dict.fromkeys(same, value))
    return wanted


@contextmanager
def replaced(module: Any, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    """A context in which the tensors of those names are others; ``given`` then has what the module had at its end."""
    places: dict[str, Any] = {}
    if tie_weights or strict:
        places.update(module.named_parameters(remove_duplicate=False))
        places.update(module.named_buffers(remove_duplicate=False))
    wanted = _with_tied(given, places) if tie_weights else given
    if strict:
        unexpected = [name for name in given if name not in places]
        missing = [name for name in places if name not in wanted]
        lines = [
            f"{title} key(s): " + ", ".join(map(repr, sorted(keys))) + "."
            for title, keys in (("Unexpected", unexpected), ("Missing", missing))
            if keys
        ]
        if lines:
            raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(lines))
    kept: list[tuple[Any, str, Any]] = []
    try:
        for name, value in wanted.items():
            owner, last = _owner(module, name)
            kept.append((owner, last, _swapped(owner, last, value)))
        yield
    finally:
        for name, (owner, last, value) in reversed(list(zip(wanted, kept, strict=False))):
            now = _swapped(owner, last, value)
            if name in given and now is not given[name]:  # the module has set it
                given[name] = now


def _owner(module: Any, name: str) -> tuple[Any, str]:
    """The module in which a dotted name ends, and the name there."""
    path, _, last = name.rpartition(".")
    for part in path.split(".") if path else ():
        if not hasattr(module, part):
            raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
        module = getattr(module, part)
        if not isinstance(module, Module):
            raise TypeError(f"submodule `{path}`: {module} is not an instance of torch.nn.Module")
    return module, last


_ABSENT = object()


def _swapped(owner: Any, name: str, value: Any) -> Any:
    """Puts a tensor, or nothing, in the place of another, which is returned; checks of registration are left out."""
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    if value is not None and value is not _ABSENT and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    for register in (owner._parameters, owner._buffers):
        if name in register:
            old = register[name]
            if value is _ABSENT:
                del register[name]
            else:
                register[name] = value
            return old
    old = getattr(owner, name, _ABSENT)
    if old is not _ABSENT and not isinstance(old, Tensor):
        raise TypeError(f"attribute `{name}`: {old} is not an instance of torch.Tensor")
    if value is _ABSENT:
        delattr(owner, name)
    else:
        setattr(owner, name, value)
    return old
