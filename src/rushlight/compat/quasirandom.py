"""torch.quasirandom: Sobol points, which fill a cube more evenly than random ones.

The direction numbers are those of Joe and Kuo (2008), which SciPy holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import rushlight as torch

__all__ = ["SobolEngine"]

_BITS = 30


class SobolEngine:
    """Points of a Sobol sequence in ``dimension`` (up to 21201) dimensions, PyTorch's for a seed.

    ``scramble``  turned and shifted at random, which keeps them even
    ``seed``      of that; without one it comes from the default generator

    ValueError for another dimension, ModuleNotFoundError without SciPy.

    >>> import rushlight as torch
    >>> sobol = torch.quasirandom.SobolEngine(2)
    >>> sobol.draw(4)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500],
            [0.2500, 0.7500]])
    """

    MAXBIT = _BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        state = _directions(dimension)
        shift = np.zeros(dimension, np.int64)
        if scramble:
            generator = None
            if seed is not None:
                generator = torch.Generator()
                generator.manual_seed(seed)
            bits = torch.randint(2, (dimension, _BITS), generator=generator).numpy()
            shift = (bits << np.arange(_BITS)).sum(-1)
            turns = torch.randint(2, (dimension, _BITS, _BITS), generator=generator).numpy()
            state = _turned(state, np.tril(turns, -1) + np.eye(_BITS, dtype=np.int64))
        self.sobolstate = torch.from_numpy(state)
        self.shift = torch.from_numpy(shift)
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**_BITS).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """The next ``n`` points, of shape (n, dimension)."""
        dtype = torch.get_default_dtype() if dtype is None else dtype
        if dtype not in (torch.float32, torch.float64):
            raise NotImplementedError(f"\"_sobol_engine_draw\" not implemented for '{dtype.scalar_name}'")
        is_first = self.num_generated == 0
        ahead = n - 1 if is_first else n
        if ahead < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {ahead}: [{ahead}, {self.dimension}]")
        points = torch.from_numpy(self._following(ahead)).to(dtype) * 2.0**-_BITS
        if is_first:
            points = torch.cat((self._first_point.to(dtype), points), dim=-2)
        self.num_generated += n
        return points if out is None else out.resize_(points.shape).copy_(points)

    def _following(self, count: int) -> np.ndarray[Any, Any]:
        """Whole numbers of the next points: from one to the next, one direction is added without carry."""
        before = self.num_generated - 1 if self.num_generated else 0
        order = np.arange(before, before + count, dtype=np.int64)
        lowest_zero = np.log2((~order & (order + 1)).astype(np.float64)).astype(np.int64)
        steps = self.sobolstate.numpy()[:, lowest_zero].T
        points = np.bitwise_xor.accumulate(steps, axis=0) ^ self.quasi.numpy()
        if count:
            self.quasi = torch.from_numpy(points[-1].copy())
        return points

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """The next ``2**m`` points. ValueError unless as many as there are then in all are a power of 2."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                f"The balance properties of Sobol' points require n to be a power of 2. {self.num_generated} points have been "
                f"previously generated, then: n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Back to the first point."""
        self.quasi = self.shift.clone()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Past the next ``n`` points."""
        self._following(max(n - 1, 0) if self.num_generated == 0 else n)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        shown = [f"dimension={self.dimension}"]
        if self.scramble:
            shown.append("scramble=True")
        if self.seed is not None:
            shown.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(shown)})"


def _directions(dimension: int) -> np.ndarray[Any, Any]:
    try:
        from scipy.stats import qmc
    except ImportError as error:
        raise ModuleNotFoundError(
            "SobolEngine needs scipy.stats, and SciPy is not installed: pip install 'rushlight[scipy]'"
        ) from error
    # SciPy keeps them in an attribute of its engine; no public function of it gives them all.
    numbers: np.ndarray[Any, Any] = qmc.Sobol(dimension, scramble=False, bits=_BITS)._sv
    return numbers.astype(np.int64)


def _turned(state: np.ndarray[Any, Any], turns: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Each number's bits, the highest first, times a lower triangular matrix of its dimension, without carry."""
    places = np.arange(_BITS - 1, -1, -1)
    bits = (state[:, :, None] >> places) & 1
    mixed = (bits @ turns.transpose(0, 2, 1)) & 1
    whole: np.ndarray[Any, Any] = (mixed << places).sum(-1)
    return whole
