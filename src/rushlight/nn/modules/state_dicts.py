"""State dicts of modules: collecting and loading them, with their hooks and errors."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import rushlight as torch

from ...base.arguments import warn
from ...ops.publishing import method
from ...overrides.overridable_methods import install_methods
from ...tensor import Tensor
from ..parameter import Parameter, is_lazy
from . import conversion_choices as choices

if TYPE_CHECKING:
    from .module import Module

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """What loading without ``strict`` left out."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class _WrappedHook:
    """A hook that runs before a module loads its part of a state dict; pickles have it under this name."""

    __module__ = "rushlight.nn.modules.module"

    def __init__(self, hook: Callable[..., Any], module: Module | None = None) -> None:
        self.hook = hook
        self.with_module = module is not None
        if module is not None:
            self.module: Any = weakref.ref(module)  # which refers to this

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state = {"hook": self.hook, "with_module": self.with_module}
        return {**state, "module": self.module()} if self.with_module else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def collect(module: Module, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """The state dict of a module and all below it."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local_metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local_metadata
    for hook in module._state_dict_pre_hooks.values():
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    for hook in module._state_dict_hooks.values():
        result = hook(module, destination, prefix, local_metadata)
        if getattr(hook, "_from_public_api", False):
            if result is not None:
                raise RuntimeError("state_dict post-hook must return None")
        elif result is not None:
            destination = result
    return destination


def save_own(module: Module, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    """The part of a module without its children."""
    for name, param in module._parameters.items():
        if param is not None:
            destination[prefix + name] = param if keep_vars else param.detach()
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._non_persistent_buffers_set:
            destination[prefix + name] = buffer if keep_vars else buffer.detach()
    if type(module).get_extra_state is not get_extra_state:
        destination[prefix + EXTRA_STATE] = module.get_extra_state()


def get_extra_state(self: Module) -> Any:
    """What a subclass wants in its state dict beside parameters and buffers."""
    raise RuntimeError(
        "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


def set_extra_state(self: Module, state: Any) -> None:
    """Takes back what :meth:`get_extra_state` gave."""
    raise RuntimeError(
        "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


get_extra_state.__qualname__, set_extra_state.__qualname__ = "Module.get_extra_state", "Module.set_extra_state"


def load(module: Module, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Loads a module and all below it; RuntimeError with all that did not fit."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    left: Any = OrderedDict(state_dict)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        left._metadata = metadata
    loading = _Loading(metadata, assign)
    loading.into(module, left, "")
    errors = loading.errors
    if strict:
        for title, keys in (("Unexpected", loading.unexpected), ("Missing", loading.missing)):
            if keys:
                names = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{title} key(s) in state_dict: {names}. ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return _IncompatibleKeys(loading.missing, loading.unexpected)


@method
def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What takes the place of ``self`` when a module loads ``other``, with parameters exchanged rather than written to.

    Subclasses of Tensor say their own in ``__torch_function__``; a result that is ``self`` or ``other`` is refused.

    >>> import rushlight as torch
    >>> torch.zeros(2).module_load(torch.ones(2))
    tensor([1., 1.])
    """
    return other.detach() if assign else self.copy_(other).detach()


install_methods([module_load.__name__])


class _Loading:
    """What is found missing, unexpected or wrong while a state dict goes into a module."""

    def __init__(self, metadata: Any, assign: bool) -> None:
        self.metadata, self.assign = metadata, assign
        self.missing: list[str] = []
        self.unexpected: list[str] = []
        self.errors: list[str] = []

    def into(self, owner: Module, part: Any, prefix: str) -> None:
        """Loads ``owner`` and all below it."""
        local_metadata = {} if self.metadata is None else self.metadata.get(prefix[:-1], {})
        if self.assign:
            local_metadata["assign_to_params_buffers"] = True
        owner._load_from_state_dict(part, prefix, local_metadata, True, self.missing, self.unexpected, self.errors)
        for name, child in owner._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                self.into(child, {key: value for key, value in part.items() if key.startswith(below)}, below)
        keys = _IncompatibleKeys(self.missing, self.unexpected)
        for hook in owner._load_state_dict_post_hooks.values():
            if hook(owner, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                    "if incompatible_keys need to be modified, it should be done inplace."
                )


def load_own(
    module: Module,
    state_dict: Mapping[str, Any],
    prefix: str,
    local_metadata: Any,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Loads the part of a module without its children, noting what is missing, unexpected or wrong."""
    for hook in module._load_state_dict_pre_hooks.values():
        hook(state_dict, prefix, local_metadata, strict, missing, unexpected, errors)
    assign = local_metadata.get("assign_to_params_buffers", False)
    persistent = {k: v for k, v in module._buffers.items() if k not in module._non_persistent_buffers_set}
    own = {k: v for k, v in (*module._parameters.items(), *persistent.items()) if v is not None}
    for name, have in own.items():
        key = prefix + name
        if key in state_dict:
            _load_one(module, name, have, key, state_dict[key], assign, errors)
        elif strict:
            missing.append(key)
    extra_key = prefix + EXTRA_STATE
    if type(module).set_extra_state is not set_extra_state:
        if extra_key in state_dict:
            module.set_extra_state(state_dict[extra_key])
        elif strict:
            missing.append(extra_key)
    elif strict and extra_key in state_dict:
        unexpected.append(extra_key)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != extra_key:
                name, *deeper = key[len(prefix) :].split(".", 1)
                if (deeper and name not in module._modules) or (not deeper and name not in own):
                    unexpected.append(key)


def _load_one(module: Module, name: str, have: Any, key: str, value: Any, assign: bool, errors: list[str]) -> None:
    if not isinstance(value, Tensor):
        errors.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint but '
            f"received {type(value)}"
        )
        return
    if not is_lazy(have):
        if have.ndim == 0 and value.ndim == 1 and value.numel() == 1:  # as files of PyTorch 0.3 have it
            value = value[0]
        if value.shape != have.shape:
            errors.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in current "
                f"model is {have.shape}."
            )
            return
    if not assign and have.is_meta and not value.is_meta:
        warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
            "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in the "
            "module instead of copying them in place?)"
        )
    swaps = choices._swap_module_params_on_conversion and not is_lazy(have)
    try:
        with torch.no_grad():
            if swaps:
                new = have.module_load(value, assign=assign)
                if new is have or new is value:
                    raise RuntimeError(
                        "module_load returned one of self or other, please .detach() the result if returning one of the inputs "
                        "in module_load"
                    )
            elif assign:
                new = value
            else:
                have.copy_(value)
                return
            if isinstance(have, Parameter):
                if not isinstance(new, Parameter):
                    new = Parameter(new, requires_grad=have.requires_grad)
                else:
                    new.requires_grad_(have.requires_grad)
            if swaps:
                torch.utils.swap_tensors(have, new)
            else:
                setattr(module, name, new)
    except Exception as error:
        # The sizes in full, since the shapes agree and the reason must be another.
        errors.append(
            f'While {"swapping" if swaps else "copying"} the parameter named "{key}", whose dimensions in the model are '
            f"{have.size()} and whose dimensions in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )
