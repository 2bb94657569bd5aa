"""Integers, permutations, multinomial draws and the other in-place streams."""

import torch

torch.manual_seed(0)
print(torch.randint(10, (5,)), torch.randint(3, 9, (2, 3)), torch.randint(0, 2, (8,)))
print(torch.randint(5, (3,), dtype=torch.int32))
print(torch.randint(5, (3,), dtype=torch.float32), torch.randint(-5, 5, (6,)))
print(torch.randint(0, 2**40, (3,)), torch.randint(0, 256, (4,), dtype=torch.uint8), torch.randint(high=4, size=(2,)))
print(torch.randperm(10))
print(torch.randperm(1), torch.randperm(0), torch.randperm(5, dtype=torch.int32), torch.randperm(30))
torch.manual_seed(4)
print(torch.zeros(4).random_(0, 10), torch.zeros(4, dtype=torch.int64).random_(5), torch.empty(3).random_(0, 2))
print(torch.randint_like(torch.zeros(3), 10), torch.randint_like(torch.zeros(2, dtype=torch.int64), 3, 6))
torch.manual_seed(11)
print(torch.multinomial(torch.tensor([0.0, 10.0, 3.0, 0.0]), 2))
print(torch.multinomial(torch.tensor([0.0, 10.0, 3.0, 0.0]), 6, replacement=True))
print(torch.multinomial(torch.tensor([[0.1, 0.9], [0.9, 0.1]]), 1))
g = torch.Generator().manual_seed(1)
print(torch.randperm(6, generator=g), torch.randint(100, (3,), generator=g))
torch.manual_seed(2)
data = torch.arange(12).reshape(6, 2)
order = torch.randperm(len(data))
print(order, data[order])
for start in range(0, 6, 4):
    print(data[order[start : start + 4]])
print(torch.bernoulli(torch.tensor([0.5] * 6)).int(), torch.rand(6).argsort(), torch.randint(2, (4,)).bool())
for attempt in (
    lambda: torch.randint(5, 5, (2,)),
    lambda: torch.randint(3, 1, (2,)),
    lambda: torch.randperm(-1),
    lambda: torch.multinomial(torch.tensor([1.0, 0.0]), 2),
    lambda: torch.bernoulli(torch.tensor([1.5])),
    lambda: torch.multinomial(torch.tensor([1.0, 2.0]), 3),
):
    try:
        print(attempt())
    except RuntimeError as error:
        print(str(error))
