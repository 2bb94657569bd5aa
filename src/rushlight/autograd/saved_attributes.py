"""What a node kept, by PyTorch's names: ``grad_fn._saved_self``, and ``grad_fn._raw_saved_self`` to hang hooks on."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..base.attributes import held
from ..tensor import Tensor, make_tensor
from . import modes, saved
from .nodes import FREED, leaf_edge

_ENTRIES = {"input": 2, "output": 3}  # of each kind of what is kept, in ``node.saved``; of others one

_NAMES = {
    "out": "result", "axis": "dim", "axis0": "dim0", "axis1": "dim1", "axis2": "dim2", "axes": "dims",
    "keepdims": "keepdim", "low": "min", "high": "max", "u": "tensor1", "v": "tensor2", "src": "src",
}  # fmt: skip
# Of the derivatives of functions: the cotangent, and what the function was given or came to.
_OF_BACKWARDS = {"h": "grad_output", "x": "self", "a": "self", "b": "target", "y": "output"}
_PRODUCT = {"a": "batch1", "b": "batch2"}
_OWN_NAMES = {
    "pow": {"b": "exponent"},
    "number_pow": {"base": "self", "x": "exponent"},
    "mm": {"b": "mat2"},
    "matmul": {"b": "mat2"},
    "bmm": {"b": "mat2"},
    "mv": {"b": "vec"},
    "addmv": {"a": "mat", "b": "vec"},
    "dot": {"b": "tensor"},
    "addmm": {"a": "mat1", "b": "mat2"},
    "baddbmm": _PRODUCT,
    "addbmm": _PRODUCT,
    "addr": {"a": "vec1", "b": "vec2"},
    "diagonal": {"axis1": "dim1", "axis2": "dim2"},
    "where": {"a": "self", "b": "other"},
    "convolution": {"x": "input", "w": "weight"},
    "as_strided": {"shape": "size", "strides": "stride"},
    "im2col": {"window": "kernel_size"},
    "threshold": {"limit": "threshold"},
    "hardtanh": {"low": "min_val", "high": "max_val"},
    "elu_backward": {"x": "self_or_result"},
    "relu_backward": {"y": "self"},
    "leaky_relu": {"slope": "negative_slope"},
    "softshrink": {"limit": "lambd"},
    "hardshrink": {"limit": "lambd"},
    "layer_norm": {"x": "input"},
    "group_norm": {"x": "input", "groups": "group"},
    "batch_norm": {"x": "input"},
    "batch_norm_given": {"x": "input", "mean": "running_mean", "var": "running_var"},
    "mse_loss": {"b": "target"},
    "smooth_l1_loss": {"b": "target"},
    "huber_loss": {"b": "target"},
    "slice": {"stop": "end"},
    "repeat": {"counts": "repeats"},
    "tril": {"offset": "diagonal"},
    "triu": {"offset": "diagonal"},
    "constant_pad": {"padding": "pad"},
    "unfold": {"axis": "dimension"},
    "avg_pool2": {"window": "kernel_size"},
    "max_pool2": {"window": "kernel_size", "indices": "result1"},
    "embedding": {"but": "padding_idx", "by_frequency": "scale_grad_by_freq"},
    "embedding_bag": {"but": "padding_idx", "by_frequency": "scale_grad_by_freq", "scales": "per_sample_weights"},
    "pixel_shuffle": {"factor": "upscale_factor"},
    "pixel_unshuffle": {"factor": "downscale_factor"},
    "grid_sampler2": {"x": "input", "mode": "interpolation_mode"},
    "cdist": {"a": "x1", "b": "x2"},
    "euclidean_dist": {"a": "x1", "b": "x2", "out": "result"},
    "fft_r2c": {"axes": "dim", "norm": "normalization"},
    "fft_c2c": {"axes": "dim", "norm": "normalization"},
    "inv": {"out": "inverse"},
    "cholesky": {"out": "L"},
    "eigh": {"values": "eigenvalues", "vectors": "eigenvectors"},
    "qr": {"q": "Q", "r": "R"},
    "svd": {"u": "U", "s": "S", "vh": "Vh"},
    "solve": {"a": "A"},
    "det": {"a": "A"},
    "resample": {"size": "output_size"},
    "squeeze_several": {"axes": "dim"},
    "rot90": {"times": "k"},
    "index_add": {"src": "source"},
    "index_copy": {"src": "source"},
    "put": {"src": "source"},
    "split_with_sizes": {"sizes": "split_sizes"},
    "slice_scatter": {"stop": "end"},
    "dist": {"ord": "p"},
    "renorm": {"ord": "p"},
    "times": {"number": "other"},
    "col2im": {"window": "kernel_size"},
    "eig": {"values": "eigenvalues", "vectors": "eigenvectors"},
    "lu": {"lower": "L", "upper": "U", "p": "P"},
    "lstsq": {"b": "b"},
    "solve_triangular": {"unit": "unitriangular"},
}
# What is kept here and not by PyTorch: nodes do not show it.
_NOT_SHOWN = {
    "addbmm": {"a_shape", "b_shape"},
    "as_strided": {"x_shape", "x_strides", "x_offset", "offset"},
    "addmm": {"a_strides", "b_strides"},
    "concat": {"xs_shape"},
    "cumprod": {"x_dtype"},
    "embedding": {"weight_shape"},
    "grid_sampler2": {"x_shape", "order"},
    "im2col": {"x_shape"},
    "index_copy": {"src_shape"},
    "mm": {"a_strides", "b_strides"},
    "index_put": {"values_shape", "values_dtype"},
    "resample": {"mode", "scales", "antialias"},
    "scatter_add": {"src_shape"},
    "split": {"x_dtype", "sizes"},
    "squeeze": {"axes"},
    "split_with_sizes": {"x_dtype"},
    "stack": {"xs_shape"},
    "to_copy": {"x_dtype"},
    "unbind": {"x_shape", "x_dtype"},
    "expand_dims": {"x_shape"},
}
# Whole numbers that PyTorch shows as if they had no sign.
_UNSIGNED = frozenset("diagonal offset shifts pad padding_idx ignore_index".split())

Read = Callable[[Any, Any], Any]


def _scale(position: int) -> Read:
    return lambda kept, node: None if kept.scales is None else kept.scales[position]


def _sizes_of(first: str, second: str) -> dict[str, Read]:
    """Sizes and strides of the two factors of a product, as far as they are kept."""

    def sizes(which: str) -> Read:
        return lambda kept, node: None if getattr(kept, which) is None else tuple(getattr(kept, which).shape)

    def strides(which: str) -> Read:
        return lambda kept, node: None if getattr(kept, which) is None else tuple(getattr(kept, which).stride())

    return {
        f"{name}_sym_{what}": read(which)
        for name, which in ((first, "a"), (second, "b"))
        for what, read in (("sizes", sizes), ("strides", strides))
    }


# What PyTorch keeps that follows from what is kept here: by op (or, with a dot, by node), a function of the kept things, by
# the names that rules give them, and of the node.
_DERIVED: dict[str, dict[str, Read]] = {
    "addbmm": {
        "batch1_sym_argsize_0": lambda kept, node: kept.a_shape[0],
        "batch1_sym_argsize_1": lambda kept, node: kept.a_shape[1],
        "batch2_sym_argsize_2": lambda kept, node: kept.b_shape[2],
    },
    "as_strided": {"storage_offset": lambda kept, node: None if kept.offset == kept.x_offset else kept.offset},
    "convolution": {
        "bias_sym_sizes_opt": lambda kept, node: (node.metas or [(node.shape,)])[0][0][1:2] if node.next[2] else (0,)
    },
    "add": {"alpha": lambda kept, node: 1},
    "sub": {"alpha": lambda kept, node: 1},
    "addmm": _sizes_of("mat1", "mat2"),
    "mm": _sizes_of("self", "mat2"),
    "mean_all": {"self_sym_numel": lambda kept, node: math.prod(kept.x_shape)},
    "mean": {"self_sym_numel": lambda kept, node: math.prod(kept.x_shape)},
    "embedding": {"weight_sym_argsize_0": lambda kept, node: kept.weight_shape[0]},
    "index_add": {"source_dim": lambda kept, node: kept.src._array.ndim},
    "index_copy": {"source_dim": lambda kept, node: kept.src._array.ndim},
    "gather": {"sparse_grad": lambda kept, node: False},
    "gelu_erf": {"approximate": lambda kept, node: "none"},
    "gelu_tanh": {"approximate": lambda kept, node: "tanh"},
    "elu_backward": {"is_result": lambda kept, node: False},
    "relu_backward": {"threshold": lambda kept, node: 0},
    "squeeze": {"dim": lambda kept, node: kept.axes[0] if kept.axes else 0},
    "split": {"split_size": lambda kept, node: kept.sizes[0]},
    "div_floor": {"rounding_mode": lambda kept, node: "floor"},
    "div_trunc": {"rounding_mode": lambda kept, node: "trunc"},
    "div_rounded": {"rounding_mode": lambda kept, node: None},
    "im2col": {
        "self_sym_argsize_minus_2": lambda kept, node: kept.x_shape[-2],
        "self_sym_argsize_minus_1": lambda kept, node: kept.x_shape[-1],
    },
    ".UpsampleLinear1DBackward0": {"scales": _scale(0)},
    ".UpsampleNearest1DBackward0": {"scales": _scale(0)},
    ".UpsampleBilinear2DBackward0": {"scales_h": _scale(0), "scales_w": _scale(1)},
    ".UpsampleNearest2DBackward0": {"scales_h": _scale(0), "scales_w": _scale(1)},
    ".UpsampleBicubic2DBackward0": {"scales_h": _scale(0), "scales_w": _scale(1)},
}


def _derived(op: Any) -> dict[str, Read]:
    return _DERIVED.get(op.name) or _DERIVED.get(op.name.removesuffix("_backward")) or _DERIVED.get("." + op.node_name) or {}


def _family(op: Any) -> str:
    return "resample" if op.node_name.startswith("Upsample") else str(op.name)


def saved_name(op: Any, kind: str, name: str) -> str:
    """What PyTorch calls a thing that a node of ``op`` keeps."""
    if kind in ("shape", "dtype", "strides"):
        of = saved_name(op, "input", name.removesuffix("_" + kind))
        return of + {"shape": "_sym_sizes", "dtype": "_scalar_type", "strides": "_strides_in_bytes"}[kind]
    family = _family(op)
    own = (_OWN_NAMES.get(family) or _OWN_NAMES.get(family.removesuffix("_backward"), {})).get(name)
    if own is not None:
        return own
    if kind == "input":
        position = op.inputs.index(name)
        if op.inputs[0] == "h":
            return _OF_BACKWARDS.get(name, name)
        if position == 0 and name in ("x", "a", "g", "start", "input"):
            return "self"
        if position == 1 and name in ("b", "y"):
            return "other"
    return _NAMES.get(name, name)


def opened_as(op: Any, kind: str, name: str) -> tuple[bool, str]:
    """Where a saved value comes in PyTorch's order, whose first that was changed is the error: inputs by name, then outputs."""
    return kind == "output" or (op.name in _WITH_PLACES and name == "indices"), saved_name(op, kind, name)


def attributes(op: Any) -> dict[str, object]:
    """What an op's nodes show of what they kept, by PyTorch's names. Properties of the class: a ``__getattr__`` would make
    every attribute of every node slower."""
    found: dict[str, object] = {}
    place = 0
    hidden = _NOT_SHOWN.get(_family(op), ())
    for kind, name, _ in op.keep:
        shown = f"_saved_{saved_name(op, kind, name)}"
        if name not in hidden:
            read = _saved_unsigned if shown.removeprefix("_saved_") in _UNSIGNED else _saved
            found[shown] = property(functools.partial(read, entry=(kind, name, place)))
        if kind in ("input", "output"):
            found["_raw" + shown] = property(functools.partial(_raw, entry=(kind, name, place)))
        place += _ENTRIES.get(kind, 1)
    for shown, follow in _derived(op).items():
        found[f"_saved_{shown}"] = property(functools.partial(_from_kept, read=follow))
    if op.keeps_tensors or any(map(refuses, op.rules.values())):
        found["without_cotangent"] = _without_cotangent
    return found


def refuses(rule: Callable[..., object] | None) -> bool:
    """Whether a rule is but an error, which PyTorch raises also where no gradient arrives."""
    return getattr(rule, "refuses", False)


def _without_cotangent(node: Any, edges: Sequence[object]) -> tuple[None, ...]:
    """Opens all that a node kept, as where a gradient arrives: what was changed or freed since is an error."""
    op = type(node).op
    if op.keeps_tensors and node.saved is None and (op.keeps_a_tensor_anyhow or any(node.next)):
        raise node.freed()
    places = iter(node.saved or ())
    kept = [(kind, name, [next(places) for _ in range(_ENTRIES.get(kind, 1))]) for kind, name, _ in op.keep if node.saved]
    for kind, name, (value, *versions) in sorted(kept, key=lambda one: opened_as(op, *one[:2])):
        if not versions or versions[-1] is None:
            continue
        if kind == "output":
            saved.output_array(node, op.outputs.index(name), value, *versions)
        elif name == op.variadic:
            saved.array_of_list(node, value, versions[0])
        elif value._counter[0] != versions[0]:
            saved.array_of(node, op.sources.index(name) if name in op.sources else -1, value, versions[0])
    for edge, name in zip(edges, op.sources, strict=False):
        if edge is not None and refuses(op.rules.get(name)):
            op.rules[name](None)
    return (None,) * len(edges)


_WITH_PLACES = frozenset(("cummax", "cummin"))  # whose places are a second result in PyTorch, and here an op's own
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
Entry = tuple[str, str, int]  # kind, the name that rules use, the place in ``node.saved``


def _saved(node: Any, entry: Entry) -> Any:
    if node.saved is None:
        raise node.freed()
    kind, name, place = entry
    op = type(node).op
    value = node.saved[place]
    if kind == "input":
        version = node.saved[place + 1]
        if name == op.variadic:
            return tuple(saved.tensor_of_list(node, value, version))
        if version is None:
            is_number = isinstance(value, (np.ndarray, np.generic, float, int)) and not isinstance(value, bool)
            return make_tensor(np.asarray(value, np.float64), [0], None) if is_number else value
        position = op.sources.index(name) if name in op.sources else -1
        if isinstance(value, saved.Packed):
            kept = value.unpacked()
            return value.placed(kept, node.next[position] if position >= 0 else None) if kept._strided else kept
        if "stands_for" in held(value):
            return value.stands_for
        return saved.tensor_of(node, position, value, version)
    if kind == "output":
        return saved.output_tensor(node, op.outputs.index(name), value, *node.saved[place + 1 : place + 3])
    return _REDUCTIONS.get(value, value) if name == "reduction" else value


def _saved_unsigned(node: Any, entry: Entry) -> Any:
    value = _saved(node, entry)
    return tuple(one % 2**64 for one in value) if isinstance(value, tuple) else value % 2**64


def _raw(node: Any, entry: Entry) -> Any:
    kind, name, place = entry
    if kind == "input" and name == type(node).op.variadic:
        if node.saved is None:
            raise node.freed()
        return tuple(_handle(node, place, entry, index) for index in range(len(node.saved[place])))
    return _handle(node, place, entry)


def _from_kept(node: Any, read: Read) -> Any:
    """Something that follows from what the node kept."""
    if node.saved is None:
        raise node.freed()
    kept, place = SimpleNamespace(), 0
    for kind, name, _ in type(node).op.keep:
        setattr(kept, name, node.saved[place])
        place += _ENTRIES.get(kind, 1)
    return read(kept, node)


class SavedTensor:
    """One value that a node keeps: to look at, and to register hooks for."""

    __module__ = "torch._C._autograd"
    __slots__ = ("__weakref__", "_entry", "_index", "_node", "_place")

    _node: Any
    _place: int
    _entry: Entry | None
    _index: int | None

    def __init__(self) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    def _kept(self) -> Any:
        """The tensor, the array of an output, what hooks made of it, or None."""
        value = self._node.saved[self._place]
        if self._entry is None:  # of a custom Function: (value, counter, version, edge)
            return value[0]
        return value if self._index is None else value[self._index]

    @property
    def data(self) -> Any:
        """What is kept, as it is: what the pack hook returned, an input itself, an output without its history."""
        value = None if self._node.saved is None else self._kept()
        if isinstance(value, saved.Packed):
            return value.packed
        return make_tensor(value, [0], None) if isinstance(value, np.ndarray) else value

    @property
    def unpack_hook(self) -> Callable[[Any], Any] | None:
        """The hook that turns ``data`` back into a tensor, if there is one."""
        value = None if self._node.saved is None else self._kept()
        return value.unpack if isinstance(value, saved.Packed) else None

    def unpack(self) -> Any:
        """The tensor, with the history it had; RuntimeError once it was freed."""
        if self._node.saved is None:
            raise RuntimeError(FREED)
        if self._entry is None:
            return saved.open_function_saved(self._node, *self._node.saved[self._place])
        value = _saved(self._node, self._entry)
        return value if self._index is None else value[self._index]

    def register_hooks(self, pack_hook: Any, unpack_hook: Any = None) -> None:
        """Has this value packed now, and unpacked whenever it is needed."""
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
                "collections.abc.Callable) -> None\n"
            )
        node, place = self._node, self._place
        if node.saved is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
                "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
                "the graph a second time or if you need to access saved variables after calling backward."
            )
        value = self._kept()
        if isinstance(value, saved.Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
                "allowed at a time."
            )
        if isinstance(value, np.ndarray):
            value = make_tensor(value, [0], None)
        if not hasattr(value, "_counter"):
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        packed = saved.Packed(value, (pack_hook, unpack_hook))
        items = list(node.saved)
        if self._entry is None:
            edge = items[place][3] or value._edge or (leaf_edge(value) if value._needs_grad else None)
            items[place] = (packed, None, None, edge)
        elif self._index is not None:
            for position, new in ((place, packed), (place + 1, -1)):
                several = list(items[position])
                several[self._index] = new
                items[position] = tuple(several)
        elif self._entry[0] == "output":  # its array, the counter of its storage, the version
            items[place : place + 3] = [packed, saved.Packed._counter, -1]
        else:
            items[place : place + 2] = [packed, -1]
        node.saved = tuple(items)


def _handle(node: Any, place: int, entry: Entry | None, index: int | None = None) -> SavedTensor:
    handle = object.__new__(SavedTensor)
    handle._node, handle._place, handle._entry, handle._index = node, place, entry, index
    return handle


def of_function(node: Any) -> tuple[SavedTensor, ...]:
    """What a custom Function saved."""
    return tuple(_handle(node, place, None) for place in range(len(node.saved or ())))


def make_saved_tensor(tensor: Tensor, is_output: bool) -> SavedTensor:
    """A tensor saved as a node would save it, with the hooks that are in force."""
    hooks = modes.state.saved_hooks
    edge = tensor._edge or (leaf_edge(tensor) if tensor._needs_grad else None)
    if hooks:
        kept: tuple[Any, ...] = (saved.Packed(tensor, hooks[-1]), None, None, edge)
    elif is_output:
        kept = (tensor._array, tensor._counter, tensor._counter[0], edge)
    else:
        kept = (tensor, tensor._counter, tensor._counter[0], edge)
    return _handle(SimpleNamespace(saved=(kept,)), 0, None)
