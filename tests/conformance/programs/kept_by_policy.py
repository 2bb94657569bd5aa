"""Checkpoints whose policy keeps some results, and saved tensors that may be written to."""

import functools

import torch
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from torch.utils.flop_counter import FlopCounterMode

aten = torch.ops.aten
x = torch.tensor([[0.5, 1.0], [1.5, 2.0]], requires_grad=True)


def function(x):
    return (x.sin() @ x).exp().sum()


def policy(ctx, op, *args, **kwargs):
    print("asked", op, ctx.is_recompute)
    return CheckpointPolicy.MUST_SAVE if op == aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


def run(choice, function=function, retain_graph=False, **options):
    contexts = functools.partial(create_selective_checkpoint_contexts, choice, **options)
    try:
        with FlopCounterMode(display=False) as counter:
            y = checkpoint(function, x, use_reentrant=False, context_fn=contexts)
            y.backward(retain_graph=retain_graph)
            if retain_graph:
                y.backward()
        print(counter.get_total_flops(), x.grad)
    except (RuntimeError, ValueError, TypeError) as error:
        print(type(error).__name__, error)
    x.grad = None


run(policy)
run([aten.mm.default])
run([])
run(lambda ctx, op, *args, **kwargs: op == aten.sin.default)
run([aten.mm.default], retain_graph=True)
run([aten.sin.default], lambda x: x.sin().mul_(2).cos().exp().sum())
run([aten.sin.default], lambda x: x.sin().mul_(2).cos().exp().sum(), allow_cache_entry_mutation=True)
run([2])
run([aten.sin])
run(2)

with torch.autograd.graph.allow_mutation_on_saved_tensors() as block:
    a = x.clone()
    b, c = a**2, a**2
    print(len(block.tid_to_weakhandle), len(block.cloned))
    a.sin_()
    print(len(block.cloned))
    (b + c).sum().backward()
    print(x.grad, len(block.cloned))
    out = (a * a).sum()
try:
    out.backward()
except AssertionError as error:
    print(error)
