import torch

TITLE = "chain of 100 products with a number, 2x2"
BOUND = 0.50


def setup():
    return torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)


def step(x, gradient):
    x.grad = None
    y = x
    for _ in range(100):
        y = y * 1.01
    y.backward(gradient)
