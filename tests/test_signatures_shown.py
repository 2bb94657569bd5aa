"""What ``inspect.signature`` and ``help`` show of everything public: defaults that can be read, never the marks of our own."""

from __future__ import annotations

import inspect
import pydoc
import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from rushlight.base.missing_names import torch_names

# A default that is an object of a program's own kind is shown by PyTorch by its address too: functions and the default generator.
BY_ADDRESS = re.compile(r"<(function \w+|torch\._C\.Generator object) at 0x[0-9a-f]+>")


def public() -> Iterator[tuple[str, Any]]:
    """Each public function, class and method, with its name."""
    seen: set[int] = set()
    for spelled, names in torch_names().items():
        try:
            module = import_module("rushlight" + spelled.removeprefix("torch"))
        except ImportError:
            continue
        for name in names:
            found = getattr(module, name, None)
            inside = vars(found) if inspect.isclass(found) and found.__module__.startswith("rushlight") else {}
            members = [
                (f".{each}", getattr(found, each, None)) for each in list(inside) if each[0] != "_" or each == "__init__"
            ]
            for suffix, value in [("", found), *members]:
                if callable(value) and id(value) not in seen:
                    seen.add(id(value))
                    yield f"{spelled}.{name}{suffix}", value


def test_signatures_and_help_show_defaults_that_can_be_read() -> None:
    count, unreadable = 0, []
    with warnings.catch_warnings(action="ignore"):
        for name, value in public():
            try:
                shown = [str(inspect.signature(value))]
            except (TypeError, ValueError):  # classes of Python's own
                continue
            count += 1
            if not inspect.isclass(value):
                shown += pydoc.plain(pydoc.render_doc(value)).splitlines()[2:3]
            if any(" at 0x" in BY_ADDRESS.sub("", text) or "<object" in text for text in shown):
                unreadable.append((name, shown))
    assert count > 3_000
    assert not unreadable
