"""torch.distributed.checkpoint.state_dict: states of models and optimizers, in one process their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rushlight import nn
from rushlight.optim import Optimizer

__all__ = ["StateDictOptions", "get_model_state_dict", "set_model_state_dict"]


@dataclass
class StateDictOptions:
    """How states are asked for."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False


def get_model_state_dict(
    model: nn.Module, *, submodules: set[nn.Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """The state of a model.

    >>> import rushlight as torch
    >>> from rushlight.distributed.checkpoint.state_dict import get_model_state_dict
    >>> list(get_model_state_dict(torch.nn.Linear(1, 2)))
    ['weight', 'bias']
    """
    frozen = {name for name, one in model.named_parameters() if not one.requires_grad}
    leave_out = frozen if options is not None and options.ignore_frozen_params else set()
    return {name: value for name, value in model.state_dict().items() if name not in leave_out}


def set_model_state_dict(model: nn.Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None) -> Any:
    """Loads the state of a model; says which names were missing and which had no place."""
    return model.load_state_dict(model_state_dict, strict=options is None or options.strict)


def get_optimizer_state_dict(model: nn.Module, optimizers: Optimizer, **options: object) -> dict[str, Any]:
    """The state of an optimizer, with the names of its model's parameters in place of numbers.

    >>> import rushlight as torch
    >>> from rushlight.distributed.checkpoint.state_dict import get_optimizer_state_dict
    >>> model = torch.nn.Linear(1, 2)
    >>> get_optimizer_state_dict(model, torch.optim.SGD(model.parameters(), lr=0.1))["param_groups"][0]["params"]
    ['weight', 'bias']
    """
    names = {id(one): name for name, one in model.named_parameters()}
    state = optimizers.state_dict()
    ordered = [names[id(one)] for group in optimizers.param_groups for one in group["params"]]
    return {
        "state": {ordered[number]: value for number, value in state["state"].items()},
        "param_groups": [
            {**group, "params": [ordered[number] for number in group["params"]]} for group in state["param_groups"]
        ],
    }
