"""Sparse tensors beside PyTorch: values, the places at which they are kept, layouts, gradients and errors."""

from __future__ import annotations

import pytest
import torch

import rushlight
from rushlight.sparse import compressed_functions

FORMS = {
    "coo": "d.to_sparse()",
    "apart": "torch.sparse_coo_tensor([[0, 1, 0, 1, 1], [1, 0, 1, 2, 0]], [1.0, 1.0, 1.0, -4.0, 2.0], (2, 3))",
    "csr": "d.to_sparse_csr()",
    "csc": "d.to_sparse_csc()",
    "bsr": "d.to_sparse_bsr((1, 1))",
}
OTHERS = {"coo": "e.to_sparse()", "csr": "e.to_sparse_csr()", "csc": "e.to_sparse_csc()", "dense": "e"}
OF_ONE = [
    "-s", "s.abs()", "s.sin()", "s * 2", "2 * s", "s / 2", "s ** 2", "s.sum()", "torch.sparse.sum(s)", "torch.sparse.sum(s, 0)", "s.t()",
    "s.transpose(0, 1)", "s.mv(v)", "s @ v", "s @ m", "torch.sparse.mm(s, m)", "torch.ones(2, 2) @ s", "s.clone()", "s.double()", "s.int()",
    "s.to_dense()", "s.to_sparse_csr()", "s.to_sparse_coo()", "s[1, 2]", "s._nnz()", "s.isnan()", "torch.zeros_like(s)", "s.size()", "len(s)",
    "s.is_coalesced()", "s._values()", "s._indices()", "s.tanh()", "s.sign()", "s.sparse_dim()", "torch.nn.functional.linear(v, s)",
    "torch.smm(s, m)", "torch.hspmm(s, m)", "torch.sspaddmm(s, s, torch.ones(3, 3), beta=2, alpha=3)", "s.smm(m)",
    *(f"torch.sparse.{name}({x}, {dim})" for name in ("softmax", "log_softmax") for x in ("s", "h", "s.double()") for dim in (0, 1, -1, 2)),
    "torch.sparse.softmax(s.int(), 1)", "torch.sparse.softmax(s.half(), 1)", "torch.sparse.softmax(s.int(), 1, dtype=torch.float64)",
    *(f"torch.sparse.mm(s, m, '{how}')" for how in ("mean", "amax", "amin", "median")),
    *(f"torch.sparse.sampled_addmm({arguments})" for arguments in (
        "s, m.t()[:, :2].t(), m.t()", "s, m[:2], m.t()", "s, m[:2], m.t(), beta=2.0, alpha=0.5", "s, m[:2], m.t(), beta=0",
        "s, m[:2].double(), m.t()",
        "s, m[0], m.t()", "s, m, m.t()", "s, m[:2], m[:2]", "s.int(), m[:2].int(), m.t().int()", "s, m[:2].to_sparse(), m.t()")),
]  # fmt: skip
OF_TWO = ["s * o", "s.clone().mul_(o)", "torch.sparse.mm(s, o.t())", "s + o", "s - o", "torch.cat([s, o])"]
DIAGONALS = [
    f"torch.sparse.spdiags({arguments})" for arguments in (
        "m.t(), torch.tensor([0, 1]), (3, 3)", "m.t(), torch.tensor([0, -1]), (4, 3)", "m.t(), torch.tensor([2, -2]), (3, 3)",
        "m.t(), torch.tensor([0, 0]), (3, 3)", "v, torch.tensor([1]), (3, 3)", "v, torch.tensor(1), (3, 4)",
        "m.t(), torch.tensor([0, 1]), (3, 3), torch.sparse_csr", "m.t(), torch.tensor([0, 1]), (3, 3), torch.sparse_csc",
        "m.t(), torch.tensor([0, 1]), (3, 3), torch.strided", "m.t(), torch.tensor([0.0, 1]), (3, 3)", "m.t(), torch.tensor([0]), (3, 3)",
        "m.t(), torch.tensor([0, 1]), (3, 3, 3)", "m[None], torch.tensor([1]), (2, 2)")
]  # fmt: skip
GRADIENTS = [
    "torch.sparse.softmax(s, 1)", "torch.sparse.softmax(s, 0)", "torch.sparse.log_softmax(s, 1)", "s * 2", "s.sin()", "torch.sparse.mm(s, m)",
    "s * e",
    "torch.sparse.sampled_addmm(s, m[:2], m.t(), beta=2.0, alpha=0.5)",
]  # fmt: skip
MASKED = [f"torch.masked.{name}(s, {dim}mask={mask})" for name in ("sum", "prod", "amax", "amin", "mean", "var", "norm")
          for dim in ("", "dim=0, ", "dim=1, keepdim=True, ", "dim=(0, -1), keepdim=True, ", "dim=(), ")
          for mask in ("None", "o", "e > 2")] + ["torch.masked.softmax(s, 0, mask=o)"]  # fmt: skip
OUTPUT_MASKS = [
    *(f"torch.masked._output_mask(torch.masked.{name}, d, {given}mask=e > 2)" for name, given in (
        ("sum", ""), ("amax", "dim=0, "), ("median", ""), ("mean", "dim=1, keepdim=True, "), ("norm", "2.0, dim=0, "), ("norm", "2.0, "),
        ("softmax", "1, "), ("cumsum", "0, "), ("sum", "(), "), ("sum", "(0, 2), "))),
    "torch.masked._output_mask(torch.masked.sum, d, mask=torch.tensor([True, False, False]), dim=0)",
    "torch.masked._output_mask(torch.masked.sum, d)",
    *(f"torch.masked._canonical_dim({dim})" for dim in ("None, 3", "(2, -3), 3", "(), 2", "-1, 0", "3, 2")),
]  # fmt: skip
# What PyTorch has no kernel for: it refuses, rushlight computes it.
REFUSED = ("Could not run", "not implemented", "is not supported", "not supported", "unsupported", "Expected result Tensor",
           "INTERNAL ASSERT", "No support", "only support", "MKL", "expected self to be", "Only batched", "must be sparse", "Sparse CSR",
           "expected tensor",
           "sparse_compress", "sparse csr layout, but got SparseBsr")  # fmt: skip


def outcome(expression: str, module, **given: str) -> object:
    d = module.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -4.0]])
    names = {"torch": module, "d": d, "e": module.tensor([[1.0, 0.0, 0.0], [3.0, 0.0, 5.0]])}
    names |= {"m": module.arange(6.0).reshape(3, 2), "v": module.tensor([1.0, 2.0, 3.0])}
    names["h"] = module.arange(12.0).reshape(2, 3, 2).to_sparse(2)
    for name, form in given.items():
        names[name] = eval(form, names)
    try:
        found = eval(expression, names)
    except Exception as error:
        return type(error).__name__, str(error).partition(" This could be because")[0]
    return repr(found)


def agree(expression: str, **given: str) -> None:
    expected, found = outcome(expression, torch, **given), outcome(expression, rushlight, **given)
    if isinstance(expected, tuple) and any(word in expected[1] for word in REFUSED) and "softmax" not in expected[1]:
        return
    assert found == expected


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("expression", OF_ONE)
def test_of_one(expression, form):
    agree(expression, s=FORMS[form])


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("form", ["coo", "csr"])
@pytest.mark.parametrize("expression", OF_TWO)
def test_of_two(expression, form, other):
    if (form, other) == ("csr", "csc") or (other in ("csc", "dense") and "cat" in expression):
        return  # PyTorch reads the other's pointers as if they were rows', or has no kernel
    agree(expression, s=FORMS[form], o=OTHERS[other])


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("other", ["coo", "csr"])
@pytest.mark.parametrize("form", ["coo", "csr", "apart"])
@pytest.mark.parametrize("expression", MASKED)
def test_masked(expression, form, other):
    if form == "csr" and "dim=1" in expression and "e > 2" in expression:
        return  # PyTorch's has a value for the row of nothing too, and no place for it
    given = {"s": FORMS[form], "o": OTHERS[other].replace("e", "(e > 0)", 1)}
    expected, found = outcome(expression, torch, **given), outcome(expression, rushlight, **given)
    if "amin" in expression and "None" in expression and isinstance(expected, tuple):
        expected = expected[0], expected[1].replace("amax", "amin")  # PyTorch names the other
    assert found == expected


@pytest.mark.parametrize("expression", OUTPUT_MASKS)
def test_output_masks(expression):
    assert outcome(expression, rushlight) == outcome(expression, torch)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("expression", DIAGONALS)
def test_diagonals(expression):
    agree(expression)


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("form", ["coo", "csr"])
@pytest.mark.parametrize("expression", GRADIENTS)
def test_gradients(expression, form):
    def grads(module) -> object:
        d = module.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -4.0]])
        s = (d.to_sparse() if form == "coo" else d.to_sparse_csr()).requires_grad_()
        m = module.arange(6.0).reshape(3, 2).requires_grad_()
        try:
            result = eval(expression, {"torch": module, "s": s, "m": m, "e": d + 1})
            whole = result if result.layout is module.strided else result.to_dense()
            (whole * module.arange(1.0, whole.numel() + 1).reshape(whole.shape)).sum().backward()
        except Exception as error:
            return type(error).__name__, str(error)
        return repr(s.grad), repr(m.grad), type(result.grad_fn).__name__

    expected, found = grads(torch), grads(rushlight)
    if len(expected) == 3 or len(found) == 2:
        assert len(found) == len(expected)
    if len(expected) == 3:
        assert found == expected


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_truths_of_a_dense_part():
    """Sums of truths are truths; an int8 sum wraps round."""
    for values, dtype in (([[True, False], [True, True], [False, True]], "bool"), ([[100, 1], [100, 2], [3, 4]], "uint8")):
        dense = []
        for side in (rushlight, torch):
            given = side.tensor(values, dtype=getattr(side, dtype))
            dense.append([side.sparse_coo_tensor([[0, 0, 1]], given, (2, 2)).to_dense()])
            dense[-1].append(side.sparse_coo_tensor(side.zeros(0, 3, dtype=side.int64), given, (2,)).to_dense())
        assert [(str(one.dtype), one.tolist()) for one in dense[0]] == [(str(one.dtype), one.tolist()) for one in dense[1]]


@pytest.mark.parametrize(
    "line",
    [
        "x.cos()", "x.clamp(1)", "torch.le(torch.eye(3), x)", "torch.linalg.svd(x)", "torch.special.i0(x)", "torch.isin(x, 1)",
        "torch.special.zeta(x, torch.eye(3))", "x.logaddexp2(x)",
    ],
)  # fmt: skip
def test_what_pytorch_has_for_dense_tensors_alone_is_refused(line: str) -> None:
    for package in (torch, rushlight):
        with pytest.raises(NotImplementedError, match=r"^Could not run 'aten::.*' with arguments from the 'SparseCPU' backend"):
            eval(line, {"torch": package, "x": package.eye(3).to_sparse()})


DENSE_ONLY = [
    "torch.nn.functional.hardsigmoid(s)", "s ** s", "d ** s", "torch.rsub(s, d)", "torch.kron(s, s)", "torch.special.polygamma(1, s)",
    "s.masked_fill(d > 0, 1)", "s.tile((1, 1))", "s.diagflat()", "s.ravel()", "torch.isreal(s)", "s.index_add(0, torch.tensor([0]), d[:1])",
    "s.as_strided((2,), (1,))", "torch.permute_copy(s, (1, 0))", "s.split_with_sizes([1, 1])", "torch.special.ndtr(s)", "s.pinverse()",
]  # fmt: skip


@pytest.mark.parametrize("line", DENSE_ONLY)
def test_what_only_dense_tensors_have(line: str) -> None:
    said = []
    for package in (torch, rushlight):
        d = package.arange(6.0).reshape(2, 3)
        with pytest.raises(RuntimeError) as caught:
            eval(line, {"torch": package, "d": d, "s": d.to_sparse()})
        said.append((caught.type, "" if caught.type is NotImplementedError else str(caught.value)))
    assert said[0] == said[1]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", ["csr()", "csc()", "bsr((1, 1))"])
def test_what_pytorch_lacks_for_compressed_layouts_is_refused(layout: str) -> None:
    """Every function of one tensor: of the same kind of error, or of none."""
    found, kinds = [], ["eye(3)", "eye(3, dtype=torch.bool)", "eye(3) * 1j"]
    # Without operators, and Python's functions that lack an argument.
    asked = [name for name in compressed_functions.ALL if name[:2] != "__" and name not in ("cdist", "cond", "rrelu", "split")]
    names = [(space, name) for space in ("torch", "torch.linalg", "torch.special", "torch.Tensor") for name in asked]
    for space, name in names:
        for kind in kinds:
            line = f"{space}.{name}(torch.{kind}.to_sparse_{layout})"
            said = []
            for package in (torch, rushlight):
                try:
                    eval(line, {"torch": package})
                except Exception as error:
                    said.append(RuntimeError if isinstance(error, RuntimeError) else type(error))  # which of two varies
                else:
                    said.append(None)
            if said[0] is not said[1]:
                found.append((line, said))
    assert found == []
