"""Memory that begins at a line of the cache: for large work, on some processors, for as long as the arrays live."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.backend import alignment, team

SIZES = [1, 3, 100, 1000, 10_000, 100_000, 1_000_000, 9_000_000]

found = pytest.mark.skipif(alignment._found is None, reason="another C library or another NumPy")


def _lies_well(array):
    return array.ctypes.data % alignment.LINE == 0


def _new():
    return [np.empty(size, np.float32) for size in SIZES] + [np.arange(size) * 2.0 for size in SIZES]


@found
def test_new_arrays_begin_at_a_line():
    assert all(_lies_well(array) for array in alignment.within(_new))


@found
def test_arrays_are_freed_outside():
    arrays = alignment.within(_new)
    for size, array in zip(SIZES, arrays, strict=False):
        array[:] = size
    others = [np.full(size, -1.0) for size in SIZES]
    assert all((array == size).all() for size, array in zip(SIZES, arrays, strict=False))
    del arrays, others, array
    gc.collect()


@found
def test_they_grow_shrink_and_begin_with_zeros_as_ever():
    def change():
        grown = np.arange(1000)
        grown.resize(100_000, refcheck=False)
        shrunk = np.arange(100_000)
        shrunk.resize(1000, refcheck=False)
        return grown, shrunk, np.zeros((300, 300)), np.zeros(0)

    grown, shrunk, zeros, nothing = alignment.within(change)
    assert grown.sum() == 999 * 500 and shrunk.sum() == 999 * 500
    assert not zeros.any() and not nothing.size


def test_the_setting_ends_with_the_work():
    def fail():
        raise KeyError("inside")

    name = np._core.multiarray.get_handler_name
    before = name(np.empty(5000))
    inner = alignment.within(lambda: (alignment.within(np.empty, 5000), np.empty(5000)))
    with pytest.raises(KeyError, match="inside"):
        alignment.within(fail)
    assert name(np.empty(5000)) == before
    assert len({name(array) for array in inner}) == 1


def test_large_tensors_and_their_gradients():
    u, w = torch.rand(5000, requires_grad=True), torch.rand(5000, requires_grad=True)
    product = u * w
    product.tanh().sum().backward()
    matrices = torch.randn(70, 70) @ torch.empty(70, 70)
    if alignment.PAYS:
        assert all(_lies_well(tensor.detach().numpy()) for tensor in (u, w, product, u.grad, w.grad, matrices))
    assert alignment.FROM <= 5000 or not alignment.PAYS


def test_the_team_begins_as_the_program_does():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        places = team.run(lambda part: np.empty(1000).ctypes.data % alignment.LINE, np.empty(3 << 17))
    finally:
        torch.set_num_threads(before)
    assert len(places) == 3
    assert not alignment.PAYS or places[1:] == [0, 0]


@pytest.mark.parametrize("fraction", ["0", "0.1"])
def test_arrays_live_to_the_end_of_the_program(fraction):
    program = (
        "import builtins, numpy as np, rushlight as torch\nfrom rushlight.backend import alignment\n"
        "builtins.last = [alignment.within(np.arange, n) for n in (10, 5000, 5_000_000)] + [torch.ones(9000).exp()]\n"
        "print(alignment.PAYS)"
    )
    environment = {"RUSHLIGHT_MEMORY_FRACTION": fraction, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{alignment.PAYS and fraction != '0'}\n"
