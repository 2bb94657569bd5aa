"""The functions that PyTorch does not have for sparse tensors of layout COO."""

from __future__ import annotations

# What PyTorch has for other layouts alone, however it is called.
REFUSED = frozenset(
    (
        "__and__ __contains__ __eq__ __ge__ __gt__ __le__ __lshift__ __lt__ __ne__ __or__ __rdiv__ __rpow__ __rshift__ __rsub__ "
        "__rtruediv__ __xor__ acos acosh adaptive_avg_pool1d adaptive_max_pool1d adaptive_max_pool1d_with_indices addcdiv "
        "addcmul airy_ai all allclose amax amin aminmax angle arccos arccosh arctan2 argmax argmin argsort argwhere as_strided "
        "as_strided_scatter atan2 avg_pool1d bernoulli bessel_j0 bessel_j1 bessel_y0 bessel_y1 binary_cross_entropy_with_logits "
        "binomial bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor block_diag bucketize "
        "cdist celu chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w cholesky "
        "cholesky_ex cholesky_inverse cholesky_solve chunk clamp clamp_max clamp_min clip complex cond constant_pad_nd copysign "
        "cos cosh count_nonzero cross cummax cummin cumprod cumsum cumulative_trapezoid dequantize det diag diag_embed diagonal "
        "diagonal_scatter digamma dropout1d dropout3d eig eigh eigvals eigvalsh elu embedding entr eq equal erfc erfcx exp exp2 "
        "expit fill flip fliplr flipud fmax fmin fmod frexp full_like gammainc gammaincc gammaln gather gcd ge gelu geqrf glu "
        "gradient greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh hash_tensor heaviside hermite_polynomial_h "
        "hermite_polynomial_he hinge_embedding_loss histc histogram histogramdd hsplit hypot i0 i0e i1 i1e igamma igammac "
        "index_add inv inv_ex inverse isclose isfinite isin kron kthvalue laguerre_polynomial_l lcm ldl_factor ldl_factor_ex le "
        "leaky_relu legendre_polynomial_p lerp less less_equal lgamma log log10 log2 log_ndtr log_softmax logaddexp logaddexp2 "
        "logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logsigmoid logsumexp lstsq lt lu lu_factor "
        "lu_factor_ex lu_unpack masked_select matrix_exp matrix_norm max max_pool1d max_pool1d_with_indices maximum mean median "
        "min minimum mish mode modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 mse_loss msort "
        "multigammaln multilabel_soft_margin_loss multinomial mvlgamma nanmean nanmedian nansum narrow native_dropout ndtri ne "
        "new_empty_strided new_ones nextafter nonzero nonzero_static normal not_equal nuclear_norm ones_like orgqr ormqr pinv "
        "poisson polar polygamma prelu prod psi qr rand_like randint_like randn_like reciprocal relu6 remainder renorm rms_norm "
        "roll rot90 rsqrt scaled_modified_bessel_k0 scaled_modified_bessel_k1 scatter_reduce searchsorted select_scatter selu "
        "set_ shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
        "shifted_chebyshev_polynomial_w sigmoid silu sinc slice_scatter slogdet smooth_l1_loss softmax softmin softplus "
        "softshrink solve solve_ex solve_triangular sort spherical_bessel_j0 split split_with_sizes squeeze std std_mean svd "
        "svdvals take take_along_dim tensor_split tensordot threshold to_mkldnn topk trace triangular_solve tril triu unflatten "
        "unfold unique unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes var var_mean vector_norm view_as "
        "vsplit where xlog1py xlogy zeta"
    ).split()
)
# What it has for some calls: the others are computed here, but what else is wrong with such a call is said behind that.
LACKING = frozenset(
    (
        "__iand__ __ilshift__ __ior__ __irshift__ __ixor__ __mod__ addbmm addmv baddbmm bincount cauchy channel_shuffle "
        "cosine_similarity dot exponential fill_diagonal geometric log_normal lu_solve masked_fill masked_scatter max_pool2d "
        "max_pool3d nanquantile pixel_shuffle pixel_unshuffle pow put quantile random resize rsub square stft to_padded_tensor "
        "uniform unsqueeze vdot view"
    ).split()
)
_NO_FORMAT = "unsupported memory format option Contiguous"
# What it refuses in the words of a function that it calls.
SAID = {
    **dict.fromkeys(
        (
            "contiguous diagflat group_norm index_fill masked_fill masked_scatter native_layer_norm norm_except_dim pdist put ravel "
            "resize_as"
        ).split(),
        _NO_FORMAT,
    ),
    **dict.fromkeys(
        "broadcast_to cosine_similarity expand repeat tile vander".split(), "expand is unsupported for Sparse tensors"
    ),
    **dict.fromkeys(("gumbel_softmax", "isreal", "rrelu"), "memory format option is only supported by strided tensors"),
    **dict.fromkeys(
        "flatten inner nanquantile quantile repeat_interleave reshape_as tensorinv tensorsolve".split(),
        "reshape is not implemented for sparse tensors",
    ),
    **dict.fromkeys(
        "gaussian_nll_loss l1_loss margin_ranking_loss ndtr pairwise_distance poisson_nll_loss softsign".split(),
        "add(sparse, dense) is not supported. Use add(dense, sparse) instead.",
    ),
    **dict.fromkeys(("matrix_rank", "pinverse"), "full(...) is not implemented for sparse layout"),
}
