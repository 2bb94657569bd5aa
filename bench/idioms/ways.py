"""One small network in the ways in which programs are run: under hooks, modes and transforms, forward and in batches."""

from __future__ import annotations

import torch
from leaves import leaf
from torch.autograd import forward_ad
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.func import functional_call, grad, jvp, vmap
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint


def network(x, first, second):
    return torch.tanh(x @ first) @ second


def loss(x, first, second):
    return (network(x, first, second) ** 2).mean()


def parts():
    return torch.randn(8, 16), leaf(16, 32), leaf(32, 4)


def run_within(context):
    """A step of the network, forward and backward, in what ``context()`` opens."""
    x, first, second = parts()

    def step():
        with context():
            loss(x, first, second).backward()
        first.grad = second.grad = None

    return step


def plain_network():
    x, first, second = parts()

    def step():
        loss(x, first, second).backward()
        first.grad = second.grad = None

    return step


def network_under_saved_tensor_hooks():
    return run_within(lambda: saved_tensors_hooks(lambda t: t, lambda t: t))


def network_saved_on_cpu():
    return run_within(save_on_cpu)


def network_under_a_function_mode():
    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    return run_within(Mode)


def network_under_autocast():
    return run_within(lambda: torch.autocast("cpu", dtype=torch.bfloat16))


def network_under_anomaly_detection():
    return run_within(torch.autograd.detect_anomaly)


def network_checkpointed():
    x, first, second = parts()

    def step():
        checkpoint(loss, x, first, second, use_reentrant=False).backward()
        first.grad = second.grad = None

    return step


def network_without_gradients():
    x, first, second = parts()

    def step():
        with torch.no_grad():
            loss(x, first, second)

    return step


def network_in_inference_mode():
    x, first, second = parts()

    def step():
        with torch.inference_mode():
            loss(x, first, second)

    return step


def network_with_tensor_hooks():
    x, first, second = parts()

    def step():
        hidden = torch.tanh(x @ first)
        hidden.register_hook(lambda g: g * 2)
        hidden.retain_grad()
        ((hidden @ second) ** 2).mean().backward()
        first.grad = second.grad = None

    return step


def network_of_a_subclass():
    class Named(torch.Tensor):
        pass

    x, first, second = parts()
    x = x.as_subclass(Named)

    def step():
        loss(x, first, second).backward()
        first.grad = second.grad = None

    return step


def network_forward_mode():
    x, first, second = parts()
    direction = torch.randn(16, 32)

    def step():
        with forward_ad.dual_level():
            forward_ad.unpack_dual(loss(x, forward_ad.make_dual(first.detach(), direction), second.detach()))

    return step


def network_by_jvp():
    x, first, second = (each.detach() for each in parts())
    direction = torch.randn(16, 32)
    return lambda: jvp(lambda weight: loss(x, weight, second), (first,), (direction,))


def network_by_grad():
    x, first, second = (each.detach() for each in parts())
    slope = grad(loss, argnums=(1, 2))
    return lambda: slope(x, first, second)


def gradients_of_each_sample():
    x, first, second = (each.detach() for each in parts())
    slopes = vmap(grad(loss, argnums=(1, 2)), in_dims=(0, None, None))
    return lambda: slopes(x, first, second)


def network_by_functional_call():
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))
    weights = {name: each.detach() for name, each in model.named_parameters()}
    x = torch.randn(8, 16)
    slopes = grad(lambda given: (functional_call(model, given, (x,)) ** 2).mean())
    return lambda: slopes(weights)


PROGRAMS = """
plain_network network_under_saved_tensor_hooks network_saved_on_cpu network_under_a_function_mode network_under_autocast
network_under_anomaly_detection network_checkpointed network_without_gradients network_in_inference_mode network_with_tensor_hooks
network_of_a_subclass network_forward_mode network_by_jvp network_by_grad gradients_of_each_sample network_by_functional_call
""".split()
