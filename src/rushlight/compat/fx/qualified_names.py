"""How graphs spell what they call: by PyTorch's names, ``torch._C._nn.linear`` for ``F.linear``, whatever stands behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.base.public_names import registry
from rushlight.overrides.overloads import OpOverload, OpOverloadPacket
from rushlight.tensor import Tensor

# Where PyTorch's own functions lie: its Python ones in torch.functional, its native ones below torch._C.
_IN_PYTHON = frozenset(
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum "
    "lu meshgrid norm split stft tensordot unique unique_consecutive unravel_index".split()
)
_NATIVE_SPACES = {
    "torch.linalg": "torch._C._linalg.linalg_",
    "torch.fft": "torch._C._fft.fft_",
    "torch.special": "torch._C._special.special_",
}
_NATIVE_LAYERS = {
    **{name: f"torch.{name}" for name in (
        "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d "
        "conv_transpose2d conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist "
        "pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ selu_ threshold_"
    ).split()},
    **{name: f"torch._C._nn.{name}" for name in (
        "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot scaled_dot_product_attention softplus softshrink"
    ).split()},
    "logsigmoid": "torch._C._nn.log_sigmoid",
    "threshold": "torch.nn.functional._threshold",
}  # fmt: skip
_ELSEWHERE = {"_assert": "torch._assert", "vmap": "torch.func.vmap"}


def public_name(function: Callable[..., Any]) -> str | None:
    """The name that PyTorch gives to one of its public functions, None for what is not among them.

    >>> import rushlight as torch
    >>> from rushlight.fx.qualified_names import public_name
    >>> public_name(torch.relu), public_name(torch.nn.functional.linear), public_name(len)
    ('torch.relu', 'torch._C._nn.linear', None)
    """
    name = getattr(function, "__name__", None)
    for space, functions in registry.items():
        if name is not None and functions.get(name) is function:
            if space == "torch.nn.functional":
                return _NATIVE_LAYERS.get(name, f"{space}.{name}")
            if space in _NATIVE_SPACES:
                return _NATIVE_SPACES[space] + name
            return f"torch.functional.{name}" if space == "torch" and name in _IN_PYTHON else f"{space}.{name}"
    return None


def is_method_of_tensor(function: Any) -> bool:
    """Whether a function is one of Tensor's methods, and not the function of the same name.

    >>> import rushlight as torch
    >>> from rushlight.fx.qualified_names import is_method_of_tensor
    >>> is_method_of_tensor(torch.Tensor.add), is_method_of_tensor(torch.add)
    (True, False)
    """
    name = getattr(function, "__name__", None)
    return isinstance(name, str) and getattr(Tensor, name, None) is function and public_name(getattr(Tensor, name)) is None


def home(name: str) -> str:
    """A module's name as PyTorch has it: ``rushlight.nn.functional`` is torch.nn.functional."""
    top, dot, rest = name.partition(".")
    return f"torch{dot}{rest}" if top == "rushlight" else name


def is_from_torch(value: Any) -> bool:
    """Whether a class, function or value is torch's own: generated code reaches it through the name ``torch``."""
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and home(module).partition(".")[0] == "torch" and not is_method_of_tensor(value)


def qualified_name(target: Any) -> str:
    """What generated code calls a function, class or object by: with its module, that of a builtin left out.

    >>> import math, operator
    >>> from rushlight.fx.qualified_names import qualified_name
    >>> qualified_name(len), qualified_name(math.sqrt), qualified_name(operator.add)
    ('len', 'math.sqrt', '_operator.add')
    """
    if isinstance(target, OpOverload | OpOverloadPacket):
        return f"torch.ops.{target}"
    known = public_name(target)
    if known is not None:
        return known
    if is_method_of_tensor(target):
        return f"torch.Tensor.{target.__name__}"
    module = getattr(target, "__module__", None)
    if module == "builtins":
        return target.__name__  # type: ignore[no-any-return]
    name = getattr(target, "__name__", type(target).__name__)
    if name in _ELSEWHERE and is_from_torch(target):
        return _ELSEWHERE[name]
    return f"{home(module or '__main__')}.{name}"


def shown_target(target: Any) -> str:
    """What a printed graph calls a target: a string as it is, a builtin with ``builtins.``.

    >>> import operator
    >>> from rushlight.fx.qualified_names import shown_target
    >>> shown_target("layer.0"), shown_target(len), shown_target(operator.add)
    ('layer.0', 'builtins.len', 'operator.add')
    """
    if isinstance(target, str):
        return target
    if getattr(target, "__module__", None) == "builtins":
        return f"builtins.{target.__name__}"
    name = qualified_name(target)
    return name.replace("_operator.", "operator.", 1) if name.startswith("_operator.") else name


def type_name(kind: Any) -> str:
    """A type as an annotation spells it: ``int``, ``torch.Tensor``, ``typing.List[int]``.

    >>> import rushlight as torch
    >>> from rushlight.fx.qualified_names import type_name
    >>> type_name(int), type_name(torch.Tensor), type_name(list[int]), type_name(...)
    ('int', 'torch.Tensor', 'list[int]', '...')
    """
    if isinstance(kind, type) and not hasattr(kind, "__args__"):
        if kind.__module__ == "builtins":
            return kind.__qualname__
        return f"{'torch' if kind is Tensor else home(kind.__module__)}.{kind.__qualname__}"
    return "..." if kind is ... else repr(kind)
