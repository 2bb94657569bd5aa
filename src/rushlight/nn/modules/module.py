"""Module: a function with parameters. Attributes that are parameters, buffers or modules are kept in registers."""

from __future__ import annotations

import inspect
import sys
import types
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import rushlight as torch

from ...autograd.gradients import forget
from ...base.missing_names import explain_attribute
from ...tensor import Tensor
from ..parameter import Buffer, Parameter
from . import calls, state_dicts

M = TypeVar("M", bound="Module")
_HOOK_REGISTERS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _forward_unimplemented(self: Module, *input: Any) -> Any:
    """What the module computes; every subclass defines it."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module:
    """Base class of all layers and networks; subclasses set attributes in ``__init__`` and define ``forward``.

    >>> import rushlight as torch
    >>> from rushlight import nn
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.layer = nn.Linear(3, 1)
    ...     def forward(self, x):
    ...         return self.layer(x).relu()
    >>> net = Net()
    >>> net
    Net(
      (layer): Linear(in_features=3, out_features=1, bias=True)
    )
    >>> [(name, tuple(p.shape)) for name, p in net.named_parameters()]
    [('layer.weight', (1, 3)), ('layer.bias', (1,))]
    """

    dump_patches: bool = False
    call_super_init: bool = False
    _version: int = 1
    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _is_full_backward_hook: bool | None
    _compiled_call_impl: Any = None
    T_destination = TypeVar("T_destination", bound=dict[str, Any])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            name = type(self).__name__
            if kwargs:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            verb = "was" if len(args) == 0 else "were"
            raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} {verb} given")
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_backward_pre_hooks"] = OrderedDict()
        own["_backward_hooks"] = OrderedDict()
        own["_is_full_backward_hook"] = None
        for register in _HOOK_REGISTERS[2:]:
            own[register] = OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or calls.any_global
        ):
            return self.forward(*args, **kwargs)
        return calls.with_hooks(self, args, kwargs)

    _call_impl = _wrapped_call_impl = __call__

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if hasattr(state.get("forward"), "_torchdynamo_orig_callable"):  # of a compiled module, not to be copied or pickled
            del state["forward"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for register in _HOOK_REGISTERS:  # what older pickles lack
            self.__dict__.setdefault(register, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    # Attributes.

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for register in ("_parameters", "_buffers", "_modules"):
            members = own.get(register)
            if members is not None and name in members:
                return members[name] if not calls.tracing else calls.read(name, members[name])
        raise AttributeError(explain_attribute("nn.Module", name, type(self).__name__), name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
            return
        if parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
            return
        modules = own.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            for hook in calls.module_registration.values():
                value = _replaced(hook(self, name, value), value)
            modules[name] = value
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            modules[name] = None
            return
        buffers = own.get("_buffers")
        if isinstance(value, Buffer) or (buffers is not None and name in buffers):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{type_name(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
                )
            if buffers is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            if isinstance(value, Buffer):
                self._forget(name, "_buffers")
                self._register(name, value)
                return
            for hook in calls.buffer_registration.values():
                value = _replaced(hook(self, name, value), value)
            buffers[name] = value
            return
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def _forget(self, name: str, but: str) -> None:
        """Takes a name out of the object and of the registers other than ``but``."""
        own = self.__dict__
        own.pop(name, None)
        for register in ("_parameters", "_buffers", "_modules"):
            if register != but and register in own:
                own[register].pop(name, None)
        if "_non_persistent_buffers_set" in own:
            own["_non_persistent_buffers_set"].discard(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[0].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or a name that stands for none."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type_name(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To express "
                f"'{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        if param is not None:
            for hook in calls.parameter_registration.values():
                param = _replaced(hook(self, name, param), param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is not learned; one that is not ``persistent`` is left out of the state dict."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{type_name(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        for hook in calls.buffer_registration.values():
            tensor = _replaced(hook(self, name, tensor), tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _register(self, name: str, buffer: Buffer) -> None:
        """Has ``register_buffer`` add a Buffer, which a subclass may have written before ``persistent`` was."""
        if "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, buffer, buffer.persistent)
        elif buffer.persistent:
            self.register_buffer(name, buffer)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without the "
                "persistent argument is not allowed."
            )

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a submodule."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{type_name(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {type_name(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        for hook in calls.module_registration.values():
            module = _replaced(hook(self, name, module), module)
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    def _check_name(self, name: Any, kind: str, members: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type_name(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in members:
            raise KeyError(f"attribute '{name}' already exists")

    # What is done to all of the tree.

    def apply(self: M, fn: Callable[[Module], Any]) -> M:
        """Calls ``fn`` for every submodule, children first, and then for this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self: M, mode: bool = True) -> M:
        """Sets training mode, or evaluation mode, here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: M) -> M:
        """Says to this module and all below it that they are not being trained."""
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Says of all parameters whether they are to be learned."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        forget(self.parameters(), set_to_none)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Has calls of this module compiled, as :func:`torch.compile` does, whose arguments these are.

        >>> import rushlight as torch
        >>> net = torch.nn.Linear(2, 1)
        >>> net.compile(backend="eager")
        >>> net(torch.zeros(1, 2)).shape
        torch.Size([1, 1])
        """
        self.__dict__["forward"] = torch.compile(self.forward, *args, **kwargs)

    # State.

    get_extra_state, set_extra_state = state_dicts.get_extra_state, state_dicts.set_extra_state

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by dotted name: detached, sharing memory, unless ``keep_vars``."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        return state_dicts.collect(self, destination, prefix, keep_vars)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        state_dicts.save_own(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> state_dicts._IncompatibleKeys:
        """Copies values from a state dict into the parameters and buffers of the same names.

        ``strict``  names that are missing or unexpected are an error; else they are returned
        ``assign``  takes the tensors of the dict themselves instead of copying
        """
        return state_dicts.load(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self,
        state_dict: Mapping[str, Any],
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        state_dicts.load_own(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)

    # Printing.

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands in the brackets of the printed module."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not children:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"


if TYPE_CHECKING:

    class Methods(Module):
        def __init_subclass__(cls, of: type = Module) -> None: ...
else:  # what gives Module the methods of the files beside this one: of the tree, of hooks, of conversions
    from ...tensor import Methods as Methods


def indented(text: str) -> str:
    """All lines but the first moved in by two."""
    return text.replace("\n", "\n  ")


def _addindent(s_: str, numSpaces: int) -> str:
    """All lines but the first moved in: what printing by hand in subclasses calls."""
    return s_.replace("\n", "\n" + numSpaces * " ")


def _has_any_global_hook() -> Any:
    """Whether there are hooks of all modules."""
    return (
        calls.backward_pre or calls.backward or calls.forward_pre or calls.forward or calls.forward_always
        or calls.forward_with_kwargs
    )  # fmt: skip


def type_name(value: object) -> str:
    """A value's type as PyTorch's errors spell it: ``torch.FloatTensor`` for a tensor, else the class with its module."""
    return torch.typename(value)


def _replaced(new: Any, old: Any) -> Any:
    return old if new is None else new


register_module_forward_pre_hook = calls.register_module_forward_pre_hook
register_module_forward_hook = calls.register_module_forward_hook
register_module_backward_hook = calls.register_module_backward_hook
register_module_full_backward_hook = calls.register_module_full_backward_hook
register_module_full_backward_pre_hook = calls.register_module_full_backward_pre_hook
register_module_module_registration_hook = calls.register_module_module_registration_hook
register_module_parameter_registration_hook = calls.register_module_parameter_registration_hook
register_module_buffer_registration_hook = calls.register_module_buffer_registration_hook
_global_forward_pre_hooks = calls.forward_pre
_global_forward_hooks = calls.forward
_global_forward_hooks_always_called = calls.forward_always
_global_forward_hooks_with_kwargs = calls.forward_with_kwargs
_global_module_registration_hooks = calls.module_registration
_global_parameter_registration_hooks = calls.parameter_registration
_global_buffer_registration_hooks = calls.buffer_registration
_global_backward_pre_hooks = calls.backward_pre
_global_backward_hooks = calls.backward


class _Assignable(types.ModuleType):
    """This module: the hooks of all modules are also changed by assigning to their names here."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name in _GLOBAL_HOOKS:
            calls.replace(_GLOBAL_HOOKS[name], value)


_GLOBAL_HOOKS = {
    "_global_forward_pre_hooks": "forward_pre",
    "_global_forward_hooks": "forward",
    "_global_forward_hooks_always_called": "forward_always",
    "_global_forward_hooks_with_kwargs": "forward_with_kwargs",
    "_global_module_registration_hooks": "module_registration",
    "_global_parameter_registration_hooks": "parameter_registration",
    "_global_buffer_registration_hooks": "buffer_registration",
    "_global_backward_pre_hooks": "backward_pre",
    "_global_backward_hooks": "backward",
}
sys.modules[__name__].__class__ = _Assignable
_IncompatibleKeys = state_dicts._IncompatibleKeys
_WrappedHook = state_dicts._WrappedHook
_EXTRA_STATE_KEY_SUFFIX = state_dicts.EXTRA_STATE
