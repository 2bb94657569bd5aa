# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any

class aminmax(tuple[Any, ...]):
    @property
    def max(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def min(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class aminmax_out(tuple[Any, ...]):
    @property
    def max(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def min(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class cummax(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class cummax_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class cummin(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class cummin_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class frexp(tuple[Any, ...]):
    @property
    def exponent(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def mantissa(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class frexp_out(tuple[Any, ...]):
    @property
    def exponent(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def mantissa(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class geqrf(tuple[Any, ...]):
    @property
    def a(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def tau(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class geqrf_out(tuple[Any, ...]):
    @property
    def a(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def tau(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class histogram(tuple[Any, ...]):
    @property
    def bin_edges(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def hist(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class histogram_out(tuple[Any, ...]):
    @property
    def bin_edges(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def hist(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class histogramdd(tuple[Any, ...]):
    @property
    def bin_edges(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def hist(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class kthvalue(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class kthvalue_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_cholesky_ex(tuple[Any, ...]):
    @property
    def L(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_cholesky_ex_out(tuple[Any, ...]):
    @property
    def L(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eig(tuple[Any, ...]):
    @property
    def eigenvalues(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def eigenvectors(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eig_out(tuple[Any, ...]):
    @property
    def eigenvalues(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def eigenvectors(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eigh(tuple[Any, ...]):
    @property
    def eigenvalues(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def eigenvectors(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_eigh_out(tuple[Any, ...]):
    @property
    def eigenvalues(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def eigenvectors(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_inv_ex(tuple[Any, ...]):
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def inverse(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_inv_ex_out(tuple[Any, ...]):
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def inverse(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_ldl_factor(tuple[Any, ...]):
    @property
    def LD(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_ldl_factor_ex(tuple[Any, ...]):
    @property
    def LD(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_ldl_factor_ex_out(tuple[Any, ...]):
    @property
    def LD(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_ldl_factor_out(tuple[Any, ...]):
    @property
    def LD(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lstsq(tuple[Any, ...]):
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def rank(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def residuals(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def singular_values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def solution(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lstsq_out(tuple[Any, ...]):
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def rank(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def residuals(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def singular_values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def solution(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lu(tuple[Any, ...]):
    @property
    def L(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def P(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_lu_factor(tuple[Any, ...]):
    @property
    def LU(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lu_factor_ex(tuple[Any, ...]):
    @property
    def LU(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lu_factor_ex_out(tuple[Any, ...]):
    @property
    def LU(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lu_factor_out(tuple[Any, ...]):
    @property
    def LU(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def pivots(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_lu_out(tuple[Any, ...]):
    @property
    def L(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def P(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_qr(tuple[Any, ...]):
    @property
    def Q(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def R(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_qr_out(tuple[Any, ...]):
    @property
    def Q(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def R(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_slogdet(tuple[Any, ...]):
    @property
    def logabsdet(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_slogdet_out(tuple[Any, ...]):
    @property
    def logabsdet(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_solve_ex(tuple[Any, ...]):
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def result(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_solve_ex_out(tuple[Any, ...]):
    @property
    def info(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def result(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class linalg_svd(tuple[Any, ...]):
    @property
    def S(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def Vh(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class linalg_svd_out(tuple[Any, ...]):
    @property
    def S(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def Vh(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class lu_unpack(tuple[Any, ...]):
    @property
    def L(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def P(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class lu_unpack_out(tuple[Any, ...]):
    @property
    def L(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def P(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class max(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class max_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class median(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class median_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class min(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class min_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class mode(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class mode_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class nanmedian(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class nanmedian_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class qr(tuple[Any, ...]):
    @property
    def Q(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def R(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class qr_out(tuple[Any, ...]):
    @property
    def Q(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def R(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class slogdet(tuple[Any, ...]):
    @property
    def logabsdet(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class slogdet_out(tuple[Any, ...]):
    @property
    def logabsdet(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def sign(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class sort(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class sort_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class svd(tuple[Any, ...]):
    @property
    def S(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def V(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class svd_out(tuple[Any, ...]):
    @property
    def S(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def U(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    @property
    def V(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
class topk(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class topk_out(tuple[Any, ...]):
    @property
    def indices(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def values(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class triangular_solve(tuple[Any, ...]):
    @property
    def cloned_coefficient(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def solution(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
class triangular_solve_out(tuple[Any, ...]):
    @property
    def cloned_coefficient(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
    n_fields: int
    n_sequence_fields: int
    n_unnamed_fields: int
    @property
    def solution(self) -> Any:
        """itemgetter(item, ...) --> itemgetter object"""
        ...
