"""Modules as functions of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..nn.utils.stateless import call_with
from ..ops.joining import stack
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


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of modules of one class, stacked by name: what ``vmap`` over an ensemble takes.

    >>> import rushlight as torch
    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 3) for _ in range(4)])
    >>> parameters["weight"].shape
    torch.Size([4, 3, 2])
    """
    if len(models) == 0:
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
            whole = stack([column[name].detach() for column in columns])
            result[name] = whole.requires_grad_(first.requires_grad)
        return result

    return stacked("named_parameters"), stacked("named_buffers")
