"""Calls with two things wrong at once: which of them PyTorch tells; and writes by place into memory that meets."""

import itertools
import warnings

import torch

warnings.simplefilter("ignore")


def attempt(label, f):
    try:
        result = f()
        print(label, result.tolist(), result.grad_fn is not None)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        print(label, type(error).__name__, str(error).partition("\n")[0])


def assign(x, key, value):
    x[key] = value
    return x.detach()


TARGETS = {
    "bytes": lambda: torch.zeros(2, 3, dtype=torch.uint8),
    "halves, expanded": lambda: torch.zeros(3, dtype=torch.float16).expand(2, 3),
    "a leaf": lambda: torch.zeros(2, 3, requires_grad=True),
}
true = torch.tensor([True])
KEYS = [
    -9,
    (0, 9),
    (0, 0, 0),
    [9],
    torch.tensor([9]),
    torch.tensor([0.5]),
    true,
    (true, 9),
    (9, 1.5),
    1.5,
    slice(None, None, -1),
]
KEYS += [([0, 1], [0, 1, 2]), (torch.tensor([0.5]), 9), (torch.ones(2, 2, 1) == 1, 1.5)]
VALUES = [-2.0, 300, 1j, torch.zeros(5), torch.zeros(2, 3, 4), 1.0]
for (name, make), (place, key), value in itertools.product(TARGETS.items(), enumerate(KEYS), VALUES):
    attempt(f"{name} {place}", lambda: assign(make(), key, value))  # noqa: B023
    attempt(f"{name} {place}", lambda: make()[key])  # noqa: B023


def overlapping():
    return torch.arange(20.0)[:9].as_strided((3, 3), (1, 2))


INTO = {
    "plain": lambda: torch.arange(9.0).view(3, 3),
    "expanded": lambda: torch.arange(3.0).expand(3, 3),
    "overlapping": overlapping,
    "of integers": lambda: torch.arange(9).view(3, 3),
}
ROWS = [torch.tensor(one) for one in ([0, 2, 1], [0, 2, 9], [0, 2], [0.5, 1, 2], [[0, 1]])]
PLACES = [torch.tensor(one) for one in ([[0, 1, 2], [2, 1, 0], [0, 0, 0]], [[0, 1, 9]], [[0.5]], [0, 1], [[0, 1, 2, 0]] * 4)]
PLACES.append(PLACES[0][:0])
MASKS = [torch.tensor(one) for one in ([True, False, True], [True, False], [1, 0, 1])]
GIVEN = {
    "itself": lambda x: x,
    "its memory": lambda x: x[:],
    "ones": lambda x: torch.ones(3, 3),
    "few": lambda x: torch.ones(2, 2),
    "doubles": lambda x: torch.ones(3, 3, dtype=torch.float64),
    "a leaf": lambda x: torch.ones(3, 3, requires_grad=True),
    "one": lambda x: torch.tensor(3.0),
    "a row": lambda x: torch.ones(3),
}
BY_ROWS = {
    "index_add_": lambda x, dim, index, given: x.index_add_(dim, index, given),
    "index_copy_": lambda x, dim, index, given: x.index_copy_(dim, index, given),
    "index_reduce_": lambda x, dim, index, given: x.index_reduce_(dim, index, given, "amax"),
    "index_fill_": lambda x, dim, index, given: x.index_fill_(dim, index, given),
    "put_": lambda x, dim, index, given: x.put_(index, given, accumulate=bool(dim)),
    "index_put_": lambda x, dim, index, given: x.index_put_((index,), given, accumulate=bool(dim)),
}
BY_PLACES = {
    "scatter_": lambda x, dim, index, given: x.scatter_(dim, index, given),
    "scatter_, added": lambda x, dim, index, given: x.scatter_(dim, index, given, reduce="add"),
    "scatter_, by a wrong name": lambda x, dim, index, given: x.scatter_(dim, index, given, reduce="no"),
    "scatter_add_": lambda x, dim, index, given: x.scatter_add_(dim, index, given),
    "scatter_reduce_": lambda x, dim, index, given: x.scatter_reduce_(dim, index, given, "sum"),
}
BY_MASK = {
    "masked_fill_": lambda x, dim, index, given: x.masked_fill_(index, given),
    "masked_fill": lambda x, dim, index, given: x.masked_fill(index, given),
    "masked_scatter_": lambda x, dim, index, given: x.masked_scatter_(index, given),
    "masked_scatter": lambda x, dim, index, given: x.masked_scatter(index, given),
    "index_put_": lambda x, dim, index, given: x.index_put_((index,), given),
}
for writes, indices, dims in ((BY_ROWS, ROWS, (0, 5)), (BY_PLACES, PLACES, (0, 5)), (BY_MASK, MASKS, (0,))):
    cases = itertools.product(writes.items(), INTO.items(), dims, enumerate(indices), GIVEN.items())
    for (name, write), (into, make), dim, (number, index), (what, given) in cases:
        if into in ("expanded", "overlapping") and what in ("itself", "its memory"):
            continue  # what is read while it is written depends on the loops
        target = make()
        attempt(f"{name} {into} {dim} {number} {what}", lambda: write(target, dim, index, given(target)))  # noqa: B023

# Integers take what needs a gradient, also where they are one of several views.
one, two = torch.tensor([-1, -2, 0], dtype=torch.int8).chunk(2, 0)
attempt("copied", lambda: two.copy_(torch.ones(1, requires_grad=True)))
attempt("copied, too many", lambda: two.copy_(torch.ones(2, requires_grad=True)))
attempt("assigned", lambda: assign(two, slice(0, 1), torch.ones(1, requires_grad=True)))

# The dtype that a factor is looked at in is that of all three.
for given in (torch.tensor(3), torch.tensor([3]), torch.tensor(3.0)):
    for value in (-2.0, 300, 2):
        attempt("addcmul", lambda: torch.tensor([8], dtype=torch.uint8).addcmul(given, given, value=value))  # noqa: B023
