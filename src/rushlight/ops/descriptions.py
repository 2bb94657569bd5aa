"""What pointwise functions say of themselves: their docstrings, each with an example."""

from __future__ import annotations

# By name: what the function gives, the numbers of the example's arguments (``;`` between them), and of its result.
_TABLE: dict[str, tuple[str, str, str]] = {
    # Arithmetic.
    "mul": (
        "The product of two tensors, or of a tensor and a number, element by element.",
        "[1.0, 2.0]; [3.0, 4.0]",
        "[3., 8.]",
    ),
    "neg": ("Each element with its sign turned. RuntimeError for bool.", "[1.0, -2.0]", "[-1.,  2.]"),
    "abs": ("The absolute value of each element; of complex numbers the distance from 0.", "[1.0, -2.0]", "[1., 2.]"),
    "reciprocal": ("1 over each element; integers become floating.", "[2.0, 4.0]", "[0.5000, 0.2500]"),
    "sqrt": ("The square root of each element; nan for negative ones.", "[4.0, 2.0]", "[2.0000, 1.4142]"),
    "rsqrt": ("1 over the square root of each element.", "[4.0, 1.0]", "[0.5000, 1.0000]"),
    "sign": ("-1, 0 or 1, as each element is negative, zero or positive.", "[-3.0, 0.0, 2.0]", "[-1.,  0.,  1.]"),
    "sgn": (
        "The sign of each element; of complex numbers the number of absolute value 1 in the same direction.",
        "[3 + 4j, 0j]",
        "[0.6000+0.8000j, 0.0000+0.0000j]",
    ),
    "signbit": ("Whether the sign bit of each element is set: of -0.0 too.", "[-0.0, 1.0]", "[ True, False]"),
    "gcd": ("The greatest common divisor of integers.", "[12, 7]; [18, 21]", "[6, 7]"),
    "lcm": ("The least common multiple of integers.", "[4, 3]; [6, 5]", "[12, 15]"),
    "hypot": ("The length of the hypotenuse over two sides: ``sqrt(input**2 + other**2)``.", "[3.0]; [4.0]", "[5.]"),
    "nextafter": (
        "The next number that the dtype has after ``input`` in the direction of ``other``.",
        "[1.0]; [2.0]",
        "[1.0000]",
    ),
    # Rounding.
    "floor": ("The largest whole number that is not above each element.", "[1.5, -1.5]", "[ 1., -2.]"),
    "ceil": ("The smallest whole number that is not below each element.", "[1.5, -1.5]", "[ 2., -1.]"),
    "trunc": ("Each element without what stands behind its point.", "[1.5, -1.5]", "[ 1., -1.]"),
    "frac": ("What stands behind the point of each element, with its sign.", "[1.5, -1.5]", "[ 0.5000, -0.5000]"),
    # Exponentials and logarithms.
    "exp": ("e to the power of each element.", "[0.0, 1.0]", "[1.0000, 2.7183]"),
    "exp2": ("2 to the power of each element.", "[0.0, 3.0]", "[1., 8.]"),
    "expm1": ("``exp(input) - 1``, exact for small elements too.", "[0.0, 1.0]", "[0.0000, 1.7183]"),
    "log": ("The natural logarithm of each element; -inf for 0, nan for negative ones.", "[1.0, 2.0]", "[0.0000, 0.6931]"),
    "log2": ("The logarithm of each element to base 2.", "[1.0, 8.0]", "[0., 3.]"),
    "log10": ("The logarithm of each element to base 10.", "[1.0, 10.0]", "[0., 1.]"),
    "log1p": ("``log(1 + input)``, exact for small elements too.", "[0.0, 1.0]", "[0.0000, 0.6931]"),
    "logaddexp": (
        "``log(exp(input) + exp(other))`` without overflow.",
        "[0.0, 1000.0]; [0.0, 1000.0]",
        "[6.9315e-01, 1.0007e+03]",
    ),
    "logaddexp2": (
        "``log2(2**input + 2**other)`` without overflow.",
        "[0.0, 1000.0]; [0.0, 1000.0]",
        "[1.0000e+00, 1.0010e+03]",
    ),
    "sigmoid": ("``1 / (1 + exp(-input))``: between 0 and 1.", "[0.0, 2.0]", "[0.5000, 0.8808]"),
    "relu": ("Each element, or 0 where it is negative.", "[-1.0, 2.0]", "[0., 2.]"),
    # Circular and hyperbolic functions.
    "sin": ("The sine of each element, an angle in radians.", "[0.0, 1.0]", "[0.0000, 0.8415]"),
    "cos": ("The cosine of each element, an angle in radians.", "[0.0, 1.0]", "[1.0000, 0.5403]"),
    "tan": ("The tangent of each element, an angle in radians.", "[0.0, 1.0]", "[0.0000, 1.5574]"),
    "asin": ("The angle in radians whose sine each element is; nan outside of [-1, 1].", "[0.0, 1.0]", "[0.0000, 1.5708]"),
    "acos": ("The angle in radians whose cosine each element is; nan outside of [-1, 1].", "[0.0, 1.0]", "[1.5708, 0.0000]"),
    "atan": ("The angle in radians whose tangent each element is.", "[0.0, 1.0]", "[0.0000, 0.7854]"),
    "atan2": (
        "The angle in radians of the point (``other``, ``input``), from -pi to pi.",
        "[1.0, -1.0]; [1.0, -1.0]",
        "[ 0.7854, -2.3562]",
    ),
    "sinh": ("The hyperbolic sine of each element.", "[0.0, 1.0]", "[0.0000, 1.1752]"),
    "cosh": ("The hyperbolic cosine of each element.", "[0.0, 1.0]", "[1.0000, 1.5431]"),
    "tanh": ("The hyperbolic tangent of each element: between -1 and 1.", "[0.0, 1.0]", "[0.0000, 0.7616]"),
    "asinh": ("The number whose hyperbolic sine each element is.", "[0.0, 1.0]", "[0.0000, 0.8814]"),
    "acosh": ("The number whose hyperbolic cosine each element is; nan below 1.", "[1.0, 2.0]", "[0.0000, 1.3170]"),
    "atanh": ("The number whose hyperbolic tangent each element is; nan outside of [-1, 1].", "[0.0, 0.5]", "[0.0000, 0.5493]"),
    "sinc": ("``sin(pi * input) / (pi * input)``, and 1 at 0.", "[0.0, 0.5]", "[1.0000, 0.6366]"),
    "deg2rad": ("Angles in degrees as angles in radians.", "[0.0, 180.0]", "[0.0000, 3.1416]"),
    "rad2deg": ("Angles in radians as angles in degrees.", "[0.0, 1.0]", "[ 0.0000, 57.2958]"),
    # Comparisons and logic: the results are bool.
    "eq": ("Whether elements are equal.", "[1, 2]; [1, 3]", "[ True, False]"),
    "ne": ("Whether elements differ.", "[1, 2]; [1, 3]", "[False,  True]"),
    "lt": ("Whether elements of ``input`` are below those of ``other``.", "[1, 2]; [1, 3]", "[False,  True]"),
    "le": ("Whether elements of ``input`` are below those of ``other`` or equal.", "[1, 2]; [1, 1]", "[ True, False]"),
    "gt": ("Whether elements of ``input`` are above those of ``other``.", "[1, 2]; [1, 1]", "[False,  True]"),
    "ge": ("Whether elements of ``input`` are above those of ``other`` or equal.", "[1, 2]; [1, 3]", "[ True, False]"),
    "logical_and": ("Whether both elements are not zero.", "[1, 0]; [2, 2]", "[ True, False]"),
    "logical_or": ("Whether one of the two elements is not zero.", "[1, 0]; [0, 0]", "[ True, False]"),
    "logical_xor": ("Whether just one of the two elements is not zero.", "[1, 0]; [2, 2]", "[False,  True]"),
    "logical_not": ("Whether each element is zero.", "[1, 0]", "[False,  True]"),
    "isnan": ("Whether each element is nan.", "[1.0, torch.nan]", "[False,  True]"),
    "isinf": ("Whether each element is inf or -inf.", "[1.0, -torch.inf]", "[False,  True]"),
    "isfinite": ("Whether each element is neither inf, -inf nor nan.", "[1.0, torch.inf]", "[ True, False]"),
    "isposinf": ("Whether each element is inf.", "[1.0, torch.inf]", "[False,  True]"),
    "isneginf": ("Whether each element is -inf.", "[1.0, -torch.inf]", "[False,  True]"),
    "isreal": ("Whether each element has no imaginary part.", "[1 + 0j, 1j]", "[ True, False]"),
    "maximum": ("The larger of two elements; nan where one is nan.", "[1.0, 4.0]; [3.0, 2.0]", "[3., 4.]"),
    "minimum": ("The smaller of two elements; nan where one is nan.", "[1.0, 4.0]; [3.0, 2.0]", "[1., 2.]"),
    "fmax": ("The larger of two elements; the other where one is nan.", "[1.0, torch.nan]; [3.0, 2.0]", "[3., 2.]"),
    "fmin": ("The smaller of two elements; the other where one is nan.", "[1.0, torch.nan]; [3.0, 2.0]", "[1., 2.]"),
    # Bits of integers.
    "bitwise_and": ("The bits that both elements have.", "[6]; [3]", "[2]"),
    "bitwise_or": ("The bits that one of the two elements has.", "[6]; [3]", "[7]"),
    "bitwise_xor": ("The bits that just one of the two elements has.", "[6]; [3]", "[5]"),
    "bitwise_not": ("Each element with all of its bits turned.", "[0, 5]", "[-1, -6]"),
    "bitwise_left_shift": ("Elements with their bits moved up by ``other`` places.", "[3]; [2]", "[12]"),
    "bitwise_right_shift": ("Elements with their bits moved down by ``other`` places.", "[12]; [2]", "[3]"),
    # Special functions.
    "erf": ("The error function of each element.", "[0.0, 1.0]", "[0.0000, 0.8427]"),
    "erfc": ("1 less the error function of each element, exact for large ones too.", "[0.0, 1.0]", "[1.0000, 0.1573]"),
    "erfinv": ("The number whose error function each element is; nan outside of [-1, 1].", "[0.0, 0.5]", "[0.0000, 0.4769]"),
    "erfcx": ("``exp(input**2) * erfc(input)``, without overflow.", "[0.0, 10.0]", "[1.0000, 0.0561]"),
    "lgamma": ("The logarithm of the absolute value of the gamma function.", "[1.0, 4.0]", "[0.0000, 1.7918]"),
    "digamma": ("The derivative of the logarithm of the gamma function.", "[1.0, 4.0]", "[-0.5772,  1.2561]"),
    "igamma": ("The regularized lower incomplete gamma function, ``input`` being its parameter.", "[4.0]; [3.0]", "[0.3528]"),
    "igammac": ("The regularized upper incomplete gamma function, ``input`` being its parameter.", "[4.0]; [3.0]", "[0.6472]"),
    "zeta": ("The Hurwitz zeta function: the sum of ``(k + other)**-input`` over k = 0, 1, ...", "[2.0]; [1.0]", "[1.6449]"),
    "xlogy": ("``input * log(other)``, and 0 where ``input`` is 0.", "[0.0, 2.0]; [0.0, 3.0]", "[0.0000, 2.1972]"),
    "xlog1py": ("``input * log1p(other)``, and 0 where ``input`` is 0.", "[0.0, 2.0]; [-1.0, 3.0]", "[0.0000, 2.7726]"),
    "entr": ("``-input * log(input)``, 0 at 0 and -inf below.", "[0.0, 0.5]", "[0.0000, 0.3466]"),
    "ndtri": (
        "The number below which standard normal ones are with the probability ``input``.",
        "[0.5, 0.975]",
        "[0.0000, 1.9600]",
    ),
    "log_ndtr": (
        "The logarithm of the probability that a standard normal number is below ``input``.",
        "[0.0, -40.0]",
        "[-6.9315e-01, -8.0461e+02]",
    ),
    "i0": ("The modified Bessel function of the first kind, of order 0.", "[0.0, 1.0]", "[1.0000, 1.2661]"),
    "i0e": ("``exp(-abs(input)) * i0(input)``.", "[0.0, 1.0]", "[1.0000, 0.4658]"),
    "i1": ("The modified Bessel function of the first kind, of order 1.", "[0.0, 1.0]", "[0.0000, 0.5652]"),
    "i1e": ("``exp(-abs(input)) * i1(input)``.", "[0.0, 1.0]", "[0.0000, 0.2079]"),
    "bessel_j0": ("The Bessel function of the first kind, of order 0.", "[0.0, 1.0]", "[1.0000, 0.7652]"),
    "bessel_j1": ("The Bessel function of the first kind, of order 1.", "[0.0, 1.0]", "[0.0000, 0.4401]"),
    "bessel_y0": ("The Bessel function of the second kind, of order 0.", "[1.0, 2.0]", "[0.0883, 0.5104]"),
    "bessel_y1": ("The Bessel function of the second kind, of order 1.", "[1.0, 2.0]", "[-0.7812, -0.1070]"),
    "modified_bessel_i0": ("The modified Bessel function of the first kind, of order 0.", "[0.0, 1.0]", "[1.0000, 1.2661]"),
    "modified_bessel_i1": ("The modified Bessel function of the first kind, of order 1.", "[0.0, 1.0]", "[0.0000, 0.5652]"),
    "modified_bessel_k0": ("The modified Bessel function of the second kind, of order 0.", "[1.0, 2.0]", "[0.4210, 0.1139]"),
    "modified_bessel_k1": ("The modified Bessel function of the second kind, of order 1.", "[1.0, 2.0]", "[0.6019, 0.1399]"),
    "scaled_modified_bessel_k0": ("``exp(x) * modified_bessel_k0(x)``.", "[1.0, 2.0]", "[1.1445, 0.8416]"),
    "scaled_modified_bessel_k1": ("``exp(x) * modified_bessel_k1(x)``.", "[1.0, 2.0]", "[1.6362, 1.0335]"),
    "spherical_bessel_j0": (
        "The spherical Bessel function of the first kind, of order 0: ``sin(x) / x``.",
        "[0.0, 1.0]",
        "[1.0000, 0.8415]",
    ),
    "airy_ai": ("The Airy function Ai.", "[0.0, 1.0]", "[0.3550, 0.1353]"),
    "chebyshev_polynomial_t": ("The Chebyshev polynomial of the first kind of degree ``n``.", "[0.5]; [2]", "[-0.5000]"),
    "chebyshev_polynomial_u": ("The Chebyshev polynomial of the second kind of degree ``n``.", "[0.5]; [2]", "[0.]"),
    "chebyshev_polynomial_v": ("The Chebyshev polynomial of the third kind of degree ``n``.", "[0.5]; [2]", "[-1.]"),
    "chebyshev_polynomial_w": ("The Chebyshev polynomial of the fourth kind of degree ``n``.", "[0.5]; [2]", "[1.]"),
    "shifted_chebyshev_polynomial_t": (
        "The Chebyshev polynomial of the first kind of degree ``n`` at ``2 * x - 1``.",
        "[0.5]; [2]",
        "[-1.]",
    ),
    "shifted_chebyshev_polynomial_u": (
        "The Chebyshev polynomial of the second kind of degree ``n`` at ``2 * x - 1``.",
        "[0.5]; [2]",
        "[-1.]",
    ),
    "shifted_chebyshev_polynomial_v": (
        "The Chebyshev polynomial of the third kind of degree ``n`` at ``2 * x - 1``.",
        "[0.5]; [2]",
        "[-1.]",
    ),
    "shifted_chebyshev_polynomial_w": (
        "The Chebyshev polynomial of the fourth kind of degree ``n`` at ``2 * x - 1``.",
        "[0.5]; [2]",
        "[-1.]",
    ),
    "hermite_polynomial_h": ("The physicists' Hermite polynomial of degree ``n``.", "[0.5]; [2]", "[-1.]"),
    "hermite_polynomial_he": ("The probabilists' Hermite polynomial of degree ``n``.", "[0.5]; [2]", "[-0.7500]"),
    "laguerre_polynomial_l": ("The Laguerre polynomial of degree ``n``.", "[0.5]; [2]", "[0.1250]"),
    "legendre_polynomial_p": ("The Legendre polynomial of degree ``n``.", "[0.5]; [2]", "[-0.1250]"),
}


def description(op: str, name: str, space: str = "torch") -> str:
    """The docstring of the function ``name`` that is the op ``op`` of the table, or of its method."""
    text, given, result = _TABLE[op]
    arguments = ", ".join(f"torch.tensor({numbers})" for numbers in given.split("; "))
    return f"""{text if name == op else f"Another name of :func:`{op}`. {text}"}

    >>> import rushlight as torch
    >>> {space}.{name}({arguments})
    tensor({result})
    """
