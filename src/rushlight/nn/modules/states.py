"""State dicts of modules: collecting and loading them, with their hooks and errors."""

from __future__ import annotations

import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import rushlight as torch

from ... import __future__ as choices
from ...tensor import Tensor
from ..parameter import Parameter, is_lazy

if TYPE_CHECKING:
    from .module import Module

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What loading without ``strict`` left out."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


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
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
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
    if _has_own(module, "get_extra_state"):
        destination[prefix + EXTRA_STATE] = module.get_extra_state()


def _has_own(module: Module, method: str) -> bool:
    from .module import Module

    return getattr(type(module), method) is not getattr(Module, method)


def load(module: Module, state_dict: Mapping[str, Any], strict: bool, assign: bool) -> _IncompatibleKeys:
    """Loads a module and all below it; RuntimeError with all that did not fit."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    metadata = getattr(state_dict, "_metadata", None)
    left: Any = OrderedDict(state_dict)
    if metadata is not None:
        left._metadata = metadata

    def load_below(owner: Module, part: Any, prefix: str) -> None:
        local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:
            local_metadata["assign_to_params_buffers"] = assign
        owner._load_from_state_dict(part, prefix, local_metadata, True, missing, unexpected, errors)
        for name, child in owner._modules.items():
            if child is not None:
                child_prefix = f"{prefix}{name}."
                load_below(child, {key: value for key, value in part.items() if key.startswith(child_prefix)}, child_prefix)
        keys = _IncompatibleKeys(missing, unexpected)
        for hook in owner._load_state_dict_post_hooks.values():
            if hook(owner, keys) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                    "if incompatible_keys need to be modified, it should be done inplace."
                )

    load_below(module, left, "")
    if strict:
        for title, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                names = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{title} key(s) in state_dict: {names}. ")
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return _IncompatibleKeys(missing, unexpected)


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
    if _has_own(module, "set_extra_state"):
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
    try:
        with torch.no_grad():
            if not assign:
                have.copy_(value)
                return
            if isinstance(have, Parameter):
                if not isinstance(value, Parameter):
                    value = Parameter(value, requires_grad=have.requires_grad)
                else:
                    value.requires_grad_(have.requires_grad)
            if choices._swap_module_params_on_conversion and not is_lazy(have):
                torch.utils.swap_tensors(have, type(value)(value.detach(), have.requires_grad))
            else:
                setattr(module, name, value)
    except Exception as error:
        # The sizes in full, since the shapes agree and the reason must be another.
        errors.append(
            f'While copying the parameter named "{key}", whose dimensions in the model are {have.size()} and whose dimensions '
            f"in the checkpoint are {value.size()}, an exception occurred : {error.args}."
        )
