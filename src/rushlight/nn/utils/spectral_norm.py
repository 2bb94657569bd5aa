"""Weights divided by their greatest singular value, the older way: by a hook before forward."""

from __future__ import annotations

from typing import Any, TypeVar

import rushlight as torch

from .. import functional as F
from ..modules.calls import hooks_for
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from ..parameter import Parameter, UninitializedParameter

M = TypeVar("M", bound=Module)


class SpectralNorm:
    """The hook that divides the weight before every forward.

    ``weight_u`` and ``weight_v``, near the singular vectors, are taken nearer by a few steps of power iteration in training.
    """

    _version: int = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: torch.Tensor) -> torch.Tensor:
        """The weight with dimension ``dim`` as rows and all others as columns."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(axis for axis in range(weight.dim()) if axis != self.dim))
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> torch.Tensor:
        """The divided weight; the singular vectors are improved first if ``do_power_iteration``."""
        weight = getattr(module, self.name + "_orig")
        u = getattr(module, self.name + "_u")
        v = getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with torch.no_grad():
                # In place, since copies of the module (DataParallel's) share these buffers.
                for _ in range(self.n_power_iterations):
                    v = F.normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(torch.mv(matrix, v), dim=0, eps=self.eps, out=u)
                # The graph keeps them, and a second forward before backward changes them.
                u, v = u.clone(memory_format=torch.contiguous_format), v.clone(memory_format=torch.contiguous_format)
        return weight / torch.dot(u, torch.mv(matrix, v))

    def remove(self, module: Module) -> None:
        """Makes the weight, as it is now, a parameter again."""
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix: Any, u: Any, target_sigma: Any) -> Any:
        """The v with ``u @ matrix @ v == target_sigma`` of which u would come: what old checkpoints leave out."""
        v = torch.linalg.multi_dot([torch.linalg.pinv(matrix.t() @ matrix), matrix.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / torch.dot(u, torch.mv(matrix, v)))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Registers the hook; RuntimeError where there is one for that name already."""
        if hooks_for(module, SpectralNorm, name):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
                "before applying spectral normalization"
            )
        with torch.no_grad():
            matrix = hook.reshape_weight_to_matrix(weight)
            rows, columns = matrix.size()
            u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        delattr(module, hook.name)
        module.register_parameter(hook.name + "_orig", weight)
        # An ordinary attribute until the first forward, so that code which looks at the weight before it finds one.
        setattr(module, hook.name, weight.data)
        module.register_buffer(hook.name + "_u", u)
        module.register_buffer(hook.name + "_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Works out ``weight_v`` where an old state dict has the divided weight in its place."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + self.fn.name
        if key not in state_dict and all(key + suffix in state_dict for suffix in ("_orig", "_u", "_v")):
            return  # a new one that has lost its metadata
        missing = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if missing:
            missing_keys.extend(missing if strict else ())
            return
        with torch.no_grad():
            original = state_dict[key + "_orig"]
            divided = state_dict.pop(key)
            v = self.fn._solve_v_and_rescale(
                self.fn.reshape_weight_to_matrix(original), state_dict[key + "_u"], (original / divided).mean()
            )
            state_dict[key + "_v"] = v


class SpectralNormStateDictHook:
    """Notes in a state dict's metadata that it has ``weight_v``."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Divides a weight by its greatest singular value before every forward; ``weight_orig`` is learned.

    ``dim``  what counts as the rows of the weight: 0, for transposed convolutions 1

    A newer form is :func:`torch.nn.utils.parametrizations.spectral_norm`.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> [name for name, _ in layer.named_parameters()], [name for name, _ in layer.named_buffers()]
    (['bias', 'weight_orig'], ['weight_u', 'weight_v'])
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Makes a weight an ordinary parameter again; ValueError where it has no spectral norm."""
    for key, hook in hooks_for(module, SpectralNorm, name):
        hook.remove(module)
        del module._forward_pre_hooks[key]
        break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, state_hook in module._state_dict_hooks.items():
        if isinstance(state_hook, SpectralNormStateDictHook) and state_hook.fn.name == name:
            del module._state_dict_hooks[key]
            break
    return module
