"""What Python would take and PyTorch does not, where nothing in the function would fail: a bool as a dimension, a tensor as a number."""

from __future__ import annotations

import fractions
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch

X = torch.arange(6.0).reshape(2, 3)
REFUSED: list[tuple[str, Callable[[], Any], str]] = [
    (
        "a tensor of one float as an int",
        lambda: X.roll(torch.tensor([1.0])),
        "'shifts' (position 1) must be tuple of ints, not Tensor",
    ),
    ("as a dimension", lambda: X.unsqueeze(torch.tensor([1])), "'dim' (position 1) must be int, not Tensor"),
    ("as a float", lambda: torch.pinverse(X, torch.ones(3)), "'rcond' (position 2) must be float, not Tensor"),
    ("in place", lambda: X.clone().nan_to_num_(torch.ones(2, 3)), "'nan' (position 1) must be float, not Tensor"),
    ("by name", lambda: X.nan_to_num(posinf=torch.ones(1)), "'posinf' must be float, not Tensor"),
    ("a bool as a dimension", lambda: X.transpose_(True, 0), "'dim0' (position 1) must be int, not bool"),
    ("as an int", lambda: X.triu(True), "'diagonal' (position 1) must be int, not bool"),
    ("a number of another library", lambda: X.mvlgamma(np.float32(2)), "'p' (position 1) must be int, not numpy.float32"),
    ("an array as a dimension", lambda: X.diff(1, np.array(1)), "'dim' (position 2) must be int, not numpy.ndarray"),
    ("a tensor of a bool", lambda: X.diagonal(torch.tensor(True)), "'offset' (position 1) must be int, not Tensor"),
    ("a tensor with gradients", lambda: torch.logit(X, torch.ones((), requires_grad=True)), "'eps' (position 2) must be float"),
    ("a complex number as a float", lambda: torch.dropout(X, 1j, False), "'p' (position 2) must be float, not complex"),
    ("a fraction", lambda: torch.celu(X, fractions.Fraction(1, 2)), "'alpha' (position 2) must be Number, not Fraction"),
    ("no tensor", lambda: torch.dropout(2.5, 0.5, False), "'input' (position 1) must be Tensor, not float"),
    (
        "no memory format",
        lambda: X.clone(memory_format=torch.tensor(1)),
        "'memory_format' must be torch.memory_format, not Tensor",
    ),
    (
        "in a function in Python",
        lambda: torch.nn.functional.threshold(X, object(), 1),
        "'threshold' (position 2) must be Number",
    ),
]


@pytest.mark.parametrize(("call", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_only_python_would_take_is_refused(call: Callable[[], Any], said: str) -> None:
    for _ in range(2):  # the second time its types have been asked about before
        with pytest.raises(TypeError, match=r"argument ") as caught:
            call()
        assert said in str(caught.value)


def test_a_number_as_a_tensor_does_not_let_others_in() -> None:
    assert X.roll(torch.tensor(1)).shape == X.shape
    with pytest.raises(TypeError, match="must be tuple of ints, not Tensor"):
        X.roll(torch.tensor([1, 2]))


def test_what_stands_for_numbers_is_read_as_one() -> None:
    values = torch.arange(3.0)
    assert values.kthvalue(torch.tensor([2])).values.item() == 1.0
    assert X.tril(np.array(0)).equal(X.tril()) and X.roll(torch.tensor([[1]])).equal(X.roll(1))
    assert torch.logit(X / 9, torch.tensor(0.25)).equal(torch.logit(X / 9, 0.25))
    with pytest.raises(RuntimeError, match=r"^value cannot be converted to type double without overflow$"):
        torch.logit(X, torch.tensor(1j))


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1])
def test_whole_numbers_past_64_bits(number: int) -> None:
    for _ in range(2):  # the second time ints are known to be taken
        assert X.tril(1).shape == X.shape
        with pytest.raises(ValueError, match=r"^Overflow when unpacking long long$"):
            X.tril(number)
        with pytest.raises(ValueError, match=r"^Overflow when unpacking long long$"):
            torch.diff(X, n=number)
        if number > 0:
            with pytest.raises(ValueError, match=r"^Overflow when unpacking long long$"):
                X.chunk(number)
        if number != 2**63:
            with pytest.raises(OverflowError):
                torch.nn.functional.hardshrink(X, number)


@pytest.mark.parametrize(
    "call",
    [
        lambda number: X.pow(number),
        lambda number: (X > 1).pow(number),
        lambda number: torch.ones(2).fill_(number),
        lambda number: torch.ones(2).bool().fill_(number),
        lambda number: X.masked_fill(X > 1, number),
        lambda number: X.add(X, alpha=number),
        lambda number: X.sub(X, alpha=number),
        lambda number: X.std(correction=number),
        lambda number: torch.celu_(X.clone(), number),
        lambda number: torch.nn.functional.leaky_relu(X, number),
    ],
)
def test_numbers_past_64_bits_of_what_programs_call_most(call: Callable[[int], Any]) -> None:
    assert call(2).ndim < 3
    with pytest.raises(OverflowError, match=r"^int too big to convert$"):
        call(2**64)


def test_a_correction_is_a_number() -> None:
    assert X.var(correction=torch.tensor(1.0)).equal(X.var(correction=1))
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        X.var(correction=fractions.Fraction(1, 2))
    with pytest.raises(RuntimeError, match="value cannot be converted to type double without overflow"):
        X.var(correction=1j)


def test_only_the_first_of_several_dimensions_may_be_no_bool() -> None:
    assert X.sum((0, True)).item() == 15.0
    with pytest.raises(TypeError, match="invalid combination"):
        X.sum((True,))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite"])
def test_questions_have_no_out(name: str) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        getattr(torch, name)(X, out=torch.empty(2, 3, dtype=torch.bool))


def test_more_places_than_memory_has_are_refused() -> None:
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.arange(24.0).reshape(2, 3, 4).repeat_interleave(torch.tensor(2**62), 2)


@pytest.mark.parametrize("name", ["index_put", "index_put_"])
@pytest.mark.parametrize(
    ("indices", "said"), [("ab", "must be tuple of Tensors, not str"), ([1], "expected Tensor as element 0")]
)
def test_indices_are_tensors(name: str, indices: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        getattr(X.clone(), name)(indices, torch.tensor(1.0))


def test_the_older_form_of_a_difference_takes_a_tensor_as_its_factor() -> None:
    assert X.sub(torch.tensor(2.0), 3).tolist() == X.clone().sub_(torch.tensor(2.0), 3).tolist() == (X - 6).tolist()


def test_a_tensor_of_no_dimensions_is_a_bound_beside_a_number() -> None:
    assert X.clamp(torch.tensor(1.0), 3).tolist() == X.clone().clamp_(1, torch.tensor(3.0)).tolist() == X.clamp(1, 3).tolist()
    assert torch.tensor([1, 5]).clamp(torch.tensor(2.5), 7).dtype is torch.float32
    with pytest.raises(
        TypeError, match=r"^clamp\(\) received an invalid combination of arguments - got \(Tensor, Tensor, int\)"
    ):
        torch.clamp(X, torch.tensor([1.0]), 3)


def test_what_does_not_fill_is_told_form_by_form() -> None:
    with pytest.raises(
        TypeError, match=r"^fill_\(\) .* got \(str\), .*\n \* \(Tensor value\)\n      didn't match .*: \(!str!\)"
    ):
        torch.ones(2).fill_("a")


def test_what_out_is_no_place_for_is_told_before_what_a_kernel_refuses() -> None:
    x = torch.ones(2, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match=r"^result type ComplexFloat can't be cast to the desired output type Char$"):
        torch.fmod(x, x, out=torch.empty(2, dtype=torch.int8))
    with pytest.raises(RuntimeError, match=r"^unsupported operation: some elements of the input tensor and the written-to"):
        torch.atan2(x, x, out=x[:1])
    with pytest.raises(NotImplementedError, match=r'^"fmod_cpu" not implemented for'):
        torch.fmod(x, x, out=torch.empty_like(x))
