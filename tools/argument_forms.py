"""Asks PyTorch which forms its functions take arguments in: ``python tools/argument_forms.py [--check]``.

PyTorch lists them in the error for arguments that fit none. ``src/rushlight/ops/argument_forms.txt`` keeps the lists of functions
with several forms, a line each; forms of methods that follow from the function's, or from the method's that makes a new tensor, are
left out. Needs PyTorch.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

import rushlight
from rushlight.ops.argument_forms import as_method
from rushlight.ops.public import methods, registry

STORED = Path(rushlight.__file__).parent / "ops" / "argument_forms.txt"
_MORE_THAN_ANY_TAKES = [object() for _ in range(60)]
_LIST = re.compile(
    r"(\w+)\(\) received an invalid combination of arguments - got \([^)]*\), but expected (one of:\n)?(.*)", re.DOTALL
)


def listed(function: Any) -> tuple[str, tuple[str, ...]] | None:
    """The name by which PyTorch calls a function, and its forms; None where it lists none."""
    try:
        function(*_MORE_THAN_ANY_TAKES)
    except Exception as error:
        said = _LIST.match(str(error))
        if said is None:
            return None
        forms = re.findall(r"^ \* \((.*)\)$", said[3], re.MULTILINE) if said[2] else [said[3].strip()[1:-1]]
        return said[1], tuple(forms)
    return None


def functions() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Those of the namespaces that rushlight publishes functions in."""
    for space, names in registry.items():
        home: Any = torch
        for part in space.split(".")[1:]:
            home = getattr(home, part, None)
        for name in names:
            found = None if name.startswith("_") else listed(getattr(home, name, None))
            if found is not None:
                yield found


def lines() -> str:
    """The file: functions, and behind a dot methods."""
    of_functions = dict(functions())
    x = torch.ones(2, 2, dtype=torch.complex64)  # has every attribute
    asked = {name: listed(getattr(x, name)) for name in methods if callable(getattr(x, name, None))}
    of_methods = {name: found[1] for name, found in asked.items() if found is not None}
    own = {
        name: forms
        for name, forms in of_methods.items()
        if forms
        not in (as_method(of_functions.get(name, ())), of_methods.get(name.removesuffix("_")) if name[-1] == "_" else None)
    }
    # A function with several forms whose method has one says so, lest the method be taken for another with several.
    single = {name: () for name in of_functions if name in methods and name not in of_methods}
    entries = {**of_functions, **{f".{name}": forms for name, forms in {**own, **single}.items()}}
    return "".join(
        f"{name}: {' | '.join(f'({form})' for form in forms)}".rstrip() + "\n" for name, forms in sorted(entries.items())
    )


def main(arguments: list[str]) -> int:
    """Writes the file, or says whether it is PyTorch's."""
    warnings.simplefilter("ignore")
    text = lines()
    if "--check" in arguments:
        return int(text != STORED.read_text())
    STORED.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
