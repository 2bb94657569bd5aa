"""What is read from the bytecode of functions: which names they ask for, and how they take what they are given."""

from __future__ import annotations

import dis
import functools
import importlib.util
import itertools
import re
import types
from collections.abc import Iterator

from . import known_functions

_METADATA = frozenset("shape dtype ndim size strides flags itemsize nbytes".split())
_MATCH = dis.opmap["MATCH_CLASS"]  # attributes by names that are constants, or the class's
_OF_GLOBALS = frozenset(
    ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "STORE_GLOBAL", "STORE_NAME", "DELETE_GLOBAL", "DELETE_NAME")
)
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "**": "pow", "&": "and",
    "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift", "<": "lt", "<=": "le", "==": "eq", "!=": "ne", ">": "gt", ">=": "ge",
    "[": "getitem",
}  # fmt: skip
_BLOCK = "__enter__", "__exit__"
_CALL = "__call__", "__init__", "__new__"
_STEPS = {
    "UNARY_NEGATIVE": ("__neg__",), "UNARY_INVERT": ("__invert__",), "BINARY_SUBSCR": ("__getitem__",), "BINARY_SLICE": ("__getitem__",),
    "STORE_SUBSCR": ("__setitem__",), "STORE_SLICE": ("__setitem__",), "DELETE_SUBSCR": ("__delitem__",), "GET_ITER": ("__iter__",),
    "UNPACK_SEQUENCE": ("__iter__",), "CONTAINS_OP": ("__contains__",), "BEFORE_WITH": _BLOCK, "LOAD_SPECIAL": _BLOCK, "CALL": _CALL,
    "CALL_KW": _CALL, "CALL_FUNCTION_EX": _CALL, "LOAD_ATTR": ("__getattr__", "__getattribute__"), "STORE_ATTR": ("__setattr__",),
}  # fmt: skip


@functools.lru_cache(1 << 14)
def globals_of(code: types.CodeType) -> frozenset[str]:
    """The globals that code asks for, and not the attributes."""
    return frozenset(step.argval for step in dis.get_instructions(code) if step.opname in _OF_GLOBALS)


@functools.lru_cache(1 << 14)
def operators_of(code: types.CodeType) -> frozenset[str]:
    """The methods that the steps of code ask for without their names: operators, calls, loops, blocks."""
    names: set[str] = set()
    for step in dis.get_instructions(code):
        if step.opname in ("BINARY_OP", "COMPARE_OP"):
            sign = re.sub(r"[^-+*/%@&|^<>=!\[]", "", step.argrepr)
            name = _OPERATORS.get(sign.removesuffix("=") if sign not in _OPERATORS else sign, "")
            names.update((f"__{name}__", f"__r{name}__", *([f"__i{name}__"] if sign.endswith("=") else [])))
        else:
            names.update(_STEPS.get(step.opname, ()))
    return frozenset(names)


@functools.lru_cache(1 << 14)
def imports_of(code: types.CodeType, package: str) -> frozenset[str]:
    """The modules that code imports when it runs, in a module of ``package``."""
    steps = list(dis.get_instructions(code))
    found = set()
    for place, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level = next(one.argval for one in reversed(steps[: place - 1]) if one.opname.startswith("LOAD_"))
            found.add(importlib.util.resolve_name("." * level + step.argval, package))
    return frozenset(found)


def asks_by_text(code: types.CodeType) -> bool:
    """Whether code may ask for attributes by names that do not stand in it, where nobody sees it."""
    names = frozenset(code.co_names)
    unseen = names & known_functions.BY_GIVEN and not names.isdisjoint(one.__name__ for one in known_functions.BY_NAME)
    return bool(unseen) or not names.isdisjoint(known_functions.BY_TEXT) or _MATCH in code.co_code[::2]


def returns(frame: types.FrameType) -> bool:
    """Whether a frame that ends does so with a result, and not with an error."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith(("RETURN", "YIELD"))


def looks_at_values(code: types.CodeType) -> bool:
    """Whether a function takes a tensor's array for more than its form."""
    if "_array" not in code.co_names and "_array" not in code.co_consts:
        return False
    steps = [*_steps(code), ("", ""), ("", "")]
    arrays = set()  # local names of arrays
    for place, step in enumerate(steps[:-2]):
        if step == ("LOAD_ATTR", "_array"):
            following = steps[place + 1]
        elif step == ("LOAD_CONST", "_array") and ("LOAD_GLOBAL", "getattr") in steps[max(place - 3, 0) : place]:
            following = steps[next(later for later in range(place, len(steps)) if steps[later][0] == "CALL") + 1]
        else:
            continue
        if following[0] == "STORE_FAST":
            arrays.add(following[1])
        elif following[0] and not _of_form(following):
            return True
    pairs = itertools.pairwise(steps)
    return any(kind == "LOAD_FAST" and name in arrays and not _of_form(following) for (kind, name), following in pairs)


def _steps(code: types.CodeType) -> Iterator[tuple[str, object]]:
    """What a function does, and to which name: since Python 3.13 one instruction may load and store two locals, and since 3.14
    one says of a local that it is borrowed."""
    for step in dis.get_instructions(code):
        if step.opname in ("CACHE", "EXTENDED_ARG", "NOT_TAKEN"):
            continue
        kinds = re.findall("LOAD_FAST|STORE_FAST", step.opname) or [step.opname]
        yield from zip(kinds, step.argval if len(kinds) == 2 else [step.argval], strict=True)


def _of_form(step: tuple[str, object]) -> bool:
    return step[0] == "LOAD_ATTR" and step[1] in _METADATA
