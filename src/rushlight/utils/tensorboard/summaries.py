"""What a run keeps for TensorBoard, as its package's messages: one function for each kind of summary."""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PIL import Image
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from ...tensor import Tensor

Array = np.ndarray[Any, Any]
Values = Any  # a tensor, an array, a number or a list of them


def as_array(x: Values) -> Array:
    """The values as an array; of a tensor without its history."""
    return x.detach().numpy(force=True) if isinstance(x, Tensor) else np.asarray(x)


def scalar(tag: str, value: Values) -> Summary:
    """One number. AssertionError for more than one."""
    number = as_array(value).squeeze()
    if number.ndim:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). Was given size: {number.size} and {number.ndim} dimensions."
        )
    return Summary(value=[Summary.Value(tag=tag, simple_value=float(number))])


def scalar_in_new_style(tag: str, value: Values) -> Summary:
    """One number as a tensor, which newer dashboards read."""
    number = float(as_array(value).squeeze())
    tensor = TensorProto(float_val=[number], dtype="DT_FLOAT")
    about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars"))
    return Summary(value=[Summary.Value(tag=tag, tensor=tensor, metadata=about)])


def tensor(tag: str, value: Values) -> Summary:
    """Any numbers, as they are."""
    array = as_array(value)
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in array.shape])
    if array.dtype == np.float64:
        proto = TensorProto(dtype="DT_DOUBLE", tensor_shape=shape, double_val=array.reshape(-1).tolist())
    else:
        proto = TensorProto(dtype="DT_FLOAT", tensor_shape=shape, float_val=array.astype(np.float32).reshape(-1).tolist())
    about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="tensor"))
    return Summary(value=[Summary.Value(tag=tag, metadata=about, tensor=proto)])


def default_bins() -> list[float]:
    """Edges that grow by a tenth, on both sides of 0."""
    edge, positive = 1e-12, []
    while edge < 1e20:
        positive.append(edge)
        edge *= 1.1
    return [*(-one for one in reversed(positive)), 0.0, *positive]


def histogram(tag: str, values: Values, bins: Any = "tensorflow", max_bins: int | None = None) -> Summary:
    """How many numbers lie in each bin. ValueError for none at all."""
    array = as_array(values).reshape(-1).astype(float)
    if not array.size:
        raise ValueError("The input has no element.")
    counts, edges = np.histogram(array, bins=default_bins() if bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        rest = len(counts) % step
        if rest:
            counts = np.pad(counts, (0, step - rest))
        counts = counts.reshape(-1, step).sum(1)
        last = edges[-1]
        edges = edges[::step]
        edges = np.concatenate([edges, [last]]) if len(edges) == len(counts) else np.concatenate([edges[:-1], [last]])
    if not counts.any():
        raise ValueError("The histogram is empty, please file a bug report.")
    filled = np.flatnonzero(counts)
    first, last_bin = int(filled[0]), int(filled[-1])
    if first > 0:
        kept, limits = counts[first - 1 : last_bin + 1], edges[first : last_bin + 2]
    else:
        kept, limits = np.concatenate([[0], counts[: last_bin + 1]]), edges[first : last_bin + 2]
    return Summary(value=[Summary.Value(tag=tag, histo=HistogramProto(
        min=array.min(), max=array.max(), num=len(array), sum=array.sum(), sum_squares=array.dot(array),
        bucket_limit=limits.tolist(), bucket=kept.tolist()))])  # fmt: skip


def raw_histogram(
    tag: str,
    least: float,
    most: float,
    num: int,
    sum: float,
    sum_squares: float,
    limits: Sequence[float],
    counts: Sequence[float],
) -> Summary:
    """A histogram that is already counted."""
    return Summary(value=[Summary.Value(tag=tag, histo=HistogramProto(
        min=least, max=most, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=limits, bucket=counts))])  # fmt: skip


def _in_rows(images: Array) -> Array:
    """Images (N, C, H, W) in a grid of eight to a row."""
    count, channels, height, width = images.shape
    columns = min(count, 8)
    rows = -(-count // columns)
    grid = np.zeros((channels, height * rows, width * columns), images.dtype)
    for number in range(count):
        row, column = divmod(number, columns)
        grid[:, row * height : (row + 1) * height, column * width : (column + 1) * width] = images[number]
    return grid


def with_channels_last(array: Array, layout: str) -> Array:
    """An image (H, W, 3 or 4) of one in the order that ``layout`` says: CHW, HW, NCHW and the like."""
    order = layout.upper()
    if len(set(order)) != len(order):
        raise AssertionError(f"You can not use the same dimension shordhand twice.         input_format: {layout}")
    if array.ndim != len(order):
        raise AssertionError(
            f"size of input tensor and input format are different.         tensor shape: {array.shape}, input_format: {layout}"
        )
    if len(order) == 4:
        return np.moveaxis(_three_channels(_in_rows(array.transpose([order.find(c) for c in "NCHW"])), 0), 0, -1)
    if len(order) == 3:
        return _three_channels(array.transpose([order.find(c) for c in "HWC"]), 2)
    return np.stack([array.transpose([order.find(c) for c in "HW"])] * 3, 2)


def _three_channels(array: Array, axis: int) -> Array:
    return np.concatenate([array] * 3, axis) if array.shape[axis] == 1 else array


def image(tag: str, values: Values, rescale: float = 1, layout: str = "CHW") -> Summary:
    """A picture: floats from 0 to 1, bytes as they are."""
    array = as_array(values)
    pixels = with_channels_last(array, layout)
    scale = 1 if array.dtype == np.uint8 else 255
    pixels = np.clip(pixels.astype(np.float32) * scale, 0, 255).astype(np.uint8)
    height, width, channels = pixels.shape
    if rescale != 1:
        height, width = int(height * rescale), int(width * rescale)
    return Summary(value=[Summary.Value(tag=tag, image=Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=_png(pixels, width, height)))])  # fmt: skip


def _png(pixels: Array, width: int, height: int) -> bytes:
    picture = Image.fromarray(pixels)
    if picture.size != (width, height):
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    output = io.BytesIO()
    picture.save(output, format="PNG")
    return output.getvalue()


def audio(tag: str, values: Values, sample_rate: int = 44100) -> Summary:
    """A sound: one row of numbers from -1 to 1."""
    array = np.clip(as_array(values).squeeze(), -1, 1)
    if array.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    samples = (array * np.iinfo(np.int16).max).astype("<i2")
    output = io.BytesIO()
    with wave.open(output, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(samples.tobytes())
    sound = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=array.shape[-1],
        encoded_audio_string=output.getvalue(),
        content_type="audio/wav",
    )
    return Summary(value=[Summary.Value(tag=tag, audio=sound)])


def text(tag: str, words: str) -> Summary:
    """A text, which TensorBoard reads as Markdown."""
    content = TextPluginData(version=0).SerializeToString()
    about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text", content=content))
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)])
    proto = TensorProto(dtype="DT_STRING", string_val=[words.encode("utf_8")], tensor_shape=shape)
    return Summary(value=[Summary.Value(tag=f"{tag}/text_summary", metadata=about, tensor=proto)])


def precision_and_recall(
    tag: str, labels: Values, predictions: Values, thresholds: int = 127, weights: Values = None
) -> Summary:
    """What share of the found is right, and of the right is found, for thresholds from 0 to 1."""
    thresholds = min(thresholds, 127)
    wanted, found = as_array(labels), as_array(predictions)
    weight = np.ones(wanted.shape) if weights is None else as_array(weights)
    bins = np.int32(np.floor(found * (thresholds - 1)))
    true = wanted.astype(float)
    hits, _ = np.histogram(bins, bins=thresholds, range=(0, thresholds - 1), weights=true * weight)
    misses, _ = np.histogram(bins, bins=thresholds, range=(0, thresholds - 1), weights=(1.0 - true) * weight)
    right, wrong = np.cumsum(hits[::-1])[::-1], np.cumsum(misses[::-1])[::-1]
    left_right, left_wrong = wrong[0] - wrong, right[0] - right
    precision = right / np.maximum(1e-7, right + wrong)
    recall = right / np.maximum(1e-7, right + left_wrong)
    return _curve(tag, np.stack((right, wrong, left_right, left_wrong, precision, recall)), thresholds)


def _curve(tag: str, rows: Array, thresholds: int) -> Summary:
    content = PrCurvePluginData(version=0, num_thresholds=thresholds).SerializeToString()
    about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="pr_curves", content=content))
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in rows.shape])
    proto = TensorProto(dtype="DT_FLOAT", float_val=rows.reshape(-1).tolist(), tensor_shape=shape)
    return Summary(value=[Summary.Value(tag=tag, metadata=about, tensor=proto)])


def hyperparameters(
    chosen: Mapping[str, Any], metrics: Mapping[str, Any], domains: Mapping[str, Sequence[Any]] | None = None
) -> tuple[Summary, Summary, Summary]:
    """The messages that say which there are, that a run begins with these values, and that it ends."""
    experiment = api_pb2.Experiment()
    begun = plugin_data_pb2.SessionStartInfo()
    for name, value in chosen.items():
        if value is None:
            continue
        kind = _kind(value)
        info = experiment.hparam_infos.add(name=name, type=getattr(api_pb2, f"DATA_TYPE_{kind}"))
        for one in (domains or {}).get(name, ()):
            info.domain_discrete.values.add(**_named(one))
        for field, held in _named(value).items():
            setattr(begun.hparams[name], field, held)
    for name in metrics:
        experiment.metric_infos.add(name=api_pb2.MetricName(tag=name))
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS)
    parts = (("experiment", "experiment", experiment), ("session_start_info", "session_start_info", begun),
             ("session_end_info", "session_end_info", ended))  # fmt: skip
    first, second, third = (_hparams_message(tag, field, part) for tag, field, part in parts)
    return first, second, third


def _kind(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "BOOL"
    return "STRING" if isinstance(value, str) else "FLOAT64"


def _named(value: Any) -> dict[str, Any]:
    kind = _kind(value)
    if kind == "BOOL":
        return {"bool_value": bool(value)}
    return {"string_value": value} if kind == "STRING" else {"number_value": float(as_array(value))}


def _hparams_message(tag: str, field: str, part: Any) -> Summary:
    content = plugin_data_pb2.HParamsPluginData(version=0, **{field: part}).SerializeToString()
    about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="hparams", content=content))
    return Summary(value=[Summary.Value(tag=f"_hparams_/{tag}", metadata=about)])
