"""Of which dtype an ``out=`` must be, where a function casts nothing, and PyTorch's words for that."""

from __future__ import annotations

from ..autograd.interpreters import Args, Named
from ..base import dtypes
from ..tensor import Tensor
from .operands import tensors_among

# Functions whose ``out=`` must have the dtype of the result; all others cast.
EXACT_OUT = frozenset(
    "mm bmm matmul addmm addmv addbmm baddbmm inverse gather scatter scatter_add sort max min norm tril triu softmax log_softmax diag "
    "topk argmax argmin cross renorm index_add index_copy take_along_dim msort qr slogdet det inv inv_ex svd svdvals eigvalsh "
    "vector_norm solve solve_ex eigh aminmax linalg_cholesky cholesky_ex lu lu_factor lu_factor_ex lu_solve lu_unpack ldl_factor "
    "ldl_factor_ex triangular_solve".split()
)

# The same in words of their own: of the dtype that ``out=`` has ({0}, in C++ {2}) and of the result's ({1}, {3}).
NOT_SAME = {
    "index_select": ("index_select(): self and result must have the same scalar type",),
    "masked_select": ("masked_select(): self and result must have the same scalar type",),
    "take": ("take(): self and out expected to have the same dtype, but got self.dtype = {1} and out.dtype = {0}",),
    "where": ("Expected out type to be {1} but got {0}",),
    **dict.fromkeys(("dot", "vdot"), ("result dtype {0} does not match input dtype {1}",)),
    **dict.fromkeys(("quantile", "nanquantile"), ("quantile() out tensor must be same dtype as the input tensor",)),
    "histc": ("torch.histogram: input tensor and hist tensor should have the same dtype, but got input {3} and hist {2}",),
    **dict.fromkeys(
        ("inner", "tensordot"),
        ("tensordot: Expected the output tensor to have dtype {1}, but got an output tensor with dtype {0}",),
    ),
    "vecdot": ("linalg.vecdot: Expected out of dtype{1} but found {0}",),
    **dict.fromkeys(("multi_dot", "chain_matmul"), ("multi_dot(): expected out tensor to have dtype {3} but got {2}",)),
    **dict.fromkeys(
        "clamp clamp_min clamp_max clip gelu hardshrink lerp softplus softshrink".split(), ("Found dtype {0} but expected {1}",)
    ),
    "logsigmoid": ("expected scalar type {1} but found {0}",),
    "mv": ("addmv input tensors must have the same dtype, but got {0}, {1}, and {1}",),
    "heaviside": ("heaviside is not yet implemented for tensors with different dtypes.",),
    "linalg_matrix_norm": ("linalg.matrix_norm expected out tensor dtype {1} but got: {0}",),
    "linalg_norm": ("linalg.norm expected out tensor dtype {1} but got: {0}",),
    "solve_triangular": ("expected scalar type {1} but found {0}",),
    "ormqr": (
        "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{1} and result has dtype {0}",
    ),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type Long"),
    "mode": tuple(f"expected scalar type '{{1}}' but got '{{0}}' for {part} output" for part in ("values", "indices")),
    "frexp": (
        "torch.frexp() expects mantissa to have dtype {3} but got {2}",
        "torch.frexp() expects exponent to have int dtype but got {2}",
    ),
    **dict.fromkeys(
        ("median", "nanmedian"),
        (
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{0}Tensor does not "
            "equal torch.{1}Tensor (while checking arguments for median)",
            "Expected tensor for argument #1 'indices' to have scalar type {1}; but got {4} instead (while checking "
            "arguments for median)",
        ),
    ),
}


# What casts, but says in words of its own where it does not: its name, and what it calls its results.
SAFELY: dict[str, tuple[str, ...]] = {
    "eig": ("torch.linalg.eig", "eigenvalues", "eigenvectors"),
    "eigvals": ("torch.linalg.eigvals", "eigenvalues"),
    "lstsq": ("torch.linalg.lstsq", "solution", "solution", "rank", "singular_values"),
    "geqrf": ("torch.geqrf", "a", "tau"),
    **dict.fromkeys(("householder_product", "orgqr"), ("torch.linalg.householder_product", "result")),
    **{name: (f"linalg.{name}", "result") for name in ("pinv", "cond")},
    "pinverse": ("linalg.pinv", "result"),
    **{
        name: (name, "result") for name in "cholesky cholesky_inverse cholesky_solve matrix_power tensorinv tensorsolve".split()
    },
}
ASKED_FIRST = frozenset(("cholesky_inverse", "pinv", "pinverse", "tensorinv"))  # whatever else is wrong


def key_of(name: str, said: str, args: Args) -> str:
    """Under which name a function stands here: those of ``torch.linalg`` under theirs where ``torch`` has another of the name."""
    if name == "matmul":
        matrices = tuple(one._array.ndim > 1 for one in tensors_among(args))
        return "mv" if matrices == (True, False) else "dot" if not any(matrices) else name
    return said if said in NOT_SAME or said in EXACT_OUT else name


def casts_too(name: str, result: object, args: Args, kwargs: Named) -> bool:
    """Whether a function that has a form that casts nothing was called in one that does."""
    if name in ("min", "max"):
        return isinstance(result, Tensor)
    if name == "lerp":
        return len(list(tensors_among([*args, *kwargs.values()]))) < 3
    return name[:2] == "cl" and any(isinstance(bound, Tensor) for bound in [*args[1:], *kwargs.values()])


def refuse_first(key: str, target: object, value: Tensor) -> None:
    """What is said of an ``out=`` before a kernel says that it has no result, which is of the dtype of ``value``."""
    first = target[0] if isinstance(target, (tuple, list)) and target else target
    if not isinstance(first, Tensor):
        return
    if key in EXACT_OUT:
        check_same(key, first, value)
    elif key in SAFELY:
        check_safe(key, first, value)


def check_safe(name: str, target: Tensor, value: Tensor, place: int = 0) -> None:
    have, wanted = target.dtype, value.dtype
    if not dtypes.can_cast(wanted, have):
        said, word = SAFELY[name][0], SAFELY[name][place + 1]
        raise RuntimeError(
            f"{said}: Expected {word} to be safely castable from {wanted.scalar_name} dtype, but got {word} with dtype "
            f"{have.scalar_name}"
        )


def check_same(name: str, target: Tensor, value: Tensor, place: int = 0) -> None:
    have, wanted = target.dtype, value.dtype
    if have == wanted:
        return
    if name == "diag" and value._array.ndim == 2 and not dtypes.can_cast(wanted, have):  # a vector becomes a matrix
        raise RuntimeError(f"diag: result type {wanted.scalar_name} can't be cast to the desired out= type {have.scalar_name}")
    if name in NOT_SAME:
        words = have.scalar_name, wanted.scalar_name, have.c_name, wanted.c_name, have.type_in_errors
        raise RuntimeError(NOT_SAME[name][place].format(*words))
    raise RuntimeError(f"Expected out tensor to have dtype {wanted.c_name}, but got {have.c_name} instead")
