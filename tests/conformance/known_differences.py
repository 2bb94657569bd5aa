"""Causes of differences between random programs on rushlight and on PyTorch that are known, each with its reason.

A pattern is searched for in the shortened program's report: `kind at line`, the detail, and its lines. A fresh program that
differs in value or gradient for none of them, and not by a last digit of its leaves, fails the tests.
"""

from __future__ import annotations

import re

KNOWN = [
    (
        r"error at [^\n]*\n# 'IndexError: index -?\d+ is out of bounds for dimension 0 with size 0' for "
        r"'IndexError: (index -?\d+ is out of bounds for dimension 0 with size \d+|select\(\) cannot be applied to a 0-dim tensor\.)'",
        "the size of a dimension that a number does not have: PyTorch reads what its memory held before",
    ),
    (
        r"(value|grad|raises|error) at (?s:.*)masked_scatter_?\(",
        "too few values, or the tensor's own: PyTorch has written some elements by the time it refuses or reads",
    ),
    (
        r"last dimension with stride 1\n(?s:.*)(view_as_real|\.real|\.imag)",
        "PyTorch does not find nothing contiguous: its own accident",
    ),
    (
        r"no error at [^\n]*vmap[^\n]*\n# IndexError: select\(\): index 0 out of range for tensor of size \[0",
        "PyTorch looks at the first example for the dtype of a result, and a batch of nothing has none",
    ),
    (
        r"# \w+: \d+/\d+ differ, at \[[\d, ]*\]: (-?)([\d.infe+]+) for (?!\1)-?\2\n(?s:.*)(copysign|atan2|angle| / |div|reciprocal|\*\* )",
        "the sign of zero or nan, made visible by copysign, atan2 or 1 / x",
    ),
    (
        r"(value|grad) at (?s:.*)(broadcast_to|expand\(|as_strided|meshgrid)(?s:.*)(\w_\(|\] [-+*]?= )",
        "elements share places, and the outcome is the order of writes",
    ),
    (
        r"(value|grad) at (?s:.*)\w+, \w+ = torch\.func\.jvp(?s:.*)(autograd\.grad\(|inputs=|retain_grad)",
        "PyTorch's jvp hands out an alias of the primal result, whose gradient is another's",
    ),
    (
        r"differ, at \[[\d, ]*\]: (True|False) for (?s:.*)(exp|log)(?s:.*)(logical_not|== |!= )",
        "a last digit of exp or log, made visible by a comparison with a whole number",
    ),
    (
        r"value at [^\n]*(jvp|make_dual|hessian|jacfwd)(?s:.*)(as_strided|expand\()",
        "PyTorch lays a tangent out as what it belongs to, also where elements share places: they are written over",
    ),
    (
        r"(value|grad) at (?s:.*)resize_",
        "memory that nothing has been written to",
    ),
    (
        r"grad at (?s:.*)(from_dlpack|\.numpy\(\)|memoryview)(?s:.*)(\.fill\(|\] = )",
        "what was saved has been written to by an export, which no version counts: which values are saved is not compared",
    ),
    (
        r"grad at (?s:.*)arange\(\d{5}(?s:.*)(layer_norm(?s:.*)(sum|mean)\(\)\.backward|sum\((?s:.*) / \()",
        "what cancels out in 1e5 to 1e6 numbers: nothing but rounding is left",
    ),
    (
        r"value at `\w+ = \w+\.(sum|mean)\([^`]*\)`(?s:.*)arange\(\d{5}(?s:.*)layer_norm\("
        r"|value at `\w+ = [^`]*layer_norm(?s:.*)arange\(\d{5}[^\n]*\n(?s:.*)sum\(",
        "what cancels out in 1e5 to 1e6 numbers: nothing but rounding is left",
    ),
    (
        r"value at `the end`\n(?s:.*)with torch\.inference_mode\((?:True)?\):\n    (\w+) = (?s:.*)\n"
        r"(?:\1\S*\.\w+_\(|\1\[[^\n]*\] = |\1 [-+*/]= |\w+ = doubled_\(\1|(?:[^\n]*\n)*? *torch\.\w+\([^\n]*, out=\1\))",
        "an inference tensor that PyTorch refuses to write to has been written to by then",
    ),
    (
        r"value at [^\n]*\.mode\((?s:.*)layer_norm\((?s:.*)autograd\.grad\((\w+)\.sum\(\)",
        "the gradient of the sum of normalized rows is zero: mode finds which of its roundings is most frequent",
    ),
    (
        r"cross\((\w), \1\)|sinc\((?s:.*)log|i0\((?s:.*)(trunc|floor|ceil)",
        "nothing but rounding, made visible by what divides by it, cuts it off or asks for its sign",
    ),
    (
        r"value at (?s:.*)bfloat16(?s:.*)special\.i0e\(",
        "PyTorch computes it in bfloat16 where it has a single number, and is off by a last digit",
    ),
    (
        r"dtype at [^\n]*\n# \w+: ('torch\.complex64' for 'torch\.complex32'|'torch\.float32' for 'torch\.float16'\n(?s:.*)torch\.complex\()",
        "there are no half-precision complex numbers",
    ),
    (
        r"(?s)linalg\.det.*grad: |grad at .*linalg\.det|value at [^\n]*autograd\.grad.*linalg\.det",
        "the gradient of a determinant that is zero: PyTorch has none there",
    ),
    (
        r"value at [^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: nan for [^\n]*\n(?s:.*)logaddexp2\((?s:.*)(div_?\(| / )",
        "PyTorch rounds logaddexp2 once, and leaves 5e-17 of -1 and -1: nothing but rounding, divided by itself",
    ),
    (
        r"value at (?s:.*)\n(\w+), \w+ = torch\.func\.jvp\((?s:.*)\n\1\.grad_fn\.register_hook\(",
        "PyTorch's jvp hands out an alias, whose node does not see what arrives by way of the tangent",
    ),
    (
        r"value at `the end`\n# kept(?s:.*)linalg\.det\((?s:.*)register_hook",
        "the gradient of a determinant that is zero: PyTorch has none there",
    ),
    (
        r"no error at [^\n]*\n# _LinAlgError: linalg\.svd: [^\n]*ill-conditioned(?s:.*)( / |reciprocal|\*\* |log)",
        "LAPACK's search for the singular values of an infinite matrix, which PyTorch begins: here they are nan",
    ),
    (
        r"value at [^\n]*jac(?:rev|fwd)\(torch\.func\.jacfwd\([^\n]*linalg\.solve\(",
        "PyTorch's second derivative is not symmetric there, and not what differences and its own jacfwd(jacrev) say",
    ),
    (
        r"value at [^\n]*jacfwd\(torch\.func\.jacfwd\([^\n]*linalg\.det\(",
        "PyTorch's forward over forward of a determinant is not what differences, its own hessian and jacrev(jacrev) say",
    ),
    (
        r"(shape|value) at (?s:.*)\.(cat|concat|hstack|vstack|column_stack)\(\[(\w+), \w+\][^\n]*, out=\3\)",
        "PyTorch has given out= another size by the time it refuses what it would read from it",
    ),
    (
        r"value at `\w+ = \w+\.view\(torch\.u?int\d+\)`\n(?s:.*)(softmax| \*\* |exp|log)",
        "a last digit of a power or a logarithm, made visible by the bits that it is stored in",
    ),
    (
        r"value at [^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: [\d.e+-]+ for nan\n(?s:.*)(hessian|jacrev|jacfwd)\([^\n]*\.prod\(",
        "PyTorch's third derivative of a product is nan where a factor is zero: that of x * y * z in x, y and z is 1",
    ),
    (
        r"value at `\w+, (\w+) = torch\.linalg\.eigh\(\((\w+) @ \2\.mT [^\n]*\n# \1: (?s:.*)\2 = torch\.(nan)?quantile\(",
        "the matrix of a single column has an eigenvalue twice, whose vectors may be turned",
    ),
]


def known(report: str) -> str | None:
    """The reason for a difference, if it is one of those."""
    return next((reason for pattern, reason in KNOWN if re.search(pattern, report)), None)
