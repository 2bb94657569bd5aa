"""Causes of differences between random programs on rushlight and on PyTorch that are known, each with its reason.

A pattern is searched for in the shortened program's report: `kind at line`, the detail, and its lines. Where there is one, PyTorch
must then do the same once it goes another way of its own (program_ways.py): all of the program, but for the nodes it records.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Cause(NamedTuple):
    pattern: str
    reason: str
    way: str | None = None


KNOWN = [
    Cause(
        r"error at [^\n]*\n# '(IndexError: index -?\d+ is out of bounds for dimension 0 with size 0"
        r"|ValueError: Expected input batch_size \(\d+\) to match target batch_size \(0\)\.)' for",
        "the size of a dimension that a number does not have: PyTorch reads what its memory held before",
        "numbers made anew",
    ),
    Cause(
        r"last dimension with stride 1|stride divisible by 2 for all|self\.stride\((-1\) must be 1|\d\) must be divisible by)"
        r"|storage_offset\(\)`\n# \w+: 0 for",
        "strides and places of nothing: NumPy's arrays without elements have none, PyTorch's keep those of the slice",
        "nothing laid out anew",
    ),
    Cause(
        r"(value at |no error at [^\n]*\n# NotImplementedError: )(?s:.*)func\.\w+\([^\n]*cdist\(",
        "PyTorch has no forward derivative of distances, and its jacrev loses the second argument's part",
        "distances written out",
    ),
    Cause(
        r"no error at [^\n]*vmap[^\n]*\n# IndexError: select\(\): index 0 out of range for tensor of size \[0",
        "PyTorch looks at the first example for the dtype of a result, and a batch of nothing has none",
    ),
    Cause(
        r"((value|shape) at [^\n]*vmap\(torch\.vmap\(|no error at [^\n]*vmap\(torch\.vmap\([^\n]*_loss\("
        r"|no error at [^\n]*\n# RuntimeError: Either your tensor may have escaped(?s:.*)checkpoint\()",
        "PyTorch's vmap rolls numbers of a batch of batches into each other, folds the batches of one side of a loss only, and computes "
        "a checkpoint again outside of itself",
        "a loop",
    ),
    Cause(
        r"(value|shape|no error) at [^\n]*vmap\(lambda [^\n]*: torch\.\w+\(\d[^\n]*out_dims=[^0N]",
        "PyTorch lays a result that is the same for all examples out by the sizes of a batch that is not the first dimension",
        "a loop",
    ),
    Cause(
        r"(value|grad) at (?s:.*)func\.jvp\(",
        "PyTorch's jvp hands out an alias of the primal result, whose gradient and hooks are another's",
        "primals apart",
    ),
    Cause(
        r"(value at |no error at [^\n]*\n# RuntimeError: (It appears that you're trying to get value out|a leaf Variable))(?s:.*)linearize\(",
        "PyTorch's linearize traces the tangent, loses tensors of inference mode, writes into leaves and cannot look at numbers",
        "linearize by jvp",
    ),
    Cause(
        r"(raises|error) at [^\n]*linearize\([^\n]*\n# [^\n]*jvp\(f, primals, tangents\): expected f",
        "PyTorch's linearize takes what is no tensor for a result, or is at odds with its own tracing",
        "linearize by jvp",
    ),
    Cause(
        r"(value|grad|dtype) at (?s:.*)(func\.(jvp|jacfwd|hessian|linearize)\(|make_dual\()",
        "PyTorch lays a tangent out as what it belongs to: where elements share places they are written over, and a copy has its dtype",
        "tangents apart",
    ),
    Cause(
        r"(value|grad) at (?s:.*)func\.(jvp|jacfwd|hessian)\([^\n]*(layer_norm|det|solve)\(",
        "PyTorch's forward derivatives of these have derivatives that are not those that its reverse passes, and differences, have",
        "reverse passes",
    ),
    Cause(
        r"differ, at \[[\d, ]*\]: [-\d.e+]+ for nan\n(?s:.*)func\.\w+\([^\n]*prod\(",
        "PyTorch's third derivative of a product is nan where a factor is zero: that of x * y * z in x, y and z is 1",
        "reverse passes",
    ),
    Cause(
        r"value at [^\n]*jacrev\(torch\.func\.jacfwd\([^\n]*vector_norm\([^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: -?0\.0 for nan\n",
        "PyTorch's jacrev(jacfwd) of a norm is nan at zero, its other orders give zeros",
        "forward for reverse",
    ),
    Cause(
        r"no error at [^\n]*\n# RuntimeError: [^\n]*modified by an inplace operation[^\n]* of MaskedFill,(?s:.*)(hessian|jacfwd)\(",
        "PyTorch fills a saved tangent of norms and deviations",
        "reverse passes",
    ),
    Cause(
        r"raises at [^\n]*conv_transpose\dd\([^\n]*\n# RuntimeError: Given input size per channel: ",
        "PyTorch's oneDNN gives results without elements, for float32 and more than one example; else it refuses as here",
    ),
    Cause(
        r"(value|grad) at (?s:.*)linalg\.det\(",
        "the gradient of a determinant that is zero, which PyTorch has with create_graph=True only, and second ones of its tangents",
        "det written out",
    ),
    Cause(
        r"(value|grad) at (?s:.*)torch\.sparse\.softmax\(",
        "rows of a softmax sum to 1, so that the gradient of their sum is zero: PyTorch's sparse one is not",
        "softmax of dense rows",
    ),
    Cause(
        r"(value at `the end`|error at [^\n]*\n# [^\n]*IndexError: select\(\))(?s:.*)torch\._foreach_",
        "PyTorch's functions over lists have one node, by which gradients of zeros reach all of them, and index lists as if they were rows",
        "one tensor after another",
    ),
    Cause(
        r"value at (?s:.*)(out=|\w_\()",
        "a write that reaches into the memory of what it reads: PyTorch reads there what it has written before",
        "inputs read first",
    ),
    Cause(
        r"(value|grad) at (?s:.*)([iI]nstance_?[nN]orm)",
        "PyTorch's gradient of an instance norm reads a cotangent laid out in channels last as if its input were, too",
        "instance norm row by row",
    ),
    Cause(
        r"(value|grad) at (?s:.*)optim\.\w+\([^\n]*\bfused=True",
        "PyTorch's fused optimizers take a parameter's memory line by line, with what lies between its elements",
        "steps not fused",
    ),
    Cause(
        r"no error at [^\n]*\n# RuntimeError: [^\n]*modified by an inplace operation[^\n]* of AsStrided,(?s:.*)torch\.vander\(",
        "PyTorch writes over powers that the backward pass of its torch.vander reads: no pass goes through it",
        "vander of linalg",
    ),
    Cause(
        r"no error at [^\n]*\n# RuntimeError: Sparse CSR tensors do not have strides(?s:.*)sparse\.mm\(\w+\.to_sparse_csr\(",
        "PyTorch's recorded backward pass asks compressed rows for strides: a pass that is not recorded has the gradient given here",
        "products of places",
    ),
    Cause(
        r"is a view at [^\n]*\.?(tile|repeat|stack)\([^\n]*\n# \w+: False for True(?s:.*)inference_mode\(\)",
        "PyTorch marks what is composed of views of a new tensor as a view where its operands are of inference mode: it is none",
        "operands of no inference",
    ),
    Cause(
        r"error at [^\n]*\n# 'RuntimeError: setStorage: (?s:.*)smooth_l1_loss\(",
        "the memory of PyTorch's mean of these has room for all losses, and as_strided may look at it",
        "losses copied",
    ),
    Cause(
        r"value at [^\n]*special\.airy_ai\(",
        "Airy's function below -2.09: PyTorch's Ai(-2.5) is -0.1123248, that of tables and of SciPy -0.1123251",
        "airy to all digits",
    ),
    Cause(
        r"value at [^\n]*\.view\(torch\.u?int\d+\)`\n",
        "a last digit of what is rounded, or the sign of nan, made visible by the bits that it is stored in",
        "numbers for bits",
    ),
    Cause(
        r"no error at [^\n]*\n# _LinAlgError: linalg\.svd: [^\n]*ill-conditioned(?s:.*)( / |reciprocal|\*\* |log)",
        "LAPACK's search for the singular values of an infinite matrix, which PyTorch begins: here they are nan",
    ),
    Cause(
        r"value at [^\n]*(linalg\.qr|geqrf)\([^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: [-\d.infe+]+ for nan\n",
        "reflections of a column that is infinite: LAPACK of PyTorch has nan where NumPy's has its norm, or leaves the next column",
    ),
    Cause(
        r"value at [^\n]*eigvalsh\([^\n]*\n# \w+: \d+/\d+ differ, at \[[\d, ]*\]: nan for -?\d",
        "eigenvalues of a matrix that holds nan: LAPACK of PyTorch looks past it",
    ),
    Cause(
        r"(?:grad_fn|error) at [^\n]*\n# [^\n]* for (?:RuntimeError\('|'RuntimeError: )new_fn INTERNAL ASSERT FAILED",
        "PyTorch asks to be told of a fault of its own when the node of such a view is looked at",
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


def known(report: str, agrees_by: Callable[[str], bool]) -> str | None:
    """The reason for a difference, if it is one of those; `agrees_by` says whether PyTorch, going a way, does the same."""
    if writes_to_shared_places(report):
        return "elements share places, and the outcome is the order of writes"
    for cause in KNOWN:
        if re.search(cause.pattern, report) and (cause.way is None or agrees_by(cause.way)):
            return cause.reason
    return None
