"""Checkpoints that keep some results, that are nested, that stop early or not."""

from __future__ import annotations

import contextlib
import functools
import gc
import weakref

import pytest

import rushlight as torch
from rushlight.utils import checkpoint as room
from rushlight.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode
from rushlight.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

aten = torch.ops.aten


def selective(policy, function, x, **options):
    contexts = functools.partial(create_selective_checkpoint_contexts, policy, **options)
    return checkpoint(function, x, use_reentrant=False, context_fn=contexts)


def test_what_is_kept_does_not_run_again():
    runs = {"sin": 0, "exp": 0}

    asked = []

    def policy(ctx, op, *args, **kwargs):
        asked.append((str(op), ctx.is_recompute))
        return CheckpointPolicy.MUST_SAVE if op is aten.sin.default else CheckpointPolicy.PREFER_RECOMPUTE

    class Ops(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            name = func.__name__.partition(".")[0]
            if name in runs:
                runs[name] += 1
            return func(*args, **(kwargs or {}))

    x = torch.tensor([0.5, 1.0], requires_grad=True)
    with Ops():
        y = selective(policy, lambda x: x.sin().exp().cos().sum(), x)
    assert runs == {"sin": 1, "exp": 1} and asked[0] == ("aten.sin.default", False)
    with Ops():
        y.backward()
    plain = x.detach().requires_grad_()
    plain.sin().exp().cos().sum().backward()
    assert torch.allclose(x.grad, plain.grad)
    assert runs["exp"] == 2  # once again; sin of the rule of cos only


def test_a_list_or_a_bool_says_it_too():
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    for policy in ([aten.sin.default], lambda ctx, op, *args, **kwargs: op is aten.sin.default):
        (g,) = torch.autograd.grad(selective(policy, lambda x: x.sin().exp().sum(), x), x)
        assert torch.allclose(g, x.cos() * x.sin().exp())


def test_kept_values_are_given_out_once_and_must_be_as_they_were():
    x = torch.ones(2, requires_grad=True)
    policy = [aten.sin.default]
    y = selective(policy, lambda x: x.sin().exp().cos().sum(), x)
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.backward()

    def written(x):
        return x.sin().mul_(2).cos().exp().sum()

    with pytest.raises(RuntimeError, match="has been mutated"):
        selective(policy, written, x).backward()
    selective(policy, written, x, allow_cache_entry_mutation=True).backward()


def test_the_second_run_must_do_the_same_ops():
    calls = []

    def changing(x):
        calls.append(1)
        return (x.sin() if len(calls) == 1 else x.tan()).exp().cos().sum()

    y = selective(lambda *args, **kwargs: True, changing, torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match=r"aten.tan.default encountered during backward but not found in storage"):
        y.backward()


def test_kept_values_go_with_the_graph():
    seen = []

    def function(x):
        y = x.cos().exp()
        mode = _get_current_dispatch_mode()
        if isinstance(mode, room._CachingTorchDispatchMode):
            seen.append(weakref.ref(mode.storage[aten.exp.default][0].val))
        return y.sin()

    x = torch.ones(2, requires_grad=True)
    gc.disable()
    try:
        y = selective(lambda *args, **kwargs: True, function, x)
        assert seen[0]() is not None and not seen[0]().requires_grad
        del y
        assert seen[0]() is None
        y = selective(lambda *args, **kwargs: True, function, x)
        y.sum().backward(retain_graph=True)
        assert seen[1]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("policy", "error", "message"),
    [
        ([2], ValueError, "to be an OpOverload but got: 2"),
        ([aten.sin], ValueError, "update the OpOverloadPacket to a specific OpOverload"),
        (2, TypeError, "either a function or a list of ops"),
    ],
)
def test_policies_that_are_none(policy, error, message):
    with pytest.raises(error, match=message):
        create_selective_checkpoint_contexts(policy)


def test_what_is_set_around_goes_before_the_argument():
    runs = []

    def function(x):
        y = x.sin().cos()
        runs.append(1)  # behind all that is saved
        return y.clone()

    def count(around, argument):
        runs.clear()
        x = torch.ones(1, requires_grad=True)
        with contextlib.nullcontext() if around is None else room.set_checkpoint_early_stop(around):
            y = checkpoint(function, x, use_reentrant=False, early_stop=argument)
        y.backward()
        return len(runs)

    found = [count(around, argument) for around in (None, True, False) for argument in (True, False)]
    assert found == [1, 2, 1, 1, 2, 2]


@pytest.mark.parametrize("early_stop", [True, False])
def test_backward_passes_within_checkpoints_within_backward_passes(early_stop):
    def saving(function):
        return lambda x: checkpoint(function, x, use_reentrant=False)

    def slope(function):
        def of(x):
            with torch.enable_grad():
                return torch.autograd.grad(function(x), x, create_graph=True)[0]

        return of

    def f(x):
        return x.sin().exp().sin()

    x = torch.tensor(0.7, requires_grad=True)
    with room.set_checkpoint_early_stop(early_stop):
        for plain, saved in (
            (f, saving(saving(f))),
            (slope(f), slope(saving(saving(f)))),
            (slope(slope(f)), slope(saving(slope(f)))),
            (slope(slope(f)), saving(slope(slope(saving(f))))),
            (slope(slope(slope(f))), slope(saving(slope(saving(slope(saving(f))))))),
        ):
            assert torch.allclose(plain(x), saved(x))
            assert torch.allclose(slope(plain)(x), slope(saved)(x))


def test_the_second_run_ends_before_an_op_that_only_saves_its_input():
    class Sines(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.count += func is aten.sin.default
            return func(*args, **(kwargs or {}))

    for early_stop, expected in ((True, 1), (False, 2)):
        x = torch.tensor(1.0, requires_grad=True)
        with Sines() as sines:
            checkpoint(torch.sin, x, use_reentrant=False, early_stop=early_stop).backward()
        assert sines.count == expected and torch.allclose(x.grad, x.cos())


def test_hooks_pack_inputs_before_the_op_and_results_after_it():
    order = []

    class Ops(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            order.append(func.__name__)
            return func(*args, **(kwargs or {}))

    def pack(tensor):
        order.append("pack")
        return tensor

    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with Ops(), torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
        z = (x * y).exp()
        stacked = torch.stack([x, y]).sum()
    assert order[:5] == ["pack", "pack", "mul.Tensor", "exp.default", "pack"] and "pack" not in order[5:]
    (z.sum() + stacked).backward()
    assert torch.allclose(x.grad, torch.full((2,), 1 + torch.e))
