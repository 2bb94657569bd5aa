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
        r"(last dimension with stride 1|stride divisible by 2 for all but last dimension)\n(?s:.*)(view_as_real|\.real|\.imag)",
        "PyTorch does not find nothing contiguous: its own accident",
    ),
    (
        r"no error at [^\n]*\.view\(torch\.\w+\)[^\n]*\n# RuntimeError: self\.stride\(-1\) must be 1 [^\n]*\n(?s:.*)(\[\][^\n]*\[::2\]|0\))",
        "strides of nothing: NumPy's arrays without elements have none, PyTorch's keep those of the slice",
    ),
    (
        r"no error at [^\n]*(jvp|jacfwd|hessian|linearize)\([^\n]*cdist\([^\n]*\n# NotImplementedError: [^\n]* forward AD with _cdist_forward",
        "PyTorch has no forward derivative of distances, which here follows from the rule",
    ),
    (
        r"no error at [^\n]*vmap[^\n]*\n# IndexError: select\(\): index 0 out of range for tensor of size \[0",
        "PyTorch looks at the first example for the dtype of a result, and a batch of nothing has none",
    ),
    (
        r"# \w+: \d+/\d+ differ, at \[[\d, ]*\]: (?:-([\d.infe+]+) for \1|([\d.infe+]+) for -\2)\n"
        r"(?s:.*)(copysign|atan2|angle| / |div|reciprocal|\*\* )",
        "the sign of zero or nan, made visible by copysign, atan2 or 1 / x",
    ),
    (
        r"(value|grad) at (?s:.*)\n(\w+), \w+ = torch\.func\.jvp\((?s:.*)\n[^\n]*(grad\([^\n]*\[[^\n]*\b\2\b|inputs=\[\2\]|\b\2\.retain_grad)",
        "PyTorch's jvp hands out an alias of the primal result, whose gradient is another's",
    ),
    (
        r"value at [^\n]*(jvp|make_dual|hessian|jacfwd)\([^\n]*\b(\w+)\b[^\n]*\n(?s:.*)\n"
        r"(\2 = [^\n]*(as_strided|expand\(|unfold\()|(\w+) = [^\n]*as_strided(?s:.*)\n\2\b[^\n]* = copy\.deepcopy\([^\n]*\b\5\b)",
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
        r"value at [^\n]*\.mode\((?s:.*)layer_norm\((?s:.*)autograd\.grad\((\w+)\.sum\(\)",
        "the gradient of the sum of normalized rows is zero: mode finds which of its roundings is most frequent",
    ),
    (
        r"(value|grad) at (?s:.*)(cross\((\w), \3\)|cross\(t, u\)\)\((\w), \4\)|sinc\((?s:.*)(log| % )|i0\((?s:.*)(trunc|floor|ceil))",
        "nothing but rounding, made visible by what divides by it, cuts it off or asks for its sign",
    ),
    (
        r"value at (?s:.*)bfloat16(?s:.*)special\.i0e\(",
        "PyTorch computes it in bfloat16 where it has a single number, and is off by a last digit",
    ),
    (
        r"value at `\w+ = \w+\.storage_offset\(\)`\n# \w+: 0 for [1-9]\d*\n(?s:.*)(\[\]|: *0\]|0:0|zeros\(0|empty)",
        "where a part of nothing would lie: NumPy's arrays without elements have no place",
    ),
    (
        r"value at [^\n]*torch\.func\.jacrev\(lambda t: torch\.cdist\(t, 2 \* t\)\)",
        "PyTorch's own torch.autograd.functional.jacobian gives what is given here, its jacrev loses the second argument's part",
    ),
    (
        r"(grad at |value at [^\n]*autograd\.grad)(?s:.*)torch\.sparse\.softmax\((?s:.*)\.to_dense\(\)",
        "rows of a softmax sum to 1, so that the gradient of their sum is zero: PyTorch's sparse one is not",
    ),
    (
        r"(grad at |value at (?![^\n]*create_graph=True)[^\n]*autograd\.grad)(?s:.*)linalg\.det\(",
        "the gradient of a determinant that is zero: PyTorch has none there, but with create_graph=True",
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
        r"value at `the end`\n# kept: [^\n]*for a list of \d+\n(?s:.*)torch\._foreach_",
        "PyTorch's functions over lists have one node: where one result is differentiated, what the others hang on gets zeros, hooks too",
    ),
    (
        r"value at [^\n]*vmap\(torch\.vmap\(lambda t: t\.roll\(1\)",
        "PyTorch rolls numbers, of a batch of batches, into each other: each rolled alone stays what it is",
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
        r"value at `\w+ = \w+\.view\(torch\.u?int\d+\)`\n(?s:.*)( \*\* |(softmax|exp|log|tan|sin|cos|sigmoid|erf)\w*\()",
        "a last digit of a power or of a function that is rounded, made visible by the bits that it is stored in",
    ),
    (
        r"value at [^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: [\d.e+-]+ for nan\n(?s:.*)(hessian|jacrev|jacfwd)\([^\n]*\.prod\(",
        "PyTorch's third derivative of a product is nan where a factor is zero: that of x * y * z in x, y and z is 1",
    ),
    (
        r"value at [^\n]*(linalg\.qr|geqrf)\([^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: [-\d.infe+]+ for nan\n",
        "reflections of a column that is infinite: LAPACK of PyTorch has nan where NumPy's has its norm, or leaves the next column",
    ),
    (
        r"grad at [^\n]*\n# [\w.]+: \d+/\d+ differ, at \[[\d, ]*\]: nan for [^\n]*\n(?s:.*)view_as_real\((?s:.*)fft\.rfft|"
        r"grad at [^\n]*\n# [\w.]+: \d+/\d+ differ, at \[[\d, ]*\]: nan for [^\n]*\n(?s:.*)view_as_real\(torch\.fft\.rfft",
        "imaginary parts of a gradient that are nan: PyTorch's transform over the whole spectrum keeps them out of the first number",
    ),
    (
        r"value at [^\n]*func\.linearize\((?s:.*)\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: [^\n]* for -?0\.0\n(?s:.*)inference_mode",
        "PyTorch's linearize loses the values of a tensor made in inference mode: of its clone it gives what is given here",
    ),
    (
        r"value at `the end`(?s:.*)\n(\w+), (\w+) = [^\n]*(?:chunk|split)\([^\n]*\n(?s:.*)torch\.\w+\(\1\b[^\n]*out=\2\b",
        "an `out=` that is made larger reaches into the memory of the input: PyTorch reads there what it has written before",
    ),
    (
        r"(value|grad) at (?s:.*)func\.jvp\([^\n]*layer_norm\((?s:.*)(backward\(|grad\()",
        "PyTorch's derivative of the tangent of layer_norm is not what differences say, nor what its own functional.jvp gives",
    ),
    (
        r"value at [^\n]*jacrev\(torch\.func\.jacfwd\([^\n]*vector_norm\([^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: -?0\.0 for nan\n",
        "PyTorch's jacrev(jacfwd) of a norm is nan at zero: its own three other orders give the zeros that are given here",
    ),
    (
        r"value at `the end`\n# (\w+): (?s:.*)float16(?s:.*)torch\.matmul\([^\n]*\b\1\b[^\n]*, out=\1\)$",
        "a product in half precision that is written over its own factor: PyTorch reads there what it has written before",
    ),
    (
        r"no error at [^\n]*vmap\(torch\.vmap\([^\n]*(mse_loss|smooth_l1_loss)\([^\n]*\(None, 0\)\), \(0, None\)\)[^\n]*\n"
        r"# RuntimeError: (The size of tensor a|shape '\[)",
        "PyTorch folds the batches of only one side of a loss: the mean of squares written out it gives as it is given here",
    ),
    (
        r"no error at [^\n]*func\.linearize\([^\n]*(cov|corrcoef)\([^\n]*\n# RuntimeError: It appears that you're trying to get value out",
        "PyTorch's linearize traces the tangent and cannot look at numbers: its own jvp gives what is given here",
    ),
    (
        r"no error at [^\n]*func\.linearize\([^\n]*logcumsumexp\([^\n]*\n# RuntimeError: a leaf Variable that requires grad",
        "PyTorch's linearize writes into its own leaf: of the same tensor detached, and by jvp, it gives what is given here",
    ),
    (
        r"no error at [^\n]*backward\([^\n]*\n# RuntimeError: Either your tensor may have escaped(?s:.*)vmap\([^\n]*checkpoint\(",
        "PyTorch computes again what it has saved in vmap after the end of that: checkpoint(vmap(f)) it gives as it is given here",
    ),
    (
        r"value at [^\n]*special\.airy_ai\(",
        "Airy's function below -2.09: PyTorch's Ai(-2.5) is -0.1123248, that of tables and of SciPy -0.1123251",
    ),
    (
        r"value at (?s:.*)\n\w+ = torch\.tensor\([^\n]*dtype=torch\.complex(?:64|128)(?s:.*)"
        r"((\b\w) / \2\b|torch\.div\((\w), \3\)|\b(\w)\.div_\(\4\))",
        "PyTorch's AVX2 and AVX-512 kernels leave 1e-17 of a complex number by itself; with ATEN_CPU_CAPABILITY=default, as here, nothing",
    ),
    (
        r"grad at [^\n]*\n# [\w.]+: \d+/\d+ differ, at \[[\d, ]*\]: nan for -?0\.0\n(?s:.*)(l1_loss|\.abs\(|sgn\()(?s:.*)create_graph=True",
        "the derivative of sgn is PyTorch's tensor of zeros without memory, which stays zero times infinity: that of its sign gives nan",
    ),
    (
        r"value at [^\n]* / [^\n]*\n(?s:.*)\n(\w+) = [^\n]*layer_norm\((?s:.*)\n\w+ = \1\.mean\(",
        "means of normalized rows are zero: nothing but rounding, which something is divided by",
    ),
    (
        r"value at [^\n]*\n# \w+: (?s:.*)\n(\w+) = [^\n]*softmax\((?s:.*)autograd\.grad\(\1\.(?:mean|sum)\(\)(?s:.*)( / |div_?\()",
        "the gradient of the mean of a softmax is zero: nothing but rounding, which something is divided by",
    ),
    (
        r"value at [^\n]*eigvalsh\([^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: nan for -?\d",
        "eigenvalues of a matrix that holds nan: LAPACK of PyTorch looks past it",
    ),
    (
        r"grad_fn at [^\n]*\n# [^\n]* for RuntimeError\('new_fn INTERNAL ASSERT FAILED",
        "PyTorch asks to be told of a fault of its own when the node of such a view is looked at",
    ),
    (
        r"error at [^\n]*nll_loss\([^\n]*\n# 'ValueError: Expected input batch_size \(\d+\) to match target batch_size \(0\)\.' for",
        "the size of a dimension that a number does not have: PyTorch reads what its memory held before",
    ),
    (
        r"dtype at [^\n]*\n?[^\n]*make_dual\((?s:.*)(MSELoss|mse_loss)",
        "PyTorch copies a tangent, to the primal's dtype, where the primal's memory is larger, as that of a reduced loss is",
    ),
    (
        r"value at `\w+ = torch\.(ceil|floor|trunc)\([^\n]*\n(?s:.*)cosine_similarity\((\w), \2\)",
        "a last digit of the cosine of what is parallel, made visible by what cuts it off",
    ),
]


# Results whose elements may share places, and what is made of those.
_SHARING = re.compile(r"expand|broadcast_|as_strided|meshgrid|unfold\(")


def writes_to_shared_places(report: str) -> bool:
    """Whether the program writes to a tensor, or a view, in which elements share places: the outcome is the order of writes."""
    if not re.match(r"# seed \d+: (value|grad) at ", report):
        return False
    shared: set[str] = set()
    for line in re.split(r"\n(?! )", report.partition("\n\n")[2]):
        made = re.match(r"(?:with [^\n]*\n\s+)?(\w+(?:, \w+)*) = (.*)", line, re.DOTALL)
        names = set(re.findall(r"\w+", line if made is None else made[2]))
        if made is not None:
            if _SHARING.search(made[2]) or (names & shared and re.match(r"\w+(\.\w+\(|\[|\.m?T\b)", made[2])):
                shared |= set(made[1].split(", "))
        elif re.search(r"\w_\(|\] [-+*/]?= | [-+*/|&]= |out=|\boptim\.\w+\(.*\.step\(", line) and (
            names & shared or _SHARING.search(line)
        ):
            return True
    return False


def known(report: str) -> str | None:
    """The reason for a difference, if it is one of those."""
    if writes_to_shared_places(report):
        return "elements share places, and the outcome is the order of writes"
    return next((reason for pattern, reason in KNOWN if re.search(pattern, report)), None)
