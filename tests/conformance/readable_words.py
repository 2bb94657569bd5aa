"""What the words of readable rules mean, in NumPy, and a rule's text worked out with them."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
from scipy import linalg, special

from rushlight.explain.rules import pieces
from rushlight.ops.table import arrays


class Matrix(np.ndarray):
    """Whose .T turns over the last two axes."""

    @property
    def T(self) -> Any:
        return self.swapaxes(-1, -2) if self.ndim > 1 else self.reshape(self.shape)


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.view(Matrix) if value.dtype.kind != "b" else value
    return [plain(one) for one in value] if isinstance(value, list) else value


def axes_of(axis: Any) -> Any:
    return None if axis is None or axis == () else tuple(axis) if isinstance(axis, (list, tuple)) else axis


def total(values: Any, axis: Any = None, keepdims: bool = True) -> Any:
    if not isinstance(values, np.ndarray):
        return builtins.sum(values)
    return np.sum(values, axis=axes_of(axis), keepdims=keepdims if axis is not None else False)


def softmax(scores: Any) -> Any:
    return special.softmax(np.asarray(scores), -1).view(Matrix)


def half(matrix: Any) -> Any:
    lower = np.tril(matrix)
    return lower - np.eye(matrix.shape[-1]) * lower / 2


def gaps(values: Any) -> Any:
    found = values[..., None, :] - values[..., :, None]
    return found + np.where(np.eye(values.shape[-1]) > 0, np.inf, 0.0)


def diag(values: Any) -> Any:
    return values[..., None] * np.eye(values.shape[-1])


class Words(dict[str, Any]):
    """NumPy's functions where a word is theirs, else the ops of the table."""

    def __missing__(self, name: str) -> Any:
        function = getattr(arrays, name, None)
        if function is None:
            raise NameError(name)
        return lambda *args: plain(function(*[np.asarray(one) if isinstance(one, Matrix) else one for one in args]))


def words(x: Any, main: Any, told: dict[str, Any], g: Any) -> Words:
    """The vocabulary for a rule of the input ``x`` of an op with these parameters; ``main`` is the input that it names so."""
    shape = np.shape(x) if isinstance(x, np.ndarray) else ()

    def place(g: Any, axis: int, at: Any) -> Any:
        zeros = np.zeros(shape)
        zeros[(slice(None),) * axis + (at,)] = g
        return zeros

    def cleared(g: Any, indices: Any) -> Any:
        copied = np.array(g)
        copied[tuple(slice(None) if one is None else np.asarray(one) for one in indices)] = 0
        return copied

    def hit(index: Any, axis: int) -> Any:
        mask = np.zeros(np.shape(g), bool)
        np.put_along_axis(mask, np.asarray(index), True, axis) if mask.ndim else mask.fill(True)
        return mask

    def taken(index: Any) -> Any:
        mask = np.zeros(np.shape(g), bool)
        mask.reshape(-1)[np.asarray(index)] = True
        return mask

    def split(g: Any, axis: int) -> Any:
        if isinstance(x, list):
            return np.split(g, np.cumsum([one.shape[axis] for one in x])[:-1], axis)
        raise TypeError

    def blocks(g: Any) -> Any:
        row = column = 0
        found = []
        for one in x:
            rows, columns = (1, one.size) if one.ndim < 2 else one.shape
            found.append(g[row : row + rows, column : column + columns].reshape(one.shape))
            row, column = row + rows, column + columns
        return found

    def cropped(g: Any, padding: Any) -> Any:
        return arrays.constant_pad(g, tuple(-one for one in padding), 0)

    def moment(function: Any) -> Any:
        def over(values: Any, axes: Any = None) -> Any:
            if isinstance(axes, str):  # of a group of channels
                grouped = values.reshape(values.shape[0], told["groups"], -1)
                found = function(grouped, axis=2, keepdims=True)
                return np.broadcast_to(found, grouped.shape).reshape(values.shape)
            return function(values, axis=axes_of(axes), keepdims=True)

        return over

    def masked_softmax(scores: Any, mask: Any = None) -> Any:
        if mask is not None:
            mask = np.tril(np.ones(scores.shape[-2:], bool)) if isinstance(mask, str) else mask
            scores = np.where(mask, scores, -np.inf) if np.asarray(mask).dtype == bool else scores + mask
        return softmax(scores)

    def roll_back(g: Any, shifts: Any, axes: Any) -> Any:
        axes = axes_of(axes)
        back = tuple(-one for one in shifts) if isinstance(shifts, tuple) else -shifts
        return np.roll(g, back if axes is not None else back[0] if isinstance(back, tuple) else back, axes)

    own: dict[str, Any] = {
        "place": place, "cleared": cleared, "hit": hit, "taken": taken, "split": split, "blocks": blocks, "cropped": cropped,
        "unbind": lambda g, axis: [np.take(g, index, axis) for index in range(g.shape[axis])],
        "stack": np.stack, "concat": np.concatenate, "argsort": lambda axes: tuple(int(one) for one in np.argsort(axes)),
        "permute_dims": np.transpose, "rot90": np.rot90, "roll_back": roll_back, "eye": lambda shape: np.eye(*shape),
        "sum": total, "mean": moment(np.mean), "var": moment(np.var),
        "norm": lambda v, axes: np.sqrt(np.sum(v * v, axis=axes, keepdims=True)),
        "batch": (0, *range(2, np.ndim(main))) if isinstance(main, np.ndarray) else (),
        "group": "group", "diag": diag, "gaps": gaps, "half": half,
        "softmax": masked_softmax, "causal": "causal", "half_of": lambda x, axis, which: np.split(x, 2, axis)[which],
        "exp": np.exp, "exp2": np.exp2, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "abs": np.abs,
        "cosh": np.cosh, "sinh": np.sinh, "sign": np.sign, "where": np.where, "sigmoid": special.expit, "erf": special.erf,
        "gamma": special.gamma, "i0": special.i0, "i1": special.i1, "i0e": special.i0e, "i1e": special.i1e, "pi": np.pi, "inf": np.inf,
        "digamma": special.digamma, "inv": lambda a: np.linalg.inv(a).view(Matrix),
        "outer": lambda a, b: a[..., :, None] * b[..., None, :],
        "solve": lambda a, b: linalg_solve(a, b), "real": np.real, "imag": np.imag, "conjugate": np.conj,
        "slice": lambda *args: slice(*args) if len(args) < 4 else arrays.slice(*args),
        "len": len, "tuple": tuple, "range": range, "prod": math.prod, "expm": linalg.expm,
        "tril": np.tril, "triu": np.triu,
    }  # fmt: skip
    return Words(own)


def linalg_solve(a: Any, b: Any) -> Any:
    return (np.linalg.inv(a) @ b).view(Matrix)


def worked_out(text: str, names: dict[str, Any], vocabulary: Words) -> Any:
    """The value of a rule's text: its abbreviations first, the last of them before the others."""
    scope = vocabulary
    scope.update({name: plain(value) for name, value in names.items()})
    parts = pieces(text)
    for name, expression in reversed(parts[1:]):
        scope[name] = evaluated(expression, scope)
    return evaluated(parts[0][1], scope)


def evaluated(expression: str, scope: Words) -> Any:
    with np.errstate(all="ignore"):
        return eval(expression, {**scope, "__builtins__": {}}, scope)
