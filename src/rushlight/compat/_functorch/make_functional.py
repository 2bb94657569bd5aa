"""torch._functorch.make_functional: modules as functions of tuples of parameters, the way before ``functional_call``."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd import grad_mode
from rushlight.func.modules import functional_call
from rushlight.nn import Module
from rushlight.ops.joining import stack
from rushlight.tensor import Tensor

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functional_init",
    "functional_init_with_buffers",
    "make_functional",
    "make_functional_with_buffers",
]

Names = dict[str, list[str]]


def _named(module: Any, which: str) -> tuple[list[Any], Names]:
    """The different tensors of a module, and all names of each by its first."""
    tensors: list[Any] = []
    names: Names = {}
    first: dict[int, str] = {}
    for name, tensor in getattr(module, which)(remove_duplicate=False):
        if id(tensor) in first:
            names[first[id(tensor)]].append(name)
        else:
            first[id(tensor)] = name
            names[name] = [name]
            tensors.append(tensor)
    return tensors, names


def _skeleton(model: Any) -> Any:
    """A copy of the module for its code; the numbers in it are never used."""
    return copy.deepcopy(model)


class FunctionalModuleWithBuffers(Module):
    """``f(parameters, buffers, *args)`` for a module; its state is in the arguments."""

    def __init__(self, stateless_model: Any, param_names: tuple[str, ...], buffer_names: tuple[str, ...], names: Names) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names
        self.all_names_map = names

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        given = {}
        for name, value in zip((*self.param_names, *self.buffer_names), (*params, *buffers), strict=True):
            given.update(dict.fromkeys(self.all_names_map[name], value))
        return functional_call(self.stateless_model, given, args, kwargs)


class FunctionalModule(Module):
    """``f(parameters, *args)`` for a module without buffers."""

    def __init__(self, stateless_model: Any, param_names: tuple[str, ...], names_map: Names) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.names_map = names_map

    def forward(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        given = {}
        for name, value in zip(self.param_names, params, strict=True):
            given.update(dict.fromkeys(self.names_map[name], value))
        return functional_call(self.stateless_model, given, args, kwargs)


def _parameters(model: Any, disable_autograd_tracking: bool) -> tuple[tuple[Any, ...], Names]:
    tensors, names = _named(model, "named_parameters")
    copies = copy.deepcopy(tensors)
    if disable_autograd_tracking:
        for one in copies:
            one.requires_grad_(False)
    return tuple(copies), names


def make_functional(model: Any, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """A module as a function ``f(parameters, *args)``, and copies of its parameters.

    RuntimeError for a module with buffers.

    >>> import rushlight as torch
    >>> from rushlight._functorch.make_functional import make_functional
    >>> f, parameters = make_functional(torch.nn.Linear(2, 1, bias=False))
    >>> f((torch.tensor([[1.0, 2.0]]),), torch.ones(2))
    tensor([3.])
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    params, names = _parameters(model, disable_autograd_tracking)
    return FunctionalModule(_skeleton(model), tuple(names), names), params


def make_functional_with_buffers(
    model: Any, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """A module as a function ``f(parameters, buffers, *args)``, and copies of both.

    >>> import rushlight as torch
    >>> from rushlight._functorch.make_functional import make_functional_with_buffers
    >>> f, parameters, buffers = make_functional_with_buffers(torch.nn.BatchNorm1d(2))
    >>> len(parameters), f.buffer_names
    (2, ('running_mean', 'running_var', 'num_batches_tracked'))
    """
    params, param_names = _parameters(model, disable_autograd_tracking)
    buffers, buffer_names = _named(model, "named_buffers")
    names = {**param_names, **buffer_names}
    made = FunctionalModuleWithBuffers(_skeleton(model), tuple(param_names), tuple(buffer_names), names)
    return made, params, tuple(copy.deepcopy(buffers))


def _stacked(columns: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    with grad_mode.no_grad():
        return tuple(stack([one.detach() for one in column]) for column in zip(*columns, strict=True))


def combine_state_for_ensemble(
    models: Sequence[Any],
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """One function for modules of one class, and their parameters and buffers, stacked.

    RuntimeError for no modules, or of different classes or modes.

    >>> import rushlight as torch
    >>> from rushlight._functorch.make_functional import combine_state_for_ensemble
    >>> f, parameters, buffers = combine_state_for_ensemble([torch.nn.Linear(2, 3) for _ in range(4)])
    >>> torch.vmap(f, in_dims=(0, 0, None))(parameters, buffers, torch.ones(2)).shape
    torch.Size([4, 3])
    """
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({bool(one.training) for one in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if any(type(one) is not type(models[0]) for one in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    made = [make_functional_with_buffers(one) for one in models]
    return made[0][0], _stacked([one[1] for one in made]), _stacked([one[2] for one in made])


def _of_shape(make: Callable[[], Any], shape: tuple[int, ...]) -> list[Any]:
    if len(shape) > 1:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if shape and shape[0] <= 0:
        raise ValueError(f"num_models {shape[0]} should be > 0")
    return [make() for _ in range(shape[0] if shape else 1)]


def functional_init(
    model_class: Callable[..., Any], ensemble_shape: tuple[int, ...] = (), device: Any = "cpu"
) -> Callable[..., Any]:
    """A constructor of ensembles: called with the module's arguments, (parameters, function, names)."""

    def construct(*args: Any, **kwargs: Any) -> Any:
        models = _of_shape(lambda: model_class(*args, **kwargs).to(device), tuple(ensemble_shape))
        made = [make_functional(one) for one in models]
        params = _stacked([one[1] for one in made]) if ensemble_shape else made[0][1]
        return params, _spread(made[0][0]), made[0][0].param_names

    return construct


def functional_init_with_buffers(
    model_class: Callable[..., Any], ensemble_shape: tuple[int, ...] = (), device: Any = "cpu"
) -> Callable[..., Any]:
    """:func:`functional_init` for modules with buffers: (parameters, buffers, function, parameter names, buffer names)."""

    def construct(*args: Any, **kwargs: Any) -> Any:
        models = _of_shape(lambda: model_class(*args, **kwargs).to(device), tuple(ensemble_shape))
        made = [make_functional_with_buffers(one) for one in models]
        function = made[0][0]
        params = _stacked([one[1] for one in made]) if ensemble_shape else made[0][1]
        buffers = _stacked([one[2] for one in made]) if ensemble_shape else made[0][2]
        return params, buffers, _spread(function), function.param_names, function.buffer_names

    return construct


def _spread(function: Any) -> Callable[..., Any]:
    """``function(*state, args)``: the form in which the first functorch gave them."""

    def call(*given: Any) -> Any:
        *state, args = given
        return function(*state, *args)

    return call
