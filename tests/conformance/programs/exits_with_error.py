"""A program that ends with an error of PyTorch's: what it printed before stays, the exit code is 1."""

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
print(y)
print("about to fail")
y.backward()
print("never printed")
