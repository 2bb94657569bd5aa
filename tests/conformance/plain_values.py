"""Runs a program as ``python -m rushlight`` does, and writes what was computed in it, noted where nothing of ``explain`` is at work.

    python plain_values.py OUT.json PROGRAM [looked-on]

Lines that note values are put into the functions that ops are compiled to, before there is any: each result, and each cotangent
that a node runs with. So they are behind where writes are counted: what was written, with all that lie in its memory. Beside them each gradient
that arrives at a leaf, with what the leaf had before and has then. With ``looked-on`` somebody is on the stack who takes nothing over:
what works on arrays while nobody looks then runs as ops.
"""

from __future__ import annotations

import functools
import gc
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from whole_values import digest, keep_all

HOME = "rushlight.ops.compiling"
# Where writes are counted, when they are done.
WRITES = (
    "rushlight.autograd.views",
    "rushlight.ops.inplace",
    "rushlight.optim.by_rule",
    "rushlight.optim.blocks",
    "rushlight.sparse.tensors",
)
COUNTED = re.compile(
    r"^( +)(?:mirrors\.count\((\w+)\._counter, .*|if mirrors_by_counter:\n +renew\(version\)|self\._counter\[0\] \+= 1)\n", re.M
)
found: dict[str, Any] = {"values": set(), "runs": [], "leaves": []}
MOST = 300_000


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
        source, changes = COUNTED.subn(
            lambda found: f"{found[0]}{found[1]}noted_write({found[2] or 'self'})\n", Path(self.path).read_text()
        )
        assert changes
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
        found["values"].update(told(one) for one in results if hasattr(one, "_array"))
    return result


def references(holder: Any) -> int:
    counter = holder._counter
    return sys.getrefcount(counter)


ALONE = references(SimpleNamespace(_counter=[0]))  # where nothing else has it


def noted_write(tensor: Any) -> None:
    """With all that lie in the same memory, or in one that mirrors it."""
    from rushlight.autograd import mirrors

    if len(found["values"]) >= MOST:
        return
    if references(tensor) == ALONE and not mirrors.mirrors_by_counter:  # which spares a look through all that there is
        found["values"].add(told(tensor))
        return
    waiting = [tensor._counter]
    while isinstance(waiting[0], mirrors.Mirror):  # up to what is mirrored in the end
        waiting = [waiting[0].of._counter]
    for counter in waiting:  # which grows
        holders = gc.get_referrers(counter)
        holders += gc.get_referrers(*(one for one in holders if type(one) is dict))  # whose own that is, of a changed class
        found["values"].update(told(one) for one in holders if hasattr(one, "_array"))
        waiting += mirrors._mirrors(counter)


def noted_lengthened(array: Any) -> None:
    """What lay in the memory when it was shorter has what was written only now."""
    for one in gc.get_referrers(array):
        if hasattr(one, "_array"):
            noted_write(one)


def noted_run(node: Any, g: Any) -> None:
    if len(found["runs"]) < MOST:
        arrived = g if node.metas is not None and g is not None else [g]
        found["runs"].append(" ".join([node.name().rpartition("::")[2], *map(told, arrived)]))  # no list to be looked through


def noted_leaf(before: str, arrived: str, grad: Any) -> None:
    found["leaves"].append(f"{before} {arrived} {told(grad)}")
    if grad is not None:
        noted_write(grad)  # which the program may have views of


# Their frames are hidden from tracebacks, as those of compiled ops are.
WRAPPERS = """
def pulled(pull):
    def vjp(node, g, edges):
        noted_run(node, g)
        return pull(node, g, edges)
    return vjp

def seen(see):
    def lengthened(have, longer):
        see(have, longer)
        noted_lengthened(longer)
    return lengthened

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
    from rushlight.ops import inplace, out
    from rushlight.tensors.creation import allocation

    scope = {"noted_lengthened": noted_lengthened, "noted_run": noted_run, "told": told, "noted_leaf": noted_leaf}
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
    for module in (out, allocation):
        module.seen_before = scope["seen"](module.seen_before)
    engine.BackwardPass.accumulate = staticmethod(scope["received"](engine.BackwardPass.accumulate))
    engine._accumulate_tensor = scope["received"](engine._accumulate_tensor)


def begin() -> None:
    """Before a program is run; rushlight has not been imported yet."""
    sys.meta_path.insert(0, Finder)
    note_the_rest()
    keep_all()
    from rushlight.explain import values

    # Of what is kept whole they are no part of what is told.
    values._statistics, values._thumbnail = lambda array: {"nonfinite": 0}, lambda array, is_finite: None


def look_on() -> None:
    """Puts one on the stack who has each op and each pass done as they are."""
    from rushlight.autograd import interpreters, modes
    from rushlight.autograd.observed_pass import ObservedPass
    from rushlight.ops.interceptors import run_below

    class Looking(interpreters.Interpreter):
        def op(self, op: Any, args: tuple[Any, ...]) -> Any:
            return run_below(op, args, self)

        def backward_pass(self, keep_graph: bool, over_tensors: bool) -> ObservedPass:
            return ObservedPass(keep_graph, over_tensors)

    found["looking"] = modes.Mark(hidden=True)  # while it is kept
    interpreters.stack.put(Looking())


def main(words: list[str]) -> None:
    import rushlight
    from rushlight.__main__ import main as run

    out, program, *others = words
    if others:
        look_on()
    rushlight.manual_seed(0)
    process = os.getpid()
    try:
        run([program])
    finally:
        if os.getpid() == process:
            with open(out, "w", encoding="utf-8") as file:
                json.dump({"values": sorted(found["values"]), "runs": found["runs"], "leaves": found["leaves"]}, file)


if __name__ == "__main__":
    sys.path.pop(0)
    begin()
    main(sys.argv[1:])
