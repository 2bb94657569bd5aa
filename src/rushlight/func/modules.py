"""Modules as functions of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rushlight as torch

from ..autograd import gradients as reverse
from ..tensor import Tensor


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Any] | Sequence[dict[str, Any]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Tensor:
    """``module(*args, **kwargs)`` with other tensors in the place of its parameters and buffers, by their dotted names.

    ``args``         a tuple, or a single argument
    ``tie_weights``  a tensor that stands in several places is replaced in all of them
    ``strict``       every parameter and buffer must be given, and nothing else

    >>> import rushlight as torch
    >>> double = torch.nn.Linear(1, 1, bias=False)
    >>> torch.func.functional_call(double, {"weight": torch.tensor([[2.0]])}, torch.tensor([3.0]))
    tensor([6.])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        if not all(isinstance(one, dict) for one in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        counts = Counter(name for one in parameter_and_buffer_dicts for name in one)
        repeated = [name for name, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given = {name: value for one in parameter_and_buffer_dicts for name, value in one.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    return call_with(module, given, args, kwargs, tie_weights, strict)


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
        if not isinstance(module, torch.nn.Module):
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


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one class, stacked by name: what ``vmap`` over an ensemble takes.

    >>> import rushlight as torch
    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 3) for _ in range(4)])
    >>> parameters["weight"].shape
    torch.Size([4, 3, 2])
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(one.training for one in models) or all(not one.training for one in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(one) is not type(models[0]) for one in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(named: str) -> dict[str, Any]:
        columns = [dict(getattr(one, named)()) for one in models]
        result = {}
        for name, first in columns[0].items():
            if any(column[name].requires_grad != first.requires_grad for column in columns):
                raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
            whole = reverse.stack([column[name].detach() for column in columns])
            result[name] = whole.requires_grad_(first.requires_grad)
        return result

    return stacked("named_parameters"), stacked("named_buffers")
