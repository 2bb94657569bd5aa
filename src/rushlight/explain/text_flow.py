"""Where values go in a program's text as plain numbers, as indices or in a copy: ways that no op has among its inputs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .places import Places, bound_names, scopes_of

NUMBERS = frozenset(  # what makes numbers of a tensor, which have no history
    "item tolist numpy float int bool complex str tensor array asarray as_tensor from_numpy new_tensor".split()
)
COPIES = frozenset(["deepcopy"])
DRAWS = frozenset("multinomial bernoulli sample histc bincount unique nonzero argwhere searchsorted bucketize".split())
APART = frozenset(["data", "detach"])
SHAPES = frozenset("shape ndim dtype device size dim numel len isinstance type id stride is_leaf requires_grad grad_fn".split())
LIKE = "_like"  # of what `zeros_like` is given no value counts
Name = tuple[str, str]  # the scope and the name


class Statement(NamedTuple):
    """An assignment, the head of a loop, or a call that stands alone: where, what it gives values to, and from what.

    ``binds`` says that the names have that value from then on; else a part of what they have is written to.
    """

    source: int
    scope: str
    targets: frozenset[str]
    value: ast.expr
    binds: bool

    @property
    def line(self) -> int:
        return self.value.lineno

    def is_in(self, used: set[tuple[int, int]]) -> bool:
        return any((self.source, line) in used for line in range(self.line, (self.value.end_lineno or self.line) + 1))


def lost_at(places: Places, tensors: Iterable[Name], cut: dict[Name, int | None], used: set[tuple[int, int]]) -> int | None:
    """The place at which what has these names goes on without its history, to a line of ``used`` (a source, a line).

    ``cut`` are names that have lost it already, and where; ``tensors`` those that have it.
    """
    statements = [one for number, source in enumerate(places.sources) for one in _statements(number, source["lines"])]
    often = Counter((one.scope, target) for one in statements if one.binds for target in one.targets)
    known, lost = set(tensors), dict(cut)
    for _ in range(len(statements)):
        before = len(lost)
        for one in statements:
            read = {(one.scope, name) for name in names_read(one.value)}
            place = next((lost[name] for name in sorted(read & lost.keys())), None)
            if place is None and _loses(one.value, {name for scope, name in known if scope == one.scope}):
                place = places.of_source_line(one.source, one.line)
            if place is None:
                continue
            if one.is_in(used):
                return place
            for target in one.targets:
                if often[one.scope, target] <= 1:  # else in doubt which of its values is meant
                    lost.setdefault((one.scope, target), place)
        if len(lost) == before:
            return None
    return None


def names_read(tree: ast.AST) -> set[str]:
    """The names whose values an expression depends on, not only their shapes.

    >>> sorted(names_read(ast.parse("a[b] + torch.zeros_like(c) * len(d) + e.shape[0]", mode="eval")))
    ['a', 'b', 'torch']
    """
    if isinstance(tree, ast.Name):
        return {tree.id}
    if isinstance(tree, ast.Attribute) and tree.attr in SHAPES:
        return set()
    if isinstance(tree, ast.Call):
        called = tree.func.attr if isinstance(tree.func, ast.Attribute) else getattr(tree.func, "id", "")
        if called in SHAPES:
            return set()
        if called.endswith(LIKE):
            return names_read(tree.func)
    if isinstance(tree, ast.Lambda):
        return set()
    return {name for child in ast.iter_child_nodes(tree) for name in names_read(child)}


def _loses(value: ast.expr, known: set[str]) -> bool:
    """Whether an expression takes numbers, an index, a copy or ``.data`` of what has one of these names."""
    taken = [part for one in ast.walk(value) if (part := _taken_apart(one)) is not None]
    if _writes_into_data(value):
        taken.append(value)
    return any(known & names_read(one) for one in taken)


def _taken_apart(one: ast.AST) -> ast.AST | None:
    """The part of an expression's node whose history goes no further."""
    if isinstance(one, ast.Call):
        called = one.func.attr if isinstance(one.func, ast.Attribute) else getattr(one.func, "id", "")
        return one if called in NUMBERS | COPIES | DRAWS else None
    if isinstance(one, ast.Subscript):
        return one.slice
    return one.value if isinstance(one, ast.Attribute) and one.attr in APART else None


def _writes_into_data(value: ast.expr) -> bool:
    """``y.data.copy_(x)``"""
    func = value.func if isinstance(value, ast.Call) else None
    within = func.value if isinstance(func, ast.Attribute) and func.attr.endswith("_") else None
    return isinstance(within, ast.Attribute) and within.attr in APART


def _statements(source: int, lines: list[str]) -> Iterator[Statement]:
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return
    scopes = scopes_of(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            scope = scopes.get(node.lineno, "<module>")
            for names, value, binds in _given(node):
                yield Statement(source, scope, frozenset(names), value, binds)


def _given(node: ast.stmt) -> Iterator[tuple[set[str], ast.expr, bool]]:
    """What a statement gives values to by name, the expression that they depend on, and whether it binds the names."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            names = bound_names(target)
            yield names or _base(target), node.value, bool(names)
    elif isinstance(node, ast.AugAssign):
        yield bound_names(node.target) or _base(node.target), node.value, False
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield bound_names(node.target), node.value, True
    elif isinstance(node, ast.For):
        yield bound_names(node.target), node.iter, True
    elif isinstance(node, ast.Expr):
        written = node.value.func if isinstance(node.value, ast.Call) else None
        into = isinstance(written, ast.Attribute) and written.attr.endswith("_")
        yield _base(node.value) if into else set(), node.value, False
    elif isinstance(node, ast.Return) and node.value is not None:
        yield set(), node.value, False


def _base(target: ast.expr) -> set[str]:
    """The name in whose value a part is written: ``y`` of ``y[0]`` and of ``y.data.copy_``."""
    while isinstance(target, ast.Subscript | ast.Attribute | ast.Call):
        target = target.func if isinstance(target, ast.Call) else target.value
    return {target.id} if isinstance(target, ast.Name) else set()
