"""The text of random tensors under random options, against PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rushlight.base import dtypes
from rushlight.tensors import printing

TELLING = [0.0, -0.0, 1, 1000, 1001, 1e8, 1e8 + 1, 1e-4, 9.9999e-5, 0.5, 500, 501, 9.99995, 999.99995, -9.99995e9]
NOT_FINITE = [np.nan, np.inf, -np.inf]


class Sub(torch.Tensor):
    pass


@pytest.fixture(autouse=True)
def _defaults():
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    dtypes.set_default_dtype(dtypes.float32)
    printing.set_printoptions(profile="default")


def values(rng, count):
    """Numbers of one of many makes: around the places where the notation changes, or far from them."""
    normal = rng.standard_normal(count)
    makes = (
        lambda: normal,
        lambda: rng.integers(-20, 20, count).astype(float),
        lambda: normal * 10.0 ** rng.integers(-12, 12),
        lambda: normal * 10.0 ** rng.integers(-6, 6, count),
        lambda: np.round(normal * 10.0 ** rng.integers(0, 10)),
        lambda: rng.choice(TELLING, count),
        lambda: rng.choice([*NOT_FINITE, 0.0, -0.0, 1.5, -1, 3e4, 1e-7, 1e300, 5e-324], count),
        lambda: np.zeros(count),
        lambda: rng.choice(NOT_FINITE, count),
    )
    return makes[rng.integers(len(makes))]()


def array(rng, dtype, shape):
    count = int(np.prod(shape))
    if dtype is dtypes.bool_:
        made = rng.integers(0, 2, count) > rng.integers(0, 2)
    elif dtype.kind_rank == dtypes.INTEGRAL:
        limits = np.iinfo(dtype.numpy)
        low, high = (limits.min, limits.max) if rng.integers(2) else (max(limits.min, -20), 20)
        made = rng.integers(low, high, count, dtype=dtype.numpy)
    else:
        made = values(rng, count)
        if dtype.is_complex:
            made = made.astype(complex)
            made.imag = values(rng, count)
    with np.errstate(over="ignore"):
        return made.astype(dtype.numpy).reshape(shape)


def to_torch(array, dtype):
    if dtype is dtypes.bfloat16:
        return torch.from_numpy(array.view("int16").copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def options(rng):
    ways = {
        "precision": int(rng.integers(0, 12)),
        "threshold": int(rng.choice([0, 1, 5, 20, 100])),
        "edgeitems": int(rng.integers(0, 6)),
        "linewidth": int(rng.integers(1, 140)),
        "sci_mode": bool(rng.integers(2)),
        "profile": str(rng.choice(["default", "short", "full"])),
    }
    return {name: value for name, value in ways.items() if rng.random() < 0.25}


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=repr)
def test_text_of_random_tensors(dtype):
    rng = np.random.default_rng(dtypes.ALL.index(dtype))
    for _ in range(300):
        chosen = options(rng)
        for each in (torch, printing):
            each.set_printoptions(profile="default")
            each.set_printoptions(**chosen)
        default = str(rng.choice(["float32", "float32", "float64", "bfloat16"]))
        torch.set_default_dtype(getattr(torch, default))
        dtypes.set_default_dtype(dtypes.named(default))

        ndim = int(rng.choice([0, 1, 1, 2, 2, 3, 4]))
        longest = (1, 40, 12, 7, 5)[ndim]
        shape = tuple(rng.integers(0 if rng.random() < 0.1 else 1, longest + 1, ndim).tolist())
        ours = np.asarray(array(rng, dtype, shape))
        reference = to_torch(ours, dtype)
        how = {}
        if dtype.kind_rank >= dtypes.FLOATING and rng.integers(2):
            reference.requires_grad_()
            how["requires_grad"] = True
            if rng.integers(2):
                reference = reference.clone()
                how["grad_fn_name"] = "CloneBackward0"
        if rng.random() < 0.1:
            reference = reference.detach().as_subclass(Sub)
            how = {"name": "Sub"}
        assert printing.tensor_text(ours, dtype, **how) == repr(reference), (shape, chosen, default)


SUMMARISED = [(1001,), (1500,), (40, 40), (3, 400), (400, 3), (16, 16, 16), (2, 1, 900), (6, 7, 6, 7)]


@pytest.mark.parametrize("shape", SUMMARISED, ids=repr)
@pytest.mark.parametrize("name", ["float32", "complex64", "int64", "bool"])
def test_text_of_summaries(name, shape):
    rng = np.random.default_rng(len(shape))
    for _ in range(10):
        ours = array(rng, dtypes.named(name), shape)
        assert printing.tensor_text(ours, dtypes.named(name)) == repr(torch.from_numpy(ours))


def test_options_after_each_call():
    calls = [
        {"precision": 3},
        {"sci_mode": True},
        {"edgeitems": 5},
        {"profile": "full"},
        {"linewidth": 100, "sci_mode": False},
        {"profile": "short", "precision": 7},
        {"profile": "unheard of"},
        {},
        {"threshold": 10},
        {"profile": "default"},
    ]
    for call in calls:
        torch.set_printoptions(**call)
        printing.set_printoptions(**call)
        assert printing.get_printoptions() == torch._tensor_str.get_printoptions()
