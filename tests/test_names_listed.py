"""dir() of a module lists what the module serves when it is asked for it."""

from __future__ import annotations

import importlib

import pytest

import rushlight as torch

MODULES = "nn nn.functional nn.utils linalg fft special func optim amp utils utils.data distributions autograd autograd.graph functional"


@pytest.mark.parametrize("name", ["rushlight", *(f"rushlight.{each}" for each in MODULES.split())])
def test_all_that_is_listed_is_there(name: str) -> None:
    module = importlib.import_module(name)
    listed = dir(module)
    assert listed == sorted(listed)
    assert [each for each in listed if not hasattr(module, each)] == []


def test_functions_of_the_table_are_listed_and_methods_are_not() -> None:
    assert {"sin", "matmul", "relu_"} <= set(dir(torch)) and not {"add_", "mul_"} & set(dir(torch))
    assert {"conv2d", "gelu"} <= set(dir(torch.nn.functional))
    assert {"save_on_cpu", "Node"} <= set(dir(torch.autograd.graph))
