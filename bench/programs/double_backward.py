import torch

TITLE = "squared norm of a gradient, small net"
BOUND = 0.80


def setup():
    weights = [(torch.randn(shape) * 0.3).requires_grad_() for shape in [(8, 16), (16,), (16, 1), (1,)]]
    return torch.randn(32, 8), torch.randn(32, 1), weights


def step(x, y, weights):
    w1, b1, w2, b2 = weights
    loss = (torch.tanh(x @ w1 + b1) @ w2 + b2 - y).square().mean()
    gradients = torch.autograd.grad(loss, weights, create_graph=True)
    sum(gradient.square().sum() for gradient in gradients).backward()
    for weight in weights:
        weight.grad = None
