"""Hooks of modules and of all modules, and what conversions do to parameters."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.modules import module as modules


@pytest.fixture(autouse=True)
def no_global_hooks_are_left():
    yield
    assert not modules._has_any_global_hook()
    for hooks in (modules._global_module_registration_hooks, modules._global_parameter_registration_hooks):
        assert not hooks


@pytest.fixture
def swapping():
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


def test_a_removed_hook_leaves_nothing_behind() -> None:
    layer = nn.Linear(2, 2)
    handles = [
        layer.register_forward_hook(lambda *seen: None, with_kwargs=True, always_call=True),
        layer.register_forward_pre_hook(lambda *seen: None, with_kwargs=True),
        layer.register_full_backward_hook(lambda *seen: None),
        layer.register_full_backward_pre_hook(lambda *seen: None),
        layer.register_state_dict_pre_hook(lambda *seen: None),
        layer.register_load_state_dict_post_hook(lambda *seen: None),
    ]
    for handle in handles:
        handle.remove()
    assert not [name for name, value in vars(layer).items() if "hook" in name and "full" not in name and value]


def test_an_always_called_hook_runs_once_whatever_happens() -> None:
    seen = []

    class Fails(nn.Module):
        def forward(self, fails: bool) -> int:
            if fails:
                raise KeyError("forward")
            return 1

    module = Fails()
    module.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    assert module(False) == 1 and seen == [1]
    with pytest.raises(KeyError):
        module(True)
    assert seen == [1, None]
    module.register_forward_hook(lambda module, args, out: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        module(False)
    assert seen == [1, None, 1]

    def worse(module, args, out):
        raise ValueError("in the hook")

    module.register_forward_hook(worse, always_call=True)
    with pytest.raises(KeyError), pytest.warns(UserWarning, match="was silenced as another error was raised in forward"):
        module(True)


def test_gradients_that_a_module_hands_on_can_be_replaced() -> None:
    layer = nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 0 + 7,))
    layer.register_full_backward_pre_hook(lambda module, outputs: (outputs[0] * 3,))
    x = torch.ones(4, 2, requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.tolist() == [[7.0, 7.0]] * 4
    assert layer.bias.grad.item() == 12.0


def test_an_input_that_needs_no_gradient_is_given_zeros() -> None:
    class Product(nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return a * b

    seen = []
    module = Product()
    module.register_full_backward_hook(lambda module, inputs, outputs: seen.append([each.tolist() for each in inputs]))
    module(torch.full((2,), 3.0, requires_grad=True), torch.full((2,), 5.0)).sum().backward()
    assert seen == [[[5.0, 5.0], [0.0, 0.0]]]


def test_hooks_behind_a_node_see_gradients_of_the_inputs_shapes() -> None:
    a, b = torch.ones(3, 2, requires_grad=True), torch.full((2,), 2.0, dtype=torch.float64, requires_grad=True)
    product = a * b
    seen = []
    product.grad_fn.register_hook(lambda inputs, outputs: seen.extend(inputs))
    product.sum().backward()
    assert [(tuple(each.shape), each.dtype) for each in seen] == [((3, 2), torch.float32), ((2,), torch.float64)]
    assert seen[1].tolist() == [3.0, 3.0]


def test_the_two_kinds_of_backward_hooks_do_not_mix() -> None:
    layer = nn.Linear(1, 1)
    layer.register_backward_hook(lambda *seen: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks on a single Module"):
        layer.register_full_backward_hook(lambda *seen: None)
    with pytest.warns(FutureWarning, match="Using a non-full backward hook when the forward contains multiple autograd Nodes"):
        layer(torch.ones(1, 1))


def test_hooks_of_all_modules() -> None:
    names = []
    handles = [
        modules.register_module_forward_pre_hook(lambda module, args: names.append(("pre", type(module).__name__))),
        modules.register_module_forward_hook(lambda module, args, out: names.append(("post", type(module).__name__))),
        modules.register_module_full_backward_hook(lambda module, gi, go: names.append(("back", type(module).__name__))),
        modules.register_module_parameter_registration_hook(lambda module, name, param: names.append(("param", name))),
    ]
    net = nn.Sequential(nn.Linear(1, 1, bias=False))
    net(torch.ones(1, 1, requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    expected = [("param", "weight"), *((when, kind) for when, kind in (
        ("pre", "Sequential"), ("pre", "Linear"), ("post", "Linear"), ("post", "Sequential"),
        ("back", "Linear"), ("back", "Sequential")))]  # fmt: skip
    assert names == expected
    net(torch.ones(1, 1))
    nn.Linear(1, 1)
    assert names == expected


def test_a_registration_hook_may_put_something_else_in_place() -> None:
    handle = modules.register_module_module_registration_hook(lambda module, name, child: nn.Identity())
    try:
        assert type(nn.Sequential(nn.ReLU())[0]) is nn.Identity
    finally:
        handle.remove()


def test_conversions_keep_parameters_and_gradients() -> None:
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    weight, grad = layer.weight, layer.weight.grad
    layer.double()
    assert layer.weight is weight and weight.grad is grad and grad.dtype is torch.float64
    with pytest.raises(
        TypeError, match=r"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int8"
    ):
        layer.to(torch.int8)
    with pytest.raises(RuntimeError, match="does not accept copy argument"):
        layer.to(torch.float32, copy=True)
    assert layer.weight.dtype is torch.float64
    assert nn.Conv2d(2, 3, 2).to(memory_format=torch.channels_last).weight.stride() == (8, 1, 4, 2)


def test_conversions_may_swap_parameters(swapping: None) -> None:
    layer = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
    layer(torch.ones(1, 2)).sum().backward()
    weight, data, grad = layer.weight, layer.weight.data, layer.weight.grad
    layer.double()
    assert layer.weight is weight and weight.dtype is torch.float64 and data.dtype is torch.float32
    assert weight.grad is grad and grad.dtype is torch.float64
    optimizer.step()
    assert torch.equal(layer.weight, data.double() - 1)
    given = torch.zeros(1, 2)
    layer.load_state_dict({"weight": given, "bias": torch.zeros(1)}, assign=True)
    assert layer.weight is weight and weight.data_ptr() == given.data_ptr() and weight.dtype is torch.float32


def test_parameters_without_a_shape_refuse_to_be_used() -> None:
    layer = nn.LazyLinear(2)
    for use in (lambda w: w.numel(), lambda w: w + 1, lambda w: w.sum(), len, lambda w: w.detach()):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
            use(layer.weight)
    norm = nn.LazyBatchNorm1d().double().float()
    norm(torch.ones(2, 3))
    assert norm.running_mean.shape == (3,) and type(norm) is nn.BatchNorm1d


def test_an_always_called_hook_sees_how_far_the_call_came() -> None:
    layer, seen = nn.Linear(2, 2), []

    def broken(*given: object) -> None:
        raise ValueError("broken hook")

    layer.register_forward_hook(lambda module, args, output: output + 1)
    layer.register_forward_hook(broken)
    layer.register_forward_hook(lambda module, args, output: seen.append((args, output)), always_call=True)
    x = torch.ones(1, 2)
    with pytest.raises(ValueError, match="broken hook"):
        layer(x)
    ((args, output),) = seen
    assert args == (x,)
    assert torch.equal(output, layer.forward(x) + 1)


@pytest.mark.parametrize("register", ["register_full_backward_hook", "register_full_backward_pre_hook"])
def test_hooks_that_wait_for_no_input_say_so(register: str) -> None:
    layer, seen = nn.Linear(2, 2), []
    getattr(layer, register)(lambda *given: seen.append(given))
    with pytest.warns(UserWarning, match="^Full backward hook is firing when gradients are computed with respect to module"):
        layer(torch.ones(1, 2)).sum().backward()
    assert len(seen) == 1


def test_loading_with_swaps_asks_the_class_of_the_tensors(swapping: None) -> None:
    class Tagged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is torch.Tensor.module_load:
                return args[1] if args[1].sum() < 0 else args[1].detach() * 2
            return super().__torch_function__(func, types, args, kwargs)

    layer = nn.Linear(2, 1, bias=False)
    weight = layer.weight
    layer.load_state_dict({"weight": torch.ones(1, 2).as_subclass(Tagged)})
    assert layer.weight is weight
    assert weight.tolist() == [[2.0, 2.0]]
    with pytest.raises(RuntimeError, match=r'While swapping the parameter named "weight".*module_load returned one of self'):
        layer.load_state_dict({"weight": (-torch.ones(1, 2)).as_subclass(Tagged)})
    assert weight.tolist() == [[2.0, 2.0]]
