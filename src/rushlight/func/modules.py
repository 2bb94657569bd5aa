"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..autograd import gradients as reverse


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, Any] | Sequence[dict[str, Any]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
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
        given = dict(parameter_and_buffer_dicts)
    elif isinstance(parameter_and_buffer_dicts, (tuple, list)):
        names = [name for one in parameter_and_buffer_dicts for name in one]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ValueError(f"{repeated} appear in multiple dictionaries; behavior of functional call is ambiguous")
        given = {name: value for one in parameter_and_buffer_dicts for name, value in one.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    positional = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*positional, **(kwargs or {}))


def _places(module: Any) -> dict[str, Any]:
    places = dict(module.named_parameters(remove_duplicate=False))
    places.update(module.named_buffers(remove_duplicate=False))
    return places


@contextmanager
def _replaced(module: Any, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    places = _places(module)
    if strict:
        unexpected = [name for name in given if name not in places]
        missing = [name for name in places if name not in given]
        if unexpected or missing:
            lines = []
            if unexpected:
                lines.append("Unexpected key(s): " + ", ".join(map(repr, unexpected)) + ".")
            if missing:
                lines.append("Missing key(s): " + ", ".join(map(repr, missing)) + ".")
            raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(lines))
    wanted = dict(given)
    if tie_weights:
        for name, value in given.items():
            tensor = places.get(name)
            for other, same in places.items():
                if tensor is not None and same is tensor and other not in given:
                    wanted[other] = value
    kept: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for name, value in wanted.items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path) if path else module
            store = next((one for one in (owner._parameters, owner._buffers) if last in one), None)
            if store is None:
                continue  # a name that the module does not have is an error with `strict` only
            kept.append((store, last, store[last]))
            store[last] = value
        yield
    finally:
        for store, last, value in reversed(kept):
            store[last] = value


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
            whole = reverse.stack([column[name].detach() for column in columns])
            result[name] = whole.requires_grad_(first.requires_grad)
        return result

    return stacked("named_parameters"), stacked("named_buffers")
