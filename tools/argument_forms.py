"""Asks PyTorch which forms its functions take arguments in: ``python tools/argument_forms.py [--check]``.

PyTorch lists them in the error for arguments that fit none. ``src/rushlight/ops/argument_forms.txt`` keeps the lists of functions
with several forms, a line each; forms of methods that follow from the function's, or from the method's that makes a new tensor, are
left out. Where there is one form, which PyTorch lists nowhere, it is read from the schemas of its operators (``name = (form)``).
Needs PyTorch.
"""

from __future__ import annotations

import re
import sys
import types
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
        return said[1], tuple(with_indices(said[1], form) for form in forms)
    return None


def with_indices(name: str, form: str) -> str:
    """A listed form, in which PyTorch writes "int" for a SymInt too, with those that all of the function's operators have told apart."""
    for label in re.findall(r"ints?(?:\[\])? (\w+)", form):
        kinds = {
            kind for schema in SCHEMAS.get(name, ()) for kind in re.findall(rf"[(, ](\w+)(?:\[\d*\])?\?? {label}\b", schema)
        }
        if kinds - {"Tensor"} == {"SymInt"}:
            form = re.sub(rf"int(s?(?:\[\])? {label}\b)", r"SymInt\1", form)
    return form


# Read by a parser of its own.
_ANYTHING = frozenset({"as_tensor", "nonzero"})
# Those of other functions whose first argument is no tensor are of numbers: aten::sin.int.
_NO_TENSOR_FIRST = frozenset(
    "empty_permuted empty_strided polygamma special_polygamma sym_constrain_range sym_constrain_range_for_size".split()
)
_TAKES = re.compile(r"(?:TensorBase\.)?(\w+)\(\) takes (?:from (\d+) to )?(\d+) positional arguments? but 60 were given")
_SCHEMA = re.compile(r"aten::\w+(?:\.(\w+))?\((.*)\) -> .*")
_OVERLOADS = (None, "Tensor", "dim", "input", "int", "two", "using_ints")  # that the parser of a function with one form knows
_ARGUMENT = re.compile(r"([A-Za-z]+)(\([^)]*\))?(\[\d*\])?(\?)? (\w+)(?:=(.*))?")
_KINDS = {  # a SymInt is what has __index__, an int what is a whole number by its type
    **{
        "Tensor": "Tensor",
        "SymInt": "SymInt",
        "int": "int",
        "Scalar": "Number",
        "float": "float",
        "bool": "bool",
        "str": "str",
    },
    **{"ScalarType": "torch.dtype", "Layout": "torch.layout", "Device": "torch.device", "MemoryFormat": "torch.memory_format"},
    "Generator": "torch.Generator",
}


def single(function: Any, method: bool) -> tuple[str, str] | None:
    """The name by which PyTorch calls a function that has one form, and that form; None where it is not to be found."""
    said = None
    if isinstance(function, types.BuiltinFunctionType):
        try:
            function(*_MORE_THAN_ANY_TAKES)
        except Exception as error:
            said = _TAKES.match(str(error))
    if said is None or said[1] in _ANYTHING:
        return None
    counts = int(said[2] or said[3]) + method, int(said[3]) + method
    schemas = SCHEMAS.get(said[1], [])
    written = [each.partition(" -> ")[0].partition("*, ")[2] for each in schemas]
    outs = max((each.count("!) ") + 2 * each.count("!)[] ") for each in written), default=0)
    first = "" if said[1] in _NO_TENSOR_FIRST and not method else "Tensor "
    found = {form for text in schemas if (form := _form_of(text, outs, counts, first)) is not None}
    if len(found) != 1:
        return None
    (form,) = found
    return said[1], as_method((form,))[0] if method else form


def _form_of(schema: str, outs: int, counts: tuple[int, int], first: str) -> str | None:
    """A schema in the words of PyTorch's lists; None where it is another, or where there are no words for it.

    ``outs``    how many tensors ``out=`` takes, 2 for any number
    ``counts``  how many arguments must be given, and how many may be without their names
    ``first``   how the first begins
    """
    said = _SCHEMA.fullmatch(schema)
    if said is None or said[1] not in _OVERLOADS:
        return None
    parts, required, by_position = [], 0, 0
    for text in re.split(r", (?![^\[]*\])", said[2]):
        if text == "*":
            parts.append(text)
            continue
        argument = _ARGUMENT.fullmatch(text)
        if argument is None or argument[1] not in _KINDS or (argument[3] and argument[1] not in ("int", "SymInt", "float")):
            return None
        kind, _, several, optional, label, default = argument.groups()
        kind = f"tuple of {_KINDS[kind]}s{'[]' if several == '[]' else ''}" if several else _KINDS[kind]
        kind += "?" if optional and default != "None" else ""
        parts.append(
            f"{kind} {'input' if label == 'self' else label}" + ("" if default is None else f" = {default.replace(', ', ',')}")
        )
        required += default is None
        by_position += "*" not in parts
    if not parts or not parts[0].startswith(first) or counts != (required, by_position):
        return None
    if any(part.startswith("bool pin_memory") for part in parts):
        parts.append("bool requires_grad = False")  # which operators know nothing of
    if outs:
        parts += [*(["*"] if "*" not in parts else []), f"{'Tensor' if outs == 1 else 'tuple of Tensors'} out = None"]
    return ", ".join(parts)


def _schemas() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for schema in map(str, torch._C._jit_get_all_schemas()):
        if schema.startswith("aten::"):
            found.setdefault(re.match(r"aten::(\w+)", schema)[1], []).append(schema)
    return found


SCHEMAS = _schemas()


# What functions written in Python hand their arguments on to.
_BEHIND = {
    torch: (
        "_sparse_sum hspmm smm sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
        "sparse_csr_tensor sspaddmm"
    ),
    torch.sparse: "log_softmax mm sampled_addmm softmax spdiags",
    torch._C._nn: (
        "col2im cross_entropy_loss fractional_max_pool2d fractional_max_pool3d huber_loss im2col max_pool2d_with_indices "
        "max_pool3d_with_indices max_unpool2d max_unpool3d nll_loss_nd pad soft_margin_loss"
    ),
    torch._C._VariableFunctions: "stft tensordot",
}


def functions() -> Iterator[tuple[Any, str]]:
    """Those of the namespaces that rushlight publishes functions in, and their names there."""
    for home, behind in _BEHIND.items():
        yield from ((getattr(home, name), name) for name in behind.split())
    for space, names in registry.items():
        home: Any = torch
        for part in space.split(".")[1:]:
            home = getattr(home, part, None)
        for name in names:
            if not name.startswith("_"):
                yield getattr(home, name, None), name


def lines() -> str:
    """The file: functions, and behind a dot methods."""
    of_functions = dict(found for function, _ in functions() if (found := listed(function)) is not None)
    x = torch.ones(2, 2, dtype=torch.complex64)  # has every attribute
    given = {name: getattr(x, name) for name in methods if callable(getattr(x, name, None))}
    of_methods = {name: found[1] for name, method in given.items() if (found := listed(method)) is not None}
    own = {
        name: forms
        for name, forms in of_methods.items()
        if forms
        not in (as_method(of_functions.get(name, ())), of_methods.get(name.removesuffix("_")) if name[-1] == "_" else None)
    }
    # A function with several forms whose method has one says so, lest the method be taken for another with several.
    none = {name: () for name in of_functions if name in methods and name not in of_methods}
    several = {**of_functions, **{f".{name}": forms for name, forms in {**own, **none}.items()}}
    written = {name: f"{name}: {' | '.join(f'({form})' for form in forms)}".rstrip() for name, forms in several.items()}
    return "".join(line + "\n" for _, line in sorted({**alone(given, of_methods), **written}.items()))


def alone(given: dict[str, Any], of_methods: dict[str, Any]) -> dict[str, str]:
    """The lines of functions with one form, and of methods with one that does not follow from it."""
    of_functions = dict(found for function, _ in functions() if (found := single(function, False)) is not None)
    found = {name: f"{name} = ({form})" for name, form in of_functions.items()}
    for name, method in given.items():
        if name in of_methods:
            continue
        one, of_function = single(method, True), as_method((of_functions.get(name, ""),))
        if one is not None and of_function != (one[1],):
            found[f".{name}"] = f".{name} = ({one[1]})"
        elif one is None and any(of_function):
            found[f".{name}"] = f".{name}:"
    return found


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
