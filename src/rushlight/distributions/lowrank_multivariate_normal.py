"""The multivariate normal distribution with few common causes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .multivariate_normal import squared_lengths, times_vectors
from .utils import lazy_property, standard_normal

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["LowRankMultivariateNormal"]


def capacitance_tril(factor: Any, diagonal: Any) -> Tensor:
    """The Cholesky factor of I + W^T D^-1 W, all that inverse and determinant of W W^T + D need (Woodbury)."""
    weighted = factor.mT / diagonal.unsqueeze(-2)
    capacitance = weighted @ factor
    identity = torch.eye(capacitance.shape[-1], dtype=capacitance.dtype, device=capacitance.device)
    return torch.linalg.cholesky(capacitance + identity)


def log_det(diagonal: Any, capacitance: Any) -> Any:
    """Of W W^T + D."""
    return 2 * capacitance.diagonal(dim1=-2, dim2=-1).log().sum(-1) + diagonal.log().sum(-1)


def squared_length(factor: Any, diagonal: Any, x: Any, capacitance: Any) -> Any:
    """x^T (W W^T + D)^-1 x."""
    weighted = factor.mT / diagonal.unsqueeze(-2)
    return (x.pow(2) / diagonal).sum(-1) - squared_lengths(capacitance, times_vectors(weighted, x))


class LowRankMultivariateNormal(Distribution):
    """About ``loc``, with covariance W W^T + D.

    ``cov_factor``  W, of shape (..., n, rank)
    ``cov_diag``    the diagonal of D, of shape (..., n)

    Nothing of size n x n is factored. ValueError for shapes that do not fit.

    >>> import rushlight as torch
    >>> normal = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
    >>> normal.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _parameters = ("loc", "cov_diag", "cov_factor")
    _fixed = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc = loc.unsqueeze(-1).expand((*batch_shape, -1, -1))[..., 0]
        self.cov_factor = cov_factor.expand((*batch_shape, -1, -1))
        self.cov_diag = cov_diag.unsqueeze(-1).expand((*batch_shape, -1, -1))[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        # With S = sqrt(D): W W^T + D = S (I + S^-1 W W^T S^-1) S, whose middle is far from singular.
        root = self._unbroadcasted_cov_diag.sqrt()
        scaled = self._unbroadcasted_cov_factor / root.unsqueeze(-1)
        middle = scaled @ scaled.mT
        identity = torch.eye(self._event_shape[0], dtype=middle.dtype, device=middle.device)
        return self._square(root.unsqueeze(-1) * torch.linalg.cholesky(middle + identity))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return self._square(factor @ factor.mT + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        diagonal = self._unbroadcasted_cov_diag
        weighted = self._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)
        solved = torch.linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return self._square(torch.diag_embed(diagonal.reciprocal()) - solved.mT @ solved)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        common = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        own = standard_normal(shape, self.loc)
        return self.loc + times_vectors(self._unbroadcasted_cov_factor, common) + self._unbroadcasted_cov_diag.sqrt() * own

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        diagonal, capacitance = self._unbroadcasted_cov_diag, self._capacitance_tril
        distance = squared_length(self._unbroadcasted_cov_factor, diagonal, value - self.loc, capacitance)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det(diagonal, capacitance) + distance)

    def entropy(self) -> Tensor:
        spread = log_det(self._unbroadcasted_cov_diag, self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + spread)
        return entropy if len(self._batch_shape) == 0 else entropy.expand(self._batch_shape)
