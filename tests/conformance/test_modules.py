"""Every layer and loss in PyTorch's own table of modules, on PyTorch's own inputs, on PyTorch and on rushlight.

A module agrees if, from the same seed, it is initialised to the same numbers, prints the same, and with PyTorch's weights
loaded gives the same outputs and the same gradients of inputs and parameters: in training and in evaluation, in double and
in single precision.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import torch
from sides import Side, array_difference, largest, tolerance_for
from torch.testing._internal.common_modules import ModuleInfo, module_db

import rushlight

SEED = 3
DTYPES = (torch.float64, torch.float32)


class Twins:
    """A module of the table on both sides."""

    def __init__(self) -> None:
        self.theirs, self.ours = Side(torch), Side(rushlight)

    def built(self, value: Any) -> Any:
        if isinstance(value, torch.nn.TransformerEncoderLayer):
            attention = value.self_attn
            made = rushlight.nn.TransformerEncoderLayer(
                attention.embed_dim,
                attention.num_heads,
                value.linear1.out_features,
                value.dropout.p,
                self.ours.build(value.activation),
                value.norm1.eps,
                attention.batch_first,
                value.norm_first,
                bias=value.linear1.bias is not None,
                dtype=self.ours.build(value.linear1.weight.dtype),
            )
            made.load_state_dict(self.state(value))
            return made
        if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
            return type(value)(self.built(each) for each in value)
        return self.ours.build(value)

    def state(self, module: torch.nn.Module) -> dict[str, Any]:
        return {name: self.ours.build(value) for name, value in module.state_dict().items()}


def compile_in_place(module: Any, inputs: list[Any], named: dict[str, Any]) -> None:
    """Compiles a module, and calls it twice on other numbers; its own are as before."""
    module.compile()
    module.forward._compiled.always = True
    before = copy.deepcopy(module.state_dict())
    for scale in (0.75, 0.875):
        args, kwargs = copy.deepcopy((inputs, named))
        with rushlight.no_grad():
            for one in (*args, *kwargs.values()):
                if isinstance(one, rushlight.Tensor) and one.is_floating_point():
                    one.mul_(scale)
        module(*args, **kwargs)
    module.load_state_dict(before)


def check(info: ModuleInfo, dtype: torch.dtype, training: bool, with_compile: bool = False) -> int:
    """How many inputs of the table agree; AssertionError at the first that does not."""
    twins = Twins()
    torch.manual_seed(0)
    samples = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=training)
    if with_compile:  # three are recorded in the time that the others take
        samples = [samples[index] for index in sorted({0, len(samples) // 2, len(samples) - 1})]
    count = 0
    for sample in samples:
        if sample.forward_input is None:
            continue
        place = f"{dtype}, {'training' if training else 'evaluation'}, {sample.desc or 'default'}"
        args, kwargs = sample.constructor_input.args, dict(sample.constructor_input.kwargs)
        torch.manual_seed(SEED)
        reference = info.module_cls(*args, **kwargs)
        our_args, our_kwargs = twins.built(list(args)), {name: twins.built(value) for name, value in kwargs.items()}
        rushlight.manual_seed(SEED)
        mine = getattr(rushlight.nn, info.module_cls.__name__)(*our_args, **our_kwargs)
        reference.to(dtype)
        mine.to(twins.ours.build(dtype))
        assert repr(mine) == repr(reference), place
        if not info.is_lazy:
            compare_states(twins, mine, reference, f"{place}, first values")
            mine.load_state_dict(twins.state(reference))
        for module in (reference, mine):
            module.train(training)
        memo: dict[int, Any] = {}
        inputs = sample.forward_input
        our_inputs = twins.ours.build(list(inputs.args), memo)
        our_named = twins.ours.build(dict(inputs.kwargs), memo)
        if with_compile:
            compile_in_place(mine, our_inputs, our_named)
        torch.manual_seed(SEED)
        expected = reference(*inputs.args, **inputs.kwargs)
        rushlight.manual_seed(SEED)
        got = mine(*our_inputs, **our_named)
        if info.is_lazy:
            assert repr(mine) == repr(reference), place
            compare_states(twins, mine, reference, f"{place}, first values")
        pairs = list(zip(twins.ours.leaves(got), twins.theirs.leaves(expected), strict=True))
        for number, (one, other) in enumerate(pairs):
            if other is None or not isinstance(other, torch.Tensor):
                assert one == other, place
            else:
                compare(twins, one, other, f"{place}, output {number}")
        compare_states(twins, mine, reference, f"{place}, state afterwards")
        grads = [(one, other) for one, other in pairs if isinstance(other, torch.Tensor) and other.requires_grad]
        if grads:
            generator = torch.Generator().manual_seed(SEED)
            weights = [torch.randn(other.shape, dtype=other.dtype, generator=generator) for _, other in grads]
            torch.autograd.backward([other for _, other in grads], weights)
            rushlight.autograd.backward([one for one, _ in grads], [twins.ours.build(weight) for weight in weights])
            sides = zip(
                twins.ours.leaves((our_inputs, our_named)),
                twins.theirs.leaves((list(inputs.args), dict(inputs.kwargs))),
                strict=True,
            )
            leaves = [
                (one, other)
                for one, other in sides
                if isinstance(other, torch.Tensor) and other.requires_grad and other.is_leaf
            ]
            named = dict(mine.named_parameters())
            leaves += [(named[name], param) for name, param in reference.named_parameters()]
            beside = largest(other.grad.numpy() for _, other in leaves if other.grad is not None)
            for number, (one, other) in enumerate(leaves):
                assert (one.grad is None) == (other.grad is None), f"{place}, gradient {number}"
                if other.grad is not None:
                    compare(twins, one.grad, other.grad, f"{place}, gradient {number}", 1, beside)
        count += 1
    return count


def compare(twins: Twins, ours: Any, theirs: torch.Tensor, place: str, order: int = 0, beside: float = 0.0) -> None:
    assert tuple(ours.shape) == tuple(theirs.shape), place
    assert str(ours.dtype) == str(theirs.dtype), place
    one, other = twins.ours.array(ours), twins.theirs.array(theirs)
    difference = array_difference(one, other, tolerance_for(other.dtype, order, beside))
    assert difference is None, f"{place}: {difference}"


def compare_states(twins: Twins, ours: Any, theirs: torch.nn.Module, place: str) -> None:
    mine, reference = ours.state_dict(), theirs.state_dict()
    assert list(mine) == list(reference), place
    for name, value in reference.items():
        compare(twins, mine[name], value, f"{place}, {name}")


@pytest.mark.parametrize("info", module_db, ids=lambda info: info.module_cls.__name__)
@pytest.mark.filterwarnings("ignore")
def test_module_agrees_with_pytorch(info: ModuleInfo) -> None:
    counts = [check(info, dtype, training) for dtype in DTYPES if dtype in info.dtypes for training in (True, False)]
    assert sum(counts) > 0


@pytest.mark.parametrize("info", module_db, ids=lambda info: info.module_cls.__name__)
@pytest.mark.filterwarnings("ignore")
def test_compiled_modules_agree_with_pytorch(info: ModuleInfo) -> None:
    if info.is_lazy:  # made whole by its first call
        assert check(info, torch.float32, True) > 0
    else:
        assert check(info, torch.float32, True, True) > 0


def test_a_wrong_weight_is_found() -> None:
    """The comparison sees a difference in the last digits that count."""
    twins = Twins()
    with warnings.catch_warnings():
        torch.manual_seed(SEED)
        reference = torch.nn.Linear(3, 3)
        rushlight.manual_seed(SEED)
        mine = rushlight.nn.Linear(3, 3)
    compare_states(twins, mine, reference, "equal")
    mine.weight.data[0, 0] += 1e-3
    with pytest.raises(AssertionError, match="weight"):
        compare_states(twins, mine, reference, "changed")
    assert np.isfinite(twins.ours.array(mine.weight)).all()


@pytest.mark.parametrize("library", [rushlight, torch], ids=["rushlight", "PyTorch"])
def test_functional_call_leaves_nothing_behind(library):
    """A parameter that the module does not have is gone after the call."""
    layer = library.nn.Linear(1, 1)
    for extra in (library.ones(1), library.nn.Parameter(library.ones(1))):
        library.func.functional_call(layer, {"weight": library.ones(1, 1), "extra": extra}, library.ones(1))
        assert ([name for name, _ in layer.named_parameters()], hasattr(layer, "extra")) == (["weight", "bias"], False)
        assert list(layer.state_dict()) == ["weight", "bias"]
