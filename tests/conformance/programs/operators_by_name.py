"""torch.library: operators of one's own."""

from typing import Optional

import torch
from torch import Tensor

library = torch.library


@library.custom_op("examples::cube", mutates_args=())
def cube(x: Tensor) -> Tensor:
    return x**3


def setup(ctx, inputs, output):
    print("setup", len(inputs), type(output).__name__)
    ctx.save_for_backward(inputs[0])


cube.register_autograd(lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2, setup_context=setup)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = cube(x)
print(y, cube, torch.ops.examples.cube, torch.ops.examples.cube.default._schema)
y.sum().backward()
print(x.grad, torch.ops.examples.cube(torch.ones(1)))


def attempt(function):
    try:
        print(function())
    except (RuntimeError, ValueError, AttributeError) as error:
        print(type(error).__name__, str(error).split("\n")[0])


@library.custom_op("examples::many", mutates_args=())
def many(x: Tensor, n: int = 3, s: str = "a", b: bool = True, f: float = 1.0, o: Optional[Tensor] = None) -> tuple[Tensor, int]:
    return x + n, n


print(torch.ops.examples.many.default._schema, many(torch.ones(1), n=5))
attempt(lambda: many())
attempt(lambda: many(3))
attempt(lambda: many(torch.ones(1), "x"))
attempt(lambda: many(x)[0].sum().backward())


@library.custom_op("examples::fill", mutates_args={"x"})
def fill(x: Tensor, y: Tensor) -> None:
    x.copy_(y)


z = torch.zeros(2)
print(fill(z, torch.ones(2)), z, torch.ops.examples.fill.default._schema)


def unsaid(x):
    return x


def no_result(x: Tensor):
    return x


attempt(lambda: library.custom_op("examples::unsaid", unsaid, mutates_args=()))
attempt(lambda: library.custom_op("examples::no_result", no_result, mutates_args=()))
attempt(lambda: torch.ops.examples.nothing)
library.define("examples::scaled", "(Tensor x, int n=2) -> Tensor")


@library.impl("examples::scaled", "cpu")
def scaled(x, n=2):
    return x * n


library.register_autograd(
    "examples::scaled", lambda ctx, g: (g * ctx.n, None), setup_context=lambda ctx, inputs, output: setattr(ctx, "n", inputs[1])
)
x.grad = None
torch.ops.examples.scaled(x, 5).sum().backward()
print(x.grad, torch.ops.examples.scaled(torch.ones(1)), torch.ops.examples.scaled(torch.ones(1), n=4))
mine = library.Library("pieces", "DEF")
mine.define("plus(Tensor x) -> Tensor")
mine.impl("plus", lambda x: x + 1, "CPU")
print(torch.ops.pieces.plus(torch.ones(1)))
