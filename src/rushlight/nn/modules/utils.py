"""Sizes given once or per dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..sizes import _ntuple as _ntuple
from ..sizes import _pair as _pair
from ..sizes import _quadruple as _quadruple
from ..sizes import _single as _single
from ..sizes import _triple as _triple


def _reverse_repeat_tuple(values: Sequence[int], count: int) -> tuple[int, ...]:
    """The values from the last to the first, each several times: how `pad` wants them."""
    return tuple(value for value in reversed(values) for _ in range(count))


def _list_with_default(out_size: Any, defaults: Sequence[int]) -> Any:
    """Sizes, with those of the end of ``defaults`` in place of None."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    own = defaults[-len(out_size) :]
    return [size if size is not None else default for size, default in zip(out_size, own, strict=True)]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Takes a prefix off all keys of a state dict that begin with it, in place: ``module.`` of a wrapped model, say.

    >>> from rushlight.nn.modules.utils import consume_prefix_in_state_dict_if_present
    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'bias': 2, 'weight': 1}
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata: Any = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        for key in list(metadata):
            # The wrapper's own entry is called as the prefix without its dot; the root's has no name.
            if key and key.startswith((prefix, prefix.rstrip("."))):
                metadata[key[len(prefix) :]] = metadata.pop(key)
