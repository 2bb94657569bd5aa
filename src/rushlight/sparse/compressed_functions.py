"""The functions that PyTorch does not have for tensors of compressed sparse layouts, and what it says of each.

>>> from rushlight.sparse.compressed_functions import refusal
>>> refusal("cos", "SparseBsr")
RuntimeError('unsupported tensor layout: SparseBsr')
"""

from __future__ import annotations

from .tensors import lacking


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What it says is of the function that it calls first, whose name it tells.
_LACKING = _names(
    "__floordiv__ __ilshift__ __lshift__ __rpow__ __rshift__ amax amin argwhere as_strided as_strided_copy bernoulli "
    "binary_cross_entropy_with_logits binomial bucketize cdist cholesky cholesky_ex cholesky_inverse cholesky_solve cond "
    "count_nonzero cross cumprod cumsum dequantize eig eigh eigvals eigvalsh einsum embedding equal fft fft2 fftn fftshift "
    "flip fliplr flipud floor_divide frexp geqrf gumbel_softmax hardswish hardtanh hash_tensor hfft hfft2 hfftn histc "
    "histogram histogramdd householder_product huber_loss ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn imag index_add "
    "index_copy index_select inv inv_ex inverse irfft irfft2 irfftn isin isreal ldl_factor ldl_factor_ex log_softmax "
    "logcumsumexp logit logsigmoid lu lu_factor lu_factor_ex masked_select matrix_exp mean mode moveaxis movedim "
    "multilabel_soft_margin_loss multinomial nan_to_num nansum native_dropout nonzero nonzero_static norm normal "
    "nuclear_norm orgqr ormqr permute permute_copy poisson prelu prod qr rand_like randint_like relu6 renorm rfft rfft2 "
    "rfftn roll rot90 rrelu rsub searchsorted softmax softmin solve solve_ex solve_triangular std std_mean svd svdvals take "
    "take_along_dim to_mkldnn topk trace tril triu unflatten unfold unfold_copy unique unique_consecutive var var_mean "
    "view_as_real view_as_real_copy where"
)
_SAID: dict[str, frozenset[str]] = {
    "unsupported tensor layout: {}": _names(
        "__and__ __contains__ __eq__ __iand__ __ipow__ __itruediv__ __lt__ __mod__ __or__ __pow__ __rdiv__ __rsub__ __sub__ __truediv__ "
        "__xor__ acos acosh addcdiv addcmul airy_ai allclose arccos arccosh arctan2 atan2 bessel_j0 bessel_j1 bessel_y0 "
        "bessel_y1 bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor celu "
        "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w clamp clamp_max clamp_min "
        "clip copysign cos cosh digamma dist div divide elu entr eq erfc erfcx exp exp2 expit float_power fmax fmin fmod "
        "gammainc gammaincc gammaln gaussian_nll_loss gcd ge gelu greater greater_equal gt hardshrink hardsigmoid heaviside "
        "hermite_polynomial_h hermite_polynomial_he hypot i0 i0e i1 i1e igamma igammac isclose isfinite kl_div l1_loss "
        "laguerre_polynomial_l lcm le leaky_relu legendre_polynomial_p lerp less less_equal lgamma log log10 log2 log_ndtr "
        "logaddexp logaddexp2 lp_pool1d lt margin_ranking_loss max maximum minimum mish modified_bessel_i0 modified_bessel_i1 "
        "modified_bessel_k0 modified_bessel_k1 mse_loss nanmean ndtr ndtri ne nextafter not_equal pairwise_distance polygamma "
        "pow psi reciprocal remainder rms_norm round.decimals rsqrt scaled_modified_bessel_k0 scaled_modified_bessel_k1 selu "
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
        "shifted_chebyshev_polynomial_w sigmoid silu sinc smooth_l1_loss softplus softshrink softsign spherical_bessel_j0 "
        "square sub subtract tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss true_divide xlog1py "
        "xlogy zeta"
    ),
    "Sparse CSR tensors do not have strides": _names(
        "adaptive_avg_pool1d adaptive_max_pool1d adaptive_max_pool1d_with_indices alias_copy argsort as_strided_scatter "
        "atleast_3d avg_pool1d block_diag chunk constant_pad_nd cumulative_trapezoid diag diag_embed diagonal diagonal_copy "
        "diagonal_scatter diff dropout1d dropout3d fill_diagonal_ gradient hsplit kron max_pool1d max_pool1d_with_indices msort "
        "narrow narrow_copy pad select_scatter slice_copy slice_scatter sort split split_copy split_with_sizes "
        "split_with_sizes_copy squeeze squeeze_copy tensor_split unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze "
        "unsqueeze_copy vander vsplit"
    ),
    "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size []": _names(
        "aminmax complex cummax cummin det kthvalue logdet logical_and logical_not logical_or logical_xor logsumexp lstsq "
        "lu_unpack matrix_norm matrix_rank median min multigammaln mvlgamma nanmedian pinv pinverse polar slogdet "
        "soft_margin_loss vector_norm"
    ),
    "Sparse CSR tensors do not have is_contiguous": _names(
        "contiguous corrcoef diagflat flatten group_norm layer_norm nanquantile norm_except_dim pdist quantile ravel repeat_interleave "
        "reshape reshape_as tensorinv tensorsolve"
    ),
    "resize_reduction: support for output with {} layout is not implemented yet": _names(
        "adaptive_avg_pool2d all any argmax argmin frobenius_norm normalize"
    ),
    "torch.transpose_: in-place transposition is not supported for {} layout": _names("swapaxes_ swapdims_ t_ transpose_"),
    "expand is unsupported for {} tensors": _names("broadcast_to cosine_similarity expand expand_as expand_copy repeat tile"),
    "unsupported memory format option Contiguous": _names(
        "detach_copy index_fill masked_fill masked_scatter put t_copy transpose_copy unbind_copy"
    ),
    "unsupported memory format Preserve": _names("hinge_embedding_loss"),
    "reduction operations on CSR tensors with keepdim=False is unsupported": _names(
        "cosine_embedding_loss cov trapezoid trapz vecdot"
    ),
}
_STORAGE = _names("as_strided_ is_shared storage storage_type untyped_storage view view_as view_copy")
_WORDS = {name: words for words, names in _SAID.items() for name in names}
ALL = sorted(_LACKING | _STORAGE | _WORDS.keys())
# What they make of the other argument PyTorch has.
OF_THE_FIRST = _names("__rdiv__ expand_as reshape_as view_as")


def refusal(name: str, layout: str) -> Exception | None:
    """PyTorch's error for a function of this name, or a method, of a tensor in a compressed layout; None where it has it."""
    for spelled in (name, name.rstrip("_")) if name[:2] != "__" else (name,):
        if spelled in _WORDS:
            return RuntimeError(_WORDS[spelled].format(layout))
        if spelled in _STORAGE:
            return NotImplementedError("Cannot access storage of SparseCsrTensorImpl")
        if spelled in _LACKING:
            return lacking(name, "SparseCsr")
    return None
