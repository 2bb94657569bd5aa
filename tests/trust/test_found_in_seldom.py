"""What random programs of the vocabulary `seldom` have found: lists of tensors, distributions, places that `out=` is written to."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_what_no_gradient_arrives_at_opens_what_it_kept() -> None:
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    squared = y * y
    squared.mul_(squared)
    first, _ = torch._foreach_neg([x, squared])
    with pytest.raises(RuntimeError, match="output 0 of Mul, is at version 1; expected version 0"):
        first.backward()


def test_what_no_gradient_arrives_at_may_have_been_freed() -> None:
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    raised = y.exp()
    raised.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch._foreach_neg([x, raised])[0].backward()
    whole = torch._foreach_exp([y, x])
    whole[0].backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch._foreach_neg([x, whole[1]])[0].backward()


def test_what_no_gradient_arrives_at_may_have_no_derivative() -> None:
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    first, _ = torch._foreach_neg([x, torch.special.gammainc(y, y)])
    with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
        first.backward()


def test_transforms_of_reals_keep_them() -> None:
    x = torch.ones(3, requires_grad=True)
    spectrum = torch.fft.rfft(x)
    x.detach().add_(1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        spectrum.abs().sum().backward()


def test_whole_powers_of_complex_numbers_are_rounded_as_their_logarithms() -> None:
    powers = torch.tensor([1j, -0.5 + 0.5j]) ** torch.tensor([2, 4])
    assert str(powers) == "tensor([-1.0000-8.7423e-08j, -0.2500-5.9624e-09j])"
    assert str(torch.tensor([1j, -1.0]) ** 4) == "tensor([1.+1.7485e-07j, 1.+3.4969e-07j])"
    assert (torch.tensor([0j, torch.inf]) ** 0).tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_zero_to_complex_powers_of_negative_real_part_is_infinite(dtype: torch.dtype) -> None:
    zero = torch.zeros(1, dtype=dtype)
    for exponent in (torch.tensor(-1 + 1j), -1 + 1j, torch.tensor(-1.5 + 0j)):
        assert torch.view_as_real(zero**exponent)[0, 0].item() == torch.inf


@pytest.mark.parametrize("label", [4, -1])
def test_labels_of_no_class_are_refused_where_they_count(label: int) -> None:
    log_probs, targets = torch.zeros(3, 1, 4).log_softmax(-1), torch.tensor([[1, label]])
    lengths = torch.tensor([3])
    assert torch.nn.functional.ctc_loss(log_probs, targets, lengths, torch.tensor([1])).isfinite()
    with pytest.raises(IndexError, match=f"Target {label} is out of bounds"):
        torch.nn.functional.ctc_loss(log_probs, targets, lengths, torch.tensor([2]))


def test_the_gradient_of_a_leaf_of_another_shape_by_now_is_what_it_is() -> None:
    for size, shape in (([], [1, 1]), ([2, 3], [1, 3]), ([1], [1, 3])):
        x = torch.ones(shape, requires_grad=True)
        y = x * 2
        with torch.no_grad():
            torch.ones(size, out=x)
        x.requires_grad_()  # which new values do not say of themselves
        y.sum().backward()
        assert x.grad.shape == tuple(shape)


def test_a_leaf_of_no_elements_by_now_keeps_the_gradient_of_its_old_shape() -> None:
    leaf = torch.ones(1, requires_grad=True)
    known = leaf * 2
    with torch.no_grad(), pytest.warns(UserWarning, match="was resized"):
        torch.special.ndtr(torch.ones(2, 0), out=leaf)
    leaf.sum().backward()
    assert leaf.shape == (2, 0) and leaf.grad.tolist() == [0] and known.shape == (1,)


def test_hooks_for_accumulated_gradients_run_where_none_arrives() -> None:
    leaf, seen = torch.tensor(2.5, requires_grad=True), []
    leaf.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad))
    sink = leaf.view_as(leaf).grad_fn.next_functions[0][0]
    sink.register_hook(lambda *arrived: seen.append(arrived))
    torch.linalg.vector_norm(leaf, 0).backward()
    assert seen == [None, ((), (None,))] and leaf.grad is None


def test_a_gradient_of_vjp_needs_one_only_where_a_caller_can_differentiate_it() -> None:
    leaf, plain = torch.ones(2, requires_grad=True), torch.ones(2)
    of_leaf, of_plain = torch.func.vjp(lambda t, u: (t * u).sum(), leaf, plain)[1](torch.ones(()))
    assert not of_leaf.requires_grad and of_plain.requires_grad
    of_plain.sum().backward()
    assert leaf.grad.tolist() == [1, 1]


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop"]
)
def test_a_step_does_not_write_to_a_stretched_parameter(name: str) -> None:
    stretched = torch.ones(2).expand(2, -1).requires_grad_()
    stretched.sum().backward()
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        getattr(torch.optim, name)([stretched]).step()
    assert stretched.tolist() == [[1, 1], [1, 1]]


def test_copies_of_a_list_put_integers_into_the_graph() -> None:
    whole, x = torch.tensor([1, 2], dtype=torch.int8), torch.ones(2, requires_grad=True)
    torch._foreach_copy_([whole], [x])
    assert whole.tolist() == [1, 1] and whole.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Char"):
        whole.div_(whole)


def test_doubles_that_do_not_fit_wrap_around_as_bytes() -> None:
    wide = torch.tensor([float("nan"), 4294967295.0, 1e15 + 300], dtype=torch.float64)
    wrapped, row = [0, 255, 44], torch.zeros(3, dtype=torch.uint8)
    assert wide.to(torch.uint8).tolist() == torch.slice_scatter(row, wide).tolist() == wrapped
    assert torch.zeros(3, dtype=torch.uint8).copy_(wide).tolist() == wrapped
    assert torch.diagonal_scatter(torch.zeros(3, 3, dtype=torch.uint8), wide).diagonal().tolist() == wrapped


def test_a_conjugate_that_is_resized_for_a_result_takes_it_row_by_row() -> None:
    whole = torch.tensor([[0j, 1], [2, 3]]).t()
    with pytest.warns(UserWarning, match="was resized"):
        torch.add(whole.clone(), whole, out=whole.adjoint().unsqueeze(0))
    assert whole.tolist() == [[0, 2], [4, 6]]


def test_a_number_is_its_own_running_sum_as_bool_too() -> None:
    for running in (torch.cumsum, torch.cumprod):
        assert running(torch.tensor(2.5), 0, out=torch.tensor(False)).tolist() is True
        assert running(torch.tensor(0), 0, dtype=torch.bool).tolist() is False
        with pytest.raises(NotImplementedError, match="_out_cpu\" not implemented for 'Bool'"):
            running(torch.ones(1), 0, dtype=torch.bool)
