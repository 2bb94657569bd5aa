"""``rearrange``: dimensions split, ordered anew and put together by a pattern of names."""

from __future__ import annotations

import keyword
import math
import re
import warnings
from functools import lru_cache
from typing import Any

import rushlight as torch

from ..tensor import Tensor

Group = tuple[str, ...]  # the names in one place of a side; none for a dimension of one
DOTS = "..."


class DimensionBindError(Exception):
    """Sizes that do not fit the names."""

    __module__ = "functorch.dim"


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Tensor:
    """A tensor with its dimensions split, in another order, and put together, as ``"a (b c) -> (a b) c"`` says.

    ``tensor``        of as many dimensions as the left side names; tensors in a list or tuple are stacked first
    ``pattern``       names, ``1`` or ``()`` for dimensions of one, ``...`` for all others, brackets for what is one dimension
    ``axes_lengths``  the sizes of names that the tensor's shape does not tell

    ValueError for a pattern that cannot be read or does not fit the tensor; DimensionBindError where sizes do not fit.

    >>> import rushlight as torch
    >>> images = torch.zeros(32, 30, 40, 3)
    >>> torch.func.rearrange(images, "b h w c -> b (c h w)").shape
    torch.Size([32, 3600])
    >>> torch.func.rearrange(images, "b (h h2) w c -> b h w (c h2)", h2=2).shape
    torch.Size([32, 15, 40, 6])
    """
    for length in axes_lengths.values():
        if not isinstance(length, int):
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    if not isinstance(tensor, Tensor):
        tensor = torch.stack(tensor)
    left, right = _read(pattern, tuple(axes_lengths))
    if not tensor.dim():
        return tensor
    if DOTS not in left and len(left) != tensor.dim():
        raise ValueError(
            f"Number of dimensions in pattern ({len(left)}) must be equal to the number of dimensions in the tensor "
            f"({tensor.dim()})"
        )
    if DOTS in left and len(left) - 1 > tensor.dim():
        raise ValueError(
            f"Number of dimensions in pattern ({len(left)}) must be less than or equal to the number of dimensions in the "
            f"tensor ({tensor.dim()})"
        )
    # The dimensions behind the dots are called by numbers, which no name is.
    dots = tuple(str(place) for place in range(tensor.dim() - len(left) + 1))
    groups = [group for part in left for group in ([(name,) for name in dots] if part == DOTS else [part])]
    unnamed = [place for place, group in enumerate(groups) if not group]
    if unnamed:
        tensor, groups = tensor.sum(unnamed), [group for group in groups if group]
    names = [name for group in groups for name in group]
    sizes = _sizes(groups, names, tuple(tensor.shape), axes_lengths)
    wanted = [
        group
        for part in right
        for group in (
            [(name,) for name in dots]
            if part == DOTS
            else [tuple(name for one in part for name in (dots if one == DOTS else (one,)))]
        )
    ]
    split = tensor.reshape([sizes[name] for name in names])
    ordered = split.permute([names.index(name) for group in wanted for name in group])
    return ordered.reshape([math.prod(sizes[name] for name in group) for group in wanted])  # type: ignore[no-any-return]


def _sizes(groups: list[Group], names: list[str], shape: tuple[int, ...], given: dict[str, int]) -> dict[str, int]:
    """The size of each name, one of each place being told by the tensor's shape."""
    sizes: dict[str, int] = {}
    for group, whole in zip(groups, shape, strict=True):
        open_names = [name for name in group if name not in given and len(group) > 1]
        labels = ", ".join(f"d{names.index(name)}" for name in group) + ("," if len(group) == 1 else "")
        if len(open_names) > 1:
            first, second = (names.index(name) for name in open_names[:2])
            raise DimensionBindError(f"cannot infer the sizes of two dimensions at once d{first} and d{second}")
        known = math.prod(given.get(name, 1) for name in group)
        if open_names:
            if not known or whole % known:
                parts = tuple(given.get(name, "?") for name in group)
                raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {whole} vs {parts}")
            sizes[open_names[0]] = whole // known
        elif all(name in given for name in group) and known != whole:
            raise DimensionBindError(
                f"Dimension sizes to do not match ({whole} != {known}) when matching dimension pack ({labels})"
            )
        for name in group:
            sizes.setdefault(name, given.get(name, whole))
    return sizes


@lru_cache(256)
def _read(pattern: str, given: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
    """The two sides of a pattern, each a list of groups and dots."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (_side(side) for side in sides)
    if any(DOTS in part for part in right) and DOTS not in left:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if any(part != DOTS and DOTS in part for part in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    of_left, of_right = ({name for part in side if part != DOTS for name in part if name != DOTS} for side in (left, right))
    if of_left != of_right:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {of_left ^ of_right}")
    unknown = set(given) - of_left
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    return left, right


def _side(text: str) -> list[Any]:
    if "." in text:
        if "..." not in text:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
        text = text.replace("...", "…")
    parts: list[Any] = []
    inside: list[str] | None = None
    seen: set[str] = set()
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            if inside is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            inside = []
        elif token == ")":
            if inside is None:
                raise ValueError("Brackets are not balanced")
            parts.append(tuple(inside))
            inside = None
        elif token == "1":
            if inside is None:
                parts.append(())
        else:
            name = DOTS if token == "…" else _name(token)
            if name in seen:
                raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
            seen.add(name)
            if inside is not None:
                inside.append(name)
            else:
                parts.append(DOTS if name == DOTS else (name,))
    if inside is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return parts


def _name(token: str) -> str:
    if not token.isidentifier():
        raise ValueError(f"Invalid axis identifier: {token}\nnot a valid python identifier")
    if token.startswith("_") or token.endswith("_"):
        raise ValueError(f"Invalid axis identifier: {token}\naxis name should should not start or end with underscore")
    if keyword.iskeyword(token):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {token}", RuntimeWarning, stacklevel=2)
    return token
