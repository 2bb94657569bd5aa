"""What events are called: PyTorch's names of its operators, for functions and for ops of the table."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from ..base.missing_names import is_in_torch
from ..base.public_names import OPERATORS
from ..ops.public import methods, registry

SPACES = ("torch", "torch.Tensor", "torch.nn.functional")
PREFIXES = {"torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_"}

# Functions and methods whose operator is called otherwise; None: no event of its own, what it is made of has.
SPOKEN: dict[str, str | None] = {
    **dict.fromkeys("bfloat16 bool byte cdouble cfloat char double float half int long short type astype".split(), "to"),
    **dict.fromkeys("__float__ __int__ __index__ __complex__".split(), "item"),
    "__bool__": "is_nonzero",
    **{operator: None if name[0] == "_" else name for operator, name in OPERATORS.items()},
    "__rsub__": "rsub",
    "__floordiv__": "floor_divide",
    "__rfloordiv__": "floor_divide",
    "__rpow__": "pow",
    "__rmod__": "remainder",
    "__rmatmul__": "matmul",
    "__eq__": "eq",
    "__ne__": "ne",
    "cross_entropy": "cross_entropy_loss",
    "fold": "col2im",
    "grid_sample": "grid_sampler",
    "affine_grid": "affine_grid_generator",
    "logsigmoid": "log_sigmoid",
    "tensor": "lift_fresh",
    "unique": "_unique2",
    "__rdiv__": None,
    "T": "numpy_T",
    "H": "matrix_H",
    **dict.fromkeys("dropout1d dropout2d dropout3d".split(), "feature_dropout"),
    **dict.fromkeys(
        """
        adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices apply_
        are_deterministic_algorithms_enabled
        as_tensor asarray backward broadcast_shapes can_cast const_data_ptr cpu cuda data_ptr dim dim_order
        eig element_size fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices from_dlpack from_numpy
        frombuffer gaussian_nll_loss get_default_dtype get_device gumbel_softmax has_names interpolate is_complex is_conj
        is_contiguous is_floating_point is_inference is_neg is_nonzero_number is_pinned is_same_size is_set_to is_signed
        is_storage is_tensor linear_cross_entropy local_response_norm lp_pool1d lp_pool2d lp_pool3d lstsq lu map_ matrix_rank
        max_unpool1d multi_head_attention_forward multilabel_soft_margin_loss name ndimension nelement new new_tensor norm normalize
        numel numpy pca_lowrank promote_types register_hook requires_grad_ retain_grad set_printoptions size softmin softsign
        solve storage storage_offset storage_type stride svd_lowrank symeig sym_float tanhshrink to_dlpack tolist
        triplet_margin_with_distance_loss typename unravel_index untyped_storage upsample upsample_bilinear upsample_nearest
        """.split()
    ),
}  # fmt: skip
TRANSPOSES = frozenset(("T", "H", "mT", "mH"))
METHODS = TRANSPOSES | {"detach", "detach_", "item"}  # those of Tensor itself that are operators
BY_SPACE = {("torch.nn.functional", "unfold"): "im2col", ("torch.nn.functional", "nll_loss"): "nll_loss_nd"}
FACTORIES = frozenset(f"aten::{name}" for name in "arange eye full linspace ones rand randint randn randperm zeros".split())
DUNDERS = frozenset(f"__{i}{name}__" for name in "and or xor lshift rshift".split() for i in ("", "i", "r"))

# Ops of the table that PyTorch has under another name.
OPS = {
    "adaptive_avg_pool2": "_adaptive_avg_pool2d", "adaptive_avg_pool3": "_adaptive_avg_pool3d",
    "adaptive_max_pool2": "adaptive_max_pool2d", "adaptive_max_pool3": "adaptive_max_pool3d",
    "add_scaled": "add", "astype": "to", "attention": "scaled_dot_product_attention", "avg_pool2": "avg_pool2d",
    "avg_pool3": "avg_pool3d", "batch_norm_given": "native_batch_norm", "clamp_between": "clamp",
    "clamp_max_tensor": "clamp_max", "clamp_min_tensor": "clamp_min", "constant_pad": "constant_pad_nd",
    "concat": "cat", "conv": "convolution", "conv_input_grad": "convolution_backward", "conv_weight_grad": "convolution_backward",
    "copysign_number": "copysign", "cholesky_ex": "linalg_cholesky_ex", "cholesky_older": "cholesky",
    "div_floor": "div", "div_trunc": "div", "divide_by": "div", "divide_number": "div", "eig": "linalg_eig",
    "eigh": "linalg_eigh", "eigvals": "linalg_eigvals", "eigvalsh": "linalg_eigvalsh", "embed_diagonal": "diagonal_backward",
    "embed_select": "select_backward", "embed_slice": "slice_backward", "embedding_adjoint": "embedding_dense_backward",
    "expand_dims": "unsqueeze", "expand_number": "expand", "fft_c2c": "_fft_c2c", "fft_c2r": "_fft_c2r",
    "fft_r2c": "_fft_r2c", "fill_tensor": "fill", "filled": "fill", "filled_tensor": "fill", "fmod_number": "fmod",
    "gather_adjoint": "gather_backward", "gelu_erf": "gelu", "gelu_tanh": "gelu",
    "gelu_erf_backward": "gelu_backward", "gelu_tanh_backward": "gelu_backward",
    "grid_sampler2": "grid_sampler_2d", "grid_sampler3": "grid_sampler_3d", "group_norm_with_moments": "native_group_norm",
    "householder_product": "linalg_householder_product", "i0e": "special_i0e", "i1": "special_i1", "i1e": "special_i1e",
    "index_adjoint": "_index_put_impl_", "index_select_adjoint": "index_select_backward", "inv": "linalg_inv",
    "inv_ex": "linalg_inv_ex", "layer_norm_with_moments": "native_layer_norm", "ldl_factor_ex": "linalg_ldl_factor_ex",
    "ldl_solve": "linalg_ldl_solve", "lerp_tensor": "lerp",
    "log_softmax_grad": "_log_softmax_backward_data", "lstsq": "linalg_lstsq", "lu": "linalg_lu",
    "lu_factor_ex": "linalg_lu_factor_ex", "masked_fill_tensor": "masked_fill", "masked_scale": "native_dropout_backward",
    "matrix_rank": "linalg_matrix_rank", "max_all": "max", "max_pool2": "max_pool2d_with_indices", "max_pool3": "max_pool3d_with_indices",
    "max_unpool2": "max_unpool2d", "max_unpool3": "max_unpool3d", "mean_all": "mean", "median_all": "median",
    "min_all": "min", "minus": "sub", "nanmedian_all": "nanmedian", "nll_loss_adjoint": "nll_loss_backward",
    "nll_loss_planes": "nll_loss2d", "norm_along": "norm", "number_minus": "sub", "number_pow": "pow", "number_remainder": "remainder",
    "permute_dims": "permute", "pinv": "linalg_pinv", "plus": "add", "pow_number": "pow", "prod_all": "prod",
    "reflect_pad1": "reflection_pad1d", "reflect_pad2": "reflection_pad2d", "reflect_pad3": "reflection_pad3d",
    "relu_backward": "threshold_backward", "remainder_number": "remainder", "replicate_pad1": "replication_pad1d",
    "replicate_pad2": "replication_pad2d", "replicate_pad3": "replication_pad3d", "reshape_alias": "_reshape_alias",
    "round_decimals": "round", "rsub_number": "rsub", "rsub_scaled": "rsub", "scatter_value": "scatter",
    "sigmoid_backward": "sigmoid_backward", "softmax_grad": "_softmax_backward_data",
    "solve": "linalg_solve", "solve_ex": "linalg_solve_ex", "solve_triangular": "linalg_solve_triangular",
    "squeeze_all": "squeeze", "squeeze_several": "squeeze", "sub_scaled": "sub", "sum_all": "sum",
    "svdvals": "linalg_svdvals", "tanh_backward": "tanh_backward", "times": "mul",
    "to_copy": "to", "to_integers": "to", "unique": "_unique2", "unsafe_view": "_unsafe_view", "vector_norm": "linalg_vector_norm",
    "xlogy_number": "xlogy", "number_xlogy": "xlogy", "zeroed": "zero", "zeros_as": "zeros_like",
    "interpolate_cubic2": "upsample_bicubic2d", "interpolate_cubic_antialias2": "_upsample_bicubic2d_aa",
    "interpolate_linear1": "upsample_linear1d", "interpolate_linear2": "upsample_bilinear2d",
    "interpolate_linear3": "upsample_trilinear3d", "interpolate_linear_antialias2": "_upsample_bilinear2d_aa",
    **{f"interpolate_nearest{n}": f"upsample_nearest{n}d" for n in (1, 2, 3)},
    **{f"interpolate_nearest_exact{n}": f"_upsample_nearest_exact{n}d" for n in (1, 2, 3)},
    "squeeze_all_copy": "squeeze_copy", "squeeze_several_copy": "squeeze_copy", "expand_dims_copy": "unsqueeze_copy",
    "permute_dims_copy": "permute_copy", "div_rounded": "div",
    "to_sparse_coo": "to_sparse", "from_sparse": "to_dense",
    "sparse_addmm": "_sparse_addmm", "sparse_mm": "mm", "sparse_mv": "mv", "mm_by_sparse": "mm", "logits_of_another_dtype":
    "binary_cross_entropy_with_logits", "huber_loss_of_another_dtype": "huber_loss",
    "prelu_backward": "_prelu_kernel_backward", "rrelu_noise": "rrelu_with_noise", "rrelu_noise_backward": "rrelu_with_noise_backward",
    **{
        f"{name}_backward": f"{name}_backward"
        for name in "binary_cross_entropy elu glu hardshrink hardsigmoid hardswish hardtanh huber_loss leaky_relu log_sigmoid "
        "mse_loss smooth_l1_loss soft_margin_loss softplus softshrink threshold".split()
    },
    "foreach_maximum": "_foreach_maximum", "foreach_minimum": "_foreach_minimum",
}  # fmt: skip

# Operators of PyTorch's that it does not offer by name; and a name that is no operator.
UNNAMED = frozenset("alias col2im copy im2col log_sigmoid slice zero".split())
NO_OPERATOR = "interpolate"

# Nodes whose derivative is one operator of PyTorch's, named after them; and those whose operator has another name.
WITH_OPERATOR = frozenset(
    """
    AdaptiveMaxPool2D AdaptiveMaxPool3D AvgPool2D AvgPool3D BinaryCrossEntropy Convolution Diagonal Elu Embedding
    FractionalMaxPool2D FractionalMaxPool3D Gather Gelu Glu Hardshrink Hardsigmoid Hardswish Hardtanh HuberLoss IndexSelect
    LeakyRelu LogSigmoid Logit MaskedSelect MaxPool2DWithIndices MaxPool3DWithIndices Mish MseLoss MultiMarginLoss
    MultilabelMarginLoss NativeBatchNorm NativeGroupNorm NativeLayerNorm NllLoss2D NllLoss ReflectionPad1D ReflectionPad2D
    ReflectionPad3D ReplicationPad1D ReplicationPad2D ReplicationPad3D RreluWithNoise Select Sigmoid Silu Slice SmoothL1Loss
    SoftMarginLoss Softplus Softshrink Tanh Threshold Trace Unfold UpsampleBicubic2D UpsampleBilinear2D UpsampleLinear1D
    UpsampleNearest1D UpsampleNearest2D UpsampleNearest3D UpsampleTrilinear3D
    """.split()
)
OPERATORS = {
    **{f"AdaptiveAvgPool{n}DBackward0": f"_adaptive_avg_pool{n}d_backward" for n in (2, 3)},
    **{f"GridSampler{n}DBackward0": f"grid_sampler_{n}d_backward" for n in (2, 3)},
    **{f"UpsampleNearestExact{n}DBackward0": f"_upsample_nearest_exact{n}d_backward" for n in (1, 2, 3)},
    **dict.fromkeys(
        "KthvalueBackward0 MaxBackward0 MedianBackward1 MinBackward0 ModeBackward0 NanmedianBackward1 SortBackward0 SortBackward1 "
        "TopkBackward0".split(),
        "value_selecting_reduction_backward",
    ),
    **dict.fromkeys(("SafeSoftmaxBackward0", "SoftmaxBackward0"), "_softmax_backward_data"),
    **dict.fromkeys(("CummaxBackward0", "CumminBackward0"), "cummaxmin_backward"),
    "CeluBackward0": "elu_backward",
    "CtcLossBackward0": "_ctc_loss_backward",
    "EmbeddingBagBackward0": "_embedding_bag_backward",
    "LogSoftmaxBackward0": "_log_softmax_backward_data",
    "NarrowCopyBackward0": "slice_backward",
    "PdistBackward0": "_pdist_backward",
    "PreluKernelBackward0": "_prelu_kernel_backward",
    "ReluBackward0": "threshold_backward",
}


@functools.cache
def operator_of_node(name: str) -> str | None:
    """The event of the operator that a node's derivative is in PyTorch; None where it is made of several.

    >>> from rushlight.profiler.names import operator_of_node
    >>> operator_of_node("MaxPool2DWithIndicesBackward0"), operator_of_node("MulBackward0")
    ('aten::max_pool2d_with_indices_backward', None)
    """
    stem = name.removesuffix("Backward0")
    found = OPERATORS.get(name)
    if found is None and stem in WITH_OPERATOR:
        found = re.sub(r"(?<!^)(?=[A-Z])", "_", re.sub(r"(\d)D", r"\1d", stem)).lower() + "_backward"
    return None if found is None else "aten::" + found


@functools.cache
def _functions() -> dict[int, str]:
    """The operators' names for functions of namespaces that put a word before them."""
    found = {id(registry[space][name]): event for (space, name), event in BY_SPACE.items()}
    for space, prefix in PREFIXES.items():
        for function in registry.get(space, {}).values():
            if registry["torch"].get(function.__name__) is not function:
                found[id(function)] = prefix + function.__name__
    return found


def name_of_function(function: Callable[..., Any]) -> str | None:
    """The event of a call of a public function or a method; None if it has none.

    >>> import rushlight as torch
    >>> from rushlight.profiler.names import name_of_function
    >>> name_of_function(torch.mul), name_of_function(torch.linalg.det), name_of_function(torch.Tensor.size)
    ('aten::mul', 'aten::linalg_det', None)
    """
    name = _functions().get(id(function))
    if name is not None:
        return "aten::" + name
    return _operator(getattr(function, "__name__", ""))


def name_of_transpose(read: str) -> str | None:
    """The event of reading a property of a tensor: the transposes have one."""
    return _operator(read) if read in TRANSPOSES else None


@functools.cache
def _operator(name: str) -> str | None:
    spoken = SPOKEN.get(name, name)
    known = spoken is not name or name in methods or name in METHODS or any(name in space for space in registry.values())
    if spoken is None or not known or (spoken[:2] == "__" and spoken not in DUNDERS):
        return None
    return "aten::" + spoken


@functools.cache
def name_of_op(name: str) -> str:
    """The event of an op of the table: ``rushlight::`` where PyTorch has no such operator.

    >>> from rushlight.profiler.names import name_of_op
    >>> name_of_op("mul"), name_of_op("mean_all"), name_of_op("cumsum_from_end")
    ('aten::mul', 'aten::mean', 'rushlight::cumsum_from_end')
    """
    if name in OPS:
        return "aten::" + OPS[name]
    known = name in UNNAMED or (name != NO_OPERATOR and any(is_in_torch(f"{space}.{name}") for space in SPACES))
    return ("aten::" if known else "rushlight::") + name
