"""What random programs have found in graphs themselves: what is saved, looked at, refused and numbered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch


def test_what_nodes_saved_is_looked_at_where_no_gradient_has_come() -> None:
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    inner = x * 1
    product = inner * inner
    sign_of_nothing = torch.linalg.slogdet(product)[0]
    with torch.no_grad():
        inner.add_(0)
    with pytest.raises(RuntimeError, match="output 0 of Mul, is at version 1"):
        sign_of_nothing.backward()


def test_lists_of_results_are_looked_at_where_no_gradient_has_come() -> None:
    x = torch.ones(2, requires_grad=True)
    total = (x * 1).cummax(0).values.sum()
    kept = torch._foreach_mul([x * 2], [total])[0]
    total.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        kept.sum().backward()


def test_real_transforms_keep_what_they_were_given() -> None:
    x = torch.arange(4.0).requires_grad_() * 1
    found = torch.fft.rfft(x).abs().sum()
    found.backward(retain_graph=True)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.backward()


def test_the_values_of_cummin_are_looked_at_before_its_places() -> None:
    x = torch.arange(4.0).requires_grad_() * 1
    values, places = x.cummin(0)
    places.add_(0)
    x.add_(0)
    with pytest.raises(RuntimeError, match=r"\[torch.FloatTensor \[4\]\], which is output 0 of Add,"):
        values.sum().backward()


def test_a_real_tensor_conjugated_in_place_has_a_node() -> None:
    x = torch.ones(2, requires_grad=True) * 1
    x.conj_physical_()
    assert x.grad_fn.name() == "ConjPhysicalBackward1"
    x.sum().backward()


def test_part_and_whole_of_one_complex_number_overlap() -> None:
    number = torch.tensor([1 + 2j])
    with pytest.raises(RuntimeError, match="single memory location"):
        number.real = number


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g * 2


def test_functions_may_not_write_a_view_of_what_is_no_result() -> None:
    leaf = torch.arange(6.0)[::2].requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        Doubled.apply(leaf.reshape_as(leaf))


def test_hooks_see_a_write_through_the_part_of_a_conjugate() -> None:
    seen: list[torch.Tensor] = []
    x = torch.tensor([1 - 2j], requires_grad=True)
    copy = x.repeat(1)
    part = copy.conj().imag
    part.fill_(2)
    copy.register_hook(seen.append)
    part.asinh().backward()
    assert len(seen) == 1 and x.grad.tolist() == [0]


def test_checkpoints_around_batches_stop_where_they_should() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    torch.utils.checkpoint.checkpoint(torch.vmap(torch.sin), x, use_reentrant=False).sum().backward()
    assert torch.equal(x.grad, torch.ones(2, 3).cos())


def test_views_of_conjugates_are_conjugate() -> None:
    x = torch.ones(2, 3, dtype=torch.complex64)
    assert x.conj()[0].is_conj() and x.mH[0].detach().is_conj()
    assert not x.conj()[0].conj().is_conj() and not x.conj()[0].clone().is_conj()
    with pytest.raises(RuntimeError, match="conjugate bit set"):
        x.conj()[0].numpy()


def test_repeated_matrices_that_are_copied_are_not_made_triangular() -> None:
    stretched = torch.ones(3, 3, 2, 1).transpose(0, 1).expand(3, 3, 2, 2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        stretched.triu_()


def test_dropout_in_place_writes_as_often_as_pytorch() -> None:
    nothing, kept, scaled, meeting = torch.tensor([]), torch.ones(3), torch.ones(3), torch.ones(4).as_strided((3, 2), (1, 1))
    functional = torch.nn.functional
    assert functional.dropout(nothing, inplace=True)._version == 0
    assert functional.alpha_dropout(kept, 0.0, True, True)._version == 0
    assert functional.alpha_dropout(scaled, 0.5, True, True)._version == 2
    assert functional.dropout(meeting, inplace=True)._version == 1


def test_logic_in_place_is_nothing_to_autograd() -> None:
    leaf = torch.ones(2, requires_grad=True)
    assert leaf.logical_and_(leaf) is leaf and leaf.is_leaf and leaf._version == 1
    assert leaf[:1].logical_not_().tolist() == [0]
    with torch.inference_mode():
        frozen = torch.ones(2)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        frozen.logical_not_()


def test_faults_of_writes_come_before_that_the_tensor_is_of_inference_mode() -> None:
    with torch.inference_mode():
        frozen = torch.ones(2, 2)
    for write, fault in (
        (lambda t: t.copy_(torch.ones(3)), "The size of tensor a"),
        (lambda t: t.squeeze_(7), "Dimension out of range"),
        (lambda t: t.transpose_(0, 5), "Dimension out of range"),
        (lambda t: t.uniform_(2, 1), "expects to return"),
        (lambda t: t.bernoulli_(2.0), "expects p to be in"),
        (lambda t: t.t_(), "Inplace update to inference tensor"),
    ):
        with pytest.raises((RuntimeError, IndexError), match=fault):
            write(frozen)


def test_integers_take_nodes_where_they_are_written_and_nowhere_else() -> None:
    slope = torch.tensor([1.0, 2.0], requires_grad=True)
    for write, name in (
        (lambda t: t.eq_(slope), "EqBackward1"),
        (lambda t: t.lt_(slope[0]), "LtBackward1"),
        (lambda t: t.bernoulli_(slope - slope), "BernoulliBackward1"),
    ):
        whole = torch.tensor([3, 2])
        written = write(whole)
        assert written is whole and whole.grad_fn is not None and whole.grad_fn.name() == name
        assert whole.tolist() in ([0, 1], [0, 0]) and whole.dtype == torch.int64
    assert whole.eq_(0).tolist() == [1, 1] and whole.grad_fn is not None and whole.grad_fn.name() == "EqBackward0"
    place = torch.tensor([0])
    for refused in (
        lambda: torch.fill(place, slope[0]),
        lambda: place.masked_fill(place == 0, slope[0]),
        lambda: place.index_fill(0, place, slope[0]),
        lambda: whole.argsort(),
        lambda: torch.nn.functional.one_hot(whole),
    ):
        with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
            refused()
    for without in (whole.floor_divide(1), torch.tensor([4, 2]).floor_divide_(whole), torch.heaviside(whole, whole)):
        assert not without.requires_grad  # what has no derivative says so of floating point numbers only
    assert whole.floor_divide_(2).grad_fn is not None and whole.grad_fn.name() == "EqBackward0"


def test_chances_are_in_the_graph_of_what_is_drawn_by_them() -> None:
    chances = torch.tensor([[0.25], [0.5]], dtype=torch.float64, requires_grad=True)
    drawn = torch.ones(2, 3).bernoulli_(chances)
    drawn.sum().backward()
    assert chances.grad is not None and chances.grad.tolist() == [[0], [0]] and chances.grad.dtype == torch.float64


def test_what_is_detached_from_a_tensor_of_inference_mode_has_a_version_of_its_own() -> None:
    with torch.inference_mode():
        frozen = torch.ones(3)
        within = frozen.detach()
    for detached in (frozen.detach(), frozen.data):
        assert detached.is_inference() and detached.add_(1)._version == 1
        with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
            detached.requires_grad_()
        for refused in (detached[0], within, frozen):
            with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
                refused.mul_(2)
    assert frozen.tolist() == [3, 3, 3]
    for write in (lambda t: t.mul_(2), lambda t: t.copy_(torch.ones(3)), lambda t: t.normal_()):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            write(frozen.expand(2, 3))


def test_grad_keeps_tensors_of_inference_mode_as_its_own() -> None:
    with torch.inference_mode():
        frozen = torch.tensor([1.0, 2.0])
    assert torch.func.grad(lambda t: (t * t * frozen).sum())(torch.ones(2)).tolist() == [2, 4]
    assert torch.func.jvp(torch.func.grad(lambda t: (t**3).sum()), (frozen,), (frozen,))[1].tolist() == [6, 24]
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
        torch.vmap(lambda t: t * frozen)(torch.ones(2, requires_grad=True))


def test_conjugates_know_how_what_they_are_of_was_made() -> None:
    base = torch.tensor([[3 + 0.5j, 1j]], requires_grad=True) * 2
    part = base.chunk(2, 1)[1]
    for view, node in ((part.conj(), "Conj"), (part.conj().imag, "Select")):
        with pytest.raises(RuntimeError, match=f"Output 0 of {node} is a view and is being modified"):
            view.mul_(2)
    with torch.no_grad():
        made = base.conj()
    base.mul_(2)
    with torch.no_grad():
        assert made.is_conj() and made[0].is_conj() and made.requires_grad
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and its base"):
        made.grad_fn  # noqa: B018


def test_conjugates_lie_as_what_they_are_of() -> None:
    parts = torch.arange(16.0).reshape(8, 2).to(torch.complex64)[::2, :1]
    assert parts.conj().stride() == (4, 1) and parts.H.stride() == (1, 4)
    parts.conj()[1:].mul_(1j)
    assert parts.tolist() == [[0], [-4j], [-8j], [-12j]]
    shared = torch.ones(8, dtype=torch.complex64).as_strided((3, 2), (1, 1))
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        shared.H.view(-1)


def test_conjugates_of_stretched_leaves_are_refused_as_views_first() -> None:
    leaf = torch.ones(3, dtype=torch.complex64).expand(2, 3).requires_grad_()
    for write in (lambda: leaf.conj().fill_(1), lambda: leaf.conj().zero_()):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
            write()


def test_what_data_gives_is_of_the_same_memory() -> None:
    x = torch.arange(3.0)
    writes = [
        lambda: x.put_(torch.tensor([0, -1]), x.data[:2]),
        lambda: x[1:].add_(x.data[:2]),
        lambda: x.data[1:].add_(x[:2], alpha=2),
        lambda: x[1:].copy_(x.data[:2]),
        lambda: torch.sin(x.data[1:], out=x[:2]),
    ]
    for write in writes:
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            write()
    assert x.tolist() == [0, 1, 2] and x.data.add_(x).tolist() == [0, 2, 4] and x._version == 0


def test_places_that_are_no_results_of_a_node_are_named_in_the_shape_they_have_by_now() -> None:
    mantissa, exponent = torch.frexp(torch.ones(3, requires_grad=True) * 2)
    exponent.unsqueeze_(0).add_(1)
    with pytest.raises(RuntimeError, match=r"IntTensor \[1, 3\]\] is at version 2; expected version 0"):
        mantissa.sum().backward()


def test_inputs_that_a_function_returns_without_recording_need_no_gradient() -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, how: str) -> Any:
            if how == "dirty":
                ctx.mark_dirty(x.mul_(2))
            if how != "plain":
                ctx.mark_non_differentiable(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, None

    leaf = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        unrecorded = [Same.apply(leaf, "plain"), Same.apply(leaf, "dirty")]
    for same in (*unrecorded, Same.apply(leaf, "dirty"), Same.apply(leaf[:1], "constant")):
        assert not same.requires_grad and not same._is_view() and same.is_leaf
    assert leaf.requires_grad and leaf.tolist() == [4, 4]


def test_what_a_function_may_save_depends_on_what_comes_out() -> None:
    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, number: float) -> Any:
            return x, x * number

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(output[0], inputs[1] if inputs[1] > 2 else None)
            if inputs[1] > 3:
                ctx.save_for_forward(4.0)

    leaf = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert not any(one.requires_grad for one in Kept.apply(leaf, 2.0))
    for x in (leaf, leaf.detach()):
        with pytest.raises(RuntimeError, match="returned as-is as output is being saved"):
            Kept.apply(x, 2.0)
    with pytest.raises(TypeError, match="can only save variables, but argument 1 is of type float"):
        Kept.apply(leaf, 3.0)
    with pytest.raises(AssertionError, match="save_for_forward expects all arguments to be tensors"):
        Kept.apply(leaf, 4.0)


def test_nested_transforms_name_what_the_outermost_was_given() -> None:
    given = torch.ones(2, requires_grad=True) * 2
    grad = torch.func.grad
    slope = grad(lambda t: grad(lambda u: (u**3).sum())(t).sum())(given)
    given.mul_(2)
    with pytest.raises(RuntimeError, match=r"FloatTensor \[2\]\], which is output 0 of Mul, is at version 1"):
        slope.sum().backward()


def test_the_detached_memory_of_a_conjugate_is_written_without_history() -> None:
    leaf = torch.tensor([1 + 2j, -1j], requires_grad=True)
    turned = leaf.conj()
    turned.detach().add_(1)
    assert leaf.tolist() == [2 + 2j, 1 - 1j] and leaf._version == turned._version == 1


def test_running_sums_along_lines_that_meet_have_gradients() -> None:
    x = torch.tensor([1.0, 2, 3, 4], requires_grad=True)
    y = x.clone()
    torch.as_strided(y, (3, 2), (1, 1)).cumsum_(-1)
    assert y.tolist() == [1, 3, 6, 10] and y._version == 1
    y[3].backward()
    assert x.grad.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("chosen", [lambda t: t[t > 0], lambda t: t[None, t > 0], lambda t: torch.ones(2)[t > 0]])
def test_a_mask_that_is_a_number_is_refused_by_vmap(chosen: Callable[[torch.Tensor], torch.Tensor]) -> None:
    for batch in (torch.ones(2), torch.tensor([1.0, -1.0])):
        with pytest.raises(RuntimeError, match="batching operators that can support dynamic shape"):
            torch.vmap(chosen)(batch)


def test_kron_is_refused_where_its_product_is_no_view() -> None:
    column = torch.ones(2, 3, dtype=torch.float64)[::2].t()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        torch.kron(column, column.sin())
    apart = torch.ones(1, 3).unfold(0, 1, 1)
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        torch.kron(apart, torch.ones(3, 3, dtype=torch.complex64))
    assert torch.kron(torch.ones(2, 5), torch.ones(2, 2, 3)).shape == (2, 4, 15)


def test_kron_of_two_kinds_of_halves_is_single() -> None:
    assert torch.kron(torch.ones(2, 2, dtype=torch.bfloat16), torch.ones(1, 2, dtype=torch.float16)).dtype is torch.float32


def test_a_choice_of_an_expanded_tensor_of_another_dtype_lies_row_by_row() -> None:
    stretched = torch.zeros(2, 3, dtype=torch.int64).expand(2, -1, -1)
    assert torch.where(torch.ones(2, 3) > 0, stretched, torch.zeros(2, 2, 3)).stride() == (6, 3, 1)


def test_a_hook_of_several_leaves_does_not_wait_for_what_a_pass_does_not_reach() -> None:
    a, b, c = (torch.tensor(float(n), requires_grad=True) for n in (1, 2, 3))
    seen: list[Any] = []
    torch.autograd.graph.register_multi_grad_hook([a, b], seen.append)
    assert torch.autograd.grad(b, [a, b], allow_unused=True)[0] is None  # b is the one root, a is not in the pass
    assert not seen
    torch.autograd.graph.register_multi_grad_hook([c, product := a * b], seen.append)
    torch.autograd.grad([product, c], [product])
    assert seen == [[None, torch.tensor(1.0)]]


def test_the_gradient_of_what_sees_nothing_is_zeros_without_a_node() -> None:
    x = torch.zeros(3, requires_grad=True)
    y = x * 1
    (g,) = torch.autograd.grad((torch.as_strided(y, (0,), (1,)) ** 2).sum(), [y], create_graph=True)
    assert g.grad_fn is None and g.tolist() == [0, 0, 0]


def test_vmap_of_index_copy_is_a_scatter() -> None:
    def copied(t: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        return t.index_copy(0, torch.tensor([0]), u)

    x = torch.ones(2, 2, requires_grad=True)
    result = torch.vmap(copied)(x, torch.zeros(2, 3))  # more to copy from than there are indices
    assert result.tolist() == [[0, 1], [0, 1]] and result.grad_fn.name() == "ScatterBackward0"
    with pytest.raises(
        RuntimeError, match=r"Expected index \[2, 1\] to be no larger than self \[2, 2\] apart from dimension 1 "
    ):
        torch.vmap(copied)(x, torch.zeros(2, 0))
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\], but got 2"):
        torch.vmap(copied, in_dims=(None, 0))(x, torch.zeros(2, 1))
    with pytest.raises(RuntimeError, match="index 0 is out of bounds for dimension 1 with size 0"):
        torch.vmap(copied)(torch.ones(2, 0), torch.zeros(2, 1))


def test_the_target_of_logits_must_not_have_changed() -> None:
    target = torch.tensor([0.5], requires_grad=True) * 1
    loss = torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(1), target)
    target[None] = 3
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_what_a_huber_loss_of_two_dtypes_lacks_is_told_of_its_input_first() -> None:
    x, y = torch.ones(1, dtype=torch.float64, requires_grad=True), torch.ones(1, requires_grad=True)
    loss = torch.nn.functional.huber_loss(x, y)
    with pytest.raises(RuntimeError, match="Found dtype Float but expected Double"):
        torch.autograd.grad(loss, [x, y], retain_graph=True)
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.autograd.grad(loss, y)


def test_windows_of_nothing_have_their_strides() -> None:
    assert torch.ones(0, 2).unfold(-1, 2, 1).stride() == (2, 1, 1)
    assert torch.ones(3, 0, 2).unfold(-1, 2, 1).stride() == (2, 2, 1, 1)


def test_a_tensor_is_written_into_its_own_only_part() -> None:
    image = torch.tensor([[[[1.0]], [[2.0]]]]).clone(memory_format=torch.channels_last)
    image[0] = image
    assert image.flatten().tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="some elements of the input tensor"):
        image[0, 0] = image[0, :1]


def test_what_functional_derivatives_give_is_no_view() -> None:
    x = torch.tensor([0.75, 0.5], requires_grad=True)
    for values in (
        torch.autograd.functional.jacobian(lambda t: t.diff().sum(), x),
        torch.autograd.functional.vhp(torch.sum, x, x)[0],
    ):
        assert not values._is_view() and not values.requires_grad


def test_stft_names_the_type_of_halves_as_errors_do() -> None:
    with pytest.raises(RuntimeError, match=r"stft\(CPUBFloat16Type\[0\], n_fft=2"):
        torch.stft(torch.zeros(0, dtype=torch.bfloat16), 2, 1, window=torch.ones(2), return_complex=True, center=False)


@pytest.mark.parametrize(
    "first",
    [
        lambda x: torch.autograd.grad(torch.conv2d(x, torch.ones(1, 1, 1, 1)).mean(), x, create_graph=True)[0],
        lambda x: torch.func.hessian(lambda t: torch.kron(t, t).sum())(x),
    ],
)
def test_what_keeps_an_input_without_need_runs_once(first: Callable[[torch.Tensor], torch.Tensor]) -> None:
    result = first(torch.ones(1, 1, 2, 2, requires_grad=True))
    result.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        result.sum().backward()


def test_a_stretched_tensor_is_copied_into_itself_and_records_it() -> None:
    stretched = (torch.ones(1, requires_grad=True) * 2).expand(3)
    assert stretched.copy_(stretched.detach()).tolist() == [2, 2, 2]
    assert stretched.copy_(stretched).grad_fn.name() == "AsStridedBackward0"
    with pytest.raises(RuntimeError, match="more than one element"):
        stretched.copy_(torch.ones(3))


def test_complex_keeps_its_parts() -> None:
    x, y = (torch.ones(2, requires_grad=True) * 2 for _ in range(2))
    total = torch.complex(x, y).sum().real
    y.sin_()
    with pytest.raises(RuntimeError, match="which is output 0 of Sin, is at version 1; expected version 0"):
        total.backward()


def test_zeros_of_functional_derivatives_lie_as_what_they_stand_for() -> None:
    x = torch.ones(4, 3).t()
    assert torch.autograd.functional.vhp(torch.sum, x, x)[1].stride() == (1, 3)
    assert torch.autograd.functional.hvp(torch.sum, x, x)[1].stride() == (1, 3)


def test_a_copy_into_a_part_of_its_own_conjugate_is_refused() -> None:
    x = torch.arange(4).to(torch.complex64)
    assert x.conj().copy_(x).tolist() == [0, 1, 2, 3]
    for target, source in ((x.conj()[1:], x.conj()[:-1]), (x[1:], x.conj()[:-1]), (x[0].conj().imag, x[0])):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            target.copy_(source)


def test_bounds_of_complex_draws() -> None:
    assert torch.zeros(0, dtype=torch.complex64).uniform_(2).shape == (0,)
    with pytest.raises(RuntimeError, match=r"geometric_ expects p to be in \(0, 1\), but got p=2"):
        torch.zeros(1, dtype=torch.complex64).geometric_(2)
    with pytest.raises(NotImplementedError, match="\"geometric_cpu\" not implemented for 'ComplexFloat'"):
        torch.zeros(1, dtype=torch.complex64).geometric_(0.5)


def test_a_loss_of_two_dtypes_refuses_only_a_gradient_that_is_asked_for() -> None:
    loss = torch.nn.functional.huber_loss(torch.ones(3, requires_grad=True), torch.ones(3).bool())
    loss.backward(inputs=[loss], retain_graph=True)
    assert loss.grad.item() == 1
    with pytest.raises(RuntimeError, match="Found dtype Bool but expected Float"):
        loss.backward()
