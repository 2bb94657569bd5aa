"""No memory of other libraries is read or written at addresses, and no code of functions is changed behind their back.

What is allowed, where and why stands in ALLOWED. That list is to shrink, never to grow.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from forking import program_output

import rushlight

ROOT = Path(rushlight.__file__).parent
SOURCES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
ROOMS = sorted({path.partition("/")[0] for path in SOURCES})
ALLOWED = {
    # The C library's published functions: mallopt, malloc_trim, mallinfo2.
    "ctypes": {"backend/caching_allocator.py", "backend/openblas.py", "backend/dlpack.py"},
    "CDLL": {"backend/caching_allocator.py", "backend/openblas.py"},  # and OpenBLAS's: its number of threads, its processor
    "pythonapi": {"backend/dlpack.py"},  # what is in a capsule
    "getrefcount": {"backend/ownership.py"},
    # How many parameters a function has, what they are called, where it was written: read only.
    "__code__": {
        "base/arguments.py", "ops/forward_rules.py", "transforms/dynamic_layers.py",
        "compiled/capture/guards.py", "compiled/capture/recorder.py", "compiled/capture/trace.py",
        "compat/fx/tracer.py", "nn/modules/named_methods.py", "ops/activations.py", "ops/misfits.py", "ops/public.py", "ops/rules_text.py",
    },
    # what a function got from around it: read only
    "cell_contents": {"transforms/dynamic_layers.py", "compiled/capture/guards.py", "compiled/capture/trace.py"},
    # What a user's program does beside its ops, while it is recorded; how many names it unpacks a Proxy into.
    "dis": {"compiled/capture/bytecode.py", "compat/fx/proxy.py"},
    "_core": {"compat/cpu/__init__.py"},  # whose features PyTorch has a function for
}  # fmt: skip
NOWHERE = set(
    "from_address addressof string_at wstring_at memmove memset byref CFUNCTYPE PYFUNCTYPE PyDLL PyObj_FromPtr data_as "
    "exec_blas inner_loop blas_cpu_number _ARRAY_API PyDataMem_SetHandler get_referrers".split()
)
NEVER_SET = {"__code__", "cell_contents", "__closure__"}


def named(node: ast.AST) -> list[str]:
    """The names that a piece of a program mentions, those in strings too."""
    if isinstance(node, ast.Import):
        return [part for one in node.names for part in one.name.split(".")]
    if isinstance(node, ast.ImportFrom):
        return [*(node.module or "").split("."), *(one.name for one in node.names)]
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
        return node.value.split(".")
    return []


def misuses(text: str, path: str = "") -> list[str]:
    found = []
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in named(node):
            if name in NOWHERE or path not in ALLOWED.get(name, {path}):
                found.append(name)
        if isinstance(node, ast.Attribute):
            if node.attr == "ctypes":
                found.append("an array's .ctypes")
            if isinstance(node.ctx, ast.Store | ast.Del) and node.attr in NEVER_SET:
                found.append(f"{node.attr} = ...")
            if _is_repr(node.value):
                found.append("repr(...) that is read")
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and any(map(_is_repr, node.comparators)):
            found.append("repr(...) that is read")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(node.args) > 1:
            attribute = node.args[1]
            if isinstance(attribute, ast.Constant) and attribute.value in NEVER_SET:
                found.append(f"{attribute.value} = ...")
    return found


def _is_repr(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "repr"


@pytest.mark.parametrize("room", ROOMS)
def test_the_package_reads_no_private_memory(room: str) -> None:
    for path in SOURCES:
        if path.partition("/")[0] == room:
            assert misuses((ROOT / path).read_text(encoding="utf-8"), path) == [], path


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_allowed_is_still_there(name: str) -> None:
    for path in ALLOWED[name]:
        tree = ast.parse((ROOT / path).read_text())
        assert any(name in named(node) for node in ast.walk(tree)), f"{path} no longer needs {name}"


@pytest.mark.parametrize(
    "text",
    [
        "import dis",
        "from dis import Bytecode",
        "T.from_address(0)",
        "f('exec_blas')",
        "inner_loop(u)",
        "import ctypes",
        "from ctypes import CDLL as C",
        "library.call(x.ctypes.data)",
        "f.__code__ = g.__code__",
        "setattr(f, '__code__', code)",
        "cell.cell_contents = 1",
        "del cell.cell_contents",
        "count = f.__code__.co_argcount",
        "sys.getrefcount(x)",
        "from sys import getrefcount",
        "import_module('numpy._core._multiarray_umath')",
        "np._core.multiarray",
        "repr(counter).partition('(')",
        "'dltensor' in repr(capsule)",
    ],
)
def test_what_would_is_found(text: str) -> None:
    assert misuses(text)


def test_a_single_number_meets_a_large_array_on_two_threads() -> None:
    program = (
        "import rushlight as torch\n"
        "torch.set_num_threads(2)\n"
        "x = torch.ones(400, 400, dtype=torch.float64)\n"
        "y = x * torch.bernoulli(torch.tensor(0.5, dtype=torch.float64))\n"
        "assert y.shape == (400, 400)\n"
    )
    assert program_output(program) == ""
