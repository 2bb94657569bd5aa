import torch

TITLE = "(u * w).tanh() + u summed,"
BOUND = {"10,000": 0.50, "100,000": 0.75, "1,000,000": 0.75, "4,000,000": 0.80}
CASES = {"10,000": (10_000,), "100,000": (100_000,), "1,000,000": (1_000_000,), "4,000,000": (4_000_000,)}


def setup(size):
    return torch.rand(size, requires_grad=True), torch.rand(size, requires_grad=True)


def step(u, w):
    u.grad = w.grad = None
    ((u * w).tanh() + u).sum().backward()
