"""The Wishart distribution."""

from __future__ import annotations

import math
import warnings
from numbers import Number
from typing import TYPE_CHECKING, Any

import rushlight as torch

from . import constraints
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .multivariate_normal import _precision_to_scale_tril
from .utils import lazy_property

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["Wishart"]

_LOG2 = math.log(2)
_TRIES = 10  # at replacing samples that came out singular


def _mvdigamma(x: Any, p: int) -> Any:
    """The derivative of the logarithm of the multivariate gamma function."""
    return torch.digamma(x.unsqueeze(-1) - torch.arange(p, dtype=x.dtype, device=x.device) / 2).sum(-1)


class Wishart(ExponentialFamily):
    """X^T X for ``df`` normal rows of X of a covariance of shape (..., n, n), which is given by exactly one of three.

    ``covariance_matrix``  itself
    ``precision_matrix``   its inverse
    ``scale_tril``         its Cholesky factor

    ``df``, which need not be whole, must be above n - 1. ValueError where it is not; from n on samples are never singular.

    >>> import rushlight as torch
    >>> torch.distributions.Wishart(torch.tensor(3.0), covariance_matrix=torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _parameters = ("df", "covariance_matrix", "scale_tril", "precision_matrix")
    _fixed = ("_unbroadcasted_scale_tril",)

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        forms = {
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
            "scale_tril": scale_tril,
        }
        given = [name for name, matrix in forms.items() if matrix is not None]
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        (name,) = given
        matrix = forms[name]
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch_shape = matrix.shape[:-2]
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        event_shape = matrix.shape[-2:]
        size = event_shape[-1]
        if self.df.le(size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if self.df.lt(size).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.", stacklevel=2
            )
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(matrix)
        falling = torch.arange(size, dtype=self.df.dtype, device=self.df.device)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - falling)

    def _expanded(self, new: Any, batch_shape: Any) -> Any:
        if "_dist_chi2" not in new.__dict__:
            new._dist_chi2 = self._dist_chi2.expand(batch_shape + self._event_shape[-1:])
        return super()._expanded(new, batch_shape)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return torch.cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._batch_shape + self._event_shape)

    @property
    def _df_of_matrix(self) -> Any:
        return self.df.view(self._batch_shape + (1, 1))

    @property
    def mean(self) -> Tensor:
        return self._df_of_matrix * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """nan up to n + 1 degrees of freedom."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor > 0, factor, torch.nan)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._df_of_matrix * (covariance.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape: Any = ()) -> Any:
        """By Bartlett's decomposition: a triangle of normal numbers with chi numbers on its diagonal."""
        size = self._event_shape[-1]
        noise = torch.diag_embed(self._dist_chi2.rsample(sample_shape).sqrt(), dim1=-2, dim2=-1)
        rows, columns = torch.tril_indices(size, size, offset=-1)
        shape = torch.Size(sample_shape) + self._batch_shape + (size * (size - 1) // 2,)
        noise[..., rows, columns] = torch.randn(shape, dtype=noise.dtype, device=noise.device)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Tensor:
        """Samples; those that rounding made singular are drawn anew, up to ``max_try_correction`` times."""
        self._bartlett_sampling(sample_shape)  # PyTorch draws twice and keeps the second
        warnings.warn("Singular sample detected.", stacklevel=2)  # and says why, whatever the first is
        sample = self._bartlett_sampling(sample_shape)
        is_singular = self._is_singular(sample)
        if is_singular.any():
            for _ in range(_TRIES if max_try_correction is None else max_try_correction):
                anew = self._bartlett_sampling((int(is_singular.sum()),))
                sample[is_singular] = anew
                is_singular[is_singular.clone()] = self._is_singular(anew)
                if not is_singular.any():
                    break
        return sample

    def _is_singular(self, sample: Any) -> Any:
        """For each sample, whether it is in any distribution of the batch."""
        is_singular = ~self.support.check(sample)
        dims = tuple(range(-len(self._batch_shape), 0))
        return is_singular.amax(dims) if dims else is_singular

    def _half_log_det(self) -> Any:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        nu, size = self.df, self._event_shape[-1]
        solved = torch.cholesky_solve(value, self._unbroadcasted_scale_tril)
        return (
            -nu * (size * _LOG2 / 2 + self._half_log_det())
            - torch.mvlgamma(nu / 2, p=size)
            + (nu - size - 1) / 2 * torch.linalg.slogdet(value).logabsdet
            - solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2
        )

    def entropy(self) -> Tensor:
        nu, size = self.df, self._event_shape[-1]
        return (
            (size + 1) * (size * _LOG2 / 2 + self._half_log_det())
            + torch.mvlgamma(nu / 2, p=size)
            - (nu - size - 1) / 2 * _mvdigamma(nu / 2, p=size)
            + nu * size / 2
        )

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        size = self._event_shape[-1]
        half_df = y + (size + 1) / 2
        return half_df * (-torch.linalg.slogdet(-2 * x).logabsdet + _LOG2 * size) + torch.mvlgamma(half_df, p=size)
