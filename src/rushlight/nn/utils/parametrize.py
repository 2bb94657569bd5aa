"""Parametrizations: tensors of a module that are functions of the tensors that are learned.

A parametrized tensor ``weight`` becomes a property of the module's class, which is one made for this module. What is learned
is ``module.parametrizations.weight.original``; reading ``module.weight`` computes it, assigning to it goes backwards.
"""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from itertools import count, takewhile
from typing import Any

import rushlight as torch

from ...tensor import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor | None] = {}

_UNSERIALIZABLE = (
    "Serialization of parametrized modules is only supported through state_dict(). See:\n"
    "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
    "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
)


@contextmanager
def cached() -> Iterator[None]:
    """Within it, a parametrized tensor is computed once and then kept until the outermost ``cached()`` ends.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import parametrize
    >>> class Doubled(torch.nn.Module):
    ...     def forward(self, x):
    ...         return 2 * x
    >>> layer = parametrize.register_parametrization(torch.nn.Linear(2, 2), "weight", Doubled())
    >>> with parametrize.cached():
    ...     print(layer.weight is layer.weight)
    True
    """
    global _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache.clear()


def _register(module: Module, name: str, tensor: Any) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _take(target: Tensor, source: Tensor) -> None:
    """``target`` gets the memory of ``source`` and stays the same object, in optimizers say."""
    if torch.__future__.get_swap_module_params_on_conversion():
        if isinstance(target, Parameter):
            source = Parameter(source, target.requires_grad)
        torch.utils.swap_tensors(target, source)
    else:
        target.set_(source)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, first one first, and what is learned in its place.

    That is ``original``, or ``original0``, ``original1``, ... where the ``right_inverse`` of the first parametrization gives
    several tensors. ``original``, the tensor that is to be parametrized, goes backwards through all of them.

    Raises ValueError where a ``right_inverse`` gives no tensors, and, unless ``unsafe``, where the parametrized tensor would
    have another shape or dtype.
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with torch.no_grad():
            new: Any = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):  # as good as having none
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            with torch.no_grad():
                _take(original, new)
            _register(self, "original", original)
        else:
            for position, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {position} of the sequence with type {type(part).__name__}."
                    )
                if isinstance(original, Parameter):
                    part = Parameter(part, original.requires_grad)
                part.requires_grad_(original.requires_grad)
                _register(self, f"original{position}", part)
        if not unsafe:
            result = self()
            if not isinstance(result, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
            for what, old, found in (("dtype", dtype, result.dtype), ("shape", shape, result.shape)):
                if old != found:
                    raise ValueError(
                        f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                        f"enabled.\nunparametrized {what}: {old}\nparametrized {what}: {found}"
                    )

    def right_inverse(self, value: Tensor) -> None:
        """Sets what is learned so that ``value`` comes out; what assigning to the parametrized tensor does."""
        with torch.no_grad():
            new: Any = value
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                new = module.right_inverse(new)
            if self.is_tensor:
                if not isinstance(new, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(new).__name__}")
                if new.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while `original` has dtype "
                        f"{self.original.dtype}"
                    )
                _take(self.original, new)
                return
            if not isinstance(new, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(new).__name__}.")
            if len(new) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length "
                    f"{len(new)}."
                )
            for position, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                        f"{position} of type {type(part).__name__}."
                    )
                kept = getattr(self, f"original{position}")
                if kept.dtype != part.dtype:
                    raise ValueError(
                        f"Tensor {position} returned by `right_inverse` has dtype {part.dtype} while `original{position}` has "
                        f"dtype {kept.dtype}"
                    )
                _take(kept, part)

    def forward(self) -> Tensor:
        """The parametrized tensor."""
        if self.is_tensor:
            originals = [self.original]
        else:
            originals = [getattr(self, f"original{position}") for position in range(self.ntensors)]
        # By number, up to a gap: where an original is parametrized itself, its parametrizations are among the modules too.
        numbered = (self._modules[name] for name in takewhile(self._modules.__contains__, map(str, count())))
        result = next(numbered)(*originals)
        for module in numbered:
            result = module(result)
        return result


def _refuse_state(self: Module) -> Any:
    raise RuntimeError(_UNSERIALIZABLE)


def _deepcopy_by_dict(self: Module, memo: dict[int, Any]) -> Any:
    """Python's way would ask for the state, which is refused."""
    copied = memo.get(id(self))
    if copied is not None:
        return copied
    copied = self.__new__(type(self))
    memo[id(self)] = copied
    copied.__dict__ = deepcopy(self.__dict__, memo)
    for slot in copyreg._slotnames(type(self)):  # type: ignore[attr-defined]
        if hasattr(self, slot):
            setattr(copied, slot, deepcopy(getattr(self, slot), memo))
    return copied


def _inject_new_class(module: Module) -> None:
    """Gives a module a class of its own, on which properties can be set; it is called ``torch.nn.utils.parametrize.X``."""
    cls = type(module)
    members: dict[str, Any] = {"__getstate__": _refuse_state}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = _deepcopy_by_dict
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module: Module, tensor_name: str) -> None:
    """Makes ``tensor_name`` a property that computes the tensor."""

    def get(self: Module) -> Any:
        parametrization: Any = self.parametrizations[tensor_name]
        if not _cache_enabled:
            return parametrization()
        key = (id(self), tensor_name)
        tensor = _cache.get(key)
        if tensor is None:
            tensor = parametrization()
            _cache[key] = tensor
        return tensor

    def set_original(self: Module, value: Tensor) -> None:
        parametrization: Any = self.parametrizations[tensor_name]
        parametrization.right_inverse(value)

    setattr(type(module), tensor_name, property(get, set_original))


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Module:
    """Makes a parameter or buffer of a module a function of what is learned; further ones are applied to its result.

    ``parametrization``  a module: ``forward(original)`` gives the tensor. With a ``right_inverse(tensor)``, the tensor can be
                         assigned to, and what is learned starts from what that gives, which may be several tensors
    ``unsafe``           shapes and dtypes may change, and nothing is checked

    Raises ValueError where the module has no such tensor, or the parametrization does not fit it.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import parametrize
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    ...     def right_inverse(self, x):
    ...         return x.triu()
    >>> layer = parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True
    >>> sorted(layer.state_dict())
    ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_addition(module, tensor_name, parametrization)
        listed: Any = module.parametrizations[tensor_name]
        listed.append(parametrization)
        listed.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        listed = ParametrizationList([parametrization], original, unsafe=unsafe)  # checks before anything is changed
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = listed
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def _check_addition(module: Module, tensor_name: str, parametrization: Any) -> None:
    """ValueError unless the parametrization takes the module's tensor to one of the same kind, and back."""
    tensor = getattr(module, tensor_name)
    result = parametrization(tensor)
    name = f"module.{tensor_name}"
    if not isinstance(result, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for what in ("dtype", "shape"):
        old, new = getattr(tensor, what), getattr(result, what)
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
                f"{name}.{what}: {old}\nparametrization({name}).{what}: {new}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(result)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        old, new = getattr(tensor, what), getattr(back, what)
        if old != new:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as {name}, unless the `unsafe` "
                f"flag is enabled.\n{name}.{what}: {old}\nreturned {what}: {new}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or the one of that name."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a tensor an ordinary parameter or buffer again.

    ``leave_parametrized``  with its present value; else with that of ``original``, which there must be

    Raises ValueError where the tensor is not parametrized, RuntimeError where ``original`` cannot take the value.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import parametrize
    >>> layer = parametrize.register_parametrization(torch.nn.Linear(3, 2), "weight", torch.nn.Identity())
    >>> parametrize.remove_parametrizations(layer, "weight")
    Linear(in_features=3, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    listed: Any = module.parametrizations[tensor_name]
    if listed.is_tensor:
        original = listed.original
        if leave_parametrized:
            with torch.no_grad():
                value = getattr(module, tensor_name)
                try:
                    _take(original, value)
                except RuntimeError as error:
                    if type(original) is Tensor:
                        raise
                    raise RuntimeError(
                        "Calling remove_parametrizations() with leave_parametrized=True for a parameter that is an instance of "
                        "a tensor subclass requires set_() to be implemented correctly for the tensor subclass."
                        "Alternatively, one can opt into the swap_tensors path"
                        "Either set leave_parametrized=False or provide a working implementation"
                        "for set_() in the tensor subclass or set "
                        "torch.__future__.set_swap_module_params_on_conversion(True)."
                    ) from error
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
            "tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of a module, or the one it had before it was parametrized.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import parametrize
    >>> layer = parametrize.register_parametrization(torch.nn.Linear(3, 2), "weight", torch.nn.Identity())
    >>> parametrize.type_before_parametrizations(layer) is torch.nn.Linear
    True
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module, tensor_name: str | None = None) -> Module:
    """Parametrizes another module alike, with the same parametrizations and the same originals.

    ``tensor_name``  only that tensor; else all that are parametrized
    """
    if not is_parametrized(from_module):
        return to_module
    source: Any = from_module.parametrizations
    for name in list(source) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source[name]:
            register_parametrization(to_module, name, parametrization)
        target: Any = to_module.parametrizations[name]
        if hasattr(source[name], "original"):
            target.original = source[name].original
        else:
            for position in range(source[name].ntensors):
                setattr(target, f"original{position}", getattr(source[name], f"original{position}"))
    return to_module
