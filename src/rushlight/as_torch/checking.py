"""``rushlight check``: which names of PyTorch a program uses, and which of them rushlight has. Nothing of it is run.

Names are followed through imports, aliases and chains of attributes. What stands behind a question (``try`` with an
``except ImportError``, ``if torch.cuda.is_available()``, ``hasattr``) is marked as optional: the program can do without.
"""

from __future__ import annotations

import ast
import builtins
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from ..base.missing_names import torch_names
from .verdicts import WORDS, judge

USAGE = """\
usage: rushlight check [-q] [--json] FILE | FOLDER | PACKAGE ...

List the names of PyTorch that Python code uses, which of them rushlight has and which it lacks, with the lines. The code is
read, not run. A package is named as it is imported or as it is installed (x_transformers, x-transformers); its own tests are
left out.
-q lists only what does not work; --json prints all as JSON. The first word of a line says:
  lacks    PyTorch has the name, rushlight does not
  typo     neither has it, but one that is spelled nearly so
  unknown  it is no public name of PyTorch's
  raises   rushlight has it only to raise an error where it is called
  library  another library adds it to PyTorch
  has      rushlight has it
The exit code is 1 when a name is lacking that the code cannot do without, 2 for bad arguments.
"""
_LINES_SHOWN = 3
_LACKING = ("lacks", "typo", "unknown")


@dataclass
class Use:
    """A name of PyTorch and where it is used."""

    name: str
    places: list[str] = field(default_factory=list)
    is_optional: bool = True  # until a place is found that is not


def main(arguments: Sequence[str]) -> int:
    """What the command line says, and its exit code."""
    if {"-h", "--help"} & set(arguments):
        sys.stdout.write(USAGE)
        return 0
    words = [word for word in arguments if word not in ("-q", "--quiet", "--json")]
    if not words or any(word.startswith("-") for word in words):
        sys.stderr.write(USAGE)
        return 2
    files: dict[Path, None] = {}
    for word in words:
        found = find_files(word)
        if not found:
            sys.stderr.write(f"rushlight check: {word!r} is no file, no folder and no installed package\n")
            return 2
        files.update(dict.fromkeys(found))
    uses, problems = check(list(files))
    if "--json" in arguments:
        sys.stdout.write(as_json(uses, len(files), problems))
    else:
        sys.stdout.write(report(uses, len(files), is_quiet=bool({"-q", "--quiet"} & set(arguments))))
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    return int(any(not use.is_optional and judge(use.name).status in _LACKING for use in uses))


def check(files: Sequence[Path]) -> tuple[list[Use], list[str]]:
    """The names of PyTorch that files use, sorted; and what could not be read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from rushlight.as_torch.checking import check
    >>> from rushlight.as_torch.verdicts import is_here
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "program.py"
    ...     _ = path.write_text("import torch.nn.functional as F\\ny = F.relu(1)\\nz = F.no_such(2)\\n")
    ...     uses, problems = check([path])
    >>> [(use.name, is_here(use.name)) for use in uses]
    [('torch.nn.functional', True), ('torch.nn.functional.no_such', False), ('torch.nn.functional.relu', True)]
    """
    uses: dict[str, Use] = {}
    problems: list[str] = []
    for path in files:
        shown = _shown(path)
        try:
            tree = ast.parse(path.read_bytes(), shown)
        except (SyntaxError, ValueError, OSError) as error:
            problems.append(f"{shown}: cannot be read: {error}")
            continue
        reader = _Reader()
        reader.visit(tree)
        for name, line, is_optional in reader.found:
            use = uses.setdefault(name, Use(name))
            use.places.append(f"{shown}:{line}")
            use.is_optional = use.is_optional and is_optional
    return sorted(uses.values(), key=lambda use: use.name), problems


def _shown(path: Path) -> str:
    """The path as the user would write it, or as it is imported, whichever is shorter."""
    folders = [Path.cwd(), *(Path(folder) for folder in sys.path if folder)]
    spellings = [str(path.relative_to(folder)) for folder in folders if path.is_relative_to(folder)]
    return min([str(path), *spellings], key=len)


def report(uses: Sequence[Use], file_count: int, is_quiet: bool = False) -> str:
    """The list as text: what is lacking first."""
    order = [status for status in (*_LACKING, "raises", "library", "has") if status != "has" or not is_quiet]
    shown = sorted(
        (use for use in uses if judge(use.name).status in order), key=lambda use: order.index(judge(use.name).status)
    )
    width = max((len(use.name) for use in shown), default=0)
    lines = [f"{judge(use.name).status:<7}  {use.name:<{width}}  {_places(use)}" for use in shown]
    lacking = [use for use in uses if judge(use.name).status in _LACKING]
    needed = sum(not use.is_optional for use in lacking)
    asked = f", {len(lacking) - needed} more that the code asks for first" if len(lacking) > needed else ""
    subject = "1 file uses" if file_count == 1 else f"{file_count} files use"
    lines.append(f"{subject} {len(uses)} name{'s' * (len(uses) != 1)} of PyTorch; rushlight lacks {needed} of them{asked}")
    return "\n".join(lines) + "\n"


def _places(use: Use) -> str:
    places = list(dict.fromkeys(use.places))
    more = f" and {len(places) - _LINES_SHOWN} more" if len(places) > _LINES_SHOWN else ""
    status, suggestion = judge(use.name)
    optional = "  (optional)" if use.is_optional and status != "has" else ""
    meant = f"  (did you mean {suggestion}?)" if suggestion else ""
    return ", ".join(places[:_LINES_SHOWN]) + more + optional + meant


def as_json(uses: Sequence[Use], file_count: int, problems: Sequence[str]) -> str:
    """The list as JSON, with what each status means."""
    names = [
        {"name": use.name, "status": status, "suggestion": suggestion, "optional": use.is_optional, "places": use.places}
        for use in uses
        for status, suggestion in [judge(use.name)]
    ]
    return json.dumps({"files": file_count, "names": names, "statuses": WORDS, "problems": list(problems)}, indent=2) + "\n"


# Finding the code.


def find_files(word: str) -> list[Path]:
    """The Python files that a path or a package's name means; none where there is no such thing."""
    path = Path(word)
    if path.is_file():
        return [path]
    if path.is_dir():
        return _python_files(path)
    return _importable(word) or _installed(word)


def _python_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if not any(part.startswith(".") for part in path.parts[1:]))


def _importable(name: str) -> list[Path]:
    """The files of a package or module by the name under which it is imported; finding it imports nothing."""
    top, *rest = name.split(".")
    try:
        spec = PathFinder.find_spec(top)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)] if not rest and spec.origin is not None and spec.origin.endswith(".py") else []
    inner = [Path(folder, *rest) for folder in spec.submodule_search_locations]
    modules = [path.with_suffix(".py") for path in inner if rest and path.with_suffix(".py").is_file()]
    return modules or [path for folder in inner for path in _python_files(folder) if not _is_test(path)]


def _installed(name: str) -> list[Path]:
    """The files of a distribution by the name under which it was installed."""
    try:
        files = metadata.files(name) or []
    except (metadata.PackageNotFoundError, ValueError):
        return []
    paths = [Path(str(file.locate())) for file in files if file.suffix == ".py"]
    return [path for path in paths if path.exists() and not _is_test(path)]


def _is_test(path: Path) -> bool:
    """Whether a file of a package is one of its own tests."""
    return bool({"test", "tests"} & set(path.parts)) or path.stem.startswith("test_") or path.stem.endswith("_test")


# Reading the code.

_ALLOWED_FAILURES = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "RuntimeError", "BaseException"}
_QUESTIONS = ("is_available", "hasattr", "TYPE_CHECKING", "is_built", "device_count", "find_spec")


class _Reader(ast.NodeVisitor):
    """Follows torch's names through one file. ``scopes`` say what a name means: a path in torch, or None for another thing."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int, bool]] = []
        self._scopes: list[dict[str, str | None]] = [dict.fromkeys(dir(builtins))]
        self._stars: list[str] = []
        self._optional = 0

    def visit_Module(self, node: ast.Module) -> None:
        self._enter(node.body, [])
        self._exit(node.body)

    def _enter(self, body: Sequence[ast.AST], parameters: Sequence[str]) -> None:
        """A new scope, in which what is bound to other things hides torch's names."""
        self._scopes.append(dict.fromkeys([*parameters, *_bound(body)]))

    def _exit(self, body: Sequence[ast.AST]) -> None:
        for statement in body:
            self.visit(statement)
        self._scopes.pop()

    def _add(self, name: str, node: Any) -> None:
        self.found.append((name, node.lineno, self._optional > 0))

    # What binds names.

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            is_torch = alias.name.partition(".")[0] == "torch"
            if is_torch and "." in alias.name:
                self._add(alias.name, node)
            bound, meaning = (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
            self._scopes[-1][bound] = meaning if is_torch else None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        is_torch = not node.level and node.module is not None and node.module.partition(".")[0] == "torch"
        for alias in node.names:
            if not is_torch:
                self._scopes[-1][alias.asname or alias.name] = None
            elif alias.name == "*":
                self._add(str(node.module), node)
                self._stars.append(str(node.module))
            else:
                path = f"{node.module}.{alias.name}"
                self._add(path, node)
                self._scopes[-1][alias.asname or alias.name] = path

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        path = self._path(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                before = self._meaning(target.id)
                self._scopes[-1][target.id] = path if path is not None else before if target.id in self._scopes[-1] else None
            else:
                self.visit(target)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        is_lambda = isinstance(node, ast.Lambda)
        outer: list[Any] = [*arguments.defaults, *arguments.kw_defaults, *(one.annotation for one in every)]
        if not isinstance(node, ast.Lambda):
            outer += [*node.decorator_list, node.returns]
        for one in outer:
            if one is not None:
                self.visit(one)
        body: Any = [node.body] if is_lambda else node.body
        self._enter(body, [one.arg for one in every])
        self._exit(body)

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for one in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(one)
        self._enter([], [])
        self._exit(node.body)

    # What may be lacking.

    def visit_Try(self, node: ast.Try) -> None:
        names = {one.id for handler in node.handlers for one in _names(handler.type)}
        is_caught = bool(names & _ALLOWED_FAILURES) or any(handler.type is None for handler in node.handlers)
        self._optional += is_caught
        for statement in node.body:
            self.visit(statement)
        self._optional -= is_caught
        rest: tuple[ast.AST, ...] = (*node.handlers, *node.orelse, *node.finalbody)
        for part in rest:
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        text = ast.unparse(node.test)
        is_asked = any(question in text for question in _QUESTIONS)
        self._optional += is_asked
        for statement in (*node.body, *(node.orelse if "not " in text else ())):
            self.visit(statement)
        self._optional -= is_asked
        for statement in node.orelse if "not " not in text else ():
            self.visit(statement)

    visit_IfExp = ast.NodeVisitor.generic_visit

    # What uses names.

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is None:
            self.visit(node.value)
        else:
            self._add(path, node)

    def visit_Name(self, node: ast.Name) -> None:
        if not self._stars or not isinstance(node.ctx, ast.Load) or any(node.id in scope for scope in self._scopes):
            return
        for module in self._stars:
            if node.id in torch_names().get(module, ()):
                self._add(f"{module}.{node.id}", node)

    def _meaning(self, name: str) -> str | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    def _path(self, node: ast.AST) -> str | None:
        """What a name or a chain of attributes means in torch, if it does."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        meaning = self._meaning(node.id)
        return None if meaning is None else ".".join([meaning, *reversed(parts)])


def _names(node: ast.AST | None) -> Iterator[ast.Name]:
    if node is not None:
        yield from (one for one in ast.walk(node) if isinstance(one, ast.Name))


def _bound(body: Sequence[ast.AST]) -> Iterator[str]:
    """The names that a scope binds, other than by imports; not those of scopes within it."""
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        todo.extend(ast.iter_child_nodes(node))
