"""Where in the program something happened: from a code object and an instruction to a sub-expression."""

from __future__ import annotations

import ast
import linecache
import os
from typing import Any


class Places:
    """The expressions and the texts that a recording refers to by number."""

    def __init__(self) -> None:
        self.places: list[dict[str, Any]] = []
        self.sources: list[dict[str, Any]] = []
        self._known: dict[tuple[Any, int], int] = {}
        self._sources: dict[str, int | None] = {}
        self._statements: dict[str, dict[int, ast.stmt]] = {}

    def of(self, where: tuple[Any, int] | None) -> int | None:
        """The number of the place of an instruction; None where there is none."""
        if where is None:
            return None
        code, instruction = where
        known = self._known.get((code, instruction))
        if known is None:
            known = self._known[code, instruction] = len(self.places)
            self.places.append(self._described(known, code, instruction))
        return known

    def _described(self, number: int, code: Any, instruction: int) -> dict[str, Any]:
        positions = list(code.co_positions())
        index = instruction // 2
        line, end_line, col, end_col = positions[index] if 0 <= index < len(positions) else (None,) * 4
        line = line or code.co_firstlineno
        end_line = end_line or line
        source = self._source(code.co_filename)
        lines = self.sources[source]["lines"] if source is not None else []
        first = lines[line - 1] if line <= len(lines) else ""
        text, target, statement = first.strip(), None, first.strip()
        if col is not None and end_col is not None and end_line <= len(lines):
            byte_lines = [one.encode() for one in lines[line - 1 : end_line]]
            ends = byte_lines[-1][:end_col]
            part = [*byte_lines[:-1], ends]
            part[0] = part[0][col:] if len(part) > 1 else byte_lines[0][col:end_col]
            text = " ".join(one.decode(errors="replace").strip() for one in part) or text
            target = self._target(code.co_filename, lines, line, col, end_line, end_col)
            col, end_col = len(byte_lines[0][:col].decode(errors="replace")), len(ends.decode(errors="replace"))
        else:
            col = end_col = None
        return {
            "id": number, "source": source, "line": line, "col": col, "end_line": end_line, "end_col": end_col,
            "function": code.co_qualname, "text": text, "target": target, "statement": statement,
        }  # fmt: skip

    def _source(self, path: str) -> int | None:
        if path not in self._sources:
            lines = [line.rstrip("\r\n") for line in linecache.getlines(path)]
            self._sources[path] = len(self.sources) if lines else None
            if lines:
                self.sources.append({"id": len(self.sources), "name": os.path.basename(path), "lines": lines})
        return self._sources[path]

    def _target(self, path: str, lines: list[str], *span: int) -> str | None:
        """What a statement binds to the very expression."""
        if path not in self._statements:
            try:
                tree = ast.parse("\n".join(lines))
            except (SyntaxError, ValueError):
                tree = ast.Module([], [])
            self._statements[path] = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        found = self._statements[path].get(span[0])
        if not isinstance(found, ast.Assign):
            return None
        value = found.value
        if (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset) == span:
            return ast.unparse(found.targets[0])
        return None
