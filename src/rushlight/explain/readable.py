"""Derivatives as mathematics, of ops whose rules are code: each is tested against its rule (tests/conformance/test_readable.py).

The words: ``g`` is what arrived (``g0``, ``g1`` of an op with several outputs), ``out`` the result, ``n`` how many elements were
taken together, ``.T`` a matrix turned over, ``added(g, index, axis)`` zeros to which g is added where an index points,
``cleared(g, index, axis)`` g with 0 there, ``keep_at(g, indices)`` g where something is stored and 0 elsewhere, ``line_sums`` sums
along the dimension in question. ``sum``,
``mean``, ``var`` and ``norm`` along axes keep them, with size 1; of a reduction ``g`` and ``out`` are meant with the axes that were
reduced. Behind ``where`` stand abbreviations.
"""

from __future__ import annotations

from collections.abc import Callable

from .readable_algorithms import ALGORITHMS, Form, Told


def _clamped(told: Told) -> str:
    sides = [side for name, side in (("low", "(x >= low)"), ("high", "(x <= high)")) if told.get(name) is not None]
    return " * ".join(["g", *sides])


def _permuted_back(told: Told) -> str:
    axes = told.get("axes")
    if not isinstance(axes, tuple):
        return "permute_dims(g, argsort(axes))"
    back = tuple(sorted(range(len(axes)), key=[one % len(axes) for one in axes].__getitem__))
    return "g.T" if back == (1, 0) else f"permute_dims(g, {back})"


def _reduced(text: str, behind: str = "") -> Callable[[Told], str]:
    """A loss: its derivative is shared out where it is a mean."""
    return lambda told: text + (" / n" if told["reduction"] == "mean" else "") + behind


def _weighted(text: str) -> Callable[[Told], str]:
    def form(told: Told) -> str:
        first = text.replace("g * ", "g * weight * ", 1) if "weight" in told else text
        head, between, behind = first.partition(" where ")
        return head + (" / n" if told["reduction"] == "mean" else "") + between + behind

    return form


def _with_logits(plain: str, weighted: str) -> Callable[[Told], str]:
    return lambda told: _weighted(weighted if "pos_weight" in told else plain)(told)


def _norm(of: str) -> Callable[[Told], str]:
    """Of what `of` says, by the order of the norm."""

    def form(told: Told) -> str:
        order = told["ord"]
        if order == 2:
            return f"g * {of} / out"
        if order == 1:
            return f"g * sign({of})"
        if order == 0:
            return "0"
        if order in (float("inf"), float("-inf")):
            along = ", axis" if told.get("axis") not in (None, ()) else ""
            return f"g * sign({of}) * (abs({of}) == out) / sum(abs({of}) == out{along})"
        return f"g * sign({of}) * (abs({of}) / out) ** (ord - 1)"

    return form


def _apart(text: str, out: str) -> Callable[[Told], str]:
    """Of distances between points, by the order of the norm."""

    def form(told: Told) -> str:
        if told["p"] == 0:
            return "0"
        slopes = {1: "sign(d)", 2: f"d / {out}", float("inf"): f"sign(d) * (abs(d) == {out})"}
        order = told["p"]
        return text.format(slopes.get(order if isinstance(order, int | float) else 0, f"sign(d) * (abs(d) / {out}) ** (p - 1)"))

    return form


def _affine(text: str, axes: str, g: str = "g") -> Callable[[Told], str]:
    """Through a normalization: `u` is what arrives at the normalized values `z`."""

    def form(told: Told) -> str:
        u = f"{g} * weight" if "weight" in told else g
        ends = f"u = {u}; z = (x - mean(x, {axes})) / s; s = sqrt(var(x, {axes}) + eps)"
        return text.format(axes=axes) + " where " + ends

    return form


NORMALIZED = "(u - mean(u, {axes}) - z * mean(u * z, {axes})) / s"
WEIGHTS = "g * z where z = (x - mean(x, {axes})) / s; s = sqrt(var(x, {axes}) + eps)"
SCORES = "Q = P * (R - sum(R * P, -1)); R = g @ value.T; P = softmax(query @ key.T * scale{mask})"


def _attention(text: str) -> Callable[[Told], str]:
    def form(told: Told) -> str:
        mask = ", causal" if told.get("is_causal") else ", mask" if told.get("mask") is not None else ""
        return f"{text} where {SCORES.format(mask=mask)}"

    return form


def _solved(left: str, right: str) -> Callable[[Told], str]:
    return lambda told: left if told["left"] else right


def _triangular(told: Told) -> str:
    solved = "solve_triangular(a.T, g, not upper, left, unit)"
    product = f"{solved} @ out.T" if told["left"] else f"out.T @ {solved}"
    side = ("triu", "1") if told["upper"] else ("tril", "-1")
    return f"-{side[0]}({product}, {side[1]})" if told["unit"] else f"-{side[0]}({product})"


def _convolution(name: str, other: str) -> Callable[[Told], str]:
    def form(told: Told) -> str:
        if name == "x" and told["transposed"]:
            return "conv(g, w, stride, padding, dilation, groups)"
        given = "x, g" if told["transposed"] else "g, x"
        if name == "w":
            return f"conv_weight_grad({given}, w_shape, stride, padding, dilation, groups)"
        return "conv_input_grad(g, w, x_shape, stride, padding, dilation, groups)"

    return form


ELU = "g * scale * where(x <= 0, alpha * input_scale * exp(x * input_scale), 1)"
HARDSWISH = "g * where(x <= -3, 0, where(x < 3, x / 3 + 1 / 2, 1))"
GELU = "g * ((1 + erf(x / sqrt(2))) / 2 + x * exp(-x ** 2 / 2) / sqrt(2 * pi))"
TANH = "t = tanh(k * (x + 0.044715 * x ** 3)); u = k * (1 + 0.134145 * x ** 2); k = sqrt(2 / pi)"
HALVES = "s = sigmoid(b); a = half_of(x, axis, 0); b = half_of(x, axis, 1)"
GELU_TANH = "g * ((1 + t) / 2 + x * (1 - t ** 2) * u / 2) where " + TANH
MOMENTS = "g0 * 2 * (x - mean(x, axis)) / (n - correction) + g1 / n"
POINTS = "d = a[..., :, None, :] - b[..., None, :, :]"
HALF = "S = inv(L).T @ half(L.T @ {g}) @ inv(L); L = {out}"

READABLE: dict[str, dict[str, Form]] = {
    # shapes and places
    "index": {"x": "added(g, indices)"},
    "gather": {"x": "added(g, index, axis)"},
    "index_select": {"x": "added(g, index, axis)"},
    "sort": {"x": "added(g, indices, axis)"},
    "sort_stable": {"x": "added(g, indices, axis)"},
    "topk": {"x": "added(g, indices, axis)"},
    "cummax": {"x": "added(g, indices, axis)"},
    "cummin": {"x": "added(g, indices, axis)"},
    "max": {"x": "added(g, indices, axis)"},
    "min": {"x": "added(g, indices, axis)"},
    "median": {"x": "added(g, indices, axis)"},
    "nanmedian": {"x": "added(g, indices, axis)"},
    "mode": {"x": "added(g, indices, axis)"},
    "kthvalue": {"x": "added(g, indices, axis)"},
    "put_at": {"values": lambda told: "take_at(g, indices)" if told["indices"] else "g"},
    "embedding": {
        "weight": lambda told: (
            "embedding_adjoint(g, indices, weight_shape, but, by_frequency)" if told["by_frequency"]
            else "added(g, indices, 0)" if told["but"] in (None, -1)
            else "added(g * (indices != but)[..., None], indices, 0)"
        ),
    },
    "fft_r2c": {
        "x": lambda told: (
            "fft_c2r(scale_part(g, axes[-1], 1, (n - 1) // 2, 0.5), axes, norm, n) where n = x_shape[axes[-1]]"
            if told["onesided"] else "real(fft_c2c(g, axes, norm, False))"
        ),
    },
    "squeeze_all": {"x": "g.reshape(x_shape)"},
    "squeeze_row": {"x": "g.reshape(x_shape)"},
    "squeeze": {"x": "g.reshape(x_shape)"},
    "squeeze_several": {"x": "g.reshape(x_shape)"},
    "expand_dims": {"x": "g.reshape(x_shape)"},
    "astype": {"x": "g"},
    "to_copy": {"x": "g"},
    "t": {"x": "g.T"},
    "permute_dims": {"x": _permuted_back},
    "select": {"x": "place(g, axis, index)"},
    "slice": {"x": "place(g, axis, slice(start, stop, step))"},
    "unbind": {"x": "stack(g, axis)"},
    "split": {"x": "concat(g, axis)"},
    "split_with_sizes": {"x": "concat(g, axis)"},
    "unsafe_split": {"x": "concat(g, axis)"},
    "unsafe_split_with_sizes": {"x": "concat(g, axis)"},
    "concat": {"xs": "split(g, axis)"},
    "concat_mixed": {"xs": "split(g, axis)"},
    "stack": {"xs": "unbind(g, axis)"},
    "stack_mixed": {"xs": "unbind(g, axis)"},
    "block_diag": {"xs": "blocks(g)"},
    "block_diag_mixed": {"xs": "blocks(g)"},
    "roll": {"x": "roll_back(g, shifts, axes)"},
    "rot90": {"x": "rot90(g, -times, axes)"},
    "index_put": {"x": lambda told: "g" if told["accumulate"] else "cleared(g, indices)"},
    "index_copy": {"x": "cleared(g, index, axis)"},
    "index_fill": {"x": "cleared(g, index, axis)"},
    "put": {"x": lambda told: "g" if told["accumulate"] else "g * ~taken(index)"},
    "masked_scatter": {"x": "g * ~mask"},
    "scatter": {"x": "g * ~hit(index, axis)", "src": "gather(g, index, axis)"},
    "scatter_value": {"x": "g * ~hit(index, axis)"},
    "scatter_add": {"src": "gather(g, index, axis)"},
    "masked_scatter_adjoint": {"g": "masked_scatter(zeros(g_shape), g, mask)"},
    "select_scatter": {"x": "cleared(g, index, axis)"},
    "slice_scatter": {"x": "cleared(g, slice(start, stop, step), axis)"},
    "diagonal_scatter": {"x": "diagonal_scatter(g, 0, offset, axis1, axis2)"},
    "as_strided_scatter": {"x": "as_strided_scatter(g, 0, shape, strides, offset, x_strides, x_offset)"},
    "constant_pad": {"x": "cropped(g, padding)"},
    # arithmetic
    "rsub_number": {"x": "-alpha * g"},
    "add_scaled": {"b": "alpha * g"},
    "sub_scaled": {"b": "-alpha * g"},
    "rsub_scaled": {"a": "-alpha * g"},
    "div": {"b": "-g * a / b ** 2"},
    "div_rounded": {"b": "-g * a / b ** 2"},
    "reciprocal": {"x": "-g * out ** 2"},
    "pow": {"a": "g * b * a ** (b - 1)", "b": "g * out * log(a)"},
    "pow_number": {"x": lambda told: "0" if told["exponent"] == 0 else "g * exponent * x ** (exponent - 1)"},
    "number_pow": {"x": "g * out * log(base)"},
    "sqrt": {"x": "g / (2 * out)"},
    "rsqrt": {"x": "-g * out ** 3 / 2"},
    "expm1": {"x": "g * (out + 1)"},
    "abs": {"x": "g * sign(x)"},
    "sgn": {"x": "0"},
    "angle": {"x": "0"},
    "asin": {"x": "g / sqrt(1 - x ** 2)"},
    "acos": {"x": "-g / sqrt(1 - x ** 2)"},
    "cos": {"x": "-g * sin(x)"},
    "tan": {"x": "g * (1 + out ** 2)"},
    "atan": {"x": "g / (1 + x ** 2)"},
    "atanh": {"x": "g / (1 - x ** 2)"},
    "asinh": {"x": "g / sqrt(x ** 2 + 1)"},
    "acosh": {"x": "g / sqrt(x ** 2 - 1)"},
    "sigmoid": {"x": "g * out * (1 - out)"},
    "times": {"x": "g * number"},
    "tanh_backward": {"h": "g * (1 - y ** 2)", "y": "-2 * g * h * y"},
    "sigmoid_backward": {"h": "g * y * (1 - y)", "y": "g * h * (1 - 2 * y)"},
    "tanh": {"x": "g * (1 - out ** 2)"},
    "relu": {"x": "g * (out > 0)"},
    "maximum": {"a": "g * ((a > b) + (a == b) / 2)", "b": "g * ((b > a) + (a == b) / 2)"},
    "minimum": {"a": "g * ((a < b) + (a == b) / 2)", "b": "g * ((b < a) + (a == b) / 2)"},
    "foreach_maximum": {"x": "g * ((x > scalar) + (x == scalar) / 2)"},
    "foreach_minimum": {"x": "g * ((x < scalar) + (x == scalar) / 2)"},
    "foreach_maximum_each": {"x": "g * ((x > scalars[place]) + (x == scalars[place]) / 2)"},
    "foreach_minimum_each": {"x": "g * ((x < scalars[place]) + (x == scalars[place]) / 2)"},
    "fmax": {"a": "g * (a >= b)", "b": "g * (b > a)"},
    "fmin": {"a": "g * (a <= b)", "b": "g * (b < a)"},
    "clamp": {"x": _clamped},
    "clamp_between": {
        "x": _clamped,
        "low": lambda told: "g * (x < low)" + (" * (low < high)" if told.get("high") is not None else ""),
        "high": lambda told: "g * (x > high)" if told.get("low") is None else "g * ((x > high) | (high < low))",
    },
    "addcdiv": {"v": "-g * value * u / v ** 2"},
    "remainder": {"b": "-g * floor(a / b)"},
    "fmod": {"b": "-g * trunc(a / b)"},
    "copysign": {"a": "g * out / a"},
    "copysign_number": {"x": "g * out / x"},
    "frexp": {"x": "g / 2.0 ** exponent"},
    "ldexp": {"a": "g * 2.0 ** b"},
    "atan2": {"a": "g * b / (a ** 2 + b ** 2)", "b": "-g * a / (a ** 2 + b ** 2)"},
    "logaddexp": {"a": "g * exp(a - out)", "b": "g * exp(b - out)"},
    # reductions
    "sum_all": {"x": "g"},
    "sum": {"x": "g"},
    "mean_all": {"x": "g / n"},
    "mean": {"x": "g / n"},
    "expand_number": {"g": "sum(g)"},
    "divide_number": {"g": "sum(g) / divisor"},
    "divide_by": {"x": "g / divisor"},
    "nansum": {"x": "g * (x == x)"},
    "prod_all": {"x": "g * out / x"},
    "prod": {"x": "g * out / x"},
    "var": {"x": "g * 2 * (x - mean(x, axis)) / (n - correction)"},
    "std": {"x": "g * (x - mean(x, axis)) / (out * (n - correction))"},
    "var_mean": {"x": MOMENTS},
    "std_mean": {"x": "g0 * (x - mean(x, axis)) / (spread * (n - correction)) + g1 / n"},
    "max_all": {"x": "g * (x == out) / sum(x == out)"},
    "min_all": {"x": "g * (x == out) / sum(x == out)"},
    "median_all": {"x": "g * (x == out) / sum(x == out)"},
    "nanmedian_all": {"x": "g * (x == out) / sum(x == out)"},
    "amax": {"x": "g * (x == out) / sum(x == out, axis)"},
    "amin": {"x": "g * (x == out) / sum(x == out, axis)"},
    "aminmax": {
        "x": "g0 * (x == least) / sum(x == least, axis) + g1 * (x == greatest) / sum(x == greatest, axis)",
    },
    "cumsum": {"x": "cumsum_from_end(g, axis)"},
    "cumprod": {"x": "cumsum_from_end(g * out, axis) / x"},
    "logcumsumexp": {"x": "exp(x) * cumsum_from_end(g * exp(-out), axis)"},
    "logcumsumexp_from_end": {"x": "exp(x) * cumsum(g * exp(-out), axis)"},
    "logsumexp": {"x": "g * exp(x - out)"},
    "softmax": {"x": "out * (g - sum(g * out, axis))"},
    "safe_softmax": {"x": "out * (g - sum(g * out, axis))"},
    "log_softmax": {"x": "g - exp(out) * sum(g, axis)"},
    "softmax_grad": {"v": "y * (g - sum(g * y, axis))", "y": "g * (v - sum(v * y, axis)) - v * sum(g * y, axis)"},
    "log_softmax_grad": {"v": "g - sum(g * exp(y), axis)", "y": "-g * exp(y) * sum(v, axis)"},
    "vector_norm": {"x": _norm("x")},
    "norm_along": {"x": _norm("x")},
    "norm_of_all": {"x": _norm("x")},
    "dist": {"a": _norm("(a - b)"), "b": lambda told: "-" + _norm("(a - b)")(told)},
    "weight_norm": {"v": "scale / N * (g - v * sum(g * v, axes) / N ** 2) where N = norm(v, axes)"},
    "trace": {"x": "g * eye(x_shape)"},
    # products of matrices, and what is solved
    "mm": {"a": "g @ b.T", "b": "a.T @ g"},
    "bmm": {"a": "g @ b.T", "b": "a.T @ g"},
    "mv": {"a": "outer(g, b)", "b": "a.T @ g"},
    "outer": {"a": "g @ b", "b": "g.T @ a"},
    "addmm": {"bias": "beta * g", "a": "alpha * g @ b.T", "b": "alpha * a.T @ g"},
    "addmv": {"bias": "beta * g", "a": "alpha * outer(g, b)", "b": "alpha * a.T @ g"},
    "baddbmm": {"bias": "beta * g", "a": "alpha * g @ b.T", "b": "alpha * a.T @ g"},
    "addbmm": {"bias": "beta * g", "a": "alpha * g @ b.T", "b": "alpha * a.T @ g"},
    "addr": {"bias": "beta * g", "a": "alpha * g @ b", "b": "alpha * g.T @ a"},
    "adjoint": {"x": "g.T"},
    "vdot": {"a": "g * b"},
    "inv": {"a": "-out.T @ g @ out.T"},
    "inv_ex": {"a": "-inverse.T @ g @ inverse.T"},
    "det": {"a": "g * out * inv(a).T"},
    "slogdet": {"a": "g1 * inv(a).T"},
    "solve": {
        "a": _solved("-solve(a.T, g) @ out.T", "-out.T @ g @ inv(a).T"), "b": _solved("solve(a.T, g)", "g @ inv(a).T"),
    },
    "solve_triangular": {"a": _triangular},
    "from_sparse": {"x": lambda told: "g" if told.get("indices") is None else "keep_at(g, indices)"},
    "sparse_mm": {"x": "a.T @ g"},
    "sparse_mv": {"x": "a.T @ g"},
    "mm_by_sparse": {"x": "g @ a.T"},
    "solve_ex": {
        "a": _solved("-solve(a.T, g) @ result.T", "-result.T @ g @ inv(a).T"), "b": _solved("solve(a.T, g)", "g @ inv(a).T"),
    },
    "cholesky": {"a": lambda told: "(S + S.T) / 2 where " + _half("out", told)},
    "cholesky_older": {"a": lambda told: "(S + S.T) / 2 where " + _half("out", told)},
    "cholesky_ex": {"a": lambda told: "(S + S.T) / 2 where " + _half("factor", told)},
    "cholesky_solve": {
        "factor": lambda told: (
            "-(S + S.T) @ factor where S = cholesky_solve(g, factor, upper) @ out.T"
            if not told["upper"]
            else "-factor @ (S + S.T) where S = cholesky_solve(g, factor, upper) @ out.T"
        ),
    },
    "cholesky_inverse": {
        "factor": lambda told: (
            "-factor @ out @ (g + g.T) @ out" if told["upper"] else "-out @ (g + g.T) @ out @ factor"
        ),
    },
    "eigh": {
        "a": "vectors @ (diag(g0) + (K - K.T) / (2 * gaps(values))) @ vectors.T where K = vectors.T @ g1",
    },
    "convolution": {"x": _convolution("x", "w"), "w": _convolution("w", "x"), "bias": "sum(g, batch)"},
    # functions of many kinds
    "number_zeta": {"x": "-g * number * zeta(number + 1, x)"},
    "igamma": {"x": "g * x ** (a - 1) * exp(-x) / gamma(a)"},
    "igammac": {"x": "-g * x ** (a - 1) * exp(-x) / gamma(a)"},
    "i1": {"x": "g * (i0(x) - out / x)"},
    "i1e": {"x": "g * (i0e(x) - out * (sign(x) + 1 / x))"},
    "i0e": {"x": "g * (i1e(x) - sign(x) * out)"},
    "erf": {"x": "g * (2 / sqrt(pi)) * exp(-x ** 2)"},
    "erfc": {"x": "-g * (2 / sqrt(pi)) * exp(-x ** 2)"},
    "erfcx": {"x": "g * (2 * x * out - 2 / sqrt(pi))"},
    "erfinv": {"x": "g * sqrt(pi) / 2 * exp(out ** 2)"},
    "logit": {"x": lambda told: "g / (x * (1 - x))" + (" * (eps <= x) * (x <= 1 - eps)" if told.get("eps") else "")},
    "entr": {"x": "-g * (log(x) + 1)"},
    "xlogy": {"a": "g * log(b)"},
    "xlogy_number": {"x": "g * log(number)"},
    "xlog1py": {"a": "g * log(1 + b)"},
    "xlog1py_number": {"x": "g * log(1 + number)"},
    "sinc": {"x": "g * (cos(pi * x) / x - sin(pi * x) / (pi * x ** 2))"},
    # activations
    "elu": {"x": ELU},
    "celu": {"x": "g * where(x <= 0, exp(x / alpha), 1)"},
    "elu_backward": {"h": ELU, "x": "g * h * scale * alpha * input_scale ** 2 * exp(x * input_scale) * (x < 0)"},
    "leaky_relu": {"x": "g * where(x > 0, 1, slope)"},
    "leaky_relu_backward": {"h": "g * where(x > 0, 1, slope)"},
    "prelu": {"x": "g * where(x > 0, 1, weight)", "weight": "g * x * (x <= 0)"},
    "rrelu_noise": {"x": "g * where(x > 0, 1, noise)"},
    "gelu_erf": {"x": GELU},
    "gelu_tanh": {"x": GELU_TANH},
    "silu": {"x": "g * s * (1 + x * (1 - s)) where s = sigmoid(x)"},
    "mish": {"x": "g * (t + x * (1 - t ** 2) * sigmoid(x)) where t = tanh(log(1 + exp(x)))"},
    "softplus": {"x": "g * where(x * beta > threshold, 1, sigmoid(x * beta))"},
    "hardtanh": {"x": "g * (x > low) * (x < high)"},
    "hardsigmoid": {"x": "g * (abs(x) < 3) / 6"},
    "hardswish": {"x": HARDSWISH},
    "log_sigmoid": {"x": "g * sigmoid(-x)"},
    "glu": {"x": "concat([g * s, g * a * s * (1 - s)], axis) where " + HALVES},
    "threshold": {"x": "g * (x > limit)"},
    "softshrink": {"x": "g * (abs(x) > limit)"},
    "hardshrink": {"x": "g * (abs(x) > limit)"},
    "relu_backward": {"h": "g * (y > 0)"},
    "hardtanh_backward": {"h": "g * (x > low) * (x < high)"},
    "threshold_backward": {"h": "g * (x > limit)"},
    "softshrink_backward": {"h": "g * (abs(x) > limit)"},
    "hardshrink_backward": {"h": "g * (abs(x) > limit)"},
    # losses
    "mse_loss": {"a": _reduced("g * 2 * (a - b)"), "b": _reduced("g * 2 * (b - a)")},
    "smooth_l1_loss": {
        "a": _reduced("g * where(abs(d) < beta, d / beta, sign(d))", " where d = a - b"),
        "b": _reduced("-g * where(abs(d) < beta, d / beta, sign(d))", " where d = a - b"),
    },
    "huber_loss": {
        "a": _reduced("g * where(abs(d) < delta, d, delta * sign(d))", " where d = a - b"),
        "b": _reduced("-g * where(abs(d) < delta, d, delta * sign(d))", " where d = a - b"),
    },
    "binary_cross_entropy": {
        "x": _weighted("g * (x - target) / (x * (1 - x))"),
        "target": _weighted("g * log((1 - x) / x)"),
    },
    "binary_cross_entropy_with_logits": {
        "x": _with_logits(
            "g * (sigmoid(x) - target)", "g * ((1 - target) * s - pos_weight * target * (1 - s)) where s = sigmoid(x)"
        ),
        "target": _with_logits("g * -x", "g * (log(1 - s) - pos_weight * log(s)) where s = sigmoid(x)"),
    },
    "soft_margin_loss": {"x": _reduced("-g * target * sigmoid(-target * x)")},
    "nll_loss_adjoint": {"x": "0"},
    "mse_loss_backward": {"a": _reduced("2 * g * h"), "b": _reduced("-2 * g * h")},
    "smooth_l1_loss_backward": {
        "a": _reduced("g * h * (abs(a - b) < beta) / beta"), "b": _reduced("-g * h * (abs(a - b) < beta) / beta"),
    },
    "huber_loss_backward": {"a": _reduced("g * h * (abs(a - b) < delta)"), "b": _reduced("-g * h * (abs(a - b) < delta)")},
    "binary_cross_entropy_backward": {
        "x": _weighted("g * h * (x * (x - 2 * target) + target) / (x * (1 - x)) ** 2"),
        "target": _weighted("-g * h / (x * (1 - x))"),
    },
    "soft_margin_loss_backward": {
        "x": _reduced("g * h * target ** 2 * s * (1 - s)", " where s = sigmoid(target * x)"),
    },
    "hardswish_backward": {"h": HARDSWISH, "x": "g * h / 3 * (abs(x) < 3)"},
    "softplus_backward": {
        "h": "g * where(x * beta > threshold, 1, sigmoid(x * beta))",
        "x": "g * h * beta * s * (1 - s) * (x * beta < threshold) where s = sigmoid(x * beta)",
    },
    "log_sigmoid_backward": {"h": "g * sigmoid(-x)", "x": "-g * h * s * (1 - s) where s = sigmoid(x)"},
    "gelu_erf_backward": {"h": GELU, "x": "g * h * exp(-x ** 2 / 2) * (2 - x ** 2) / sqrt(2 * pi)"},
    "gelu_tanh_backward": {
        "h": GELU_TANH, "x": "g * h * (r * u * 2 + x * r * (0.26829 * k * x - 2 * t * u ** 2)) / 2 where r = 1 - t ** 2; " + TANH,
    },
    "glu_backward": {
        "h": "half_of(g, axis, 0) * s + half_of(g, axis, 1) * a * s * (1 - s) where " + HALVES,
        "x": (
            "concat([q * h * r, (p * r + q * a * r * (1 - 2 * s)) * h], axis) where "
            "p = half_of(g, axis, 0); q = half_of(g, axis, 1); r = s * (1 - s); " + HALVES
        ),
    },
    "prelu_backward": {
        "h": "g0 * where(x > 0, 1, weight) + g1 * x * (x <= 0)", "x": "g1 * h * (x <= 0)", "weight": "g0 * h * (x <= 0)",
    },
    # normalizations
    "layer_norm": {"x": _affine(NORMALIZED, "axes"), "weight": WEIGHTS.format(axes="axes"), "bias": "g"},
    "layer_norm_with_moments": {"x": _affine(NORMALIZED, "axes"), "weight": WEIGHTS.format(axes="axes"), "bias": "g"},
    "batch_norm": {"x": _affine(NORMALIZED, "batch"), "weight": WEIGHTS.format(axes="batch"), "bias": "g"},
    "batch_norm_given": {
        "x": lambda told: f"g {'* weight ' if 'weight' in told else ''}/ sqrt(var + eps)",
        "weight": "g * (x - mean) / sqrt(var + eps)",
        "bias": "g",
    },
    "group_norm": {"x": _affine(NORMALIZED, "group"), "weight": WEIGHTS.format(axes="group"), "bias": "g"},
    "group_norm_with_moments": {
        "x": _affine(NORMALIZED, "group", "g0"), "weight": WEIGHTS.format(axes="group").replace("g", "g0", 1), "bias": "g0",
    },
    "normalized": {"x": _affine(NORMALIZED, "axes")},
    # of points, and of attention
    "pdist": {"x": _apart("pair_differences_adjoint(u, x_shape[0]) where u = g[:, None] * {}; d = pair_differences(x)", "out[:, None]")},
    "cdist": {
        "a": _apart(f"sum(g[..., None] * {{}}, -2) where {POINTS}", "out[..., None]"),
        "b": _apart(f"-sum(g[..., None] * {{}}, -3) where {POINTS}", "out[..., None]"),
    },
    "euclidean_dist": {
        "a": "a * sum(s, -1) - s @ b where s = g / out", "b": "b * sum(s, -2).T - s.T @ a where s = g / out",
    },
    "attention": {
        "query": _attention("Q @ key * scale"), "key": _attention("Q.T @ query * scale"), "value": _attention("P.T @ g"),
    },
}  # fmt: skip


READABLE.update(ALGORITHMS)
READABLE["logits_of_another_dtype"] = READABLE["binary_cross_entropy_with_logits"]


def _half(factor: str, told: Told) -> str:
    turned = bool(told["upper"])
    return HALF.format(g="g.T" if turned else "g", out=f"{factor}.T" if turned else factor)


for _name in "squeeze squeeze_all squeeze_several expand_dims t permute_dims select slice unbind split".split():
    READABLE[f"{_name}_copy"] = READABLE[_name]
READABLE["split_with_sizes_copy"] = READABLE["split"]
for _rank in (2, 3):
    READABLE[f"adaptive_max_pool{_rank}"] = {"x": "pool_scatter(g, indices, x_shape, len(size))"}
    READABLE[f"fractional_max_pool{_rank}"] = {"x": "pool_scatter(g, indices, x_shape, len(size))"}
    READABLE[f"adaptive_avg_pool{_rank}"] = {"x": "adaptive_avg_pool_adjoint(g, x_shape, len(size))"}
_RANKS = {
    "nearest": "123",
    "nearest_exact": "123",
    "linear": "123",
    "cubic": "2",
    "linear_antialias": "2",
    "cubic_antialias": "2",
}
for _of in (f"interpolate_{mode}{rank}" for mode, ranks in _RANKS.items() for rank in ranks):
    READABLE[_of] = {"x": f"{_of}_adjoint(g, x_shape, len(size), mode, align_corners, scales, antialias)"}
    READABLE[f"{_of}_adjoint"] = {"g": f"{_of}(g, g_shape[-rank:], mode, align_corners, scales, antialias)"}
