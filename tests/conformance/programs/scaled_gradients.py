"""GradScaler out of order and without gradients, and the states of optimizers where the default is double precision."""

import torch
from torch import nn, optim


def show(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e))


weight = nn.Parameter(torch.ones(2))
optimizer = optim.SGD([weight], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
show("unscale_", lambda: scaler.unscale_(optimizer))
show("step", lambda: scaler.step(optimizer))
show("update", scaler.update)
show("update to", lambda: scaler.update(3.0))
scaler.load_state_dict({**scaler.state_dict(), "scale": 16.0})
show("step after loading", lambda: scaler.step(optimizer))
print(scaler.get_scale(), scaler.scale(torch.ones(2)), scaler.scale([torch.ones(1)]))
show("update without inf checks", scaler.update)
show("step without gradients", lambda: scaler.step(optimizer))
show("update then", scaler.update)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
for bad in (False, True):
    for explicit in (False, True):
        scaler.scale((weight * (float("inf") if bad else 1.0)).sum()).backward()
        if explicit:
            show("unscale_", lambda: scaler.unscale_(optimizer))
            show("again", lambda: scaler.unscale_(optimizer))
        show("step", lambda: scaler.step(optimizer))
        show("again", lambda: scaler.step(optimizer))
        show("unscale_ late", lambda: scaler.unscale_(optimizer))
        show("update", scaler.update)
        print(scaler.get_scale(), weight, scaler.state_dict())
        optimizer.zero_grad()

torch.set_default_dtype(torch.float64)
for name in "Adam AdamW Adagrad Adadelta Adamax NAdam RAdam RMSprop Rprop ASGD Adafactor".split():
    for dtype in (torch.float32, torch.float64):
        weight = nn.Parameter(torch.tensor([1.0, -2.0, 3.0], dtype=dtype))
        optimizer = getattr(optim, name)([weight])
        for _ in range(2):
            weight.grad = torch.tensor([0.5, 0.0, -2.0], dtype=dtype)
            optimizer.step()
        state = optimizer.state[weight]
        print(name, {key: (each.dtype, each) if torch.is_tensor(each) else each for key, each in state.items()}, weight)

torch.set_default_dtype(torch.float32)

# A loss in half precision is scaled in single; gradients in float16 are refused; what libraries read and call.
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
print(scaler._scale, torch.amp.GradScaler("cpu").scale(torch.ones((), dtype=torch.float16)))
print(
    scaler.scale([torch.ones(1), (torch.ones(2, dtype=torch.float16),)]),
    list(scaler.scale(iter([torch.ones(1)]))),
    scaler._scale,
)
for dtype in (torch.float16, torch.bfloat16):
    leaf = torch.ones(2, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.SGD([leaf], lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(leaf.sum()).backward()
    try:
        scaler.step(optimizer)
    except ValueError as error:
        print(error)
    print(leaf, leaf.grad)
table = torch.nn.Embedding.from_pretrained(torch.zeros(3, 2), freeze=False, sparse=True)
optimizer = torch.optim.SGD(table.parameters(), lr=1.0)
scaler.scale(table(torch.tensor([1, 1])).sum()).backward()
print(scaler._unscale_grads_(optimizer, torch.tensor(0.25), torch.zeros(1), False), table.weight.grad.coalesce())

optimizer = torch.optim.SGD([torch.ones(1)], lr=0.1, momentum=0.9)
schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2, mode="triangular2")
print(schedule._scale_fn_ref(3))
schedule = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2, scale_fn=float)
print(hasattr(schedule, "_scale_fn_ref"))

# The scale is a number of single precision: it does not grow past the largest, and is rounded.
for start, growth in ((torch.finfo(torch.float32).max, 2.0), (1.0, 1.1), (0.1, 1.7)):
    scaler = torch.amp.GradScaler("cpu", init_scale=start, growth_factor=growth, backoff_factor=0.3, growth_interval=1)
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    print(scaler.get_scale())
    for gradient in (0.0, 1.0, float("inf"), 2.0):
        scaler.scale(weight)
        weight.grad = torch.tensor([gradient])
        scaler.step(optimizer)
        scaler.update()
        print(scaler.get_scale(), scaler.state_dict()["scale"], weight)
scaler.update(0.3)
print(scaler.get_scale(), scaler._scale)
