"""Distributions that draw until they accept: Poisson, binomial and gamma, a number at a time from the stream.

Each number uses as many words as it happens to need, so the next one's words are known only when it is done.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Draw = Callable[[], float]


def poisson(rate: float, uniform: Draw) -> float:
    """A Poisson number: by transformed rejection from a rate of 10 on (Hoermann 1993, PTRS), else by multiplying."""
    if rate >= 10:
        return _poisson_by_rejection(rate, uniform)
    if rate == 0:
        return 0.0
    limit = math.exp(-rate)
    count, product = 0.0, uniform()
    while product > limit:
        count += 1
        product *= uniform()
    return count


def _poisson_by_rejection(rate: float, uniform: Draw) -> float:
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    log_inverse_alpha = math.log(1.1239 + 1.1328 / (b - 3.4))
    accept_below = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        room = 0.5 - abs(u)
        if room == 0:
            continue
        count = _floor((2 * a / room + b) * u + rate + 0.43)
        if room >= 0.07 and v <= accept_below:
            return count
        if count < 0 or (room < 0.013 and v > room) or v == 0:
            continue
        height = math.log(v) + log_inverse_alpha - math.log(a / (room * room) + b)
        if height <= -rate + count * log_rate - math.lgamma(count + 1):
            return count


def _floor(x: float) -> float:
    """As a 64-bit integer, which for a rate past its range is the least one: PyTorch's answer there."""
    return float(math.floor(x)) if abs(x) < 2.0**63 else -(2.0**63)


def binomial(trials: float, chance: float, uniform: Draw, single: bool = False) -> float:
    """A binomial number: by transformed rejection from a mean of 10 on (Hoermann 1993, BTRS), else by waiting times.

    `single`: both parameters are float32, and so is what PyTorch computes of them alone.
    """
    if trials <= 0 or chance <= 0:
        return 0.0
    if math.isnan(chance) or math.isnan(trials):
        return math.nan
    if chance >= 1:
        return trials
    rounded = _single if single else float
    rarer = chance if chance <= 0.5 else rounded(1.0 - chance)
    if rounded(trials * rarer) >= 10:
        count = _binomial_by_rejection(trials, rarer, uniform, rounded)
    else:
        count = _binomial_by_waiting(trials, rarer, uniform)
    return count if chance <= 0.5 else trials - count


def _binomial_by_waiting(trials: float, chance: float, uniform: Draw) -> float:
    log_miss = math.log1p(-chance)
    waited = count = 0.0
    while True:
        u = uniform()
        waited += math.ceil(math.log(u) / log_miss) if u > 0 else math.inf
        if waited > trials:
            return count
        count += 1


def _binomial_by_rejection(trials: float, chance: float, uniform: Draw, rounded: Callable[[float], float]) -> float:
    mean, miss = rounded(trials * chance), rounded(1 - chance)
    deviation = math.sqrt(rounded(mean * miss))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    centre = mean + 0.5
    accept_below = 0.92 - 4.2 / b
    odds = rounded(chance / miss)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = math.floor(rounded(rounded(trials + 1) * chance))
    while True:
        u = uniform() - 0.5
        v = uniform()
        room = 0.5 - abs(u)
        if room == 0:
            continue
        count = float(math.floor((2 * a / room + b) * u + centre))
        if count < 0 or count > trials:
            continue
        if room >= 0.07 and v <= accept_below:
            return count
        if v == 0:
            return count
        bound = (mode + 0.5) * math.log((mode + 1) / (odds * (trials - mode + 1)))
        bound += (trials + 1) * math.log((trials - mode + 1) / (trials - count + 1))
        bound += (count + 0.5) * math.log(odds * (trials - count + 1) / (count + 1))
        bound += _stirling_tail(mode) + _stirling_tail(trials - mode)
        bound -= _stirling_tail(count) + _stirling_tail(trials - count)
        if math.log(v * alpha / (a / (room * room) + b)) <= bound:
            return count


# log(k!) less Stirling's formula for it, for k to 9.
_TAIL = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _stirling_tail(k: float) -> float:
    if k <= 9:
        return _TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


_THIRD = float(np.float32(1 / 3))
_SQUEEZE = float(np.float32(0.0331))


def gamma(shape: float, uniform: Draw, normal: Draw, single: bool = False) -> float:
    """A gamma number of scale 1 (Marsaglia and Tsang 2000). `single`: the shape parameter is a float32."""
    # PyTorch's constants are single precision, and so is the arithmetic on a float32 shape parameter.
    scale = 1.0
    if shape < 1:
        if shape == 0:
            return 0.0
        inverse = 1 / shape
        scale = _power(1 - uniform(), _single(inverse) if single else inverse)
        shape = _single(shape + 1) if single else shape + 1
    d = _single(shape - _THIRD) if single else shape - _THIRD
    # A parameter that is no parameter (negative, NaN) still draws, and answers NaN.
    c = 1 / math.sqrt(9 * d) if d > 0 else math.inf if d == 0 else math.nan
    while True:
        x = normal()
        y = 1 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1 - uniform()
        square = x * x
        if u < 1 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v


def _single(x: float) -> float:
    return float(np.float32(x))


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
