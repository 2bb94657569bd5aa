"""``programs/mlp.py`` in NumPy alone, its gradients worked out by hand: the floor under any tape over NumPy."""

import numpy as np

RATE = np.float32(0.01)


def setup():
    generator = np.random.default_rng(0)
    images = generator.random((64, 784), np.float32)
    labels = generator.integers(0, 10, 64)
    shapes = [(784, 128), (128,), (128, 10), (10,)]
    weights = [generator.standard_normal(shape, np.float32) * np.float32(0.05) for shape in shapes]
    return images, labels, weights


def loss_and_gradients(images, labels, weights):
    w1, b1, w2, b2 = weights
    hidden = images @ w1
    hidden += b1
    np.maximum(hidden, 0, out=hidden)
    logits = hidden @ w2
    logits += b2
    logits -= logits.max(1, keepdims=True)
    slope = np.exp(logits)
    total = slope.sum(1, keepdims=True)
    rows = np.arange(len(labels))
    loss = (np.log(total[:, 0]) - logits[rows, labels]).mean()
    slope /= total
    slope[rows, labels] -= 1
    slope /= np.float32(len(labels))
    to_hidden = slope @ w2.T
    to_hidden *= hidden > 0
    return loss, [images.T @ to_hidden, to_hidden.sum(0), hidden.T @ slope, slope.sum(0)]


def step(images, labels, weights):
    _, gradients = loss_and_gradients(images, labels, weights)
    for weight, gradient in zip(weights, gradients, strict=True):
        gradient *= RATE
        weight -= gradient
