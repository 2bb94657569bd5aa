"""Runs a program as ``python -m rushlight`` does, and writes what was computed in it, noted where nothing of ``explain`` is at work.

    python plain_values.py OUT.json PROGRAM

Lines that note values are put into the functions that ops are compiled to, before there is any: each result, and each cotangent
that a node runs with. So they are behind where writes are counted: what was written, with all that lie in its memory. Beside them each gradient
that arrives at a leaf, with what the leaf had before and has then.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from whole_values import keep_all

HOME = "rushlight.ops.compiling"
# Where writes are counted, when they are done.
WRITES = ("rushlight.autograd.views", "rushlight.ops.inplace", "rushlight.optim.by_rule", "rushlight.optim.blocks")
COUNTED = re.compile(r"^( +)(?:mirrors\.count\((\w+)\._counter, .*|version = (self)\._counter)\n", re.M)
found: dict[str, Any] = {"values": [], "runs": [], "leaves": []}
MOST = 300_000


def digest(value: Any) -> str:
    """A few letters for a value as recordings have it."""
    return hashlib.sha1(json.dumps(value).encode()).hexdigest()[:12]


class Noting(importlib.machinery.SourceFileLoader):
    """The module that compiles ops, in whose texts values are noted."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        make = module._make
        module.GLOBALS.update(noted=noted, noted_run=noted_run)

        def with_notes(source: str, **bound: Any) -> Any:
            source = source.replace("def vjp(node, g, edges):\n", "def vjp(node, g, edges):\n    noted_run(node, g)\n")
            if "def call(" in source:
                source = re.sub(r"^( +)return (?!call$)(.+)$", r"\1return noted((\2))", source, flags=re.M)
            return make(source, **bound)

        module._make = with_notes


class NotingWrites(importlib.machinery.SourceFileLoader):
    """A module that counts writes, and notes what was written."""

    def get_code(self, fullname: str) -> Any:
        source, changes = COUNTED.subn(r"\g<0>\1noted_write(\2\3)\n", Path(self.path).read_text())
        assert changes == 1
        return compile(source, self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["noted_write"] = noted_write
        super().exec_module(module)


class Finder:
    @staticmethod
    def find_spec(name: str, path: Any, target: Any = None) -> Any:
        if name != HOME and name not in WRITES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        assert spec is not None and spec.origin is not None
        loader = (Noting if name == HOME else NotingWrites)(name, spec.origin)
        return importlib.util.spec_from_file_location(name, spec.origin, loader=loader)


def told(array: Any) -> str:
    from rushlight.explain.values import value_of

    return digest(value_of(array))


def noted(result: Any) -> Any:
    if len(found["values"]) < MOST:
        results = result if isinstance(result, (tuple, list)) else (result,)
        found["values"] += [told(one) for one in results if hasattr(one, "_array")]
    return result


def noted_write(tensor: Any) -> None:
    """With all that lie in the same memory."""
    if len(found["values"]) < MOST:
        found["values"] += [told(one) for one in gc.get_referrers(tensor._counter) if hasattr(one, "_array")]


def noted_run(node: Any, g: Any) -> None:
    if len(found["runs"]) < MOST:
        arrived = g if node.metas is not None and g is not None else [g]
        found["runs"].append([node.name().rpartition("::")[2], *map(told, arrived)])


def noted_leaf(before: str, arrived: str, grad: Any) -> None:
    found["leaves"].append([before, arrived, told(grad)])
    if grad is not None:
        noted_write(grad)  # which the program may have views of


# Their frames are hidden from tracebacks, as those of compiled ops are.
WRAPPERS = """
def pulled(pull):
    def vjp(node, g, edges):
        noted_run(node, g)
        return pull(node, g, edges)
    return vjp

def received(accumulate):
    def both(variable, g, *way):
        before, arrived = told(variable._grad), told(g)
        accumulate(variable, g, *way)
        noted_leaf(before, arrived, variable._grad)
    return both
"""


def note_the_rest() -> None:
    """Nodes that are no op's, what refuses to be written in place, and leaves."""
    import rushlight
    import rushlight.operators.fallback  # has a node of its own
    from rushlight.autograd import engine, graph
    from rushlight.ops import inplace

    scope = {"noted_run": noted_run, "told": told, "noted_leaf": noted_leaf}
    exec(compile(WRAPPERS, "<rushlight notes>", "exec"), scope)
    waiting = [graph.Node]
    while waiting:
        one = waiting.pop()
        waiting += one.__subclasses__()
        for name in ("vjp", "vjp_tensors"):
            if name in vars(one) and vars(one)[name].__code__.co_filename.startswith(os.path.dirname(rushlight.__file__)):
                setattr(one, name, scope["pulled"](vars(one)[name]))
    named_anew = inplace._inplace_node

    @functools.cache
    def refusing(*words: Any) -> Any:
        found = named_anew(*words)
        for name in vars(found).keys() & {"vjp", "vjp_tensors"}:
            setattr(found, name, scope["pulled"](vars(found)[name]))
        return found

    inplace._inplace_node = refusing
    engine.BackwardPass.accumulate = staticmethod(scope["received"](engine.BackwardPass.accumulate))
    engine._accumulate_tensor = scope["received"](engine._accumulate_tensor)


def begin() -> None:
    """Before a program is run; rushlight has not been imported yet."""
    sys.meta_path.insert(0, Finder)
    note_the_rest()
    keep_all()


def main(words: list[str]) -> None:
    import rushlight
    from rushlight.__main__ import main as run

    out, program = words
    rushlight.manual_seed(0)
    process = os.getpid()
    try:
        run([program])
    finally:
        if os.getpid() == process:
            with open(out, "w", encoding="utf-8") as file:
                json.dump(found, file)


if __name__ == "__main__":
    sys.path.pop(0)
    begin()
    main(sys.argv[1:])
