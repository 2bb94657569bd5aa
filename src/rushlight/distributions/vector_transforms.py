"""Transforms of vectors and matrices: simplices, Cholesky factors, and several transforms beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rushlight as torch
from rushlight.nn.functional import logsigmoid, pad, softplus

from . import constraints
from .transform import Transform
from .utils import tril_matrix_to_vec, vec_to_tril_matrix

if TYPE_CHECKING:
    from ..tensor import Tensor


class SoftmaxTransform(Transform):
    """Any vector to a simplex: exponentials over their sum. Many vectors give the same point, so it is not bijective."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftmaxTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Any) -> Any:
        exponentials = (x - x.max(-1, True)[0]).exp()
        return exponentials / exponentials.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """Any vector to a simplex with one element more: each number breaks its share off what is left of a stick.

    Shifted so that the zero vector becomes equal shares.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StickBreakingTransform)

    __hash__ = Transform.__hash__

    @staticmethod
    def _log_remaining(like: Any, count: int) -> Any:
        """The logarithm of how many shares are still to come at each of the first ``count`` places."""
        return torch.arange(count, 0, -1, dtype=like.dtype, device=like.device).log()

    def _call(self, x: Any) -> Any:
        share = torch.sigmoid(x - self._log_remaining(x, x.shape[-1]))
        left = (1 - share).cumprod(-1)
        return pad(share, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return shares.log() - left.log() + self._log_remaining(y, shares.shape[-1])

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        shifted = x - self._log_remaining(x, x.shape[-1])
        return (logsigmoid(shifted) - shifted + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Any) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape[:-1] + (shape[-1] - 1,)


class CorrCholeskyTransform(Transform):
    """A vector of n(n-1)/2 numbers to the Cholesky factor of an n x n correlation matrix.

    Each number's tanh is a partial correlation; a row takes them one by one from what is left of its length 1.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = torch.finfo(x.dtype).eps
        partial = vec_to_tril_matrix(torch.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - partial * partial).sqrt().cumprod(-1)
        ones = torch.eye(partial.shape[-1], dtype=partial.dtype, device=partial.device)
        return (partial + ones) * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (partial.log1p() - (-partial).log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Tensor:
        left = 1 - (y * y).cumsum(-1)
        of_lengths = tril_matrix_to_vec(left, diag=-2).log().sum(-1) / 2
        of_tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return of_lengths + of_tanh

    def forward_shape(self, shape: Any) -> tuple[int, ...]:
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        count = shape[-1]
        side = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if side * (side - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (side, side)

    def inverse_shape(self, shape: Any) -> tuple[int, ...]:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        side = shape[-1]
        return shape[:-2] + (side * (side - 1) // 2,)


class LowerCholeskyTransform(Transform):
    """Any square matrix to a lower triangular one with a diagonal above 0."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LowerCholeskyTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Any square matrix to a positive definite one."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PositiveDefiniteTransform)

    __hash__ = Transform.__hash__

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


class _Several(Transform):
    """Transforms of the parts along a dimension."""

    transforms: list[Any]
    dim: int

    def __init__(self, tseq: Sequence[Any], dim: int, cache_size: int) -> None:
        if not all(isinstance(transform, Transform) for transform in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [transform.with_cache(cache_size) for transform in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        return all(transform.bijective for transform in self.transforms)


class CatTransform(_Several):
    """Each transform on its part along ``dim``, ``lengths`` long: the transform of what `torch.cat` joins."""

    def __init__(self, tseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths must have {len(self.transforms)} elements, got {len(self.lengths)}")

    @property
    def event_dim(self) -> int:
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, value: Any, name: str) -> Any:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for tensor with {value.dim()} dimensions")
        if value.size(self.dim) != self.length:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal length {self.length}")
        return value.split(self.lengths, self.dim)

    def _call(self, x: Any) -> Any:
        parts = zip(self.transforms, self._parts(x, "x"), strict=True)
        return torch.cat([transform(part) for transform, part in parts], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        parts = zip(self.transforms, self._parts(y, "y"), strict=True)
        return torch.cat([transform.inv(part) for transform, part in parts], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        stretches = []
        for transform, before, after in zip(self.transforms, self._parts(x, "x"), self._parts(y, "y"), strict=True):
            stretch = transform.log_abs_det_jacobian(before, after)
            if transform.event_dim < self.event_dim:
                over = self.event_dim - transform.event_dim
                stretch = stretch.sum(tuple(range(-over, 0)))
            stretches.append(stretch)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        # Parts that lie within one event stretch it together.
        return torch.cat(stretches, dim=dim) if dim < 0 else sum(stretches)

    @property
    def domain(self) -> constraints.Constraint:
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> constraints.Constraint:
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)


class StackTransform(_Several):
    """Each transform on its slice along ``dim``: the transform of what `torch.stack` joins."""

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    def _slices(self, value: Any, name: str) -> Any:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for tensor with {value.dim()} dimensions")
        if value.size(self.dim) != len(self.transforms):
            raise AssertionError(
                f"{name}.size({self.dim}) = {value.size(self.dim)} must equal len(transforms) {len(self.transforms)}"
            )
        return value.unbind(self.dim)

    def _call(self, x: Any) -> Any:
        slices = zip(self.transforms, self._slices(x, "x"), strict=True)
        return torch.stack([transform(part) for transform, part in slices], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        slices = zip(self.transforms, self._slices(y, "y"), strict=True)
        return torch.stack([transform.inv(part) for transform, part in slices], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Tensor:
        triples = zip(self.transforms, self._slices(x, "x"), self._slices(y, "y"), strict=True)
        return torch.stack([t.log_abs_det_jacobian(before, after) for t, before, after in triples], dim=self.dim)

    @property
    def domain(self) -> constraints.Constraint:
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @property
    def codomain(self) -> constraints.Constraint:
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)
