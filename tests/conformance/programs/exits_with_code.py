"""A program that says how it ends."""

import atexit
import sys

import torch

loss = torch.tensor([3.0], requires_grad=True).square().sum()
print("loss", loss.item())
if "--never" in sys.argv:
    atexit.register(print, "not asked for")
if loss.item() > 5:
    print("too large")
    sys.exit(3)
print("never printed")
