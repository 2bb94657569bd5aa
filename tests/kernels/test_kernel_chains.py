"""Chains of pointwise steps: what they give is what the steps give one by one, to the last bit."""

from __future__ import annotations

import contextlib
import random
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import BEYOND, ODD, Fenced, few, native, needs_native, numbers, same_on_any_number_of_threads

from rushlight.kernels import chains

pytestmark = needs_native
ARITHMETIC = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "negative": lambda x, _: np.negative(x),
}  # fmt: skip


def by_loops(name, x, h):
    """What the kernel of one step gives."""
    x, h = np.ascontiguousarray(x), np.ascontiguousarray(h)
    out = np.empty_like(x)
    assert getattr(native, name)(*((out, x, h) if chains.STEPS[name][1] == 2 else (out, x)))
    return out


def one_by_one(program, inputs, shape, dtype):
    count, constants, steps, results = program
    assert count == len(inputs)
    registers = [*inputs, *(np.array(number, dtype) for number in constants)]
    registers += [None] * (chains.MOST_REGISTERS - len(registers))
    with np.errstate(all="ignore"):
        for name, x, h, out in steps:
            a, b = (np.broadcast_to(registers[each], shape) for each in (x, h))
            registers[out] = ARITHMETIC[name](a, b) if name in ARITHMETIC else by_loops(name, a, b)
    return [np.broadcast_to(registers[each], shape) for each in results]


def same(found, expected):
    """To the last bit, but for what kind of nan it is."""
    nan = np.isnan(expected)
    assert (np.isnan(found) == nan).all()
    assert np.where(nan, 0, found).tobytes() == np.where(nan, 0, expected).tobytes()


@st.composite
def cases(draw):
    dtype = draw(st.sampled_from(["f", "d"]))
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 5, 16, 33, 70]), min_size=1, max_size=3)))
    inputs = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["whole", "number", "stretched", "part", "turned", "backwards"]))
        if kind == "number":
            inputs.append(numbers(draw, (), dtype))
        elif kind == "stretched":
            inputs.append(numbers(draw, tuple(draw(st.sampled_from([1, length])) for length in shape), dtype))
        elif kind == "part":
            inputs.append(numbers(draw, (*shape[:-1], shape[-1] + 3), dtype)[..., 2 : 2 + shape[-1]])
        elif kind == "turned":
            inputs.append(numbers(draw, shape[::-1], dtype).T)
        else:
            inputs.append(numbers(draw, shape, dtype, ODD + BEYOND)[:: -1 if kind == "backwards" else 1])
    constants = draw(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e30, 0.1]), max_size=3))
    known, steps = list(range(len(inputs) + len(constants))), []
    for _ in range(draw(st.integers(1, 8))):
        first = len(inputs) + len(constants)
        x, h = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        out = draw(st.integers(first, max(first, known[-1] + 1)))
        steps.append((draw(st.sampled_from(sorted(chains.STEPS))), x, h, out))
        known = sorted({*known, out})
    results = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    return (len(inputs), constants, steps, results), inputs, shape, dtype


@given(cases(), st.booleans())
@few
def test_a_chain_is_its_steps(case, over):
    """Whether results are new arrays, or lie where inputs do."""
    program, inputs, shape, dtype = case
    expected = [one.copy() for one in one_by_one(program, inputs, shape, dtype)]
    over = over and min(program[3]) >= len(inputs)  # a result that is an input may be gone by then
    fit = [one for one in inputs if one.shape == tuple(shape) and one.flags.c_contiguous and one.flags.writeable]
    outs = fit[: len(program[3]) if over else 0]
    outs += [np.empty(shape, dtype) for _ in program[3][len(outs) :]]
    assert chains.run(chains.program(*program), *outs, *inputs)
    for found, right in zip(outs, expected, strict=True):
        same(found, right)


def test_a_result_may_be_written_over_an_input():
    x, y = np.arange(3000.0), np.ones(3000)
    code = chains.program(2, [], [("add", 0, 1, 2), ("multiply", 0, 2, 3)], [2, 3])
    out = np.empty(3000)
    expected = x + y, x * (x + y)
    assert chains.run(code, x, out, x, y)
    assert (x == expected[0]).all() and (out == expected[1]).all()


def test_arrays_of_no_numbers_and_of_other_kinds():
    code = chains.program(1, [], [("negative", 0, 0, 1)], [1])
    assert chains.run(code, np.empty((0, 3)), np.empty((0, 3)))
    assert not chains.run(code, np.empty(3), np.ones(3, "f"))
    assert not chains.run(code, np.empty(3), np.ones(4))
    assert not chains.run(code, np.empty(6)[::2], np.ones(3))
    assert not chains.run(code, np.empty(3, int), np.ones(3, int))


def test_on_any_number_of_threads():
    x, y = np.random.default_rng(0).standard_normal((2, 300, 1000), "f")
    code = chains.program(2, [0.5], [("sigmoid", 0, 0, 3), ("multiply", 3, 1, 4), ("subtract", 4, 2, 5)], [5])

    def results():
        outs = [np.empty_like(x), np.empty_like(x)]
        assert chains.run(code, outs[0], x, y) and chains.run(code, outs[1], x, y[0])
        return outs

    same_on_any_number_of_threads(results)


def test_programs_that_mean_nothing_are_refused():
    source = random.Random(3)
    good = chains.program(2, [1.0], [("add", 0, 1, 3), ("multiply", 3, 2, 4)], [4])
    taken = 0
    for _ in range(3000):
        code = bytearray(good)
        for _ in range(source.randrange(3)):
            code[source.randrange(len(code))] = source.choice([0, 1, 2, 3, 4, 5, 63, 64, 255])
        code = code[: source.choice([len(code)] * 20 + [0, 3, 5, len(code) - 1])]
        arrays = [Fenced(7, "float32", 0, False) for _ in range(source.choice([3, 3, 3, 2, 4]))]
        with contextlib.suppress(ValueError):
            taken += native.chain(bytes(code), *(each.array for each in arrays))
        assert all(each.is_whole() for each in arrays)
    assert taken > 300
    with pytest.raises(ValueError, match="no such chain"):
        native.chain(good + struct.pack("d", 1.0), *(np.ones(2, "f") for _ in range(3)))
    with pytest.raises(TypeError):
        native.chain("no bytes", np.ones(2))
