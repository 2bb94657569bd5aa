"""Forward mode: jvp of custom Functions, how tangents lie in memory, what has no tangent."""

from __future__ import annotations

import pytest

import rushlight as torch
import rushlight.autograd.forward_ad as forward
from rushlight.autograd import Function


def function(forward_, jvp_):
    class Made(Function):
        forward = staticmethod(forward_)
        jvp = staticmethod(jvp_)

    return Made


def test_arguments_without_tangent_get_zeros_where_they_could_have_one():
    seen = []

    def jvp(ctx, *tangents):
        seen.append(tangents)
        return tangents[0] * 2

    made = function(lambda ctx, x, y, i, number: x * 2, jvp)
    with forward.dual_level():
        x = forward.make_dual(torch.ones(2), torch.tensor([1.0, 3.0]))
        out = made.apply(x, torch.ones(3), torch.ones(1, dtype=torch.long), 7)
        assert forward.unpack_dual(out).tangent.tolist() == [2.0, 6.0]
    (_, zeros, integers, number) = seen[0]
    assert zeros.tolist() == [0.0] * 3 and integers is None and number is None


def test_saved_tensors_in_jvp_are_those_saved_for_forward():
    def forward_(ctx, x, keep):
        ctx.save_for_backward(x)
        if keep:
            ctx.save_for_forward(x)
        return x * x

    def jvp(ctx, t, keep):
        found.append(len(ctx.saved_tensors))
        return t

    found: list[int] = []
    with forward.dual_level():
        for keep in (False, True):
            function(forward_, jvp).apply(forward.make_dual(torch.ones(1), torch.ones(1)), keep)
    assert found == [0, 1]


@pytest.mark.parametrize(
    ("forward_", "jvp", "message"),
    [
        (lambda ctx, x: x, lambda ctx, t: t, "forward is returning a view \\(or an input as-is\\) but the jvp is not"),
        (lambda ctx, x: x[:1], lambda ctx, t: t[:1].clone(), "but the jvp is not returning a view"),
        (lambda ctx, x: x[:1], lambda ctx, t: t.clone()[:1], "not returning a view of the given grad input"),
        (lambda ctx, x: (x * 2, x * 3), lambda ctx, t: t, "expected 2 but got 1"),
        (lambda ctx, x: x.long(), lambda ctx, t: t, "You should return None at that position instead"),
        (lambda ctx, x: x * 2, lambda ctx, t: 3, "expected Variable or None \\(got int\\) for grad output 0"),
        (lambda ctx, x: x * 2, lambda ctx, t: t[:1], "forward gradient that has a different size"),
    ],
)
def test_what_jvp_must_not_return(forward_, jvp, message):
    with forward.dual_level():
        x = forward.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(RuntimeError, match=message):
            function(forward_, jvp).apply(x)


def test_in_place_functions_change_their_tangent_in_place():
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx, t):
            return t * 2 if ctx_copies else t.mul_(2)

    with forward.dual_level():
        for ctx_copies in (False, True):
            tangent = torch.ones(2)
            x = forward.make_dual(torch.ones(2), tangent)
            if ctx_copies:
                with pytest.raises(RuntimeError, match="not modifying the forward mode gradients inplace"):
                    Double.apply(x)
            else:
                assert Double.apply(x) is x and forward.unpack_dual(x).tangent is tangent
                assert tangent.tolist() == [2.0, 2.0]


def test_defaults_of_forward_reach_setup_context():
    class Power(Function):
        @staticmethod
        def forward(x, n=3):
            return x**n

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.n = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.n * ctx.saved_tensors[0] ** (ctx.n - 1), None

    x = torch.tensor(2.0, requires_grad=True)
    assert torch.autograd.grad(Power.apply(x), x)[0].item() == 12.0


def test_tangents_lie_as_their_primals_do():
    with forward.dual_level():
        tangent = torch.ones(4)
        assert forward.unpack_dual(forward.make_dual(torch.zeros(4), tangent)).tangent is tangent
        part = torch.zeros(5)[:4].detach()
        dual = forward.make_dual(part, tangent)
        copied = forward.unpack_dual(dual).tangent
        assert copied is not tangent and copied.tolist() == tangent.tolist()
        assert dual.as_strided((5,), (1,), 0).shape == (5,)


def test_tangents_where_there_can_be_none():
    with forward.dual_level():
        assert forward._current_level == 0
        dual = forward.make_dual(torch.ones(2), torch.ones(2))
        with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
            forward.make_dual(torch.ones(2), dual)
        with pytest.raises(NotImplementedError, match="because it is an out= function"):
            torch.add(dual, dual, out=torch.empty(2))
        copied = dual.clone()
        assert forward.unpack_dual(copied.detach_()).tangent is None
        with forward._set_fwd_grad_enabled(False):
            assert not forward._is_fwd_grad_enabled()
            assert forward.unpack_dual(dual * 2).tangent is None
    assert forward._current_level == -1


def test_tangents_of_parts_of_complex_numbers():
    z = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128)
    with forward.dual_level():
        for part in (z.real, z.imag, z.conj().imag):
            for tangent in (torch.ones(2, dtype=torch.float64), z.clone().imag):
                dual = forward.make_dual(part, tangent)
                assert forward.unpack_dual(dual[1:] * 2).tangent.tolist() == (tangent[1:] * 2).tolist()


def test_negation_is_told_where_pytorch_leaves_it_pending():
    z = torch.tensor([1 + 2j, 3 - 1j])
    part = z.conj().imag
    assert part.is_neg() and torch.is_neg(part.detach()) and not part.resolve_neg().is_neg() and not (part + 1).is_neg()
    assert part.tolist() == [-2.0, 1.0]
    with pytest.raises(RuntimeError, match="has negative bit set"):
        part.numpy()
    assert part.numpy(force=True).tolist() == [-2.0, 1.0]
    flipped = torch.ones(2)._neg_view()
    assert flipped.is_neg() and not flipped._neg_view().is_neg()
    with forward.dual_level():
        tangent = torch.ones(2)
        assert forward.unpack_dual(forward.make_dual(flipped, tangent)).tangent is not tangent


def test_tangents_turn_with_tensors_that_turn_in_place():
    turns = {
        "squeeze_": (0,),
        "unsqueeze_": (1,),
        "t_": (),
        "transpose_": (0, 1),
        "swapaxes_": (0, 1),
        "as_strided_": ((2,), (1,)),
    }
    primal, direction = torch.tensor([[2.0, 1.0]]), torch.tensor([[3.0, 5.0]])
    for name, arguments in turns.items():
        with forward.dual_level():
            dual = forward.make_dual(primal, direction).clone()
            getattr(dual, name)(*arguments)
            turned = forward.unpack_dual(dual)
            assert turned.tangent.shape == turned.primal.shape == dual.shape, name
            assert turned.tangent.flatten().tolist() == [3, 5], name
            assert forward.unpack_dual(dual * 2).tangent.shape == dual.shape, name


def test_tangents_can_be_viewed_where_their_primals_can():
    weight, rows = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(2, 2, 3)
    with forward.dual_level():
        dual = forward.make_dual(weight, torch.ones(2, 3))
        tangent = forward.unpack_dual(torch.nn.functional.linear(rows, dual).view(-1)).tangent
        bias = forward.make_dual(torch.zeros(2), torch.ones(2))
        spread = forward.unpack_dual(torch.nn.functional.linear(rows, weight, bias).view(-1)).tangent
    assert tangent.tolist() == [3, 3, 12, 12, 21, 21, 30, 30]
    assert spread.tolist() == [1] * 8
