"""From tensors to Python: item, tolist, len, iter, bool, int, float, index, in, format."""

import math

import torch

x = torch.tensor([[1.0, 2.5], [3.0, 4.0]])
i = torch.tensor([3, 1, 2])
print(x[0, 1].item(), i[0].item(), torch.tensor([[7]]).item(), torch.tensor(True).item(), torch.tensor(1 + 2j).item())
print(x.tolist(), i.tolist(), torch.tensor(5).tolist(), torch.tensor([]).tolist())
print(torch.tensor([True]).tolist(), torch.zeros(2, 0).tolist())
print(len(x), len(i), [row.tolist() for row in x], list(i), [v.item() for v in i], sum(i), max(i), min(i), sorted(i))
a, b = x
print(a, b, *i)
print(bool(torch.tensor(0.0)), bool(torch.tensor([3])))
print(bool(torch.tensor(float("nan"))), not torch.tensor(0))
print(bool(torch.tensor([[False]])))
print(int(torch.tensor(3.7)), float(torch.tensor(2)), complex(torch.tensor(1.5)))
print(int(torch.tensor([4])), float(torch.tensor([[0.5]])))
print(["a", "b", "c"][torch.tensor(1)], range(5)[torch.tensor(2)])
print("ab" * torch.tensor(2), hex(torch.tensor(255)), [0] * torch.tensor(3))
print(3 in i, 9 in i, torch.tensor(2) in i, 2.5 in x, x[0, 0] in x)
print(
    f"{x[0, 1]:.3f} {i[0]:>5} {i[1]:03d} {torch.tensor(0.000123):.2e} {torch.tensor(1234567):,} {torch.tensor(True)}|{i[0]!s}|{i!r}"
)
print("{:.1f} {}".format(torch.tensor(2.25), torch.tensor(2.25)))
print("%.2f %d" % (torch.tensor(1.005), torch.tensor(3)), f"{x}")
print(math.sqrt(torch.tensor(16.0)), math.floor(torch.tensor(2.7)), abs(torch.tensor(-3)))
print(math.ceil(torch.tensor(2.1)), math.exp(torch.tensor(0.0)))
print(torch.tensor(3).numpy(), str(torch.tensor(1.5)), repr(i), divmod(7, 2))
print(pow(torch.tensor(2), 3), torch.tensor(2).__index__())
print(x.double().tolist(), torch.tensor(0.1).item())
print(torch.tensor(0.1, dtype=torch.float64).item())
print(torch.tensor(2**53 + 1).item())
print(torch.tensor(0.5).half().item())
print(torch.tensor(255, dtype=torch.uint8).item() + 1)
print(type(torch.tensor(1).item()).__name__)
print(type(torch.tensor(1.0).item()).__name__)
print(type(torch.tensor(True).item()).__name__)
print(type(torch.tensor(1j).item()).__name__)
print(list(zip(i, x.view(-1), strict=False)), dict(enumerate(i.tolist())), list(reversed(i)), [*map(float, i)])
print(any(i > 2), all(i > 0), i.any().item())
print([k for k, v in enumerate(i) if v > 1])
print(torch.tensor([1, 2]).view(-1)[0] == 1)
for f in (
    lambda: x.item(),
    lambda: bool(x),
    lambda: int(i),
    lambda: float(x),
    lambda: [1, 2][torch.tensor(1.0)],
    lambda: bool(torch.tensor([])),
    lambda: torch.zeros(0).item(),
    lambda: f"{x:.2f}",
    lambda: int(torch.tensor(1j)),
    lambda: range(torch.tensor([1, 2])),
    lambda: len(torch.tensor(3)),
    lambda: int(torch.tensor(float("nan"))),
    lambda: int(torch.tensor(float("inf"))),
    lambda: "text" in i,
):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, str(error))
g = torch.tensor([2.0], requires_grad=True)
print(g.item(), (g * 2).tolist(), float(g), f"{g.sum():.1f}", int(g), g.sum())
for row in torch.eye(2, requires_grad=True):
    print(row.tolist(), row.grad_fn.name())

# A number stands for the tensor of one.
print(torch.ones(2).to(1.5), torch.ones(2).to(True), torch.ones(1).to(1j))
print(torch.ones(2).copy_(1.5), torch.ones(2).int().copy_(2.7), torch.ones(2).copy_(True))
