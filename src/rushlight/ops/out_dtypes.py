"""Of which dtype an ``out=`` must be, where a function casts nothing, and PyTorch's words for that."""

from __future__ import annotations

from ..tensor import Tensor

# Functions whose ``out=`` must have the dtype of the result; all others cast.
EXACT_OUT = frozenset(
    "mm bmm matmul mv addmm addmv addbmm baddbmm inverse gather scatter scatter_add sort max min norm tril triu softmax "
    "log_softmax diag topk argmax argmin cross renorm index_add index_copy take_along_dim msort qr slogdet det inv svdvals eigvalsh "
    "vector_norm solve eigh aminmax cholesky".split()
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
    "multi_dot": ("multi_dot(): expected out tensor to have dtype {3} but got {2}",),
    **dict.fromkeys(
        "clamp clamp_min clamp_max clip gelu hardshrink softplus softshrink".split(), ("Found dtype {0} but expected {1}",)
    ),
    "logsigmoid": ("expected scalar type {1} but found {0}",),
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
            "Expected tensor for argument #1 'indices' to have scalar type {1}; but got torch.{0}Tensor instead (while checking "
            "arguments for median)",
        ),
    ),
}


def check_same(name: str, target: Tensor, value: Tensor, place: int = 0) -> None:
    have, wanted = target.dtype, value.dtype
    if have == wanted:
        return
    if name in NOT_SAME:
        raise RuntimeError(NOT_SAME[name][place].format(have.scalar_name, wanted.scalar_name, have.c_name, wanted.c_name))
    raise RuntimeError(f"Expected out tensor to have dtype {wanted.c_name}, but got {have.c_name} instead")
