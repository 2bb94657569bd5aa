"""Linear algebra: derivatives of both orders along random directions, what decompositions give back, errors, corners."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch

STEP = 1e-6
LINALG = torch.linalg


def draw(seed: int, *shape: int, complex_too: bool = False) -> np.ndarray:
    state = np.random.RandomState(seed)
    out = np.asarray(state.standard_normal(shape))
    return out + 1j * state.standard_normal(shape) if complex_too else out


def loss(outputs: Any) -> Any:
    """A real number that depends on every element of the outputs."""
    total = 0.0
    for number, out in enumerate(outputs if isinstance(outputs, (tuple, list)) else [outputs]):
        if not out.is_floating_point() and not out.is_complex():
            continue
        weights = np.cos(np.arange(out.numel()) + number).reshape(tuple(out.shape))
        if out.is_complex():
            weights = weights + 1j * np.sin(np.arange(out.numel()) * 2.0 + 1).reshape(tuple(out.shape))
        product = out * torch.from_numpy(weights)
        total = total + (product.real if product.is_complex() else product).sum()
    return total


def inner(g: Any, direction: np.ndarray) -> Any:
    product = g * torch.from_numpy(direction.conj())
    return (product.real if product.is_complex() else product).sum()


def check(f: Callable[..., Any], *arrays: np.ndarray, twice: bool = True) -> None:
    """First and second derivatives of ``loss(f(...))`` along a random direction, against central differences."""
    complex_too = any(array.dtype.kind == "c" for array in arrays)
    along = [draw(7 + i, *array.shape, complex_too=complex_too).astype(array.dtype) for i, array in enumerate(arrays)]
    across = [draw(17 + i, *array.shape, complex_too=complex_too).astype(array.dtype) for i, array in enumerate(arrays)]

    def leaves(step: float) -> list[Any]:
        moved = [np.asarray(array + step * one) for array, one in zip(arrays, along, strict=True)]
        return [torch.from_numpy(array).requires_grad_() for array in moved]

    def value(step: float) -> float:
        return loss(f(*leaves(step))).item()

    def slope(inputs: list[Any], create_graph: bool) -> Any:
        grads = torch.autograd.grad(loss(f(*inputs)), inputs, create_graph=create_graph)
        return sum(inner(g, direction) for g, direction in zip(grads, across, strict=True))

    inputs = leaves(0)
    grads = torch.autograd.grad(loss(f(*inputs)), inputs)
    got = sum(inner(g, direction).item() for g, direction in zip(grads, along, strict=True))
    assert got == pytest.approx((value(STEP) - value(-STEP)) / (2 * STEP), rel=1e-5, abs=1e-6)
    if twice:
        inputs = leaves(0)
        grads = torch.autograd.grad(slope(inputs, True), inputs)
        got = sum(inner(g, direction).item() for g, direction in zip(grads, along, strict=True))
        difference = slope(leaves(STEP), False).item() - slope(leaves(-STEP), False).item()
        assert got == pytest.approx(difference / (2 * STEP), rel=1e-4, abs=1e-5)


def hermitian(x: Any) -> Any:
    return x + x.mH


def positive(x: Any) -> Any:
    return x @ x.mH + torch.eye(x.shape[-1], dtype=x.dtype)


SQUARE: dict[str, Callable[[Any], Any]] = {
    "inv": LINALG.inv,
    "inv_ex": lambda x: LINALG.inv_ex(x).inverse,
    "det": LINALG.det,
    "slogdet": LINALG.slogdet,
    "pinv": LINALG.pinv,
    "cholesky": lambda x: LINALG.cholesky(positive(x)),
    "cholesky, upper": lambda x: LINALG.cholesky(positive(x), upper=True),
    "cholesky_inverse": lambda x: torch.cholesky_inverse(LINALG.cholesky(positive(x))),
    "cholesky_solve": lambda x: torch.cholesky_solve(x, LINALG.cholesky(positive(x.mT))),
    "eigvalsh": lambda x: LINALG.eigvalsh(hermitian(x)),
    # Squares of vectors and sums over them do not depend on phases.
    "eigh": lambda x: LINALG.eigh(hermitian(x)).eigenvectors.abs() ** 2,
    "eig": lambda x: (LINALG.eig(x).eigenvectors.abs() ** 2)[..., LINALG.eigvals(x.detach()).real.argmax(-1)[0]],
    "svdvals": LINALG.svdvals,
    "svd": lambda x: (lambda u, s, vh: (u[..., :2] @ vh[..., :2, :], s))(*LINALG.svd(x)),
    "qr": LINALG.qr,
    "lu": LINALG.lu,
    "lu_factor": LINALG.lu_factor,
    "lu_solve": lambda x: LINALG.lu_solve(*LINALG.lu_factor(x), x.mT),
    "lu_solve, adjoint, right": lambda x: LINALG.lu_solve(*LINALG.lu_factor(x), x.mT, left=False, adjoint=True),
    "matrix_exp": LINALG.matrix_exp,
    "matrix_power": lambda x: LINALG.matrix_power(x, 5),
    "matrix_power, negative": lambda x: LINALG.matrix_power(x, -3),
    "solve_triangular": lambda x: LINALG.solve_triangular(x + 3 * torch.eye(x.shape[-1]), x.mT, upper=False),
    "solve_triangular, right, unit": lambda x: LINALG.solve_triangular(x, x.mT, upper=True, left=False, unitriangular=True),
    "triangular_solve": lambda x: torch.triangular_solve(x, x + 3 * torch.eye(x.shape[-1]), transpose=True).solution,
    "norm nuc": lambda x: LINALG.matrix_norm(x, "nuc"),
    "norm 2": lambda x: LINALG.matrix_norm(x, 2),
    "norm 1": lambda x: LINALG.matrix_norm(x, 1),
    "cond": LINALG.cond,
    "cond fro": lambda x: LINALG.cond(x, "fro"),
    "vander": lambda x: LINALG.vander(x, N=4),
    "cross": lambda x: LINALG.cross(x, x.roll(1, -1)),
}


@pytest.fixture(autouse=True)
def older_names_warn_once() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="torch.triangular_solve is deprecated")
        yield


@pytest.mark.parametrize("complex_too", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("name", SQUARE)
def test_derivatives_on_batches_of_square_matrices(name: str, complex_too: bool) -> None:
    check(SQUARE[name], draw(3, 2, 3, 3, complex_too=complex_too))


@pytest.mark.parametrize("complex_too", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("shape", [(4, 2), (2, 4)], ids=["tall", "wide"])
@pytest.mark.parametrize("name", ["pinv", "svdvals", "svd", "qr", "lu", "lu_factor", "norm nuc"])
def test_derivatives_on_other_matrices(name: str, shape: tuple[int, int], complex_too: bool) -> None:
    f = SQUARE[name] if name != "svd" else lambda x: (lambda u, s, vh: (u @ vh, s))(*LINALG.svd(x, full_matrices=False))
    check(f, draw(4, *shape, complex_too=complex_too))


@pytest.mark.parametrize("complex_too", [False, True], ids=["real", "complex"])
def test_derivatives_in_two_matrices(complex_too: bool) -> None:
    a, b, v = (draw(5 + i, *shape, complex_too=complex_too) for i, shape in enumerate([(2, 3, 3), (3, 4), (3,)]))
    check(LINALG.solve, a, b)
    check(lambda a, b: LINALG.solve(a, b.mT, left=False), a, b)
    check(LINALG.solve, a[0], v)
    tall, right = draw(8, 2, 4, 3, complex_too=complex_too), draw(9, 2, 4, 2, complex_too=complex_too)
    check(lambda a, b: LINALG.lstsq(a, b, driver="gelsd")[:2], tall, right)
    check(lambda a, b: LINALG.lstsq(a.mT, b[..., :3, :]).solution, tall, right)
    tau = draw(10, 2, 3, complex_too=complex_too) / 2
    check(LINALG.householder_product, tall, tau)
    for options in ({}, {"transpose": True}):
        check(lambda a, t, c, options=options: torch.ormqr(a, t, c, **options), tall, tau, right)
        check(lambda a, t, c, options=options: torch.ormqr(a, t, c.mT, left=False, **options), tall, tau, right)


def test_the_derivative_of_a_determinant_needs_no_inverse() -> None:
    x = torch.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    torch.linalg.det(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [[4.0, 4.0, -4.0], [-2.0, -2.0, 2.0], [0.0, 0.0, 0.0]], atol=1e-12)
    zeros = torch.zeros(2, 2, requires_grad=True)
    torch.linalg.det(zeros).backward()
    assert zeros.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("n", [2, 3])
def test_equal_rows_have_a_determinant_of_exactly_zero(n: int, dtype: torch.dtype) -> None:
    """Division by a pivot gives 1 where a product with its reciprocal may not."""
    number = torch.linspace(0.01, 0.99, 200, dtype=dtype)
    equal = number[:, None, None].expand(200, n, n)
    assert not torch.det(equal).any()
    assert torch.logdet(equal).isneginf().all()
    assert torch.det(torch.tensor([[math.inf, 1.0], [math.inf, 1.0]], dtype=dtype)).isnan()


def test_a_loss_that_depends_on_a_phase_is_refused() -> None:
    x = torch.from_numpy(draw(1, 3, 3, complex_too=True)).requires_grad_()
    for vectors, name in (
        (LINALG.eigh(hermitian(x)).eigenvectors, "linalg_eigh_backward"),
        (LINALG.eig(x).eigenvectors, "linalg_eig_backward"),
        (LINALG.svd(x).U, "svd_backward"),
    ):
        with pytest.raises(RuntimeError, match=rf"{name}: The .*specified up to multiplication by e\^{{i phi}}"):
            loss(vectors).backward()


def test_decompositions_give_the_matrix_back() -> None:
    x = torch.from_numpy(draw(2, 2, 4, 3, complex_too=True))
    u, s, vh = LINALG.svd(x, full_matrices=False)
    q, r = LINALG.qr(x, "complete")
    p, lower, upper = LINALG.lu(x)
    a, tau = torch.geqrf(x)
    square = x.mH @ x
    ld, pivots = LINALG.ldl_factor(square, hermitian=True)
    w, v = LINALG.eig(square)
    for whole in (u * s.unsqueeze(-2) @ vh, q @ r, p @ lower @ upper, LINALG.householder_product(a, tau) @ a[:, :3].triu()):
        assert torch.allclose(whole, x)
    assert torch.allclose(v * w.unsqueeze(-2) @ LINALG.inv(v), square)
    assert torch.allclose(LINALG.ldl_solve(ld, pivots, square, hermitian=True), torch.eye(3, dtype=x.dtype).expand(2, 3, 3))
    assert q.shape == (2, 4, 4) and q.mT.is_contiguous()
    assert LINALG.qr(x, "r").Q.shape == (0,)


def test_one_singular_matrix_does_not_spoil_a_batch() -> None:
    x = torch.stack([torch.eye(2), torch.zeros(2, 2), torch.tensor([[1.0, 2.0], [2.0, 4.0]])])
    inverse, info = LINALG.inv_ex(x)
    assert inverse[0].tolist() == [[1.0, 0.0], [0.0, 1.0]] and info.tolist() == [0, 1, 2] and info.dtype == torch.int32
    assert not inverse[1:].isfinite().all()
    assert LINALG.solve_ex(x, torch.ones(2, 1)).result[0].tolist() == [[1.0], [1.0]]
    factor, info = LINALG.cholesky_ex(torch.stack([4 * torch.eye(2), torch.tensor([[4.0, 2.0], [2.0, 0.5]])]))
    assert info.tolist() == [0, 2] and factor[0].tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert factor[1].tolist() == [[2.0, 0.0], [1.0, -0.5]]
    assert LINALG.lu_factor_ex(x).info.tolist() == [0, 1, 2]
    upper = torch.tensor([[1.0, 2.0], [0.0, 0.0]])
    assert LINALG.solve_triangular(upper, torch.ones(2, 1), upper=True).tolist() == [[-math.inf], [math.inf]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: LINALG.inv(torch.zeros(3, 2, 2)),
            LINALG.LinAlgError,
            "linalg.inv: (Batch element 0): The diagonal element 1 is",
        ),
        (lambda: LINALG.solve(torch.zeros(2, 2), torch.ones(2)), LINALG.LinAlgError, "torch.linalg.solve: The solver failed"),
        (
            lambda: LINALG.cholesky(-torch.eye(2)),
            LINALG.LinAlgError,
            "linalg.cholesky: The factorization could not be completed",
        ),
        (lambda: LINALG.svd(torch.full((2, 2), math.nan)), LINALG.LinAlgError, "linalg.svd: The algorithm failed to converge"),
        (lambda: LINALG.eig(torch.full((2, 2), math.nan)), RuntimeError, "torch.linalg.eig: input tensor should not contain"),
        (
            lambda: LINALG.inv(torch.ones(2, 3)),
            RuntimeError,
            "linalg.inv: A must be batches of square matrices, but they are 2",
        ),
        (lambda: LINALG.det(torch.ones(2)), RuntimeError, "linalg.det: The input tensor A must have at least 2 dimensions."),
        (lambda: LINALG.inv(torch.ones(2, 2).long()), RuntimeError, "linalg.inv: Expected a floating point or complex tensor"),
        (lambda: LINALG.inv(torch.ones(2, 2).half()), RuntimeError, "linalg.inv: Low precision dtypes not supported. Got Half"),
        (lambda: LINALG.lu_factor(torch.zeros(2, 2)), RuntimeError, "torch.linalg.lu_factor: U[1,1] is zero and using it"),
        (lambda: LINALG.qr(torch.eye(2), "all"), RuntimeError, "qr received unrecognized mode 'all'"),
        (lambda: torch.mm(torch.ones(2, 2).bool(), torch.ones(2, 2).bool()), NotImplementedError, '"addmm_impl_cpu_" not'),
        (lambda: torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(4, 2)), RuntimeError, "einsum(): subscript j has size 4"),
        (lambda: torch.einsum("ij", []), ValueError, "einsum(): must specify the equation string and at least one operand"),
        (lambda: torch.einsum("ij->k", torch.ones(2, 3)), RuntimeError, "einsum(): output subscript k does not appear"),
        (lambda: torch.solve(torch.ones(2, 1), torch.eye(2)), RuntimeError, "This function was deprecated since version 1.9"),
    ],
)
def test_errors_say_what_pytorch_says(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_the_derivative_of_half_a_qr_is_refused() -> None:
    x = torch.ones(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="depends on Q, which is not computed when mode='r'"):
        LINALG.qr(x, "r").R.sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete' and nrows > ncols"):
        LINALG.qr(x, "complete").R.sum().backward()


def test_no_warning_of_numpy_comes_through() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bad = torch.full((2, 2), math.nan)
        assert LINALG.eigh(bad).eigenvalues.isnan().all()
        assert LINALG.matrix_exp(torch.full((2, 2), math.inf)).isfinite().logical_not().any()
        assert LINALG.inv_ex(torch.zeros(2, 2)).info.item() == 1
        assert LINALG.pinv(torch.zeros(2, 3)).tolist() == [[0.0, 0.0]] * 3
        assert LINALG.cond(torch.zeros(2, 2), 1).item() == math.inf
        assert torch.logdet(torch.zeros(2, 2)).item() == -math.inf
        assert torch.logdet(-torch.eye(1)).isnan()


def test_without_scipy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.linalg", None)
    with pytest.raises(ImportError, match=r"pip install 'rushlight\[scipy\]'"):
        LINALG.ldl_factor(torch.eye(2))


def test_empty_matrices() -> None:
    empty = torch.zeros(0, 0)
    assert LINALG.det(empty).item() == 1 and LINALG.inv(empty).shape == (0, 0)
    assert LINALG.svd(torch.zeros(0, 3)).Vh.tolist() == torch.eye(3).tolist()
    assert LINALG.qr(torch.zeros(3, 0), "complete").Q.tolist() == torch.eye(3).tolist()
    assert LINALG.matrix_norm(torch.zeros(2, 0), "nuc").item() == 0
    assert LINALG.lu(torch.zeros(2, 0, 0)).P.shape == (2, 0, 0)
    assert LINALG.matrix_rank(torch.zeros(4, 0, 3)).tolist() == [0] * 4


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ki", [(2, 3), (3, 4)]),
        ("ii", [(3, 3)]),
        ("iij->ji", [(3, 3, 2)]),
        ("i,j", [(2,), (3,)]),
        ("...ij,...jk->...ik", [(5, 1, 2, 3), (4, 3, 2)]),
        ("b...a,ca->c...", [(2, 3, 5, 4), (6, 4)]),
        ("i...->...", [(2, 3)]),
        ("abc,cd,dea->be", [(2, 3, 4), (4, 5), (5, 6, 2)]),
        ("ij,ij,ij->j", [(2, 3)] * 3),
        ("Zz,zY", [(2, 3), (3, 4)]),
        (" ab , b -> a ", [(2, 3), (3,)]),
        (",ab->ba", [(), (2, 3)]),
    ],
)
def test_einsum_is_numpys_and_its_derivative_is_right(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [draw(i, *shape) for i, shape in enumerate(shapes)]
    got = torch.einsum(equation, *map(torch.from_numpy, arrays))
    np.testing.assert_allclose(got.numpy(), np.einsum(equation, *arrays))
    check(lambda *tensors: torch.einsum(equation, *tensors), *arrays, twice=len(arrays) > 1)


def test_einsum_takes_lists_of_numbers() -> None:
    a, b = torch.from_numpy(draw(0, 2, 3)), torch.from_numpy(draw(1, 3, 4))
    assert torch.equal(torch.einsum(a, [0, 1], b, [1, 2], [2, 0]), (a @ b).T)
    assert torch.equal(torch.einsum(a, [..., 7], [7, ...]), a.T)
    assert torch.equal(torch.einsum("ij,jk", [a, b]), a @ b)
    assert torch.equal(torch.einsum("ij,jk", ((a, b),)), a @ b)


def test_norm_and_tensordot_take_out_by_position_and_the_method_a_dtype() -> None:
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    out = torch.zeros(2)
    assert torch.norm(x, 1, 0, False, out) is out
    assert out.tolist() == [2, 4]
    product = torch.zeros(2, 2)
    assert torch.tensordot(x, x, 1, product) is product
    assert product.tolist() == [[2, 3], [6, 11]]
    assert x.norm(1, 0, False, torch.float64).dtype == torch.float64
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'out'"):
        x.norm(out=product)


def test_einsum_is_recorded_as_products_of_batches() -> None:
    a, b = torch.ones(2, 3, requires_grad=True), torch.ones(3, 4, requires_grad=True)
    names, node = [], torch.einsum("ij,jk->ik", a, b).grad_fn
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[0][0]
    assert names[:6] == [
        "ViewBackward0",
        "PermuteBackward0",
        "ViewBackward0",
        "BmmBackward0",
        "ViewBackward0",
        "PermuteBackward0",
    ]


def test_functions_against_numpy() -> None:
    a, b = draw(0, 3, 3), draw(1, 3, 3)
    x, y = torch.from_numpy(a), torch.from_numpy(b)
    for got, right in (
        (torch.kron(x, y), np.kron(a, b)),
        (torch.inner(x, y), np.inner(a, b)),
        (torch.trace(x), np.trace(a)),
        (LINALG.multi_dot([x[0], y, x, y[:, 0]]), a[0] @ b @ a @ b[:, 0]),
        (LINALG.cross(x, y), np.cross(a, b)),
        (LINALG.vecdot(x, y), (a * b).sum(-1)),
        (LINALG.tensorsolve(x, y[0]), np.linalg.solve(a, b[0])),
        (LINALG.cond(x, 1), np.linalg.cond(a, 1)),
        (LINALG.norm(x, -2), np.linalg.norm(a, -2)),
        (LINALG.matrix_norm(x, -math.inf, keepdim=True)[0, 0], np.linalg.norm(a, -math.inf)),
        (LINALG.matrix_rank(torch.ones(3, 3)), 1),
        (torch.vander(x[0], 3), np.vander(a[0], 3)),
    ):
        np.testing.assert_allclose(got.numpy(), right, rtol=1e-10)
    assert torch.trace(torch.ones(2, 2, dtype=torch.int8)).dtype == torch.int64


def test_the_exponential_of_large_and_small_matrices() -> None:
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    angles = torch.tensor([1e-9, 0.5, 30.0, 0.0], dtype=torch.float64)
    got = LINALG.matrix_exp(angles[:, None, None] * turn)
    np.testing.assert_allclose(got[:, 0, 0].numpy(), angles.cos().numpy(), atol=1e-12)
    np.testing.assert_allclose(got[:, 1, 0].numpy(), angles.sin().numpy(), atol=1e-12)


def test_low_rank_approximations() -> None:
    torch.manual_seed(0)
    x = torch.from_numpy(draw(0, 8, 2) @ draw(1, 2, 6))
    u, s, v = torch.svd_lowrank(x, q=2)
    assert torch.allclose(u * s @ v.T, x)
    u, s, v = torch.pca_lowrank(x.mT, q=2)
    assert torch.allclose(u * s @ v.T, x.mT - x.mT.mean(0))


def test_results_can_be_written_into_tensors() -> None:
    x = torch.tensor([[2.0, 0.0], [0.0, 4.0]])
    out = torch.empty(2, 2)
    assert LINALG.inv(x, out=out) is out and out.tolist() == [[0.5, 0.0], [0.0, 0.25]]
    values, vectors = torch.empty(2), torch.empty(2, 2)
    result = LINALG.eigh(x, out=(values, vectors))
    assert result.eigenvalues is values and values.tolist() == [2.0, 4.0]
    assert repr(LINALG.inv_ex(x)).startswith("torch.return_types.linalg_inv_ex(\ninverse=tensor(")


def test_names_in_the_graph() -> None:
    x = torch.eye(2, requires_grad=True)
    for out, name in (
        (LINALG.inv(x), "LinalgInvExBackward0"),
        (LINALG.det(x), "LinalgDetBackward0"),
        (LINALG.slogdet(x)[0], "LinalgSlogdetBackward0"),
        (LINALG.solve(x, x), "LinalgSolveExBackward0"),
        (LINALG.cholesky(x), "LinalgCholeskyExBackward0"),
        (LINALG.eigh(x)[0], "LinalgEighBackward0"),
        (LINALG.svdvals(x), "LinalgSvdBackward0"),
        (LINALG.qr(x)[0], "LinalgQrBackward0"),
        (LINALG.pinv(x), "LinalgPinvBackward0"),
        (LINALG.lu(x)[1], "LinalgLuBackward0"),
        (LINALG.matrix_exp(x), "LinalgMatrixExpBackward0"),
        (torch.trace(x), "TraceBackward0"),
    ):
        assert out.grad_fn.name() == name


@pytest.mark.parametrize("order", [float("inf"), -float("inf")])
def test_no_number_has_the_size_nan(order):
    x = torch.tensor([[1.0, float("nan"), -2.0], [1.0, 1.0, -1.0]], requires_grad=True)
    LINALG.vector_norm(x, ord=order, dim=1).sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([[0.0, 0.0, 0.0], [1.0, 1.0, -1.0]]) / 3)


@pytest.mark.parametrize("number", [2.0, float("inf"), -float("inf"), float("nan")])
def test_the_eigenvalue_of_one_number_is_that_number(number: float) -> None:
    matrix = torch.tensor([[number]], dtype=torch.float64)
    values, vectors = torch.linalg.eigh(matrix)
    assert torch.allclose(values, matrix[0], equal_nan=True) and vectors.tolist() == [[1.0]]
    assert torch.allclose(torch.linalg.eigvalsh(matrix), matrix[0], equal_nan=True)


@pytest.mark.parametrize("order", [1, 2])
def test_a_pivot_that_is_nan_is_not_positive(order: int) -> None:
    matrix = torch.eye(2, dtype=torch.float64)
    matrix[order - 1, order - 1] = torch.nan
    assert LINALG.cholesky_ex(matrix).info.item() == order
    with pytest.raises(LINALG.LinAlgError, match=rf"leading minor of order {order} is not positive-definite"):
        LINALG.cholesky(matrix)


def test_the_empty_dimension_of_a_norm_is_told_as_it_was_given() -> None:
    with pytest.raises(RuntimeError, match=r"cannot compute the inf norm on the dimension -1because this dimension is empty"):
        LINALG.vector_norm(torch.empty(2, 0), math.inf, dim=-1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda out: torch.linalg.cholesky(-torch.eye(2), out=out),
            "Expected out tensor to have dtype float, but got unsigned char",
        ),
        (
            lambda out: torch.cholesky(-torch.eye(2), out=out),
            "cholesky: Expected result to be safely castable from Float dtype",
        ),
        (lambda out: torch.linalg.inv(torch.zeros(2, 2), out=out), "Expected out tensor to have dtype float"),
        (lambda out: torch.linalg.lu_factor(torch.zeros(2, 2), out=(out, out)), "Expected out tensor to have dtype float"),
        (lambda out: torch.linalg.cholesky_ex(torch.eye(2), out=(torch.ones(2), out)), "Expected out tensor to have dtype int"),
        (lambda out: torch.linalg.pinv(torch.ones(2), out=out), "linalg.pinv: Expected result to be safely castable"),
        (lambda out: torch.linalg.norm(torch.ones(2), out=out), "linalg.norm expected out tensor dtype Float but got: Byte"),
        (lambda out: torch.norm(torch.ones(2), out=out), "Expected out tensor to have dtype float"),
        (lambda out: torch.lerp(*[torch.ones(2).bool()] * 3, out=out), "Found dtype Byte but expected Bool"),
        (lambda out: torch.mv(torch.eye(2), torch.ones(2), out=out), "addmv input tensors must have the same dtype"),
        (
            lambda out: torch.logsumexp(torch.ones(2), 0, out=out),
            "logsumexp.*floating point type for result tensor, but got: Byte",
        ),
        (lambda out: torch.diag(torch.ones(2), out=out), "diag: result type Float can't be cast to the desired out= type Byte"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_an_out_of_another_dtype_is_refused_in_pytorchs_words(call: Callable[[torch.Tensor], object], says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        call(torch.ones(2, dtype=torch.uint8))


def test_an_empty_out_needs_no_more_memory() -> None:
    x = torch.tensor([[], []])
    x.numpy()  # whose memory is not replaced from now on
    assert torch.sub(x, x, out=x[-1:]).shape == (2, 0)
