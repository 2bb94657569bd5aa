"""The operators of torchvision that its C++ library defines: ``torch.ops.load_library`` finds them here by that library's path.

torchvision itself says what their derivatives are, in terms of the operators whose names end in ``_backward``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.autograd import grad_mode, gradients
from rushlight.backend import regions_of_interest
from rushlight.ops.operands import require_kind
from rushlight.tensor import Tensor, wrap
from rushlight.tensors.creation.ranges import arange

from . import library


def _defined(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    name, _, form = schema.partition("(")

    def define(kernel: Callable[..., Any]) -> Callable[..., Any]:
        library.define(f"torchvision::{name}", f"({form}")
        library.impl(f"torchvision::{name}", "cpu", kernel)
        return kernel

    return define


def _check_regions(name: str, input: Tensor, rois: Tensor, bins: regions_of_interest.Bins = (1, 1)) -> None:
    if rois.ndim != 2 or rois.shape[1] != 5:
        raise RuntimeError("rois must have shape as Tensor[K, 5]")
    if input.dtype is not rois.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'input' to have the same type as tensor for argument #2 'rois'; but type "
            f"{input.type()} does not equal {rois.type()} (while checking arguments for {name})"
        )
    require_kind(input, name, "f")
    if input.shape[1] % math.prod(bins):
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")


@_defined("_cuda_version() -> int")
def _cuda_version() -> int:
    return -1


@_defined("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
def _nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    if dets.ndim != 2:
        raise RuntimeError(f"boxes should be a 2d tensor, got {dets.ndim}D")
    if dets.shape[1] != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {dets.shape[1]}")
    if scores.ndim != 1:
        raise RuntimeError(f"scores should be a 1d tensor, got {scores.ndim}D")
    if len(dets) != len(scores):
        raise RuntimeError(
            f"boxes and scores should have same number of elements in dimension 0, got {len(dets)} and {len(scores)}"
        )
    if dets.dtype is not scores.dtype:
        raise RuntimeError("dets should have the same type as scores")
    require_kind(dets, "nms_kernel", "f")
    return wrap(regions_of_interest.kept_boxes(dets._array, scores._array, iou_threshold))


_ALIGN = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SHAPE = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"


@_defined(f"roi_align(Tensor input, Tensor rois, {_ALIGN}, int sampling_ratio, bool aligned) -> Tensor")
def _roi_align(
    input: Tensor, rois: Tensor, scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int, aligned: bool
) -> Tensor:
    _check_regions("roi_align_forward_kernel", input, rois)
    bins = (pooled_height, pooled_width)
    return wrap(regions_of_interest.roi_align(input._array, rois._array, scale, bins, sampling_ratio, aligned))


@_defined(f"_roi_align_backward(Tensor grad, Tensor rois, {_ALIGN}, {_SHAPE}, int sampling_ratio, bool aligned) -> Tensor")
def _roi_align_backward(grad: Tensor, rois: Tensor, scale: float, *sizes: Any) -> Tensor:
    pooled_height, pooled_width, *shape, sampling_ratio, aligned = sizes
    bins = (pooled_height, pooled_width)
    return wrap(
        regions_of_interest.roi_align_transposed(grad._array, rois._array, scale, bins, tuple(shape), sampling_ratio, aligned)
    )


@_defined(f"ps_roi_align(Tensor input, Tensor rois, {_ALIGN}, int sampling_ratio) -> (Tensor, Tensor)")
def _ps_roi_align(
    input: Tensor, rois: Tensor, scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int
) -> tuple[Tensor, Tensor]:
    bins = (pooled_height, pooled_width)
    _check_regions("ps_roi_align_forward_kernel", input, rois, bins)
    pooled = regions_of_interest.ps_roi_align(input._array, rois._array, scale, bins, sampling_ratio)
    return wrap(pooled), wrap(regions_of_interest.bin_channels(len(rois), input.shape[1], bins))


@_defined(
    f"_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_ALIGN}, int sampling_ratio, {_SHAPE}) -> Tensor"
)
def _ps_roi_align_backward(grad: Tensor, rois: Tensor, mapping: Tensor, scale: float, *sizes: int) -> Tensor:
    pooled_height, pooled_width, sampling_ratio, *shape = sizes
    bins = (pooled_height, pooled_width)
    return wrap(
        regions_of_interest.ps_roi_align_transposed(grad._array, rois._array, scale, bins, tuple(shape), sampling_ratio)
    )


@_defined(f"roi_pool(Tensor input, Tensor rois, {_ALIGN}) -> (Tensor, Tensor)")
def _roi_pool(input: Tensor, rois: Tensor, scale: float, pooled_height: int, pooled_width: int) -> tuple[Tensor, Tensor]:
    _check_regions("roi_pool_forward_kernel", input, rois)
    pooled, argmax = regions_of_interest.roi_pool(input._array, rois._array, scale, (pooled_height, pooled_width))
    return wrap(pooled), wrap(argmax)


@_defined(f"_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, {_ALIGN}, {_SHAPE}) -> Tensor")
def _roi_pool_backward(
    grad: Tensor, rois: Tensor, argmax: Tensor, scale: float, pooled_height: int, pooled_width: int, *shape: int
) -> Tensor:
    return wrap(regions_of_interest.roi_pool_transposed(grad._array, rois._array, argmax._array, shape))


@_defined(f"ps_roi_pool(Tensor input, Tensor rois, {_ALIGN}) -> (Tensor, Tensor)")
def _ps_roi_pool(input: Tensor, rois: Tensor, scale: float, pooled_height: int, pooled_width: int) -> tuple[Tensor, Tensor]:
    bins = (pooled_height, pooled_width)
    _check_regions("ps_roi_pool_forward_kernel", input, rois, bins)
    pooled = regions_of_interest.ps_roi_pool(input._array, rois._array, scale, bins)
    return wrap(pooled), wrap(regions_of_interest.bin_channels(len(rois), input.shape[1], bins))


@_defined(f"_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_ALIGN}, {_SHAPE}) -> Tensor")
def _ps_roi_pool_backward(
    grad: Tensor, rois: Tensor, mapping: Tensor, scale: float, pooled_height: int, pooled_width: int, *shape: int
) -> Tensor:
    bins = (pooled_height, pooled_width)
    return wrap(regions_of_interest.ps_roi_pool_transposed(grad._array, rois._array, scale, bins, shape))


# Defined without a function: they take quantized tensors, of which there are none, or turned boxes.
library.define("torchvision::qnms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
library.define(
    "torchvision::qroi_align",
    "(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, "
    f"{_ALIGN}, int sampling_ratio, bool aligned) -> Tensor",
)
library.define("torchvision::box_iou_rotated", "(Tensor boxes1, Tensor boxes2) -> Tensor")

_DEFORM = (
    "Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, "
    "SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask"
)


@_defined(f"deform_conv2d({_DEFORM}) -> Tensor")
def _deform_conv2d(input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor, *numbers: int) -> Tensor:
    """A convolution each of whose taps reads the picture at a place of its own, between the elements."""
    *steps, groups, offset_groups, use_mask = numbers
    taps, out = weight.shape[2:], offset.shape[2:]
    places = offset_groups * math.prod(taps)
    if offset.shape[1] != 2 * places:
        raise RuntimeError(f"offset.shape[1] is not valid: got: {offset.shape[1]} expected: {2 * places}")
    if use_mask and mask.shape[1] != places:
        raise RuntimeError(f"mask.shape[1] is not valid: got: {mask.shape[1]} expected: {places}")
    shifts = offset.reshape(len(input), offset_groups, *taps, 2, *out)
    at = []
    for axis, (stride, pad, dilation) in enumerate(zip(steps[:2], steps[2:4], steps[4:], strict=True)):
        of_tap = arange(taps[axis], dtype=offset.dtype) * dilation - pad
        of_out = arange(out[axis], dtype=offset.dtype) * stride
        at.append(shifts[:, :, :, :, axis] + of_tap.reshape(-1, *(1,) * (3 - axis)) + of_out.reshape(-1, *(1,) * (1 - axis)))
    read = _between(input.reshape(len(input), offset_groups, -1, *input.shape[2:]), at[0], at[1])
    if use_mask:
        read = read * mask.reshape(len(input), offset_groups, 1, *taps, *out)
    columns = read.reshape(len(input), groups, -1, math.prod(out))
    products = weight.reshape(groups, len(weight) // groups, -1) @ columns
    return products.reshape(len(input), len(weight), *out) + bias.reshape(-1, 1, 1)


def _between(planes: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Planes (N, G, C, H, W) read at places (N, G, ...), interpolated between the four elements around; 0 outside."""
    height, width = planes.shape[3:]
    flat = planes.flatten(3)
    top, left = y.detach().floor(), x.detach().floor()
    parts = []
    for row, weight_y in ((top, 1 + top - y), (top + 1, y - top)):
        for column, weight_x in ((left, 1 + left - x), (left + 1, x - left)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            index = (row.clamp(0, height - 1) * width + column.clamp(0, width - 1)).long().flatten(2)
            found = flat.gather(3, index.unsqueeze(2).expand(-1, -1, flat.shape[2], -1))
            parts.append(found.reshape(*planes.shape[:3], *y.shape[2:]) * (weight_y * weight_x * inside).unsqueeze(2))
    return parts[0] + parts[1] + parts[2] + parts[3]


@_defined(f"_deform_conv2d_backward(Tensor grad, {_DEFORM}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)")
def _deform_conv2d_backward(grad: Tensor, *arguments: Any) -> tuple[Tensor, ...]:
    with grad_mode.enable_grad():
        inputs = [one.detach().requires_grad_() for one in arguments[:5]]
        out = _deform_conv2d(*inputs, *arguments[5:])
    return gradients.grad(out, inputs, grad, allow_unused=True, materialize_grads=True)
