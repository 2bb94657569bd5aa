"""Floating tensors as PyTorch prints them: widths, exponents, specials, every precision."""

import torch

rows = [
    [1.0, 2.0, 3.0],
    [1.5, 2.25, 3.125],
    [0.1, 0.2, 0.3],
    [1.0, 10.0, 100.0],
    [1.0, 1000.0],
    [1.0, 1001.0, 0.5],
    [1e-3, 1.0],
    [1e-5, 1.0],
    [1e5, 1.0],
    [1e8, 1.0],
    [123456.789],
    [1e10],
    [12345678.0],
    [123456789.0, 0.0],
    [0.00001],
    [-1.0, 1.0],
    [-0.5, 100.0],
    [-0.0, 0.0],
    [float("inf"), 1.0],
    [float("nan"), 1.0],
    [float("inf"), -float("inf"), float("nan")],
    [float("inf")],
    [float("nan"), 1.5, 1e-6],
    [float("inf"), 1e10, 1.25],
    [0.0, 0.0],
    [1 / 3, 2 / 3],
    [1e-40, 1.0],
    [3.4e38, 1.0],
    [99999.0, 1.0],
    [0.9999999, 1.0],
    [9.99999, 0.5],
    [1e-4, 1e-4],
    [1.0, 1e-45],
    [16777216.0, 16777218.0],
]
for row in rows:
    print(torch.tensor(row))
for row in rows[:24]:
    print(torch.tensor(row, dtype=torch.float64))
for value in (0.0, 1.0, 1.5, -2.0, 1e-5, 1e5, 1e10, 123456.0, float("nan"), float("inf"), 1 / 3, 1e-10, 100000.5):
    print(torch.tensor(value), torch.tensor(value, dtype=torch.float64), torch.tensor([[value]]))
for value in (0.5, 65504.0, 1e-7, 0.1, 1000.0):
    print(torch.tensor([value, 1.0], dtype=torch.float16), torch.tensor(value, dtype=torch.half))
print(torch.tensor([0.1, 1e6, 3e38], dtype=torch.float64).float().double())
print(torch.tensor([[1.0, 2.5], [-3.75, 1e-3]]), torch.tensor([[1.0, 2.0], [3.0, 400.0]]))
print(str(torch.tensor([1.0])), repr(torch.tensor([1.0])), f"{torch.tensor([1.0])}", [torch.tensor(2.0)])
print({"a": torch.tensor([1.0, 2.0])}, (torch.tensor(3),))
