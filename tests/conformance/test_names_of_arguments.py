"""Arguments by position and by every name that PyTorch has for them: random calls that its forms take are taken here."""

from __future__ import annotations

import functools
import random
import warnings
from typing import Any

import pytest
import torch
from test_argument_forms import FUNCTIONS, METHODS, function_of

import rushlight
from rushlight.ops.argument_forms import forms_of
from rushlight.ops.parameters import Parameter

# PyTorch ends the process for some arguments of these, or sets what others read; the sparse ones are made of sparse tensors.
LEFT_OUT = frozenset(
    "native_batch_norm manual_seed seed resize_ set_ set cuda xpu to sspaddmm smm hspmm sparse_mask new".split()
)
OTHER_NAMES = {"input": ["x", "a", "x1"], "dim": ["axis"], "keepdim": ["keepdims"], "other": ["x2"]}
# Refused here alone: numbers for no size of a result, batches of sparse rows.
KNOWN = frozenset("sym_constrain_range adaptive_avg_pool1d to_sparse_bsc to_sparse_csc to_sparse_csr".split())
VALUES: dict[str, list[Any]] = {
    "Number": [1, 0, 2.5, True, -1], "int": [0, 1, -1, 2], "float": [0.5, 1.0, 1], "bool": [True, False], "str": ["mean", "floor"],
    "tuple of ints": [[0], (1,), [0, 1], [2, 3], (1, 1), [2], (3, 2), 1, 0], "torch.dtype": ["float32", "float64"],
    "torch.layout": ["strided"], "torch.memory_format": ["preserve_format"], "torch.device": ["cpu"],
    "tuple of floats": [[0.5, 1.0]], "Tensor": list(range(9)), "tuple of Tensors": [[0], [1, 1]],
}  # fmt: skip


@functools.cache
def tensors(package: Any) -> list[Any]:
    return [
        package.arange(1.0, 7.0).reshape(2, 3), package.tensor([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]), package.tensor([1.0, 2, 3]),
        package.tensor(1.5), package.tensor([0, 1, 2]), package.tensor([[True, False, True], [False, True, True]]),
        package.tensor([[1 + 1j, 2], [3, 4j]]), package.arange(24.0).reshape(2, 3, 4), package.arange(36.0).reshape(1, 3, 3, 4),
    ]  # fmt: skip


def built(package: Any, kind: str, value: Any) -> Any:
    """An argument of this kind on one of the two sides."""
    if value is None:
        return None
    if kind == "Tensor":
        return tensors(package)[value].clone()
    if kind == "tuple of Tensors":
        return [tensors(package)[one].clone() for one in value]
    is_named = kind in ("torch.dtype", "torch.layout", "torch.memory_format")
    return getattr(package, value) if is_named else value


def drawn(draw: random.Random, parameters: list[Parameter], method: bool) -> tuple[list[Any], dict[str, Any]] | None:
    """Kinds and values, by position and by name; None where there is nothing of a kind."""
    args: list[Any] = []
    named: dict[str, Any] = {}
    by_position = draw.randrange(len(parameters) + 1)
    for parameter in parameters:
        if parameter.default is not None and draw.random() < 0.5:
            by_position = 0
            continue
        if parameter.kind not in VALUES:
            return None
        value = None if parameter.optional and draw.random() < 0.3 else draw.choice(VALUES[parameter.kind])
        if len(args) < by_position and not parameter.keyword_only:
            args.append((parameter.kind, value))
        else:
            by_position = 0
            others = [] if method else OTHER_NAMES.get(parameter.label, [])
            named[draw.choice([parameter.label, *others])] = parameter.kind, value
    return args, named


def run(package: Any, name: str, of: int | None, call: tuple[list[Any], dict[str, Any]]) -> Exception | None:
    """What a call of a function raises, or of the method of one of the tensors."""
    args = [built(package, *one) for one in call[0]]
    named = {label: built(package, *one) for label, one in call[1].items()}
    function = function_of(name, package) if of is None else getattr(tensors(package)[of].clone(), name)
    package.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*args, **named)
        except Exception as error:
            return error
    return None


@pytest.mark.parametrize(("name", "method"), [(name, False) for name in FUNCTIONS] + [(name, True) for name in METHODS])
def test_taken_by_every_name(name: str, method: bool) -> None:
    if name in LEFT_OUT or name in KNOWN:
        return
    draw, found = random.Random(name), []
    for _ in range(25):
        form = draw.choice(forms_of(name, method))
        call = drawn(draw, [each for each in form.parameters if each.label != "out"], method)
        if call is None:
            continue
        of = draw.randrange(9)
        if run(torch, name, of if method else None, call) is None:
            refused = run(rushlight, name, of if method else None, call)
            found += [] if refused is None else [f"{call}: {refused!r}"]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "x.squeeze(0, 2)", "x.squeeze_(0, 2)", "torch.squeeze(x, 0, 2)", "torch.sin(x, x)", "torch.sin(x=x, input=x)",
        "torch.hsplit(y, indices=[1])", "torch.hsplit(y, 2, indices=[1])", "y.dequantize() is y", "y.double().dequantize()",
        "torch.dequantize(z)", "z.half().dequantize().sum().backward()", "torch.subtract(z, 1, 2)", "torch.subtract(z, z, 2)",
        "torch.isin(element=1, test_elements=y)", "torch.isin(y)", "torch.result_type(scalar=1, tensor=y)", "torch.result_type(y)",
        "torch.bitwise_and(self=1, other=y.int())", "torch.sin(self=y)", "torch.zeros(2, pin_memory=None, requires_grad=None)",
        "torch.tensor(1, pin_memory=None)", "torch.hann_window(1, dtype=torch.complex64)", "torch.hann_window(2, dtype=torch.complex64)",
        "torch.linalg.vector_norm(input=y)", "torch.nn.functional.one_hot(input=y.long())", "torch.tensor(1.0).cauchy_()",
        "torch.randint_like(y, torch.tensor(1))", "y.type(torch.float64, memory_format=torch.contiguous_format)",
        "torch.nuclear_norm(torch.eye(2), True)", "torch.kl_div(y, y, 3)", "y.detach_().type_as(x2=y)",
    ],
)  # fmt: skip
def test_names_and_places_that_only_some_have(line: str) -> None:
    found = []
    for package in (torch, rushlight):
        package.manual_seed(0)
        names = {
            "x": package.ones(1, 2, 1),
            "y": package.tensor([1.0, 2.0]),
            "z": package.tensor([1.0, 2.0], requires_grad=True),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(repr(eval(line, {"torch": package, **names})))
            except Exception as error:
                found.append(repr(error).partition(" but expected ")[0])
    assert found[0] == found[1]
