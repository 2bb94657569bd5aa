"""Regions of interest in pictures: boxes that others cover, and rectangles of any place read into grids of bins.

A region (a row of ``rois``) is the number of its picture and two corners, x before y. What a bin holds is linear in the
picture, once the places of maxima are known: each kernel stands beside its transpose.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base.errstate import silent
from .numpy import Array, Shape

Bins = tuple[int, int]


def kept_boxes(boxes: Array, scores: Array, threshold: float) -> Array:
    """Indices of boxes, best score first, without those that cover a better one by more than ``threshold`` of their union."""
    order = np.argsort(-scores, kind="stable")
    x1, y1, x2, y2 = boxes[order].T
    areas = (x2 - x1) * (y2 - y1)
    free = np.ones(len(order), np.bool_)
    kept = []
    for place in range(len(order)):
        if free[place]:
            kept.append(order[place])
            width = np.minimum(x2[place], x2[place + 1 :]) - np.maximum(x1[place], x1[place + 1 :])
            height = np.minimum(y2[place], y2[place + 1 :]) - np.maximum(y1[place], y1[place + 1 :])
            shared = np.maximum(width, 0) * np.maximum(height, 0)
            with silent():
                free[place + 1 :] &= ~(shared / (areas[place] + areas[place + 1 :] - shared) > threshold)
    return np.array(kept, np.int64)


def _interpolation(start: Any, extent: Any, bins: int, sampling_ratio: int, size: int) -> tuple[slice, Array]:
    """How the means of samples, in bins along one axis, are made of a stretch of its elements: that stretch, and a row a bin."""
    step = extent / extent.dtype.type(bins)
    samples = sampling_ratio if sampling_ratio > 0 else max(math.ceil(step), 0)
    at = start + np.arange(bins, dtype=step.dtype)[:, None] * step
    at = at + (np.arange(samples, dtype=step.dtype) + step.dtype.type(0.5)) * step / step.dtype.type(max(samples, 1))
    inside = (at >= -1) & (at <= size)
    at = np.clip(np.where(inside, at, 0), 0, size - 1)
    low = at.astype(np.intp)
    part = at - low
    rows = np.broadcast_to(np.arange(bins)[:, None], at.shape)
    weights = np.zeros((bins, size), step.dtype)
    np.add.at(weights, (rows, low), (1 - part) * inside)
    np.add.at(weights, (rows, np.minimum(low + 1, size - 1)), part * inside)
    read = np.flatnonzero(weights.any(0))
    stretch = slice(int(read[0]), int(read[-1]) + 1) if len(read) else slice(0, 0)
    return stretch, weights[:, stretch] / step.dtype.type(max(samples, 1))


def _sampled(
    rois: Array, scale: float, bins: Bins, ratio: int, size: Shape, aligned: bool, least: float
) -> Iterator[tuple[int, tuple[Any, ...], Array, Array]]:
    """For each region: its picture, the part of it that is read, and the weights of rows and of columns."""
    corners = rois[:, 1:] * rois.dtype.type(scale) - rois.dtype.type(0.5 if aligned else 0)
    for picture, (x1, y1, x2, y2) in zip(rois[:, 0], corners, strict=True):
        extents = np.maximum(np.stack([y2 - y1, x2 - x1]), rois.dtype.type(least))
        rows, down = _interpolation(y1, extents[0], bins[0], ratio, size[0])
        columns, across = _interpolation(x1, extents[1], bins[1], ratio, size[1])
        yield int(picture), (..., rows, columns), down, across


def _least(aligned: bool) -> float:
    return -math.inf if aligned else 1.0


def roi_align(x: Array, rois: Array, scale: float, bins: Bins, ratio: int, aligned: bool) -> Array:
    """The mean of samples in each bin, interpolated between the elements."""
    out = np.empty((len(rois), x.shape[1], *bins), x.dtype)
    regions = _sampled(rois, scale, bins, ratio, x.shape[-2:], aligned, _least(aligned))
    for one, (picture, part, down, across) in zip(out, regions, strict=True):
        one[...] = down @ x[picture][part] @ across.T
    return out


def roi_align_transposed(g: Array, rois: Array, scale: float, bins: Bins, shape: Shape, ratio: int, aligned: bool) -> Array:
    grad = np.zeros(shape, g.dtype)
    regions = _sampled(rois, scale, bins, ratio, shape[-2:], aligned, _least(aligned))
    for one, (picture, part, down, across) in zip(g, regions, strict=True):
        grad[picture][part] += down.T @ one @ across
    return grad


def ps_roi_align(x: Array, rois: Array, scale: float, bins: Bins, ratio: int) -> Array:
    """As :func:`roi_align`, but each bin reads channels of its own."""
    apart = x.reshape(len(x), -1, *bins, *x.shape[-2:])
    out = np.empty((len(rois), *apart.shape[1:4]), x.dtype)
    for one, (picture, part, down, across) in zip(
        out, _sampled(rois, scale, bins, ratio, x.shape[-2:], True, -math.inf), strict=True
    ):
        one[...] = np.einsum("iy,cijyx,jx->cij", down, apart[picture][part], across)
    return out


def ps_roi_align_transposed(g: Array, rois: Array, scale: float, bins: Bins, shape: Shape, ratio: int) -> Array:
    grad = np.zeros((shape[0], shape[1] // math.prod(bins), *bins, *shape[-2:]), g.dtype)
    for one, (picture, part, down, across) in zip(
        g, _sampled(rois, scale, bins, ratio, shape[-2:], True, -math.inf), strict=True
    ):
        grad[picture][part] += np.einsum("iy,cij,jx->cijyx", down, one, across)
    return grad.reshape(shape)


def _rounded(value: Array) -> Array:
    """Halves away from zero, as C rounds."""
    return np.copysign(np.floor(np.abs(value) + value.dtype.type(0.5)), value)


def _bounds(start: Any, extent: Any, bins: int, last: int, offset: Callable[..., Any]) -> list[slice]:
    step = extent / extent.dtype.type(bins)
    edges = offset(start, np.arange(bins + 1, dtype=step.dtype) * step)
    return [slice(*np.clip((int(low), int(high)), 0, last)) for low, high in zip(edges[0][:-1], edges[1][1:], strict=True)]


def _whole_bins(
    rois: Array, scale: float, bins: Bins, last: Shape, ends: int, rounds_first: bool
) -> Iterator[tuple[int, list[slice], list[slice]]]:
    """For each region: its picture, and the rows and the columns of its bins, which may overlap."""
    corners = _rounded(rois[:, 1:] * rois.dtype.type(scale))

    def offset(start: Any, edges: Array) -> tuple[Array, Array]:
        if rounds_first:
            return np.floor(edges) + start, np.ceil(edges) + start
        return np.floor(edges + start), np.ceil(edges + start)

    for picture, (x1, y1, x2, y2) in zip(rois[:, 0], corners, strict=True):
        height, width = np.maximum(np.stack([y2 - y1, x2 - x1]) + rois.dtype.type(ends), rois.dtype.type(1))
        yield int(picture), _bounds(y1, height, bins[0], last[0], offset), _bounds(x1, width, bins[1], last[1], offset)


def roi_pool(x: Array, rois: Array, scale: float, bins: Bins) -> tuple[Array, Array]:
    """The maximum in each bin, 0 in empty ones, and its index in the picture's plane, or -1."""
    channels, height, width = x.shape[1:]
    out = np.zeros((len(rois), channels, *bins), x.dtype)
    indices: Array = np.full(out.shape, -1, np.int32)
    for one, place, (picture, rows, columns) in zip(
        out, indices, _whole_bins(rois, scale, bins, (height, width), 1, True), strict=True
    ):
        for i, down in enumerate(rows):
            for j, across in enumerate(columns):
                part = x[picture, :, down, across].reshape(channels, -1)
                if part.shape[1]:
                    best = part.argmax(1)
                    one[:, i, j] = np.take_along_axis(part, best[:, None], 1)[:, 0]
                    there = np.divmod(best, across.stop - across.start)
                    place[:, i, j] = (there[0] + down.start) * width + there[1] + across.start
    return out, indices


def roi_pool_transposed(g: Array, rois: Array, indices: Array, shape: Shape) -> Array:
    grad = np.zeros((*shape[:2], math.prod(shape[2:])), g.dtype)
    for one, place, picture in zip(g, indices, rois[:, 0].astype(np.intp), strict=True):
        channel, i, j = np.nonzero(place >= 0)
        np.add.at(grad[picture], (channel, place[channel, i, j]), one[channel, i, j])
    return grad.reshape(shape)


def ps_roi_pool(x: Array, rois: Array, scale: float, bins: Bins) -> Array:
    """The mean in each bin, which reads channels of its own; 0 in empty ones."""
    apart = x.reshape(len(x), -1, *bins, *x.shape[-2:])
    out = np.zeros((len(rois), *apart.shape[1:4]), x.dtype)
    last = (x.shape[-2] - 1, x.shape[-1] - 1)  # torchvision's leaves out the last row and column here, not in the transpose
    for one, (picture, rows, columns) in zip(out, _whole_bins(rois, scale, bins, last, 0, False), strict=True):
        for i, down in enumerate(rows):
            for j, across in enumerate(columns):
                part = apart[picture, :, i, j, down, across]
                if part[0].size:
                    one[:, i, j] = part.mean((1, 2))
    return out


def ps_roi_pool_transposed(g: Array, rois: Array, scale: float, bins: Bins, shape: Shape) -> Array:
    grad = np.zeros((shape[0], shape[1] // math.prod(bins), *bins, *shape[-2:]), g.dtype)
    for one, (picture, rows, columns) in zip(g, _whole_bins(rois, scale, bins, shape[-2:], 0, False), strict=True):
        for i, down in enumerate(rows):
            for j, across in enumerate(columns):
                part = grad[picture, :, i, j, down, across]
                part += one[:, i, j, None, None] / max(part[0].size, 1)
    return grad.reshape(shape)


def bin_channels(regions: int, channels: int, bins: Bins) -> Array:
    """Which channel each bin reads, where each reads its own."""
    own = np.arange(channels, dtype=np.int32).reshape(-1, *bins)
    return np.broadcast_to(own, (regions, *own.shape)).copy()
