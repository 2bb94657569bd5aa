import torch

TITLE = "tutorial example, 2x2"
BOUND = 0.50


def setup():
    return ()


def step():
    x = torch.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    out = z.mean()
    out.backward()
