"""Modules in other dtypes and layouts: what asks for it, and what becomes of their parameters, gradients and buffers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import rushlight as torch

from ...ops.argument_forms import check_form
from ...tensor import Tensor
from ..parameter import Parameter, is_lazy
from . import conversion_choices as choices
from .module import Methods, Module

Convert = Callable[[Tensor], Tensor]


def parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """What arguments of ``module.to`` ask for: (device, dtype, whether not to wait, memory format); None for what is not said.

    >>> import rushlight as torch
    >>> torch._C._nn._parse_to("cpu", torch.float64)
    (device(type='cpu'), torch.float64, False, None)
    """
    named = dict(kwargs)
    if named.pop("copy", False) or args[3:4] == (True,):
        raise RuntimeError(".to() does not accept copy argument")
    memory_format = named.pop("memory_format", None)
    non_blocking = bool(named.get("non_blocking", next((value for value in args if isinstance(value, bool)), False)))
    other = args[0] if args else named.get("tensor", named.get("other"))
    if isinstance(other, Tensor):
        if len(args) > 1:
            check_form("to", args)
        return other.device, other.dtype, non_blocking, memory_format
    if args or set(named) - {"dtype"}:
        torch.empty(0).to(*args, **named)  # errors of arguments
    dtype = next((value for value in args if isinstance(value, torch.dtype)), named.get("dtype"))
    device = named.get("device", other if isinstance(other, (str, torch.device)) else None)
    return None if device is None else torch.device(device), dtype, non_blocking, memory_format


def converter(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Convert:
    """What ``module.to(*args, **kwargs)`` does to every tensor."""
    device, dtype, _, memory_format = parse_to(*args, **kwargs)
    if dtype is not None:
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
        if dtype.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may change, and some modules might "
                "not work as expected when using complex tensors as parameters or buffers. Please file an issue at "
                "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
                "expected.",
                stacklevel=3,
            )

    def convert(tensor: Tensor) -> Tensor:
        if device is not None and tensor.device != device:
            tensor = _moved(tensor, device)
        if dtype is not None and (tensor.is_floating_point() or tensor.is_complex()):
            tensor = tensor.to(dtype)
        if memory_format is not None and tensor.dim() in (4, 5):
            tensor = tensor.contiguous(memory_format=memory_format)
        return tensor

    return convert


def _moved(tensor: Tensor, device: torch.device) -> Tensor:
    """A tensor on another device, the meta device being one."""
    try:
        return tensor.to(device)  # type: ignore[no-any-return]
    except NotImplementedError as error:
        raise NotImplementedError(
            f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a "
            "different device."
        ) from None


def convert_own(module: Module, fn: Convert) -> None:
    """Gives the tensors of a module, not those below it, the memory of what ``fn`` makes of them.

    With the choices of ``torch.__future__``, parameters are replaced, or exchanged with new ones.
    """
    for name, param in module._parameters.items():
        if param is None:
            continue
        with torch.no_grad():
            new = fn(param)
        if choices._swap_module_params_on_conversion:
            _swap(module, name, param, new, fn)
            continue
        grad = param.grad
        if choices._overwrite_module_params_on_conversion or new.device != param.device:
            param = module._parameters[name] = Parameter(new, param.requires_grad)
            if grad is not None:
                with torch.no_grad():
                    param.grad = fn(grad).requires_grad_(grad.requires_grad)
            continue
        param.data = new
        if grad is not None:
            with torch.no_grad():
                grad.data = fn(grad)
    for name, buffer in module._buffers.items():
        if buffer is not None:
            converted = fn(buffer)
            module._buffers[name] = converted.as_subclass(type(buffer)) if is_lazy(buffer) else converted


def _swap(module: Module, name: str, param: Parameter, new: Tensor, fn: Convert) -> None:
    """Exchanges a parameter and its gradient with converted ones."""
    grad, param.grad = param.grad, None
    try:
        torch.utils.swap_tensors(param, Parameter(new, param.requires_grad))
        if grad is not None:
            with torch.no_grad():
                torch.utils.swap_tensors(grad, fn(grad).requires_grad_(grad.requires_grad))
            param.grad = grad
    except RuntimeError as error:
        raise RuntimeError(f"_apply(): Couldn't swap {module._get_name()}.{name}") from error


class Convertible(Methods, of=Module):
    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces the memory of parameters, their gradients and buffers by what ``fn`` makes of them."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        convert_own(self, fn)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """``to(device)``, ``to(dtype)``, ``to(tensor)``, ``to(memory_format=...)``, or several, in place.

        Only floating-point (and complex) parameters and buffers change their dtype, and only those of 4 or 5 dimensions
        their memory format. TypeError for another kind of dtype.

        >>> import rushlight as torch
        >>> torch.nn.Linear(2, 1).to(torch.float64).weight.dtype
        torch.float64
        """
        return self._apply(converter(args, kwargs))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Fresh memory, not set, for all parameters and buffers."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def float(self) -> Self:
        """Floating parameters and buffers as float32, in place."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Floating parameters and buffers as float64, in place."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Floating parameters and buffers as float16, in place."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Floating parameters and buffers as bfloat16, in place."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def type(self, dst_type: Any) -> Self:
        """All parameters and buffers as ``dst_type``, in place."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Self:
        """The module itself, which is on the CPU. NotImplementedError where it is on the meta device."""
        return self._apply(lambda t: t.cpu()) if any(p.is_meta for p in (*self.parameters(), *self.buffers())) else self

    def cuda(self, device: Any = None) -> Self:
        """AssertionError: there is no CUDA; itself where there is nothing to move."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device: Any = None) -> Self:
        """AssertionError: there is no XPU; itself where there is nothing to move."""
        return self._apply(lambda t: t.xpu(device))

    def share_memory(self) -> Self:
        """Moves parameters and buffers to memory that processes started later share."""
        return self._apply(lambda t: t.share_memory_())
