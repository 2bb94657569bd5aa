"""nn.utils and nn.init on PyTorch and on rushlight: numbers for a seed, state dicts, signatures and errors."""

from __future__ import annotations

import inspect
import io
import itertools
from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import torch
from sides import Side, array_difference, tolerance_for

import rushlight

OURS, THEIRS = Side(rushlight), Side(torch)
SEED = 5
LAYERS = {
    "Linear": lambda side, **options: side.nn.Linear(3, 4, **options),
    "Conv1d": lambda side, **options: side.nn.Conv1d(2, 4, 3, **options),
    "Conv2d": lambda side, **options: side.nn.Conv2d(2, 3, 2, **options),
    "ConvTranspose2d": lambda side, **options: side.nn.ConvTranspose2d(2, 3, 2, **options),
    "Conv3d": lambda side, **options: side.nn.Conv3d(2, 2, 2, **options),
    "Embedding": lambda side, **options: side.nn.Embedding(5, 3, **options),
    "Bilinear": lambda side, **options: side.nn.Bilinear(2, 3, 4, **options),
}


def tensors(value: Any) -> Iterator[Any]:
    """Tensors and plain values, in order."""
    if isinstance(value, dict):
        for key in value:
            yield key
            yield from tensors(value[key])
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors(each)
    else:
        yield value


def agree(run: Callable[[ModuleType], Any]) -> None:
    """Runs on both sides from the same seed, with warnings as they come, and compares all that comes out."""
    results = []
    for side in (torch, rushlight):
        side.manual_seed(SEED)
        results.append(list(tensors(run(side))))
    expected, got = results
    assert len(got) == len(expected)
    for number, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        if not isinstance(theirs, torch.Tensor):
            assert ours == theirs, number
            continue
        assert str(ours.dtype) == str(theirs.dtype) and tuple(ours.shape) == tuple(theirs.shape), number
        other = THEIRS.array(theirs)
        difference = array_difference(OURS.array(ours), other, tolerance_for(other.dtype))
        assert difference is None, f"{number}: {difference}"


def learned(side: ModuleType, layer: Any) -> Any:
    """A layer's weight, three steps along a gradient, and its state after each."""
    seen = []
    optimizer = side.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        weight = layer.weight
        slope = side.arange(weight.numel(), dtype=weight.dtype).view(weight.shape).sin()
        (weight * slope).sum().backward()
        seen.append([weight.detach().clone(), {name: param.grad.clone() for name, param in layer.named_parameters()
                                               if param.grad is not None}])  # fmt: skip
        optimizer.step()
        seen.append({name: value.clone() for name, value in layer.state_dict().items()})
    seen.append(repr(layer))
    return seen


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dim", [0, 1, -1, None])
@pytest.mark.parametrize("layer", LAYERS)
def test_weight_norm(layer: str, dim: int | None, dtype: str) -> None:
    def run(side: ModuleType) -> Any:
        made = LAYERS[layer](side, dtype=getattr(side, dtype))
        return learned(side, side.nn.utils.parametrizations.weight_norm(made, dim=dim))

    agree(run)


@pytest.mark.parametrize("dim", [None, 0, 1, -1])
@pytest.mark.parametrize("layer", LAYERS)
def test_spectral_norm(layer: str, dim: int | None) -> None:
    def run(side: ModuleType) -> Any:
        made = LAYERS[layer](side, dtype=side.float64)
        normed = side.nn.utils.parametrizations.spectral_norm(made, dim=dim, n_power_iterations=2)
        seen = learned(side, normed)
        normed.eval()
        return [*seen, normed.weight, normed.weight]

    agree(run)


@pytest.mark.parametrize("use_trivialization", [True, False])
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 5), (2, 3, 2), (2, 2, 2, 3)])
@pytest.mark.parametrize("orthogonal_map", ["matrix_exp", "cayley", "householder", None])
def test_orthogonal(orthogonal_map: str | None, shape: tuple[int, ...], use_trivialization: bool) -> None:
    def run(side: ModuleType) -> Any:
        module = side.nn.Module()
        module.weight = side.nn.Parameter(side.randn(shape, dtype=side.float64))
        side.nn.utils.parametrizations.orthogonal(module, orthogonal_map=orthogonal_map, use_trivialization=use_trivialization)
        seen = learned(side, module)
        try:
            module.weight = side.randn(shape, dtype=side.float64)
        except NotImplementedError as error:
            return [*seen, str(error)]
        return [*seen, module.weight]

    agree(run)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated")
def test_the_older_norms_by_hooks(layer: str) -> None:
    inputs = {"Linear": (2, 3), "Conv1d": (1, 2, 5), "Conv2d": (1, 2, 4, 4), "ConvTranspose2d": (1, 2, 4, 4),
              "Conv3d": (1, 2, 3, 3, 3), "Bilinear": (2, 2)}  # fmt: skip

    def run(side: ModuleType) -> Any:
        seen = []
        for norm, remove in (
            (side.nn.utils.weight_norm, side.nn.utils.remove_weight_norm),
            (side.nn.utils.spectral_norm, side.nn.utils.remove_spectral_norm),
        ):
            made = norm(LAYERS[layer](side, dtype=side.float64))
            if layer == "Embedding":
                given = [side.tensor([0, 3])]
            else:
                given = [side.randn(inputs[layer], dtype=side.float64)]
                if layer == "Bilinear":
                    given.append(side.randn(2, 3, dtype=side.float64))
            for mode in (True, False):
                made.train(mode)
                made.zero_grad()
                out = made(*given)
                out.square().sum().backward()
                seen += [out.detach(), dict(made.state_dict()), [param.grad.clone() for param in made.parameters()]]
            remove(made)
            seen += [dict(made.state_dict()), made(*given).detach()]
        return seen

    agree(run)


@pytest.mark.parametrize(
    "method",
    [
        lambda prune, layer: prune.random_unstructured(layer, "weight", 0.4),
        lambda prune, layer: prune.random_unstructured(layer, "weight", 5),
        lambda prune, layer: prune.l1_unstructured(layer, "weight", 0.3),
        lambda prune, layer: prune.random_structured(layer, "weight", 0.5, 0),
        lambda prune, layer: prune.random_structured(layer, "weight", 1, -1),
        lambda prune, layer: prune.ln_structured(layer, "weight", 0.5, 2, 0),
        lambda prune, layer: prune.ln_structured(layer, "weight", 1, float("inf"), 1),
        lambda prune, layer: prune.ln_structured(layer, "weight", 1, 1, -1),
    ],
)
@pytest.mark.parametrize("layer", LAYERS)
def test_pruned_twice(layer: str, method: Callable[..., Any]) -> None:
    def run(side: ModuleType) -> Any:
        made = LAYERS[layer](side)
        seen = []
        for _ in range(2):
            method(import_module(f"{side.__name__}.nn.utils.prune"), made)
            seen += [made.weight.detach().clone(), made.weight_mask.clone()]
        return seen

    agree(run)


SHAPES = [(3, 4), (4, 3), (5,), (), (2, 3, 3), (4, 2, 2, 2), (2, 0), (20, 30)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize(
    "name",
    "uniform_ normal_ trunc_normal_ ones_ zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_ kaiming_uniform_ "
    "kaiming_normal_ orthogonal_".split(),
)
@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors is a no-op")
def test_first_values(name: str, dtype: str) -> None:
    if (name, dtype) == ("orthogonal_", "bfloat16"):
        dtype = "complex128"  # there is no QR in half precision

    def run(side: ModuleType) -> Any:
        seen: list[Any] = []
        for shape in SHAPES:
            try:
                seen.append(getattr(side.nn.init, name)(side.empty(shape, dtype=getattr(side, dtype))))
            except (ValueError, RuntimeError) as error:
                seen.append(str(error).splitlines()[0])
        seen.append(side.rand(3))  # the generator stands where PyTorch's does
        return seen

    agree(run)


@pytest.mark.parametrize("writer", ["torch", "rushlight"])
@pytest.mark.parametrize(
    "make",
    [
        lambda side: side.nn.utils.spectral_norm(side.nn.Linear(3, 2)),
        lambda side: side.nn.utils.weight_norm(side.nn.Linear(3, 2)),
        lambda side: import_module(f"{side.__name__}.nn.utils.prune").l1_unstructured(side.nn.Linear(3, 2), "weight", 2),
        lambda side: side.nn.Sequential(side.nn.LazyLinear(2, bias=False)),
    ],
)
@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated")
def test_modules_with_hooks_move_both_ways(make: Callable[[ModuleType], Any], writer: str) -> None:
    side, other = (torch, rushlight) if writer == "torch" else (rushlight, torch)
    made = make(side)
    if not isinstance(made, side.nn.Sequential):
        with side.no_grad():
            made(side.ones(1, 3))  # leaves weights without a graph, which cannot be pickled
    file = io.BytesIO()
    side.save(made, file)
    file.seek(0)
    got = other.load(file, weights_only=False)
    assert repr(got) == repr(made) and list(got.state_dict()) == list(made.state_dict())
    if isinstance(made, side.nn.Sequential):
        assert got(other.ones(1, 3)).shape == (1, 2)
        made.load_state_dict({"0.weight": side.ones(2, 3)})
        return
    result, expected = got.eval()(other.ones(1, 3)), made.eval()(side.ones(1, 3))
    assert result[0].tolist() == pytest.approx(expected[0].tolist())


def parameters_of(function: Any) -> list[tuple[str, Any, Any]]:
    signature = inspect.signature(function)
    return [(each.name, each.kind, each.default) for each in signature.parameters.values()]


NAMES = {
    "nn.utils": "clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm weight_norm remove_weight_norm "
    "spectral_norm remove_spectral_norm skip_init parameters_to_vector vector_to_parameters "
    "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
    "nn.utils.parametrize": "register_parametrization remove_parametrizations cached is_parametrized "
    "type_before_parametrizations transfer_parametrizations_and_params ParametrizationList",
    "nn.utils.parametrizations": "weight_norm spectral_norm orthogonal",
    "nn.utils.prune": "identity random_unstructured l1_unstructured random_structured ln_structured global_unstructured "
    "custom_from_mask remove is_pruned RandomUnstructured L1Unstructured RandomStructured LnStructured CustomFromMask",
    "nn.utils.stateless": "functional_call",
    "nn.init": "uniform_ normal_ trunc_normal_ constant_ ones_ zeros_ eye_ dirac_ xavier_uniform_ xavier_normal_ "
    "kaiming_uniform_ kaiming_normal_ orthogonal_ sparse_ calculate_gain",
    "nn.grad": "conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight",
}


@pytest.mark.parametrize("path", NAMES)
def test_signatures(path: str) -> None:
    ours, theirs = (import_module(f"{side}.{path}") for side in ("rushlight", "torch"))
    for name in NAMES[path].split():
        assert parameters_of(getattr(ours, name)) == parameters_of(getattr(theirs, name)), name


def maps(side: ModuleType) -> list[type]:
    """Parametrizations of all kinds, good and bad."""

    def made(forward: Callable[..., Any], inverse: Callable[[Any], Any] | None = None) -> type:
        members: dict[str, Any] = {"forward": lambda self, *args: forward(*args)}
        if inverse is not None:
            members["right_inverse"] = lambda self, x: inverse(x)
        return type("Map", (side.nn.Module,), members)

    def refuse(x: Any) -> Any:
        raise NotImplementedError

    forwards = (lambda x: x, lambda x: x.double(), lambda x: x[:1], lambda x: [x], lambda x, y: x + y)
    inverses = (None, lambda x: x, lambda x: x + 1, lambda x: x.double(), lambda x: x[:1], lambda x: 3, lambda x: (x, x),
                lambda x: [x], lambda x: (x, 3), refuse)  # fmt: skip
    return [made(forward, inverse) for forward, inverse in itertools.product(forwards, inverses)]


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_registering_all_kinds_of_parametrizations(again: bool, unsafe: bool) -> None:
    """What is refused and with which words, what is left behind, and what assigning does then."""

    def run(side: ModuleType) -> Any:
        parametrize = side.nn.utils.parametrize
        seen: list[Any] = []
        for kind in maps(side):
            layer = side.nn.Linear(2, 2)
            if again:
                parametrize.register_parametrization(layer, "weight", side.nn.Identity())
            for action in (
                lambda layer=layer, kind=kind: parametrize.register_parametrization(layer, "weight", kind(), unsafe=unsafe),
                lambda layer=layer: setattr(layer, "weight", side.ones(2, 2)),
                lambda layer=layer: parametrize.remove_parametrizations(layer, "weight"),
            ):
                try:
                    action()
                    seen.append("done")
                except (KeyError, ValueError, RuntimeError) as error:
                    seen.append(f"{type(error).__name__} {error}")
                except (TypeError, AttributeError) as error:
                    seen.append(type(error).__name__)
                seen.append(type(layer).__name__)
                seen.append({name: (tuple(value.shape), str(value.dtype)) for name, value in layer.state_dict().items()})
        return seen

    agree(run)


def test_a_wrong_weight_is_found() -> None:
    """The comparison sees a difference in the last digits that count."""
    with pytest.raises(AssertionError, match="differ"):
        agree(lambda side: side.ones(3) * (1 + 1e-3 * (side is rushlight)))
    with pytest.raises(AssertionError):
        agree(lambda side: ["a", side.__name__])
