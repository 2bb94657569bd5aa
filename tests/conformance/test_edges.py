"""Numbers at the edge: each expression gives what it gives in PyTorch, values, dtype, layout and errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import rushlight

HALF = ("torch.float16", "torch.bfloat16")
LIMITS = ("-inf, inf", "0, inf", "-inf, 5", "-1.8e38, 1.702e38", "-40000, 40000", "inf, inf", "-inf, -inf")
INTEGERS = ("int64", "int32", "int8", "uint8", "bool")
VALUES = "torch.tensor([0.5, -0.5, 0.3, -0.3, 0.30078125, 0.1, 3.0, -7.0, nan]"

EXPRESSIONS = [
    *(f"torch.median(torch.zeros(0, dtype=torch.{kind}))" for kind in ("int64", "int8", "uint8", "float32")),
    *(f"F.softshrink({VALUES}, dtype={kind}), {limit})" for kind in HALF for limit in (0.1, 0.3, 0.5, 2.7)),
    *(f"gradient(F.{name}, {VALUES}, dtype={kind}), {limit})"
      for name in ("softshrink", "hardshrink") for kind in (*HALF, "torch.float32") for limit in (0.1, 0.3, 0.5)),
    *(f"make_tensor(torch.{kind}, {limits})" for kind in ("float32", "float16", "bfloat16", "complex64") for limits in LIMITS),
    *(f"make_tensor(torch.{kind}, {limits})" for kind in INTEGERS for limits in LIMITS[:3]),
    "make_tensor(torch.int64, 2**63 - 1, inf)",
    "make_tensor(torch.int64, -2**63, 2**63)",
    *(f"torch.gradient(torch.arange(5.0) ** 2, spacing={spacing})" for spacing in (
        "torch.tensor(2.0)", "torch.tensor(2)", "torch.tensor([2.0])", "torch.arange(5.0)", "(torch.arange(5.0),)",
        "(torch.tensor([2.0]),)", "(torch.tensor([2.0, 3.0]),)", "(torch.tensor([0.0, 1.0, 3.0, 4.0]),)",
        "[torch.tensor(2.0)]", "torch.tensor(1 + 2j)", "'a'")),
    "F.max_pool3d(volume[0], 2)",
    "F.max_pool3d(volume, 2)",
    "F.max_pool3d(volume[0], 2, return_indices=True)[1]",
    "F.max_pool3d(volume[0].contiguous(), 2)",
    "gradient(F.max_pool3d, volume[0], 2)",
    "F.embedding_bag(torch.arange(7), torch.linspace(-3, 3, 21, dtype=torch.float16).view(7, 3), torch.tensor([0, 3, 3]))",
]  # fmt: skip


def outcome(expression: str, module) -> object:
    functional = module.nn.functional
    module.manual_seed(0)

    def gradient(function, x, *args):
        leaf = x.detach().requires_grad_()
        function(leaf, *args).sum().backward()
        return leaf.grad

    names = {
        "torch": module,
        "F": functional,
        "inf": float("inf"),
        "nan": float("nan"),
        "gradient": gradient,
        "make_tensor": lambda dtype, low, high: module.testing.make_tensor(6, dtype=dtype, device="cpu", low=low, high=high),
        "volume": module.arange(192.0).reshape(1, 3, 4, 4, 4).contiguous(memory_format=module.channels_last_3d),
    }
    try:
        found = eval(expression, names)
    except Exception as error:
        return type(error).__name__, str(error)
    tensors = found if isinstance(found, tuple) else (found,)
    return [(str(one.dtype), tuple(one.shape), one.stride(), one.tolist()) for one in tensors]


@pytest.mark.filterwarnings("ignore:Passing `low==high`:FutureWarning")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    expected, found = outcome(expression, torch), outcome(expression, rushlight)
    if isinstance(expected, tuple):
        assert found == expected
        return
    for one, other in zip(expected, found, strict=True):
        assert other[:3] == one[:3]
        np.testing.assert_array_equal(other[3], one[3])


class Column:
    """A sequence whose items are NumPy's numbers and which is iterated over in Python's, as pandas.Series."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, place: int):
        return self.array[place]

    def __iter__(self):
        return iter(self.array.tolist())


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "int32", "int8", "uint8", "bool"])
def test_a_column_of_a_data_frame_keeps_its_dtype(kind):
    column = Column(np.arange(3).astype(kind))
    for make in ("tensor", "as_tensor"):
        expected, found = (getattr(module, make)(column) for module in (torch, rushlight))
        assert str(found.dtype) == str(expected.dtype)
        assert found.tolist() == expected.tolist()
        nested = [str(getattr(module, make)([column, [1, 0, 1]]).dtype) for module in (torch, rushlight)]
        assert nested[0] == nested[1]
