"""Streams of random numbers: for a seed, the numbers that PyTorch's CPU generator gives, NumPy arrays in and out.

Every method draws exactly as many words as PyTorch does, so calls of any kind, in any order, stay in step with it. The
rules were found by experiment on PyTorch 2.13 for x86-64 with AVX2; each method states its own. Where that processor is
Intel's, PyTorch hands `bernoulli` with one probability and `exponential` to MKL, which has other streams: not so here.
"""

from __future__ import annotations

import math
from math import cos, log1p, sin, sqrt, tau
from threading import Lock
from typing import Any

import numpy as np

from ..base.errstate import silent
from . import permutations, rejection_sampling
from . import random_checks as check
from .array_dtypes import real_of
from .box_muller import as_libm, fill_blocks_32, fill_blocks_64, scale_and_shift
from .mersenne_twister import MersenneTwister, as_floats
from .numpy import Array, Shape, in_single
from .sort import searched_in_rows

_F4, _F8 = np.dtype(np.float32), np.dtype(np.float64)
_SQRT_2 = math.sqrt(2.0)
_WIDE_SPAN = 1 << 28  # a range this wide or wider takes two words a number
_FAR = 1e30  # normal numbers of such a mean and deviation are no larger than float32 holds
_FEW = 24  # up to this many numbers, Python's arithmetic is quicker than NumPy's


def memory_axes(array: Array) -> tuple[int, ...]:
    """The order of axes in which PyTorch fills `array`: as it lies in memory, whatever the view's own order.

    Fill `array.transpose(memory_axes(array))` with numbers of that shape.
    """
    strides = array.strides
    return tuple(sorted(range(array.ndim), key=lambda axis: -strides[axis]))


class Stream:
    """The numbers that follow from a seed. Methods may be called by several threads; each call is one piece.

    Shapes are tuples, dtypes NumPy's; results are new C-contiguous arrays. Where a dtype or a parameter does not fit
    the distribution, PyTorch's error.

    >>> stream = Stream(0)
    >>> stream.uniform((2,), np.dtype("float32"))
    array([0.4962566, 0.7682218], dtype=float32)
    >>> stream.permutation(5, np.dtype("int64")).tolist()
    [3, 1, 0, 4, 2]
    """

    __slots__ = ("_lock", "_twister")

    def __init__(self, seed: int) -> None:
        self._lock = Lock()
        self._twister = MersenneTwister(seed)

    @property
    def seed(self) -> int:
        """The seed as it was given, 64 bits."""
        return self._twister.seed

    def restart(self, seed: int) -> None:
        """Begin again at the first number of `seed`, 0 <= seed < 2**64; the numbers depend on the low 32 bits."""
        with self._lock:
            self._twister.restart(seed)

    def state(self) -> Array:
        """What decides the numbers to come, as PyTorch lays it out: 5056 bytes, uint8."""
        with self._lock:
            return self._twister.state()

    def load(self, state: Array) -> None:
        """Go on from `state`, from here or from PyTorch. Raises RuntimeError if it is no state."""
        with self._lock:
            self._twister.load(state)

    # Continuous -------------------------------------------------------------------------------------------------------

    def uniform(self, shape: Shape, dtype: np.dtype[Any], low: float = 0.0, high: float = 1.0) -> Array:
        """[low, high): float32, and halves by way of it, of 24 bits of one word; float64 of 53 bits of two.

        Scaled and shifted with one rounding; what rounds to `high` becomes `low`.
        """
        check.uniform(dtype, low, high)
        if dtype.kind in "cW":
            parts = self.uniform((*shape, 2), real_of(dtype), low, high)
            return parts.view(dtype)[..., 0]
        count = math.prod(shape)
        with self._lock:
            drawn = self._twister.doubles(count) if dtype == _F8 else self._floats(count, low, high)
        if dtype == _F8 and not (low == 0.0 and high == 1.0):
            scale_and_shift(drawn, high - low, low)
        if dtype.itemsize == 2:
            drawn = drawn.astype(dtype)
        elif low == 0.0 and high == 1.0:  # only a half rounds up to 1
            return drawn.reshape(shape)
        too_high = drawn >= dtype.type(high)
        if too_high.any():
            drawn[too_high] = dtype.type(low)
        return drawn.reshape(shape)

    def normal(self, shape: Shape, dtype: np.dtype[Any], mean: float = 0.0, std: float = 1.0, contiguous: bool = True) -> Array:
        """Normal: 16 numbers or more by blocks of 16, and if some are left over the last 16 anew; fewer one by one.

        One by one also for an array that is not `contiguous` (say so, the result still is). There each pair of float64
        uniforms gives two numbers, of which the second may wait for a later call. Complex: half the variance each.
        """
        check.normal(dtype, std)
        if dtype.kind in "cW":
            parts = self.normal((*shape, 2), real_of(dtype), mean, std / _SQRT_2, contiguous)
            return parts.view(dtype)[..., 0]
        count = math.prod(shape)
        with self._lock:
            if count < 16 and mean == 0.0 and std == 1.0 and dtype is _F4:
                return np.array(self._few_gaussians(count), _F4).reshape(shape)
            if count < 16 or not contiguous:
                drawn = self._gaussians(count)
                scale_and_shift(drawn, std, mean)
            else:
                drawn = self._normal_blocks(count, dtype, mean, std)
        if dtype is _F4 and std < _FAR and -_FAR < mean < _FAR:
            return drawn.astype(_F4).reshape(shape)
        return _as(dtype, drawn).reshape(shape)

    def normal_around(self, mean: float | Array, std: float | Array) -> Array:
        """Normal numbers about arrays of means, deviations or both, which broadcast.

        Standard ones times `std` plus `mean`, each step rounded to the dtype; a `std` that is a number is used first.
        """
        shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
        dtype = (mean if isinstance(mean, np.ndarray) else np.asarray(std)).dtype
        if isinstance(std, np.ndarray):
            check.normal_around(std)
            drawn = in_single(self.normal(shape, dtype)) * in_single(std)
            drawn = drawn.astype(dtype, copy=False)
        else:
            drawn = self.normal(shape, dtype, 0.0, std)
        return np.asarray(in_single(drawn) + in_single(np.asarray(mean, dtype))).astype(dtype, copy=False)

    def _normal_blocks(self, count: int, dtype: np.dtype[Any], mean: float, std: float) -> Array:
        draw, fill = (self._twister.doubles, fill_blocks_64) if dtype == _F8 else (self._floats, fill_blocks_32)
        left_over = count & 15
        if not left_over:
            drawn = draw(count)
            fill(drawn, mean, std)
            return drawn
        whole = count - left_over
        # Halves draw nothing for what is left over before its last 16 are drawn.
        drawn = draw(count + 16) if dtype in (_F4, _F8) else draw(whole + 16)
        drawn[whole : whole + 16] = drawn[-16:].copy()
        fill(drawn[: whole + 16], mean, std)
        drawn[count - 16 : count] = drawn[whole : whole + 16].copy()
        return drawn[:count]

    def exponential(self, shape: Shape, dtype: np.dtype[Any], rate: float = 1.0) -> Array:
        """-log(1 - u) / rate of one float64 uniform."""
        check.exponential(dtype, rate)
        drawn = self._doubles(shape)
        np.negative(drawn, out=drawn)
        drawn = _log1p(drawn, dtype)
        drawn *= -1.0 / rate
        return _as(dtype, drawn)

    def cauchy(self, shape: Shape, dtype: np.dtype[Any], median: float = 0.0, sigma: float = 1.0) -> Array:
        """median + sigma * tan(pi * (u - 1/2)) of one float64 uniform."""
        check.cauchy(dtype, sigma)
        drawn = self._doubles(shape)
        drawn -= 0.5
        drawn *= math.pi
        drawn = np.asarray(as_libm("tan", drawn) if dtype == _F8 else np.tan(drawn))  # of one number they make no array
        scale_and_shift(drawn, sigma, median)
        return _as(dtype, drawn)

    def log_normal(self, shape: Shape, dtype: np.dtype[Any], mean: float = 1.0, std: float = 2.0) -> Array:
        """exp of normal numbers drawn one by one, however many."""
        check.log_normal(dtype, std)
        with self._lock:
            drawn = self._gaussians(math.prod(shape))
        scale_and_shift(drawn, std, mean)
        return _as(dtype, as_libm("exp", drawn)).reshape(shape)

    # Whole numbers ----------------------------------------------------------------------------------------------------

    def integers(self, shape: Shape, dtype: np.dtype[Any], low: int, high: int) -> Array:
        """low, ..., high - 1: one word modulo the range; two, the first the higher, from a range of 2**28 on.

        `dtype` may be any: the numbers are made as 64-bit integers. A range of 2**64 takes two words as they are.
        """
        return self._integers(shape, dtype, *check.integers(dtype, low, high))

    def _integers(self, shape: Shape, dtype: np.dtype[Any], low: int, high: int) -> Array:
        span = high - low
        count = math.prod(shape)
        with self._lock:
            if span >= _WIDE_SPAN:
                drawn = self._wide_integers(count, dtype, low, span)
            else:
                drawn = _whole_numbers(self._twister.words(count), dtype, low, span)
        return drawn.reshape(shape)

    def _wide_integers(self, count: int, dtype: np.dtype[Any], low: int, span: int) -> Array:
        wide = _as_integers(self._twister.words(2 * count))
        if span < 2**64:
            wide = _modulo(wide, np.uint64(span))
            wide += np.uint64(low % 2**64)
        return wide if dtype == np.uint64 else wide.view(np.int64).astype(dtype, copy=False)

    def integers_of_dtype(self, shape: Shape, dtype: np.dtype[Any], low: int | None = None) -> Array:
        """`low` to the greatest integer of `dtype`; of a float dtype, to the last before integers are left out.

        With no `low`, from 0, and then int32 takes one word a number though its range is wide.
        """
        check.integers_of_dtype(dtype, low)
        last = check.last_integer(dtype)
        if low is not None or dtype != np.int32:
            return self._integers(shape, dtype, low or 0, last + 1)
        with self._lock:
            words = self._twister.words(math.prod(shape))
        return (words & np.uint32(last)).astype(dtype).reshape(shape)

    def permutation(self, length: int, dtype: np.dtype[Any]) -> Array:
        """0, ..., length - 1 shuffled (Fisher and Yates): place i swaps with i + word modulo (length - i).

        From a twentieth of 2**32 on it is grown instead, with two words for each place.
        """
        check.permutation(dtype, length)
        with self._lock:
            if length < permutations.LONG:
                order = permutations.swapped(self._twister.words(max(length - 1, 0)), length)
            else:
                order = permutations.grown(self._wide_integers(length, np.dtype(np.uint64), 0, 2**64))
        return order.astype(dtype, copy=False)

    def bernoulli(self, shape: Shape, dtype: np.dtype[Any], chance: float | Array = 0.5) -> Array:
        """1 where u < chance, else 0: u is float64 for a number and a float64 array, float32 for arrays of the rest.

        An array of chances broadcasts to `shape`. The values of the result are 0 and 1 in `dtype`.
        """
        check.bernoulli(dtype, chance)
        if not isinstance(chance, np.ndarray):
            return self._below(shape, dtype, chance)
        if chance.dtype == _F8:
            drawn = self._doubles(shape)
        else:
            with self._lock:
                drawn = self._floats(math.prod(shape)).reshape(shape)
            chance = chance.astype(_F4, copy=False)
        return np.asarray(drawn < chance).astype(dtype)  # of 0-dim arrays NumPy makes scalars, which are no arrays

    def _below(self, shape: Shape, dtype: np.dtype[Any], chance: float) -> Array:
        count = math.prod(shape)
        if count <= _FEW:
            with self._lock:
                few = self._twister.few_doubles(count)
            return np.array([one < chance for one in few]).astype(dtype).reshape(shape)
        return (self._doubles(shape) < chance).astype(dtype)

    def geometric(self, shape: Shape, dtype: np.dtype[Any], chance: float) -> Array:
        """ceil(log(u) / log(1 - chance)) of one float64 uniform; in an integer dtype modulo its range."""
        check.geometric(dtype, chance)
        drawn = self._doubles(shape)
        with silent():
            drawn = np.ceil(np.log(drawn, out=drawn) / math.log1p(-chance))
        if dtype.kind in "iu":
            drawn = drawn.astype(np.int64)
        return _as(dtype, drawn)

    def poisson(self, rate: Array) -> Array:
        """A Poisson number for each rate, in order, of the rate's dtype."""
        check.poisson(rate)
        with self._lock:
            uniform = self._twister.double
            drawn = [rejection_sampling.poisson(one, uniform) for one in rate.ravel().tolist()]
        return _array(drawn, rate.dtype, rate.shape)

    def binomial(self, trials: Array, chance: Array) -> Array:
        """A binomial number for each pair of (broadcast) numbers of trials and chances, in order."""
        check.binomial(trials, chance)
        trials, chance = np.broadcast_arrays(trials, chance)
        pairs = zip(trials.ravel().tolist(), chance.ravel().tolist(), strict=True)
        with self._lock:
            uniform = self._twister.double
            drawn = [rejection_sampling.binomial(many, one, uniform, trials.dtype == _F4) for many, one in pairs]
        return _array(drawn, trials.dtype, trials.shape)

    # Several at once --------------------------------------------------------------------------------------------------

    def gamma(self, shapes: Array) -> Array:
        """A gamma number of scale 1 for each shape parameter, in order, at least the dtype's least normal number."""
        check.gamma(shapes.dtype)
        with self._lock, silent():
            drawn = self._gammas(shapes, shapes.dtype == _F4)
        at_least: Array = np.fmax(drawn.astype(shapes.dtype, copy=False), np.finfo(shapes.dtype).tiny)
        return at_least

    def dirichlet(self, concentration: Array) -> Array:
        """Gamma numbers in float64 divided by their sum along the last axis, kept within (0, 1)."""
        check.gamma(concentration.dtype, "dirichlet")
        with self._lock:
            drawn = np.fmax(self._gammas(concentration, False), np.finfo(_F8).tiny)
        drawn /= _sum_in_lanes(drawn)[..., None]
        dtype = concentration.dtype
        least, most = np.finfo(dtype).tiny, np.nextafter(dtype.type(1), dtype.type(0))
        within: Array = np.clip(drawn.astype(dtype, copy=False), least, most)
        return within

    def multinomial(self, weights: Array, count: int, replacement: bool = False) -> Array:
        """`count` indices of the last axis of `weights` (one or two axes), drawn by weight: int64.

        Without replacement, or a single one: the indices of the greatest of weights / exponential numbers. With: a
        float64 uniform each, looked up in the running sums.
        """
        check.multinomial(weights, count, replacement)
        if weights.size == 0:
            if 0 not in weights.shape[:-1]:
                raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
            return np.empty((*weights.shape[:-1], count), np.int64)
        if count == 1 or not replacement:
            with silent():
                keys: Array = weights / self.exponential(weights.shape, weights.dtype)
            if count == 1:
                best: Array = keys.argmax(-1)
                return best[..., None]
            order: Array = np.argsort(-keys, axis=-1, kind="stable")
            return order[..., :count].copy()
        sums: Array = np.cumsum(weights, -1, dtype=_F8 if weights.dtype == _F8 else _F4)
        sums /= sums[..., -1:].copy()
        sums[..., -1] = 1
        targets = self._doubles((*weights.shape[:-1], count))
        return searched_in_rows(sums, targets)

    # What the methods draw (the caller holds the lock, but for _doubles) ----------------------------------------------

    def _doubles(self, shape: Shape) -> Array:
        with self._lock:
            return self._twister.doubles(math.prod(shape)).reshape(shape)

    def _floats(self, count: int, low: float = 0.0, high: float = 1.0) -> Array:
        return _between(as_floats(self._twister.words(count)), low, high)

    def _gaussians(self, count: int) -> Array:
        """Normal numbers one by one: first the one that waits from an earlier pair."""
        twister = self._twister
        if count <= _FEW:
            return np.array(self._few_gaussians(count), _F8)
        ahead = 0 if twister.spare_normal is None else 1
        pairs = (count - ahead + 1) // 2
        drawn = np.empty(ahead + 2 * pairs)
        if ahead:
            drawn[0] = twister.spare_normal
        uniform = twister.doubles(2 * pairs)
        radius = np.sqrt(-2.0 * as_libm("log1p", -uniform[1::2]))
        angle = 2.0 * math.pi * uniform[0::2]
        drawn[ahead::2] = radius * as_libm("cos", angle)
        drawn[ahead + 1 :: 2] = radius * as_libm("sin", angle)
        twister.spare_normal = float(drawn[-1]) if len(drawn) > count else None
        return drawn[:count]

    def _few_gaussians(self, count: int) -> list[float]:
        """The same, in Python's numbers (Box and Muller)."""
        twister = self._twister
        numbers = [] if twister.spare_normal is None else [twister.spare_normal]
        uniform = iter(twister.few_doubles((count - len(numbers) + 1) // 2 * 2))
        for first in uniform:
            angle, radius = tau * first, sqrt(-2.0 * log1p(-next(uniform)))
            numbers += radius * cos(angle), radius * sin(angle)
        twister.spare_normal = numbers.pop() if len(numbers) > count else None
        return numbers

    def _gaussian(self) -> float:
        return self._few_gaussians(1)[0]

    def _gammas(self, shapes: Array, single: bool) -> Array:
        uniform, normal = self._twister.double, self._gaussian
        return _array(
            [rejection_sampling.gamma(one, uniform, normal, single) for one in shapes.ravel().tolist()], _F8, shapes.shape
        )


def _between(drawn: Array, low: float, high: float) -> Array:
    """float32 numbers of [0, 1) to as many of [low, high], rounded once."""
    if low == 0.0:
        if high != 1.0:
            drawn *= np.float32(high)
        return drawn
    wide = drawn.astype(_F8)  # in which the product is exact
    first = np.float32(low)
    wide *= float(np.float32(high) - first)
    wide += float(first)
    return wide.astype(_F4)


def _sum_in_lanes(x: Array) -> Array:
    """Sums along the last axis in PyTorch's order: four vectors of four lanes, and what is left over first."""
    length = x.shape[-1]
    lanes = np.zeros((*x.shape[:-1], 4, 4))
    for at in range(0, length - 15, 16):
        lanes += x[..., at : at + 16].reshape(lanes.shape)
    for at in range(length & ~15, length - 3, 4):
        lanes[..., 0, :] += x[..., at : at + 4]
    terms = np.concatenate((x[..., length & ~3 :], lanes.cumsum(-2)[..., -1, :]), -1)
    return terms.cumsum(-1)[..., -1]


def _as(dtype: np.dtype[Any], drawn: Array) -> Array:
    """float64 numbers in `dtype`; to a half by way of float32, rounded twice as PyTorch does."""
    if dtype == _F8:
        return drawn
    with silent():
        if dtype.itemsize == 2 and dtype.kind not in "iu":
            drawn = drawn.astype(_F4)
        return drawn.astype(dtype)


def _array(values: list[float], dtype: np.dtype[Any], shape: Shape) -> Array:
    return _as(dtype, np.array(values, _F8)).reshape(shape)


def _log1p(x: Array, dtype: np.dtype[Any]) -> Array:
    # A last bit of float64 does not show in the shorter types.
    return as_libm("log1p", x) if dtype == _F8 else np.log1p(x, out=x)


def _as_integers(words: Array) -> Array:
    """Pairs of words as 64-bit integers, the first word the higher."""
    wide = words[0::2].astype(np.uint64) << np.uint64(32)
    wide |= words[1::2]
    return wide


def _whole_numbers(words: Array, dtype: np.dtype[Any], low: int, span: int) -> Array:
    if words.size <= _FEW:
        return np.array([low + word % span for word in words.tolist()], np.int64).astype(dtype, copy=False)
    rest = _modulo(words, np.uint32(span))
    return rest.astype(dtype) if low == 0 else (rest.astype(np.int64) + low).astype(dtype, copy=False)


def _modulo(words: Array, span: Any) -> Array:
    below = span - span.dtype.type(1)
    # NumPy divides by one number with vector instructions and takes remainders without.
    rest: Array = words & below if span & below == 0 else words - words // span * span
    return rest
