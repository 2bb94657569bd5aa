"""Dimensions rearranged by a pattern of names."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.func import grad, rearrange, vmap
from rushlight.func.rearranging import DimensionBindError

x = torch.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("pattern", "sizes", "expected"),
    [
        ("a b c -> c b a", {}, x.permute(2, 1, 0)),
        ("a b c->(a b) c", {}, x.reshape(6, 4)),
        ("a b c -> (c a) b", {}, x.permute(2, 0, 1).reshape(8, 3)),
        ("... c -> c ...", {}, x.permute(2, 0, 1)),
        ("a ... -> a (...)", {}, x.reshape(2, 12)),
        ("a b ... -> (a ...) b", {}, x.permute(0, 2, 1).reshape(8, 3)),
        ("a b c -> a 1 b c ()", {}, x.reshape(2, 1, 3, 4, 1)),
        ("a b (c d) -> d a b c", {"c": 2}, x.reshape(2, 3, 2, 2).permute(3, 0, 1, 2)),
        ("(a e) b c -> a e b c", {"a": 2}, x.reshape(2, 1, 3, 4)),
        ("a (b) c -> (a) b (c)", {"b": 3}, x),
        ("... -> ...", {}, x),
    ],
)
def test_patterns(pattern: str, sizes: dict[str, int], expected: Any) -> None:
    assert torch.equal(rearrange(x, pattern, **sizes), expected)
    slope = grad(lambda one: (rearrange(one, pattern, **sizes) * expected).sum())(x)
    assert torch.equal(slope, x)
    assert torch.equal(vmap(lambda one: rearrange(one, pattern, **sizes))(torch.stack([x, x + 1]))[1], expected + 1)


def test_lists_and_dimensions_of_one() -> None:
    rows = [torch.full((2, 3), float(i)) for i in range(4)]
    assert torch.equal(rearrange(rows, "b h w -> h (b w)"), torch.stack(rows).permute(1, 0, 2).reshape(2, 12))
    assert torch.equal(rearrange(x[:1], "1 b c -> b c"), x[0]) and torch.equal(
        rearrange(x[:, :1], "a () c -> c a"), x[:, 0].t()
    )
    assert rearrange(torch.tensor(3.0), " -> ").shape == ()


@pytest.mark.parametrize(
    ("pattern", "sizes", "kind", "words"),
    [
        ("a b c", {}, ValueError, "single '->' separator"),
        ("a b -> b a", {}, ValueError, r"Number of dimensions in pattern \(2\) must be equal"),
        ("a b c d ... -> a", {}, ValueError, "only on one side"),
        ("a b c d ... -> a b c d ...", {}, ValueError, "must be less than or equal"),
        ("a a b -> a b", {}, ValueError, "duplicate dimension 'a'"),
        ("a b c -> a b", {}, ValueError, "only on one side of rearrange expression"),
        ("a b (c -> a b c", {}, ValueError, "Imbalanced parentheses"),
        ("a b c) -> a b c", {}, ValueError, "Brackets are not balanced"),
        ("a b c -> a ((b c))", {}, ValueError, "one-level"),
        ("a b 1c -> a b 1c", {}, ValueError, "Invalid axis identifier: 1c"),
        ("a b c_ -> a b c_", {}, ValueError, "underscore"),
        ("a b . c -> a b c", {}, ValueError, "dots only inside ellipsis"),
        ("a b c -> ... a b c", {}, ValueError, "Ellipsis found in right side"),
        ("a b c -> a b c", {"z": 2}, ValueError, "not found in rearrange expression: {'z'}"),
        ("a b (c d) -> a b c d", {}, DimensionBindError, "two dimensions at once d2 and d3"),
        ("a b (c d) -> a b c d", {"c": 3}, DimensionBindError, r"4 vs \(3, '\?'\)"),
        ("a b (c d) -> a b c d", {"c": 2, "d": 3}, DimensionBindError, r"4 != 6"),
        ("a b c -> a b c", {"a": 3}, DimensionBindError, r"\(2 != 3\) when matching dimension pack \(d0,\)"),
        ("a b c -> a b c", {"a": "2"}, TypeError, "axis lengths must be integers"),
    ],
)
def test_what_does_not_fit(pattern: str, sizes: dict[str, Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        rearrange(x, pattern, **sizes)


def test_lists_of_sizes_and_dimensions_by_name() -> None:
    x = torch.arange(6.0).reshape(shape=(2, 3))
    assert (
        torch.permute(x, dims=(1, 0)).shape
        == x.permute(dims=[-1, 0]).shape
        == torch.permute(dims=(1, 0), input=x).shape
        == (3, 2)
    )
    assert x.view(size=(3, 2)).shape == torch.reshape(x, shape=[3, -1]).shape == (3, 2)
    assert x.expand(size=(4, -1, 3)).shape == (4, 2, 3) and torch.broadcast_to(x, size=(1, 2, 3)).shape == (1, 2, 3)
    assert x.repeat(repeats=(2, 1)).shape == torch.tile(x, dims=(2, 1)).shape == (4, 3) and x.sum_to_size(
        size=(1, 3)
    ).shape == (1, 3)
    with pytest.raises(TypeError, match=r"permute\(\) got multiple values for argument 'dims'"):
        x.permute(1, dims=(1, 0))
    with pytest.raises(TypeError, match=r"permute\(\): argument 'dims' must be tuple of ints, not int"):
        torch.permute(x, dims=1)
