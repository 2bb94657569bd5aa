"""Streams of random numbers: for a seed, the numbers that PyTorch's CPU generator gives, NumPy arrays in and out.

Every method draws exactly as many words as PyTorch does, so calls of any kind, in any order, stay in step with it. The
rules were found by experiment on PyTorch 2.13 for x86-64 with AVX2; each method states its own. Where that processor is
Intel's, PyTorch hands `bernoulli` with one probability and `exponential` to MKL, which has other streams: not so here.
"""

from __future__ import annotations

import math
from threading import Lock
from typing import Any

import numpy as np

from rushlight.backend import rejection
from rushlight.backend.box_muller import as_libm, fill_blocks_32, fill_blocks_64, scale_and_shift
from rushlight.backend.mersenne_twister import BLOCK, MersenneTwister, as_doubles, as_floats

_F4, _F8 = np.dtype(np.float32), np.dtype(np.float64)
_INV_SQRT_2 = 0.7071067811865475  # 1 / sqrt(2) rounded down, which is what complex normals are scaled by
_WIDE_SPAN = 1 << 28  # a range this wide or wider takes two words a number
_SHORT_SHUFFLE = 4096  # up to this length swapping one by one is quicker than chasing chains
Shape = tuple[int, ...]


def memory_axes(array: np.ndarray) -> tuple[int, ...]:
    """The order of axes in which PyTorch fills `array`: as it lies in memory, whatever the view's own order.

    Fill `array.transpose(memory_axes(array))` with numbers of that shape.
    """
    strides = array.strides
    return tuple(sorted(range(array.ndim), key=lambda axis: -strides[axis]))


class Stream:
    """The numbers that follow from a seed. Methods may be called by several threads; each call is one piece.

    Shapes are tuples, dtypes NumPy's; results are new C-contiguous arrays. RuntimeError with PyTorch's words where a
    parameter is out of range.
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

    def state(self) -> np.ndarray:
        """What decides the numbers to come, as PyTorch lays it out: 5056 bytes, uint8."""
        with self._lock:
            return self._twister.state()

    def load(self, state: np.ndarray) -> None:
        """Go on from `state`, from here or from PyTorch. Raises RuntimeError if it is no state."""
        with self._lock:
            self._twister.load(state)

    # Continuous -------------------------------------------------------------------------------------------------------

    def uniform(self, shape: Shape, dtype: np.dtype[Any], low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """[low, high): float32, and halves by way of it, of 24 bits of one word; float64 of 53 bits of two.

        Scaled and shifted with one rounding; what rounds to `high` becomes `low`.
        """
        if not low <= high:
            raise RuntimeError(
                f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
            )
        if dtype.kind == "c":
            parts = self.uniform((*shape, 2), _part(dtype), low, high)
            return parts.view(dtype)[..., 0]
        count = math.prod(shape)
        with self._lock:
            drawn = self._twister.doubles(count) if dtype == _F8 else self._floats(count)
        if low == 0.0 and high == 1.0 and dtype in (_F4, _F8):
            return drawn.reshape(shape)
        if dtype == _F8:
            scale_and_shift(drawn, high - low, low)
        elif low == 0.0:
            drawn *= np.float32(high)
        else:
            wide = drawn.astype(_F8)
            wide *= np.float32(high) - np.float32(low)
            wide += np.float32(low)
            drawn = wide.astype(_F4)
        drawn = drawn.astype(dtype, copy=False)
        np.copyto(drawn, dtype.type(low), where=drawn >= dtype.type(high))
        return drawn.reshape(shape)

    def normal(
        self, shape: Shape, dtype: np.dtype[Any], mean: float = 0.0, std: float = 1.0, contiguous: bool = True
    ) -> np.ndarray:
        """Normal: 16 numbers or more by blocks of 16, and if some are left over the last 16 anew; fewer one by one.

        One by one also for an array that is not `contiguous` (say so, the result still is). There each pair of float64
        uniforms gives two numbers, of which the second may wait for a later call. Complex: half the variance each.
        """
        if not std >= 0.0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        if dtype.kind == "c":
            parts = self.normal((*shape, 2), _part(dtype), mean, std * _INV_SQRT_2, contiguous)
            return parts.view(dtype)[..., 0]
        count = math.prod(shape)
        with self._lock:
            if count < 16 or not contiguous:
                drawn = self._gaussians(count)
                scale_and_shift(drawn, std, mean)
            else:
                drawn = self._normal_blocks(count, dtype, mean, std)
        return drawn.astype(dtype, copy=False).reshape(shape)

    def _normal_blocks(self, count: int, dtype: np.dtype[Any], mean: float, std: float) -> np.ndarray:
        draw, fill = (self._twister.doubles, fill_blocks_64) if dtype == _F8 else (self._floats, fill_blocks_32)
        whole = count & ~15
        if dtype in (_F4, _F8):
            drawn = draw(count)
            fill(drawn[:whole], mean, std)
        else:  # the halves draw nothing for what is left over before they draw its last 16
            drawn = np.empty(count, _F4)
            drawn[:whole] = draw(whole)
            fill(drawn[:whole], mean, std)
        if whole != count:
            last = draw(16)
            fill(last, mean, std)
            drawn[-16:] = last
        return drawn

    def exponential(self, shape: Shape, dtype: np.dtype[Any], rate: float = 1.0) -> np.ndarray:
        """-log(1 - u) / rate of one float64 uniform."""
        if not rate > 0.0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        drawn = self._doubles(shape)
        np.negative(drawn, out=drawn)
        drawn = _log1p(drawn, dtype)
        drawn *= -1.0 / rate
        return drawn.astype(dtype, copy=False)

    def cauchy(self, shape: Shape, dtype: np.dtype[Any], median: float = 0.0, sigma: float = 1.0) -> np.ndarray:
        """median + sigma * tan(pi * (u - 1/2)) of one float64 uniform."""
        if not sigma > 0.0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
        drawn = self._doubles(shape)
        drawn -= 0.5
        drawn *= math.pi
        drawn = as_libm("tan", drawn) if dtype == _F8 else np.tan(drawn)
        scale_and_shift(drawn, sigma, median)
        return drawn.astype(dtype, copy=False)

    def log_normal(self, shape: Shape, dtype: np.dtype[Any], mean: float = 1.0, std: float = 2.0) -> np.ndarray:
        """exp of normal numbers drawn one by one, however many."""
        if not std > 0.0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
        with self._lock:
            drawn = self._gaussians(math.prod(shape))
        scale_and_shift(drawn, std, mean)
        return as_libm("exp", drawn).astype(dtype, copy=False).reshape(shape)

    # Whole numbers ----------------------------------------------------------------------------------------------------

    def integers(self, shape: Shape, dtype: np.dtype[Any], low: int, high: int) -> np.ndarray:
        """low, ..., high - 1: one word modulo the range; two, the first the higher, from a range of 2**28 on.

        `dtype` may be any: the numbers are made as 64-bit integers. A range of 2**64 takes two words as they are.
        """
        if not low < high:
            raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
        span = high - low
        count = math.prod(shape)
        drawn = np.empty(count, dtype)
        with self._lock:
            if span < _WIDE_SPAN:
                for part, words in self._twister.pieces(count, 1):
                    rest = _modulo(words, np.uint32(span))
                    drawn[part] = rest if low == 0 else rest.astype(np.int64) + low
            else:
                shift = np.uint64(low % 2**64)
                for part, words in self._twister.pieces(count, 2):
                    wide = words[0::2].astype(np.uint64) << np.uint64(32)
                    wide |= words[1::2]
                    if span < 2**64:
                        wide = _modulo(wide, np.uint64(span))
                        wide += shift
                    drawn[part] = wide if dtype == np.uint64 else wide.view(np.int64)
        return drawn.reshape(shape)

    def integers_of_dtype(self, shape: Shape, dtype: np.dtype[Any]) -> np.ndarray:
        """0 to the greatest integer of `dtype`; of a float dtype, to the end of the integers it holds without a gap."""
        if dtype.kind in "iu":
            span = int(np.iinfo(dtype).max) + 1
        elif dtype.kind == "b":
            span = 2
        else:
            span = {"float16": 2**11, "bfloat16": 2**8, "float32": 2**24, "float64": 2**53}[dtype.name] + 1
        if span == 2**31:  # int32 takes one word a number here, though its range is wide
            count = math.prod(shape)
            with self._lock:
                words = self._twister.words(count)
            return (words & np.uint32(span - 1)).astype(dtype).reshape(shape)
        return self.integers(shape, dtype, 0, span)

    def permutation(self, length: int, dtype: np.dtype[Any]) -> np.ndarray:
        """0, ..., length - 1 shuffled (Fisher and Yates): place i swaps with i + word modulo (length - i)."""
        with self._lock:
            words = self._twister.words(max(length - 1, 0))
        step = np.arange(length - 1)
        partner = step + words % (length - step).astype(np.uint32) if length > 1 else step
        if length > _SHORT_SHUFFLE:
            return _shuffled(partner, length).astype(dtype, copy=False)
        order = list(range(length))
        for i, j in enumerate(partner.tolist()):
            order[i], order[j] = order[j], order[i]
        return np.array(order, dtype)

    def bernoulli(self, shape: Shape, dtype: np.dtype[Any], chance: float | np.ndarray = 0.5) -> np.ndarray:
        """1 where u < chance, else 0: u is float64 for a number and a float64 array, float32 for arrays of the rest.

        An array of chances broadcasts to `shape`. The values of the result are 0 and 1 in `dtype`.
        """
        if not isinstance(chance, np.ndarray):
            if not 0.0 <= chance <= 1.0:
                raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={chance:g}")
            return self._below(shape, dtype, chance)
        if not ((chance >= 0) & (chance <= 1)).all():
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  "
                "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        if chance.dtype == _F8:
            drawn = self._doubles(shape)
        else:
            with self._lock:
                drawn = self._floats(math.prod(shape)).reshape(shape)
            chance = chance.astype(_F4, copy=False)
        return (drawn < chance).astype(dtype)

    def _below(self, shape: Shape, dtype: np.dtype[Any], chance: float) -> np.ndarray:
        drawn = np.empty(math.prod(shape), dtype)
        with self._lock:
            for part, words in self._twister.pieces(drawn.size, 2):
                drawn[part] = as_doubles(words) < chance
        return drawn.reshape(shape)

    def geometric(self, shape: Shape, dtype: np.dtype[Any], chance: float) -> np.ndarray:
        """ceil(log(u) / log(1 - chance)) of one float64 uniform; in an integer dtype modulo its range."""
        if not 0.0 < chance < 1.0:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={chance:g}")
        drawn = self._doubles(shape)
        with np.errstate(divide="ignore"):
            drawn = np.ceil(np.log(drawn, out=drawn) / math.log1p(-chance))
        if dtype.kind in "iu":
            drawn = drawn.astype(np.int64)
        return drawn.astype(dtype, copy=False)

    def poisson(self, rate: np.ndarray) -> np.ndarray:
        """A Poisson number for each rate, in order, of the rate's dtype."""
        if not (rate >= 0).all():
            raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
        with self._lock:
            uniform = self._twister.double
            drawn = [rejection.poisson(one, uniform) for one in rate.ravel().tolist()]
        return _array(drawn, rate.dtype, rate.shape)

    def binomial(self, trials: np.ndarray, chance: np.ndarray) -> np.ndarray:
        """A binomial number for each pair of (broadcast) numbers of trials and chances, in order."""
        trials, chance = np.broadcast_arrays(trials, chance)
        pairs = zip(trials.ravel().tolist(), chance.ravel().tolist(), strict=True)
        with self._lock:
            uniform = self._twister.double
            drawn = [rejection.binomial(many, one, uniform) for many, one in pairs]
        return _array(drawn, trials.dtype, trials.shape)

    # Several at once --------------------------------------------------------------------------------------------------

    def gamma(self, shapes: np.ndarray) -> np.ndarray:
        """A gamma number of scale 1 for each shape parameter, in order, no less than the dtype's least normal number."""
        with self._lock:
            drawn = self._gammas(shapes, shapes.dtype == _F4)
        return np.fmax(drawn.astype(shapes.dtype, copy=False), np.finfo(shapes.dtype).tiny)

    def dirichlet(self, concentration: np.ndarray) -> np.ndarray:
        """Gamma numbers in float64 divided by their sum along the last axis, kept within (0, 1)."""
        with self._lock:
            drawn = np.fmax(self._gammas(concentration, False), np.finfo(_F8).tiny)
        drawn /= drawn.sum(-1, keepdims=True)
        dtype = concentration.dtype
        return np.maximum(drawn.astype(dtype, copy=False), np.finfo(dtype).tiny)

    def multinomial(self, weights: np.ndarray, count: int, replacement: bool = False) -> np.ndarray:
        """`count` places of the last axis of `weights` (one or two axes), drawn by weight: int64.

        Without replacement, or a single one: the places of the greatest of weights / exponential numbers. With: a
        float64 uniform each, looked up in the running sums.
        """
        _check_multinomial(weights, count, replacement)
        if weights.size == 0:
            return np.empty((*weights.shape[:-1], count), np.int64)
        if count == 1 or not replacement:
            with np.errstate(divide="ignore", invalid="ignore"):
                keys = weights / self.exponential(weights.shape, weights.dtype)
            if count == 1:
                return keys.argmax(-1)[..., None]
            return np.argsort(-keys, axis=-1, kind="stable")[..., :count].copy()
        sums = np.cumsum(weights, -1, dtype=_F8 if weights.dtype == _F8 else _F4)
        sums /= sums[..., -1:].copy()
        sums[..., -1] = 1
        targets = self._doubles((*weights.shape[:-1], count))
        if weights.ndim == 1:
            return np.searchsorted(sums, targets)
        return np.array([np.searchsorted(row, target) for row, target in zip(sums, targets, strict=True)], np.int64)

    # What the methods draw (the caller holds the lock, but for _doubles) ----------------------------------------------

    def _doubles(self, shape: Shape) -> np.ndarray:
        with self._lock:
            return self._twister.doubles(math.prod(shape)).reshape(shape)

    def _floats(self, count: int) -> np.ndarray:
        drawn = np.empty(count, _F4)
        if count <= BLOCK:
            as_floats(self._twister.words(count), drawn)
            return drawn
        for part, words in self._twister.pieces(count, 1):
            as_floats(words, drawn[part])
        return drawn

    def _gaussians(self, count: int) -> np.ndarray:
        """Normal numbers one by one: first the one that waits from an earlier pair."""
        drawn = np.empty(count)
        twister = self._twister
        start = 0
        if count and twister.spare_normal is not None:
            drawn[0] = twister.spare_normal
            twister.spare_normal = None
            start = 1
        missing = count - start
        if not missing:
            return drawn
        pairs = (missing + 1) // 2
        uniform = twister.doubles(2 * pairs).reshape(pairs, 2)
        radius = np.sqrt(-2.0 * as_libm("log1p", -uniform[:, 1]))
        angle = 2.0 * math.pi * uniform[:, 0]
        both = np.empty((pairs, 2))
        both[:, 0] = radius * as_libm("cos", angle)
        both[:, 1] = radius * as_libm("sin", angle)
        flat = both.reshape(-1)
        drawn[start:] = flat[:missing]
        if missing % 2:
            twister.spare_normal = float(flat[-1])
        return drawn

    def _gaussian(self) -> float:
        return float(self._gaussians(1)[0])

    def _gammas(self, shapes: np.ndarray, single: bool) -> np.ndarray:
        uniform, normal = self._twister.double, self._gaussian
        return _array([rejection.gamma(one, uniform, normal, single) for one in shapes.ravel().tolist()], _F8, shapes.shape)


def _part(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return _F4 if dtype.itemsize == 8 else _F8


def _array(values: list[float], dtype: np.dtype[Any], shape: Shape) -> np.ndarray:
    return np.array(values, _F8).astype(dtype, copy=False).reshape(shape)


def _log1p(x: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    # A last bit of float64 does not show in the shorter types.
    return as_libm("log1p", x) if dtype == _F8 else np.log1p(x, out=x)


def _modulo(words: np.ndarray, span: Any) -> np.ndarray:
    if span & (span - span.dtype.type(1)) == 0:
        return words & (span - span.dtype.type(1))
    # NumPy divides by one number with vector instructions and takes remainders without.
    whole = words // span
    whole *= span
    return np.subtract(words, whole, out=whole)


def _shuffled(partner: np.ndarray, length: int) -> np.ndarray:
    """0, ..., length - 1 after swapping places i and partner[i] >= i for each i in turn, without a loop over i.

    Place i ends with what stood at partner[i] at step i, and then takes no further part. What stands there was left by
    the last step before that had the same partner, if any, namely what step had found at its own place: so following
    from step to step, each value comes from a place no step had touched.
    """
    steps = len(partner)
    step = np.arange(steps)
    # The last step before j that put its finding at place j; or none: -1.
    origin = np.full(length, -1)
    moved = partner != step
    origin[partner[moved]] = step[moved]  # of several the last stays
    untouched = origin < 0
    source = np.where(untouched, np.arange(length), origin)
    while True:
        # A place's own finding is that of the step that filled it: halve the chains until each ends at its root.
        further = source[source]
        if np.array_equal(further, source):
            break
        source = further
    by_partner = np.argsort(partner, kind="stable")
    same = partner[by_partner[1:]] == partner[by_partner[:-1]]
    before = np.full(steps, -1)
    before[by_partner[1:][same]] = by_partner[:-1][same]
    order = np.empty(length, np.int64)
    order[:steps] = np.where(before >= 0, source[np.maximum(before, 0)], partner)
    order[-1] = source[-1]
    own = ~moved
    order[:steps][own] = source[:steps][own]
    return order


def _check_multinomial(weights: np.ndarray, count: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if weights.size and not (weights.sum(-1, dtype=_F8) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
