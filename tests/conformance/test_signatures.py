"""What ``inspect.signature`` says of a public function or class is what it says on PyTorch: names, order and defaults."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

SPACES = (
    "", "amp", "autograd", "autograd.forward_ad", "autograd.functional", "autograd.graph", "autograd.profiler", "backends",
    "distributions", "distributions.constraints", "distributions.kl", "distributions.transforms", "fft", "func", "functional",
    "linalg", "masked", "nn", "nn.functional", "nn.init", "nn.parameter", "nn.utils", "nn.utils.parametrizations",
    "nn.utils.parametrize", "nn.utils.prune", "nn.utils.rnn", "nn.utils.stateless", "optim", "optim.lr_scheduler",
    "optim.swa_utils", "overrides", "profiler", "random", "serialization", "sparse", "special", "testing", "utils",
    "utils.checkpoint", "utils.data", "utils.dlpack", "utils.hooks",
)  # fmt: skip
CLASSES = ("Tensor", "nn.Module", "nn.ModuleList", "nn.ModuleDict", "nn.Sequential", "optim.Optimizer", "optim.SGD", "optim.Adam",
           "optim.lr_scheduler.LRScheduler", "autograd.Function", "distributions.Distribution", "distributions.Normal",
           "utils.data.DataLoader", "utils.data.Dataset", "amp.GradScaler")  # fmt: skip
# Functions whose signatures tell less on one of the two sides, with the reason.
KNOWN = {
    "dtype": "cannot be made",
    "layout": "cannot be made",
    "memory_format": "cannot be made",
    "random.Generator": "written in C++ there",
    "nn.Container": "deprecated: takes modules by keyword only",
    "nn.NLLLoss2d": "an old name, whose signature PyTorch does not show",
    "autograd.profiler.FunctionEvent": "what only GPUs' events have is gathered as others",
    "utils.checkpoint.SelectiveCheckpointContext": "op_output is not told",
    "no_grad": "PyTorch's class takes the decorated function without saying so",
    "autograd.no_grad": "the same class",
}


def parts(callable_: Callable[..., Any]) -> list[tuple[str, str, str]] | None:
    """Kind, name and default of each parameter; None where there is nothing to compare."""
    try:
        signature = inspect.signature(callable_)
    except (TypeError, ValueError):
        return None
    shown = [(each.kind.name, each.name, default(each.default)) for each in signature.parameters.values()]
    return None if [kind for kind, _, _ in shown] == ["VAR_POSITIONAL", "VAR_KEYWORD"] else shown


def default(value: object) -> str:
    """A default as text, without addresses and without the package's name."""
    if inspect.isfunction(value) or inspect.isbuiltin(value):
        return str(value.__name__)
    return re.sub(r" at 0x\w+|torch\.|rushlight\.", "", repr(value)).replace("Size([])", "()")  # one that equals the other


def signatures(package: str) -> dict[str, list[tuple[str, str, str]] | None]:
    """The signatures of all public names of a package's spaces and of the methods of its classes."""
    root = importlib.import_module(package)
    found = {}
    for space in SPACES:
        home = importlib.import_module(f"{package}.{space}" if space else package)
        for name in dir(home):
            if not name.startswith("_") and not name.endswith("Storage") and callable(value := getattr(home, name, None)):
                found[f"{space}.{name}".strip(".")] = parts(value)
    for path in CLASSES:
        home = root
        for part in path.split("."):
            home = getattr(home, part)
        for name in dir(home):
            if not name.startswith("_") and callable(value := getattr(home, name, None)):
                found[f"{path}.{name}"] = [("", "self", ""), *rest[1:]] if (rest := parts(value)) else rest
    return found


def without_class(name: str) -> str:
    """The name of a method, as the function of that name is called."""
    return name.removeprefix("Tensor.")


@pytest.fixture(scope="module")
def both() -> tuple[dict[str, Any], dict[str, Any]]:
    return signatures("rushlight"), signatures("torch")


def test_signatures_are_pytorchs(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    ours, theirs = both
    compared = [name for name in theirs if theirs[name] is not None and ours.get(name) is not None]
    assert len(compared) > 900
    assert {name: (ours[name], theirs[name]) for name in compared if ours[name] != theirs[name] and name not in KNOWN} == {}
    assert [name for name in KNOWN if ours[name] == theirs[name]] == []  # what is no longer different is known no longer


def test_what_has_one_there_has_one_here(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    ours, theirs = both
    assert [
        name for name in ours if ours[name] is None and theirs.get(name) is not None and without_class(name) not in KNOWN
    ] == []
