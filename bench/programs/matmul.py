import torch

TITLE = "matmul 512 x 512"
BOUND = 0.90


def setup():
    return torch.rand(512, 512, requires_grad=True), torch.rand(512, 512, requires_grad=True), torch.rand(512, 512)


def step(a, b, gradient):
    a.grad = b.grad = None
    (a @ b).backward(gradient)
