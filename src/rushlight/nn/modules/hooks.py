"""Registering hooks of one module: of its forward, its backward and its state dict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd.handles import RemovableHandle
from . import calls
from .module import Methods, Module
from .state_dicts import _WrappedHook


class Hooked(Methods, of=Module):
    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """``hook(module, args)`` runs before forward; what it returns, if anything, replaces the arguments."""
        return calls.add(self._forward_pre_hooks, hook, prepend, ((self._forward_pre_hooks_with_kwargs, with_kwargs),))

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """``hook(module, args, output)`` runs after forward; what it returns, if anything, replaces the output.

        >>> import rushlight as torch
        >>> layer = torch.nn.Identity()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output * 2)
        >>> layer(torch.ones(2))
        tensor([2., 2.])
        """
        marks = (self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call)
        return calls.add(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_output)`` runs before the module's backward; what it returns replaces grad_output."""
        return calls.add(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """``hook(module, grad_input, grad_output)`` runs when the gradients of the inputs are known."""
        calls.check_kind(self._is_full_backward_hook, True, "on a single Module")
        self._is_full_backward_hook = True
        return calls.add(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old form: ``hook`` sees the gradients of the last operation of forward only."""
        calls.check_kind(self._is_full_backward_hook, False, "on a single Module")
        self._is_full_backward_hook = False
        return calls.add(self._backward_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata)`` runs after a state dict was made."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return calls.add(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return calls.add(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, prefix, keep_vars)`` runs before a state dict is made."""
        return calls.add(self._state_dict_pre_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> RemovableHandle:
        return calls.add(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, incompatible_keys)`` runs after loading and may change the lists of keys."""
        return calls.add(self._load_state_dict_post_hooks, hook)
