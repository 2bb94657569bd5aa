"""nn.utils: parametrized weights, pruning, clipping, and modules as functions."""

from __future__ import annotations

import copy
import io
import math
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.utils import parametrizations, parametrize, prune

F64 = torch.float64


class Symmetric(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x: torch.Tensor) -> torch.Tensor:
        return x.triu()


class Shifted(nn.Module):
    calls = 0

    def __init__(self, by: float = 1.0) -> None:
        super().__init__()
        self.by = by

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        Shifted.calls += 1
        return x + self.by

    def right_inverse(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.by


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 4

    def right_inverse(self, x: torch.Tensor) -> torch.Tensor:
        return x / 4


# Weight norm.


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (5,), (1, 1)])
def test_weight_norm_and_both_its_derivatives(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    v = torch.randn(shape, dtype=F64, requires_grad=True)
    for dim in {0, 1 % len(shape), len(shape) - 1, -1}:
        kept = [size if axis == dim else 1 for axis, size in enumerate(shape)] if dim != -1 else []
        g = torch.rand(kept, dtype=F64, requires_grad=True)
        weight = torch._weight_norm(v, g, dim)
        others = tuple(axis for axis in range(len(shape)) if axis != dim) if dim != -1 else None
        if others != ():
            lengths = np.linalg.norm(weight.detach().numpy().reshape(shape), axis=None) if dim == -1 else None
            if lengths is None:
                lengths = np.sqrt((weight.detach().numpy() ** 2).sum(others, keepdims=True))
            np.testing.assert_allclose(lengths, g.detach().numpy(), rtol=1e-12)
        assert torch.autograd.gradcheck(lambda v, g, dim=dim: torch._weight_norm(v, g, dim), (v, g))
        assert torch.autograd.gradgradcheck(lambda v, g, dim=dim: torch._weight_norm(v, g, dim), (v, g))


def test_weight_norm_of_no_length_and_of_half_precision() -> None:
    assert torch._weight_norm(torch.zeros(2, 2), torch.ones(2, 1), 0).isnan().all()
    half = torch._weight_norm(torch.full((1, 300), 100.0, dtype=torch.float16), torch.ones(1, 1, dtype=torch.float16), 0)
    assert half.dtype is torch.float16 and torch.allclose(half.float(), torch.full((1, 300), 300**-0.5), rtol=1e-3)
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        torch._weight_norm(torch.ones(2, 2, dtype=F64), torch.ones(2, 1), 0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch._weight_norm(torch.ones(2, 2), torch.ones(2, 1), 2)


@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated")
def test_the_older_weight_norm_is_put_together_before_forward() -> None:
    layer = nn.utils.weight_norm(nn.Linear(3, 2))
    before = layer.weight.detach().clone()
    with torch.no_grad():
        layer.weight_g.mul_(2)
        layer(torch.ones(1, 3))
    assert torch.allclose(layer.weight, 2 * before) and type(layer.weight) is torch.Tensor
    with pytest.raises(RuntimeError, match="Cannot register two weight_norm hooks on the same parameter weight"):
        nn.utils.weight_norm(layer)
    again = pickle.loads(pickle.dumps(layer))
    assert torch.allclose(again(torch.ones(1, 3)), layer(torch.ones(1, 3)))
    nn.utils.remove_weight_norm(layer)
    assert isinstance(layer.weight, nn.Parameter) and torch.allclose(layer.weight, 2 * before)
    assert list(layer.state_dict()) == ["bias", "weight"] and not layer._forward_pre_hooks
    with pytest.raises(ValueError, match="weight_norm of 'weight' not found in Linear"):
        nn.utils.remove_weight_norm(layer)


# Spectral norm.


@pytest.mark.parametrize("make", [lambda: nn.Linear(5, 3), lambda: nn.Conv2d(2, 3, 2), lambda: nn.ConvTranspose2d(2, 3, 2)])
def test_spectral_norm_finds_the_greatest_singular_value(make) -> None:
    torch.manual_seed(0)
    new, old = parametrizations.spectral_norm(make()), nn.utils.spectral_norm(make())
    x = torch.ones(1, 5) if isinstance(old, nn.Linear) else torch.ones(1, 2, 3, 3)
    for _ in range(60):
        new(x), old(x)
    dim = 1 if isinstance(old, nn.ConvTranspose2d) else 0
    for layer in (new, old):
        weight = layer.weight.detach()
        matrix = weight.transpose(0, dim).reshape(weight.shape[dim], -1)
        assert torch.linalg.svdvals(matrix)[0].item() == pytest.approx(1.0, abs=1e-4)
    new.eval(), old.eval()
    before = new.weight.detach().clone(), old.weight_u.clone()
    new(x), old(x)
    assert torch.equal(before[0], new.weight) and torch.equal(before[1], old.weight_u)


def test_an_old_state_dict_of_spectral_norm_gets_its_second_vector() -> None:
    torch.manual_seed(0)
    layer = nn.utils.spectral_norm(nn.Linear(4, 3, dtype=F64)).eval()
    layer(torch.ones(1, 4, dtype=F64))
    state = layer.state_dict()
    state["weight"] = layer.weight.detach().clone()
    del state["weight_v"], state._metadata[""]["spectral_norm"]
    other = nn.utils.spectral_norm(nn.Linear(4, 3, dtype=F64)).eval()
    other.load_state_dict(state)
    x = torch.randn(2, 4, dtype=F64)
    assert torch.allclose(other(x), layer(x))
    nn.utils.remove_spectral_norm(other)
    assert torch.allclose(other(x), layer(x)) and list(other.state_dict()) == ["bias", "weight"]


def test_spectral_norm_through_two_forwards() -> None:
    """The vectors of the first forward are kept for its backward, although the second forward changes them."""
    torch.manual_seed(0)
    layer = nn.utils.spectral_norm(nn.Linear(3, 2))
    x = torch.randn(4, 3)
    (layer(x) + layer(2 * x)).sum().backward()
    assert layer.weight_orig.grad is not None and layer.weight_orig.grad.isfinite().all()


# Orthogonal.


@pytest.mark.parametrize("trivialized", [True, False])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1)])
@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder"])
def test_orthogonal_maps(name: str, shape: tuple[int, ...], trivialized: bool) -> None:
    torch.manual_seed(0)
    module = nn.Module()
    module.weight = nn.Parameter(torch.randn(shape, dtype=F64))
    parametrizations.orthogonal(module, orthogonal_map=name, use_trivialization=trivialized)

    def product(weight: torch.Tensor) -> torch.Tensor:
        return weight.mT @ weight if weight.shape[-2] >= weight.shape[-1] else weight @ weight.mT

    small = min(shape[-2:])
    assert torch.allclose(product(module.weight), torch.eye(small, dtype=F64).expand(*shape[:-2], -1, -1), atol=1e-10)
    original = module.parametrizations.weight.original
    target = torch.randn(shape, dtype=F64)
    (module.weight * target).sum().backward()
    step = 1e-6
    direction = torch.randn_like(original).tril(-1) if shape[-2] >= shape[-1] else torch.randn_like(original).triu(1)
    with torch.no_grad():
        original += step * direction
        above = (module.weight * target).sum().item()
        original -= 2 * step * direction
        below = (module.weight * target).sum().item()
        original += step * direction
    assert (original.grad * direction).sum().item() == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-8)
    wanted = nn.init.orthogonal_(torch.empty(shape[-2:], dtype=F64)).expand(shape).clone()
    if trivialized or name == "householder":
        module.weight = wanted
        assert torch.allclose(module.weight, wanted, atol=1e-10)
        assert module.parametrizations.weight.original is original
    else:
        with pytest.raises(NotImplementedError, match="It is not possible to assign to the matrix exponential"):
            module.weight = wanted


def test_unitary_weights_and_errors_of_orthogonal() -> None:
    layer = parametrizations.orthogonal(nn.Linear(3, 3, dtype=torch.complex128))
    assert torch.allclose(layer.weight.mH @ layer.weight, torch.eye(3, dtype=torch.complex128), atol=1e-10)
    with pytest.raises(ValueError, match="does not support complex tensors"):
        parametrizations.orthogonal(nn.Linear(2, 2, dtype=torch.complex64), orthogonal_map="householder")
    with pytest.raises(ValueError, match=r"Expected a matrix or batch of matrices. Got a tensor of 1 dimensions"):
        parametrizations.orthogonal(nn.Linear(2, 2), "bias")
    with pytest.raises(ValueError, match=r'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: x'):
        parametrizations.orthogonal(nn.Linear(2, 2), orthogonal_map="x")


# parametrize.


def test_parametrizations_are_applied_in_order_and_undone_in_reverse() -> None:
    layer = nn.Linear(2, 2)
    parametrize.register_parametrization(layer, "weight", Shifted())
    parametrize.register_parametrization(layer, "weight", Scaled())
    wanted = torch.tensor([[8.0, 4.0], [0.0, -4.0]])
    layer.weight = wanted
    assert torch.equal(layer.weight, wanted)
    assert torch.equal(layer.parametrizations.weight.original, wanted / 4 - 1)
    assert [type(each).__name__ for each in layer.parametrizations.weight] == ["Shifted", "Scaled"]
    assert type(layer).__name__ == "ParametrizedLinear" and isinstance(layer, nn.Linear)


def test_an_original_may_be_parametrized_itself() -> None:
    layer = nn.Linear(2, 2)
    start = layer.weight.detach().clone()
    parametrize.register_parametrization(layer, "weight", Symmetric())
    parametrize.register_parametrization(layer.parametrizations.weight, "original", nn.Tanh())
    assert torch.equal(layer.weight, Symmetric()(start.triu().tanh()))
    parametrize.remove_parametrizations(layer.parametrizations.weight, "original", leave_parametrized=False)
    assert torch.equal(layer.weight, Symmetric()(start))


def test_cached_computes_once_and_forgets_after_an_error() -> None:
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Shifted())
    Shifted.calls = 0
    with pytest.raises(KeyError), parametrize.cached():
        assert layer.weight is layer.weight
        with parametrize.cached():
            layer(torch.ones(1, 2))
        layer(torch.ones(1, 2))
        raise KeyError
    assert Shifted.calls == 1
    assert layer.weight is not layer.weight and Shifted.calls == 3


def test_an_optimizer_keeps_its_parameter_through_parametrizing_and_back() -> None:
    layer = nn.Linear(2, 2)
    weight = layer.weight
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    assert layer.parametrizations.weight.original is weight
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    value = layer.weight.detach().clone()
    parametrize.remove_parametrizations(layer, "weight")
    assert layer.weight is weight and torch.equal(weight, value) and type(layer) is nn.Linear
    assert not hasattr(layer, "parametrizations")


def test_copies_of_parametrized_modules_learn_apart_and_pickles_are_refused() -> None:
    layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    twin = copy.deepcopy(nn.Sequential(layer, layer))
    assert twin[0] is twin[1]
    twin[0].weight = torch.zeros(2, 2)
    assert not torch.equal(layer.weight, twin[0].weight)
    for save in (pickle.dumps, lambda module: torch.save(module, io.BytesIO())):
        with pytest.raises(RuntimeError, match="Serialization of parametrized modules is only supported through state_dict"):
            save(layer)
    twin[0].load_state_dict(layer.state_dict())
    assert torch.equal(layer.weight, twin[0].weight)


def test_buffers_and_several_originals() -> None:
    norm = nn.BatchNorm1d(2)
    parametrize.register_parametrization(norm, "running_mean", Shifted())
    assert "parametrizations.running_mean.original" in dict(norm.named_buffers())
    norm(torch.randn(8, 2))
    parametrize.remove_parametrizations(norm, "running_mean")
    assert "running_mean" in norm._buffers

    class Product(nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return a @ b

        def right_inverse(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x, torch.eye(x.shape[-1])

    layer = nn.Linear(3, 2).requires_grad_(False)
    before = layer.weight.clone()
    parametrize.register_parametrization(layer, "weight", Product())
    assert [param.requires_grad for param in layer.parametrizations.parameters()] == [False, False]
    assert torch.equal(layer.weight, before)
    with pytest.raises(ValueError, match="Cannot leave unparametrized"):
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    other = nn.Linear(3, 2)
    parametrize.transfer_parametrizations_and_params(layer, other)
    assert other.parametrizations.weight.original1 is layer.parametrizations.weight.original1
    assert parametrize.type_before_parametrizations(other) is nn.Linear


def test_a_failed_registration_leaves_the_module_as_it_was() -> None:
    class Narrowed(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[:1]

    layer = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="may not change the shape of the tensor, unless `unsafe` flag is enabled"):
        parametrize.register_parametrization(layer, "weight", Narrowed())
    assert type(layer) is nn.Linear and list(layer.state_dict()) == ["weight", "bias"]
    parametrize.register_parametrization(layer, "weight", Narrowed(), unsafe=True)
    assert layer.weight.shape == (1, 2)
    with pytest.raises(RuntimeError, match="Narrowed does not implement right_inverse"):
        layer.weight = torch.ones(1, 2)


# prune.


@pytest.mark.parametrize("amount", [0, 1, 5, 12, 0.0, 0.25, 0.5, 1.0])
def test_as_many_are_pruned_as_were_asked_for(amount: float) -> None:
    count = amount if isinstance(amount, int) else round(12 * amount)
    for method in (prune.l1_unstructured, prune.random_unstructured):
        layer = method(nn.Linear(3, 4), "weight", amount)
        assert (layer.weight_mask == 0).sum().item() == count
        assert torch.equal(layer.weight, layer.weight_mask * layer.weight_orig)
    smallest = prune.l1_unstructured(nn.Linear(3, 4), "weight", amount)
    gone = smallest.weight_orig.abs()[smallest.weight_mask == 0]
    left = smallest.weight_orig.abs()[smallest.weight_mask == 1]
    assert not len(gone) or not len(left) or gone.max() <= left.min()


@pytest.mark.parametrize("dim", [0, 1, 2, 3, -1, -4])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_whole_slices_are_pruned(dim: int, share: float) -> None:
    for method in (lambda conv: prune.random_structured(conv, "weight", share, dim),
                   lambda conv: prune.ln_structured(conv, "weight", share, 2, dim)):  # fmt: skip
        mask = method(nn.Conv2d(4, 6, 2)).weight_mask
        slices = mask.movedim(dim, 0).flatten(1)
        assert ((slices == 0).all(1) | (slices == 1).all(1)).all()
        assert (slices == 0).all(1).sum().item() == round(mask.shape[dim] * share)


def test_pruning_again_counts_what_is_left() -> None:
    torch.manual_seed(0)
    layer = nn.Linear(4, 4)
    prune.ln_structured(layer, "weight", 0.5, 2, 0)
    prune.ln_structured(layer, "weight", 0.5, 2, 0)
    assert layer.weight_mask.any(1).sum().item() == 1
    prune.l1_unstructured(layer, "weight", 0.5)
    assert layer.weight_mask.sum().item() == 2
    assert len(layer._forward_pre_hooks) == 1 and len(next(iter(layer._forward_pre_hooks.values()))) == 3
    original = layer.weight_orig
    prune.remove(layer, "weight")
    assert layer.weight is original and (layer.weight != 0).sum().item() == 2


def test_pruned_elements_stay_zero_in_training() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    prune.global_unstructured([(net[0], "weight"), (net[2], "weight")], prune.L1Unstructured, amount=0.5)
    assert (net[0].weight_mask.sum() + net[2].weight_mask.sum()).item() == 8
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        net(torch.randn(8, 3)).square().mean().backward()
        optimizer.step()
    net(torch.ones(1, 3))
    assert (net[0].weight[net[0].weight_mask == 0] == 0).all() and (net[2].weight[net[2].weight_mask == 0] == 0).all()


def test_failed_pruning_leaves_the_module_as_it_was() -> None:
    layer = nn.Linear(2, 2)
    weight = layer.weight
    with pytest.raises(ValueError, match="amount=7 should be smaller than the number of parameters to prune=4"):
        prune.l1_unstructured(layer, "weight", 7)
    assert layer.weight is weight and set(layer.state_dict()) == {"weight", "bias"} and not prune.is_pruned(layer)
    with pytest.raises(ValueError, match="Unrecognized PRUNING_TYPE none"):
        prune.identity(layer, "weight")

        class Unknown(prune.Identity):
            PRUNING_TYPE = "none"

        Unknown.apply(layer, "weight")


# Gradients, parameters, modules as functions.


@pytest.mark.parametrize("order", [1, 2, 3.5, math.inf, 0])
def test_clipping_by_norm(order: float) -> None:
    torch.manual_seed(0)
    params = [torch.zeros(3, requires_grad=True), torch.zeros(2, 2, requires_grad=True), torch.zeros(1, requires_grad=True)]
    params[0].grad, params[1].grad = torch.randn(3) * 5, torch.randn(2, 2)
    flat = np.concatenate([params[0].grad.numpy(), params[1].grad.numpy().ravel()])
    total = np.linalg.norm(flat, order)
    found = nn.utils.clip_grad_norm_(params, 1.0, order)
    norms = [np.linalg.norm(param.grad.numpy().ravel(), order) for param in params[:2]]
    expected = np.linalg.norm(norms, order) if order == 0 else min(total, 1.0)
    assert found.item() == pytest.approx(2.0 if order == 0 else total, rel=1e-5)
    assert order == 0 or np.linalg.norm(norms, order) == pytest.approx(expected, rel=1e-4)
    assert params[2].grad is None and not found.requires_grad


def test_norms_that_are_not_finite() -> None:
    param = torch.zeros(2, requires_grad=True)
    param.grad = torch.tensor([math.inf, 1.0])
    with pytest.raises(RuntimeError, match=r"The total norm of order 2.0 for gradients from `parameters` is non-finite"):
        nn.utils.clip_grad_norm_(param, 1.0, error_if_nonfinite=True)
    assert param.grad.tolist() == [math.inf, 1.0]
    assert nn.utils.get_total_norm([]).item() == 0.0
    assert not nn.utils.get_total_norm([torch.ones(2, requires_grad=True)]).requires_grad
    nn.utils.clip_grads_with_norm_(param, 2.0, torch.tensor(4.0))
    assert param.grad[1].item() == pytest.approx(0.5)


def test_skip_init_leaves_the_generator_alone() -> None:
    before = torch.get_rng_state()
    layer = nn.utils.skip_init(nn.Conv2d, 2, 3, kernel_size=2, dtype=F64)
    assert torch.equal(torch.get_rng_state(), before) and layer.weight.dtype is F64 and layer.weight.requires_grad
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg"):
        nn.utils.skip_init(nn.ReLU)
    with pytest.raises(RuntimeError, match="Expected a Module"):
        nn.utils.skip_init(dict)


def test_a_functional_call_that_fails_puts_everything_back() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    before = dict(net.state_dict(keep_vars=True))
    for given, kind in (({"0.weight": torch.eye(2), "0.bias": 3}, TypeError), ({"0.weight": torch.ones(5, 5)}, RuntimeError)):
        with pytest.raises(kind):
            torch.func.functional_call(net, given, torch.ones(3, 2))
    assert all(before[name] is value for name, value in net.state_dict(keep_vars=True).items())
    mean = torch.zeros(2)
    torch.func.functional_call(net, {"1.running_mean": mean}, torch.randn(4, 2))
    assert mean.abs().sum() > 0 and net[1].running_mean.abs().sum() == 0
    with pytest.warns(FutureWarning, match=r"stateless.functional_call. is deprecated"):
        nn.utils.stateless.functional_call(net, {}, torch.ones(3, 2))


def test_a_functional_call_gives_back_what_the_module_set() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = nn.Buffer(torch.zeros(1))
            self.inner = self

        def forward(self) -> torch.Tensor:
            self.count = self.count + 1
            return self.count

    module, start = Counter(), torch.ones(1)
    given = {"inner.count": start}
    assert torch.func.functional_call(module, given, tie_weights=False).tolist() == [2.0]
    assert (given["inner.count"].tolist(), start.tolist(), module.count.tolist()) == ([2.0], [1.0], [0.0])


def test_swapped_tensors_take_their_graphs_along() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.zeros(3)
    x.note = "of x"
    doubled = x * 2
    torch.utils.swap_tensors(x, y)
    assert x.shape == (3,) and not x.requires_grad and y.note == "of x"
    doubled.sum().backward()
    assert x.grad is None and y.grad.tolist() == [2.0, 2.0]
    import weakref

    reference = weakref.ref(x)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref associated with it"):
        torch.utils.swap_tensors(x, y)
    assert reference() is x


def test_memory_formats_of_convolutions() -> None:
    net = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Linear(2, 2), nn.Conv3d(2, 3, 2))
    values = net[0].weight.detach().clone()
    assert nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last) is net
    assert net[0].weight.stride() == (8, 1, 4, 2) and torch.equal(net[0].weight, values)
    assert net[2].weight.is_contiguous()
    nn.utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
    assert net[2].weight.is_contiguous(memory_format=torch.channels_last_3d)
