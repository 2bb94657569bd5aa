"""Every test, those in docstrings included, starts from the state of a fresh process."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
from collections.abc import Iterator

import pytest
from _pytest.doctest import DoctestItem
from hypothesis import settings

os.environ["RUSHLIGHT_CHECK"] = "1"  # tensors check that what they hold is an array

import rushlight as torch
from rushlight.ops.public import registry
from rushlight.tensors.printing import set_printoptions

THREADS = torch.get_num_threads()

# TensorBoard's package is not among the tools; ecosystem/ tries what is written through it.
collect_ignore = ["src/rushlight/utils/tensorboard"]

# The same examples in every run, however slow the machine: a failure is a change of the code. Hypothesis takes numbers that are
# written in imported modules, too, so all of the package's are there before the first.
for _module in pkgutil.walk_packages(torch.__path__, "rushlight."):
    if not _module.name.endswith("tensorboard"):
        importlib.import_module(_module.name)
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Ten thousand tests are for the collector to look through neither while they are found, a seventh of that time, nor later, an
    eighth of the time of them all."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Examples of functions that modules serve when asked see no names of the module: there ``int`` and ``float`` are dtypes."""
    for item in items:
        if isinstance(item, DoctestItem):
            home = item.dtest.globs["__name__"]
            if item.name.removeprefix(home + ".") in registry.get("torch" + home.removeprefix("rushlight"), {}):
                item.dtest.globs = {"__name__": "__main__"}


@pytest.fixture(autouse=True)
def fresh_state() -> Iterator[None]:
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)
    set_printoptions(profile="default")
    torch.set_grad_enabled(True)
    if torch.get_num_threads() != THREADS:
        torch.set_num_threads(THREADS)
