"""Modules that learn the shapes of their parameters from their first input."""

from __future__ import annotations

from typing import Any

from ..parameter import is_lazy


class LazyModuleMixin:
    """Put before the class that a lazy module becomes (``cls_to_become``) once its parameters have shapes.

    A subclass defines ``initialize_parameters(*args, **kwargs)``, which gets what forward gets.

    >>> import rushlight as torch
    >>> layer = torch.nn.LazyLinear(2)
    >>> _ = layer(torch.zeros(1, 3))
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    cls_to_become: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own: Any = self
        self._load_hook = own._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = own.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        own: Any = self
        for name, param in own._parameters.items():
            if param is not None:
                destination[prefix + name] = param if is_lazy(param) or keep_vars else param.detach()
        for name, buffer in own._buffers.items():
            if buffer is not None and name not in own._non_persistent_buffers_set:
                destination[prefix + name] = buffer if is_lazy(buffer) or keep_vars else buffer.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Gives parameters the shapes of those that are to be loaded into them."""
        own: Any = self
        for name, param in (*own._parameters.items(), *own._buffers.items()):
            key = prefix + name
            if param is not None and key in state_dict and is_lazy(param) and not is_lazy(state_dict[key]):
                param.materialize(state_dict[key].shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Gives parameters their shapes and first values, from the arguments of forward."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        own: Any = self
        return any(is_lazy(param) for param in (*own._parameters.values(), *own._buffers.values()))

    def _infer_parameters(self, module: Any, args: Any, kwargs: Any = None) -> None:
        kwargs = kwargs or {}
        module.initialize_parameters(*args, **kwargs)
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
