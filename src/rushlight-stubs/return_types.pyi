# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from typing import Any

class aminmax(tuple[Tensor, Tensor]):
    @property
    def max(self) -> Tensor: ...
    @property
    def min(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class aminmax_out(tuple[Tensor, Tensor]):
    @property
    def max(self) -> Tensor: ...
    @property
    def min(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class cummax(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class cummax_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class cummin(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class cummin_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class frexp(tuple[Tensor, Tensor]):
    @property
    def exponent(self) -> Tensor: ...
    @property
    def mantissa(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class frexp_out(tuple[Tensor, Tensor]):
    @property
    def exponent(self) -> Tensor: ...
    @property
    def mantissa(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class geqrf(tuple[Tensor, Tensor]):
    @property
    def a(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def tau(self) -> Tensor: ...
class geqrf_out(tuple[Tensor, Tensor]):
    @property
    def a(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def tau(self) -> Tensor: ...
class histogram(tuple[Tensor, Tensor]):
    @property
    def bin_edges(self) -> Tensor: ...
    @property
    def hist(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class histogram_out(tuple[Tensor, Tensor]):
    @property
    def bin_edges(self) -> Tensor: ...
    @property
    def hist(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class histogramdd(tuple[Tensor, Tensor]):
    @property
    def bin_edges(self) -> Tensor: ...
    @property
    def hist(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class kthvalue(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class kthvalue_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class linalg_cholesky_ex(tuple[Tensor, Tensor]):
    @property
    def L(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_cholesky_ex_out(tuple[Tensor, Tensor]):
    @property
    def L(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eig(tuple[Tensor, Tensor]):
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eig_out(tuple[Tensor, Tensor]):
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eigh(tuple[Tensor, Tensor]):
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eigh_out(tuple[Tensor, Tensor]):
    @property
    def eigenvalues(self) -> Tensor: ...
    @property
    def eigenvectors(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_inv_ex(tuple[Tensor, Tensor]):
    @property
    def info(self) -> Tensor: ...
    @property
    def inverse(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_inv_ex_out(tuple[Tensor, Tensor]):
    @property
    def info(self) -> Tensor: ...
    @property
    def inverse(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_ldl_factor(tuple[Tensor, Tensor]):
    @property
    def LD(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_ldl_factor_ex(tuple[Tensor, Tensor, Tensor]):
    @property
    def LD(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_ldl_factor_ex_out(tuple[Tensor, Tensor, Tensor]):
    @property
    def LD(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_ldl_factor_out(tuple[Tensor, Tensor]):
    @property
    def LD(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_lstsq(tuple[Tensor, Tensor, Tensor, Tensor]):
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def rank(self) -> Tensor: ...
    @property
    def residuals(self) -> Tensor: ...
    @property
    def singular_values(self) -> Tensor: ...
    @property
    def solution(self) -> Tensor: ...
class linalg_lstsq_out(tuple[Tensor, Tensor, Tensor, Tensor]):
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def rank(self) -> Tensor: ...
    @property
    def residuals(self) -> Tensor: ...
    @property
    def singular_values(self) -> Tensor: ...
    @property
    def solution(self) -> Tensor: ...
class linalg_lu(tuple[Tensor, Tensor, Tensor]):
    @property
    def L(self) -> Tensor: ...
    @property
    def P(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_lu_factor(tuple[Tensor, Tensor]):
    @property
    def LU(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_lu_factor_ex(tuple[Tensor, Tensor, Tensor]):
    @property
    def LU(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_lu_factor_ex_out(tuple[Tensor, Tensor, Tensor]):
    @property
    def LU(self) -> Tensor: ...
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_lu_factor_out(tuple[Tensor, Tensor]):
    @property
    def LU(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Tensor: ...
class linalg_lu_out(tuple[Tensor, Tensor, Tensor]):
    @property
    def L(self) -> Tensor: ...
    @property
    def P(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_qr(tuple[Tensor, Tensor]):
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_qr_out(tuple[Tensor, Tensor]):
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_slogdet(tuple[Tensor, Tensor]):
    @property
    def logabsdet(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Tensor: ...
class linalg_slogdet_out(tuple[Tensor, Tensor]):
    @property
    def logabsdet(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Tensor: ...
class linalg_solve_ex(tuple[Tensor, Tensor]):
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def result(self) -> Tensor: ...
class linalg_solve_ex_out(tuple[Tensor, Tensor]):
    @property
    def info(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def result(self) -> Tensor: ...
class linalg_svd(tuple[Tensor, Tensor, Tensor]):
    @property
    def S(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    @property
    def Vh(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_svd_out(tuple[Tensor, Tensor, Tensor]):
    @property
    def S(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    @property
    def Vh(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class lu_unpack(tuple[Tensor, Tensor, Tensor]):
    @property
    def L(self) -> Tensor: ...
    @property
    def P(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class lu_unpack_out(tuple[Tensor, Tensor, Tensor]):
    @property
    def L(self) -> Tensor: ...
    @property
    def P(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class max(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class max_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class median(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class median_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class min(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class min_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class mode(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class mode_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class nanmedian(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class nanmedian_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class qr(tuple[Tensor, Tensor]):
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class qr_out(tuple[Tensor, Tensor]):
    @property
    def Q(self) -> Tensor: ...
    @property
    def R(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class slogdet(tuple[Tensor, Tensor]):
    @property
    def logabsdet(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Tensor: ...
class slogdet_out(tuple[Tensor, Tensor]):
    @property
    def logabsdet(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Tensor: ...
class sort(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class sort_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class svd(tuple[Tensor, Tensor, Tensor]):
    @property
    def S(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    @property
    def V(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class svd_out(tuple[Tensor, Tensor, Tensor]):
    @property
    def S(self) -> Tensor: ...
    @property
    def U(self) -> Tensor: ...
    @property
    def V(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class topk(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class topk_out(tuple[Tensor, Tensor]):
    @property
    def indices(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Tensor: ...
class triangular_solve(tuple[Tensor, Tensor]):
    @property
    def cloned_coefficient(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def solution(self) -> Tensor: ...
class triangular_solve_out(tuple[Tensor, Tensor]):
    @property
    def cloned_coefficient(self) -> Tensor: ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def solution(self) -> Tensor: ...
