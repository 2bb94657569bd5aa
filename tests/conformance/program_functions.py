"""What programs of program_corners.py call and cannot say in a line: functions of one's own, files, a training."""

from __future__ import annotations

import copy
import functools
import io
from typing import Any, TypeAlias

Thing: TypeAlias = Any  # of one of the sides


@functools.cache
def functions_of(torch: Thing) -> dict[str, Thing]:
    """By name, on one of the sides."""
    Function, once_differentiable = torch.autograd.Function, torch.autograd.function.once_differentiable

    def stored(thing: Thing, **options: Thing) -> Thing:
        """What comes back of a file."""
        file = io.BytesIO()
        torch.save(thing, file)
        file.seek(0)
        return torch.load(file, **options)

    class Cubed(Function):
        @staticmethod
        def forward(ctx: Thing, x: Thing) -> Thing:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Thing, g: Thing) -> Thing:
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    class Split(Function):
        """Gives a product, and a sign that is detached."""

        @staticmethod
        def forward(ctx: Thing, x: Thing, scale: float) -> Thing:
            ctx.scale = scale
            return x * scale, x.detach().sign()

        @staticmethod
        def backward(ctx: Thing, g: Thing, unused: Thing) -> Thing:
            return g * ctx.scale, None

    class Doubled(Function):
        """Writes to its argument."""

        @staticmethod
        def forward(ctx: Thing, x: Thing) -> Thing:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Thing, g: Thing) -> Thing:
            return g * 2

    class Part(Function):
        """Gives a view, a sum whose gradient may be missing, and a place that has none."""

        @staticmethod
        def forward(x: Thing, start: int) -> Thing:
            return x[start:], x.sum(), x.argmax()

        @staticmethod
        def setup_context(ctx: Thing, inputs: Thing, output: Thing) -> None:
            ctx.set_materialize_grads(False)
            ctx.mark_non_differentiable(output[2])
            ctx.like, ctx.start = inputs[0].detach(), inputs[1]

        @staticmethod
        @once_differentiable
        def backward(ctx: Thing, g: Thing, s: Thing, unused: Thing) -> Thing:
            found = torch.zeros_like(ctx.like)
            if g is not None:
                found[ctx.start :] += g
            return (found if s is None else found + s), None

    class Wide(Function):
        """A product with every rule: backward, forward, and for batches."""

        generate_vmap_rule = True

        @staticmethod
        def forward(x: Thing, y: Thing) -> Thing:
            return x * y.sin()

        @staticmethod
        def setup_context(ctx: Thing, inputs: Thing, output: Thing) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Thing, g: Thing) -> Thing:
            x, y = ctx.saved_tensors
            first, second = ctx.needs_input_grad
            return g * y.sin() if first else None, g * x * y.cos() if second else None

        @staticmethod
        def jvp(ctx: Thing, s: Thing, t: Thing) -> Thing:
            x, y = ctx.saved_tensors
            return (0 if s is None else s * y.sin()) + (0 if t is None else t * x * y.cos())

    def trained(x: Thing, optimizer: Thing, schedule: Thing, again: bool) -> list[Thing]:
        """A net, its rates and its state after steps of two groups, stopped and taken up from a file, or from a copy."""

        def made() -> Thing:
            nn = torch.nn
            torch.manual_seed(3)
            first, second, last = nn.Linear(x.shape[-1], 3), nn.LayerNorm(3), nn.Linear(3, 1, bias=False)
            net = nn.Sequential(first, second, nn.Dropout(0.25), nn.Tanh(), last).to(x.dtype)
            rest = [*second.parameters(), *last.parameters()]
            steps = optimizer([{"params": first.parameters(), "lr": 0.05}, {"params": rest}])
            return net, steps, schedule(steps)

        def train(net: Thing, steps: Thing, rates: Thing, count: int) -> None:
            for _ in range(count):
                steps.zero_grad()
                net(x.detach()).square().mean().backward()
                steps.step()
                rates.step()

        parts = made()
        train(*parts, 3)
        if again:
            states = stored([part.state_dict() for part in parts], weights_only=False)
            parts = made()
            for part, state in zip(parts, states, strict=True):
                part.load_state_dict(state)
        train(*parts, 2)
        rates = torch.tensor([group["lr"] for group in parts[1].param_groups])
        return [parts[0].eval()(x), rates, *copy.deepcopy(parts[0]).state_dict().values()]

    found = {function.__name__: function for function in (stored, trained, Cubed, Split, Part, Wide)}
    return found | {"doubled_": Doubled.apply}
