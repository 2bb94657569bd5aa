"""Where in the program something happened: from a code object and an instruction to a sub-expression."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from types import CodeType

from .entries import Entry
from .frames import is_own

Positions = list[
    tuple[int | None, int | None, int | None, int | None]
]  # of instructions: lines and columns, as Python has them


class Places:
    """The expressions and the texts that a recording refers to by number."""

    def __init__(self) -> None:
        self.places: list[Entry] = []
        self.texts: set[str] = set()  # of all places
        self.sources: list[Entry] = []
        self.given: dict[str, list[str]] = {}  # the lines of what is no file: a program from standard input
        self._codes: dict[int, tuple[CodeType, int, Positions]] = {}  # by identity: to hash a long one takes a millisecond
        self._numbers: dict[CodeType, int] = {}  # of code, where equal code is the same
        self._known: dict[tuple[int, int], int] = {}
        self._by_span: dict[tuple[object, ...], int] = {}
        self._sources: dict[str, int | None] = {}
        self._statements: dict[str, dict[int, ast.stmt]] = {}
        self._loops: dict[str, dict[int, tuple[int, int]]] = {}  # where the heads of loops end, by the lines they begin in
        self._chains: dict[
            str, dict[tuple[int, ...], tuple[int, int]]
        ] = {}  # where calls begin whose method stands on a later line
        self._targets: dict[str, dict[tuple[int, ...], str]] = {}  # what statements bind, by where its expression stands
        self._methods: dict[str, list[tuple[int, str, str]]] = {}  # what is called on names
        self._scopes: dict[str, dict[int, str]] = {}  # the qualified name of the function that a line stands in

    def of(self, where: tuple[CodeType, int] | None) -> int | None:
        """The number of the place of an instruction; None where there is none."""
        if where is None:
            return None
        code, instruction = where
        if id(code) not in self._codes:
            number = self._numbers.setdefault(code, len(self._numbers))
            self._codes[id(code)] = (code, number, list(code.co_positions()))
        _, number, positions = self._codes[id(code)]
        known = self._known.get((number, instruction))
        if known is None:
            place = self._described(len(self.places), code, positions, instruction)
            span = (number, *(place[key] for key in ("line", "col", "end_line", "end_col")))
            known = self._by_span.setdefault(span, len(self.places))  # Python may call from another instruction once it is warm
            if known == len(self.places):
                self.places.append(place)
                self.texts.add(place["text"])
            self._known[number, instruction] = known
        return known

    def _described(self, number: int, code: CodeType, positions: Positions, instruction: int) -> Entry:
        index = instruction // 2
        line, end_line, col, end_col = positions[index] if 0 <= index < len(positions) else (None,) * 4
        line = line or code.co_firstlineno
        end_line = end_line or line
        source = self.source(code.co_filename)
        lines = self.sources[source]["lines"] if source is not None else []
        first = lines[line - 1] if line <= len(lines) else ""
        text, target, statement = first.strip(), None, first.strip()
        if end_line > line and end_line <= len(lines):
            end_line, end_col = self._head(code.co_filename, lines, line) or (end_line, end_col)
        if col is not None and end_col is not None and end_line <= len(lines):
            line, col = self._beginning(code.co_filename, lines, line, col, end_line, end_col)
            statement = lines[line - 1].strip()
            byte_lines = [one.encode() for one in lines[line - 1 : end_line]]
            ends = byte_lines[-1][:end_col]
            part = [*byte_lines[:-1], ends]
            part[0] = part[0][col:] if len(part) > 1 else byte_lines[0][col:end_col]
            text = in_one_line(one.decode(errors="replace") for one in part) or text
            target = self._target(code.co_filename, lines, line, col, end_line, end_col)
            col, end_col = len(byte_lines[0][:col].decode(errors="replace")), len(ends.decode(errors="replace"))
        else:
            col = end_col = None
        return {
            "id": number, "source": source, "line": line, "col": col, "end_line": end_line, "end_col": end_col,
            "function": code.co_qualname, "text": text, "target": target, "statement": statement,
        }  # fmt: skip

    def of_line(self, path: str, line: int) -> int | None:
        """The number of a place that is a whole line, which never ran."""
        source = self.source(path)
        return None if source is None else self.of_source_line(source, line)

    def of_source_line(self, source: int, line: int) -> int | None:
        """The same of a text that is known by its number."""
        lines = self.sources[source]["lines"]
        if not 0 < line <= len(lines):
            return None
        self.places.append({
            "id": len(self.places), "source": source, "line": line, "col": None, "end_line": line, "end_col": None,
            "function": "<module>", "text": lines[line - 1].strip(), "target": None, "statement": lines[line - 1].strip(),
        })  # fmt: skip
        return len(self.places) - 1

    def part(self, place: int, expression: ast.expr) -> int | None:
        """The number of the place of an expression in a place's own, which stands on one line; None where it does not."""
        whole = self.places[place]
        line = "" if whole["source"] is None else self.sources[whole["source"]]["lines"][whole["line"] - 1]
        if whole["text"] not in line or expression.end_col_offset is None:
            return None
        text = ast.get_source_segment(whole["text"], expression) or ""
        col = line.index(text, line.index(whole["text"]))
        encoded = len(line[:col].encode())
        place = len(self.places)
        self.places.append(
            {**whole, "id": place, "text": text, "target": None, "col": encoded, "end_col": encoded + len(text.encode())}
        )
        return place

    def of_error(self, error: BaseException) -> int | None:
        """The number of the place where the program raised, as far in as its own frames go."""
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            return self.of_line(error.filename, error.lineno)
        place, trace = None, error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if not is_own(code) and not code.co_filename.startswith("<frozen"):
                place = code, trace.tb_lasti
            trace = trace.tb_next
        return self.of(place)

    def source(self, path: str) -> int | None:
        """The number of a file's text; None where it is not there."""
        if path not in self._sources:
            lines = self.given.get(path) or [line.rstrip("\r\n") for line in linecache.getlines(path)]
            self._sources[path] = len(self.sources) if lines else None
            if lines:
                self.sources.append({"id": len(self.sources), "name": os.path.basename(path) or path, "lines": lines})
        return self._sources[path]

    def assignment(self, scope: str, name: str, is_last: bool) -> int | None:
        """The statement that gives a name its value in the program's text, the last one or the only one; None if in doubt."""
        found = []
        for path, number in self._sources.items():
            if number is None:
                continue
            for line, statement in self._assignments(path, self.sources[number]["lines"]).items():
                targets = statement.targets if isinstance(statement, ast.Assign) else []
                if any(name in bound_names(target) for target in targets) and self._scopes[path].get(line, "<module>") == scope:
                    found.append((number, statement))
        if not found or (len(found) > 1 and not is_last):
            return None
        number, node = max(found, key=lambda one: one[1].lineno)
        lines = self.sources[number]["lines"]
        place = len(self.places)
        text = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
        self.places.append({
            "id": place, "source": number, "line": node.lineno, "col": None, "end_line": node.end_lineno, "end_col": None,
            "function": scope, "text": text, "target": name, "statement": lines[node.lineno - 1].strip(),
        })  # fmt: skip
        return place

    def calling(self, names: list[Entry], method: str) -> int | None:
        """The statement that calls a method of what has one of these names, the first one; None where the text has none."""
        wanted = {(one["name"], one["scope"]) for one in names}
        for path, number in list(self._sources.items()):
            self._assignments(path, [] if number is None else self.sources[number]["lines"])
            for line, name, called in self._methods[path]:
                if called == method and (name, self._scopes[path].get(line, "<module>")) in wanted:
                    return self.of_line(path, line)
        return None

    def _head(self, path: str, lines: list[str], line: int) -> tuple[int, int] | None:
        """Where the head of a loop over something ends, which Python gives the whole loop's place: behind what it runs over."""
        self._assignments(path, lines)
        return self._loops[path].get(line)

    def _beginning(self, path: str, lines: list[str], *span: int) -> tuple[int, int]:
        """Where an expression begins: of a method on a later line than what it is called on, Python gives the method's place."""
        self._assignments(path, lines)
        return self._chains[path].get(span, (span[0], span[1]))

    def _assignments(self, path: str, lines: list[str]) -> dict[int, ast.stmt]:
        """The assignments of a file by their lines, and in which function each stands."""
        if path not in self._statements:
            text = "\n".join(lines)
            nodes = parsed(text)
            assignments = [node for node in nodes if isinstance(node, ast.Assign)]
            self._statements[path] = {node.lineno: node for node in assignments}
            loops = [node for node in nodes if isinstance(node, ast.For | ast.AsyncFor)]
            self._loops[path] = {node.lineno: (node.iter.end_lineno or 0, node.iter.end_col_offset or 0) for node in loops}
            self._scopes[path] = scopes_of(text)
            self._chains[path] = dict(_chains_of(nodes))
            self._methods[path] = list(_methods_of(nodes))
            self._targets[path] = {_span(node.value): ast.unparse(node.targets[0]) for node in assignments}
        return self._statements[path]

    def _target(self, path: str, lines: list[str], *span: int) -> str | None:
        """What a statement binds to the very expression."""
        self._assignments(path, lines)
        return self._targets[path].get(span)


@functools.lru_cache(maxsize=4)
def parsed(text: str) -> tuple[ast.AST, ...]:
    """The nodes of a program, its module first, which is empty where the text is no program; kept for the next block recorded there."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        tree = ast.Module([], [])
    return tuple(ast.walk(tree))


def in_one_line(lines: Iterable[str]) -> str:
    """An expression of several lines as one would write it in one.

    >>> in_one_line(["f(", "  x", "  .exp(),", ")"])
    'f(x.exp())'
    """
    text = " ".join(line.strip() for line in lines)
    return re.sub(r",? (?=[)\]}])| (?=\.\w)|(?<=[(\[{]) ", "", text)


def bound_names(target: ast.expr) -> set[str]:
    """The names that a statement's target binds: none where it writes to an element or an attribute."""
    return {one.id for one in ast.walk(target) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _span(node: ast.expr) -> tuple[int, ...]:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _chains_of(nodes: Iterable[ast.AST]) -> Iterator[tuple[tuple[int, ...], tuple[int, int]]]:
    """Calls of methods that stand on a later line than what they are called on: the place that Python gives them, and where they begin."""
    for node in nodes:
        func = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(func, ast.Attribute) and node.lineno < (func.end_lineno or 0):
            line, col, end_line, end_col = _span(node)
            start = (func.end_col_offset or 0) - len(func.attr.encode())
            yield (func.end_lineno or line, start, end_line, end_col), (line, col)


def _methods_of(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str, str]]:
    """The methods that are called on names: the line, the name and the method."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            yield node.lineno, node.func.value.id, node.func.attr


@functools.lru_cache(maxsize=4)
def scopes_of(text: str) -> dict[int, str]:
    """By its line, the qualified name of the function or class that each statement stands in; none for the module's own."""
    found: dict[int, str] = {}
    _walk_scopes(parsed(text)[0], "", found)
    return found


def _walk_scopes(node: ast.AST, scope: str, found: dict[int, str]) -> None:
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{scope}.{child.name}" if scope else child.name
            if not isinstance(child, ast.ClassDef):
                inner += ".<locals>"
        elif isinstance(child, ast.stmt) and scope:
            found[child.lineno] = scope.removesuffix(".<locals>")
        _walk_scopes(child, inner, found)
