import torch
import torch.nn.functional as F

TITLE = "MLP 784-128-10, batch 64, SGD by hand"
BOUND = 0.75


def setup():
    images, labels = torch.rand(64, 784), torch.randint(0, 10, (64,))
    shapes = [(784, 128), (128,), (128, 10), (10,)]
    weights = [(torch.randn(shape) * 0.05).requires_grad_() for shape in shapes]
    return images, labels, weights


def step(images, labels, weights):
    w1, b1, w2, b2 = weights
    hidden = torch.relu(images @ w1 + b1)
    F.cross_entropy(hidden @ w2 + b2, labels).backward()
    with torch.no_grad():
        for weight in weights:
            weight -= 0.01 * weight.grad
            weight.grad = None
