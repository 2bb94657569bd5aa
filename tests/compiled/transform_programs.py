"""torch.func inside of compiled functions, compiled functions inside of torch.func, and both, for rushlight and for PyTorch.

A program is made with ``torch``, the one or the other, and ``compiled``, which is torch.compile or gives its argument back; it is
called with a matrix and a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any, Any], Any]
Make = Callable[[Any, Callable[[Any], Any]], Program]
INSIDE: dict[str, Make] = {}
OUTSIDE: dict[str, Make] = {}
BOTH: dict[str, Make] = {}


def energy(torch: Any) -> Callable[[Any], Any]:
    return lambda a: (torch.sin(a) * a).sum()


def field(torch: Any) -> Callable[[Any], Any]:
    return lambda a: torch.tanh(a) * a.sum() + a**2


def net_of(torch: Any, dropout: float = 0.0, norm: bool = False) -> Any:
    nn = torch.nn
    layers = [nn.Linear(3, 4), nn.Tanh(), nn.Dropout(dropout), nn.Linear(4, 2)]
    if norm:
        layers.insert(1, nn.BatchNorm1d(4))
    net = nn.Sequential(*layers)
    with torch.no_grad():
        for one in net.parameters():
            one.copy_(torch.linspace(-1, 1, one.numel()).reshape(one.shape))
    return net


def state_of(net: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return {name: one.detach() for name, one in net.named_parameters()}, dict(net.named_buffers())


def applied(torch: Any, net: Any) -> Callable[[Any, Any], Any]:
    """The module as a function of its parameters and one example."""
    return lambda params, x: torch.func.functional_call(net, params, (x[None],))[0]


def loss_of(torch: Any, net: Any) -> Callable[[Any, Any], Any]:
    call = applied(torch, net)
    return lambda params, x: (call(params, x) ** 2).sum()


def ensemble(torch: Any) -> tuple[Any, Any]:
    """One module, and the stacked parameters of three like it."""
    params, _ = torch.func.stack_module_state([net_of(torch) for _ in range(3)])
    scale = torch.tensor([1.0, 0.5, 2.0])
    return net_of(torch), {name: one.detach() * scale.reshape(3, *[1] * (one.dim() - 1)) for name, one in params.items()}


# What is handed over: (name of a transform, with torch, of a function of a vector) -> a function of a vector.
ONE = {
    "grad": lambda torch: torch.func.grad(energy(torch)),
    "grad_and_value": lambda torch: torch.func.grad_and_value(energy(torch)),
    "jacrev": lambda torch: torch.func.jacrev(field(torch)),
    "jacfwd": lambda torch: torch.func.jacfwd(field(torch)),
    "hessian": lambda torch: torch.func.hessian(energy(torch)),
    "vmap": lambda torch: torch.func.vmap(lambda number: number.sin() * number),
    "grad of grad": lambda torch: torch.func.grad(lambda a: (torch.func.grad(energy(torch))(a) ** 2).sum()),
    "jacfwd of jacrev": lambda torch: torch.func.jacfwd(torch.func.jacrev(field(torch))),
    "jacrev of jacfwd": lambda torch: torch.func.jacrev(torch.func.jacfwd(field(torch))),
    "jvp": lambda torch: lambda a: torch.func.jvp(field(torch), (a,), (a.cos(),)),
    "vjp": lambda torch: lambda a: torch.func.vjp(field(torch), a)[1](a.cos())[0],
    "linearize": lambda torch: lambda a: torch.func.linearize(field(torch), a)[1](a.cos()),
    "jvp of grad": lambda torch: lambda a: torch.func.jvp(torch.func.grad(energy(torch)), (a,), (a.cos(),)),
    "vjp of jvp": lambda torch: lambda a: torch.func.vjp(lambda b: torch.func.jvp(field(torch), (b,), (b,))[1], a)[1](a)[0],
    "jacrev of several": lambda torch: lambda a: torch.func.jacrev(lambda p, q: p * q.sum(), argnums=(0, 1))(a, a.sin()),
    "jacrev in chunks": lambda torch: torch.func.jacrev(field(torch), chunk_size=2),
    "with aux": lambda torch: torch.func.grad(lambda a: (energy(torch)(a), a * 2), has_aux=True),
}  # fmt: skip

for _name, _one in ONE.items():
    INSIDE[_name] = lambda torch, compiled, one=_one: compiled(lambda x, v: one(torch)(v))
    INSIDE[f"vmap of {_name}"] = lambda torch, compiled, one=_one: compiled(lambda x, v: torch.func.vmap(one(torch))(x))
    INSIDE[f"backward through {_name}"] = lambda torch, compiled, one=_one: compiled(
        lambda x, v: torch.autograd.grad(_total(one(torch)(leaf := (v * 1).requires_grad_())), leaf)[0]
    )


def _total(found: Any) -> Any:
    return sum((one**2).sum() for one in found) if isinstance(found, tuple) else (found**2).sum()


# Compiled functions under transforms.
OUTSIDE |= {
    "grad": lambda torch, compiled: _of_vector(torch.func.grad(compiled(energy(torch)))),
    "vmap": lambda torch, compiled: _of_matrix(torch.func.vmap(compiled(field(torch)))),
    "jacrev": lambda torch, compiled: _of_vector(torch.func.jacrev(compiled(field(torch)))),
    "jacfwd": lambda torch, compiled: _of_vector(torch.func.jacfwd(compiled(field(torch)))),
    "hessian": lambda torch, compiled: _of_vector(torch.func.hessian(compiled(energy(torch)))),
    "vmap of grad": lambda torch, compiled: _of_matrix(torch.func.vmap(torch.func.grad(compiled(energy(torch))))),
    "vmap of hessian": lambda torch, compiled: _of_matrix(torch.func.vmap(torch.func.hessian(compiled(energy(torch))))),
    "jvp": lambda torch, compiled: lambda x, v: torch.func.jvp(compiled(field(torch)), (v,), (v.cos(),)),
    "vjp": lambda torch, compiled: lambda x, v: torch.func.vjp(compiled(field(torch)), v)[1](v.cos()),
    "linearize": lambda torch, compiled: lambda x, v: torch.func.linearize(compiled(field(torch)), v)[1](v),
    "grad of a module": lambda torch, compiled: _of_module(torch, compiled, False),
    "vmap of a module": lambda torch, compiled: _of_module(torch, compiled, True),
}


def _of_vector(function: Any) -> Program:
    return lambda x, v: function(v)


def _of_matrix(function: Any) -> Program:
    return lambda x, v: function(x)


def _of_module(torch: Any, compiled: Any, batched: bool) -> Program:
    net = net_of(torch)
    params, _ = state_of(net)
    loss = compiled(loss_of(torch, net))
    if batched:
        return lambda x, v: torch.func.vmap(loss, (None, 0))(params, x)
    return lambda x, v: torch.func.grad(loss)(params, v)


# Both, modules with buffers, random numbers.


def gradients_of_each_example(torch: Any, compiled: Any) -> Program:
    net = net_of(torch)
    params, _ = state_of(net)
    return compiled(lambda x, v: torch.func.vmap(torch.func.grad(loss_of(torch, net)), (None, 0))(params, x))


def steps_of_each_model(torch: Any, compiled: Any) -> Program:
    net, params = ensemble(torch)
    one = torch.func.grad_and_value(loss_of(torch, net))

    def step(params: Any, v: Any) -> Any:
        grads, losses = torch.func.vmap(one, (0, None))(params, v)
        return {name: value - 0.1 * grads[name] for name, value in params.items()}, losses

    fast, held = compiled(step), [params]

    def program(x: Any, v: Any) -> Any:
        held[0], losses = fast(held[0], v)
        return losses, held[0]

    return program


def every_model_on_its_own(torch: Any, compiled: Any) -> Program:
    net, params = ensemble(torch)
    return compiled(lambda x, v: torch.func.vmap(applied(torch, net), (0, 0))(params, x[:3]))


def jacobian_by_parameters(torch: Any, compiled: Any) -> Program:
    net = net_of(torch)
    params, _ = state_of(net)
    return compiled(lambda x, v: torch.func.jacrev(applied(torch, net))(params, v))


def tangents_of_parameters(torch: Any, compiled: Any) -> Program:
    net = net_of(torch)
    params, _ = state_of(net)
    tangents = {name: one * 0.5 for name, one in params.items()}
    return compiled(lambda x, v: torch.func.jvp(lambda p: applied(torch, net)(p, v), (params,), (tangents,)))


def empirical_kernel(torch: Any, compiled: Any) -> Program:
    net = net_of(torch)
    params, _ = state_of(net)
    jacobian = torch.func.vmap(torch.func.jacrev(applied(torch, net)), (None, 0))

    def kernel(x: Any, v: Any) -> Any:
        return sum(torch.einsum("iaf,jbf->ijab", one.flatten(2), one.flatten(2)) for one in jacobian(params, x).values())

    return compiled(kernel)


def statistics_of_a_batch(torch: Any, compiled: Any) -> Program:
    net = net_of(torch, norm=True)
    params, buffers = state_of(net)

    def loss(params: Any, buffers: Any, x: Any) -> Any:
        return (torch.func.functional_call(net, (params, buffers), (x,)) ** 2).sum()

    fast = compiled(lambda x: torch.func.grad(loss)(params, buffers, x))
    return lambda x, v: (fast(x), [one.clone() for one in buffers.values()])


def statistics_that_stay(torch: Any, compiled: Any) -> Program:
    net = net_of(torch, norm=True).eval()
    params, buffers = state_of(net)
    call = compiled(
        lambda x, v: torch.func.vmap(lambda one: torch.func.functional_call(net, (params, buffers), (one[None],)))(x)
    )
    return lambda x, v: (call(x, v), [one.clone() for one in buffers.values()])


def dropout_in_grad(torch: Any, compiled: Any) -> Program:
    net = net_of(torch, dropout=0.5)
    params, _ = state_of(net)
    return compiled(lambda x, v: torch.func.grad(loss_of(torch, net))(params, v))


def dropout_for_each(torch: Any, compiled: Any) -> Program:
    net = net_of(torch, dropout=0.5)
    params, _ = state_of(net)
    each = torch.func.grad(loss_of(torch, net))
    return compiled(lambda x, v: torch.func.vmap(each, (None, 0), randomness="different")(params, x))


def dropout_for_all(torch: Any, compiled: Any) -> Program:
    net = net_of(torch, dropout=0.5)
    params, _ = state_of(net)
    return compiled(lambda x, v: torch.func.vmap(applied(torch, net), (None, 0), randomness="same")(params, x))


def noise_for_each(torch: Any, compiled: Any) -> Program:
    noisy = lambda one: one * torch.rand(3) + torch.randn_like(one)  # noqa: E731
    return compiled(lambda x, v: torch.func.vmap(noisy, randomness="different")(x))


def noise_for_all(torch: Any, compiled: Any) -> Program:
    noisy = lambda one: one * torch.rand(3)  # noqa: E731
    return compiled(lambda x, v: torch.func.vmap(noisy, randomness="same")(x))


def noise_that_is_refused(torch: Any, compiled: Any) -> Program:
    function = compiled(lambda x, v: torch.func.vmap(lambda one: one * torch.rand(3))(x))

    def program(x: Any, v: Any) -> Any:
        try:
            return function(x, v)
        except RuntimeError as error:
            return str(error).split(".")[0]

    return program


def compiled_noise_under_vmap(torch: Any, compiled: Any) -> Program:
    noisy = compiled(lambda one: one * torch.rand(3))
    return lambda x, v: torch.func.vmap(noisy, randomness="different")(x)


def compiled_on_both_sides(torch: Any, compiled: Any) -> Program:
    inner = compiled(field(torch))
    return compiled(lambda x, v: torch.func.vmap(torch.func.jacrev(inner))(x))


def compiled_gradient_inside_of_a_gradient(torch: Any, compiled: Any) -> Program:
    inner = compiled(torch.func.grad(energy(torch)))
    return compiled(lambda x, v: torch.func.grad(lambda a: (inner(a) ** 2).sum())(v))


def vmap_over_columns(torch: Any, compiled: Any) -> Program:
    return compiled(lambda x, v: torch.func.vmap(torch.func.grad(energy(torch)), in_dims=1, out_dims=1)(x))


def vmap_in_chunks(torch: Any, compiled: Any) -> Program:
    return compiled(lambda x, v: torch.func.vmap(field(torch), chunk_size=3)(x))


def vmap_of_vmap(torch: Any, compiled: Any) -> Program:
    return compiled(lambda x, v: torch.func.vmap(torch.func.vmap(torch.mul, (None, 0)), (0, None))(x, v))


def pytrees(torch: Any, compiled: Any) -> Program:
    function = torch.func.vmap(lambda found: {"sum": found["a"].sum() + found["b"][0], "all": [found["a"] * 2]})
    return compiled(lambda x, v: function({"a": x, "b": (x[:, 0],)}))


def in_place_under_vmap(torch: Any, compiled: Any) -> Program:
    def writes(row: Any) -> Any:
        y = row.clone()
        y[0] = row[1] * 2
        return y.mul_(row)

    return compiled(lambda x, v: torch.func.vmap(writes)(x))


def step_by_hand(torch: Any, compiled: Any) -> Program:
    w = torch.linspace(0.5, 1, 3)

    def step(x: Any, v: Any) -> Any:
        grads, loss = torch.func.grad_and_value(lambda w: ((x @ w - 1) ** 2).mean())(w)
        w.sub_(0.1 * grads)
        return loss

    fast = compiled(step)
    return lambda x, v: (fast(x, v), w.clone())


def newton(torch: Any, compiled: Any) -> Program:
    def step(x: Any, v: Any) -> Any:
        loss = lambda a: ((a - 1) ** 4).sum() + (a**2).sum()  # noqa: E731
        return v - torch.linalg.solve(torch.func.hessian(loss)(v), torch.func.grad(loss)(v))

    return compiled(step)


def laplacian(torch: Any, compiled: Any) -> Program:
    each = lambda a: torch.func.hessian(energy(torch))(a).diagonal().sum()  # noqa: E731
    return compiled(lambda x, v: torch.func.vmap(each)(x))


def hessian_times_vector(torch: Any, compiled: Any) -> Program:
    return compiled(lambda x, v: torch.func.jvp(torch.func.grad(energy(torch)), (v,), (x[0],))[1])


def loss_that_is_differentiated_outside(torch: Any, compiled: Any) -> Program:
    function = compiled(lambda x, w: (torch.func.vmap(lambda row: (row * w).tanh())(x) ** 2).sum())

    def program(x: Any, v: Any) -> Any:
        w = v.clone().requires_grad_()
        function(x, w).backward()
        return w.grad

    return program


def penalty_of_gradients(torch: Any, compiled: Any) -> Program:
    net = net_of(torch)

    def step(x: Any, v: Any) -> Any:
        net.zero_grad()
        slope = torch.func.vmap(torch.func.grad(lambda one: net(one[None]).sum()))(x)
        ((slope.norm(dim=1) - 1) ** 2).mean().backward()
        return [one.grad.clone() for one in net.parameters() if one.grad is not None]

    return compiled(step)


BOTH |= {
    one.__name__: one
    for one in (
        gradients_of_each_example, steps_of_each_model, every_model_on_its_own, jacobian_by_parameters, tangents_of_parameters,
        empirical_kernel, statistics_of_a_batch, statistics_that_stay, dropout_in_grad, dropout_for_each, dropout_for_all,
        noise_for_each, noise_for_all, noise_that_is_refused, compiled_noise_under_vmap, compiled_on_both_sides,
        compiled_gradient_inside_of_a_gradient, vmap_over_columns, vmap_in_chunks, vmap_of_vmap, pytrees, in_place_under_vmap,
        step_by_hand, newton, laplacian, hessian_times_vector, loss_that_is_differentiated_outside, penalty_of_gradients,
    )
}  # fmt: skip
PROGRAMS: dict[str, Make] = {
    f"{where}: {name}": make
    for where, programs in (("inside", INSIDE), ("outside", OUTSIDE), ("both", BOTH))
    for name, make in programs.items()
}


# They run as they are: what is written under vmap is copied where no op is, an error ends each call, a vmap of linearize is a loop.
NOT_CAPTURED = {"inside: vmap of linearize", "both: noise_that_is_refused", "both: in_place_under_vmap"}
NOT_IN_PYTORCH = {"inside: vmap of linearize"}  # which has no rule for it


def flat(found: Any) -> list[Any]:
    """The numbers in a result, or its texts."""
    if isinstance(found, dict):
        return [one for name in sorted(found) for one in flat(found[name])]
    if isinstance(found, (list, tuple)):
        return [one for part in found for one in flat(part)]
    return [found if isinstance(found, str) else (tuple(found.shape), found.detach().tolist())]


def called(torch: Any, make: Make, compiled: Callable[[Any], Any], calls: int = 5) -> list[Any]:
    """What a program gives at calls with other numbers each, from the same seed."""
    torch.manual_seed(0)
    program, found = make(torch, compiled), []
    for call in range(calls):
        x = torch.linspace(-1, 1 + call, 12).reshape(4, 3)
        found.append(flat(program(x, torch.linspace(0.2, 1.0 + call, 3))))
    return found
