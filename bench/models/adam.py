import torch

TITLE = "Adam, 20 tensors of 64 x 64"
BOUND = 1.00


def setup():
    torch.manual_seed(0)
    parameters = [torch.randn(64, 64, requires_grad=True) for _ in range(20)]
    for parameter in parameters:
        parameter.grad = torch.randn(64, 64)
    return (torch.optim.Adam(parameters),)


def step(optimizer):
    optimizer.step()
