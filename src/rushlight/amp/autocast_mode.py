"""autocast: within it products and convolutions compute in bfloat16 or float16, and losses in float32.

As PyTorch's on the CPU. Each function in one of the lists below has its tensors cast before it is called.
"""

from __future__ import annotations

import functools
import math
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.grad_mode import enable_grad
from ..autograd.interpreters import CALLS, CASTS, Answer, Args, Function, Interpreter, Named, stack
from ..autograd.modes import Mark, marked, state
from ..base import dtypes
from ..base.arguments import check_switch, refuse, type_name
from ..base.device import device
from ..base.thread_state import carried
from ..ops.einsum import has_products
from ..ops.publishing import published
from ..overrides.overridable_methods import watch
from ..overrides.torch_function import DisableTorchFunction
from ..tensor import Tensor
from ..tensors.arguments import warn

_LOWER = frozenset(
    "matmul mm bmm addmm addbmm baddbmm linear multi_dot chain_matmul vecdot conv1d conv2d conv3d "
    "conv_transpose1d conv_transpose2d conv_transpose3d scaled_dot_product_attention "
    "__matmul__ __rmatmul__ prelu conv_tbc lstm _addmm_activation".split()
)
_FULL = frozenset(
    "avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits grid_sample polar prod quantile nanquantile stft cdist "
    "trace view_as_complex cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse max_pool3d "
    "max_unpool2d max_unpool3d adaptive_avg_pool3d mse_loss cosine_embedding_loss nll_loss cross_entropy hinge_embedding_loss "
    "poisson_nll_loss l1_loss smooth_l1_loss huber_loss margin_ranking_loss soft_margin_loss triplet_margin_loss "
    "multi_margin_loss ctc_loss kl_div multilabel_margin_loss fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn "
    "irfftn hfft ihfft cond matrix_rank solve svdvals eigvals eigvalsh inv householder_product tensorinv tensorsolve eig eigh "
    "geqrf lstsq qr svd triangular_solve fractional_max_pool2d fractional_max_pool3d adaptive_max_pool3d bilinear "
    "cholesky_ex inv_ex".split()
)


def _leaves_many(a: Tensor, b: Tensor, dims: Tensor | int | Sequence[int | Sequence[int]]) -> bool:
    """Whether the sum of products over these dimensions has not just one element, which needs no product of matrices."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        return math.prod(a.shape[: max(a.ndim - dims, 0)]) * math.prod(b.shape[max(dims, 0) :]) != 1
    kept = 1
    for tensor, axes in zip((a, b), dims if isinstance(dims, (list, tuple)) else (), strict=False):
        wanted = axes if isinstance(axes, (list, tuple)) else (axes,)
        gone = {axis % tensor.ndim for axis in wanted if tensor.ndim and isinstance(axis, int)}
        kept *= math.prod(size for place, size in enumerate(tensor.shape) if place not in gone)
    return kept != 1


# What comes to products of matrices of some arguments, and to those of elements or vectors, which are not cast, of others.
_AT_TIMES: dict[str, Callable[..., bool]] = {
    "einsum": has_products,
    "tensordot": lambda a, b, dims=2, **_: _leaves_many(a, b, dims),
    "inner": lambda input, other, **_: bool(input.ndim and other.ndim) and _leaves_many(input, other, [-1, -1]),
}
_WIDEST = frozenset({"stack", "cat", "concat", "concatenate", "index_copy"})
_HALVES = (dtypes.float16, dtypes.bfloat16)


class _State(threading.local):
    """What is switched on, and in which dtype, by the type of device."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, dtypes.dtype] = {}
        self.cache = True
        self.told: tuple[object, ...] = set(), {}, True  # all of it: made anew with each change, as the others are
        self.mark: Mark | None = None


class _Kept(threading.local):
    """What leaves were cast to, by their ids, until the outermost block of the thread ends: a weight used twice is cast once."""

    def __init__(self) -> None:
        self.blocks = 0
        self.casts: dict[int, tuple[weakref.ref[Tensor], Tensor]] = {}


_state = carried(_State())
_kept = _Kept()


_Settings = tuple[dict[str, bool], dict[str, dtypes.dtype], bool, tuple[object, ...], Mark | None, bool]


class autocast:
    """A block, or a decorator of a function, in which functions choose the dtype they compute in.

    On the CPU products and convolutions of float32 give ``dtype`` (bfloat16 unless said otherwise), losses compute in
    float32, everything else goes by the dtypes it gets. For a device that is not there it does nothing, with a warning.

    >>> import rushlight as torch
    >>> x = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     (x @ x).dtype, (x + x).dtype
    (torch.bfloat16, torch.float32)
    """

    def __init__(
        self, device_type: str, dtype: dtypes.dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device(device_type).type
        self.fast_dtype = _dtype_for(self.device) if dtype is None else dtype
        if enabled and self.device == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        if enabled and self.device == "cpu" and self.fast_dtype not in _HALVES:
            warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only supports dtypes "
                "of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self._enabled = bool(enabled)
        self._cache_enabled = _state.cache if cache_enabled is None else bool(cache_enabled)

    def __enter__(self) -> autocast:
        enabled = {**_state.enabled, self.device: self._enabled}
        inside = _settled(enabled, {**_state.dtypes, self.device: self.fast_dtype}, self._cache_enabled)
        outside = _state.enabled, _state.dtypes, _state.cache, _state.told, _state.mark, state.autocast
        self._around, self._blocks = (outside, enabled), _kept.blocks
        _state.enabled, _state.dtypes, _state.cache, _state.told, _state.mark, state.autocast = inside
        _kept.blocks += 1
        return self

    def __exit__(self, *exc: object) -> None:
        outside, enabled = self._around
        if _state.enabled is not enabled:  # a function has set something meanwhile
            outside = self._outside(outside)
        # From here on nothing is called before all is set: an interrupt comes behind calls.
        _state.enabled, _state.dtypes, _state.cache, _state.told, _state.mark, state.autocast = outside
        _kept.blocks = self._blocks  # and not one less: blocks inside may have been cut off
        if not _kept.blocks:
            _kept.casts = {}
            _casts_kept().clear()

    def _outside(self, before: _Settings) -> _Settings:
        """What is on behind the block: as before, but for what was set of other devices."""
        chosen = {**_state.dtypes}
        if self.device in before[1]:
            chosen[self.device] = before[1][self.device]
        else:
            del chosen[self.device]
        return _settled({**_state.enabled, self.device: before[0].get(self.device, False)}, chosen, before[2])

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return call


def settings() -> tuple[object, ...]:
    """What is switched on, and the dtypes that were chosen, in this thread: what a program depends on."""
    return _state.told


def _settled(enabled: dict[str, bool], chosen: dict[str, dtypes.dtype], cache: bool) -> _Settings:
    """All that is to be set together, and calls looked at where it is on."""
    wanted = bool(enabled.get("cpu"))
    if wanted:
        watch(_casts)
    told = {kind for kind, on in enabled.items() if on}, {**chosen}, cache
    return enabled, chosen, cache, told, marked(_state.mark, wanted), wanted


def _set(enabled: dict[str, bool], chosen: dict[str, dtypes.dtype], cache: bool) -> None:
    settings = _settled(enabled, chosen, cache)
    _state.enabled, _state.dtypes, _state.cache, _state.told, _state.mark, state.autocast = settings


class _Casts(Interpreter):
    """Has functions called with their tensors cast, in the threads that autocast is on in."""

    place = CASTS

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        if not state.autocast:
            return NotImplemented
        state.autocast = False
        try:
            with DisableTorchFunction():  # classes and modes were asked about the call, and are not about the casts
                to = _wanted(getattr(func, "__name__", ""), args, kwargs)
                if to is None:
                    return NotImplemented
                lower = to is _state.dtypes["cpu"]
                kwargs = _cast(kwargs, lambda one: _cast_once(one, to, lower))
                args = _cast(args, lambda one: _cast_once(one, to, lower))
            return stack.go_on(CALLS, func, args, kwargs)
        finally:
            state.autocast = True


_casts = _Casts()


def _wanted(name: str, args: Args, kwargs: Named) -> dtypes.dtype | None:
    """The dtype that a function computes in; None where it takes its tensors as they are."""
    if name in _LOWER or (name in _AT_TIMES and _AT_TIMES[name](*args, **kwargs)):
        return _state.dtypes["cpu"]
    if name in _FULL or (name == "pad" and _mode_of_padding(args, kwargs) in ("reflect", "replicate")):
        return dtypes.float32
    if name in _WIDEST:
        found: list[dtypes.dtype] = []
        _cast(args, lambda tensor: found.append(tensor.dtype))
        return dtypes.float32 if _widest(found[::-1]) is dtypes.float32 and len(set(found)) > 1 else None
    return None


def _widest(found: list[dtypes.dtype]) -> dtypes.dtype:
    """The widest of the dtypes; PyTorch's error where one is neither float32, nor comes behind it, nor is what autocast casts to."""
    widest = _state.dtypes["cpu"]
    for one in found:
        if dtypes.float32 in (one, widest):
            widest = dtypes.float32
        elif one is not widest:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return widest


def _mode_of_padding(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[2] if len(args) > 2 else kwargs.get("mode")


def _cast(value: Any, cast: Callable[[Tensor], Any]) -> Any:
    """The same arguments with each tensor that autocast may touch replaced."""
    if isinstance(value, Tensor):
        return cast(value) if value.is_floating_point() and value.dtype is not dtypes.float64 else value
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        # The last first, here and below: the graph has them in that order.
        return type(value)([_cast(one, cast) for one in reversed(value)][::-1])
    if type(value) is dict:
        return dict(reversed([(key, _cast(one, cast)) for key, one in reversed(value.items())]))
    return value


def _cast_once(one: Tensor, to: dtypes.dtype, lower: bool) -> Tensor:
    """``one.to(to)``; of a leaf that learns what it was cast to before in this block, whatever was written to it since, as PyTorch."""
    keeps = lower and _state.cache and one.dtype is dtypes.float32 and one.requires_grad and one.is_leaf and one._base is None
    if not keeps or state.inference is not None or one._of_batch:
        return one.to(to)
    casts = _casts_kept()
    found = casts.get(id(one))
    if found is not None and found[0]() is one:
        return found[1]
    with enable_grad():
        made = one.to(to)
    casts[id(one)] = (weakref.ref(one), made)
    return made


def _casts_kept() -> dict[int, tuple[weakref.ref[Tensor], Tensor]]:
    """Where casts are kept; a trace that is being recorded has none from before."""
    place = stack.ask("casts")
    return _kept.casts if place is NotImplemented else place


def is_autocast_available(device_type: str) -> bool:
    """Whether a device of the type could be autocast for."""
    return device(device_type).type in ("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "xla", "ipu", "maia")


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dtypes.dtype | None = None) -> Any:
    """A decorator of the forward of a Function: with ``cast_inputs`` it gets its tensors in that dtype, autocast off."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def call(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        enabled = _state.enabled.get(device_type, False)
        ctx._dtype = _dtype_for(device_type)
        ctx._fwd_used_autocast = enabled
        if cast_inputs is None or not enabled:
            return fwd(ctx, *args, **kwargs)
        ctx._fwd_used_autocast = False
        with autocast(device_type, enabled=False):
            return fwd(ctx, *_cast(args, lambda one: one.to(cast_inputs)), **_cast(kwargs, lambda one: one.to(cast_inputs)))

    return call


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """A decorator of the backward of a Function: it runs under the autocast that forward ran under."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def call(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return call


@published
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a type of device."""
    return _state.enabled.get(_kind("is_autocast_enabled", device_type), False)


@published
def is_autocast_cpu_enabled() -> bool:
    """Whether autocast is on for the CPU."""
    _warn_of_older("is_autocast_cpu_enabled", "is_autocast_enabled", "cpu")
    return _state.enabled.get("cpu", False)


@published
def set_autocast_enabled(*args: Any) -> None:
    """``set_autocast_enabled(device_type, enabled)`` switches autocast."""
    name = "set_autocast_enabled"
    if len(args) not in (1, 2):
        refuse(name, args, {}, "str device_type, bool enabled", "bool enabled")
    kind = _kind(name, args[0]) if len(args) == 2 else "cuda"
    check_switch(name, "enabled", len(args), args[-1])
    _set({**_state.enabled, kind: args[-1]}, {kind: _dtype_for(kind), **_state.dtypes}, _state.cache)


@published
def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The dtype that products are computed in under autocast."""
    return _dtype_for(_kind("get_autocast_dtype", device_type))


def _kind(name: str, device_type: object) -> str:
    """The type of a device by its name: TypeError for what is no text, RuntimeError for one that names none."""
    if not isinstance(device_type, str):
        raise TypeError(f"{name}(): argument 'device_type' (position 1) must be str, not {type_name(device_type)}")
    return device(device_type).type


def _warn_of_older(name: str, newer: str, kind: str) -> None:
    warn(f"torch.{name}() is deprecated. Please use torch.{newer}('{kind}') instead.", DeprecationWarning)


def _dtype_for(device_type: str) -> dtypes.dtype:
    return _state.dtypes.get(device_type) or (dtypes.bfloat16 if device_type == "cpu" else dtypes.float16)


@published
def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Sets what :func:`get_autocast_dtype` answers."""
    if isinstance(device_type, str) and not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type_name(dtype)}")
    kind = _kind("set_autocast_dtype", device_type)
    _set({**_state.enabled}, {**_state.dtypes, kind: dtype}, _state.cache)


@published
def get_autocast_gpu_dtype() -> dtypes.dtype:
    """:func:`get_autocast_dtype` of CUDA."""
    _warn_of_older("get_autocast_gpu_dtype", "get_autocast_dtype", "cuda")
    return _dtype_for("cuda")


@published
def get_autocast_cpu_dtype() -> dtypes.dtype:
    """:func:`get_autocast_dtype` of the CPU."""
    _warn_of_older("get_autocast_cpu_dtype", "get_autocast_dtype", "cpu")
    return _dtype_for("cpu")


@published
def is_autocast_cache_enabled() -> bool:
    """Whether autocast keeps what it casts leaves to, until its outermost block ends."""
    return _state.cache


@published
def set_autocast_cache_enabled(enabled: bool) -> None:
    """Switches on or off what :func:`is_autocast_cache_enabled` says."""
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type_name(enabled)})")
    _set({**_state.enabled}, _state.dtypes, enabled)


@published
def clear_autocast_cache() -> None:
    """Forgets what leaves were cast to in this thread."""
    _casts_kept().clear()
