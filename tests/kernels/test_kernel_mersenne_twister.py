"""The compiled MT19937, held to NumPy's."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_checks import few, native, needs_native

from rushlight import kernels

pytestmark = needs_native
NAME = "mersenne_twister.source"
BLOCK = 624


@given(seed=st.integers(0, 2**32 - 1), counts=st.lists(st.integers(1, 9), min_size=1, max_size=5))
@few
def test_words(seed, counts):
    (ours, seeder), (theirs, their_seeder) = kernels.registered[NAME].compiled(), kernels.registered[NAME].numpy()
    seeder.seed(seed)
    their_seeder.seed(seed)
    np.testing.assert_array_equal(ours.state["state"]["key"], theirs.state["state"]["key"])
    for count in counts:
        np.testing.assert_array_equal(ours.random_raw(count * BLOCK), theirs.random_raw(count * BLOCK))
        key = ours.state["state"]["key"]
        np.testing.assert_array_equal(key, theirs.state["state"]["key"])
    again, _ = kernels.registered[NAME].compiled()
    again.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": BLOCK}}
    np.testing.assert_array_equal(again.random_raw(BLOCK), theirs.random_raw(BLOCK))
    assert (key == theirs.state["state"]["key"]).sum() < BLOCK  # a copy, which the next block leaves alone


def test_what_is_not_taken():
    key, words = np.zeros(BLOCK, np.uint32), np.zeros(2 * BLOCK, np.uint32)
    fixed = key.copy()
    fixed.flags.writeable = False
    for one, other in (
        (words[1:], key), (words, key[1:]), (words.astype(np.uint64), key), (words[::2], key), (words, fixed), (words, key.view(np.int32)),
    ):  # fmt: skip
        assert not native.twister_blocks(one, other)
    assert not words.any() and not key.any()
    assert native.twister_blocks(words[:0], key)
    assert not native.twister_seed(key[1:], 5)
    with pytest.raises(OverflowError):
        native.twister_seed(key, -1)


def test_numpy_random_is_not_imported():
    script = "import sys, rushlight as torch; torch.manual_seed(3); torch.randn(2000); print('numpy.random' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "False\n"
