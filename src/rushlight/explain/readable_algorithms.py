"""Derivatives of decompositions, recurrences and what else is an algorithm, as mathematics; the words are those of readable.py.

Further words: ``added(values, index, axis)`` adds values up at places among zeros; ``block`` puts matrices together, ``inv`` is an
inverse, ``gaps(s)`` the differences of all pairs; ``H(i, j)`` is the product of the reflectors from i to before j, ``v[i]`` and ``t[i]`` a
reflector's vector and factor, ``k`` their number; ``gates_backward`` is what arrives at an LSTM's gates, from the last step back to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Told = Mapping[str, object]  # an op's parameters by name, and its inputs that are there
Form = str | Callable[[Told], str]


def _reduced_at(of_x: bool, gather: str) -> Callable[[Told], str]:
    """Of values that are reduced at the places of an index; `gather` takes what is there."""

    def form(told: Told) -> str:
        reduce, own = str(told["reduce"]), bool(told["include_self"])
        is_extreme = reduce in ("amax", "amin")
        equal = f"(src == {gather}(out, index, axis))"
        count = f"(x == out) + added({equal}, index, axis)" if is_extreme else "added(ones(src), index, axis)"
        where = f" where n = {count if is_extreme else f'1 + {count}' if own else f'least_one({count})'}"
        if of_x:
            text = {"sum": "g", "prod": "g * out / x", "mean": "g / n"}.get(reduce, "g * (x == out) / n")
            text += "" if own else " * ~hit(index, axis)"
        else:
            g = {"prod": "g * out", "mean": "g / n"}.get(reduce, "g / n" if is_extreme else "g")
            text = f"{gather}({g}, index, axis)"
            text = f"{text} / src" if reduce == "prod" else f"{equal} * {text}" if is_extreme else text
        return text + where if " n" in text else text

    return form


def _recurred(behind: str) -> Callable[[Told], str]:
    def form(told: Told) -> str:
        step, back = ("1", "-1") if told["reverse"] else ("-1", "1")
        return f"{behind.format(back=back)} where U = recurrence(shift(a, axis, {step}, 0), g, axis, not reverse)"

    return form


def _older(of_b: bool) -> Callable[[Told], str]:
    def form(told: Told) -> str:
        turned = bool(told["transpose"])
        solved = f"solve_triangular({'a' if turned else 'a.T'}, g0, {'upper' if turned else 'not upper'}, True, unitriangular)"
        if of_b:
            return solved
        product = "solution @ S.T" if turned else "S @ solution.T"
        side, off = ("triu", 1) if told["upper"] else ("tril", -1)
        return f"g1 - {side}({product}, {off if told['unitriangular'] else 0}) where S = {solved}"

    return form


def _reflected(of: str) -> Callable[[Told], str]:
    """Of `c` times reflectors: a factor's own is what stands left of it, turned, times g, times what stands right, turned."""

    def form(told: Told) -> str:
        left, turned = bool(told["left"]), bool(told["transpose"])
        if of == "c":
            whole = "H(0, k)" if turned else "H(0, k).T"
            return f"{whole} @ g" if left else f"g @ {whole}"
        if left:
            side = "H(i + 1, k) @ g @ c.T @ H(0, i)" if turned else "H(0, i).T @ g @ (H(i + 1, k) @ c).T"
        else:
            side = "H(i + 1, k) @ c.T @ g @ H(0, i)" if turned else "(c @ H(0, i)).T @ g @ H(i + 1, k).T"
        return f"{REFLECTORS[of]} where S = [{side} for i in range(k)]"

    return form


def _triangles(low: str, high: str, lower: str, upper: str, shape: str) -> str:
    """Of a product of triangles: of its square part, and of what is beside it, or below."""
    return (
        f"block([[{SQUARE}, X], [Y]]) where A = {low}[..., :m, :] - X @ {upper}[..., :, m:].T; "
        f"B = {high}[..., :, :m] - {lower}[..., m:, :].T @ Y; X = inv(L).T @ {high}[..., :, m:]; "
        f"Y = {low}[..., m:, :] @ inv(U).T; L = {lower}[..., :m, :]; U = {upper}[..., :, :m]; m = min({shape}[-2:])"
    )


def _solved_by_lu(told: Told) -> str:
    g, x = ("g", "out") if told["left"] else ("g.T", "out.T")
    if bool(told["adjoint"]) == bool(told["left"]):
        return (
            f"-(triu(L.T @ X @ S.T) + tril(X @ (U @ S).T, -1)) where S = inv(U) @ inv(L) @ rows_swapped({g}, pivots); "
            f"X = rows_swapped({x}, pivots); L = unit(lu); U = triu(lu)"
        )
    return (
        f"-(triu(S @ X.T) + tril(inv(L).T @ S @ (U @ X).T, -1)) where S = inv(U).T @ {g}; X = {x}; L = unit(lu); U = triu(lu)"
    )


def _limited(told: Told) -> str:
    order = told["ord"]
    slope = {
        1: "sign(x)", 2: "x / N", float("inf"): "sign(x) * (abs(x) == N) / sum(abs(x) == N, others)", 0: "0",
    }.get(order if isinstance(order, int | float) else -1, "sign(x) * (abs(x) / N) ** (ord - 1)")  # fmt: skip
    return (
        f"where(N > maxnorm, maxnorm / M * (g - sum(g * x, others) / M * {slope}), g) "
        "where M = N + 1e-7; N = vector_norm(x, ord, others, True)"
    )


def _bagged(told: Told) -> str:
    if told["mode"] == "max":
        return "added(g * (M >= 0), maximum(M, M * 0), 0) where M = bag_argmax(weight, indices, offsets, but)"
    share = " / bag_sizes(indices, offsets, but)[:, None]" if told["mode"] == "mean" else ""
    scales = "scales[:, None] * " if told.get("scales") is not None else ""
    often = " / often(indices)[:, None]" if told["by_frequency"] else ""
    return f"added({scales}G[bags(offsets, indices)] * (indices != but)[:, None]{often}, indices, 0) where G = g{share}"


def _margins(told: Told) -> str:
    g = "g[:, None]" if told["reduction"] == "none" else "g"
    parts = "n" if told["reduction"] == "mean" else "x_shape[1]"
    weight = " * weight[target][:, None]" if "weight" in told else ""
    square = " * 2 * E" if told["p"] == 2 else ""
    return (
        f"S - T * sum(S, 1) where S = {g} * (E > 0){square}{weight} / {parts}; "
        "E = (margin - sum(x * T, 1) + x) * (T == 0); T = one_hot(target, x_shape[1])"
    )


def _labels(told: Told) -> str:
    g = "g[:, None]" if told["reduction"] == "none" else "g"
    parts = "n" if told["reduction"] == "mean" else "x_shape[1]"
    return (
        f"{g} * (sum(P, 1, False) - sum(P, 2, False)) / {parts} where "
        "P = (1 - x[:, :, None] + x[:, None, :] > 0) * K[:, :, None] * (K == 0)[:, None, :]; K = label_counts(target)"
    )


def _chosen(told: Told) -> str:
    """Of the negative log likelihood: at each target's class, as far as that counts."""
    text = {"mean": "-g * E / sum(E)", "sum": "-g * E"}.get(str(told["reduction"]), "-rows(g) * E")
    return f"{text} where E = {'weights(weight) * ' if 'weight' in told else ''}chosen(target, ignore_index)"


SQUARE = "inv(L).T @ (tril(L.T @ A, -1) + triu(B @ U.T)) @ inv(U).T"
REFLECTORS = {
    "a": "below([-t[i] * (S[i] + S[i].T) @ v[i] for i in range(k)], a_shape)",
    "tau": "concat([-v[i].T @ S[i] @ v[i] for i in range(k)], -1)[..., 0, :]",
}
PRODUCT = " where S = [H(0, i).T @ g @ (H(i + 1, k) @ eye(a_shape)).T for i in range(k)]"
INVERSE = "(G - a @ P @ G) @ P @ P.T + P.T @ P @ (G - G @ P @ a) - P.T @ G.T @ P.T"
SLOPES = "D = gates_backward(g0, g1, g2, gates, cells, u, c, backwards)"
SLID = "(1,), (pad,), (1,), 1"
TURNED = "G = permute_dims(g, (1, 2, 0)); X = permute_dims(x, (1, 2, 0)); W = permute_dims(w, (2, 1, 0))"
Z = "z = (x - mean(x, axes)) / s; s = sqrt(var(x, axes) + eps)"
ALONG = "grid_derivative({x}, grid, i, mode, padding_mode, align_corners, order)"
GRID = "stack([sum({g} * " + ALONG + ", 1, False) for i in range(grid_shape[-1])], -1)"

_STRIDED = "as_strided_adjoint(g, x_shape, x_strides, x_offset, shape, strides, offset)"

ALGORITHMS: dict[str, dict[str, Form]] = {
    "as_strided": {"x": _STRIDED},
    "as_strided_copy": {"x": _STRIDED},
    "scatter_reduce": {"x": _reduced_at(True, "gather"), "src": _reduced_at(False, "gather")},
    "index_reduce": {"x": _reduced_at(True, "index_select"), "src": _reduced_at(False, "index_select")},
    "nll_loss": {"x": _chosen},
    "nll_loss_planes": {"x": _chosen},
    "recurrence": {"a": _recurred("U * shift(out, axis, {back}, 0)"), "b": _recurred("U")},
    "multi_margin_loss": {"x": _margins},
    "multilabel_margin_loss": {"x": _labels},
    "renorm": {"x": _limited},
    "embedding_bag": {
        "weight": _bagged, "scales": "sum(g[bags(offsets, indices)] * weight[indices] * (indices != but)[:, None], 1, False)",
    },
    "normalized_backward": {
        "h": "(g - mean(g, axes) - z * mean(g * z, axes)) / s where " + Z,
        "x": (
            "-(z * (mean(p * q, axes) - 3 * a * b) + b * p + a * q) / s ** 2 where a = mean(p * z, axes); b = mean(q * z, axes); "
            "p = g - mean(g, axes); q = h - mean(h, axes); " + Z
        ),
    },
    # convolutions
    "conv_input_grad": {"h": "cut(conv(g, w, stride, padding, dilation, groups), h_shape)"},
    "conv_weight_grad": {"h": "cut(conv(x, g, stride, padding, dilation, groups), h_shape)"},
    "conv_tbc": {
        "x": f"permute_dims(conv_input_grad(G, W, (x_shape[1], x_shape[2], x_shape[0]), {SLID}), (2, 0, 1)) where {TURNED}",
        "w": f"permute_dims(conv_weight_grad(G, X, (w_shape[2], w_shape[1], w_shape[0]), {SLID}), (2, 1, 0)) where {TURNED}",
        "bias": "sum(g, (0, 1), False)",
    },
    "grid_sampler2": {"grid": GRID.format(g="g", x="x")},
    "grid_sampler3": {"grid": GRID.format(g="g", x="x")},
    "grid_sampler_adjoint": {"grid": GRID.format(g="h", x="g")},
    "trilinear": {
        "a": "trilinear(g, permute_dims(weight, (1, 0, 2)), b)",
        "b": "trilinear(g, permute_dims(weight, (2, 0, 1)), a)",
        "weight": "sum(g[:, :, None, None] * a[:, None, :, None] * b[:, None, None, :], 0, False)",
    },
    # matrices
    "matrix_exp": {"a": "matrix_exp(block([[a.T, g], [0 * g, a.T]]))[..., :m, m:] where m = a_shape[-1]"},
    "minors": {"a": "d * (B * sum(g * B, (-2, -1)) - B @ g.T @ B) where B = inv(a).T; d = det(a)[..., None, None]"},
    "pinv": {"a": f"{INVERSE} where G = g.T; P = out"},
    "lstsq": {
        "a": f"{INVERSE} + D @ solution.T where G = b @ g0.T; P = pinv(a); D = 2 * rows(g1) * (a @ solution - b)",
        "b": "pinv(a).T @ g0 - 2 * rows(g1) * (a @ solution - b)",
    },
    "triangular_solve": {"b": _older(True), "a": _older(False)},
    "sparse_softmax": {"x": "out * (g - line_sums(g * out))"},
    "sparse_log_softmax": {"x": "keep_at(g - exp(out) * line_sums(keep_at(g, indices)), indices)"},
    "sampled_addmm": {
        "a": "beta * keep_at(g, indices)", "x": "alpha * keep_at(g, indices) @ y.T", "y": "alpha * x.T @ keep_at(g, indices)",
    },
    "sparse_addmm": {"bias": "beta * g", "a": "alpha * keep_at(g @ x.T, indices)", "x": "alpha * a.T @ g"},
    # decompositions
    "eig": {
        "a": (
            "inv(V).H @ (diag(g0) + (K - V.H @ (V * real(diagonal(K))[..., None, :])) / conjugate(gaps(values))) @ V.H "
            "where K = V.H @ g1; V = vectors"
        ),
    },
    "svd": {
        "a": (
            "U @ (F * (A - A.T) * s[..., None, :] + s[..., :, None] * F * (B - B.T) + diag(g1)) @ V "
            "+ (g0[..., :m] - U @ A) / s[..., None, :] @ V + U / s[..., None, :] @ (g2[..., :m, :] - B.T @ V) "
            "where A = U.T @ g0[..., :m]; B = V @ g2[..., :m, :].T; F = 1 / gaps(s ** 2); U = u[..., :m]; V = vh[..., :m, :]; "
            "m = min(a_shape[-2:])"
        ),
    },
    "qr": {
        "a": (
            "concat([(h + q @ (T + triu(T, 1).T)) @ inv(r[..., :m]).T, q @ g1[..., m:]], -1) where "
            "T = triu(g1[..., :m] @ r[..., :m].T - q.T @ h); h = g0 + q @ r[..., m:] @ g1[..., m:].T; m = min(a_shape[-2:])"
        ),
    },
    "lu": {"a": "p @ " + _triangles("g0", "g1", "lower", "upper", "a_shape")},
    "lu_factor_ex": {
        "a": "rows_swapped_back(S, pivots) where S = "
        + _triangles("tril(g, -1)[..., :m]", "triu(g)[..., :m, :]", "unit(lu)[..., :m]", "triu(lu)[..., :m, :]", "a_shape").replace(
            " where ", "; ", 1
        ),
    },
    "lu_unpack": {"lu": "filled(tril(g0, -1), lu_shape) + filled(triu(g1), lu_shape)"},
    "lu_solve": {"lu": _solved_by_lu},
    "householder_product": {of: text + PRODUCT for of, text in REFLECTORS.items()},
    "ormqr": {of: _reflected(of) for of in ("a", "tau", "c")},
    # an LSTM's layer
    "lstm_layer": {
        "x": f"D @ w where {SLOPES}",
        "w": f"flat(D).T @ flat(x) where {SLOPES}",
        "u": f"flat(D).T @ flat(before(h, out, backwards)) where {SLOPES}",
        "b": f"sum(D, (0, 1), False) where {SLOPES}",
        "d": f"sum(D, (0, 1), False) where {SLOPES}",
        "h": lambda told: f"D[{-1 if told['backwards'] else 0}] @ u where {SLOPES}",
        "c": "cell_backward(g0, g1, g2, gates, cells, u, c, backwards)",
    },
}  # fmt: skip
