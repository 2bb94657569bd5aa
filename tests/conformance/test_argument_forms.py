"""What PyTorch says of arguments that none of a function's forms takes: the forms are PyTorch's, and so is what is made of them."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import rushlight
from rushlight.ops.argument_forms import forms_of, refusal
from rushlight.ops.public import methods

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (ROOT / "src" / "rushlight" / "ops" / "argument_forms.txt").read_text().splitlines()
NAMES = [re.split(" |:", line)[0] for line in TEXTS if line[0] != "."]
SPACES = ("linalg", "fft", "special")


def function_of(name: str, package: Any = torch) -> Any:
    """A side's function of a name that PyTorch's errors have; None where it is not public."""
    space, _, rest = name.partition("_")
    return getattr(package, name, None) or getattr(getattr(package, space, None) if space in SPACES else None, rest, None)


FUNCTIONS = [name for name in NAMES if function_of(name) is not None]
METHODS = sorted(name for name in methods if forms_of(name, True) and hasattr(torch.Tensor, name))
# Read by parsers of their own; by forms that PyTorch does not list; lists of tensors, whose elements are asked for first; or where
# devices, or the last of several sizes, are looked at first; whose objects are read in many ways; with Python before them.
LEFT_OUT = frozenset(
    "cuda new set_ to type xpu | add add_ sub sub_ normal_ | dequantize histogramdd lstm gru rnn_tanh rnn_relu | new_ones as_strided_copy | "
    "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor | "
    "stft tensordot".split()
)


def pool(package: Any) -> list[Any]:
    """Arguments of many kinds, on one of the two sides."""
    return [
        1, 0, 1.5, True, "a", None, package.ones(2, 2), package.tensor(1), package.float32,
        [0], (0, 1), [1.5], (), [1, "a"], [package.ones(2, 2)],
    ]  # fmt: skip


def said(function: Any, args: list[Any], kwargs: dict[str, Any]) -> str | None:
    """PyTorch's TypeError; None where it takes the arguments, whatever comes of them."""
    try:
        function(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except Exception:
        return None
    return None


def test_the_forms_are_pytorchs() -> None:
    check = [sys.executable, str(ROOT / "tools" / "argument_forms.py"), "--check"]
    assert subprocess.run(check, check=False).returncode == 0, "python tools/argument_forms.py"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "method"), [(name, False) for name in FUNCTIONS] + [(name, True) for name in METHODS])
def test_refusals_are_pytorchs(name: str, method: bool) -> None:
    if name in LEFT_OUT:
        return
    generator = random.Random(name)
    form = forms_of(name, method)
    labels = [parameter.label for each in form for parameter in each.parameters if parameter.label != "out"] + ["no_such"]
    theirs, ours = pool(torch), pool(rushlight)
    wrong = []
    for _ in range(40):
        chosen = [generator.randrange(len(ours)) for _ in range(generator.randrange(4))]
        if chosen and not method and generator.random() < 0.7:
            chosen[0] = 6  # a tensor
        named = {generator.choice(labels): generator.randrange(len(ours))} if generator.random() < 0.4 else {}
        function = getattr(torch.ones(2, 2), name) if method else function_of(name)
        expected = said(function, [theirs[i] for i in chosen], {key: theirs[i] for key, i in named.items()})
        found = refusal(name, method, tuple(ours[i] for i in chosen), {key: ours[i] for key, i in named.items()})
        if (expected is None) != (found is None) or (expected is not None and expected != str(found)):
            wrong.append((expected, found))
    assert wrong == []
