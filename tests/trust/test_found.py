"""Wrong numbers that random programs have found, each by what it came down to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch


def test_nan_is_not_lost_in_a_determinant() -> None:
    singular = torch.tensor([[1.0, 1, 1], [1, math.nan, 1], [1, 1, 1]])
    assert math.isnan(torch.linalg.det(singular).item())
    assert math.isnan(torch.det(torch.tensor([[math.nan, 1.0], [1, 1]], dtype=torch.float64)).item())
    assert math.isnan(torch.logdet(singular).item())
    sign, size = torch.linalg.slogdet(torch.stack([singular, torch.full((3, 3), math.nan), torch.ones(3, 3)]))
    assert sign.tolist() == [0, 0, 0]
    assert size.isnan().tolist() == [True, True, False]
    assert torch.det(torch.ones(3, 3)).item() == 0


def test_bytes_shifted_by_all_their_bits_are_nothing() -> None:
    octets = torch.tensor([255, 200, 255], dtype=torch.uint8)
    assert (octets >> torch.tensor([255, 8, 7], dtype=torch.uint8)).tolist() == [0, 0, 1]
    assert (octets >> 9).tolist() == [0, 0, 0]
    assert (torch.tensor([-5, 5], dtype=torch.int8) >> 8).tolist() == [-1, 0]


def test_running_sums_begin_with_nothing() -> None:
    below = torch.tensor([-0.0, -0.0])
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.complex64):
        assert str(below.to(dtype).cumsum(0).real.float()) == "tensor([0., 0.])"
    assert str(below.logcumsumexp(0)) == "tensor([0.0000, 0.6931])"
    assert str(below.cumprod(0)) == "tensor([-0., 0.])"


def test_products_of_small_integers_keep_their_dtype() -> None:
    x = torch.tensor([[2, 2], [2, 3]], dtype=torch.int8).t()
    assert torch.tensordot(x, x).dtype is torch.int8
    assert torch.tensordot(x.float(), x.float()).item() == 21


def test_inner_products_of_single_small_integers_keep_their_dtype() -> None:
    one, two = torch.tensor([100], dtype=torch.int8), torch.tensor([[2], [1]], dtype=torch.int8)
    assert torch.inner(one, one).dtype is torch.int8
    assert torch.inner(two, one).tolist() == [-56, 100]
    assert torch.tensordot(two, one.view(1, 1), 1).dtype is torch.int8


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 0.0, 3.0]])
def test_a_product_of_real_parts_has_their_gradient(values: list[float]) -> None:
    real = torch.tensor(values, requires_grad=True)
    beside = torch.complex(real.detach(), torch.tensor([1.0, -2.0, 0.5])).requires_grad_()
    for one in (real, beside):
        one.prod(0, dtype=torch.float32).sum().backward()
    assert beside.grad.real.tolist() == real.grad.tolist()
    assert not beside.grad.imag.any()
    beside.grad = None
    beside.prod(dtype=torch.float32).backward()
    assert beside.grad.real.tolist() == real.grad.tolist()


def test_running_products_of_real_parts_have_pytorchs_gradient() -> None:
    x = torch.tensor([[1j, 0, 2], [0, -1.5j, 0], [1 + 1j, 2, 0]], requires_grad=True)
    x.cumprod(1, dtype=torch.float32).backward(torch.tensor([1.0, 2, 4]).expand(3, 3))
    assert x.grad.tolist() == [[0, 0, 0], [1 + 3j, 0, 0], [2.5 + 2.5j, 2, 8]]


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16])
def test_narrow_integers_are_no_index(dtype: torch.dtype) -> None:
    x, places = torch.arange(9.0).view(3, 3), torch.tensor([1, 0], dtype=dtype)
    for index in (places, (places,), (slice(None), places), (0, places), (torch.tensor([1, 1]), places), places[:0]):
        with pytest.raises(IndexError, match="must be long, int, byte or bool"):
            x[index]
        with pytest.raises(IndexError, match="must be long, int, byte or bool"):
            x[index] = 1
    with pytest.raises(IndexError, match="must be long, int, byte or bool"):
        x.index_put_((places,), torch.tensor(1.0))
    assert x[places[0]].tolist() == [3, 4, 5]  # a number is one, of any width
    assert x.sum() == 36


def test_sizes_that_cannot_be_stretched_to_are_refused() -> None:
    for shape, size in (((), (-1,)), ((), (2, -1)), ((1,), (-2, 3)), ((1,), (2**62, 4)), ((1,), (-3,))):
        with pytest.raises(RuntimeError, match=r"^numel: integer multiplication overflow"):
            torch.ones(shape).expand(size)
    with pytest.raises(RuntimeError, match="isn't allowed in a leading, non-existing dimension 0"):
        torch.ones(1).expand(-1, 1)


@pytest.mark.parametrize("function", [torch.func.jacrev, torch.func.jacfwd, torch.func.hessian])
def test_derivatives_over_no_elements_have_a_history(function: Callable[..., Any]) -> None:
    x, w = torch.ones(0, requires_grad=True), torch.ones(0, requires_grad=True)
    assert function(lambda t: (t**3).sum())(x).requires_grad
    assert function(lambda t: (t * t * w).sum())(x.detach()).requires_grad
    assert not function(lambda t: (t**3).sum())(x.detach()).requires_grad
    assert function(lambda t: (t**3, t.sum()))(x.detach())[1].shape == ((0, 0) if function is torch.func.hessian else (0,))


def test_what_is_taken_from_a_number_lies_as_its_tensor() -> None:
    stretched = torch.tensor([5, 3, 4]).expand(2, -1)
    assert (0.5 - stretched).stride() == (3, 1)
    assert (0.5 - stretched.t()).stride() == (2, 1)
    assert (0.5 - torch.ones(2, 3, dtype=torch.int64).t()).stride() == (1, 3)


def test_elements_that_meet_are_written_row_by_row() -> None:
    def met(size: tuple[int, ...], write: Callable[[torch.Tensor], Any]) -> list[float]:
        x = torch.arange(4.0)
        write(x.as_strided(size, (1, 1)))
        assert x._version == 1
        return x.tolist()

    assert met((3, 2), lambda y: y.mul_(2)) == [0, 4, 8, 6]
    assert met((3, 2), lambda y: y.add_(y)) == [0, 4, 8, 6]
    assert met((3, 2), lambda y: y.copy_(torch.arange(6.0).view(3, 2))) == [0, 2, 4, 5]
    assert met((2, 3), lambda y: y.copy_(torch.arange(6.0).view(2, 3))) == [0, 1, 2, 5]
    assert met((3, 2), lambda y: y.fill_(7)) == [7, 7, 7, 7]
    for stretched in (torch.ones(3).expand(2, 3), torch.ones(4).as_strided((3, 2, 2), (1, 1, 0))):
        with pytest.raises(RuntimeError, match="refers to a single memory location"):
            stretched.mul_(2)
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.arange(4).as_strided((3, 2), (1, 1)).mul_(0.5)
    assert met((3, 2), lambda y: y.cumsum_(0)) == [0, 1, 4, 7]
    assert met((3, 2), lambda y: y.cumsum_(-1)) == [0, 1, 3, 6]
    assert met((3, 2), lambda y: y.masked_scatter_(y > 0, torch.arange(10.0, 16))) == [0, 11, 13, 14]
    assert met((3, 2), lambda y: y.renorm_(1, 0, 0.0)) == [0, 0, 0, 0]
    assert met((3, 2), lambda y: y.put_(torch.tensor([0, 1, 2]), torch.tensor([7.0, 8.0, 9.0]))) == [7, 9, 2, 3]
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        torch.ones(3).expand(2, 3).put_(torch.tensor([0]), torch.tensor([1.0]))


def test_the_gradient_of_writes_that_meet_is_that_of_all_of_them() -> None:
    def after(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y.as_strided((3, 2), (1, 1)).mul_(x[:2] + 1)
        return y

    assert torch.autograd.gradcheck(after, torch.tensor([0.5, 2, 3, 4], dtype=torch.float64, requires_grad=True))


def test_an_array_of_one_number_is_copied() -> None:
    number, numbers = np.zeros(()), np.zeros(1)
    for array in (number, numbers):
        torch.asarray(array)[...] = 1
    torch.asarray(number, copy=False)[...] = 1
    assert number == 0 and numbers.tolist() == [1]
    torch.as_tensor(number)[...] = 1
    assert number == 1


@pytest.mark.parametrize("size", [3e38, 1e-30])
def test_the_norm_of_one_number_is_its_size(size: float) -> None:
    x = torch.tensor([[-size], [2.0]])
    assert x.norm(dim=1).tolist() == [x[0].abs().item(), 2]
    assert torch.linalg.vector_norm(x[0]).item() == x[0].abs().item()
    assert torch.linalg.vector_norm(x[:1], ord=3).item() == x[0].abs().item()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_nothing_to_the_power_of_nothing_is_undefined_among_complex_numbers(dtype: torch.dtype) -> None:
    nothing = torch.zeros(2, dtype=dtype)
    for power in (nothing**nothing, torch.tensor(False) ** nothing, 0**nothing):
        assert torch.view_as_real(power).isnan().all()
    assert (nothing**0 == 1).all()


@pytest.mark.parametrize("rest", ["%", "//"])
def test_nothing_divided_by_zero_is_nothing(rest: str) -> None:
    nothing, zero = torch.tensor([], dtype=torch.int64), torch.tensor(0)
    for divisor in (zero, 0):
        assert eval(f"nothing {rest} divisor", {"nothing": nothing, "divisor": divisor}).shape == (0,)
    assert torch.fmod(nothing, zero).shape == (0,)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.tensor([1]) % zero


def test_bytes_times_a_negative_value_wrap_around_in_gradients() -> None:
    x, octets = torch.ones(2, requires_grad=True), torch.tensor([7, 3], dtype=torch.uint8)
    torch.addcmul(x.detach(), x, octets, value=-1).sum().backward()
    assert x.grad.tolist() == [249, 253]
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        octets.addcmul_(octets, octets, value=-2.0)


def test_what_lies_in_a_memory_format_with_gaps_is_handed_out_as_it_is() -> None:
    image = torch.ones(2, 2, 4, 4).to(memory_format=torch.channels_last)
    for part in (image[:, :, ::2], image[:, 1:]):
        assert part.to(memory_format=torch.channels_last) is part
    assert torch.ones(2, 3, 2, 2)[:, :, ::2].to(memory_format=torch.contiguous_format).stride() == (12, 4, 4, 1)
    assert torch.ones(2, 1, 2, 2).to(memory_format=torch.channels_last).stride() == (4, 1, 2, 1)


def test_a_write_through_overlapping_strides_is_one_write() -> None:
    x = torch.tensor([2.0, -1.0, 0.5, 3.0], requires_grad=True)
    y = x * 2
    torch.as_strided(y, (3, 2), (1, 1)).mul_(3)
    assert y._version == 1
    z = (x.detach() * 2).exp()
    torch.as_strided(z, (3, 2), (1, 1)).neg_()
    assert z._version == 1


TWICE = torch.ones(1, dtype=torch.float64).expand(2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.mv(torch.tensor(1.0), torch.ones(2)), "Dimension specified as 0 but tensor has no dimensions"),
        (lambda: torch.ones(2).select(None), r"select\(\): argument 'dim' \(position 1\) must be int, not NoneType"),
        (lambda: torch.ones(2).select(7), 'missing 1 required positional arguments: "index"'),
        (lambda: torch.ones(2).squeeze(None), r"squeeze\(\) received an invalid .* got \(NoneType\)"),
        (lambda: torch.squeeze(torch.ones(2), dim=None), r"squeeze\(\) received an invalid .* got \(Tensor, dim=NoneType\)"),
        (lambda: torch.ones(2).split(-1, 7), "split expects split_size be non-negative, but got split_size=-1"),
        (lambda: torch.index_select(torch.tensor(2.0), 0, torch.ones(3)), "Index to scalar can have only 1 value, got 3"),
        (lambda: torch.nn.functional.nll_loss(torch.ones(3), torch.ones(3)), "expected target dtype to be Long or Byte"),
        (lambda: torch.nn.functional.cross_entropy(torch.tensor(1.0), torch.ones(3)), "Dimension out of range"),
        (lambda: torch.cat([torch.ones(2), torch.tensor(1.0)], 2), r"zero-dimensional tensor \(at position 1\) cannot be"),
        (lambda: torch.zeros(0, dtype=torch.complex64).amax(0), r"amax\(\): Expected reduction dim 0 to have non-zero size"),
        (lambda: TWICE.index_add_(0, torch.tensor([0, 1]), torch.ones(2)), r"self \(Double\) and source \(Float\) must have"),
        (lambda: TWICE.index_add_(0, torch.tensor([0, 5]), TWICE.clone()), "more than one element of the written-to tensor"),
        (lambda: TWICE.long().expand(2).copy_(torch.ones(3)), "The size of tensor a"),
        (lambda: torch.tensor([2]).expand(2).pow_(-1), "Integers to negative integer powers are not allowed"),
        (lambda: TWICE.sub_(TWICE.new_ones(3)), "more than one element of the written-to tensor"),
        (lambda: TWICE.pow_(TWICE.new_ones(3)), "more than one element of the written-to tensor"),
        (lambda: TWICE.copy_(torch.ones(3)), "more than one element of the written-to tensor"),
        (lambda: torch.tensor([2]).expand(2).lerp_(torch.tensor([2, 2]), 0.5), "more than one element of the written-to"),
    ],
)
def test_of_two_errors_the_one_that_pytorch_finds_first_is_raised(call: Callable[[], Any], error: str) -> None:
    with pytest.raises((RuntimeError, IndexError, TypeError), match=error):
        call()


@pytest.mark.parametrize(("shape", "groups"), [((0, 2), 1), ((0, 6, 3), 2)])
def test_group_norm_of_no_samples(shape: tuple[int, ...], groups: int) -> None:
    x, weight = torch.ones(shape, requires_grad=True), torch.ones(shape[1], requires_grad=True)
    torch.nn.functional.group_norm(x, groups, weight).sum().backward()
    assert x.grad.shape == shape and torch.equal(weight.grad, torch.zeros(shape[1]))


def test_copies_of_rows_into_what_meets_itself_are_refused_first() -> None:
    twice = torch.zeros(1, 3).expand(2, 3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        twice.index_copy_(0, torch.tensor([0, 0]), torch.zeros(2))
    with pytest.raises(IndexError, match="Dimension out of range"):
        twice.index_copy_(5, torch.tensor([0, 0]), torch.zeros(2))


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("reduce", ["amin", "amax"])
def test_extremes_met_by_nan_have_no_derivative(reduce: str) -> None:
    x = torch.tensor([math.nan, 1.0, 4.0], requires_grad=True)
    src, index = torch.tensor([1.0, 1.0], requires_grad=True), torch.tensor([0, 1])
    for reduced in (x.scatter_reduce(0, index, src, reduce), x.index_reduce(0, index, src, reduce)):
        own, given = torch.autograd.grad(reduced.sum(), [x, src])
        assert str(own) == "tensor([   nan, 0.5000, 1.0000])"
        assert str(given) == "tensor([   nan, 0.5000])"


def test_a_value_left_out_of_an_extreme_shares_its_gradient() -> None:
    x, src = torch.tensor([3.0, 1.0], requires_grad=True), torch.tensor([3.0, 5.0], requires_grad=True)
    x.scatter_reduce(0, torch.tensor([0, 1]), src, "amax", include_self=False).sum().backward()
    assert x.grad.tolist() == [0, 0]
    assert src.grad.tolist() == [0.5, 1]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_running_log_sums_have_second_derivatives_in_half_precision(dtype: torch.dtype) -> None:
    x = torch.tensor([0.0, 0.0], dtype=dtype, requires_grad=True)
    (slope,) = torch.autograd.grad(x.logcumsumexp(0)[1], x, create_graph=True)
    slope[0].backward()
    assert x.grad.tolist() == pytest.approx([0.25, -0.25], abs=0.01)


def test_forward_derivatives_of_running_log_sums_have_gradients() -> None:
    x = torch.tensor([0.5, 0.5], dtype=torch.float64)
    hessian = torch.func.jacrev(torch.func.jacfwd(lambda t: t.logcumsumexp(0).sum()))(x)
    assert hessian.flatten().tolist() == pytest.approx([0.25, -0.25, -0.25, 0.25])


def test_of_a_matrix_without_elements_addmv_leaves_the_bias_as_it_is() -> None:
    bias, none = torch.tensor([2.0], requires_grad=True), torch.ones(0)
    for mat, vec in ((torch.ones(0, 1), torch.ones(1)), (torch.ones(3, 0), none)):
        out = torch.addmv(bias, mat, vec, beta=3)
        assert out.tolist() == [6]
        assert torch.autograd.grad(out.sum(), bias)[0].tolist() == [3]
    assert torch.addmv(torch.tensor(2), torch.ones(3, 0).long(), none.long()).shape == ()
    assert torch.addmv(bias, torch.ones(3, 0), none, beta=0).tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match=r"Bad in-place call: input tensor size \[1\] and output tensor size \[3\]"):
        bias.detach().addmv_(torch.ones(3, 0), none)


def test_sums_so_far_of_one_number() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    (gradient,) = torch.autograd.grad(x.cumsum(0), x, create_graph=True)
    assert gradient.item() == 1.0


@pytest.mark.parametrize("function", [torch.tanh, torch.sigmoid])
def test_second_derivatives_of_complex_numbers(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    z = torch.tensor([0.3 + 0.8j, -1.1 - 0.2j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradgradcheck(function, (z,))


def test_a_conjugate_is_a_view_of_what_it_was_made_of() -> None:
    z = torch.tensor([[1j, 2.0]], requires_grad=True)
    for made in (z.conj(), z.H, z.conj()[0], z.conj().imag):
        assert made._is_view() and made.requires_grad
    assert not z.conj().detach()._is_view() and not z.conj().clone()._is_view()
    made = z * 1
    with torch.no_grad():
        inside = made.conj()
        assert z.conj().requires_grad and z.adjoint().imag.requires_grad
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        inside.mul_(2)


def test_a_tangent_may_be_of_another_precision() -> None:
    half, double = torch.tensor([1.5], dtype=torch.float16), torch.tensor([1e-9], dtype=torch.float64)
    for function in (lambda t: t * t, torch.sin, lambda t: t + 1, torch.sum):
        assert torch.func.jvp(function, (half,), (double,))[1].dtype is torch.float64
    assert torch.func.jvp(lambda t: t * t, (half,), (double,))[1].item() == pytest.approx(3e-9)
    column = torch.ones(4, 2)[:, :1]  # a tangent that lies in another way is copied into a place like its primal's
    assert torch.func.jvp(torch.sin, (column.half(),), (column,))[1].dtype is torch.float16
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        torch.func.jvp(torch.sin, (half.expand(2),), (torch.ones(2),))
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        torch.func.jacfwd(torch.sin)(double.expand(2))


def test_results_are_written_where_elements_meet() -> None:
    def meeting() -> torch.Tensor:
        return torch.arange(6.0).as_strided((3, 2), (1, 1))

    met = meeting()
    assert torch.add(met, met, out=met).tolist() == [[0, 4], [4, 8], [8, 6]]
    assert met._version == 1
    assert torch.exp(torch.zeros(3, 2), out=meeting()).tolist() == [[1, 1]] * 3
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        torch.cumsum(met, 0, out=met)
    one = torch.ones(1).expand(2)
    assert one.copy_(one).tolist() == one.copy_(one.view(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        one.copy_(one.clone())


def test_what_the_user_holds_as_an_array_is_not_resized() -> None:
    for show in (lambda t: t.numpy(), lambda t: t[1:].numpy(force=True), np.asarray):
        x = torch.ones(4)
        show(x)
        assert x.resize_(2).shape == (2,)
        with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
            x.resize_(9)
        assert x.clone().resize_(9).shape == (9,)


def test_freed_blocks_that_were_shown_are_forgotten() -> None:
    from rushlight.backend import memory

    kept = [torch.ones(3) for _ in range(100)]
    for one in kept:
        one.numpy()
    for _ in range(5000):
        torch.ones(3).numpy()
    blocks = [torch.ones(3) for _ in range(2000)]
    for one in blocks:
        one.numpy()
    del blocks
    for _ in range(5000):
        x, y = torch.ones(3), torch.ones(3)
        x.numpy(), y.numpy()
    assert len(memory._shown) < 10_000
    for one in kept:
        with pytest.raises(RuntimeError, match="not resizable"):
            one.resize_(9)


def test_examples_that_do_not_go_together_are_told_with_the_batch_in_front() -> None:
    x, y = torch.ones(2, 3, 4), torch.ones(2, 3, 3)
    for function in (
        torch.vmap(torch.mul),
        torch.vmap(torch.vmap(torch.mul)),
        torch.vmap(lambda a, b: torch.where(a > b, a, b)),
    ):
        with pytest.raises(RuntimeError, match=r"tensor b \(3\) at non-singleton dimension 2"):
            function(x, y)


@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0)])
def test_cross_entropy_of_probabilities_of_nothing(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape, requires_grad=True)
    for smoothing in (0.0, 0.5):
        loss = torch.nn.functional.cross_entropy(x, x, label_smoothing=smoothing)
        assert loss.isnan() and loss.grad_fn.name() == "NegBackward0"
        assert torch.nn.functional.cross_entropy(x, x, reduction="sum", label_smoothing=smoothing).item() == 0


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.ones(3).index_put_((torch.tensor([1]),), torch.ones(2)), "shape mismatch"),
        (lambda: _put_into_itself(torch.ones(3), [1]), "some elements of the input tensor and the written-to tensor"),
        (lambda: _put_into_itself(torch.ones(3), [0, 7]), "some elements of the input tensor and the written-to tensor"),
        (lambda: torch.empty(0, dtype=torch.bool).median(0), r"median\(\): Expected reduction dim 0 to have non-zero size"),
        (lambda: torch.nn.functional.huber_loss(torch.ones(2), torch.ones(2) * 1j), "result type ComplexFloat can't be cast"),
        (lambda: torch.nn.functional.huber_loss(torch.ones(2).long(), torch.ones(2)), "result type Float can't be cast"),
        (lambda: torch.kron(torch.ones(2, 3).t(), torch.ones(3, 3)), "view size is not compatible"),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call: Callable[[], Any], error: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=error):
        call()


def _put_into_itself(x: torch.Tensor, places: list[int]) -> None:
    x[places] = x


def test_distances_over_nothing_are_zero_whatever_the_dtypes() -> None:
    assert torch.cdist(torch.ones(2, 0, dtype=torch.float64), torch.ones(3, 0)).tolist() == [[0, 0, 0], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        torch.cdist(torch.ones(2, 1, dtype=torch.float64), torch.ones(3, 1))


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded tensors")
def test_each_place_counts_where_places_meet_in_a_sum_at_indices() -> None:
    column, row = torch.tensor([[2.0], [3.0]]), torch.tensor([2, 3, 4])
    column.expand(2, 3).index_put_((torch.tensor([0]),), torch.tensor(1.0), accumulate=True)
    assert column.tolist() == [[5], [3]]
    row.expand(2, 3).index_put_((torch.tensor([True, True]),), torch.tensor([1, 2, 3]), accumulate=True)
    assert row.tolist() == [4, 7, 10]
    line = torch.arange(6)
    line.as_strided((3, 2), (1, 1)).index_put_((torch.tensor([0, 1, 0]),), torch.tensor([[1, 2], [3, 4], [5, 6]]))
    assert line.tolist() == [5, 6, 4, 3, 4, 5]


@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_the_gradient_of_an_unknown_determinant_is_unknown() -> None:
    lost = torch.tensor([[1.0, 1, math.nan], [1, 1, -1], [1, 1, math.nan]])
    batch = torch.stack([lost, torch.eye(3) * 2, torch.diag(torch.tensor([0.0, 2, 3]))]).requires_grad_()
    torch.linalg.det(batch).sum().backward()
    assert batch.grad[0].isnan().all()
    assert batch.grad[1].tolist() == [[4, 0, 0], [0, 4, 0], [0, 0, 4]]
    assert torch.allclose(batch.grad[2], torch.diag(torch.tensor([6.0, 0, 0])))


def test_layer_norm_of_equal_numbers_in_half_precision_leaves_a_rounding() -> None:
    for dtype, left in ((torch.float16, 1.9669532775878906e-06), (torch.bfloat16, 9.5367431640625e-07), (torch.float32, 0.0)):
        assert torch.nn.functional.layer_norm(torch.full((1, 5), 0.3, dtype=dtype), (5,)).tolist() == [[left] * 5]


def test_rms_norm_is_of_the_dtype_of_its_input_and_lies_as_images_do() -> None:
    half, weight = torch.tensor([[1.5, -2.0]], dtype=torch.float16, requires_grad=True), torch.tensor([1.1, 0.3])
    out = torch.nn.functional.rms_norm(half, (2,), weight)
    assert out.dtype is torch.float16
    assert type(out.grad_fn).__name__ == "ToCopyBackward0"
    image = torch.ones(2, 3, 2, 3).contiguous(memory_format=torch.channels_last).requires_grad_()
    out = torch.nn.functional.rms_norm(image, (3,))
    assert out.stride() == image.stride()
    assert type(out.grad_fn).__name__ == "MulBackward0"
    assert type(torch.nn.functional.rms_norm(image.transpose(1, 3), (3,)).grad_fn).__name__ == "CloneBackward0"


def test_a_negative_view_says_so_in_its_node() -> None:
    assert type(torch.ones(2, requires_grad=True)._neg_view().grad_fn).__name__ == "NegViewBackward0"


def test_stacked_images_lie_as_those_that_are_joined() -> None:
    image = torch.ones(2, 3, 2, 3).contiguous(memory_format=torch.channels_last)
    assert torch.stack([image, image]).stride() == (36, 18, 1, 9, 3)
    assert torch.stack([image, image], -3).stride() == (36, 1, 18, 9, 3)
    assert torch.stack([image, image], -1).is_contiguous()
    assert torch.stack([image.contiguous(), image.contiguous()], 1).is_contiguous()


@pytest.mark.parametrize("needs_primal", [False, True])
def test_a_product_with_a_hessian_is_differentiated_by_its_vector(needs_primal: bool) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=needs_primal)
    v = torch.tensor([3.0, 4.0], requires_grad=True)
    gradient, product = torch.func.jvp(torch.func.grad(lambda t: (t**3).sum()), (x,), (v,))
    assert gradient.requires_grad is needs_primal
    assert torch.autograd.grad(product.sum(), v)[0].tolist() == [6, 12]
    pull = torch.func.vjp(lambda t: t**3, x)[1]
    slope = torch.func.jvp(lambda t: pull(t)[0], (torch.ones(2),), (v,))[1]
    assert torch.autograd.grad(slope.sum(), v)[0].tolist() == [3, 12]


def test_what_is_pushed_forward_depends_on_the_tangent_alone() -> None:
    x, v = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    push = torch.func.linearize(lambda t: t * t, x * 1)[1]
    for _ in range(2):
        assert [None if one is None else one.item() for one in torch.autograd.grad(push(v), [x, v], allow_unused=True)] == [
            None,
            4,
        ]


def _changed_after(transform: Callable[..., Any], change: Callable[[torch.Tensor], Any]) -> str:
    """Who made what was changed, by the error of a backward pass."""
    given = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True).exp()
    result = transform(given)
    change(given)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        result.sum().backward()
    return str(caught.value).partition("which is output ")[2].partition(",")[0]


@pytest.mark.parametrize(
    ("transform", "change", "maker"),
    [
        (lambda x: torch.func.grad_and_value(lambda t: (t * t).sum())(x)[1], lambda x: x.clamp_max_(1), "0 of ClampMax"),
        (lambda x: torch.func.vjp(lambda t: t * t, x)[0], lambda x: x.clamp_max_(1), "0 of ClampMax"),
        (lambda x: torch.func.vjp(lambda t: t * t, x.t())[0], lambda x: x.clamp_max_(1), "0 of AsStrided"),
        (lambda x: torch.func.jvp(lambda t: t * t, (x,), (x,))[0], lambda x: x.clamp_max_(1), "0 of AsStrided"),
        (lambda x: torch.func.jvp(lambda t: t * t, (x,), (x,))[1], lambda x: x.clamp_max_(1), "0 of AsStrided"),
    ],
)
def test_errors_name_the_maker_of_what_a_transform_was_given(
    transform: Callable[..., Any], change: Callable[[torch.Tensor], Any], maker: str
) -> None:
    assert _changed_after(transform, change) == maker


def test_errors_name_what_was_given_as_it_is_now() -> None:
    one = torch.tensor([2.0], requires_grad=True).sum()
    value = torch.func.vjp(lambda t: t * t, one)[0]
    one.unsqueeze_(0)
    with pytest.raises(RuntimeError, match=r"\[torch.FloatTensor \[1\]\], which is output 0 of Unsqueeze1"):
        value.backward()
    many = torch.tensor([2.0, 3.0], requires_grad=True).exp()
    value = torch.func.vjp(lambda t: (t * t).sum(), many)[0]
    many.detach_()
    with pytest.raises(RuntimeError, match="has been detached in-place"):
        value.backward()


def test_jvp_hands_out_views() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True) * 1
    for function in (torch.exp, lambda t: t, lambda t: t[1:], lambda t: x * 2):
        value, _ = torch.func.jvp(function, (x,), (x.detach(),))
        assert value._is_view() and value.grad_fn.name() == "AliasBackward0"
    with torch.no_grad():
        value = torch.func.jvp(torch.exp, (x,), (x,))[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        value.mul_(x)
    value, slope = torch.func.jvp(torch.exp, (x,), (x,))
    value.copy_(value)
    with pytest.raises(RuntimeError, match=r"output 0 of torch::autograd::CopySlices, is at version 1"):
        slope.sum().backward()


def test_columns_of_jacobians_are_views_of_several() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    matrix = torch.func.hessian(lambda t: (t * t * t).sum())(x)
    assert matrix.grad_fn.name() == "ViewBackward0"
    with pytest.raises(RuntimeError, match="Output 0 of View is a view and is being modified inplace"):
        matrix.mul_(2)
    assert torch.func.jacfwd(lambda t: t * t)(x.sum()).shape == ()


def test_which_output_a_saved_value_is_errors_say_of_outputs_only() -> None:
    x = torch.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)
    cases: list[tuple[Callable[..., Any], Callable[..., Any], str]] = [
        (lambda x: torch.aminmax(x, dim=0), lambda a, b: a * b, "which is output 0 of Aminmax,"),
        (lambda x: torch.aminmax(x, dim=0), lambda a, b: b, "which is output 1 of Aminmax,"),
        (torch.frexp, lambda a, b: a, r"IntTensor \[2, 2\]\] is at version"),
    ]
    for function, use, said in cases:
        first, second = function(x)
        loss = use(first, second).sum()
        with torch.no_grad():
            second.mul_(2)
        with pytest.raises(RuntimeError, match=said):
            loss.backward()


HALF, NUMBER = torch.ones(2, dtype=torch.float16), torch.tensor(1j, dtype=torch.complex128)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.ones(1).clamp_min_(torch.ones(2, 3) * 1j), r"output with shape \[1\] doesn't match the broadcast"),
        (lambda: torch.ones(3).clamp_min_(torch.ones(2) * 1j), "The size of tensor a"),
        (lambda: torch.ones(3).clamp_min_(NUMBER), "result type ComplexFloat can't be cast to the desired output type Float"),
        (lambda: torch.ones(3).add_(torch.ones(2) * 1j), "The size of tensor a"),
        (lambda: torch.ones(3).lt_(torch.ones(2) * 1j), "The size of tensor a"),
        (lambda: torch.ones(2).fmod_(1j), "result type ComplexFloat can't be cast to the desired output type Float"),
        (lambda: torch.ones(2).clamp_max_(1j), "clamp is not supported for complex types"),
        (lambda: torch.ones(2).lerp_(torch.ones(2) * 1j, 0.5), "expected dtype float for `end` but got dtype c10::complex"),
        (lambda: HALF.clone().mul_(NUMBER), "result type ComplexHalf can't be cast to the desired output type Half"),
        (lambda: HALF.clone().mul_(1j), "result type ComplexHalf can't be cast to the desired output type Half"),
        (
            lambda: HALF.clone().addcmul_(NUMBER, NUMBER),
            "result type ComplexHalf can't be cast to the desired output type Half",
        ),
        (lambda: HALF.bfloat16().mul_(NUMBER), "result type ComplexFloat can't be cast to the desired output type BFloat16"),
        (lambda: HALF < NUMBER, "\"lt_cpu\" not implemented for 'ComplexHalf'"),
        (lambda: HALF / NUMBER, "\"div_cpu\" not implemented for 'ComplexHalf'"),
        (lambda: NUMBER.view(1) > HALF, "\"gt_cpu\" not implemented for 'ComplexDouble'"),
    ],
)
def test_errors_of_elementwise_writes_come_in_the_order_of_pytorchs_iterators(call: Callable[[], Any], error: str) -> None:
    with pytest.raises(RuntimeError, match=error):
        call()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["i1", "i1e"])
def test_bessel_functions_of_order_one_have_no_derivative_in_half_precision(name: str, dtype: torch.dtype) -> None:
    x, function = torch.ones(2, dtype=dtype, requires_grad=True), getattr(torch.special, name)
    with pytest.raises(NotImplementedError, match=f'"{name}_backward" not implemented for'):
        function(x).sum().backward()
    with pytest.raises(NotImplementedError, match=f'"{name}_backward" not implemented for'):
        torch.func.jvp(function, (x.detach(),), (x.detach(),))


def test_what_needs_a_gradient_is_written_where_elements_meet() -> None:
    rows, x = torch.ones(6, requires_grad=True), torch.arange(6.0)
    met = x.as_strided((3, 2), (1, 1))
    met.sub_(rows.view(3, 2))
    assert met.requires_grad and x.requires_grad and x._version == 1
    assert met.tolist() == [[-1, -1], [-1, 0], [0, 2]]
    assert torch.autograd.grad(met.sum(), rows)[0].tolist() == [-1, -2, -2, -2, -2, -1]


def _values_into(shape: tuple[int, ...]) -> None:
    torch.zeros(2, 1, 3, 3)[[0], 0:, :2] = torch.zeros(shape)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: _values_into((1, 1, 5, 1)), r"value tensor of shape \[5, 1\] cannot be broadcast to"),
        (lambda: torch.index_select(torch.ones(0), 0, torch.tensor(-1)), "^index out of range in self"),
        (lambda: torch.index_select(torch.ones(2, 0), 0, torch.tensor(5)), "INDICES element is out of DATA bounds, id=5"),
        (lambda: torch.index_select(torch.ones(0, 2), 0, torch.tensor(0)), "self indexing axis dim should be positive"),
        (lambda: _copied_transposed(torch.ones(2, 3)), "some elements of the input tensor and the written-to tensor"),
        (
            lambda: torch.nn.functional.cross_entropy(torch.ones(2), torch.ones(2) > 0),
            "Expected floating point type for target",
        ),
        (
            lambda: torch.arange(6.0).as_strided((3, 2), (1, 1)).index_copy_(1, torch.tensor([0]), torch.ones(0)),
            "dimensionality",
        ),
        (lambda: torch.vmap(lambda row: row + row.sum())(torch.ones(0, 2)), r"index 0 out of range for tensor of size \[0\]"),
    ],
)
def test_what_comes_first_is_told_first(call: Callable[[], Any], error: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=error):
        call()


def _copied_transposed(x: torch.Tensor) -> None:
    x.copy_(x.t())


def test_batches_of_nothing() -> None:
    nothing, rows = torch.ones(0), torch.ones(0, 2)
    assert torch.vmap(torch.mul)(rows, rows).shape == (0, 2)
    assert torch.vmap(torch.eq)(rows, nothing).shape == (0, 2)
    assert torch.vmap(lambda row: row.softmax(0))(rows).shape == (0, 2)


def test_a_power_that_is_a_bool_has_no_derivative() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with a bool tensor is not supported"):
        (x ** (x > 0)).sum().backward()


def test_a_bias_of_linear_is_added_in_place() -> None:
    weight, bias = torch.ones(2, 3), torch.ones(2)
    assert torch.nn.functional.linear(torch.ones(4, 2, 3).transpose(0, 1), weight, bias)._version == 1


def test_a_leaf_is_not_written_through_its_conjugate() -> None:
    leaf = torch.tensor([[1j, 2.0]], requires_grad=True)
    views: list[torch.Tensor] = [leaf.conj(), leaf.adjoint(), leaf.t().conj(), leaf.conj().imag, leaf.expand(2, 2).adjoint()]
    views.append(torch.tensor([1j, 2.0]).expand(2, 2).requires_grad_().adjoint())
    for view in views:
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
            view[0] = 0
    computed = leaf * 1
    computed.adjoint()[0] = 0
    assert computed[0, 0] == 0


def test_an_imaginary_number_is_true_wherever_it_is_written(recwarn: pytest.WarningsRecorder) -> None:
    b = torch.tensor([-0.25j, 0j, 1j])
    assert torch.zeros(3, dtype=torch.bool).copy_(b).tolist() == [True, False, True]
    c = torch.zeros(3, dtype=torch.bool)
    c[:2] = b[:2]
    assert c.tolist() == [True, False, False]
    c.fill_(b[0])
    assert c.tolist() == [True, True, True]
    assert not recwarn.list


def test_a_logit_that_there_is_not_has_no_gradient() -> None:
    for created in (False, True):
        x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)
        (g,) = torch.autograd.grad(x.logit().sum(), x, create_graph=created)
        assert g.isnan().tolist() == [True, False, True]


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("function", [torch.linalg.svdvals, torch.linalg.eigvalsh, torch.linalg.cond, torch.linalg.pinv])
def test_an_infinite_matrix_comes_to_an_end(function: Any, size: int) -> None:
    """LAPACK may look for the singular values of an infinite matrix forever."""
    x = torch.ones(2, size, size, dtype=torch.float64)
    x[0, 0, 0] = torch.inf
    found = function(x)
    assert found[0].isnan().all()
    assert found[1].isfinite().all() or function is torch.linalg.cond


def test_an_infinite_system_of_equations_comes_to_an_end() -> None:
    x = torch.ones(3, 3, dtype=torch.float64)
    x[0, 0] = torch.inf
    assert torch.linalg.lstsq(x, torch.ones(3, 1, dtype=torch.float64), driver="gelsd").rank.item() == 0
    assert torch.linalg.lstsq(torch.eye(3, dtype=torch.float64), x).solution.isnan().all()


@pytest.mark.parametrize("dtype", [torch.float64, torch.int32])
def test_a_bias_changes_no_dtype(dtype: Any) -> None:
    x = torch.ones(2, 3, 2).transpose(0, 1)
    assert torch.nn.functional.linear(x, torch.ones(2, 2), torch.ones(2, dtype=dtype)).dtype is torch.float32
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.nn.functional.linear(torch.ones(2), torch.ones(2, 2), torch.tensor(1j))


def test_what_has_no_elements_lies_where_it_was_cut_out() -> None:
    whole = torch.arange(12).view(3, 4)
    assert [part.storage_offset() for part in (whole[3:], whole[1:1], whole[:, 4:], whole.narrow(1, 2, 0))] == [12, 4, 4, 2]
    assert whole[:, 2:2].as_strided((2,), (1,)).tolist() == [2, 3]


def test_gradients_of_sums_are_views_of_one_number() -> None:
    x = torch.ones(4, 3, requires_grad=True)
    (gradient,) = torch.autograd.grad((x * 1).sum(), x)
    y = x.unsqueeze(0)
    for given in torch.autograd.grad(y.sum(), [y, x], create_graph=True):
        assert given._base is not None and given._base.shape == ()
        with pytest.raises(RuntimeError, match="detach views"):
            given.detach_()
    assert gradient._is_view() == torch.autograd.grad((x * 1).sum(), x)[0]._is_view()


def test_writes_by_data_are_seen_in_conjugates_and_what_they_are_of() -> None:
    x = torch.tensor([[1 + 1j, 2 - 1j]])
    y = x.conj()
    z = y.conj()
    y.T.data.mul_(2)
    assert x.tolist() == z.tolist() == [[2 + 2j, 4 - 2j]]
    x.data.mul_(2)
    z.data[0, 0] = 1j
    assert x.tolist() == z.tolist() == [[1j, 8 - 4j]] and y.tolist() == [[-1j, 8 + 4j]]
    assert x._version == y._version == z._version == 0
    assert y.data.is_conj()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_batches_of_several_dtypes_keep_what_they_were_given(dtype: Any) -> None:
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    other = torch.ones(2, 3).to(dtype)
    product = torch.vmap(torch.mul)(x, other)
    other.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_conjugates_of_stretched_tensors_are_not_written_into() -> None:
    stretched = torch.ones(2, 1, dtype=torch.complex64).expand(2, 3)
    for turned in (stretched.conj(), torch._neg_view(stretched), stretched.conj().imag):
        for write in (
            lambda t: t.zero_(),
            lambda t: t.fill_(2),
            lambda t: t.masked_fill_(torch.tensor(True), 2),
            lambda t: t.index_fill_(0, torch.tensor([0]), 2),
            lambda t: t.triu_(),
        ):
            with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
                write(turned)
    assert stretched.tolist() == [[1, 1, 1]] * 2 and stretched.zero_().tolist() == [[0, 0, 0]] * 2


def test_integers_that_a_write_put_into_the_graph_are_refused_as_operands_and_written_on() -> None:
    whole = torch.tensor([4, 2])
    whole[None] = torch.tensor(2.0, requires_grad=True)
    for refused in (
        lambda: whole + 1,
        lambda: whole[:1],
        lambda: whole.sum(),
        lambda: whole.abs_(),
        lambda: torch.unique(whole),
    ):
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
            refused()
    other = torch.tensor([1, 1])
    other[None] = torch.tensor(3.0, requires_grad=True)  # while there is another
    for integers in (whole, other):
        assert integers.float().requires_grad and not (integers == 2).requires_grad
        integers.add_(1)
        assert integers.grad_fn is not None and integers.grad_fn.name() == "AddBackward0"
    with pytest.raises(RuntimeError, match=r"only for real scalar outputs but got torch\.int64"):
        torch.autograd.backward(torch.tensor(1).fill_(torch.tensor(2.0, requires_grad=True)))


def test_exponents_of_small_integers_have_derivatives_in_their_own_precision() -> None:
    exponent = torch.tensor(-0.75, dtype=torch.float64, requires_grad=True)
    torch.pow(torch.tensor(2, dtype=torch.uint8), exponent).backward()
    assert exponent.grad is not None and abs(exponent.grad.item() - 2**-0.75 * math.log(2)) < 1e-15


def test_derivatives_of_distances_of_nothing_are_in_the_graph() -> None:
    x = torch.ones(2, 0, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.cdist(x, x).sum(), x, create_graph=True)
    assert gradient.requires_grad


def test_results_of_stretched_tensors_lie_in_order() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        stretched = torch.ones(3, dtype=dtype).expand(2, 3)
        results = [torch.erf(stretched), torch.sigmoid(stretched), torch.lerp(stretched, stretched, 0.5)]
        results += [torch.nn.functional.gelu(stretched), torch.nn.functional.silu(stretched), stretched.float().half()]
        assert {result.stride() for result in results} == {(3, 1)}
    assert torch.sgn(torch.ones(3, dtype=torch.complex64).expand(2, 3)).stride() == (3, 1)
    assert (torch.ones(3, dtype=torch.int64).expand(2, 3) ** 1.5).stride() == (3, 1)
    images = torch.ones(2, 1, 2, 1).expand(2, 3, 2, 2)
    assert torch.nn.functional.adaptive_avg_pool2d(images, 1).stride() == (3, 1, 1, 1)


def test_padding_that_adds_nothing_keeps_the_order_in_memory() -> None:
    turned = torch.arange(12.0).reshape(3, 4).T
    pad = torch.nn.functional.pad
    assert [pad(turned, widths).stride() for widths in ((0, 0), (-1, 0), (0, 1))] == [(1, 4), (1, 4), (4, 1)]


def test_views_made_in_no_grad_have_rules_that_run_also_while_something_unusual_is_on() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        view = x[:1]
    held = torch.tensor(1).fill_(torch.tensor(2.0, requires_grad=True))  # while it lives, ops take their general path
    torch.nn.functional.layer_norm(view, (3,)).sum().backward()
    torch.nn.functional.softmax(view, 0).sum().backward()
    assert x.grad is None and held.requires_grad


@pytest.mark.parametrize("count", [1, 3, 100])
def test_a_hyperbolic_tangent_is_odd_to_the_last_bit(count: int) -> None:
    x = torch.linspace(0.1, 5, 13).repeat(count)
    assert (x.tanh() + (-x).tanh()).tolist() == [0.0] * 13 * count


@pytest.mark.parametrize("count", [1, 100])
def test_a_logarithm_to_base_two_keeps_what_pytorchs_product_lacks_of_one(count: int) -> None:
    for dtype, lost in ((torch.float64, -4.756597398230631e-17), (torch.float32, -1.0601922895148164e-08)):
        x = torch.full((count,), -1.0, dtype=dtype)
        assert torch.logaddexp2(x, x)[-1].item() == lost
        assert torch.logaddexp2(x + 3, x + 3)[-1].item() == 3


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_relu_that_was_written_to_below_zero_has_no_slope(dtype: Any) -> None:
    x = torch.tensor([1.25, -1.0, math.nan], dtype=dtype, requires_grad=True)
    y = x.relu()
    y.data.mul_(-1)
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 1]


def test_a_new_dimension_steps_over_what_lies_behind_it() -> None:
    x = torch.tensor([-1.5])[::2]
    assert (x.stride(), x[None].stride(), x[None, 0].stride()) == ((2,), (2, 2), (2,))
    x[None, 0] = x  # the very same place, no part of it


def test_what_is_turned_may_be_written_by_place_from_itself() -> None:
    x = (torch.ones(2) + 1j).conj()
    x.index_add_(0, torch.tensor([0, 1]), x)
    assert x.tolist() == [2 - 2j, 2 - 2j]
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"):
        y = torch.ones(2)
        y.index_add_(0, torch.tensor([0, 1]), y)


def test_a_matrix_that_is_singular_by_one_way_to_go_through_it_is_inverted_by_the_other() -> None:
    a = torch.tensor([1.75j, 0.25 - 1.5j], dtype=torch.complex64)
    assert torch.linalg.inv(torch.stack([a, a], 1)).abs().max().item() > 1e6


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (torch.sign, torch.bool), (torch.floor, torch.int64), (torch.isposinf, torch.int64), (torch.isreal, torch.float32),
        (torch.nan_to_num, torch.complex64),
    ],
)  # fmt: skip
def test_trivial_results_lie_as_their_input(function: Callable[[Any], Any], dtype: Any) -> None:
    assert function(torch.ones(5, 2).to(dtype).t()).stride() == (1, 2)


def test_a_logarithm_of_the_sigmoid_lies_in_rows() -> None:
    for rows in (5, 500):
        assert torch.nn.functional.logsigmoid(torch.ones(rows, 2).t()).stride() == (rows, 1)


@pytest.mark.parametrize("name", ["sort", "max", "median", "cummax", "mode"])
def test_the_gradient_of_a_single_number_is_no_other_gradients_memory(name: str) -> None:
    x = torch.tensor(0.5, requires_grad=True)
    y = getattr(x, name)(0)[0]
    of_result, of_input = torch.autograd.grad(y, [y, x])
    of_result.add_(1)
    assert of_input.item() == 1


def test_a_tangent_that_is_written_over_in_the_primals_memory_has_all_its_gradient() -> None:
    x = torch.tensor([-1.0, 3.0, -1.5, -1.75]).as_strided((3, 2), (1, 1)).requires_grad_()
    direction = x.clone() - 2.0
    torch.func.jvp(torch.sin, (x,), (direction,))[1].sum().backward()
    expected = torch.cos(x) - torch.sin(x) * direction
    assert torch.allclose(x.grad, expected.detach())


@pytest.mark.parametrize(("write", "error"), [
    (lambda m: torch.ones(1).addmm_(m, m), r"Bad in-place call: input tensor size \[1\] and output tensor size \[2, 2\]"),
    (lambda m: torch.ones(3).addmm_(m, m), r"Bad in-place call: input tensor size \[3\] and output tensor size \[2, 2\]"),
    (lambda m: torch.ones(2).baddbmm_(m[None], m[None]), r"Bad in-place call: input tensor size \[2\] and output tensor size \[1, 2, 2\]"),
    (lambda m: torch.ones(1).addr_(m[0], m[0]), "2D tensor expected, got 1D tensor for input"),
    (lambda m: torch.ones(1, 2).addr_(m[0], m[0]), r"size mismatch, input: \[1, 2\], v1: \[2\], v2: \[2\]"),
    (lambda m: torch.narrow_copy(m, 2, 0, 1), r"Expected dim < static_cast<int64_t>\(self_sizes.size\(\)\) to be true"),
])  # fmt: skip
def test_a_product_is_added_to_what_has_its_shape_only(write: Callable[[torch.Tensor], object], error: str) -> None:
    with pytest.raises(RuntimeError, match=error):
        write(torch.ones(2, 2))
