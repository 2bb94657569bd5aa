"""GradScaler: losses made larger so that small gradients are not rounded to nothing in float16."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

import rushlight as torch

from ..base.errstate import silent
from ..tensors.arguments import warn
from .scaling import OptState as OptState


def _in_single(scale: Any) -> float:
    """A scale rounded as PyTorch's is, which is a tensor of single precision."""
    with silent():
        return float(np.float32(float(scale)))


class GradScaler:
    """Scales a loss, and its gradients back; steps that would bring inf or nan are left out and the scale is halved.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.5)
    >>> scaler = torch.amp.GradScaler("cpu")
    >>> scaler.scale(x.sum()).backward()
    >>> _ = scaler.step(optimizer)
    >>> scaler.update()
    >>> x
    tensor([0.5000, 0.5000], requires_grad=True)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._factor, self._has_scaled = init_scale, False
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, 0
        # By optimizer: whether its gradients have inf or nan; None where it has no gradients.
        self._found: dict[int, bool | None] = {}
        self._stepped: set[int] = set()

    @property
    def _scale(self) -> Any:
        """The scale as a tensor, None before it has scaled anything: what libraries read."""
        return torch.tensor(self._factor, dtype=torch.float32) if self._has_scaled else None

    @_scale.setter
    def _scale(self, value: Any) -> None:
        self._has_scaled = value is not None
        if self._has_scaled:
            self._factor = _in_single(value)

    def is_enabled(self) -> bool:
        """Whether it scales at all."""
        return self._enabled

    def scale(self, outputs: Any) -> Any:
        """A loss, or a list of them, times the scale."""
        if not self._enabled:
            return outputs
        if not self._has_scaled:
            self._has_scaled, self._factor = True, _in_single(self._factor)
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled  # type: ignore[call-arg]
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _expect_scaled(self, attempt: str) -> None:
        if not self._has_scaled:
            raise AssertionError(
                f"Attempted {attempt} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale. RuntimeError the second time before an update."""
        if not self._enabled:
            return
        self._expect_scaled("unscale_")
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._found:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        inverse = torch.tensor(1.0 / self._factor, dtype=torch.float32)
        found = self._unscale_grads_(optimizer, inverse, torch.zeros(()), False)
        self._found[id(optimizer)] = any(bool(one) for one in found.values()) if found else None

    def _unscale_grads_(self, optimizer: Any, inv_scale: Any, found_inf: Any, allow_fp16: bool) -> dict[Any, Any]:
        """Multiplies gradients in place with ``inv_scale``; returns, by device, ``found_inf``, or 1 where one is inf or nan.

        ValueError for gradients in float16, unless they are allowed.
        """
        found_inf = found_inf.clone()
        params = [one for group in optimizer.param_groups for one in group["params"] if one.grad is not None]
        with torch.no_grad():
            for param in params:
                grad = param.grad
                if grad.dtype is torch.float16 and not allow_fp16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if grad.is_sparse:
                    if grad.dtype is torch.float16:  # what places that occur twice add up to may be too large for it
                        grad = param.grad = grad.coalesce()
                    grad = grad._values()
                torch._amp_foreach_non_finite_check_and_unscale_([grad], found_inf, inv_scale)
        return {found_inf.device: found_inf} if params else {}

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Lets the optimizer step, unless a gradient is inf or nan."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        self._expect_scaled("step")
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        if self._found[id(optimizer)] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if self._found[id(optimizer)] else optimizer.step(*args, **kwargs)
        self._stepped.add(id(optimizer))
        return result

    def update(self, new_scale: Any = None) -> None:
        """A smaller scale where a step was left out, a larger one after many good steps, or the one that is given."""
        if not self._enabled:
            return
        self._expect_scaled("update")
        if new_scale is not None:
            self._factor = _in_single(new_scale)
        else:
            if all(found is None for found in self._found.values()):
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(self._found.values()):
                self._factor = _in_single(self._factor * self._backoff_factor)
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = _in_single(self._factor * self._growth_factor)
                    self._factor = grown if math.isfinite(grown) else self._factor
                    self._growth_tracker = 0
        self._found.clear()
        self._stepped.clear()

    def get_scale(self) -> float:
        """The factor by which losses are scaled now."""
        return self._factor if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by after steps without inf or nan."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets what :meth:`get_growth_factor` gives."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by after a step with inf or nan."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets what :meth:`get_backoff_factor` gives."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many steps without inf or nan make the scale grow."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets what :meth:`get_growth_interval` gives."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """What :meth:`load_state_dict` takes; empty where the scaler is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._factor,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes the state of another scaler. RuntimeError for an empty one."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._factor = state_dict["scale"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]
