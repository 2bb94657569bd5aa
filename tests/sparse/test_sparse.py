"""Sparse tensors: their parts, what is computed from them, and their gradients."""

from __future__ import annotations

import contextlib
import copy
import pickle
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd.gradcheck import GradcheckError, gradcheck
from rushlight.autograd.modes import Mark, special

KINDS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


def dense() -> Any:
    return torch.tensor([[0.0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 4, 0]], dtype=torch.float64)


def laid_out(x: Any, kind: str) -> Any:
    return x.to_sparse(layout=getattr(torch, kind), blocksize=(2, 2) if "sparse_bs" in kind else None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_layout_there_and_back(kind: str) -> None:
    s = laid_out(dense(), kind)
    assert s.layout is getattr(torch, kind) and s.shape == (4, 4) and s.dtype is torch.float64
    assert s.to_dense().tolist() == dense().tolist()
    for other in KINDS:
        assert laid_out(s, other).to_dense().tolist() == dense().tolist()
    for again in (copy.deepcopy(s), pickle.loads(pickle.dumps(s)), s.clone(), s.detach()):
        assert again.layout is s.layout and again.to_dense().tolist() == dense().tolist()


def test_numbers_have_a_sparse_layout_too() -> None:
    number = torch.tensor(3.0, requires_grad=True)
    sparse = number.to_sparse()
    assert sparse._indices().shape == (0, 1) and sparse._values().tolist() == [3.0]
    assert torch.tensor(0.0).to_sparse()._nnz() == 0
    assert torch.tensor(0.0).to_sparse().to_dense().item() == 0
    (sparse.t().to_dense() * (sparse * 2).to_dense()).backward()
    assert number.grad is not None and number.grad.item() == 12
    assert torch.sparse_coo_tensor(torch.zeros(0, 3, dtype=torch.long), [1.0, 2.0, 3.0], ()).coalesce().values().tolist() == [6]


def test_sparse_dimensions_in_another_order() -> None:
    marks = torch.tensor([[0, 1], [2, 0]]).to_sparse()
    for turned in (marks.t(), marks.swapdims(-1, 0), torch.swapaxes(marks, axis0=0, axis1=1), marks.transpose(1, 0)):
        assert turned.to_dense().tolist() == [[0, 2], [1, 0]]
    assert marks.transpose(1, 1) is marks
    with pytest.raises(RuntimeError, match="<= 2 sparse and 0 dense dimensions, but got 3 sparse and 0 dense"):
        torch.ones(2, 2, 2).to_sparse().t()
    with pytest.raises(IndexError, match="Dimension out of range"):
        marks.transpose(0, 2)
    with pytest.raises(RuntimeError, match=r"must be in \[0,2\] range, but 3 is given"):
        torch.ones(2, 2).to_sparse(3)


def test_what_counts_as_coalesced_may_be_said() -> None:
    s = torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)).coalesce()
    assert s._coalesced_(False) is s and not s.is_coalesced() and s.coalesce().is_coalesced()
    with pytest.raises(NotImplementedError, match="_coalesced_"):
        torch.eye(2).to_sparse_csr()._coalesced_(True)


def test_values_of_one_place_count_together() -> None:
    s = torch.sparse_coo_tensor([[1, 0, 1], [2, 0, 2]], [1.0, 5.0, 3.0], (2, 3))
    assert not s.is_coalesced() and s._nnz() == 3 and s.to_dense().tolist() == [[5, 0, 0], [0, 0, 4]]
    with pytest.raises(RuntimeError, match="Cannot get indices on an uncoalesced tensor"):
        s.indices()
    t = s.coalesce()
    assert t.indices().tolist() == [[0, 1], [0, 2]] and t.values().tolist() == [5, 4]
    hybrid = torch.sparse_coo_tensor([[0, 0, 1]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], (3, 2))
    assert (hybrid.sparse_dim(), hybrid.dense_dim()) == (1, 1)
    assert hybrid.coalesce().values().tolist() == [[4, 6], [5, 6]]
    for arguments in (([[0, -1]], [1.0, 2.0]), ([[0, 1]], [1.0], (3,)), ([[0]], [1.0], (3, 3))):
        with pytest.raises(RuntimeError):
            torch.sparse_coo_tensor(*arguments)


@pytest.mark.parametrize("places", [[[0, 3]], [[0, -1]]])
def test_places_that_a_tensor_does_not_have_are_refused_where_they_are_used(places) -> None:
    beyond = torch.sparse_coo_tensor(places, [1.0, 2.0], (3,))
    assert beyond._indices().tolist() == places
    for use in (beyond.to_dense, beyond.coalesce, lambda: beyond * 2):
        with pytest.raises(RuntimeError, match=r"size is inconsistent|found negative index"):
            use()
    with pytest.raises(RuntimeError, match=r"size is inconsistent|found negative index"):
        torch.sparse_coo_tensor(places, [1.0, 2.0], (3,), check_invariants=True)


def test_how_they_print() -> None:
    s = torch.eye(2).to_sparse()
    assert repr(s) == (
        "tensor(indices=tensor([[0, 1],\n                       [0, 1]]),\n       values=tensor([1., 1.]),\n"
        "       size=(2, 2), nnz=2, layout=torch.sparse_coo)"
    )
    assert repr(torch.eye(2).double().to_sparse_csr().requires_grad_()) == (
        "tensor(crow_indices=tensor([0, 1, 2]),\n       col_indices=tensor([0, 1]),\n"
        "       values=tensor([1., 1.]), size=(2, 2), nnz=2, dtype=torch.float64,\n"
        "       layout=torch.sparse_csr, requires_grad=True)"
    )


def test_results_are_sparse_where_zeros_stay_zeros() -> None:
    x = dense()
    s = x.to_sparse()
    for f in (
        lambda a: -a,
        lambda a: a * 2,
        lambda a: a.sin(),
        lambda a: a * a,
        lambda a: a.t(),
        lambda a: a + a,
        lambda a: a @ a,
    ):
        assert f(s).is_sparse and f(s).to_dense().tolist() == f(x).tolist()
    for f in (lambda a: a @ x, lambda a: x @ a, lambda a: x + a, lambda a: a.sum(), lambda a: a.mv(x[0])):
        assert not f(s).is_sparse and f(s).tolist() == f(x).tolist()
    with pytest.raises(RuntimeError, match=r"add\(sparse, dense\) is not supported"):
        s + x
    with pytest.raises(NotImplementedError, match="aten::fill_"):
        s.fill_(1)
    with pytest.raises(TypeError, match=r"Use Tensor\.to_dense"):
        s.numpy()
    assert s.clone().mul_(3).to_dense().tolist() == (x * 3).tolist()
    assert torch.ones(4, 4).sparse_mask(s).to_dense().tolist() == (x != 0).double().tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("fast", [True, False])
def test_gradients_agree_with_differences(kind: str, masked: bool, fast: bool) -> None:
    s = laid_out(dense(), kind).requires_grad_()
    other = torch.randn(4, 3, dtype=torch.float64)
    options = {"masked": masked, "fast_mode": fast}
    assert gradcheck(torch.sum, (s,), **options)
    assert gradcheck(lambda a: a.to_dense(masked_grad=masked).pow(2), (s,), **options)
    assert gradcheck(lambda a: torch.sparse.mm(a, other), (s,), masked=True, fast_mode=fast)
    with pytest.raises(GradcheckError, match="while testing batched gradient"):
        gradcheck(torch.sum, (s,), check_batched_grad=True, **options)
    with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet"):
        gradcheck(lambda a: a.clone(), (s,), masked=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_gradients_have_the_layout_of_their_tensor(kind: str, other: str) -> None:
    weights = torch.rand(4, 4, dtype=torch.float64) + 1
    s = laid_out(weights + 1, kind).requires_grad_()
    (g,) = torch.autograd.grad(laid_out(s, other), s, laid_out(weights, other))
    assert g.layout is s.layout and g.to_dense().tolist() == weights.tolist()
    x = (weights + 1).requires_grad_()
    (g,) = torch.autograd.grad(laid_out(x, kind), x, laid_out(weights, kind))
    assert g.layout is torch.strided and g.tolist() == weights.tolist()


def test_gradients_of_values_and_of_products() -> None:
    values = torch.tensor([1.0, 2.0], requires_grad=True)
    s = torch.sparse_coo_tensor([[0, 1], [2, 0]], values, (2, 3))
    assert s.grad_fn.name() == "SparseCooTensorWithDimsAndTensorsBackward0"
    s.coalesce().values().pow(2).sum().backward()
    assert values.grad.tolist() == [2, 4]
    a, b = torch.randn(3, 3), torch.randn(3, 3)
    want = [one.clone().requires_grad_() for one in (a, b)]
    (want[0] @ want[1]).sum().backward()
    for first in (a, a.to_sparse()):
        for second in (b, b.to_sparse()):
            got = [one.detach().requires_grad_() for one in (first, second)]
            got[0].mm(got[1]).sum().backward()
            for one, other in zip(got, want, strict=True):
                assert torch.allclose(one.grad.to_dense(), other.grad)


def test_a_sparse_gradient_takes_in_others() -> None:
    def sparse() -> Any:
        return torch.sparse_coo_tensor([[1, 1]], [1.0, 1.0], (2,))

    x = torch.ones(2, requires_grad=True)
    x.grad = before = sparse()
    x.backward(sparse())
    assert x.grad is before and x.grad.to_dense().tolist() == [0, 4]
    x.backward(torch.ones(2))
    assert x.grad is not before and x.grad.tolist() == [1, 5]
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        x.data = sparse()


@pytest.mark.filterwarnings("ignore:Input #0")
def test_opaque_tensors() -> None:
    x = torch.ones(2, requires_grad=True)
    m = x.to_mkldnn()
    assert m.is_mkldnn and m.layout is torch._mkldnn and m.grad_fn.name() == "ToMkldnnBackward0"
    (m * 3).to_dense().sum().backward()
    assert x.grad.tolist() == [3, 3]
    assert repr(torch.ones(2).to_mkldnn()) == "tensor([1., 1.], layout=torch._mkldnn)"
    with pytest.raises(TypeError, match="Mkldnn layout"):
        torch.ones(2).to_mkldnn().numpy()
    with pytest.raises(ValueError, match="MKLDNN output is not supported"):
        gradcheck(lambda a: a.to_mkldnn(), torch.ones(2, requires_grad=True))


def test_embeddings_give_their_rows_as_gradients() -> None:
    rows = torch.nn.Embedding(5, 2, sparse=True, padding_idx=4)
    whole = torch.nn.Embedding(5, 2, padding_idx=4)
    whole.weight.data.copy_(rows.weight.data)
    index = torch.tensor([[1, 1], [3, 4]])
    for _ in range(2):
        for module in (rows, whole):
            module(index).pow(2).sum().backward()
    g = rows.weight.grad
    assert g.is_sparse and (g.sparse_dim(), g.dense_dim(), g._nnz()) == (1, 1, 6)
    assert torch.allclose(g.to_dense(), whole.weight.grad)
    for module in (rows, whole):  # beside a dense gradient it is dense
        module.zero_grad()
        (module(index).sum() + (module.weight * 2).sum()).backward()
    assert not rows.weight.grad.is_sparse and rows.weight.grad.tolist() == whole.weight.grad.tolist()
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse"):
        torch.nn.functional.embedding(index, whole.weight, sparse=True, scale_grad_by_freq=True).sum().backward()


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_bags_give_their_rows_as_gradients(mode: str) -> None:
    weight, members, starts = torch.randn(4, 3), torch.tensor([1, 3, 1, 0]), torch.tensor([0, 3])
    found = []
    for sparse in (True, False):
        leaf = weight.clone().requires_grad_()
        torch.nn.functional.embedding_bag(members, leaf, starts, mode=mode, sparse=sparse).pow(2).sum().backward()
        found.append(leaf.grad)
    assert found[0].is_sparse and torch.allclose(found[0].to_dense(), found[1])


def test_functions_and_hooks_see_sparse_gradients() -> None:
    seen: list[Any] = []

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            seen.append(g.is_sparse)
            return g, g

    a, b = (torch.ones(3, 2, requires_grad=True) for _ in range(2))
    b.register_hook(lambda g: seen.append(g.is_sparse))
    torch.nn.functional.embedding(torch.tensor([1, 2, 1]), Sum.apply(a, b), sparse=True).sum().backward()
    assert seen == [True, True]
    assert a.grad._values().data_ptr() != b.grad._values().data_ptr()
    assert a.grad.to_dense().tolist() == b.grad.to_dense().tolist() == [[0, 0], [2, 2], [1, 1]]
    leaf = torch.ones(3, 2, requires_grad=True)
    torch.nn.functional.embedding(torch.tensor([1]), leaf * 2, sparse=True).pow(2).sum().backward()
    assert leaf.grad.tolist() == [[0, 0], [8, 8], [0, 0]]


@pytest.mark.parametrize(("name", "options"), [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adagrad", {}), ("SparseAdam", {})])
def test_optimizers_take_sparse_gradients(name: str, options: dict[str, Any]) -> None:
    start = torch.randn(4, 2)
    ends = []
    for sparse in (True, False):
        module = torch.nn.Embedding.from_pretrained(start.clone(), freeze=False, sparse=sparse)
        kind = "Adam" if name == "SparseAdam" and not sparse else name
        optimizer = getattr(torch.optim, kind)(module.parameters(), lr=0.1, **options)
        for index in ([0, 1, 1], [0, 1]):  # Adam moves the rows that have no gradient too: none of these do later
            optimizer.zero_grad()
            module(torch.tensor(index)).pow(2).sum().backward()
            optimizer.step()
        assert module.weight.grad.is_sparse is sparse
        ends.append(module.weight.detach())
    assert torch.allclose(*ends, rtol=1e-5, atol=1e-6)


def test_optimizers_that_refuse_sparse_gradients() -> None:
    module = torch.nn.Embedding(3, 2, sparse=True)
    module(torch.tensor([1])).sum().backward()
    before = module.weight.detach().clone()
    for name, text in (("Adam", "please consider SparseAdam"), ("RMSprop", "RMSprop does not support sparse gradients")):
        with pytest.raises(RuntimeError, match=text):
            getattr(torch.optim, name)(module.parameters()).step()
    with pytest.raises(RuntimeError, match="weight_decay option is not compatible"):
        torch.optim.Adagrad(module.parameters(), weight_decay=0.1).step()
    assert torch.equal(module.weight, before) and module.weight.grad.is_sparse
    dense = torch.ones(1, requires_grad=True)
    dense.grad = torch.ones(1)
    with pytest.raises(RuntimeError, match="SparseAdam does not support dense gradients"):
        torch.optim.SparseAdam([dense]).step()


@pytest.mark.usefixtures("nothing_else_special")
def test_ops_are_short_again_when_no_sparse_tensor_lives() -> None:
    before = len(special.active)
    s = torch.eye(2).to_sparse()
    assert len(special.active) > before
    del s
    assert len(special.active) == before


@pytest.mark.parametrize("hooked", [False, True])
def test_nodes_show_the_sparse_tensors_they_saved(hooked: bool) -> None:
    a = torch.sparse_coo_tensor([[1, 1]], [1.0, 1.0], (3,), requires_grad=True)
    with torch.autograd.graph.save_on_cpu() if hooked else contextlib.nullcontext():
        y = a * a
        assert y.grad_fn._saved_self.layout is torch.sparse_coo
        assert y.grad_fn._saved_self.to_dense().tolist() == [0, 2, 0]
        y.to_dense().sum().backward()
    assert a.grad.is_sparse and a.grad.to_dense().tolist() == (2 * a).to_dense().tolist() == [0, 4, 0]


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("shape", [(), (1, 2), (1, 0, 2)])
def test_all_dimensions_dense(count: int, shape: tuple[int, ...]) -> None:
    values = torch.ones(count, *shape, requires_grad=True)
    s = torch.sparse_coo_tensor(torch.zeros(0, count, dtype=torch.int64), values, shape)
    assert s.sparse_dim() == 0 and s._nnz() == count
    assert torch.equal(s.to_dense(), torch.full(shape, float(count)))
    once = s.coalesce()
    assert once.values().shape == (min(count, 1), *shape) and once.indices().shape == (0, min(count, 1))
    (once.values() * 2).sum().backward()
    assert torch.equal(values.grad, torch.full_like(values, 2.0))


def test_sums_over_all_sparse_dimensions_are_dense_and_others_keep_the_dense_ones() -> None:
    hybrid = torch.sparse_coo_tensor([[0, 1, 1]], torch.arange(12.0).reshape(3, 4), (3, 4))
    assert torch.equal(torch.sparse.sum(hybrid, 0), torch.tensor([12.0, 15, 18, 21]))
    assert torch.equal(torch.sparse.sum(hybrid, (0, 1)), torch.tensor(66.0))
    rows = torch.sparse.sum(hybrid, -1)
    assert rows.is_sparse and rows.sparse_dim() == 1 and rows.to_dense().tolist() == [6, 60, 0]
    three = torch.sparse_coo_tensor([[0, 1, 1], [0, 2, 1]], torch.arange(6.0).reshape(3, 2), (2, 3, 2))
    left = torch.sparse.sum(three, 0)
    assert (left.sparse_dim(), left.dense_dim()) == (1, 1) and torch.equal(left.to_dense(), three.to_dense().sum(0))
    dense = three.to_dense().requires_grad_()
    (torch.sparse.sum(dense.to_sparse(), 0) * 3).to_dense().sum().backward()
    assert torch.equal(dense.grad, torch.where(three.to_dense() != 0, 3.0, 0.0))


def test_sums_that_are_zero_stay_at_their_places_and_have_gradients():
    dense = torch.tensor([[-2.0, 2.0], [-1.5, 3.0], [0.0, 0.0]], requires_grad=True)
    sums = torch.sparse.sum(dense.to_sparse(), 1)
    assert sums.indices().tolist() == [[0, 1]] and sums.values().tolist() == [0.0, 1.5]
    sums.to_dense().sum().backward()
    assert dense.grad.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    assert sums.grad_fn.name() == "SparseSumBackward0"


def test_sparse_gradients_are_dense_over_tensors_whatever_else_is_on() -> None:
    def gradients() -> list[object]:
        w = torch.ones(4, 2, requires_grad=True)
        indices = torch.tensor([1, 2, 1])

        def loss(table: torch.Tensor) -> torch.Tensor:
            return (torch.nn.functional.embedding(indices, table, sparse=True) ** 2).sum()

        (again,) = torch.autograd.grad(loss(w), w, create_graph=True)
        (twice,) = torch.autograd.grad(again.sum(), w)
        tables = torch.stack([w.detach(), w.detach() * 2])
        return [again.tolist(), twice.to_dense().tolist(), torch.func.vmap(torch.func.grad(loss))(tables).tolist()]

    expected = gradients()
    unusual = Mark(hidden=True)
    assert gradients() == expected
    del unusual
    assert expected[0] == [[0.0, 0.0], [4.0, 4.0], [2.0, 2.0], [0.0, 0.0]]
