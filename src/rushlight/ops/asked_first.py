"""What PyTorch asks of arguments in Python, in its order, of functions that hand their arguments on to an operator in the end.

Asked once a call has failed: what is asked in vain is PyTorch's error, and what is handed on is held against the operator's forms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from types import SimpleNamespace

from ..tensor import Tensor
from .losses import reduction_of
from .misfits import ASKED_FIRST, Handed
from .public import module

_F = "torch.nn.functional"
Steps = Callable[[SimpleNamespace], Handed]


def _of(*names: str, space: str = _F) -> Callable[[Steps], Steps]:
    """Registers what functions of these names ask of what they are given."""

    def register(steps: Steps) -> Steps:
        for name in names:
            ASKED_FIRST[f"{space}.{name}"] = steps
        return steps

    return register


def _on(given: SimpleNamespace, name: str, labels: str, *further: object) -> tuple[str, tuple[object, ...], dict[str, object]]:
    """The operator ``name`` with the arguments of these names and further ones."""
    return name, (*(getattr(given, label) for label in labels.split()), *further), {}


def _each(value: Iterable[int] | int, count: int) -> tuple[int, ...]:
    """Several as they are, one thing once for each of ``count``."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


@_of("embedding")
def _embedding(given: SimpleNamespace) -> Handed:
    if given.padding_idx is not None and given.padding_idx:
        rows = given.weight.size(0)
        assert (given.padding_idx < rows) if given.padding_idx > 0 else (given.padding_idx >= -rows), (
            "Padding_idx must be within num_embeddings"
        )
    if given.max_norm is not None:
        given.input.contiguous()
        given.weight.detach()
    given.padding_idx = -1 if given.padding_idx is None else given.padding_idx
    return _on(given, "embedding", "weight input padding_idx scale_grad_by_freq sparse")


@_of("embedding_bag")
def _embedding_bag(given: SimpleNamespace) -> Handed:
    if str(given.weight.dtype).endswith(".int64") and given.input.is_floating_point():
        given.input, given.weight = given.weight, given.input
    if given.per_sample_weights is not None and given.input.size() != given.per_sample_weights.size():
        return None
    if given.weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {given.weight.dim()}")
    if given.input.dim() not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {given.input.dim()}")
    return None


@_of("instance_norm")
def _instance_norm(given: SimpleNamespace) -> Handed:
    if given.use_input_stats:
        size = given.input.size()
        count = 1
        for length in size[2:]:
            count *= length
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    return _on(given, "instance_norm", "input weight bias running_mean running_var use_input_stats momentum eps", True)


@_of("group_norm")
def _group_norm(given: SimpleNamespace) -> Handed:
    if given.input.dim() < 2:
        return None
    bool(given.input.size(0) * given.input.size(1) // given.num_groups == 1)
    return _on(given, "group_norm", "input num_groups weight bias eps", True)


@_of("layer_norm")
def _layer_norm(given: SimpleNamespace) -> Handed:
    return _on(given, "layer_norm", "input normalized_shape weight bias eps", True)


@_of("rms_norm")
def _rms_norm(given: SimpleNamespace) -> Handed:
    return _on(given, "rms_norm", "input normalized_shape weight eps")


@_of("softmin")
def _softmin(given: SimpleNamespace) -> Handed:
    given.input = given.input if given.dim is None else -given.input
    return _softmax(given)


@_of("softmax")
def _softmax(given: SimpleNamespace) -> Handed:
    if given.dim is None:
        given.input.dim()
        operator.index(given._stacklevel)  # of a warning
        return None
    given.input.softmax  # noqa: B018
    return "softmax", (given.input, given.dim), {} if given.dtype is None else {"dtype": given.dtype}


@_of("nll_loss")
def _nll_loss(given: SimpleNamespace) -> Handed:
    reduction_of(given.size_average, given.reduce, given.reduction)
    given.reduction = 1
    return _on(given, "nll_loss_nd", "input target weight reduction ignore_index")


@_of("cross_entropy")
def _cross_entropy(given: SimpleNamespace) -> Handed:
    reduction_of(given.size_average, given.reduce, given.reduction)
    given.reduction = 1
    return _on(given, "cross_entropy_loss", "input target weight reduction ignore_index label_smoothing")


@_of("huber_loss")
def _huber_loss(given: SimpleNamespace) -> Handed:
    given.target.size(), given.input.size()
    both = module("torch")["broadcast_tensors"](given.input, given.target)
    if given.weight is not None and given.weight.size() != both[0].size():
        raise ValueError("Weights and input must have the same size.")
    return None


@_of("multi_margin_loss")
def _multi_margin_loss(given: SimpleNamespace) -> Handed:
    reduction_of(given.size_average, given.reduce, given.reduction)
    if given.p in (1, 2) and given.weight is not None:
        given.weight.dim()
    return None


@_of("ctc_loss")
def _ctc_loss(given: SimpleNamespace) -> Handed:
    reduction_of(None, None, given.reduction)
    given.reduction = 1
    return _on(given, "ctc_loss", "log_probs targets input_lengths target_lengths blank reduction zero_infinity")


@_of("hardtanh")
def _hardtanh(given: SimpleNamespace) -> Handed:
    if given.min_val > given.max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _on(given, "hardtanh" + "_" * bool(given.inplace), "input min_val max_val")


def _windows(rank: int) -> None:
    fractional = f"fractional_max_pool{rank}d"

    @_of(fractional, f"{fractional}_with_indices")
    def fractional_max_pool(given: SimpleNamespace) -> Handed:
        if given.output_size is None and given.output_ratio is None:
            raise ValueError(f"{fractional} requires specifying either an output_size or an output_ratio")
        if given.output_size is None:
            given.output_size = [
                int(given.input.size(place - rank) * part) for place, part in enumerate(_each(given.output_ratio, rank))
            ]
        if given._random_samples is None:
            if given.input.dim() != rank + 1:
                given.input.size(0)
            given.input.size(-rank - 1)
            given._random_samples = given.input  # a tensor, as those that PyTorch draws
        return _on(given, fractional, "input kernel_size output_size _random_samples")

    @_of(f"lp_pool{rank}d")
    def lp_pool(given: SimpleNamespace) -> Handed:
        sides = _each(given.kernel_size, rank)
        if len(sides) < rank:
            raise ValueError(f"not enough values to unpack (expected {rank}, got {len(sides)})")
        if len(sides) > rank:
            raise ValueError(f"too many values to unpack (expected {rank})")
        given.input.pow(given.norm_type)
        return None

    @_of(f"max_unpool{rank}d")
    def max_unpool(given: SimpleNamespace) -> Handed:
        kernel, edge = _each(given.kernel_size, rank), _each(given.padding, rank)
        steps = kernel if given.stride is None else _each(given.stride, rank)
        size = given.input.size()
        count = len(kernel)
        found = [(size[place - count] - 1) * steps[place] + kernel[place] - 2 * edge[place] for place in range(count)]
        for place, length in enumerate(found if given.output_size is None else ()):
            if length < 0:
                raise ValueError(
                    "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                    f"output_size[{place}]={length}"
                )
        given.output_size = found if given.output_size is None else given.output_size
        return _on(given, f"max_unpool{rank}d", "input indices output_size", *((steps, edge) if rank == 3 else ()))


for _rank in (2, 3):
    _windows(_rank)


@_of("unfold")
def _unfold(given: SimpleNamespace) -> Handed:
    pairs = (_each(value, 2) for value in (given.kernel_size, given.dilation, given.padding, given.stride))
    return _on(given, "im2col", "input", *pairs)


@_of("fold")
def _fold(given: SimpleNamespace) -> Handed:
    several = (given.output_size, given.kernel_size, given.dilation, given.padding, given.stride)
    return _on(given, "col2im", "input", *(_each(value, 2) for value in several))


@_of("pad")
def _pad(given: SimpleNamespace) -> Handed:
    return _on(given, "pad", "input pad mode value")


@_of("norm", space="torch")
def _norm(given: SimpleNamespace) -> Handed:
    if not isinstance(given.input, Tensor):
        given.input.layout, given.input.dim()
    if isinstance(given.p, str) or given.p is None:
        return None
    given.dim = [given.dim] if isinstance(given.dim, int) else given.dim
    name, values, _ = _on(given, "linalg_vector_norm", "input p dim keepdim")
    out = getattr(given, "out", None)
    return name, values, {"dtype": given.dtype} if out is None else {"dtype": given.dtype, "out": out}


@_of("stft", space="torch")
def _stft(given: SimpleNamespace) -> Handed:
    if given.center:
        if given.align_to_window:
            return None
        missing = 3 - given.input.dim()
        pad = int(given.n_fft // 2)
        module(_F)["pad"](given.input.view([1] * missing + list(given.input.size())), [pad, pad], given.pad_mode)
    return _on(given, "stft", "input n_fft hop_length win_length window normalized onesided return_complex align_to_window")


@_of("tensordot", space="torch")
def _tensordot(given: SimpleNamespace) -> Handed:
    if not isinstance(given.dims, (tuple, list, Tensor, int)):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got "
            f"dims={given.dims}"
        )
    if isinstance(given.dims, int):
        if given.dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={given.dims}")
        if given.dims > min(given.a.dim(), given.b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={given.dims}")
    both = _pairs(given.dims)
    if both is None:
        return None
    return "tensordot", (given.a, given.b, *both), {} if given.out is None else {"out": given.out}


def _pairs(dims: tuple[object, object] | list[object] | Tensor | int) -> tuple[object, object] | None:
    if isinstance(dims, (tuple, list)):
        first, second = dims
        return first, second
    if isinstance(dims, Tensor) and dims.numel() > 1:
        assert dims.size(0) == 2, f"dims tensor must have size 2 in first dimension, got {dims.size(0)}"
        return dims[0].tolist(), dims[1].tolist()
    count = int(dims.item()) if isinstance(dims, Tensor) else dims
    return None if count < 0 else (list(range(-count, 0)), list(range(count)))


@_of("lobpcg", space="torch")
def _lobpcg(given: SimpleNamespace) -> Handed:
    _ = given.A.requires_grad or (given.B is not None and given.B.requires_grad)
    return None
