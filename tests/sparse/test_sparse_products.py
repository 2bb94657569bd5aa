"""Products of sparse matrices by their indices and values, beside those of dense ones."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rushlight as torch
from rushlight.backend import sparse_products
from rushlight.backend.sparse_products import SparseMatrix


def made(seed, shape, count, dtype=np.float64, hub=False):
    """A matrix with some rows of many values, some of none and some values at one place, and the same as an array."""
    random = np.random.default_rng(seed)
    rows, columns = random.integers(0, shape[0], count), random.integers(0, shape[1], count)
    if hub:
        rows[: count // 2] = shape[0] - 1
    values = random.standard_normal(count).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(count).astype(values.real.dtype)
    dense = np.zeros(shape, values.dtype)
    np.add.at(dense, (rows, columns), values)
    return SparseMatrix(rows, columns, values, shape), dense


@given(
    st.integers(0, 99), st.integers(1, 30), st.integers(1, 30), st.integers(0, 200), st.integers(0, 5),
    st.booleans(), st.sampled_from((np.float64, np.complex128)), st.sampled_from((0, 1 << 18)),
)  # fmt: skip
def test_products_are_those_of_the_dense_matrix(seed, height, width, count, across, hub, dtype, together):
    matrix, dense = made(seed, (height, width), count, dtype, hub)
    random = np.random.default_rng(seed)
    x, y = (random.standard_normal((size, across)).astype(dtype) for size in (width, height))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_products, "_TOGETHER", together)
        np.testing.assert_allclose(matrix.times(x), dense @ x, atol=1e-12)
        np.testing.assert_allclose(matrix.transposed().times(y), dense.T @ y, atol=1e-12)
        np.testing.assert_allclose(matrix.adjoint().times(y), dense.conj().T @ y, atol=1e-12)
    assert matrix.transposed().transposed() is matrix


@pytest.mark.parametrize("layout", ["coo", "uncoalesced", "csr", "csc"])
@pytest.mark.parametrize("needs", [False, True])
def test_gradients_are_those_of_the_dense_matrix(layout, needs):
    torch.manual_seed(0)
    dense = torch.randn(5, 4, dtype=torch.float64) * (torch.rand(5, 4) > 0.5)
    sparse = {"coo": dense.to_sparse, "csr": dense.to_sparse_csr, "csc": dense.to_sparse_csc}.get(layout, dense.to_sparse)()
    if layout == "uncoalesced":
        halves = [dense.to_sparse().coalesce() * 0.5] * 2
        places = torch.cat([one.indices() for one in halves], 1)
        sparse = torch.sparse_coo_tensor(places, torch.cat([one.values() for one in halves]), (5, 4))
    sparse.requires_grad_(needs)
    dense.requires_grad_(needs)
    x, y, v, b = (torch.randn(*size, dtype=torch.float64, requires_grad=True) for size in ((4, 3), (2, 5), (4,), (5, 3)))
    for product, inputs in (
        (lambda a: a @ x, [x]),
        (lambda a: torch.mm(a, x), [x]),
        (lambda a: torch.spmm(a, x), [x]),
        (lambda a: a @ v, [v]),
        (lambda a: torch.mv(a, v), [v]),
        (lambda a: y @ a, [y]),
        (lambda a: a.t() @ b, [b]),
    ):
        results, wanted = product(sparse), product(dense)
        assert type(results) is torch.Tensor and torch.allclose(results, wanted)
        assert type(results.grad_fn).__name__ == type(wanted.grad_fn).__name__
        for one, other in zip(
            torch.autograd.grad(results.pow(2).sum(), [*inputs, *[sparse] * needs], create_graph=True),
            torch.autograd.grad(wanted.pow(2).sum(), [*inputs, *[dense] * needs], create_graph=True),
            strict=True,
        ):
            one = one.to_dense()
            assert torch.allclose(one, other)
            if one.requires_grad:
                twice = [torch.autograd.grad(g.pow(2).sum(), inputs, retain_graph=True)[0] for g in (one, other)]
                assert torch.allclose(*twice)
    total = torch.sparse.addmm(b, sparse, x, beta=2.0, alpha=-3.0)
    assert torch.allclose(total, 2 * b - 3 * (dense @ x))
    for one, other in zip(
        torch.autograd.grad(total.pow(2).sum(), [b, x]),
        torch.autograd.grad((2 * b - 3 * (dense @ x)).pow(2).sum(), [b, x]),
        strict=True,
    ):
        assert torch.allclose(one, other)


def test_of_a_sparse_factor_the_gradient_is_at_its_indices():
    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    for sparse in (dense.to_sparse().requires_grad_(), dense.to_sparse_csr().requires_grad_()):
        torch.sparse.mm(sparse, torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
        assert sparse.grad.to_dense().tolist() == [[0.0, 7.0], [3.0, 0.0]] and sparse.grad.layout is sparse.layout


def test_a_large_graph_takes_no_dense_matrix():
    size = 200_000  # whose square would be 160 GB
    edges = torch.stack([torch.arange(size), torch.arange(size).flip(0)])
    graph = torch.sparse_coo_tensor(edges, torch.full((size,), 2.0), (size, size))
    x = torch.arange(size * 2, dtype=torch.float32).reshape(size, 2).requires_grad_()
    for product in (torch.sparse.mm(graph, x), graph @ x, torch.spmm(graph.coalesce(), x)):
        assert product[0].tolist() == (2 * x[-1]).tolist()
        product[0].sum().backward()
        assert x.grad[-1].tolist() == [2.0, 2.0] and x.grad.sum() == 4
        x.grad = None


def test_what_is_written_into_values_and_indices_counts():
    sparse, x = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse().coalesce(), torch.tensor([[1.0], [10.0]])
    assert (sparse @ x).tolist() == [[20.0], [3.0]]
    sparse.values().mul_(2)
    assert (sparse @ x).tolist() == [[40.0], [6.0]]
    sparse.indices()[1] = torch.tensor([0, 0])
    assert (sparse @ x).tolist() == [[4.0], [6.0]]
    product = sparse @ x.requires_grad_()
    sparse.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


@pytest.mark.parametrize(
    ("product", "text"),
    [
        (lambda a: a @ torch.ones(3, 2), "addmm: Argument #3 (dense): Expected dim 0 size 2, got 3"),
        (lambda a: torch.sparse.mm(a, torch.ones(3, 2)), "addmm: Argument #3 (dense): Expected dim 0 size 2, got 3"),
        (lambda a: torch.ones(2, 3) @ a, "addmm: Argument #3 (dense): Expected dim 0 size 2, got 3"),
        (lambda a: a @ torch.ones(3), "mv: expected self.size(-1) == vec.size(-1)"),
        (lambda a: a @ torch.ones(2, 2, dtype=torch.float64), "expected scalar type Float but found Double"),
    ],
)
def test_factors_that_do_not_go_together(product, text):
    with pytest.raises(RuntimeError) as raised:
        product(torch.eye(2).to_sparse())
    assert str(raised.value).split("\n")[0] == text


def test_other_products_are_dense():
    a = torch.eye(2).to_sparse()
    assert (a @ torch.ones(3, 2, 1)).shape == (3, 2, 1)
    assert (torch.eye(2).long().to_sparse() @ torch.ones(2, 1).long()).tolist() == [[1], [1]]
    assert (a @ torch.eye(2).to_sparse()).to_dense().tolist() == torch.eye(2).tolist()
    assert torch.eye(2).bfloat16().to_sparse().matmul(torch.ones(2, 1).bfloat16()).tolist() == [[1.0], [1.0]]
    assert torch.vmap(lambda x: a @ x)(torch.ones(3, 2, 1)).shape == (3, 2, 1)
    assert torch.func.jvp(lambda x: a @ x, (torch.ones(2, 1),), (torch.full((2, 1), 3.0),))[1].tolist() == [[3.0], [3.0]]


def test_few_long_rows_are_a_product_each():
    matrix, dense = made(0, (3, 5_000), 12_000)
    x = np.random.default_rng(1).standard_normal((5_000, 4))
    np.testing.assert_allclose(matrix.times(x), dense @ x, atol=1e-9)
    turns = matrix.turns()
    assert len(turns.ends) == 1 and len(turns.rests) == 3
    assert sum(len(rest) for _, rest in turns.rests) + len(turns.order) == 12_000


def test_a_matrix_and_its_transpose_go_together_at_once():
    matrix, _ = made(0, (3, 4), 5)
    turned = matrix.transposed()
    assert turned.transposed() is matrix and matrix.transposed() is turned
    gone = weakref.ref(matrix)
    gc.disable()
    try:
        del matrix
        assert gone() is None
    finally:
        gc.enable()
    assert turned.transposed().shape == (3, 4)
