"""The promotion table: tensor with tensor, 0-dim with tensor, number with tensor, by operation."""

import torch

dtypes = [
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.float32,
    torch.float64,
    torch.complex64,
    torch.complex128,
    torch.bool,
]


def short(dtype):
    return str(dtype).split(".")[1]


def complex_half(a, b):
    """Half with complex gives a type that hardly anybody has."""
    return a == torch.float16 and b.is_complex


for a in dtypes:
    print(f"{short(a):10}", *(f"{short(torch.promote_types(a, b)):10}" for b in dtypes))
print()
for a in dtypes:
    row = []
    for b in dtypes:
        if complex_half(a, b):
            row.append("-")
            continue
        row.append(short((torch.ones(2, dtype=a) + torch.ones((), dtype=b)).dtype))
    print(f"{short(a):10}", *(f"{r:10}" for r in row))
print()
for a in dtypes:
    t = torch.ones(2, dtype=a)
    row = [short(r.dtype) for r in (t + True, t + 1, t + 1.0, t * 2, 2.5 * t, t == 1, t / 2, t.sum(), t**2)]
    print(f"{short(a):10}", *(f"{r:10}" for r in row))
print()
for a in dtypes:
    zero = torch.ones((), dtype=a)
    row = [short(r.dtype) for r in (zero + 1, zero + 1.0, zero * zero, zero / zero, zero.prod(), zero.cumsum(0))]
    print(f"{short(a):10}", *(f"{r:10}" for r in row))
print()
for a in dtypes:
    t = torch.ones(2, dtype=a)
    row = []
    for f in (
        torch.exp,
        torch.sqrt,
        torch.sin,
        torch.sigmoid,
        torch.abs,
        torch.neg,
        torch.sign,
        torch.square,
        torch.mean,
    ):
        try:
            row.append(short(f(t).dtype))
        except RuntimeError:
            row.append("error")
    print(f"{short(a):10}", *(f"{r:10}" for r in row))
for a in dtypes:
    if a != torch.float16:
        print(short(a), short((torch.ones(2, dtype=a) + 1j).dtype), short((1j * torch.ones((), dtype=a)).dtype))
i, f = torch.arange(3), torch.arange(3.0)
print((i + f).dtype, (i * 1.5).dtype, torch.cat([i, f]).dtype)
print(torch.stack([f, i]).dtype, torch.where(i > 0, i, f).dtype)
print((i / 2).dtype, (i // 2).dtype, (i % 2).dtype, (i**2).dtype, (i > 1).dtype, (i & 1).dtype, (-i).dtype)
print(torch.maximum(i, f).dtype, torch.atan2(i, i).dtype, torch.true_divide(i, i + 1).dtype, i.float().long().dtype)
for action in (
    lambda: i.add_(1.5),
    lambda: i.mul_(f),
    lambda: torch.mm(i[None].float(), i[:, None]),
    lambda: i.div_(2),
):
    try:
        action()
    except RuntimeError as error:
        print(str(error))
