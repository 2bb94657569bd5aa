"""Making and converting tensors beside PyTorch: an expression gives the same text, dtype, layout or error on both."""

from __future__ import annotations

import copy
import pickle
import warnings

import creation_expressions
import numpy as np
import pytest
import torch

import rushlight


def names(module):
    """What the expressions speak of, made anew for each of them."""

    class Sub(module.Tensor):
        pass

    class WithDLPack:
        def __dlpack__(self, **options):
            return np.arange(3.0).__dlpack__()

        def __dlpack_device__(self):
            return (1, 0)

    return {
        "Sub": Sub,
        "WithDLPack": WithDLPack,
        "copy": copy,
        "np": np,
        "torch": module,
        "there_and_back": lambda value: pickle.loads(pickle.dumps(value)),
        "i": module.tensor([1, 2]),
        "x": module.arange(6.0).reshape(2, 3),
        "y": module.ones(2, 3, requires_grad=True),
        "z": module.ones(2, dtype=module.complex64),
    }


def facts(value, module):
    if isinstance(value, module.Tensor):
        return repr(value), str(value.dtype), value.stride(), value.is_leaf, value.requires_grad
    return repr(value)


def outcome(expression, module):
    """What an expression gives, or its error's type and first line."""
    module.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return facts(eval(expression, names(module)), module)
        except Exception as error:
            first = str(error).split("\n")[0]
            # PyTorch goes on about its libraries where it has no CUDA.
            return type(error).__name__, first.split(" PyTorch splits")[0]


@pytest.mark.parametrize("group", [name for name in dir(creation_expressions) if name.isupper()])
def test_expressions(group):
    expressions = getattr(creation_expressions, group).strip().split("\n")
    different = []
    for expression in expressions:
        ours, theirs = outcome(expression, rushlight), outcome(expression, torch)
        if ours != theirs:
            different.append(f"{expression}\n  rushlight {ours}\n  PyTorch   {theirs}")
    assert not different, "\n".join(different)


FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", [*FLOATS, "bfloat16", "int32", "int64", "uint8"])
def test_ranges_to_the_last_bit(dtype):
    random = np.random.default_rng(0)
    for _ in range(40):
        start, step, steps = random.uniform(-10, 10), random.uniform(0.3, 3), int(random.integers(2, 160))
        if "int" in dtype:
            start, step = int(abs(start)), max(1, int(step))
        for call in (
            lambda t: t.arange(start, start + step * steps, step, dtype=getattr(t, dtype)),  # noqa: B023
            lambda t: t.linspace(start, start + step, steps, dtype=getattr(t, dtype)),  # noqa: B023
        ):
            assert call(rushlight).tolist() == call(torch).tolist()


@pytest.mark.parametrize("target", ["uint8", "int8", "int16", "int32", "int64", "bool", *FLOATS, "bfloat16", "complex64"])
@pytest.mark.parametrize("source", ["uint8", "int16", "int64", "bool", *FLOATS, "bfloat16", "complex128"])
def test_casts(source, target):
    values = [0, 1, 2.5, -1, -2.5, 127, 128, 255, 256, 300, 40000, 70000, 1e10, 1e20, 1e39, float("inf"), -float("inf")]
    values += [float("nan"), 1e-40, 65519.9, 65520, 0.1]
    # What does not fit an integer is left to the processor; so is how many values it does at once.
    if source not in ("uint8", "int16", "int64", "bool") and "int" in target:
        values = [v for v in values if abs(v) < 2**31]

    def cast(module):
        made = module.tensor(values, dtype=module.complex128 if source == "complex128" else module.float64)
        return repr(made.to(getattr(module, source)).to(getattr(module, target)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cast(rushlight) == cast(torch)


@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett", "kaiser"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows(name, dtype):
    for length in (0, 1, 2, 3, 5, 8, 64, 257):
        for periodic in (True, False):
            ours, theirs = (
                getattr(t, f"{name}_window")(length, periodic, dtype=getattr(t, dtype)).numpy() for t in (rushlight, torch)
            )
            np.testing.assert_allclose(ours, theirs, rtol=2e-6 if dtype == "float32" else 1e-12, atol=1e-6)


def test_warnings():
    for expression in (
        "torch.tensor(torch.ones(1))",
        "torch.range(1, 2)",
        "torch.ones(1).new_tensor(torch.ones(1))",
        "torch.arange(5, out=torch.zeros(3))",
        "torch.randint(2**25, (1,), dtype=torch.float32)",
        "torch.autograd.Variable(torch.ones(1), volatile=True)",
        "torch.ones(1).resize(1)",
    ):
        texts = []
        for module in (rushlight, torch):
            with pytest.warns(UserWarning) as caught:
                eval(expression, {"torch": module})
            texts.append(str(caught[0].message).split(" (Triggered")[0])
            assert module is torch or caught[0].filename == "<string>"
        assert texts[0] == texts[1]


def test_default_dtype():
    for name in ("float64", "float16", "bfloat16"):
        made = []
        for module in (rushlight, torch):
            module.set_default_dtype(getattr(module, name))
            try:
                tensors = [
                    *(module.tensor([1.5]), module.zeros(1), module.Tensor([1]), module.arange(1.0), module.randn(1)),
                    *(module.full((1,), 1.5), module.eye(1), module.linspace(0, 1, 2), module.rand(1), module.empty(1)),
                    *(module.tensor([1, 2.5]), module.tensor(3), module.hann_window(3)),
                ]
                made.append([str(each.dtype) for each in tensors])
            finally:
                module.set_default_dtype(module.float32)
        assert made[0] == made[1]


@pytest.mark.parametrize("make", ["zeros(1)", "tensor([1.0])", "rand(1)", "arange(3)", "full((1,), 2)", "randint(3, (1,))"])
def test_device_blocks(make):
    for module in (rushlight, torch):
        with module.device("cuda"), pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            eval(f"module.{make}")
        with module.device("cpu"):
            assert eval(f"module.{make}").device == module.device("cpu")
        with module.device("cuda"):
            assert module.zeros_like(module.zeros(1, device="cpu")).device.type == "cpu"
