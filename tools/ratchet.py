"""Counts what the house has too much of, and fails when a count rises: ``python tools/ratchet.py [--write]``.

The counts that are allowed stand in ``tools/ratchet.toml``; ``--write`` lowers them to today's, and never raises one.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rushlight"
STORED = ROOT / "tools" / "ratchet.toml"
Graph = dict[str, set[str]]


def module_name(path: Path) -> str:
    """The name by which a file is imported."""
    parts = ("rushlight", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def at_run_time(node: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The imports below a node, each with whether it stands in a function; those for type checkers only left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, in_function
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from at_run_time(ast.Module([other], []), in_function)
        else:
            yield from at_run_time(child, in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


def imported(statement: ast.Import | ast.ImportFrom, package: str, known: set[str]) -> Iterator[str]:
    """The modules of ``known`` that a statement in ``package`` imports."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    else:
        above = package.split(".")[: len(package.split(".")) - statement.level + 1] if statement.level else []
        base = ".".join([*above, *([statement.module] if statement.module else [])])
        inner = [f"{base}.{alias.name}" for alias in statement.names]
        names = [name if in_house(name) in known else base for name in inner]
    yield from (in_house(name) for name in names if in_house(name) in known)


def by_text(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The modules of ``known`` that ``import_module`` is given by their whole names: arrows that no import statement shows."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names = [part.value for part in node.args if isinstance(part, ast.Constant)]
            yield from (in_house(name) for name in names if isinstance(name, str) and in_house(name) in known)


def in_house(name: str) -> str:
    """Where a module's file lies: PyTorch's namespaces in compat/ are imported without that word."""
    house, _, rest = name.partition(".")
    inside = rest.replace(".", "/")
    places = [room / inside for room in (PACKAGE, PACKAGE / "compat")]
    here, there = (place.is_dir() or place.with_suffix(".py").is_file() for place in places)
    return f"rushlight.compat.{rest}" if house == "rushlight" and rest and there and not here else name


def circles(graph: Graph) -> list[set[str]]:
    """Sets of modules each of which leads to every other of its set (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    found = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        path.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in path:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = path.index(name)
            found.append(set(path[at:]))
            del path[at:]

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in index:
            visit(name)
    return [circle for circle in found if len(circle) > 1]


def back_arrows(graph: Graph, floors: list[list[str]]) -> list[tuple[str, str]]:
    """Imports that lead from a room to one above it; ``floors`` lists the rooms from the top down."""
    floor_of = {room: number for number, floor in enumerate(floors) for room in floor}

    def floor(name: str) -> int | None:
        parts = name.split(".")[1:]
        inner = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        return next((floor_of[room] for room in inner if room in floor_of), None)

    pairs = [(name, other) for name in graph for other in graph[name]]
    return [(a, b) for a, b in pairs if (at := floor(a)) is not None and (to := floor(b)) is not None and to < at]


def anys(tree: ast.AST) -> int:
    """How often annotations say ``Any``."""
    annotations = [
        getattr(node, part)
        for node in ast.walk(tree)
        for part in ("annotation", "returns")
        if getattr(node, part, None) is not None
    ]
    return sum(len(re.findall(r"\bAny\b", ast.unparse(annotation))) for annotation in annotations)


def in_functions(path: Path, tree: ast.AST) -> Iterator[str]:
    """The imports inside a file's functions, as ``tools/ratchet.toml`` lists them: the file, and what is imported from."""
    for statement, is_inside in at_run_time(tree):
        if is_inside and isinstance(statement, ast.ImportFrom):
            names = "" if statement.module else f" {statement.names[0].name}"
            yield f"{path.relative_to(PACKAGE).as_posix()} {'.' * statement.level}{statement.module or ''}{names}"
        elif is_inside:
            yield f"{path.relative_to(PACKAGE).as_posix()} {statement.names[0].name}"


def figures(settings: dict[str, list[list[str]] | list[str]]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Today's counts by name, and the back arrows."""
    files = sorted(PACKAGE.rglob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in files}
    known = {module_name(path) for path in files} - {"rushlight"}  # all import the package itself by being in it
    graph: Graph = {name: set() for name in known}
    in_functions = 0
    for path, tree in trees.items():
        name = module_name(path)
        package = (name if path.name == "__init__.py" else name.rpartition(".")[0]).replace("rushlight.compat", "rushlight", 1)
        for statement, is_inside in at_run_time(tree):
            in_functions += is_inside
            if name in graph:
                graph[name].update(other for other in imported(statement, package, known) if other != name)
        if name in graph:
            graph[name].update(other for other in by_text(tree, known) if other != name)
    arrows = back_arrows(graph, settings["floors"])  # type: ignore[arg-type]
    lines = {path: len(path.read_text().splitlines()) for path in files}
    reading = [PACKAGE / str(name) for name in settings["reading_set"]]
    entries = [entry for entry in PACKAGE.iterdir() if entry.suffix == ".py" or any(entry.glob("**/*.py"))]  # no bytecode alone
    return {
        "modules in import circles": sum(map(len, circles(graph))),
        "back arrows": len(arrows),
        "entries at the top of the package": len(entries),
        "lines of the reading set": sum(lines[path] for path in reading if path in lines),
        "Any in annotations": sum(map(anys, trees.values())),
        "imports inside functions": in_functions,
        "files over 500 lines": sum(count > 500 for count in lines.values()),
        "functions over complexity 20": over_complexity(20, [PACKAGE]),
        "functions of the reading set over complexity 15": over_complexity(15, reading),
    }, arrows


def over_complexity(limit: int, where: list[Path]) -> int:
    """How many functions ruff finds more complex than ``limit`` (rule C901)."""
    options = ["--isolated", "--no-cache", "--select=C901", f"--config=lint.mccabe.max-complexity={limit}"]
    command = [sys.executable, "-m", "ruff", "check", *options, "--output-format=concise", *map(str, where)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.count(" C901 ")


def main(arguments: list[str]) -> int:
    """Prints each count beside the stored one; 1 if one has risen."""
    text = STORED.read_text()
    settings = tomllib.loads(text)
    allowed: dict[str, int] = settings["at most"]
    counts, arrows = figures(settings)
    found = {each for path in PACKAGE.rglob("*.py") for each in in_functions(path, ast.parse(path.read_text()))}
    odd = found ^ set(settings["imports inside functions"])
    print(
        *(f"import inside a function, without a reason in {STORED.name} or no longer there: {each}\n" for each in odd), end=""
    )
    for name, count in counts.items():
        print(f"{count:6} of {allowed[name]:6}  {name}{'  ROSE' if count > allowed[name] else ''}")
    if "--arrows" in arguments:
        print(*(f"{a} -> {b}" for a, b in sorted(arrows)), sep="\n")
    if "--write" in arguments:
        for name, count in counts.items():
            text = text.replace(f'"{name}" = {allowed[name]}\n', f'"{name}" = {min(count, allowed[name])}\n')
        STORED.write_text(text)
    return int(bool(odd) or any(count > allowed[name] for name, count in counts.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
