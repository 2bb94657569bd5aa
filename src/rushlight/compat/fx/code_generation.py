"""A graph written out as Python: the function ``forward``, and the globals that its text needs."""

from __future__ import annotations

import builtins
import enum
import math
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import rushlight as torch
from rushlight.utils import _pytree

from . import _pytree as fx_pytree
from .namespace import Namespace
from .node import Node, map_arg
from .qualified_names import is_from_torch, qualified_name, type_name

if TYPE_CHECKING:
    from .graph import _node_list

__all__ = ["CodeGen", "PythonCode"]

OPERATORS = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "truediv": "{} / {}", "floordiv": "{} // {}", "mod": "{} % {}",
    "pow": "{} ** {}", "matmul": "{} @ {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}",
    "xor": "{} ^ {}", "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}",
    "getitem": "{}[{}]", "neg": "-{}", "pos": "+{}", "invert": "~{}",
}  # fmt: skip
IN_PLACE = {
    "iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "ifloordiv": "//=", "imod": "%=", "ipow": "**=",
    "imatmul": "@=", "ilshift": "<<=", "irshift": ">>=", "iand": "&=", "ior": "|=", "ixor": "^=",
}  # fmt: skip
_DTYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "complex64": "c64", "complex128": "c128",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "bool": "b8", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64",
}  # fmt: skip


@dataclass
class PythonCode:
    """What a graph was written out as: ``src``, the text of a function, and the ``globals`` to run it among."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


class Builtin(NamedTuple):
    """A name that all generated code may use: how it is imported, and what it is."""

    import_str: str
    obj: Any


BUILTINS = {
    "inf": Builtin("from math import inf", math.inf),
    "nan": Builtin("from math import nan", math.nan),
    "NoneType": Builtin("NoneType = type(None)", type(None)),
    "torch": Builtin("import torch", torch),
    "device": Builtin("from torch import device", torch.device),
    "fx_pytree": Builtin("import torch.fx._pytree as fx_pytree", fx_pytree),
    "pytree": Builtin("import torch.utils._pytree as pytree", _pytree),
}


class _Globals:
    """The globals of one text, and their names."""

    def __init__(self, namespace: Namespace, given: Iterable[tuple[str, Any]]) -> None:
        self.names = namespace
        self.held: dict[str, Any] = {}
        self.wrapped: list[str] = []  # functions that stay one step where the text is traced again
        for name, value in given:
            self.held[name] = value
            namespace.associate_name_with_obj(name, value)

    def add(self, hint: str, value: Any) -> str:
        """The name of a global that is ``value``."""
        if is_from_torch(value) and value is not torch.device:
            return hint
        name = hint.replace(".", "_")
        if name in self.held and self.held[name] is value:
            return name
        name = self.names.create_name(name, value)
        self.held[name] = value
        return name

    def annotation(self, kind: Any) -> str:
        """A type as the text spells it; the types in it become globals."""
        if kind == ():
            return "()"
        origin, inner = typing.get_origin(kind), getattr(kind, "__args__", None)
        if origin is None:
            return self.add(type_name(kind), kind)
        if isinstance(kind, types.UnionType):
            return "|".join(map(self.annotation, inner or ()))
        if origin is typing.Union:
            outer = self.add("typing.Union", typing.Union)
        elif kind.__module__ == "typing":
            spelled = f"typing.{kind._name or origin._name}"
            outer = self.add(spelled, getattr(typing, spelled.removeprefix("typing."))) if inner is not None else ""
        else:
            outer = self.add(origin.__name__, origin)
        if inner is None:
            return self.add(type_name(origin), origin)
        return f"{outer}[{','.join(map(self.annotation, inner))}]" if inner else outer

    def value(self, arg: Any) -> str:
        """An argument as the text spells it."""
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            return f"{self.add(type_name(type(arg)), type(arg))}({', '.join(map(self.value, arg))})"
        if isinstance(arg, tuple) and type(arg) is tuple:
            return f"({', '.join(map(self.value, arg))}{',' if len(arg) == 1 else ''})"
        if isinstance(arg, tuple):
            return repr(tuple(arg))
        if isinstance(arg, list):
            return f"[{', '.join(map(self.value, arg))}]"
        if isinstance(arg, dict):
            return f"{{{', '.join(f'{key!r}: {self.value(held)}' for key, held in arg.items())}}}"
        if isinstance(arg, slice):
            return f"slice({self.value(arg.start)}, {self.value(arg.stop)}, {self.value(arg.step)})"
        if isinstance(arg, enum.Enum):
            return f"{self.add(type(arg).__name__, type(arg))}.{arg.name}"
        if is_operator_by_name(arg):
            return self.add(qualified_name(arg), arg)
        return repr(arg)

    def call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        """What stands between the brackets of a call."""
        return ", ".join([*map(self.value, args), *(f"{key} = {self.value(value)}" for key, value in kwargs.items())])


def is_operator_by_name(value: Any) -> bool:
    """Whether a value is an operator of ``torch.ops``."""
    return qualified_name(value).startswith("torch.ops.") if hasattr(value, "overloads") or hasattr(value, "_schema") else False


def last_uses(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node those that nothing behind it uses."""
    seen: set[Node] = set()
    found: dict[Node, list[Node]] = {}
    for user in reversed(list(nodes)):

        def note(node: Node, user: Node = user) -> Node:
            if node not in seen:
                seen.add(node)
                found.setdefault(user, []).append(node)
            return node

        map_arg(user.args, note)
        map_arg(user.kwargs, note)
    return found


def target_of(base: str, target: str) -> str:
    """An attribute as it is reached: ``self.layers``, and ``getattr(self.layers, "0")`` where a part is no identifier.

    >>> from rushlight.fx.code_generation import target_of
    >>> target_of("self", "layers.0.weight")
    'getattr(self.layers, "0").weight'
    """
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def _meta_annotation(node: Node) -> str:
    """Shape and dtype of a node's value, where shape propagation noted them: ``f32[2, 3]``."""
    meta: Any = node.meta.get("val", node.meta.get("tensor_meta"))
    if not hasattr(meta, "shape") or not hasattr(meta, "dtype"):
        return ""
    kind = str(meta.dtype).removeprefix("torch.")
    return f': "{_DTYPES.get(kind, kind)}[{", ".join(map(str, meta.shape))}]"'


class CodeGen:
    """Writes graphs out; a subclass may give the function other inputs and another output."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        """The line that begins the function, and what stands before the first node."""
        parameters = free_vars if free_vars and free_vars[0] == "self" else ["self", *free_vars]
        if expanded_def and len(parameters) > 1:
            listed = "".join(f"    {one},\n" for one in parameters)
            return f"def {self._func_name}(\n{listed}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(parameters)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        """The line that ends the function."""
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The arguments of a call as the placeholders take them."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The result as a caller gets it."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Globals that the text needs beside those of its nodes."""
        return []

    def _gen_python_code(
        self,
        nodes: _node_list,
        root_module: str,
        namespace: Namespace,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        found = _Globals(namespace, [*((name, one.obj) for name, one in BUILTINS.items()), *self.additional_globals()])
        text = _Text(self, root_module, found, verbose)
        graph_nodes = list(nodes)
        leaving = last_uses(graph_nodes)
        for node in graph_nodes:
            text.write(node, leaving.get(node, []))
        lines = [line for _, line in text.body] or ["pass\n"]
        if self._body_transformer is not None:
            lines = self._body_transformer(lines)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in found.wrapped)
        prologue = self.gen_fn_def(text.free_vars, text.returns, expanded_def=expanded_def)
        body = "\n".join("    " + line for line in "".join(lines).split("\n"))
        src = f"\n{wraps}\n\n{prologue}\n{body}"
        first = src[: src.index(prologue)].count("\n") + prologue.count("\n") + 1
        numbers = {first + place: number for place, (number, _) in enumerate(text.numbered())}
        return PythonCode(src, found.held, _lineno_map=numbers, _prologue_start=first)


class _Text:
    """The lines of one function while they are written."""

    def __init__(self, codegen: CodeGen, root: str, found: _Globals, verbose: bool) -> None:
        self.codegen, self.root, self.globals, self.verbose = codegen, root, found, verbose
        self.free_vars: list[str] = []
        self.returns = ""
        self.body: list[tuple[int | None, str]] = []
        self._count = 0
        self._told = False

    def numbered(self) -> Iterable[tuple[int | None, str]]:
        """The lines, each with the number of its node."""
        return ((number, line) for number, text in self.body for line in text.splitlines())

    def write(self, node: Node, leaving: list[Node]) -> None:
        """Writes the line of a node, and lets go of what is needed no longer."""
        number, self._count = self._count, self._count + 1
        if self.verbose and not self._told and node.op not in ("placeholder", "output"):
            self._told = True
            self.body.append((None, "# No stacktrace found for following nodes\n"))
        line = self._line(node)
        if line is None:
            return
        if node.op not in ("placeholder", "output"):
            gone = [repr(one) for one in leaving]
            if not node.users:
                gone.append(repr(node))
            if gone:
                line += f";  {' = '.join([*gone, 'None'])}"
        self.body.append((number, line + "\n"))

    def _line(self, node: Node) -> str | None:
        kind = "" if node.type is None else f" : {self.globals.annotation(node.type)}"
        shape = _meta_annotation(node) if self.verbose else ""
        if node.op == "placeholder":
            default = f" = {self.globals.value(node.args[0])}" if node.args else ""
            self.free_vars.append(f"{node.target}{shape or kind}{default}")
            raw = node.target.replace("*", "")
            return f"{node!r} = {raw}" if raw != repr(node) else None
        if node.op == "output":
            if node.type is not None:
                self.returns = f" -> {self.globals.annotation(node.type)}"
            return self.codegen.generate_output(node.args[0], repr_fn=self.globals.value)
        start = f"{node!r}{shape or kind} ="
        if node.op == "get_attr":
            return f"{start} {target_of(self.root, node.target)}"
        if node.op == "call_module":
            return f"{start} {target_of(self.root, node.target)}({self.globals.call(node.args, node.kwargs)})"
        if node.op == "call_method":
            owner, rest = self.globals.value(node.args[0]), self.globals.call(node.args[1:], node.kwargs)
            return f"{start} {target_of(owner, node.target)}({rest})"
        return self._function(node, start, kind)

    def _function(self, node: Node, start: str, kind: str) -> str:
        target, args = node.target, node.args
        name = getattr(target, "__name__", "")
        if getattr(target, "__module__", None) == "_operator" and not node.kwargs:
            if name in OPERATORS:
                return f"{start} {OPERATORS[name].format(*map(self.globals.value, args))}"
            if name in IN_PLACE:
                first = self.globals.value(args[0])
                return f"{first} {IN_PLACE[name]} {self.globals.value(args[1])};  {node!r}{kind} = {first}"
            if name == "setitem":
                owner, key, value = map(self.globals.value, args)
                return f"{owner}[{key}] = {value};  {node!r}{kind} = None"
        called = self.globals.add(qualified_name(target), target)
        if target is builtins.getattr and isinstance(args[1], str) and args[1].isidentifier() and len(args) == 2:
            return f"{start} {self.globals.value(args[0])}.{args[1]}"
        if node.meta.get("is_wrapped") and called not in self.globals.wrapped:
            self.globals.wrapped.append(called)
        return f"{start} {called}({self.globals.call(args, node.kwargs)})"


class _PyTreeInfo(NamedTuple):
    """How the arguments and the result of a traced function are nested."""

    orig_args: list[str]
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """Writes functions that take nested arguments apart for the placeholders, and nest their result again."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *args: Any) -> Any:
        return _pytree.tree_flatten(args)[0]

    def process_outputs(self, outputs: Any) -> Any:
        out = outputs if isinstance(outputs, list | tuple) else [outputs]
        return _pytree.tree_unflatten(list(out), self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        names = self.pytree_info.orig_args
        if not names or names[0] != "self":
            names = ["self", *names]
        start = super().gen_fn_def(names, maybe_return_annotation, expanded_def=expanded_def)
        if not free_vars:
            return start
        bare = [one.partition(":")[0].partition("=")[0].strip() for one in free_vars]
        given = f"[{', '.join(names[1:])}]"
        return f"{start}\n    {', '.join(bare)}, = fx_pytree.tree_flatten_spec({given}, self._in_spec)"

    def generate_output(self, output_args: Any, *, repr_fn: Callable[[Any], str] = repr) -> str:
        if self.pytree_info.out_spec is None:
            return super().generate_output(output_args, repr_fn=repr_fn)
        listed = list(output_args) if isinstance(output_args, tuple | list) else [output_args]
        return f"return pytree.tree_unflatten({repr_fn(listed)}, self._out_spec)"
