"""Pruning: weights are multiplied by masks of zeros and ones before every forward.

A pruned ``weight`` is an ordinary attribute; ``weight_orig`` is learned and ``weight_mask`` is a buffer.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import rushlight as torch

from ...tensor import Tensor
from ..modules.calls import hooks_for
from ..modules.module import Module
from .convert_parameters import parameters_to_vector


class BasePruningMethod(ABC):
    """A way to choose what stays; subclasses define ``compute_mask`` and ``PRUNING_TYPE``.

    ``PRUNING_TYPE``  which part of a tensor that is pruned already is looked at: its nonzeros (``"unstructured"``), its slices
                      along ``dim`` that are not all zero (``"structured"``), or all of it (``"global"``)
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """``default_mask`` with more zeros, chosen by the elements of ``t``, which has its shape."""

    def apply_mask(self, module: Module) -> Tensor:
        """The tensor of the module, masked."""
        assert self._tensor_name is not None, f"Module {module} has to be pruned"
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prunes a tensor, on top of what is pruned already, and masks it before every forward from now on.

        ``importance_scores``  decide in the place of the tensor's own values

        Returns the hook, which is a :class:`PruningContainer` from the second pruning on.
        """
        found = hooks_for(module, BasePruningMethod, name, "_tensor_name")  # type: ignore[type-abstract]
        assert len(found) <= 1, f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}."
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        if found:
            key, old = found[0]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
            del module._forward_pre_hooks[key]
        tensor = getattr(module, name)
        if importance_scores is None:
            importance_scores = tensor
        else:
            assert importance_scores.shape == tensor.shape, (
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {tensor.shape}"
            )
        if found:
            default_mask = getattr(module, name + "_mask").detach().clone(memory_format=torch.contiguous_format)
        else:
            module.register_parameter(name + "_orig", tensor)
            del module._parameters[name]
            default_mask = torch.ones_like(tensor)
        try:
            with torch.no_grad():
                mask = method.compute_mask(importance_scores, default_mask=default_mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not found:
                module.register_parameter(name, module._parameters[name + "_orig"])
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A tensor on its own, pruned; the mask is not kept."""
        if importance_scores is None:
            importance_scores = t
        else:
            assert importance_scores.shape == t.shape, (
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        default_mask = default_mask if default_mask is not None else torch.ones_like(t)
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Module) -> None:
        """Makes the tensor a parameter again, with its zeros."""
        assert self._tensor_name is not None, f"Module {module} has to be pruned before pruning can be removed"
        pruned = self.apply_mask(module)
        if hasattr(module, self._tensor_name):
            delattr(module, self._tensor_name)
        original = module._parameters[self._tensor_name + "_orig"]
        original.data = pruned.data
        del module._parameters[self._tensor_name + "_orig"]
        del module._buffers[self._tensor_name + "_mask"]
        setattr(module, self._tensor_name, original)


class PruningContainer(BasePruningMethod):
    """Several methods that prune one tensor one after another."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Adds a method for the same tensor: TypeError for what is none, ValueError for one of another tensor."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer {self}. "
                f"Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The last method's mask of what the others left, together with theirs."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        place: Any
        if method.PRUNING_TYPE == "unstructured":
            place = mask == 1
        elif method.PRUNING_TYPE == "structured":
            ndim = t.dim()
            dim = method.dim if method.dim >= 0 else method.dim + ndim
            kept = mask.sum(dim=[axis for axis in range(ndim) if axis != dim]) != 0
            place = (slice(None),) * dim + (kept,)
        elif method.PRUNING_TYPE == "global":
            place = slice(None)
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        result = mask.clone()
        result[place] = method.compute_mask(t[place], default_mask=mask[place]).to(dtype=mask.dtype)
        return result


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name)


class _ByAmount(BasePruningMethod):
    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _count(self, size: int) -> int:
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        return count


class RandomUnstructured(_ByAmount):
    """Prunes ``amount`` elements (or that share of them, for a float) at random."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._count(t.nelement())
        # The greatest draws go, which makes no difference but to which they are for a seed.
        return _without_least(-torch.rand_like(t), count, default_mask) if count else default_mask.clone()

    @classmethod
    def apply(cls, module: Module, name: str, amount: float) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(_ByAmount):
    """Prunes the ``amount`` elements (or that share of them, for a float) that are nearest to zero."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return _without_least(torch.abs(t), self._count(t.nelement()), default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


def _without_least(scores: Tensor, count: int, mask: Tensor) -> Tensor:
    """The mask with zeros where the ``count`` least scores are."""
    result = mask.clone(memory_format=torch.contiguous_format)
    if count:
        least = torch.topk(scores.view(-1), k=count, largest=False)
        result.view(-1)[least.indices] = 0
    return result


class _Slices(_ByAmount):
    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _slice_count(self, t: Tensor) -> int:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        return self._count(t.shape[self.dim])

    def _without_slices(self, t: Tensor, kept: Any, mask: Tensor) -> Tensor:
        """The mask with zeros in the slices that are not kept."""
        slices = torch.zeros_like(t)
        place: list[Any] = [slice(None)] * t.dim()
        place[self.dim] = kept
        slices[tuple(place)] = 1
        return slices * mask.to(dtype=slices.dtype)


class RandomStructured(_Slices):
    """Prunes ``amount`` slices along ``dim`` (or that share of them, for a float) at random."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._slice_count(t)
        if count == 0:
            return default_mask
        scores = torch.rand(t.shape[self.dim])
        return self._without_slices(t, scores > torch.kthvalue(scores, k=count).values, default_mask)

    @classmethod
    def apply(cls, module: Module, name: str, amount: float, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Slices):
    """Prunes the ``amount`` slices along ``dim`` (or that share of them) whose norms of order ``n`` are least."""

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = self._slice_count(t)
        if count == 0:
            return default_mask
        norms = _compute_norm(t, self.n, self.dim)
        greatest = torch.topk(norms, k=t.shape[self.dim] - count, largest=True)
        return self._without_slices(t, greatest.indices, default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        assert default_mask.shape == self.mask.shape, (
            f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
        )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> BasePruningMethod:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


def identity(module: Module, name: str) -> Module:
    """Gives a tensor a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prunes elements of a tensor at random: so many, or for a float that share of them."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prunes the elements of a tensor that are nearest to zero: so many, or for a float that share of them.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 2)
    >>> _ = layer.weight.data.copy_(torch.tensor([[1.0, -4.0], [3.0, -2.0]]))
    >>> _ = prune.l1_unstructured(layer, "weight", amount=0.5)
    >>> layer.weight_mask
    tensor([[0., 1.],
            [1., 0.]])
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prunes slices of a tensor along ``dim`` at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prunes the slices of a tensor along ``dim`` whose norms of order ``n`` are least."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Prunes elements of several tensors, ``(module, name)`` each, as if they were one.

    ``pruning_method``     :class:`L1Unstructured` or another unstructured one, made with ``kwargs``
    ``importance_scores``  by ``(module, name)``, in the place of the tensors' own values

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import prune
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 2))
    >>> prune.global_unstructured([(net[0], "weight"), (net[1], "weight")], prune.L1Unstructured, amount=0.5)
    >>> int(net[0].weight_mask.sum() + net[1].weight_mask.sum())
    6
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = importance_scores if importance_scores is not None else {}
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = [(module, name) for module, name in parameters]
    scores = parameters_to_vector([importance_scores.get((module, name), getattr(module, name)) for module, name in pairs])
    masks = parameters_to_vector(
        [getattr(module, name + "_mask", torch.ones_like(getattr(module, name))) for module, name in pairs]
    )
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    with torch.no_grad():
        mask = container.compute_mask(scores, masks)
    start = 0
    for module, name in pairs:
        param = getattr(module, name)
        custom_from_mask(module, name, mask=mask[start : start + param.numel()].view_as(param))
        start += param.numel()


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prunes a tensor by a mask of its shape."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Module, name: str) -> Module:
    """Makes a pruned tensor a parameter again, with its zeros; ValueError where it is not pruned."""
    for key, hook in hooks_for(module, BasePruningMethod, name, "_tensor_name"):  # type: ignore[type-abstract]
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether a tensor of the module, or of one below it, is pruned.

    >>> import rushlight as torch
    >>> from rushlight.nn.utils import prune
    >>> layer = torch.nn.Linear(2, 2)
    >>> prune.is_pruned(layer), prune.is_pruned(prune.identity(layer, "bias"))
    (False, True)
    """
    return any(isinstance(hook, BasePruningMethod) for below in module.modules() for hook in below._forward_pre_hooks.values())


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    share: Any = amount
    if share < 0 or (not isinstance(amount, numbers.Integral) and share > 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: float, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _validate_structured_pruning(t: Tensor) -> None:
    if len(t.shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {len(t.shape)} dims"
        )


def _compute_nparams_toprune(amount: float, tensor_size: int) -> int:
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    dims = list(range(t.dim()))
    dims.remove(dims[dim])
    return torch.norm(t, p=n, dim=dims)
