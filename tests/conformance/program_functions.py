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

    def captured(f: Thing, x: Thing) -> list[Thing]:
        """Results and gradients of three calls: of what torch.compile has captured, but on PyTorch's side."""
        call = f if torch.__name__ in ("torch", "mirror") else torch.compile(f)
        found = []
        for turn in range(3):
            leaf = (x.detach() * (1 + turn / 4)).requires_grad_()
            result = call(leaf)
            found.append(result.detach() if isinstance(result, torch.Tensor) else torch.tensor(result))
            if isinstance(result, torch.Tensor) and result.requires_grad:
                slope = torch.autograd.grad(torch.view_as_real(result).sum() if result.is_complex() else result.sum(), leaf)
                found += slope
        return found

    def hooked(module: Thing, x: Thing, place: int) -> list[Thing]:
        """What a module gives and what the gradients of its parameters are, with a hook at one of four places."""
        module.to(x.dtype)
        seen: list[Thing] = []
        if place == 0:
            module.register_forward_pre_hook(lambda m, given: (given[0] * 2,))
        elif place == 1:
            module.register_forward_hook(lambda m, given, result: result.square())
        elif place == 2:
            module.register_full_backward_hook(
                lambda m, gradients, given: seen.extend(g.clone() for g in given if g is not None)
            )
        else:
            module.register_full_backward_pre_hook(lambda m, given: tuple(None if g is None else g * 3 for g in given))
        leaf = x.detach().clone().requires_grad_()
        result = module(leaf)
        result.square().mean().backward()
        return [result.detach(), leaf.grad, *seen, *(one.grad for one in module.parameters())]

    def per_example(module: Thing, x: Thing) -> list[Thing]:
        """Gradients of a module's parameters for each example."""
        module.to(x.dtype).eval()
        given = dict(module.named_parameters())

        def loss(parameters: Thing, row: Thing) -> Thing:
            return torch.func.functional_call(module, parameters, (row[None],)).square().mean()

        return list(
            torch.vmap(torch.func.grad(loss), (None, 0))({name: one.detach() for name, one in given.items()}, x).values()
        )

    found = {
        function.__name__: function for function in (stored, trained, Cubed, Split, Part, Wide, captured, hooked, per_example)
    }
    return found | {"doubled_": Doubled.apply}
