import torch
import torch.nn.functional as F

TITLE = "two 3x3 convolutions, max-pool, 32 x 28 x 28"
BOUND = 2.50


def setup():
    shapes = [(8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,)]
    return torch.rand(32, 1, 28, 28), [(torch.randn(shape) * 0.1).requires_grad_() for shape in shapes]


def step(images, weights):
    w1, b1, w2, b2 = weights
    hidden = F.max_pool2d(torch.relu(F.conv2d(images, w1, b1, padding=1)), 2)
    hidden = F.max_pool2d(torch.relu(F.conv2d(hidden, w2, b2, padding=1)), 2)
    hidden.square().mean().backward()
    for weight in weights:
        weight.grad = None
