"""Optimizer: parameters in groups, a state for each parameter, and a step."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any, TypeAlias

import rushlight as torch

from ..autograd.gradients import forget
from ..autograd.handles import RemovableHandle
from ..autograd.modes import state
from ..autograd.recorder import USER
from ..backend.notes import with_notes
from ..tensor import Tensor

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
required: Any = object()
_global_pre_hooks: OrderedDict[int, Any] = OrderedDict()
_global_post_hooks: OrderedDict[int, Any] = OrderedDict()
_HOOKS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)
_NEWER_OPTIONS = {  # and what their absence means
    **dict.fromkeys("maximize differentiable capturable amsgrad centered nesterov decoupled_weight_decay".split(), False),
    "foreach": None,
    "fused": None,
    "momentum": 0,
}


def _default_to_fused_or_foreach(params: list[Tensor], differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether libraries' optimizers are to step all parameters at once: parameters on a CPU are not."""
    return False, False


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A step that is recorded where the optimizer is differentiable, and not elsewhere."""

    @functools.wraps(func)
    def stepping(self: Any, *args: Any, **kwargs: Any) -> Any:
        with torch.set_grad_enabled(bool(self.defaults["differentiable"])):
            return func(self, *args, **kwargs)

    return stepping


def step_hooks(optimizer: Any) -> list[OrderedDict[int, Any]]:
    """All that is called before and after a step of an optimizer, in lists that live."""
    own = [vars(optimizer)[name] for name in _HOOKS[:2] if name in vars(optimizer)]
    return [_global_pre_hooks, _global_post_hooks, *own]


def _add(hooks: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    return _add(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    return _add(_global_post_hooks, hook)


class Optimizer:
    """Base class of all optimizers.

    ``params``    tensors, pairs of a name and a tensor, or dicts: groups with options of their own
    ``defaults``  options for groups that do not give them

    Subclasses define ``step``.
    """

    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]
    defaults: dict[str, Any]

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        for hooks in _HOOKS:
            setattr(self, hooks, OrderedDict())
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got " + params.type()
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        if not isinstance(params, Iterable):
            raise with_notes(
                TypeError(f"{type(params).__name__!r} object is not iterable"),
                "An optimizer takes the parameters of a module: module.parameters()." if hasattr(params, "parameters") else "",
            )
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def _patch_step_function(self) -> None:
        """Has ``step`` call its hooks, for libraries that put a function in its place after the class was made."""
        kind = type(self)
        if not hasattr(kind.step, "hooked"):
            kind.step = _with_hooks(kind.step)  # type: ignore[method-assign]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Changes the parameters by what their gradients say."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        if state.recorder is None:
            return self._zero_grad(set_to_none)
        with state.recorder.span(f"Optimizer.zero_grad#{type(self).__name__}.zero_grad", USER):
            return self._zero_grad(set_to_none)

    def _zero_grad(self, set_to_none: bool) -> None:
        for group in self.param_groups:
            forget(group["params"], set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            param_group["params"] = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will "
                "change between runs. Please use a list instead."
            )
        else:
            param_group["params"] = list(params)
        _take_names_out(param_group)
        for param in param_group["params"]:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_type_name(param)}")
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len(params) != len({id(param) for param in params}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
                "github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        known = {id(param) for group in self.param_groups for param in group["params"]}
        if not known.isdisjoint(id(param) for param in params):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if 'param_names' in param_group else 'without'} names to the optimizer"
            )
        self.param_groups.append(param_group)

    # State.

    def state_dict(self) -> dict[str, Any]:
        """``{"state": by number of the parameter, "param_groups": with parameters as numbers}``."""
        for hook in self._optimizer_state_dict_pre_hooks.values():  # type: ignore[attr-defined]
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():  # type: ignore[attr-defined]
            new = hook(self, result)
            result = result if new is None else new
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what :meth:`state_dict` gave: copies, in the dtypes of the parameters."""
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():  # type: ignore[attr-defined]
            new = hook(self, state_dict)
            state_dict = state_dict if new is None else new
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(group["params"]) != len(other["params"]) for group, other in zip(groups, saved, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        numbers = chain.from_iterable(group["params"] for group in saved)
        by_number = dict(zip(numbers, chain.from_iterable(group["params"] for group in groups), strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = _fitting(value, by_number[key], None)
            else:
                state[key] = value
        for group, other in zip(groups, saved, strict=True):
            other["params"] = group["params"]
            if "param_names" in group and "param_names" not in other:
                other["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():  # type: ignore[attr-defined]
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for hooks in _HOOKS:
            self.__dict__.setdefault(hooks, OrderedDict())
        self.defaults.setdefault("differentiable", False)
        names = self.defaults.keys() & _NEWER_OPTIONS
        # Every optimizer has that default, not all the option.
        if "differentiable" not in inspect.signature(type(self)).parameters:
            names.discard("differentiable")
        for group in self.param_groups:  # options that the state of an older version lacks
            for name in names:
                group.setdefault(name, _NEWER_OPTIONS[name])

    def __repr__(self) -> str:
        groups = []
        for number, group in enumerate(self.param_groups):
            lines = [f"Parameter Group {number}", *(f"    {name}: {group[name]}" for name in sorted(group) if name != "params")]
            groups.append("".join(line + "\n" for line in lines))
        return f"{type(self).__name__} (\n" + "\n".join(groups) + ")"

    # Hooks.

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` before a step; may return new ``(args, kwargs)``."""
        return _add(self._optimizer_step_pre_hooks, hook)  # type: ignore[attr-defined]

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` after a step."""
        return _add(self._optimizer_step_post_hooks, hook)  # type: ignore[attr-defined]

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer)`` before a state dict is made."""
        return _add(self._optimizer_state_dict_pre_hooks, hook, prepend)  # type: ignore[attr-defined]

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` after a state dict was made; may return another."""
        return _add(self._optimizer_state_dict_post_hooks, hook, prepend)  # type: ignore[attr-defined]

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` before a state dict is loaded; may return another."""
        return _add(self._optimizer_load_state_dict_pre_hooks, hook, prepend)  # type: ignore[attr-defined]

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """``hook(optimizer)`` after a state dict was loaded."""
        return _add(self._optimizer_load_state_dict_post_hooks, hook, prepend)  # type: ignore[attr-defined]


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A step between its hooks."""
    if getattr(step, "hooked", False):
        return step

    @functools.wraps(step)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if state.recorder is None:
            return with_hooks(self, args, kwargs)
        with state.recorder.span(f"Optimizer.step#{type(self).__name__}.step", USER):
            return with_hooks(self, args, kwargs)

    def with_hooks(self: Any, rest: Any, kwargs: Any) -> Any:
        args = (self, *rest)
        if "_optimizer_step_pre_hooks" not in self.__dict__:  # an optimizer around another, whose __init__ does not come here
            return step(*args, **kwargs)
        for hooks in (_global_pre_hooks, self._optimizer_step_pre_hooks):
            for hook in hooks.values():
                result = hook(self, args, kwargs)
                if result is not None:
                    if not (isinstance(result, tuple) and len(result) == 2):
                        raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
                    args, kwargs = result
        out = step(*args, **kwargs)
        for hooks in (self._optimizer_step_post_hooks, _global_post_hooks):
            for hook in hooks.values():
                hook(self, args, kwargs)
        return out

    call.hooked = True  # type: ignore[attr-defined]
    return call


def _take_names_out(group: dict[str, Any]) -> None:
    """Turns pairs of names and tensors into tensors and ``param_names``."""
    params = group["params"]
    named = [isinstance(param, tuple) for param in params]
    if not any(named):
        return
    if not all(named):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    group["params"] = [param[1] for param in params]
    group["param_names"] = [param[0] for param in params]


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _fitting(value: Any, param: Tensor, name: Any) -> Any:
    """A copy of a state for a parameter: floating-point tensors in its dtype, the step count in its own."""
    if isinstance(value, Tensor):
        if name == "step":
            return value.to(dtype=torch.float32).clone()
        return value.to(dtype=param.dtype).clone() if param.is_floating_point() else value.clone()
    if isinstance(value, dict):
        return {key: _fitting(each, param, key) for key, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return type(value)(_fitting(each, param, None) for each in value)  # type: ignore[call-arg]
    return value
