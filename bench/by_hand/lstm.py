"""``programs/lstm.py`` in NumPy alone, its gradients worked out by hand: the floor under any tape over NumPy."""

import numpy as np

HIDDEN = 64


def setup():
    generator = np.random.default_rng(0)
    inputs = generator.standard_normal((50, 8, HIDDEN), np.float32)
    shapes = [(HIDDEN, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)]
    weights = [generator.standard_normal(shape, np.float32) * np.float32(0.1) for shape in shapes]
    return inputs, np.zeros((8, HIDDEN), np.float32), weights


def sigmoid(x):
    out = np.negative(x)
    np.exp(out, out)
    out += 1
    return np.reciprocal(out, out)


def loss_and_gradients(inputs, start, weights):
    """One product a step for the inputs and one for the state, as the program has them."""
    from_input, from_state, bias = weights
    state = memory = start
    kept = []
    for x in inputs:
        gates = x @ from_input
        gates += state @ from_state
        gates += bias
        before = state, memory
        keep, write, show = (sigmoid(gates[:, part]) for part in (slice(64), slice(64, 128), slice(192, 256)))
        new = np.tanh(gates[:, 128:192])
        memory = keep * memory + write * new
        shown = np.tanh(memory)
        state = show * shown
        kept.append((*before, keep, write, new, show, shown))
    loss = np.square(state).mean()

    gradients = [np.zeros_like(weight) for weight in weights]
    to_state, to_memory = state * np.float32(2 / state.size), np.zeros_like(memory)
    to_gates = np.empty((len(start), 4 * HIDDEN), np.float32)
    for x, (state, memory, keep, write, new, show, shown) in zip(inputs[::-1], reversed(kept), strict=True):
        to_memory += to_state * show * (1 - shown * shown)
        to_gates[:, :64] = to_memory * memory * keep * (1 - keep)
        to_gates[:, 64:128] = to_memory * new * write * (1 - write)
        to_gates[:, 128:192] = to_memory * write * (1 - new * new)
        to_gates[:, 192:] = to_state * shown * show * (1 - show)
        gradients[0] += x.T @ to_gates
        gradients[1] += state.T @ to_gates
        gradients[2] += to_gates.sum(0)
        to_state = to_gates @ from_state.T
        to_memory *= keep
    return loss, gradients


def step(inputs, start, weights):
    loss_and_gradients(inputs, start, weights)
