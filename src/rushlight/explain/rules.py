"""The derivative rules as text: the table's own lambdas, with the user's names in place of the inputs'."""

from __future__ import annotations

import ast
import functools
from typing import Any

from .entries import Entry

# Where a rule is code rather than mathematics.
READABLE = {
    "mean_all": {"x": "g / n"},
    "mean": {"x": "g / n"},
    "sum_all": {"x": "g"},
    "sum": {"x": "g"},
    "pow": {"a": "g * b * a ** (b - 1)"},
    "pow_number": {"x": "g * exponent * x ** (exponent - 1)"},
    "relu": {"x": "g * (out > 0)"},
}


def rule_texts(op: Any, names: dict[str, str]) -> list[Entry]:
    """For each input that has a derivative the rule's text, with the user's names and with the op's own."""
    texts = []
    for source in op.sources:
        given = READABLE.get(op.name, {}).get(source)
        rule = op.rules.get(source)
        body = None if rule is None else _body(rule)
        generic = given or (None if body is None else ast.unparse(_Renamed({}).visit(_copied(body))))
        text = given or (None if body is None else ast.unparse(_Renamed(names).visit(_copied(body))))
        texts.append({"text": text, "generic": generic})
    return texts


def _copied(body: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(body), mode="eval").body


@functools.cache
def _body(rule: Any) -> ast.expr | None:
    """The expression of a lambda, found in its file by where its first instructions lie."""
    code = getattr(rule, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return None
    spots = [(line, col) for line, _, col, _ in code.co_positions() if line is not None and col]
    for node in _lambdas(code.co_filename):
        if [one.arg for one in node.args.args] == list(code.co_varnames[: code.co_argcount]):
            start, end = (node.body.lineno, node.body.col_offset), (node.body.end_lineno, node.body.end_col_offset)
            if any(start <= spot <= end for spot in spots):
                return node.body
    return None


@functools.cache
def _lambdas(path: str) -> list[ast.Lambda]:
    try:
        with open(path, encoding="utf-8") as file:
            return [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Lambda)]
    except (OSError, SyntaxError):
        return []


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self.names.get(node.id)
        if text is None:
            return node
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError:
            return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "conj" and len(node.args) == 1:
            return self.visit(node.args[0])  # type: ignore[no-any-return]
        return self.generic_visit(node)
