"""Elements that meet in memory and are written in an order; and results written over a part of a tensor that is too small."""

import warnings

import torch

warnings.simplefilter("ignore")


def attempt(label, f):
    try:
        print(label, f())
    except (RuntimeError, TypeError) as error:
        print(label, type(error).__name__, str(error))


# What a write makes of elements that meet depends on the order of writes.
LAYOUTS = [((2, 3), (1, 1)), ((3, 2), (1, 2)), ((3, 3), (2, 1)), ((2, 3, 2), (1, 1, 1)), ((4, 3), (0, 1)), ((3, 2), (1, 0))]
for shape, strides in LAYOUTS:
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        given = torch.arange(10, 10 + torch.Size(shape).numel()).reshape(shape).to(dtype)
        writes = {
            "renorm_": lambda v: v.renorm_(2, -1, 3.0),
            "renorm_ by maxima": lambda v: v.renorm_(p=float("inf"), dim=0, maxnorm=2),
            "masked_scatter_": lambda v, given=given: v.masked_scatter_(given % 2 > 0, given),
            "masked_scatter_ of a row": lambda v, given=given: v.masked_scatter_(mask=given[0] % 2 > 0, source=given + 0.5),
            "map_": lambda v, given=given: v.map_(given, lambda x, y: 2 * x - y % 5),
            "map2_": lambda v, given=given: v.map2_(given, v, lambda x, y, z: 2 * x - y % 5 + z),
            "apply_": lambda v: v.apply_(lambda x: 2 * x + 1),
        }
        for name, write in writes.items():
            whole = torch.arange(1, 9).to(dtype)
            attempt(name, lambda write=write: write(whole.as_strided(shape, strides)))  # noqa: B023
            print(whole)

# Half precision rounds what slices are multiplied with.
for dtype in (torch.bfloat16, torch.float16):
    x = (torch.arange(60) * 37 % 31 / 10 - 1).reshape(5, 12).to(dtype)
    print(torch.renorm(x, 2, 0, 1.7), x.renorm(1, 1, 1.3))

# A part that is too small is made longer; what lies there sees what is written.
RESULTS = {
    "sin": lambda out: torch.sin(torch.ones(2, 2), out=out),
    "cat": lambda out: torch.cat([torch.ones(2, 2), torch.zeros(1, 2)], out=out),
    "mm": lambda out: torch.mm(torch.ones(2, 2), torch.ones(2, 3), out=out),
    "sum": lambda out: torch.sum(torch.ones(2, 4, 2), 0, out=out),
    "arange": lambda out: torch.arange(9.0, out=out),
    "full": lambda out: torch.full((1, 5), 3.0, out=out),
    "one": lambda out: torch.sin(torch.ones(1, 1), out=out),
}
for name, write in RESULTS.items():
    for part in (slice(1, 2), slice(0, 1), slice(3, 3), slice(1, 1)):
        whole = torch.arange(6.0).reshape(3, 2)
        seen, cut = whole.flatten(), whole[part]
        print(name, write(cut), whole, seen, whole._version, cut.storage_offset())
whole = torch.arange(6.0)
seen = whole[:]
print(torch.sin(torch.ones(0, 2), out=whole), torch.ones(0, out=whole[:]), seen)
whole = torch.arange(6.0)
print(whole[2:2].resize_(3), whole[4:4].resize_(2), whole[2:].resize_(2, 2), torch.empty(0).resize_(0, 3).shape)

# Joined into what is joined: where nothing is written only the very tensor is told.
for join in (torch.cat, torch.stack, torch.hstack, torch.vstack, torch.column_stack, torch.dstack):
    for shape in ((0,), (2, 0), (0, 3), (2, 0, 2), (2,), (2, 2)):
        x = torch.zeros(shape)
        attempt(join.__name__, lambda join=join, x=x: (join([x, x], out=x).shape, x.shape))
        x = torch.zeros(shape)
        attempt(join.__name__, lambda join=join, x=x: (join([x, x], out=x[:]).shape, x.shape))
    x = torch.tensor([], dtype=torch.int64).expand(2, -1)
    attempt(join.__name__, lambda join=join, x=x: (join([x, x], out=x).shape, x.shape))
    x = torch.zeros(0)
    attempt(join.__name__, lambda join=join, x=x: (join([x, torch.ones(2)], out=x).shape, x.shape))
