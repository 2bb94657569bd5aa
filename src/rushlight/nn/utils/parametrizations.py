"""Ready-made parametrizations: orthogonal weights, weight norm and spectral norm."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import rushlight as torch

from ...tensor import Tensor
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from .parametrize import register_parametrization


def _is_orthogonal(Q: Tensor, eps: float | None = None) -> bool:
    rows, columns = Q.size(-2), Q.size(-1)
    identity = torch.eye(columns, dtype=Q.dtype)
    if eps is None:
        eps = 10.0 * rows * torch.finfo(Q.dtype).eps
    return bool(torch.allclose(Q.mH @ Q, identity, atol=eps))


def _make_orthogonal(A: Tensor) -> Tensor:
    """The Q of A = QR with a positive diagonal of R, so what is orthogonal already stays."""
    reflectors, tau = torch.geqrf(A)
    Q = torch.linalg.householder_product(reflectors, tau)
    Q *= reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)
    return Q


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        rows, columns = X.size(-2), X.size(-1)
        is_wide = rows < columns
        if is_wide:
            X = X.mT
            rows, columns = columns, rows
        if self.orthogonal_map == _OrthMaps.householder:
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = torch.linalg.householder_product(A, tau)
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)  # the diagonal holds the signs of the columns
        else:
            X = X.tril()
            if rows != columns:
                X = torch.cat([X, X.new_zeros(rows, rows - columns).expand(*X.shape[:-2], -1, -1)], dim=-1)
            A = X - X.mH  # skew, which makes both maps orthogonal
            if self.orthogonal_map == _OrthMaps.matrix_exp:
                Q = torch.matrix_exp(A)
            else:
                identity = torch.eye(rows, dtype=A.dtype)
                Q = torch.linalg.solve(torch.add(identity, A, alpha=-0.5), torch.add(identity, A, alpha=0.5))
            if rows != columns:
                Q = Q[..., :columns]
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if is_wide else Q

    @torch.no_grad()
    def right_inverse(self, Q: Tensor) -> Tensor:
        """What is learned so that Q comes out, or, with a base, the matrix nearest to Q in the sense of QR."""
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}.")
        given = Q
        rows, columns = Q.size(-2), Q.size(-1)
        is_wide = rows < columns
        if is_wide:
            Q = Q.mT
            rows, columns = columns, rows
        if not hasattr(self, "base"):
            if self.orthogonal_map != _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = torch.geqrf(Q)
            A.diagonal(dim1=-2, dim2=-1).sign_()
            A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1  # no reflection there, which has the other sign
            return A.mT if is_wide else A
        if rows == columns:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        else:
            others = torch.randn(*Q.size()[:-2], rows, rows - columns, dtype=Q.dtype)
            Q = _make_orthogonal(torch.cat([Q, others], dim=-1))
        self.base = Q
        # All maps take it to the identity: signs of -1 undo reflections, and its skew part is zero.
        negative = torch.zeros_like(given)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keeps a matrix (or batch of them) orthogonal, or unitary where complex; rows or columns where it is not square.

    ``orthogonal_map``      what takes any matrix to an orthogonal one: ``"matrix_exp"`` (square or complex ones unless said
                            otherwise), ``"cayley"`` or ``"householder"``
    ``use_trivialization``  multiplies by a matrix that is set by assigning: learning starts from there, and stays well
                            conditioned

    Raises ValueError for what is no matrix, an unknown map, and reflections of complex matrices.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(4, 2))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(2), atol=1e-6)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        is_plain = weight.size(-2) == weight.size(-1) or weight.is_complex()
        orthogonal_map = "matrix_exp" if is_plain else "householder"
    chosen = getattr(_OrthMaps, orthogonal_map, None)
    if chosen is None:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    register_parametrization(module, name, _Orthogonal(weight, chosen, use_trivialization=use_trivialization), unsafe=True)
    return module


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return torch._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return torch.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learns a weight as its lengths ``original0``, one per slice along ``dim``, and its direction ``original1``.

    ``dim=None`` has one length for all. State dicts of the older :func:`torch.nn.utils.weight_norm` can be loaded.

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape, layer.parametrizations.weight.original1.shape
    (torch.Size([2, 1]), torch.Size([2, 3]))
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: Any, prefix: str, *rest: Any) -> None:
        old = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if old[0] in state_dict and old[1] in state_dict:
            for position, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{position}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            rows, columns = matrix.size()
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=self.eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(axis for axis in range(weight.dim()) if axis != self.dim))
        return weight.flatten(1)

    @torch.no_grad()
    def _power_method(self, matrix: Tensor, n_power_iterations: int) -> None:
        for _ in range(n_power_iterations):  # in place, since copies of the module share these buffers
            self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps, out=self._u)
            self._v = F.normalize(torch.mv(matrix.H, self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # The graph keeps them, and the next forward changes them.
        u = self._u.clone(memory_format=torch.contiguous_format)
        v = self._v.clone(memory_format=torch.contiguous_format)
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value  # there is no better one


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divides a weight by its greatest singular value, which power iteration follows while in training.

    ``dim``  what counts as the rows of the weight: 0, for transposed convolutions 1

    >>> import rushlight as torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 3))
    >>> _ = [layer.weight for _ in range(50)]
    >>> torch.linalg.matrix_norm(layer.weight.detach(), 2)
    tensor(1.0000)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module
