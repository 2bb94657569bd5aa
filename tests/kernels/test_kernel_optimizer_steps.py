"""Compiled steps of optimizers, held to their rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import DTYPES, agree, few, native, needs_native, same_on_any_number_of_threads, stays_within_fences

import rushlight as torch
from rushlight import kernels

NAME = "blocks.stepped"
LOOPS = {"adam_step": 2, "sgd_step": 0, "rmsprop_step": 1}  # how many states each needs


def optimizers(draw):
    """An optimizer with any of its options, and the names of the states that these ask for."""
    w = [torch.zeros(1, requires_grad=True)]
    decay, flag = draw(st.sampled_from([0, 0.1])), lambda: draw(st.booleans())
    common = {"lr": draw(st.sampled_from([1e-3, 0.5])), "weight_decay": decay, "maximize": flag()}
    kind = draw(st.sampled_from(["Adam", "AdamW", "SGD", "RMSprop"]))
    if kind == "SGD":
        momentum = draw(st.sampled_from([0, 0.9]))
        nesterov = momentum > 0 and flag()
        dampening = 0 if nesterov else draw(st.sampled_from([0, 0.3]))
        made = torch.optim.SGD(w, momentum=momentum, nesterov=nesterov, dampening=dampening, **common)
        return made, ["momentum_buffer"] if momentum else []
    if kind == "RMSprop":
        momentum, centered = draw(st.sampled_from([0, 0.9])), flag()
        made = torch.optim.RMSprop(w, momentum=momentum, centered=centered, **common)
        return made, ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * centered]
    amsgrad = flag()
    made = getattr(torch.optim, kind)(w, amsgrad=amsgrad, **common)
    return made, ["exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * amsgrad]


def block(source, names, dtype, sizes, odd=()):
    """Parameters, gradients, and states of which squares are larger than means."""
    params, grads = ([source.standard_normal(size).astype(dtype) for size in sizes] for _ in range(2))
    for value in odd:
        for each in (params, grads):
            each[0].reshape(-1)[source.integers(each[0].size)] = value
    total = sum(each.size for each in params)
    rows = {name: source.standard_normal(total).astype(dtype) * 0.1 for name in names}
    for name in names:
        if name in ("exp_avg_sq", "square_avg", "max_exp_avg_sq"):
            rows[name] = np.abs(rows[name]) + np.dtype(dtype).type(1)
    return params, grads, rows


def copied(arrays):
    return (
        {name: each.copy() for name, each in arrays.items()} if isinstance(arrays, dict) else [each.copy() for each in arrays]
    )


@needs_native
@given(data=st.data())
@few
def test_steps(instruction_set, data):
    dtype, source = data.draw(st.sampled_from(list(DTYPES))), np.random.default_rng(data.draw(st.integers(0, 1000)))
    optimizer, names = optimizers(data.draw)
    sizes = data.draw(st.lists(st.sampled_from([1, 3, 8, 17, (5, 7), (), 1000]), min_size=1, max_size=5))
    odd = data.draw(st.sampled_from([[], [], [math.inf, math.nan, 1e30, 1e20, 0.0]]))
    params, grads, rows = block(source, names, dtype, sizes, odd)
    room = (np.empty(1 << 14, dtype), np.empty(1 << 14, dtype))
    arguments, other = [copied(each) for each in (params, grads, rows)], [params, grads, rows]
    rest = ({}, room, optimizer.param_groups[0], data.draw(st.sampled_from([1, 2, 50])))
    kernel = kernels.registered[NAME]
    with np.errstate(all="ignore"):
        assert kernel.compiled(optimizer, *arguments, *rest)
        assert kernel.numpy(optimizer, *other, *rest)
    for found, expected in zip([*arguments[0], *arguments[2].values()], [*params, *rows.values()], strict=True):
        agree(found, expected, dtype, 20)
    assert all(one.tobytes() == two.tobytes() for one, two in zip(arguments[1], grads, strict=True))


@needs_native
@pytest.mark.parametrize("dtype", list(DTYPES))
def test_results_do_not_depend_on_the_number_of_threads(instruction_set, dtype):
    optimizer = torch.optim.Adam([torch.zeros(1, requires_grad=True)], amsgrad=True)

    def results():
        params, grads, rows = block(
            np.random.default_rng(0), ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"], dtype, [100_003, 5, 70_001, 333]
        )
        assert kernels.registered[NAME].compiled(optimizer, params, grads, rows, {}, (), optimizer.param_groups[0], 3)
        return [*params, *rows.values()]

    same_on_any_number_of_threads(results)


@needs_native
def test_a_gradient_may_be_the_parameter_itself():
    w = np.linspace(-1, 1, 100)
    expected = w - 0.5 * w
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    assert kernels.registered[NAME].compiled(optimizer, [w], [w], {}, {}, (), optimizer.param_groups[0], 0)
    np.testing.assert_allclose(w, expected)


@needs_native
def test_what_is_not_taken_is_left_to_the_rule():
    compiled = kernels.registered[NAME].compiled
    w = [torch.zeros(1, requires_grad=True)]
    sgd, adam = torch.optim.SGD(w), torch.optim.Adam(w)
    group, p = sgd.param_groups[0], np.zeros((4, 4))
    assert compiled(sgd, [p], [p], {}, {}, (), group, 0) is True
    assert compiled(sgd, [p], [p.T], {}, {}, (), group, 0) is None
    assert compiled(sgd, [p], [p.astype(np.float32)], {}, {}, (), group, 0) is None
    assert compiled(adam, [p], [p], {"exp_avg": p}, {}, (), adam.param_groups[0], 1) is None
    assert compiled(torch.optim.Adagrad(w), [p], [p], {}, {}, (), group, 0) is None


@needs_native
@pytest.mark.parametrize("name", list(LOOPS))
def test_fuzzed_sizes_stay_within(name):
    def arguments(source):
        size, dtype = source.choice([1, 3, 8, 33]), source.choice("fd")
        rows = [(size, dtype) if i < LOOPS[name] or source.random() < 0.5 else None for i in range(3)]
        return [(size, dtype), (size, dtype), *rows], [tuple(source.random() for _ in range(8))]

    def call(p, g, first, second, third, numbers):
        return getattr(native, name)([p], [g], (first, second, third), numbers)

    stays_within_fences(name, arguments, call=call)


@needs_native
def test_what_is_no_step_is_an_error():
    p = np.zeros(4)
    for wrong in ([p, [p], (None,) * 3], [[p], [p], (None,)], [[p], [p], (None,) * 3]):
        with pytest.raises(TypeError):
            native.sgd_step(*wrong, (0.0,) * 7)
    with pytest.raises(TypeError):
        native.sgd_step([p], [p], (None,) * 3, ("a",) * 8)
    assert native.sgd_step([p], [], (None,) * 3, (0.0,) * 8) is False
    assert native.sgd_step([p], [p], (np.zeros(3), None, None), (0.0,) * 8) is False
