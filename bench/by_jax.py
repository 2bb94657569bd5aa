"""What XLA could give at most: steps written by hand for JAX, beside the same programs compiled here, and PyTorch eager, in turns.

    python bench/by_jax.py [--rounds 3] [--seconds 0.2] [--threads 1] [NAME ...]

By hand a step is one function under ``jax.jit``, its gradients by ``jax.grad``, the optimizer in it; parameters and the optimizer's
state never leave XLA, are donated, and no guard is looked at. Each computes the first loss of the program it stands for, to 1e-4. It needs
JAX and PyTorch in one environment.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from typing import Any

from compiled import OWN, chosen, measure
from measure import best_time
from turns import ask, begin, in_turns, row

Loss = Callable[[list[Any], tuple[Any, ...]], Any]
Update = Callable[[list[Any], list[Any], Any], tuple[list[Any], Any]]


def of_step(name: str) -> dict[str, Any]:
    """The program's own tensors, by the names that its step's closure knows them by."""
    step = chosen([name])[name]()
    return dict(zip(step.__code__.co_freevars, [cell.cell_contents for cell in step.__closure__], strict=True))


def arrays(tensors: Any) -> list[Any]:
    import jax.numpy as jnp

    return [jnp.asarray(one.detach().numpy()) for one in tensors]


def cross_entropy(logits: Any, labels: Any) -> Any:
    import jax
    import jax.numpy as jnp

    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()


def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    from jax import lax

    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias


def attention(query: Any, key: Any, value: Any, causal: bool) -> Any:
    import jax
    import jax.numpy as jnp

    scores = query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5
    if causal:
        scores = jnp.where(jnp.tri(scores.shape[-1], dtype=bool), scores, -jnp.inf)
    return jax.nn.softmax(scores) @ value


def split_heads(x: Any, heads: int) -> Any:
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).swapaxes(1, 2)


def descent(parameters: list[Any], grads: list[Any], state: Any) -> tuple[list[Any], Any]:
    return [one - 0.01 * g for one, g in zip(parameters, grads, strict=True)], state


def nothing(parameters: list[Any], grads: list[Any], state: Any) -> tuple[list[Any], Any]:
    """No optimizer: the gradients are the result."""
    return parameters, grads


def adam(decay: float) -> Update:
    def update(parameters: list[Any], grads: list[Any], state: Any) -> tuple[list[Any], Any]:
        import jax.numpy as jnp

        count, means, squares = state
        count = count + 1
        means = [0.9 * m + 0.1 * g for m, g in zip(means, grads, strict=True)]
        squares = [0.999 * v + 0.001 * g * g for v, g in zip(squares, grads, strict=True)]
        rest = 1 - 0.999**count
        moved = [
            p * (1 - 1e-3 * decay) - 1e-3 / (1 - 0.9**count) * m / (jnp.sqrt(v / rest) + 1e-8)
            for p, m, v in zip(parameters, means, squares, strict=True)
        ]
        return moved, (count, means, squares)

    return update


def mlp() -> tuple[list[Any], tuple[Any, ...], Loss, Update]:
    import jax

    images, labels, weights = of_step("MLP")["given"]

    def loss(parameters: list[Any], given: tuple[Any, ...]) -> Any:
        w1, b1, w2, b2 = parameters
        return cross_entropy(jax.nn.relu(given[0] @ w1 + b1) @ w2 + b2, given[1])

    return arrays(weights), tuple(arrays([images, labels])), loss, descent


def digits() -> tuple[list[Any], tuple[Any, ...], Loss, Update]:
    import jax
    from jax import lax

    model, _, _, images, labels = of_step("digits, Adam")["given"]

    def convolution(x: Any, weight: Any, bias: Any) -> Any:
        return lax.conv_general_dilated(x, weight, (1, 1), "SAME") + bias[:, None, None]

    def loss(parameters: list[Any], given: tuple[Any, ...]) -> Any:
        w1, b1, w2, b2, w3, b3, w4, b4 = parameters
        x = jax.nn.relu(convolution(jax.nn.relu(convolution(given[0], w1, b1)), w2, b2))
        x = x.reshape(64, 32, 4, 2, 4, 2).max((3, 5)).reshape(64, -1)
        return cross_entropy(jax.nn.relu(x @ w3.T + b3) @ w4.T + b4, given[1])

    return arrays(model.parameters()), tuple(arrays([images, labels])), loss, adam(0.0)


def gpt() -> tuple[list[Any], tuple[Any, ...], Loss, Update]:
    import jax

    model, _, text, following = of_step("GPT, AdamW")["given"]
    names = [name for name, _ in model.named_parameters()]

    def loss(parameters: list[Any], given: tuple[Any, ...]) -> Any:
        p = dict(zip(names, parameters, strict=True))

        def linear(x: Any, name: str) -> Any:
            return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

        def norm(x: Any, name: str) -> Any:
            return layer_norm(x, p[f"{name}.weight"], p[f"{name}.bias"])

        x = p["token.weight"][given[0]] + p["place.weight"]
        for block in ("blocks.0", "blocks.1"):
            parts = jax.numpy.split(linear(norm(x, f"{block}.first"), f"{block}.mix"), 3, -1)
            seen = attention(*(split_heads(part, 4) for part in parts), True)
            x = x + linear(seen.swapaxes(1, 2).reshape(x.shape), f"{block}.out")
            hidden = jax.nn.gelu(linear(norm(x, f"{block}.second"), f"{block}.up"), approximate=False)
            x = x + linear(hidden, f"{block}.down")
        logits = linear(norm(x, "norm"), "head")
        return cross_entropy(logits.reshape(-1, logits.shape[-1]), given[1].reshape(-1))

    return arrays(model.parameters()), tuple(arrays([text, following])), loss, adam(0.01)


def attention_block() -> tuple[list[Any], tuple[Any, ...], Loss, Update]:
    import jax

    tokens, weights, norm = of_step("attention")["given"]

    def loss(parameters: list[Any], given: tuple[Any, ...]) -> Any:
        w_in, b_in, w_out, b_out, weight, bias = parameters
        x = given[0]
        parts = jax.numpy.split(layer_norm(x, weight, bias) @ w_in.T + b_in, 3, -1)
        mixed = attention(*(split_heads(part, 4) for part in parts), False).swapaxes(1, 2).reshape(x.shape)
        return ((x + mixed @ w_out.T + b_out) ** 2).mean()

    return arrays([*weights, *norm]), tuple(arrays([tokens])), loss, nothing


def lstm() -> tuple[list[Any], tuple[Any, ...], Loss, Update]:
    import jax
    import jax.numpy as jnp
    from jax import lax

    found = of_step("LSTM, loop in Python")

    def loss(parameters: list[Any], given: tuple[Any, ...]) -> Any:
        w, u, b = parameters

        def one(state: Any, x: Any) -> Any:
            h, c = state
            i, f, g, o = jnp.split(x + h @ u, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        start = jnp.zeros((8, 64))
        (h, _), _ = lax.scan(one, (start, start), given[0] @ w + b)
        return (h**2).mean()

    return arrays([found["w"], found["u"], found["b"]]), tuple(arrays([found["x"]])), loss, nothing


BY_HAND: dict[str, Callable[[], tuple[list[Any], tuple[Any, ...], Loss, Update]]] = {
    "MLP": mlp,
    "digits, Adam": digits,
    "GPT, AdamW": gpt,
    "attention": attention_block,
    "LSTM, loop in Python": lstm,
}


def first_loss(name: str) -> float:
    """The loss of the program's first step, as the root that its backward pass begins at."""
    import torch

    torch.manual_seed(0)
    found: list[float] = []
    backward = torch.Tensor.backward

    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        found.append(self.item())
        backward(self, *args, **kwargs)

    torch.Tensor.backward = noting
    try:
        chosen([name])[name]()()
    finally:
        torch.Tensor.backward = backward
    return found[0]


def by_hand(names: list[str], seconds: float) -> dict[str, float]:
    """Seconds that a step written by hand takes."""
    torch = begin("rushlight")
    import jax
    import jax.numpy as jnp

    times = {}
    for name in names or BY_HAND:
        expected = first_loss(name)
        torch.manual_seed(0)
        parameters, given, loss, update = BY_HAND[name]()
        off = abs(float(loss(parameters, given)) - expected)
        assert off <= 1e-4 * abs(expected), f"{name} computes something else by hand: a loss that is {off} off"
        zeros = [jnp.zeros_like(one) for one in parameters]
        state = (jnp.zeros(()), zeros, [one + 0 for one in zeros]) if update not in (descent, nothing) else zeros

        def step(parameters: list[Any], state: Any, given: Any, loss: Loss = loss, update: Update = update) -> Any:
            return update(parameters, jax.grad(loss)(parameters, given), state)

        compiled = jax.jit(step, donate_argnums=(0, 1))
        held = [parameters, state]

        def call(held: list[Any] = held, compiled: Any = compiled, given: Any = given) -> None:
            held[:] = compiled(*held, given)
            jax.block_until_ready(held)

        times[name] = best_time(lambda call: call(), (call,), seconds)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BY_HAND)}")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each side")
    parser.add_argument("--seconds", type=float, default=0.2, help="time that one measurement of one program takes")
    parser.add_argument("--threads", type=int, default=1, help="threads of each side")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = [name for name in OWN if name in (options.names or BY_HAND)]
    if options.side:
        found = by_hand(names, options.seconds) if options.side == "by hand" else measure(options.side, names, options.seconds)
        json.dump(found, sys.stdout)
        return

    def question(side: str) -> Any:
        return ask("by_jax.py", *names, "--seconds", str(options.seconds), "--side", side, threads=options.threads)

    sides = ("eager", "replay", "xla", "by hand")
    found = in_turns(question, options.rounds, (*sides, "torch"))
    row("program", "PyTorch us", "eager", "replay", "with xla", "JAX by hand")
    for name in names:
        ratios = [
            statistics.median(a[name] / b[name] for a, b in zip(found[side], found["torch"], strict=True)) for side in sides
        ]
        row(name, f"{statistics.median(one[name] for one in found['torch']) * 1e6:,.0f}", *(f"{one:.2f}" for one in ratios))


if __name__ == "__main__":
    main()
