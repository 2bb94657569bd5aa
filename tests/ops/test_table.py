"""The op table: what rules may ask for, what is kept, and that every rule reads both ways."""

from __future__ import annotations

import inspect
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from forking import program_output

import rushlight as torch
from rushlight.autograd import modes
from rushlight.autograd.nodes import Node, leaf_edge
from rushlight.ops import public, table
from rushlight.ops.rule_functions import conj


def test_a_rule_that_asks_for_nothing_the_op_has_is_refused() -> None:
    with pytest.raises(TypeError, match="asks for 'y'"):
        table.op("test_bad", np.negative, x=lambda g, y: g)
    assert "test_bad" not in table.table


def test_the_names_a_rule_asks_for_are_what_is_kept() -> None:
    assert [(kind, name) for kind, name, _ in table.table["mul"].keep] == [("input", "b"), ("input", "a")]
    assert [(kind, name) for kind, name, _ in table.table["tanh"].keep] == [("output", "out")]
    assert table.table["add"].keep == []


def test_only_what_the_inputs_at_hand_need_is_kept() -> None:
    a, b = torch.ones(3, requires_grad=True), torch.ones(3)
    saved = (a * b).grad_fn.saved
    assert any(item is b for item in saved)
    assert not any(item is a for item in saved)


def test_an_op_in_one_line_has_all_derivatives() -> None:
    entry = table.op("test_cube", lambda x: x**3, x=lambda g, x: g * 3 * x * x)
    try:
        x = torch.tensor(2.0, requires_grad=True)
        y = entry.call(x)
        assert type(y.grad_fn).__name__ == "TestCubeBackward0"
        values = [y.item()]
        for _ in range(3):
            (y,) = torch.autograd.grad(y, x, create_graph=True)
            values.append(y.item())
        assert values == [8.0, 12.0, 12.0, 6.0]
    finally:
        del table.table["test_cube"]


def test_the_text_of_a_compiled_op_can_be_read() -> None:
    text = table.source_of("mul")
    assert "def call(a, b):" in text and "def vjp(node, g, edges):" in text


@pytest.mark.parametrize("name", sorted(table.table))
def test_rules_take_nothing_that_is_not_there(name: str) -> None:
    entry = table.table[name]
    known = {*entry.inputs, *entry.outputs, *(param for param, _ in entry.params), "g", "xp", "needs"}
    known |= {f"{one}_{what}" for one in entry.inputs for what in ("shape", "dtype", "strides")}
    for rule in [*entry.rules.values(), *([entry.joint] if entry.joint else [])]:
        assert set(inspect.signature(rule).parameters) <= known
    compile(table.source_of(name), name, "exec")


def test_the_general_path_gives_what_the_fast_one_gives() -> None:
    def results() -> list[object]:
        x = torch.tensor([0.5, 1.5], requires_grad=True)
        y = torch.tensor([2.0, 3.0], requires_grad=True)
        out = ((x * y).tanh() + x / y - (y**2).sum()) @ y[1:].expand(2)
        gradients = torch.autograd.grad(out, [x, y])
        return [out.item(), *(g.tolist() for g in gradients)]

    fast = results()
    unusual = modes.Mark(hidden=True)
    general = results()
    del unusual
    assert fast == general


@pytest.mark.parametrize("kind", [torch.Tensor, table.Namespace, Node])
def test_nothing_stands_between_a_lookup_and_the_attribute(kind: type) -> None:
    # With a __getattr__ the interpreter specializes no lookup of any attribute: the LSTM example took 5 % longer.
    assert kind.__getattribute__ is object.__getattribute__
    assert not hasattr(kind, "__getattr__")


def test_a_public_function_takes_out_and_names() -> None:
    function = public._PublicOp(table.table["hypot"], "hypot").function
    x, out = torch.full((2,), 3.0), torch.empty(2)
    assert function(x, torch.full((2,), 4.0), out=out) is out
    assert out.tolist() == function(x, other=torch.full((2,), 4.0)).tolist() == [5.0, 5.0]
    with pytest.raises(TypeError, match=r"hypot\(\): argument 'other' \(position 2\) must be Tensor, not str"):
        function(x, "4")
    unusual = modes.Mark(hidden=True)
    assert function(x, x).tolist() == torch.hypot(x, x).tolist()
    del unusual


def test_matrices_and_what_else_there_is_to_multiply() -> None:
    a, b = torch.ones(2, 3), torch.ones(3, 4)
    assert (a @ b).tolist() == [[3.0] * 4] * 2
    assert (a @ b[:, 0]).tolist() == [3.0, 3.0]
    assert (torch.ones(5, 2, 3) @ b).shape == (5, 2, 4)
    with pytest.raises(RuntimeError, match=r"cannot be multiplied \(2x3 and 2x3\)"):
        a @ a
    with pytest.raises(RuntimeError, match="dtype"):
        a @ b.double()
    with pytest.raises(TypeError, match="unsupported operand"):
        a @ 2
    for factor in (a.to_sparse(), a.requires_grad_()):
        assert (factor @ b).tolist() == [[3.0] * 4] * 2


def test_numbers_keep_their_sign_and_dtype() -> None:
    x = torch.tensor([1.0, -1.0])
    assert (x * 0.0).tolist() == [0.0, -0.0]
    assert np.signbit((x * -0.0).numpy()).tolist() == [True, False]
    assert (x * float("nan")).isnan().all()
    assert (x.double() * 0.1).tolist() == [0.1, -0.1]


def test_conj_of_anything() -> None:
    assert conj(2.0) == 2.0
    assert conj(np.array([1 + 2j]))[0] == 1 - 2j
    assert conj(torch.tensor([1 + 2j])).tolist() == [1 - 2j]


def test_a_division_by_zero_is_no_error_where_warnings_are() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (torch.ones(2) / 0).tolist() == [float("inf")] * 2
        x = torch.zeros(1, requires_grad=True)
        x.log().backward()
    assert x.grad.item() == float("inf")


FIRST_USES = """
import sys, threading
import rushlight as torch

uses = [
    lambda x: x + x, lambda x: x - 1, lambda x: 1 - x, lambda x: x * x, lambda x: x.exp(), lambda x: torch.tanh(x),
    lambda x: x.mean(), lambda x: x.sum(0), lambda x: x.var(), lambda x: x.clone(), lambda x: x[0], lambda x: x.squeeze(),
    lambda x: x.max(), lambda x: x.clamp(0, 1), lambda x: x @ x,
]
sys.setswitchinterval(1e-6)
leaves = [torch.ones(2, 2, requires_grad=True) for _ in uses]
together, results, errors = threading.Barrier(4), [[] for _ in uses], []

def work():
    for use, leaf, found in zip(uses, leaves, results):
        together.wait()
        try:
            found.append(use(leaf))
        except BaseException as error:
            errors.append(repr(error))

workers = [threading.Thread(target=work) for _ in range(4)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
kinds = [{type(one.grad_fn) for one in found} for found in results]
ends = [{node for one in found for node, _ in one.grad_fn.next_functions if node is not None} for found in results]
print(errors, [found for found in kinds + ends if len(found) != 1])
"""


def test_threads_that_use_an_op_first_at_once_record_the_same_op_and_the_same_leaf() -> None:
    assert program_output(FIRST_USES) == "[] []\n"


def test_a_thread_that_comes_in_between_gets_the_same_leaf() -> None:
    ends: list[Any] = []
    others: list[threading.Thread] = []

    class SetInPython(torch.Tensor):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "_sink" and not others:
                others.append(threading.Thread(target=lambda: ends.append(leaf_edge(self))))
                others[0].start()
                others[0].join(0.2)  # in vain, if it waits until this is done
            super().__setattr__(name, value)

    leaf = torch.ones(2).as_subclass(SetInPython).requires_grad_()
    ends.append(leaf_edge(leaf))
    others[0].join()
    assert ends[0][0] is ends[1][0]
