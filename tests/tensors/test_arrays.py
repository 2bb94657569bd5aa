"""A tensor's array is an ndarray, never a NumPy scalar, whose address kernels cannot take."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import rushlight as torch
from rushlight.tensor import new_tensor

HALF = torch.tensor(0.5, dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "draw",
    [
        torch.bernoulli,
        torch.poisson,
        lambda p: torch.bernoulli(p, 0.5),
        lambda p: torch.normal(p, p),
        lambda p: torch.normal(p, 1.0),
        lambda p: torch.normal(0.0, p),
        lambda p: torch.empty_like(p).bernoulli_(p),
        torch.rand_like,
        torch.randn_like,
    ],
)
def test_draws_without_dimensions_are_arrays(draw: Callable[[torch.Tensor], torch.Tensor], dtype: torch.dtype) -> None:
    drawn = draw(HALF.to(dtype))
    assert type(drawn._array) is np.ndarray
    assert drawn.shape == () and drawn.dtype is dtype


def test_a_scalar_is_refused_where_tensors_are_checked() -> None:
    with pytest.raises(AssertionError, match="must be an ndarray"):
        new_tensor(np.float64(1.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_large_array_times_a_drawn_number(threads: str) -> None:
    """It once ended in a segmentation fault: the other operand's address was read from a scalar."""
    program = (
        "import rushlight as torch; torch.manual_seed(0); torch.set_num_threads(2)\n"
        "x = torch.rand(400, 400, dtype=torch.float64)\n"
        "s = torch.bernoulli(torch.tensor(0.5, dtype=torch.float64))\n"
        "n = torch.normal(torch.tensor(1.0, dtype=torch.float64), torch.tensor(0.0, dtype=torch.float64))\n"
        "print(bool((x * s == x * s.item()).all()), bool((x * n == x).all()))\n"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "RUSHLIGHT_CHECK": "0"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "True True\n"), done.stderr


def test_who_asks_whether_a_real_tensor_has_an_imaginary_part_is_told():
    """A runtime protocol with ``imag`` among its members asks so; reading it is still PyTorch's error."""
    assert not hasattr(torch.ones(1), "imag")
    assert hasattr(torch.ones(1, dtype=torch.complex64), "imag")
    with pytest.raises(RuntimeError, match="imag is not implemented"):
        torch.ones(1).imag  # noqa: B018
