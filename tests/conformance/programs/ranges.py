"""arange, linspace, logspace and range's ends, steps and types."""

import torch

print(torch.arange(5), torch.arange(1, 4), torch.arange(1, 2.5, 0.5), torch.arange(0, 1, 0.25), torch.arange(5.0))
print(torch.arange(10, 0, -3), torch.arange(0), torch.arange(3, 3), torch.arange(-2, 3), torch.arange(0, 10, 4))
print(torch.arange(5, dtype=torch.float64))
print(torch.arange(0, 5, 2, dtype=torch.int32))
print(torch.arange(3, dtype=torch.float16))
print(torch.arange(0, 1, 0.1), torch.arange(0.0, 1.0, 0.3), torch.arange(start=2, end=8, step=2))
print(torch.arange(1, 2, 0.2, dtype=torch.float64), torch.arange(torch.tensor(3)), torch.arange(0.5, 3))
print(torch.linspace(0, 1, 5), torch.linspace(-1, 1, 3), torch.linspace(3, 10, steps=5), torch.linspace(0, 10, 1))
print(torch.linspace(0, 1, 0), torch.linspace(1, 0, 5), torch.linspace(0, 4, 5, dtype=torch.int64))
print(torch.linspace(0, 1, 11, dtype=torch.float64), torch.linspace(start=0, end=2, steps=5), torch.linspace(2, 2, 3))
print(torch.logspace(0, 3, 4), torch.logspace(0, 4, 5, base=2), torch.logspace(-2, 2, 5, dtype=torch.float64))
print(torch.linspace(-3.14159, 3.14159, 8), torch.linspace(0, 1, 7).tolist()[:2])
for attempt in (
    lambda: torch.arange(0, 5, 0),
    lambda: torch.arange(0, 5, -1),
    lambda: torch.arange(5, 0),
    lambda: torch.linspace(0, 1, -1),
):
    try:
        print(attempt())
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, str(error))
x = torch.arange(6)
print(x.reshape(2, 3), x[::2], x.sum(), x.dtype, x.float().mean(), list(x), [int(i) for i in x])
for i, row in enumerate(torch.arange(6).reshape(3, 2)):
    print(i, row, row.sum().item())
grid_y, grid_x = torch.meshgrid(torch.linspace(0, 1, 3), torch.linspace(0, 1, 2), indexing="ij")
print(torch.stack([grid_x, grid_y], -1).reshape(-1, 2))
