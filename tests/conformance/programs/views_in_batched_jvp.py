"""Views and their bases written to in jvp under vmap, where an example does not lie in memory as its tangent does."""

import itertools

import torch
from torch.func import jvp, vmap


def base_written(x, y):
    view = x[0]
    x.mul_(y)
    return x, view


def base_copied_to(x, y):
    view = x[::2]
    x.copy_(y)
    return x, view * 2


def view_written(x, y):
    view = x[1:]
    view.mul_(y[1:])
    return x, view


torch.manual_seed(0)
for function in (base_written, base_copied_to, view_written):
    for places in itertools.product((0, 1), (0, 1, None), (0, 1), (0, 1)):
        given = [torch.arange(9.0).reshape(3, 3) + start for start in (0, 10, 20, 30)]
        given = [one[:, 1] if place is None else one for one, place in zip(given, places)]
        outs, tangents = vmap(lambda x, xt, y, yt: jvp(function, (x, y), (xt, yt)), in_dims=places)(*given)
        print(function.__name__, places, outs[1].tolist(), tangents[0].tolist(), tangents[1].tolist())
