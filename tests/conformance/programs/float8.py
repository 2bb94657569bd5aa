"""Numbers of eight bits: made, converted, moved, printed and saved, and refused where something would be computed with them."""

import copy
import io

import torch


def said(function):
    try:
        print(function())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)


values = torch.tensor([0.1, 1.7, -250.0, 449.0, 465.0, 1e6, float("inf"), float("nan"), -1e-9, 0.0])
for kind in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz):
    x = values.to(kind)
    print(x, x[1], x.float(), x[:4].int(), x.element_size(), x.type(), x.tolist()[:3])
    print(torch.ones(2, 3, dtype=kind), torch.full((2,), 1.7, dtype=kind), torch.tensor([2.5, -3.3], dtype=kind))
    print(
        torch.eye(2, dtype=kind), torch.zeros_like(x[:2]), torch.cat([x[:1], x[:2]]), x[torch.tensor([2, 0])], x[:2].repeat(2)
    )
    print(x[:4].view(torch.uint8), x[:4].view(2, 2).t().contiguous(), x[:2].expand(2, 2).clone(), torch.stack([x[:1], x[1:2]]))
    y = torch.zeros(2, dtype=kind)
    y.copy_(torch.tensor([3.3, 1e9]))
    print(y, y.zero_(), y == 0, copy.deepcopy(x)[:3], x[:2].to("meta"))
    file = io.BytesIO()
    torch.save({"w": x}, file)
    file.seek(0)
    print(torch.load(file)["w"])
    for refused in (
        lambda: x[:2] + x[:2],
        lambda: x + 1,
        lambda: x / x,
        lambda: x + values,
        lambda: x.exp(),
        lambda: -x,
        lambda: x.sum(),
        lambda: x.sort(),
        lambda: x.gather(0, torch.tensor([0])),
        lambda: x.numpy(),
        lambda: torch.arange(3, dtype=kind),
        lambda: torch.linspace(0, 1, 3, dtype=kind),
        lambda: torch.rand(2, dtype=kind),
        lambda: torch.randn(2, dtype=kind),
        lambda: torch.randint(0, 3, (2,), dtype=kind),
        lambda: torch.promote_types(kind, torch.float32),
    ):
        said(refused)

w = torch.randn(3, requires_grad=True)
(w.to(torch.float8_e5m2).float() * 2).sum().backward()
print(w.grad)
layer = torch.nn.Linear(2, 2)
small = {name: value.to(torch.float8_e4m3fn) for name, value in layer.state_dict().items()}
print(torch.nn.Linear(2, 2).load_state_dict(small), layer.to(torch.float8_e5m2).weight.dtype)
