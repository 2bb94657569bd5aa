"""Printing by shape: scalars, empties, blocks, line wrapping, summaries of large tensors."""

import torch

for shape in ((), (1,), (0,), (1, 1), (2, 0), (0, 3), (2, 1, 2), (1, 1, 1, 1), (2, 2, 2), (2, 1, 1, 3), (0, 2, 2)):
    print(shape, torch.zeros(shape))
print(torch.arange(24).reshape(2, 3, 4))
print(torch.arange(16.0).reshape(2, 2, 2, 2))
print(torch.arange(8.0).reshape(2, 2, 2) / 4)
print(torch.arange(30))
print(torch.arange(30) * 1000)
print(torch.arange(20.0))
print(torch.arange(20.0) / 3)
print(torch.arange(40.0).reshape(2, 20) * 0.5)
print(torch.arange(60).reshape(2, 30))
print(torch.zeros(3, 25, dtype=torch.bool))
print(torch.arange(1000).sum(), torch.arange(1000))
print(torch.arange(1001))
print(torch.arange(1001.0))
print(torch.arange(10000).reshape(100, 100))
print(torch.arange(10000.0).reshape(100, 100) / 7)
print(torch.arange(2000).reshape(2, 1000))
print(torch.arange(2000).reshape(1000, 2))
print(torch.arange(1200.0).reshape(10, 10, 12))
print(torch.zeros(20, 20, 20)[:, :2].shape, torch.ones(12, 10, 10, dtype=torch.bool))
big = torch.zeros(1001)
big[500] = 1e10
print(big)
big[0] = 0.5
print(big)
big[-1] = float("nan")
print(big)
print(torch.linspace(0, 1, 1500, dtype=torch.float64))
print(torch.arange(1200) * 1j)
