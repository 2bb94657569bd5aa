"""Elementwise steps over large arrays: on threads, and over memory that is nobody else's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import team, threads
from .numpy import Array, everywhere
from .ownership import BY_NAME, BY_RESULTS, is_handed_over, is_only_here

SPREAD = 5 << 14  # elements: fewer are left to the caller's thread
OVER = 1 << 14  # bytes of a cotangent from which on rules look whether they may write over it
_LINE = 1 << 12


def spread(function: np.ufunc, *operands: Array, into: Array | None = None) -> Any:
    """``function(*operands)``, by threads where that pays; written into ``into``, if given, an array like the result."""
    first = operands[0]
    if first.size >= SPREAD or operands[-1].size >= SPREAD:
        out = _by_team(function, operands, into)
        if out is not None:
            return out
    return function(*operands, out=... if into is None else into)


def _by_team(function: np.ufunc, operands: tuple[Array, ...], into: Array | None) -> Array | None:
    first = operands[0]
    if max(first.nbytes, operands[-1].nbytes) < team.LARGE or not _keeps_dtype(function, first.dtype.char):
        return None
    if into is not None and any(each is not into and np.may_share_memory(each, into) for each in operands):
        return None  # what one thread reads another may have written
    lines = _lines(operands)
    if lines is None:
        return None
    out = np.empty(first.shape if first.ndim else operands[-1].shape, first.dtype) if into is None else into
    done = team.run(functools.partial(_call, function), out.reshape(-1), *lines)
    return None if done is None else out


def bounded(ufunc: np.ufunc, bound: Array, x: Array) -> Array:
    """``ufunc(bound, x)``, np.maximum or np.minimum of a number and an array.

    NumPy compares many numbers with one of them one after another, with a line of it, again and again, in half the time.
    """
    if x.size < 4 * _LINE:
        return ufunc(bound, x, out=...)  # type: ignore[no-any-return]
    if x.nbytes >= team.LARGE and threads.limit() > 1:
        return spread(ufunc, bound, x)  # type: ignore[no-any-return]
    if not x.flags.c_contiguous:
        return ufunc(bound, x, out=...)  # type: ignore[no-any-return]
    out = np.empty(x.shape, x.dtype)
    flat, into = x.reshape(-1), out.reshape(-1)
    whole = x.size - x.size % _LINE
    ufunc(np.full(_LINE, bound), flat[:whole].reshape(-1, _LINE), out=into[:whole].reshape(-1, _LINE))
    ufunc(bound, flat[whole:], out=into[whole:])
    return out


def _call(function: np.ufunc, out: Array, *operands: Array) -> None:
    function(*operands, out=out)


@functools.cache
def _keeps_dtype(function: np.ufunc, char: str) -> bool:
    return char in "fd" and function.nout == 1 and f"{char * function.nin}->{char}" in function.types


def _lines(operands: tuple[Array, ...]) -> list[Array] | None:
    """The arrays as vectors of one length without a copy, single numbers stretched; None where that cannot be."""
    whole = next((each for each in operands if each.ndim and each.flags.c_contiguous), None)
    if whole is None or whole.dtype.char not in "fdil" or not whole.dtype.isnative:
        return None
    lines = []
    for each in operands:
        if each.dtype is not whole.dtype:
            return None
        if each.ndim == 0:
            lines.append(np.broadcast_to(each, (whole.size,)))
        elif each.shape == whole.shape and (each.flags.c_contiguous or not any(each.strides)):
            lines.append(each.reshape(-1))
        else:
            return None
    return lines


def products(g: Array, a: Array | None, b: Array | None, needs: tuple[bool, bool]) -> tuple[Array | None, Array | None] | None:
    """The cotangents ``g * b`` and ``g * a`` of ``a * b``, as far as needed, one of them written over ``g`` if nobody else can
    see that; None for what is not large arrays of one kind, or such and a number.

    To be called by a node's rules only, which see to it that ``g`` is not needed afterwards.
    """
    into = g if is_handed_over(g) else None
    first, second = needs
    if g.dtype.char not in "fd" or (first and not _meets(g, b)) or (second and not _meets(g, a)):
        return None
    for_a = _times(g, b, None if second else into) if first else None
    return for_a, _times(g, a, into) if second else None


def _meets(g: Array, factor: Array | None) -> bool:
    return factor is not None and factor.dtype is g.dtype and (factor.shape == g.shape or not factor.ndim)


def _times(g: Array, factor: Any, into: Array | None) -> Array:
    if not factor.ndim and not any(g.strides):  # one number, stretched
        return everywhere(g[(0,) * g.ndim] * factor, g.shape)
    if g.size < SPREAD:
        return np.multiply(g, factor, into)
    return spread(np.multiply, g, factor, into=into)  # type: ignore[no-any-return]


def added(take: Callable[[Any], Array], key: Any, g: Array) -> Array:
    """``take(key) + g``, two cotangents that meet, written over one of them if its memory is nobody else's."""
    have = take(key)
    if have is None:
        return g
    if have.__class__ is g.__class__ is np.ndarray and have.dtype is g.dtype and have.shape == g.shape:
        if is_only_here(have, BY_NAME):
            return np.add(have, g, have) if g.size < SPREAD else spread(np.add, have, g, into=have)
        if is_only_here(g, BY_RESULTS):
            return np.add(g, have, g) if g.size < SPREAD else spread(np.add, g, have, into=g)
    return have + g
