"""Arguments of the wrong kind: the error names which one, where it stands and what it had to be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight.ops.misfits import Call

CASES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x.tril(1.5), "tril(): argument 'diagonal' (position 1) must be int, not float"),
    (lambda x: torch.tril(x, 1.5), "tril(): argument 'diagonal' (position 2) must be int, not float"),
    (lambda x: torch.tril(x, diagonal=1.5), "tril(): argument 'diagonal' must be int, not float"),
    (lambda x: x.roll("a"), "roll(): argument 'shifts' (position 1) must be tuple of ints, not str"),
    (lambda x: x.index_add_(0, 1.5, x), "index_add_(): argument 'index' (position 2) must be Tensor, not float"),
    (lambda x: x.mul_("a"), "mul_(): argument 'other' (position 1) must be Tensor, not str"),
    (lambda x: x.det(1), "TensorBase.det() takes no arguments (1 given)"),
    (lambda x: x.transpose(0, 1, 1), "transpose() takes 2 positional arguments but 3 were given"),
    (lambda x: x.unfold(0, 1.5, 1), "unfold(): argument 'size' (position 2) must be int, not float"),
]


@pytest.mark.parametrize(("call", "text"), CASES, ids=[text.partition("(")[0] + str(i) for i, (_, text) in enumerate(CASES)])
def test_the_error_names_the_argument(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(TypeError) as raised:
        call(torch.eye(2))
    assert str(raised.value) == text


@pytest.mark.parametrize(
    "call", [lambda x: x.sum(1.5), lambda x: torch.sum(x, 1.5), lambda x: x.sum(dim=1.5), lambda x: x.pow_("a")]
)
def test_functions_of_several_forms_say_what_they_got(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"received an invalid combination of arguments - got \((Tensor, )?(dim=)?\w+(, )?\)"):
        call(torch.eye(2))


def test_nothing_is_written_by_a_call_that_is_refused() -> None:
    x = torch.eye(2)
    for call in (lambda: x.random_(1.5), lambda: x.tril_(0.5), lambda: x.masked_fill_(1.5, 2)):
        with pytest.raises(TypeError):
            call()
    assert x.tolist() == [[1, 0], [0, 1]] and x._version == 0


def test_errors_of_other_things_are_left_alone() -> None:
    def own(x: Any, dim: Any) -> None: ...

    call = Call("f", ("x", "dim"), (torch.eye(2), 1), {})
    assert call.misfit(TypeError("something else")) is None
    assert Call("f", ("x", "n"), (torch.eye(2), 1.5), {}).misfit(TypeError("n"), whole=False) is None
    assert call.as_method(ValueError("f(): argument 'dim' (position 2) must be int, not float")) is None
    assert call.too_many(own, TypeError("other() takes 2 positional arguments but 3 were given")) is None
