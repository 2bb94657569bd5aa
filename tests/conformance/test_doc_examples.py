"""The examples in PyTorch's own docstrings print the same on rushlight: for every public name that both have.

They are read from the installed PyTorch when the test runs. Statements that fail on PyTorch (many examples use names that
they never define) ask nothing of rushlight; numbers are compared to the digits of single precision.
"""

import builtins
import contextlib
import doctest
import importlib
import io
import re
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from sides import Missing, attribute
from torch_names import DATA

import rushlight

# What cannot agree, or is not the library's: memory as it was found, addresses, a seed from the system, other machines' parts.
LEFT_OUT = {
    "torch.empty": "shows memory that nobody wrote",
    "torch.empty_strided": "shows memory that nobody wrote",
    "torch.Tensor.new_empty": "shows memory that nobody wrote",
    "torch.Tensor.new_empty_strided": "shows memory that nobody wrote",
    "torch.fft.hfft2": "shows whether rounding stays within a tolerance",
    "torch.fft.hfftn": "shows whether rounding stays within a tolerance",
    "torch.linalg.solve": "shows whether rounding stays within a tolerance",
    "torch.linalg.solve_triangular": "shows whether rounding stays within a tolerance",
    "torch.linalg.lu_solve": "shows whether rounding stays within a tolerance",
    "torch.linalg.eigh": "shows the sign of a zero",
    "torch.nn.utils.skip_init": "shows memory that nobody wrote",
    "torch.autograd.profiler.record_function": "shows times",
    "torch.profiler.record_function": "shows times",
    "torch.Generator.seed": "a number from the system",
    "torch.vmap": "the repr of a built-in function",
    "torch.func.vmap": "the repr of a built-in function",
    "torch.narrow_copy": "sparse tensors are not there",
    "torch.resolve_neg": "rushlight computes where PyTorch sets a negative bit",
    "torch.set_flush_denormal": "NumPy cannot set it",
    "torch.overrides.get_testing_overrides": "shows the signature of PyTorch's own stand-in, which is not the function's",
    "torch.func.functionalize": "torch.fx is not there",
}
ELSEWHERE = re.compile(
    r"cuda|jit|distributed|\.mps|\.xpu|quant|sparse|nested|onnx|multiprocessing|\.hub|compile|library|mtia|export"
)
START = """
import functools, math
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.autograd import Function, forward_ad as fwAD
"""
NUMBER = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?|\binf\b|\bnan\b")
STATEMENT = re.compile(r"^[ ]*>>> (.*(?:\n[ ]*\.\.\. ?.*)*)", re.MULTILINE)


def statements(docstring: str) -> list[str]:
    try:
        return [part.source for part in doctest.DocTestParser().parse(docstring) if isinstance(part, doctest.Example)]
    except ValueError:  # an example that is not laid out as doctest wants it
        return [re.sub(r"\n[ ]*\.\.\. ?", "\n", found) + "\n" for found in STATEMENT.findall(docstring)]


def public_names() -> Iterator[str]:
    for line in DATA.read_text().splitlines()[1:]:
        owner, _, names = line.partition(":")
        yield from (f"{owner}.{name}" for name in names.split())


def examples() -> Iterator[Any]:
    """Each docstring once, under the first name that has it."""
    seen: set[str] = set()
    for name in public_names():
        if ELSEWHERE.search(name) or name in LEFT_OUT:
            continue
        path = name.removeprefix("torch.")
        try:
            attribute(rushlight, path)
            with warnings.catch_warnings(action="ignore"):
                docstring = attribute(torch, path).__doc__
        except (Missing, AttributeError):
            continue
        if isinstance(docstring, str) and ">>>" in docstring and docstring not in seen:
            seen.add(docstring)
            yield pytest.param(docstring, id=name)


def as_torch(name: str, space: Any = None, local: Any = None, names: Any = (), level: int = 0) -> Any:
    """``import torch.x`` in the examples as rushlight runs them."""
    if name.partition(".")[0] != "torch":
        return __import__(name, space, local, names, level)
    module = importlib.import_module(name.replace("torch", "rushlight", 1))
    return module if names else rushlight


def run(module: types.ModuleType, sources: list[str]) -> list[str | Exception]:
    """What each statement prints, or raises."""
    space: dict[str, Any] = {"__name__": "__main__"}
    if module is rushlight:
        space["__builtins__"] = {**vars(builtins), "__import__": as_torch}
    results: list[str | Exception] = []
    with contextlib.redirect_stderr(io.StringIO()):
        exec(START, space)
        module.manual_seed(0)
        for source in sources:
            printed = io.StringIO()
            try:
                with contextlib.redirect_stdout(printed):
                    exec(compile(source, "<example>", "single"), space)
                results.append(printed.getvalue())
            except Exception as error:
                results.append(error)
    restore(module)
    return results


def restore(module: types.ModuleType) -> None:
    """The state of a fresh process: other tests run in this one."""
    module.set_grad_enabled(True)
    module.set_default_dtype(module.float32)
    module.set_default_device(None)
    module.set_printoptions(profile="default")
    module.autograd.set_detect_anomaly(False)
    module.use_deterministic_algorithms(False)


def alike(ours: str, theirs: str) -> bool:
    ours, theirs = (re.sub(r"0x[0-9a-f]+|\s+|<\S*\.(?=\w+ object)", "", text) for text in (ours, theirs))
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= 1e-3 * max(1, abs(float(b))) for a, b in pairs)


@pytest.mark.parametrize("docstring", list(examples()))
@pytest.mark.filterwarnings("ignore")
def test_example_prints_what_it_prints_on_pytorch(docstring: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    sources = statements(docstring)
    for source, ours, theirs in zip(sources, run(rushlight, sources), run(torch, sources), strict=True):
        if isinstance(theirs, Exception):
            continue
        if isinstance(ours, Exception):
            raise AssertionError(f"{source}raises, where PyTorch prints {theirs!r}") from ours
        assert alike(ours, theirs), f"{source}prints\n{ours}where PyTorch prints\n{theirs}"
