"""What operators take and give: PyTorch's schemas, read from text or from a function's annotations."""

from __future__ import annotations

import collections.abc
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..base import dtypes
from ..base.device import device
from ..tensor import Tensor


class Parameter(NamedTuple):
    """One argument: its name, type, default (``inspect.Parameter.empty`` for none), and whether it is only by keyword."""

    name: str
    type: str
    default: Any
    keyword_only: bool


class Schema:
    """The arguments and results of an operator, and the text that says them."""

    def __init__(self, parameters: list[Parameter], returns: str, text: str, name: str = "") -> None:
        self.parameters, self.returns, self.text, self.name = parameters, returns, text, name
        self.mutated = tuple(place for place, one in enumerate(parameters) if "!" in one.type)
        self.by_keyword = sum(one.keyword_only for one in parameters)  # these come last
        inner = returns.strip().removeprefix("(").removesuffix(")") if returns.strip().startswith("(") else returns
        self.results = _split(inner)

    def named(self, name: str) -> Schema:
        """The same for an operator of a name."""
        return Schema(self.parameters, self.returns, self.text, name)

    def __str__(self) -> str:
        return self.name + re.sub(r"=(-?\d+)\.0\b", r"=\1.", self.text)

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments in order. RuntimeError, in PyTorch's words, for those that are missing, unknown or of a wrong type."""
        by_place = [one for one in self.parameters if not one.keyword_only]
        if len(args) > len(by_place):
            raise RuntimeError(
                f"{self.name}() expected at most {len(by_place)} argument(s) but received {len(args)} argument(s). Declaration: "
                f"{self}"
            )
        given = dict(zip((one.name for one in by_place), args, strict=False))
        for key, value in kwargs.items():
            if key in given or all(key != one.name for one in self.parameters):
                raise RuntimeError(f"{self.name}() got an unexpected value for argument {key!r}. Declaration: {self}")
            given[key] = value
        values = []
        for place, one in enumerate(self.parameters):
            if one.name not in given:
                if one.default is inspect.Parameter.empty:
                    raise RuntimeError(f"{self.name}() is missing value for argument '{one.name}'. Declaration: {self}")
                values.append(one.default)
                continue
            value = given[one.name]
            if not _is(value, one.type):
                wanted = re.sub(r"SymInt", "int", one.type.partition("(")[0] if "(" in one.type else one.type)
                raise RuntimeError(
                    f"{self.name}() Expected a value of type '{wanted}' for argument '{one.name}' but instead found type "
                    f"'{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: {self}"
                )
            values.append(value)
        return tuple(values)

    def call(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        """Calls a function with all arguments in order, those that are only by keyword by their names."""
        if not self.by_keyword:
            return function(*values)
        names = (one.name for one in self.parameters[-self.by_keyword :])
        return function(*values[: -self.by_keyword], **dict(zip(names, values[-self.by_keyword :], strict=True)))


_PLAIN: dict[str, Any] = {
    "Tensor": Tensor,
    "int": int,
    "SymInt": int,
    "float": (int, float),
    "bool": bool,
    "str": str,
    "Scalar": (int, float, bool, complex),
    "ScalarType": dtypes.dtype,
    "Device": (device, str),
}


def _is(value: Any, kind: str) -> bool:
    """Whether a value is of a schema's type; unknown types take anything."""
    kind = re.sub(r"\(.*?\)", "", kind)
    if kind.endswith("?"):
        return value is None or _is(value, kind[:-1])
    listed = re.fullmatch(r"(.*)\[\d*\]", kind)
    if listed:
        return isinstance(value, (list, tuple)) and all(_is(one, listed[1]) for one in value)
    wanted = _PLAIN.get(kind)
    if wanted is Tensor and value is None:
        return True  # a tensor that is not there
    if wanted is int:
        return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, Tensor) and value.numel() == 1)
    return wanted is None or isinstance(value, wanted)


# From text.


def parsed(text: str) -> Schema:
    """The schema that a text such as '(Tensor x, int n=2, *, Tensor(a!) out) -> Tensor' says. RuntimeError for other texts."""
    found = re.fullmatch(r"\s*[\w:.]*\((.*)\)\s*->\s*(.*?)\s*", text, re.S)
    if found is None:
        raise RuntimeError(f"Could not read the schema {text!r}: expected '(Type name, ...) -> Type'")
    parameters, keyword_only = [], False
    for part in _split(found[1]):
        if part == "*":
            keyword_only = True
            continue
        declared, equals, default = part.partition("=")
        kind, _, name = declared.strip().rpartition(" ")
        if not kind:
            raise RuntimeError(f"Could not read {part!r} in the schema {text!r}: expected 'Type name'")
        parameters.append(Parameter(name, kind, _value(default.strip()) if equals else inspect.Parameter.empty, keyword_only))
    return Schema(parameters, found[2], text[text.index("(") :].strip())


def _split(text: str) -> list[str]:
    """Parts between commas that are not within brackets or quotes."""
    parts, depth, quoted, start = [], 0, "", 0
    for place, letter in enumerate(text):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "\"'":
            quoted = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and not depth:
            parts.append(text[start:place].strip())
            start = place + 1
    rest = text[start:].strip()
    return [*parts, rest] if rest else parts


def _value(text: str) -> Any:
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    if text[:1] in "\"'":
        return text[1:-1]
    if text[:1] == "[":
        return [_value(one) for one in _split(text[1:-1])]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


# From annotations.

_NAMES: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    dtypes.dtype: "ScalarType",
    device: "Device",
    int | float | bool: "Scalar",
}
_RETURNED = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", int | float | bool: "Scalar"}


def _type_name(annotation: Any) -> str | None:
    """A schema's word for an annotation, or None."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    word: str | None
    for known, name in _NAMES.items():
        if annotation == known:
            return name
    if origin in (typing.Union, types.UnionType):
        inner = [one for one in args if one is not type(None)]
        if len(inner) < len(args):
            word = _type_name(inner[0] if len(inner) == 1 else typing.Union[tuple(inner)])  # noqa: UP007
            return None if word is None else f"{word}?"
        return "Scalar" if set(inner) == {int, float, bool} else None
    if origin in (list, collections.abc.Sequence) and len(args) == 1:
        word = _type_name(args[0])
        return None if word is None else f"{word}[]"
    return None


def inferred(function: Callable[..., Any], mutates: str | Iterable[str]) -> Schema:
    """The schema of a function by its annotations. ValueError, in PyTorch's words, where they do not make one."""
    signature = inspect.signature(function, globals=function.__globals__, eval_str=True)

    def fail(what: str) -> typing.NoReturn:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    written = set() if isinstance(mutates, str) else set(mutates)
    parameters: list[Parameter] = []
    words: list[str] = []
    starred = False
    for name, one in signature.parameters.items():
        if one.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            fail("We do not support *args or **kwargs in a custom operator's signature.")
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            words.append("*")
        if one.annotation is inspect.Parameter.empty:
            fail(f"Parameter {name} must have a type annotation.")
        word = _type_name(one.annotation)
        if word is None:
            fail(
                f"Parameter {name} has unsupported type {one.annotation}. The valid types are: {list(_NAMES)} and lists of them."
            )
        if name in written or (mutates == "unknown" and word.startswith("Tensor")):
            if not word.startswith("Tensor"):
                fail(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
            word = word.replace("Tensor", f"Tensor(a{len(parameters)}!)", 1)
        if one.default is not inspect.Parameter.empty and not isinstance(
            one.default, (int, float, bool, str, type(None), dtypes.dtype, device)
        ):
            fail(
                f"Parameter {name} has an unsupported default value type {type(one.default)}. Please file an issue on GitHub so "
                "we can prioritize this."
            )
        parameters.append(Parameter(name, word, one.default, starred))
        words.append(f"{word} {name}" + ("" if one.default is inspect.Parameter.empty else f"={_shown(one.default)}"))
    unknown = written - set(signature.parameters)
    if unknown:
        fail(
            f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should contain the names of all "
            "args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    returned = _returned(signature.return_annotation, fail)
    return Schema(parameters, returned, f"({', '.join(words)}) -> {returned}")


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).removeprefix("torch.")


def _returned(annotation: Any, fail: Callable[[str], typing.NoReturn]) -> str:
    if annotation is inspect.Parameter.empty:
        fail("No return type annotation was provided. Please add one.")
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is tuple:
        parts = [_returned(one, fail) for one in typing.get_args(annotation)]
        return f"({', '.join(parts)})" if len(parts) != 1 else parts[0]
    for known, word in _RETURNED.items():
        if annotation == known:
            return word
    if typing.get_origin(annotation) is list and typing.get_args(annotation) == (Tensor,):
        return "Tensor[]"
    fail(f"Return has unsupported type {annotation}. The valid types are: {_RETURNED}.")
