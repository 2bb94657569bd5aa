"""The multivariate normal distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import lazy_property, standard_normal

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["MultivariateNormal"]


def times_vectors(matrices: Any, vectors: Any) -> Any:
    """Each matrix times its vector."""
    return (matrices @ vectors.unsqueeze(-1)).squeeze(-1)


def squared_lengths(factor: Any, vectors: Any) -> Tensor:
    """x^T M^-1 x for matrices M = L L^T given by ``factor`` L, of shape (..., n, n), and vectors x, broadcast.

    Vectors of one matrix are solved together, so a factor without batch dimensions is not copied for each.
    """
    size = factor.shape[-1]
    batch = torch.broadcast_shapes(factor.shape[:-2], vectors.shape[:-1])
    vectors = vectors.expand((*batch, size))
    if all(length == 1 for length in factor.shape[:-2]):
        flat = factor.reshape(size, size)
        solved = torch.linalg.solve_triangular(flat, vectors.reshape(-1, size).mT, upper=False)
        return solved.pow(2).sum(-2).reshape(batch)
    return torch.linalg.solve_triangular(factor, vectors.unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


def _precision_to_scale_tril(precision: Any) -> Any:
    """The Cholesky factor of the inverse, without that inverse: factor with both axes turned round, and turn back."""
    turned = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    inverse = torch.flip(turned, (-2, -1)).mT
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return torch.linalg.solve_triangular(inverse, identity, upper=False)


class MultivariateNormal(Distribution):
    """About ``loc``, of shape (..., n), with a covariance of shape (..., n, n), given by exactly one of three.

    ``covariance_matrix``  itself
    ``precision_matrix``   its inverse
    ``scale_tril``         its Cholesky factor, which is what everything is computed from

    ValueError for none or several of them, or too few dimensions.

    >>> import rushlight as torch
    >>> normal = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> normal.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _parameters = ("loc", "covariance_matrix", "scale_tril", "precision_matrix")
    _fixed = ("_unbroadcasted_scale_tril",)

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        forms = {
            "covariance_matrix": covariance_matrix,
            "scale_tril": scale_tril,
            "precision_matrix": precision_matrix,
        }
        given = [name for name, matrix in forms.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        (name,) = given
        matrix = forms[name]
        if matrix.dim() < 2:
            label = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{label} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        precision = torch.cholesky_inverse(self._unbroadcasted_scale_tril)
        return precision.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + times_vectors(self._unbroadcasted_scale_tril, eps)

    def _half_log_det(self) -> Any:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = squared_lengths(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy if len(self._batch_shape) == 0 else entropy.expand(self._batch_shape)
