"""What the words of readable rules mean, in NumPy, and a rule's text worked out with them."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
from scipy import special

from rushlight.explain.rules import pieces
from rushlight.ops.table import arrays


class Matrix(np.ndarray):
    """Whose .T turns over the last two axes."""

    @property
    def T(self) -> Any:
        return self.swapaxes(-1, -2) if self.ndim > 1 else self.reshape(self.shape)

    @property
    def H(self) -> Any:
        return self.T.conj()


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


def inverse(a: Any) -> Any:
    try:
        return np.linalg.inv(a).view(Matrix)
    except np.linalg.LinAlgError:
        return np.full(a.shape, np.nan).view(Matrix)


def diagonal(a: Any, *which: int) -> Any:
    return arrays.diagonal(a, *which) if which else np.diagonal(a, 0, -2, -1)


def others(main: Any, told: dict[str, Any]) -> tuple[int, ...]:
    """All axes but the one that the op goes along."""
    axis = told.get("axis")
    return tuple(one for one in range(np.ndim(main)) if one != axis) if isinstance(main, np.ndarray) else ()


def label_counts(target: Any) -> Any:
    """How often each class is named in a row before the first -1."""
    counts = np.zeros(target.shape)
    for row, labels in enumerate(target):
        for one in labels:
            if one < 0:
                break
            counts[row, one] += 1
    return counts


def bag_sizes(indices: Any, offsets: Any, but: int) -> Any:
    ends = [*offsets[1:], len(indices)]
    return np.array([max(1, int((indices[a:b] != but).sum())) for a, b in zip(offsets, ends, strict=True)], float)


def cut(values: Any, shape: tuple[int, ...]) -> Any:
    return values[tuple(slice(0, size) for size in shape)]


def grid_derivative(x: Any, grid: Any, axis: int, mode: str, padding_mode: str, align_corners: bool, order: Any) -> Any:
    """How a sample changes when its place moves along a coordinate."""
    higher = tuple(one + (place == axis) for place, one in enumerate(order or (0,) * grid.shape[-1]))
    return arrays.grid_sampler2(np.asarray(x), np.asarray(grid), mode, padding_mode, align_corners, higher)


def block(parts: list[list[Any]]) -> Any:
    """Matrices beside and below each other; what is empty does not count."""
    full = [[one for one in row if one.size] for row in parts]
    return np.concatenate([np.concatenate(row, -1) for row in full if row], -2).view(Matrix)


def filled(matrix: Any, shape: tuple[int, ...]) -> Any:
    whole = np.zeros(shape)
    whole[..., : matrix.shape[-2], : matrix.shape[-1]] = matrix
    return whole


def below(columns: list[Any], shape: tuple[int, ...]) -> Any:
    return np.tril(filled(np.concatenate(columns, -1), shape), -1) if columns else np.zeros(shape)


def before(h: Any, out: Any, backwards: bool) -> Any:
    """The state before each step."""
    return np.concatenate([out[1:], h[None]] if backwards else [h[None], out[:-1]])


def lstm_slopes(g_out: Any, g_h: Any, g_c: Any, gates: Any, cells: Any, u: Any, c: Any, backwards: bool) -> tuple[Any, Any]:
    """What arrives at the gates before their functions, and at the first cell."""
    earlier = before(c, cells, backwards)
    slopes = np.zeros(gates.shape)
    hidden, cell = np.array(g_h), np.array(g_c)
    for t in range(len(cells)) if backwards else reversed(range(len(cells))):
        i, f, n, o = np.split(gates[t], 4, -1)
        hidden = hidden + g_out[t]
        squashed = np.tanh(cells[t])
        cell = cell + hidden * o * (1 - squashed**2)
        parts = [
            cell * n * i * (1 - i),
            cell * earlier[t] * f * (1 - f),
            cell * i * (1 - n**2),
            hidden * squashed * o * (1 - o),
        ]
        slopes[t] = np.concatenate(parts, -1)
        hidden, cell = slopes[t] @ u, cell * f
    return slopes.view(Matrix), cell


class Reflectors:
    """Of Householder's: their vectors below the diagonal of ``a``, their factors ``tau``."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.a, self.tau = given.get("a"), given.get("tau")

    def words(self) -> dict[str, Any]:
        if not isinstance(self.a, np.ndarray) or not isinstance(self.tau, np.ndarray):
            return {}
        count = self.tau.shape[-1]
        unit = np.tril(self.a, -1) + np.eye(*self.a.shape[-2:])
        v = [unit[..., i : i + 1].view(Matrix) for i in range(count)]
        t = [self.tau[..., i, None, None] for i in range(count)]

        def product(start: int, end: int) -> Any:
            whole = np.broadcast_to(np.eye(self.a.shape[-2]), (*self.a.shape[:-2], *(self.a.shape[-2],) * 2))
            for i in range(start, end):
                whole = whole - whole @ v[i] * t[i] @ v[i].T
            return whole.view(Matrix)

        return {"H": product, "v": v, "t": t, "k": count}


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

    def cleared(g: Any, indices: Any, axis: int | None = None) -> Any:
        copied = np.array(g)
        if axis is not None:
            at = indices if isinstance(indices, builtins.slice) else np.asarray(indices)
            copied[(slice(None),) * axis + (at,) if copied.ndim else ...] = 0
            return copied
        copied[tuple(slice(None) if one is None else np.asarray(one) for one in indices)] = 0
        return copied

    def with_zeros(name: str, part: str) -> Any:
        """An op that puts something at places, of 0 there."""

        def put(g: Any, zero: int, *places: Any) -> Any:
            at = getattr(arrays, part)(np.asarray(g), *places) if part else np.zeros(places[0])
            return getattr(arrays, name)(np.asarray(g), at * zero, *places)

        return put

    def hit(index: Any, axis: int) -> Any:
        mask = np.zeros(np.shape(g), bool)
        if np.ndim(index) < mask.ndim:
            mask[(slice(None),) * axis + (np.asarray(index),)] = True
            return mask
        if mask.ndim == 0:
            return ~mask
        places = list(np.indices(np.shape(index)))  # the index may be shorter than g
        places[axis] = np.asarray(index)
        mask[tuple(places)] = True
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

    def added(values: Any, index: Any, axis: int | None = None) -> Any:
        whole = np.zeros(main.shape if isinstance(main, np.ndarray) else shape)
        if axis is None:
            np.add.at(whole, tuple(slice(None) if one is None else np.asarray(one) for one in index), values)
            return whole
        if told.get("keepdims") is False and np.ndim(index) < whole.ndim:
            values, index = (np.expand_dims(one, axis) if np.ndim(one) < whole.ndim else one for one in (values, index))
        if np.ndim(index) == whole.ndim and np.ndim(values) == whole.ndim:
            flat = np.atleast_1d(whole)
            places = list(np.indices(np.shape(np.atleast_1d(index))))
            places[axis % flat.ndim] = np.atleast_1d(index)
            np.add.at(flat, tuple(places), np.broadcast_to(values, np.shape(places[0])))
            return flat.reshape(whole.shape)
        flat, values = np.atleast_1d(whole), np.atleast_1d(values)
        moved = np.moveaxis(values, axis, 0) if np.ndim(index) < 2 else values
        np.add.at(np.moveaxis(flat, axis, 0), np.atleast_1d(index), moved)
        return flat.reshape(whole.shape)

    def chosen(target: Any, ignored: int) -> Any:
        """One at each target's class, along the classes of `main`."""
        axis = min(1, main.ndim - 1)
        classes = np.arange(main.shape[axis]).reshape(-1, *(1,) * (main.ndim - 1 - axis))
        wanted = np.expand_dims(target, axis)
        return ((classes == wanted) & (wanted != ignored)).astype(float)

    def weights(weight: Any) -> Any:
        return weight.reshape(-1, *(1,) * (main.ndim - 1 - min(1, main.ndim - 1)))

    def rows(g: Any) -> Any:
        if told.get("reduction") == "none":
            return np.expand_dims(g, 1) if main.ndim > 1 else g
        return g[..., None, :] if g.size else 0.0

    def concat(parts: Any, axis: int) -> Any:
        return np.concatenate(parts, axis) if len(parts) else np.zeros((*shape[:-1], 1, 0))

    reflectors = Reflectors(told)

    own: dict[str, Any] = {
        "added": added, "chosen": chosen, "weights": weights, "rows": rows, "others": others(main, told), **reflectors.words(),
        "least_one": lambda n: n + (n == 0), "ones": lambda like: np.ones(np.shape(like)), "label_counts": label_counts,
        "bags": lambda offsets, indices: np.searchsorted(offsets, np.arange(len(indices)), "right") - 1,
        "bag_sizes": bag_sizes, "often": lambda indices: np.bincount(indices)[indices], "cut": cut, "grid_derivative": grid_derivative,
        "block": block, "pinv": lambda a: np.linalg.pinv(a).view(Matrix), "det": np.linalg.det, "diagonal": diagonal,
        "unit": lambda a: (np.tril(a, -1) + np.eye(*a.shape[-2:])).view(Matrix), "min": min, "filled": filled, "below": below,
        "flat": lambda d: np.asarray(d).reshape(-1, d.shape[-1]).view(Matrix), "before": before,
        "gates_backward": lambda *a: lstm_slopes(*a)[0],
        "cell_backward": lambda *a: lstm_slopes(*a)[1],
        "diagonal_scatter": with_zeros("diagonal_scatter", "diagonal"), "zeros": np.zeros,
        "as_strided_scatter": with_zeros("as_strided_scatter", ""),
        "place": place, "cleared": cleared, "hit": hit, "taken": taken, "split": split, "blocks": blocks, "cropped": cropped,
        "unbind": lambda g, axis: [np.take(g, index, axis) for index in range(g.shape[axis])],
        "stack": np.stack, "concat": concat, "argsort": lambda axes: tuple(int(one) for one in np.argsort(axes)),
        "permute_dims": np.transpose, "rot90": np.rot90, "roll_back": roll_back, "eye": lambda shape: np.eye(*shape[-2:]).view(Matrix),
        "sum": total, "mean": moment(np.mean), "var": moment(np.var),
        "norm": lambda v, axes: np.sqrt(np.sum(v * v, axis=axes, keepdims=True)),
        "batch": (0, *range(2, np.ndim(main))) if isinstance(main, np.ndarray) else (),
        "group": "group", "diag": diag, "gaps": gaps, "half": half,
        "softmax": masked_softmax, "causal": "causal", "half_of": lambda x, axis, which: np.split(x, 2, axis)[which],
        "exp": np.exp, "exp2": np.exp2, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "abs": np.abs,
        "cosh": np.cosh, "sinh": np.sinh, "sign": np.sign, "where": np.where, "sigmoid": special.expit, "erf": special.erf,
        "gamma": special.gamma, "i0": special.i0, "i1": special.i1, "i0e": special.i0e, "i1e": special.i1e, "pi": np.pi, "inf": np.inf,
        "digamma": special.digamma, "zeta": special.zeta, "inv": inverse,
        "outer": lambda a, b: a[..., :, None] * b[..., None, :],
        "solve": lambda a, b: linalg_solve(a, b), "real": np.real, "imag": np.imag, "conjugate": np.conj,
        "slice": lambda *args: slice(*args) if len(args) < 4 else arrays.slice(*args),
        "len": len, "tuple": tuple, "range": range, "prod": math.prod,
        "tril": lambda a, k=0: np.tril(a, k).view(Matrix), "triu": lambda a, k=0: np.triu(a, k).view(Matrix),
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
