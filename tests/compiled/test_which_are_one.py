"""Tensors, arrays, gradients, lists and keys that are one thing at one call and two at the next: all but the last group were one in
silence once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")

Function = Callable[..., Any]
Made = tuple[Function, Callable[[int, Function], Any]]  # a program, and what it gives at a call, as it is or compiled
OTHER = (4, 5, 8)  # the calls at which something is another


def leaf(*numbers: float) -> Any:
    return torch.tensor([float(one) for one in numbers or (1, 1, 1)], requires_grad=True)


def numbers(*given: float) -> Any:
    return torch.tensor([float(one) for one in given or (1, 2, 3)])


# A gradient that is another's, or that is found elsewhere too.


def gradient_of_two() -> Made:
    w, v = leaf(), leaf()
    w.grad = v.grad = numbers()

    def program() -> Any:
        (w * v * 2).sum().backward()
        return w.grad + v.grad

    def at(call: int, function: Function) -> Any:
        if call in (5, 9):
            w.grad = numbers() if call == 5 else v.grad
        return function(), w.grad.clone(), v.grad.clone()

    return program, at


def gradient_of_two_that_is_read() -> Made:
    w, v = leaf(), leaf()
    w.grad = v.grad = numbers()

    def at(call: int, function: Function) -> Any:
        w.grad = numbers(4, 5, 6) if call in OTHER else v.grad
        return function()

    return lambda: w.grad * 2 + v.grad, at


def gradient_that_is_kept() -> Made:
    w, kept = leaf(), numbers()
    w.grad = kept

    def program() -> Any:
        (w * 2).sum().backward()
        return kept * 2

    def at(call: int, function: Function) -> Any:
        w.grad = numbers() if call in OTHER else kept
        return function(), w.grad.clone(), kept.clone()

    return program, at


def gradients_of_arguments() -> Made:
    def program(x: Any, y: Any) -> Any:
        (x * y * 2).sum().backward()
        return x.grad + y.grad

    def at(call: int, function: Function) -> Any:
        x, y = leaf(), leaf(1, 2, 3)
        x.grad = numbers()
        y.grad = numbers() if call in OTHER else x.grad
        return function(x, y), x.grad, y.grad

    return program, at


def gradient_that_is_an_argument() -> Made:
    def at(call: int, function: Function) -> Any:
        x, g = leaf(), numbers()
        x.grad = numbers(5, 5, 5) if call in OTHER else g
        return function(x, g)

    return lambda x, g: x.grad + g, at


def gradient_of_an_argument_that_is_kept() -> Made:
    kept = numbers()

    def at(call: int, function: Function) -> Any:
        x = leaf()
        x.grad = numbers(5, 5, 5) if call in OTHER else kept
        return function(x)

    return lambda x: x.grad + kept, at


def which_gradient_is_asked() -> Made:
    w = leaf()

    def program(x: Any, y: Any) -> Any:
        return x.detach() * (2 if x.grad is y else 3) * (5 if w.grad is x.grad else 7)

    def at(call: int, function: Function) -> Any:
        x, y = leaf(), numbers()
        w.grad, x.grad = numbers(), numbers()
        if call in OTHER:
            x.grad = y
        if call > 8:
            w.grad = x.grad
        return function(x, y)

    return program, at


def attribute_of_an_arguments_gradient() -> Made:
    def at(call: int, function: Function) -> Any:
        x = leaf()
        gradient: Any = numbers()
        x.grad, gradient.scale = gradient, 1.0 + call // 3
        return function(x)

    return lambda x: x.detach() * x.grad.scale, at


# Two tensors of one array, of which a trace sees one value.


def argument_detached_from_what_is_found() -> Made:
    w = numbers()

    def at(call: int, function: Function) -> Any:
        return function(numbers(5, 5, 5) if call in OTHER else w.detach())

    return lambda x: x * 2 + w, at


def argument_that_is_written_and_found() -> Made:
    w = numbers()

    def program(x: Any) -> Any:
        x.mul_(2)
        return x + w

    def at(call: int, function: Function) -> Any:
        result = function(w.detach() if 4 <= call < 8 else numbers(5, 5, 5)), w.clone()
        w.fill_(1)
        return result

    return program, at


def arguments_of_one_array() -> Made:
    def at(call: int, function: Function) -> Any:
        x = numbers()
        return function(x, numbers(5, 5, 5) if call in OTHER else x.data)

    return lambda x, y: x * 2 + y, at


def what_is_found_of_one_array() -> Made:
    w = numbers()
    v = w.data

    def at(call: int, function: Function) -> Any:
        if call in (4, 8):
            v.data = numbers(5, 5, 5) if call == 4 else w.data
        return function()

    return lambda: w * 2 + v, at


def parameter_that_is_an_argument() -> Made:
    w = leaf()

    def at(call: int, function: Function) -> Any:
        w.grad = None
        function((w, w.detach(), w * 1, numbers())[call // 3]).backward()
        return w.grad

    return lambda x: (w * x).sum(), at


# Lists, dicts, and their keys.


def lists_that_are_one() -> Made:
    def at(call: int, function: Function) -> Any:
        one = [2.0]
        return function(one, [2.0] if call in OTHER else one)

    return lambda a, b: torch.ones(3) * a[0] * (2 if a is b else 3), at


def lists_that_become_one() -> Made:
    def at(call: int, function: Function) -> Any:
        one = [2.0]
        return function({"a": one, "b": one if call in OTHER else [2.0]})

    return lambda d: torch.ones(3) * d["a"][0] * (2 if d["a"] is d["b"] else 3), at


def list_that_is_found() -> Made:
    kept = [2.0]

    def at(call: int, function: Function) -> Any:
        return function([2.0] if (call in OTHER) else kept)

    return lambda a: torch.ones(3) * kept[0] * (2 if a is kept else 3), at


def list_that_becomes_one_that_is_found() -> Made:
    kept = [2.0]

    def at(call: int, function: Function) -> Any:
        return function(kept if (call in OTHER) else [2.0])

    return lambda a: torch.ones(3) * kept[0] * (2 if a is kept else 3), at


def keys_of_another_kind() -> Made:
    def at(call: int, function: Function) -> Any:
        return function({(True if call == 4 else 1.0) if call in OTHER else 1: 2.0})

    return lambda d: torch.ones(3) * sum(2 if isinstance(key, bool) else len(repr(key)) for key in d), at


def keys_that_say_they_are_equal() -> Made:
    class Key:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    keys = Key(1.0), Key(2.0)
    return lambda d: torch.ones(3) * next(iter(d)).scale, lambda call, function: function({keys[call in OTHER]: 1.0})


def base_of_an_argument() -> Made:
    w = numbers()

    def at(call: int, function: Function) -> Any:
        return function((numbers() if call in OTHER else w)[:2])

    return lambda x: x * (2 if x._base is w else 3), at


def base_that_an_argument_gets() -> Made:
    w = numbers()

    def at(call: int, function: Function) -> Any:
        return function((w if call in OTHER else numbers())[:2])

    return lambda x: x * (2 if x._base is w else 3), at


# What was right.


def argument_of_a_gradients_array() -> Made:
    w = leaf()

    def program(x: Any) -> Any:
        (w * x).sum().backward()
        return w.grad + x

    def at(call: int, function: Function) -> Any:
        gradient = w.grad = numbers()
        return function(numbers(5, 5, 5) if call in OTHER else gradient.data), gradient

    return program, at


def tensor_that_is_an_attribute() -> Made:
    w, v = numbers(), numbers()

    def at(call: int, function: Function) -> Any:
        x = numbers()
        x.other = v if call in OTHER else w  # type: ignore[attr-defined]
        return function(x)

    return lambda x: x * (2 if x.other is w else 3), at


def bases_of_two() -> Made:
    def at(call: int, function: Function) -> Any:
        w, v = numbers(), numbers()
        return function(w[:2], (w if call in OTHER else v)[1:])

    return lambda x, y: x * (2 if x._base is y._base else 3), at


def buffer_that_is_written_by_another() -> Made:
    w, v = numbers(), numbers()

    def program() -> Any:
        w.mul_(2)
        return v + w

    def at(call: int, function: Function) -> Any:
        if call in (4, 8):
            w.data = v.data[:] if call == 4 else numbers()
        return function(), w.clone(), v.clone()

    return program, at


MADE = (
    gradient_of_two, gradient_of_two_that_is_read, gradient_that_is_kept, gradients_of_arguments, gradient_that_is_an_argument,
    gradient_of_an_argument_that_is_kept, which_gradient_is_asked, attribute_of_an_arguments_gradient,
    argument_detached_from_what_is_found, argument_that_is_written_and_found, arguments_of_one_array, what_is_found_of_one_array,
    parameter_that_is_an_argument, lists_that_are_one, lists_that_become_one, list_that_is_found,
    list_that_becomes_one_that_is_found, keys_of_another_kind, keys_that_say_they_are_equal, base_of_an_argument,
    base_that_an_argument_gets, tensor_that_is_an_attribute, bases_of_two, argument_of_a_gradients_array,
    buffer_that_is_written_by_another,
)  # fmt: skip


@pytest.mark.parametrize("make", MADE)
def test_which_are_one_is_seen(make: Callable[[], Made]) -> None:
    (program, as_it_is), (other, compiled) = make(), make()
    fast: Any = torch.compile(other, backend="replay")
    fast._compiled.always = True
    for call in range(12):
        assert str(compiled(call, fast)) == str(as_it_is(call, program)), call


def test_what_stays_one_is_replayed() -> None:
    """Gradients, arrays and lists that are one at each call need no other form."""
    w, v = leaf(), leaf()
    w.grad = v.grad = numbers()
    kept = [2.0]

    def program(x: Any, y: Any, given: list[float]) -> Any:
        (w * v * x).sum().backward()
        return w.grad + v.grad + y * given[0] + kept[0]

    fast: Any = torch.compile(program, backend="replay", fullgraph=True)
    fast._compiled.always = True
    for _ in range(8):
        x = numbers()
        fast(x, x.data, kept)
    assert [form.calls for form in fast._compiled.forms] == [6]
