"""Pointwise ops: arithmetic, powers, exponentials, trigonometry, comparison. One line per derivative.

The rules hold for complex numbers too: the cotangent of a holomorphic function is ``g`` times the conjugate derivative.
"""

from __future__ import annotations

import numpy as np

from ..backend import pointwise as k
from .public import operator_method, publish
from .reading import conj
from .table import op

# Arithmetic.

op("add", np.add, promote="same", kind="linear", a=lambda g: g, b=lambda g: g)
op("sub", k.subtract, promote="same", kind="linear", a=lambda g: g, b=lambda g: -g)
op("rsub", k.reverse_subtract, node="RsubBackward1", promote="same", kind="linear", a=lambda g: -g, b=lambda g: g)
op("mul", np.multiply, promote="same", kind="bilinear", a=lambda g, b: g * conj(b), b=lambda g, a: g * conj(a))
op("div", k.divide, promote="float", a=lambda g, b: g / conj(b), b=lambda g, b, out: -g * conj(out / b))
op("neg", k.negative, promote="same", kind="linear", x=lambda g: -g)
