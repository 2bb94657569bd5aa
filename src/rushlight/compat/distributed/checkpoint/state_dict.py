"""torch.distributed.checkpoint.state_dict: states of models and optimizers, in one process their own."""

from __future__ import annotations

from dataclasses import dataclass

from rushlight import nn
from rushlight.optim import Optimizer

from ._nested_dict import State

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]


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
) -> State:
    """The state of a model.

    >>> import rushlight as torch
    >>> from rushlight.distributed.checkpoint.state_dict import get_model_state_dict
    >>> list(get_model_state_dict(torch.nn.Linear(1, 2)))
    ['weight', 'bias']
    """
    frozen = {name for name, one in model.named_parameters() if not one.requires_grad}
    leave_out = frozen if options is not None and options.ignore_frozen_params else set()
    return {name: value for name, value in model.state_dict().items() if name not in leave_out}


def set_model_state_dict(model: nn.Module, model_state_dict: State, *, options: StateDictOptions | None = None) -> object:
    """Loads the state of a model; says which names were missing and which had no place."""
    return model.load_state_dict(model_state_dict, strict=options is None or options.strict)


def get_optimizer_state_dict(model: nn.Module, optimizers: Optimizer, **options: object) -> State:
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


def set_optimizer_state_dict(model: nn.Module, optimizers: Optimizer, optim_state_dict: State, **options: object) -> None:
    """Gives an optimizer a state that :func:`get_optimizer_state_dict` gave, of a model with the same names."""
    names = {id(one): name for name, one in model.named_parameters()}
    own = [[names[id(one)] for one in group["params"]] for group in optimizers.param_groups]
    number = {name: place for place, name in enumerate(name for group in own for name in group)}
    groups = [
        {**group, "params": [number[name] for name in mine]}
        for group, mine in zip(optim_state_dict["param_groups"], own, strict=True)
    ]
    state = {number[name]: value for name, value in optim_state_dict["state"].items()}
    optimizers.load_state_dict({"state": state, "param_groups": groups})


def get_state_dict(
    model: nn.Module,
    optimizers: Optimizer,
    *,
    submodules: set[nn.Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[State, State]:
    """The states of a model and of its optimizer, both by the names of parameters."""
    return get_model_state_dict(model, submodules=submodules, options=options), get_optimizer_state_dict(model, optimizers)


def set_state_dict(
    model: nn.Module,
    optimizers: Optimizer,
    *,
    model_state_dict: State,
    optim_state_dict: State,
    options: StateDictOptions | None = None,
) -> object:
    """Gives a model and its optimizer the states that :func:`get_state_dict` gave."""
    set_optimizer_state_dict(model, optimizers, optim_state_dict)
    return set_model_state_dict(model, model_state_dict, options=options)
