"""Wrong numbers and refusals that random programs of the corners have found (tests/conformance/programs/corners.py holds their texts)."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import rushlight as torch


def test_noise_does_not_depend_on_how_logits_lie() -> None:
    rows, columns = torch.zeros(3, 2), torch.zeros(2, 3).t()
    drawn = []
    for logits in (rows, columns):
        torch.manual_seed(3)
        drawn.append(torch.nn.functional.gumbel_softmax(logits))
    assert torch.equal(*drawn)


def test_a_result_of_another_size_goes_into_the_memory_that_is_there() -> None:
    whole = torch.arange(4)
    half = whole[:2]
    torch.zeros(1, out=half)
    assert whole.tolist() == [0, 1, 2, 3]
    torch.full((3,), 7, out=half)
    assert half.tolist() == [7, 7, 7]
    assert whole.tolist() == [7, 7, 7, 3]


def test_what_has_no_derivative_writes_out_beside_gradients() -> None:
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    assert torch.argmax(x, 0, out=torch.tensor(0)).item() == 1
    assert torch.gt(x, 2, out=torch.zeros(2, dtype=torch.bool)).tolist() == [False, True]
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.exp(x, out=torch.zeros(2))


@pytest.mark.parametrize("function", [torch.sin, torch.square, torch.exp, torch.nn.functional.gelu])
def test_gradients_of_sums_lie_as_what_they_are_of(function: object) -> None:
    x = torch.arange(10.0).view(5, 2).t().requires_grad_()
    (gradient,) = torch.autograd.grad(function(x).sum(), x)  # type: ignore[operator]
    assert gradient.stride() == x.stride()
    rows = torch.arange(10.0).view(2, 5).requires_grad_()
    (gradient,) = torch.autograd.grad(function(rows).sum(), rows)  # type: ignore[operator]
    assert gradient.stride() == (5, 1)


def test_the_gradient_of_a_scattered_product_is_of_its_inputs() -> None:
    x = torch.tensor([2.0, -0.5], requires_grad=True)
    y = x.scatter_reduce(0, torch.tensor([1]), torch.tensor([1.5]), "prod")
    y.data.mul_(10)
    y.sum().backward()
    assert x.grad.tolist() == [1, 1.5]


def test_jacobians_are_several_views() -> None:
    jacobian = torch.func.jacrev(torch.square)(torch.ones(1, requires_grad=True))
    with pytest.raises(RuntimeError, match="multiple views"):
        jacobian.add_(1)
    with pytest.raises(RuntimeError, match="must be floating-point or complex"):
        torch.func.jacrev(torch.argmax)(torch.ones(2))


def test_a_list_is_written_whole_or_not_at_all() -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        torch._foreach_add_([x, torch.ones(2, requires_grad=True)], 2)
    assert x.tolist() == [1, 1]


def test_a_hinge_loss_of_infinities_is_no_nan() -> None:
    x = torch.tensor([torch.inf, -torch.inf])
    losses = torch.nn.functional.hinge_embedding_loss(x, torch.tensor([-1.0, 1.0]), reduction="none")
    assert losses.tolist() == [0, -torch.inf]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_determinant_of_nothing_is_one(dtype: torch.dtype) -> None:
    assert torch.linalg.det(torch.ones(0, 0, dtype=dtype)).item() == 1
    assert torch.det(torch.ones(2, 0, 0, dtype=dtype)).tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bessel_functions_overflow_where_exp_does(dtype: torch.dtype) -> None:
    x = torch.tensor([88.5, 89.5, -89.5]).to(dtype)
    assert torch.i0(x).isinf().tolist() == [False, True, True]
    assert torch.special.i1(x)[1:].tolist() == [torch.inf, -torch.inf]
    assert torch.i0(torch.tensor([[1.0, 2.0], [3.0, 4.0]]).t()).stride() == (1, 2)


def test_products_of_no_bools_need_no_kernel() -> None:
    x, y = torch.ones(2, dtype=torch.bool), torch.ones(2, 0, dtype=torch.bool)
    assert (x @ y).tolist() == [] and (y @ y.t()).tolist() == [[False, False]] * 2
    with pytest.raises(NotImplementedError, match="'Bool'"):
        x @ x


def test_zeros_for_what_is_unused_lie_in_order() -> None:
    a, b = torch.ones(2, requires_grad=True), torch.ones(3).expand(2, 3).requires_grad_()
    (zeros,) = torch.autograd.grad(a.sum(), b, materialize_grads=True)
    assert zeros.stride() == (3, 1)


def test_a_sum_of_products_ends_in_a_view() -> None:
    x, y = torch.ones(2, 5).t().requires_grad_(), torch.ones(1, 2)
    assert torch.einsum("ij,kj->ik", x[:, :1], y[:, :1]).grad_fn.name() == "ViewBackward0"
    assert torch.einsum("ij,kj->ik", x, y[:, :1]).grad_fn.name() == "ViewBackward0"


def test_means_over_all_of_an_image_take_whatever_has_its_dimensions() -> None:
    functional = torch.nn.functional
    assert functional.adaptive_avg_pool2d(torch.ones(2, 2, 0, 4), 1).isnan().all()
    assert functional.adaptive_avg_pool3d(torch.ones(2, 4, 4), 1).shape == (1, 1, 1)
    turned = torch.ones(1, 2, 4, 4, requires_grad=True).contiguous(memory_format=torch.channels_last)
    assert functional.adaptive_avg_pool3d(turned, 1).shape == (1, 1, 1, 1)
    mean = functional.adaptive_avg_pool2d(turned, 1)
    assert (mean.grad_fn.name(), mean.stride()) == ("AsStridedBackward1", (2, 1, 2, 2))
    assert torch.autograd.grad(mean.sum(), turned)[0].sum().item() == 2


def test_activations_in_place_have_nodes_of_their_own() -> None:
    x = torch.ones(2, requires_grad=True)
    assert torch.nn.functional.selu(x * 1, inplace=True).grad_fn.name() == "EluBackward1"
    assert torch.nn.functional.threshold_(x * 1, 0.5, -1.0).grad_fn.name() == "ThresholdBackward1"


def test_least_squares_of_no_columns_have_residuals_of_zero_by_gels() -> None:
    a, b = torch.ones(3, 0), torch.ones(3, 2)
    assert torch.linalg.lstsq(a, b, driver="gels").residuals.tolist() == [0, 0]
    assert torch.linalg.lstsq(a, b, driver="gelsd").residuals.tolist() == [3, 3]


def test_a_number_has_both_parts_as_a_pair() -> None:
    x = torch.tensor(0.5)
    parts = torch.autograd.functional.jvp(lambda t: torch.view_as_real(torch.complex(t, t)).sum(), x)
    assert parts[1].item() == 2


class Product(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x * y

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, y = ctx.saved_tensors
        return g * y, g * x

    @staticmethod
    def jvp(ctx: Any, s: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        x, y = ctx.saved_tensors
        return s * y + t * x


def test_functions_in_batches_of_batches_are_differentiated() -> None:
    x, y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([5.0, 6.0], requires_grad=True)
    out = torch.vmap(torch.vmap(Product.apply), in_dims=(0, None))(x, y)
    assert type(out.grad_fn).__name__ == "VmappedVmappedProductBackward"
    assert out.tolist() == [[5, 12], [15, 24]]
    out.sum().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert x.grad.tolist() == [[5, 6], [5, 6]]
    assert y.grad.tolist() == [4, 6]
    square = torch.vmap(torch.vmap(lambda t: Product.apply(t, t)))
    assert torch.func.jvp(square, (x,), (x,))[1].tolist() == [[2, 8], [18, 32]]
    slope = torch.vmap(torch.func.grad(lambda t: torch.vmap(lambda u: Product.apply(u, u))(t).sum()))
    assert slope(x).tolist() == [[2, 4], [6, 8]]


def test_what_a_transform_was_given_may_stop_to_need_a_gradient() -> None:
    x = torch.tensor([0.5], requires_grad=True)
    cube = torch.func.grad(lambda t: Product.apply(t, t * t).sum())(x)
    x.requires_grad = False
    (cube + 1).backward()  # its leaf is there no more, and no error


def test_checkpoints_take_tangents_along() -> None:
    x = torch.tensor([1.0, 2.0])
    sine = functools.partial(torch.utils.checkpoint.checkpoint, torch.sin)
    assert torch.equal(torch.func.jvp(lambda t: sine(t, use_reentrant=False), (x,), (x,))[1], x * x.cos())
    with pytest.raises(RuntimeError, match="must override the setup_context"):
        torch.vmap(lambda t: sine(t, use_reentrant=True))(x)


def test_what_is_linearized_shares_no_memory_with_its_tangents() -> None:
    x = torch.ones(2, 3)
    pushed = torch.func.linearize(lambda t: t.t(), x)[1](x)
    x.zero_()
    assert pushed.sum() == 6


@pytest.mark.parametrize("write", [torch.Tensor.add_, torch.Tensor.mul_])
def test_examples_that_are_too_small_are_named_with_their_batch(write: Any) -> None:
    with pytest.raises(RuntimeError, match=r"shape \[2, 1, 3\] doesn't match the broadcast shape \[2, 4, 3\]"):
        torch.vmap(write)(torch.ones(2, 3), torch.ones(2, 4, 3))
    if write is torch.Tensor.add_:
        nested = torch.vmap(torch.vmap(lambda x, y: write(x.clone(), y), (0, None)), (None, 0))
        with pytest.raises(RuntimeError, match=r"shape \[2, 3\] doesn't match the broadcast shape \[4, 2, 3\]"):
            nested(torch.ones(2, 3), torch.ones(4, 3))


@pytest.mark.parametrize(
    ("called", "function"),
    [
        ("_foreach_sin", lambda x: torch._foreach_sin([x])),
        ("_foreach_add_.Scalar", lambda x: torch._foreach_add_([x], 1)),
        ("_foreach_add.List", lambda x: torch._foreach_add([x], [x])),
        ("_foreach_mul.ScalarList", lambda x: torch._foreach_mul([x], [2.0])),
        ("_foreach_addcmul.Scalar", lambda x: torch._foreach_addcmul([x], [x], [x])),
        ("_foreach_norm.Scalar", lambda x: torch._foreach_norm([x])),
        ("_foreach_pow.ScalarAndTensor", lambda x: torch._foreach_pow(2.0, [x])),
    ],
)
def test_lists_are_not_for_examples(called: str, function: Any) -> None:
    with pytest.raises(RuntimeError, match=rf"Batching rule not implemented for aten::{called}\. "):
        torch.vmap(function)(torch.ones(2, 3))


@pytest.mark.parametrize("called", ["unique", "unique_consecutive"])
def test_distinct_values_of_examples_cannot_be_stacked(called: str) -> None:
    with pytest.raises(RuntimeError, match="operators that can output dynamic shape"):
        torch.vmap(getattr(torch, called))(torch.ones(2, 3))
    x = torch.tensor([3.0, 1.0], requires_grad=True)
    assert torch._unique(x)[0].grad_fn.name() == "UniqueBackward0"


def test_products_of_examples_that_are_no_matrices() -> None:
    with pytest.raises(RuntimeError, match=r"mm\(a, b\)\. a has dim 1and b has dim 1but"):
        torch.vmap(lambda x: x.addmm(x, x))(torch.ones(2, 3))


def test_the_softmax_of_a_number_is_a_constant() -> None:
    x = torch.tensor([3.0, 0.75], requires_grad=True)
    assert torch.vmap(torch.func.grad(lambda t: t.log_softmax(0)))(x).grad_fn is None
    assert torch.vmap(lambda t: t.t())(torch.ones(2, 3).requires_grad_()).grad_fn.name() == "TransposeBackward0"


def test_products_with_jacobians_of_integers() -> None:
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        torch.autograd.functional.jvp(lambda t: t.long(), torch.ones(2), torch.ones(2))


def test_gradients_of_functions_have_tangents_in_batches() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)

    def slope(t: Any) -> Any:
        return torch.func.grad(lambda u: Product.apply(u, u * u).sum())(t)

    pushed = torch.vmap(lambda t: torch.func.jvp(slope, (t,), (t,))[1])(x)
    assert pushed.tolist() == [24, 54]
    assert torch.autograd.grad(pushed.sum(), x)[0].tolist() == [24, 36]
    second = torch.vmap(torch.func.hessian(lambda u: Product.apply(u, u * u).sum()))(x)
    assert second.tolist() == [12, 18]
    assert torch.autograd.grad(second.sum(), x)[0].tolist() == [6, 6]


def test_jacobians_speak_of_their_numbers_not_of_a_batch() -> None:
    with pytest.raises(RuntimeError, match="mat1 must be a matrix, got 1-D tensor"):
        torch.func.hessian(lambda t: t.addmm(t, t).sum())(torch.ones(2))
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        torch.func.hessian(lambda t: t.unbind()[0])(torch.ones(()))
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.vmap(torch.rot90)(torch.ones(2, 3))


def test_a_product_of_each_example_of_examples_has_a_gradient_where_factors_are_zero() -> None:
    x = torch.tensor([[[0.0, 2.0, 3.0]], [[0.0, 0.0, 3.0]]], requires_grad=True)
    products = torch.vmap(torch.vmap(lambda t: t.prod()))(x)
    (slope,) = torch.autograd.grad(products.sum(), x, create_graph=True)
    assert slope.tolist() == [[[6, 0, 0]], [[0, 0, 0]]]


def test_a_tangent_of_running_logsumexp_can_be_differentiated() -> None:
    x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    rows = torch.func.jacfwd(lambda t: torch.logcumsumexp(t, 0))(x)
    (slope,) = torch.autograd.grad(rows[1, 0], x)
    assert rows.grad_fn is not None and (rows[1] * rows[1, 0]).tolist()[1] == pytest.approx(-slope.tolist()[1])
    assert slope.tolist()[0] == pytest.approx(-slope.tolist()[1])


def test_rows_that_meet_are_scaled_one_after_another() -> None:
    weight = torch.tensor([-1.5, 2.75, 0.0, 0.5]).as_strided((3, 2), (1, 1))
    torch.nn.functional.embedding(torch.tensor([1, 0]), weight, max_norm=1.0)
    assert weight.as_strided((4,), (1,)).tolist() == pytest.approx([-0.4788522, 0.8778955, 0.0, 0.5])


def test_adjoints_of_half_complex_numbers_are_written_through() -> None:
    x = torch.ones(2, 2, dtype=torch.float16) * 2 + 1j
    x.mH.imag.copy_(torch.full((2, 2), 5.0))
    assert x.is_conj() is False and x.mH.is_conj() and torch.view_as_real(x)[..., 1].tolist() == [[-5, -5], [-5, -5]]


def test_gradients_of_segments_have_a_history_that_has_no_derivative() -> None:
    x = torch.ones(2, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.segment_reduce(x, "max", lengths=torch.tensor([1, 1])).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for aten::_segment_reduce_backward is not implemented"):
        slope.sum().backward()


def test_a_stretched_gradient_is_not_added_to() -> None:
    leaf = torch.zeros(2, 3, requires_grad=True)
    leaf.grad = torch.ones(3).expand(2, 3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        leaf.sum().backward()
    assert leaf.grad.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_new_values_put_into_a_leaf_are_asked_for_a_gradient_anew() -> None:
    leaf = torch.ones(3, requires_grad=True)
    result = leaf * 2
    with torch.no_grad():
        assert not torch.arange(3, out=leaf).requires_grad
        assert torch.zeros(3, out=result).requires_grad and result.grad_fn is not None
        assert torch.ones(3, out=leaf, requires_grad=True).requires_grad


def test_where_nothing_is_drawn_no_dtype_is_refused() -> None:
    for dtype in (torch.complex64, torch.bool, torch.uint16):
        nothing = torch.zeros(0, dtype=dtype)
        assert nothing.geometric_(0.5) is nothing.log_normal_() is nothing.bernoulli_() is nothing.random_()
    with pytest.raises(NotImplementedError, match="geometric_cpu"):
        torch.zeros(1, dtype=torch.complex64).geometric_(0.5)


def test_copies_keep_their_steps() -> None:
    one = torch.arange(4.0)[::4]
    assert one.clone().stride() == one.index_put((torch.tensor([0]),), torch.tensor(1.0)).stride() == (4,)
    assert torch.arange(4.0)[::2].clone().stride() == (1,)


@pytest.mark.parametrize(
    ("function", "shape", "text"),
    [
        (lambda t: t.argmax(), (2, 0), "argmax(): Expected reduction dim 1 to have non-zero size"),
        (lambda t: t.max(-1), (3, 2, 0), "max(): Expected reduction dim 2 to have non-zero size"),
        (lambda t: t.amax(-1), (3, 2, 0), "amax(): Expected reduction dim 2 to have non-zero size"),
        (
            lambda t: t.index_add(0, torch.tensor([0]), t[:2]),
            (3, 4),
            "(1) should be equal to source.size(dim): (2), for dim: 1",
        ),
        (lambda t: t.reshape(-1, 1), (0, 2), "into shape [0, -1, 1] because"),
        (lambda t: t.view(-1, 0), (2, 0), "into shape [2, -1, 0] because"),
        (lambda t: t[0].clone().copy_(t), (4, 3, 2), "shape [4, 1, 2] doesn't match the broadcast shape [4, 3, 2]"),
        (lambda t: t[0, 0][t[0, 0] > 0], (1, 1, 1), "batch over indexing with a boolean mask"),
    ],
)
def test_errors_of_examples_speak_of_their_batch(function: Any, shape: tuple[int, ...], text: str) -> None:
    with pytest.raises((RuntimeError, IndexError)) as caught:
        torch.vmap(function)(torch.ones(shape))
    assert text in str(caught.value)


def test_numbers_that_do_not_fit_are_refused_after_leaves() -> None:
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.ones(2, requires_grad=True).fill_(1j)
    with pytest.raises(RuntimeError, match="type double without overflow"):
        torch.full((), 1j, dtype=torch.float16)
    with pytest.raises(RuntimeError, match="type uint8 without overflow"):
        torch.tensor(-1.0, dtype=torch.uint8)


def test_what_is_computed_in_another_dtype_is_written_into_halves() -> None:
    into = torch.zeros(2, dtype=torch.complex32)
    assert torch.view_as_real(torch.sqrt(torch.full((2,), 4.0), out=into)).tolist() == [[2, 0], [2, 0]]
    with pytest.raises(RuntimeError, match="Found dtype ComplexHalf but expected Float"):
        torch.neg(torch.ones(2), out=into)
    numbers = torch.tensor([1, 2, 3, 4]).as_strided((3, 2), (1, 1))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.exp(numbers, out=numbers)


@pytest.mark.parametrize("name", ["leaky_relu", "elu", "celu", "selu", "rrelu"])
def test_what_an_activation_wrote_may_not_be_changed_before_its_derivative(name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    for change, refused in ((lambda t: t.mul_(2), True), (lambda t: t * 2, False)):
        written = x * 1
        getattr(torch.nn.functional, name)(written, inplace=True)
        last = change(written)
        if refused:
            with pytest.raises(RuntimeError, match=r"which is output 0 of \w+1, is at version 2; expected"):
                last.sum().backward()
        else:
            last.sum().backward()


def test_what_is_solved_for_may_not_be_changed_before_its_derivative() -> None:
    right = torch.eye(2, requires_grad=True) * 3
    solved = torch.cholesky_solve(right, torch.eye(2))
    with torch.no_grad():
        right.add_(1)
    with pytest.raises(RuntimeError, match="which is output 0 of Mul, is at version 1"):
        solved.sum().backward()


def test_a_view_laid_over_its_own_memory_stays_a_view() -> None:
    base = torch.ones(2, 3, requires_grad=True) * 1
    view = base.view(3, 2)
    view.set_(view)
    assert view._is_view() and base.grad_fn.name() == "torch::autograd::CopySlices"
    assert view.grad_fn.name() == "AsStridedBackward0"


def test_divergences_lie_as_their_parameters() -> None:
    mean = torch.tensor([[-1.75, 1.75], [-1.0, 2.75], [1.0, 0.5]]).t()
    of_laplace = torch.distributions.Laplace(mean, mean.abs())
    assert torch.distributions.kl_divergence(torch.distributions.Normal(mean, 1.5), of_laplace).stride() == (1, 2)
    assert torch.distributions.Cauchy(mean, 1.0).mean.stride() == (3, 1)


def test_rows_of_matrices_that_are_not_finite_are_taken_as_lapack_takes_them() -> None:
    nan, inf = torch.nan, torch.inf
    assert torch.linalg.inv(torch.tensor([[nan, 1.0], [0.5, 2.0]])).isnan().all()
    assert torch.linalg.inv(torch.tensor([[inf, inf], [1.0, inf]])).isnan().all()
    assert torch.linalg.inv(torch.tensor([[1.0, 0.5], [inf, 1.0]])).tolist() == [[0, 0], [2, 0]]
    assert torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [nan, 1.0]])).pivots.tolist() == [1, 2]
    zero = torch.zeros(2, 1)
    assert torch.linalg.solve_triangular(torch.tensor([[0.0, 1.0], [0.0, 0.0]]), zero, upper=True).isnan().all()
    singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
    assert str(torch.linalg.inv_ex(singular).inverse) == "tensor([[-inf, inf],\n        [inf, -inf]])"


def test_autocast_leaves_sums_of_products_to_one_number_alone() -> None:
    row, matrix = torch.ones((1, 3), dtype=torch.float16), torch.ones((3, 2), dtype=torch.float16)
    with torch.autocast("cpu", torch.bfloat16):
        one = (torch.tensordot(row, row.T, 1), torch.tensordot(row, row, ([1], [1])), torch.inner(row, row[0]))
        many = (torch.tensordot(row, matrix, 1), torch.inner(matrix.T[:, :1], row[:, :1]))
    assert [each.dtype for each in (*one, *many)] == [torch.float16] * 3 + [torch.bfloat16] * 2


def test_a_hook_that_returns_a_tensor_hands_it_to_the_next_one() -> None:
    leaf, seen = torch.ones(2, requires_grad=True), []
    leaf.register_post_accumulate_grad_hook(lambda p: p.grad.zero_())
    leaf.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad))
    with pytest.raises(RuntimeError, match="hooks should return None"):
        leaf.sum().backward()
    assert seen == [None]


def test_matrix_rank_of_empty_halves() -> None:
    nothing = torch.zeros(2, 0, 3, dtype=torch.float16)
    assert torch.linalg.matrix_rank(nothing, 0.5).tolist() == [0, 0]


def test_reflectors_are_differentiated_by_their_product() -> None:
    a, tau = torch.tensor([[0.0], [1.0]], requires_grad=True), torch.tensor([0.25], requires_grad=True)
    product, seen = torch.linalg.householder_product(a, tau), []
    product.register_hook(lambda g: seen.append(g))
    torch.autograd.grad(product.sum(), [a], create_graph=True)[0].sum().backward()
    assert len(seen) == 2


def test_fmod_s_derivative_saves_its_divisor() -> None:
    a, b = torch.ones(3, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    divisor = b * 1
    slope = torch.autograd.grad(torch.fmod(a * 1, divisor).sum(), [divisor], create_graph=True)[0]
    divisor.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        slope.backward()


def test_gather_names_the_index_that_pytorch_meets_first() -> None:
    with pytest.raises(RuntimeError, match="index 5 is out of bounds for dimension 2 with size 2"):
        torch.gather(torch.zeros(2, 1, 2, 1), 2, torch.tensor([[[[0], [-1]]], [[[5], [-1]]]]))


def test_a_mask_of_nothing_must_have_the_shape() -> None:
    with pytest.raises(IndexError, match=r"mask \[0\] at index 0 does not match the shape of the indexed tensor \[1, 3\]"):
        torch.zeros(1, 3)[torch.zeros(0).bool()] = 3


def test_type_as_keeps_a_sparse_layout() -> None:
    rows = torch.tensor([[0.0, -1.0], [2.0, 0.0]]).to_sparse_csr()
    found = rows.type_as(rows.double())
    assert (found.layout, found.dtype, found.values().tolist()) == (torch.sparse_csr, torch.float64, [-1, 2])
    with pytest.raises(RuntimeError, match="doesn't support converting to a different layout"):
        torch.ones(2).type_as(torch.ones(2).to_sparse())
    assert torch.nn.functional.relu_(rows).values().tolist() == [0, 2]


@pytest.mark.parametrize("name", ["remainder", "fmod", "xlogy"])
def test_bools_and_a_number_of_64_bits_do_not_promote(name: str) -> None:
    with pytest.raises(RuntimeError, match="attempted to promote Bool and UInt64"):
        getattr(torch, name)(torch.tensor([True]), 2**63)
