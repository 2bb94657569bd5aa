"""Operators of two dtypes: compiled ops do what the general path does, and do it themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.ops import dispatch
from rushlight.ops.compiling import GLOBALS

KINDS = [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64]
SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 3), (2, 3)), ((2, 3), ()), ((), (2, 3)), ((), ()), ((2, 3), (3,)), ((1, 3), (2, 1)), ((0, 3), (1, 3)), ((2, 1, 3), (4, 1)),
]  # fmt: skip
NAMES = (
    "add sub mul true_divide pow eq lt maximum atan2 hypot fmod remainder floor_divide logical_and copysign xlogy bitwise_and"
)


def operand(shape: tuple[int, ...], dtype: Any, seed: int, turned: bool) -> Any:
    values = np.random.default_rng(seed).integers(1, 5, shape)
    leaf = torch.tensor(values.tolist() if shape else int(values)).reshape(shape).to(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        leaf.requires_grad_()
    return (leaf, leaf.t() if turned and len(shape) == 2 else leaf)


def outcome(name: str, shapes: Any, dtypes: Any, turned: bool) -> Any:
    (a, x), (b, y) = (
        operand(shape, dtype, seed, turned) for seed, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True))
    )
    try:
        result = getattr(torch, name)(x, y)
    except (RuntimeError, NotImplementedError) as error:
        return type(error), str(error)
    found = [result.dtype, result.stride(), str(result)]
    if result.requires_grad:
        try:
            torch.view_as_real(result).sum().backward() if result.is_complex() else result.sum().backward()
        except (RuntimeError, NotImplementedError) as error:
            return *found, type(error), str(error).split("\n")[0]
        found += [str(a.grad), str(b.grad)]
    return found


@given(
    st.sampled_from(NAMES.split()),
    st.sampled_from(SHAPES),
    st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)),
    st.booleans(),
)
def test_compiled_ops_bring_dtypes_together_as_the_general_path_does(name: str, shapes: Any, dtypes: Any, turned: bool) -> None:
    compiled = outcome(name, shapes, dtypes, turned)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GLOBALS, "together", lambda a, b, floats: None)
        assert compiled == outcome(name, shapes, dtypes, turned)


@given(
    st.sampled_from("add sub mul true_divide eq lt fmod remainder floor_divide bitwise_and".split()),
    st.sampled_from(SHAPES),
    st.sampled_from([*KINDS, torch.int8]),
    st.sampled_from([2, -3, 0, 2.5, -0.5, float("inf"), 300, 2**40, 2**70, True, 1j]),
    st.booleans(),
)
def test_compiled_ops_meet_numbers_as_the_general_path_does(
    name: str, shapes: Any, dtype: Any, value: Any, turned: bool
) -> None:
    def found() -> Any:
        leaf, x = operand(shapes[0], dtype, 0, turned)
        try:
            with np.errstate(over="ignore"):
                result = getattr(torch, name)(x, value)
            if result.requires_grad and not result.is_complex():
                result.sum().backward()
        except (RuntimeError, NotImplementedError, OverflowError) as error:
            return type(error), str(error)
        return result.dtype, result.stride(), str(result), str(leaf.grad)

    compiled = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GLOBALS, "beside_number", lambda x, value: None)
        assert compiled == found()


@pytest.mark.usefixtures("nothing_else_special")
def test_a_mask_times_numbers_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    x, mask = torch.ones(2, 3, requires_grad=True), torch.tensor([True, False, True])
    steps: list[Callable[[], Any]] = [lambda: x * mask, lambda: mask + x, lambda: x / torch.tensor(2), lambda: mask.long() < x]
    steps += [lambda: mask * 2.5, lambda: mask + 1, lambda: mask.long() < 0.5, lambda: mask.byte() * 2]
    wanted = [step().tolist() for step in steps]
    monkeypatch.setattr(dispatch, "run", None)
    assert [step().tolist() for step in steps] == wanted


def test_whole_numbers_divide_to_the_default_dtype() -> None:
    a, b = torch.tensor([1, 2]), torch.tensor([True, True])
    before = torch.get_default_dtype()
    try:
        for dtype in (torch.float64, torch.float32):
            torch.set_default_dtype(dtype)
            assert (a / b).dtype is dtype and torch.atan2(a, b).dtype is dtype
    finally:
        torch.set_default_dtype(before)


def test_a_mask_is_divided_in_rules() -> None:
    mask, x = torch.tensor([True, False, True]), torch.tensor([0.4, -2.0, 3.0], requires_grad=True)
    for function, wanted in ((torch.fmod, [-2.0, 0.0, 0.0]), (torch.remainder, [-2.0, 0.0, 0.0])):
        assert torch.autograd.grad(function(mask, x).sum(), x)[0].tolist() == wanted
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor is not supported"):
        torch.atan2(mask, x).sum().backward()


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_halves_and_complex_numbers_have_no_order(name: str) -> None:
    with pytest.raises(RuntimeError, match=f"{name} not implemented for complex tensors"):
        getattr(torch, name)(torch.ones(2, dtype=torch.float16), torch.tensor(1j))
