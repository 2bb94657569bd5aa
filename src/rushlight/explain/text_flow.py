"""Where values go in a program's text as plain numbers, as indices or in a copy: ways that no op has among its inputs."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .places import Places, bound_names, parsed, scopes_of

NUMBERS = frozenset(  # what makes numbers of a tensor, which have no history
    "item tolist numpy float int bool complex str tensor array asarray as_tensor from_numpy new_tensor".split()
)
COPIES = frozenset(["deepcopy", "Parameter"])
DRAWS = frozenset("multinomial bernoulli sample histc bincount unique nonzero argwhere searchsorted bucketize".split())
APART = frozenset(["data", "detach"])
SHAPES = frozenset("shape ndim dtype device size dim numel len isinstance type id stride is_leaf requires_grad grad_fn".split())
LIKE = "_like"  # of what `zeros_like` is given no value counts
ADDING = frozenset("append appendleft extend insert add update setdefault".split())  # to a list, a set or a dict
Name = tuple[str, str]  # the scope and the name
MODULE = "<module>"


class Read(NamedTuple):
    """An expression at which Python took the value of one of these tensors, or at which an op left no history; columns in bytes."""

    source: int
    start: tuple[int, int]
    end: tuple[int, int]
    decides: bool  # it asked only whether that is true

    def is_in(self, one: Statement) -> bool:
        value = one.value
        end = (value.end_lineno or value.lineno, value.end_col_offset or 0)
        return self.source == one.source and (value.lineno, value.col_offset) <= self.start and self.end <= end


class Statement(NamedTuple):
    """An assignment, the head of a loop, a condition, or a call that stands alone: where, what it gives values to, and from what.

    ``binds`` says that the names have that value from then on; else a part of what they have is written to. ``body`` are the lines
    that a condition or the head of a loop decides about.
    """

    source: int
    scope: str
    targets: frozenset[Name]
    value: ast.expr
    binds: bool
    body: range = range(0)

    @property
    def line(self) -> int:
        return self.value.lineno

    def is_in(self, used: set[tuple[int, int]]) -> bool:
        lines = self.body or range(self.line, (self.value.end_lineno or self.line) + 1)
        return any((self.source, line) in used for line in lines)


class Flow:
    """What a program's text tells of where values go."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.statements: list[Statement] = []
        self.loops: list[tuple[int, range]] = []  # a source, and the lines of a loop
        for number, source in enumerate(places.sources):
            text = "\n".join(source["lines"])
            self.statements += _statements(number, text)
            self.loops += [(number, _lines(one)) for one in parsed(text) if isinstance(one, ast.For | ast.While)]
        self.bound: dict[Name, list[Statement]] = defaultdict(list)
        for one in self.statements:
            for target in one.targets if one.binds else ():
                self.bound[target].append(one)

    def lost_at(
        self, tensors: Iterable[Name], cut: dict[Name, int | None], reads: list[Read], used: set[tuple[int, int]]
    ) -> tuple[int, bool] | None:
        """The place at which what has these names goes on without its history, to a line of ``used`` (a source, a line), and
        whether it only decided which of them run.

        ``cut`` are names that have lost it already, and where; ``tensors`` those that have it.
        """
        for deciding in (False, True):
            place = self._followed(set(tensors), cut, [one for one in reads if deciding or not one.decides], used, deciding)
            if place is not None:
                return place, deciding
        return None

    def _followed(
        self, known: set[Name], cut: dict[Name, int | None], reads: list[Read], used: set[tuple[int, int]], deciding: bool
    ) -> int | None:
        lost: dict[Name, tuple[int | None, Statement | None]] = {name: (place, None) for name, place in cut.items()}
        statements = [one for one in self.statements if deciding or not one.body]
        for _ in range(len(statements)):
            before = len(lost)
            for one in statements:
                place = self._lost_before(one, lost)
                if place is None and (
                    _loses(one.value, {name for scope, name in known if scope in (one.scope, MODULE)})
                    or any(read.is_in(one) for read in reads)
                ):
                    place = self.places.of_source_line(one.source, one.line)
                if place is None:
                    continue
                if one.is_in(used):
                    return place
                for target in one.targets:
                    lost.setdefault(target, (place, one))
            if len(lost) == before:
                return None
        return None

    def _lost_before(self, one: Statement, lost: dict[Name, tuple[int | None, Statement | None]]) -> int | None:
        """Where a name that this reads lost what it has there."""
        for name in sorted(names_read(one.value)):
            scoped = (one.scope, name) if (one.scope, name) in self.bound else (MODULE, name)
            place, by = lost.get((one.scope, name)) or lost.get(scoped) or (None, None)
            if place is not None and (by is None or self._reaches(by, one, scoped)):
                return place
        return None

    def _reaches(self, by: Statement, one: Statement, name: Name) -> bool:
        """Whether a name still has there what a statement gave it."""
        if by.source != one.source or by.scope != one.scope:
            return len(self.bound[name]) <= 1
        if by.line < one.line:
            between = [other for other in self.bound[name] if by.line < other.line < one.line]
            return all(name[1] in names_read(other.value) for other in between)
        around = any(source == one.source and by.line in lines and one.line in lines for source, lines in self.loops)
        return around and len(self.bound[name]) <= 1


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


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _statements(source: int, text: str) -> Iterator[Statement]:
    nodes, scopes = parsed(text), scopes_of(text)
    calls = Counter(one.func.id for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name))
    for node in nodes:
        if not isinstance(node, ast.stmt):
            continue
        scope = scopes.get(node.lineno, MODULE)
        for names, value, binds in _given(node):
            yield Statement(source, scope, _scoped(scope, names), value, binds)
        if isinstance(node, ast.If | ast.While | ast.For):
            within = [one for child in (*node.body, *node.orelse) for one in ast.walk(child) if isinstance(one, ast.stmt)]
            names = {name for one in within for given, _, _ in _given(one) for name in given}
            value = node.iter if isinstance(node, ast.For) else node.test
            body = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
            yield Statement(source, scope, _scoped(scope, names), value, False, body)
        if isinstance(node, ast.FunctionDef) and calls[node.name] == 1:  # what it gives back is what the one call has
            given_back = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
            for value in given_back:
                yield Statement(source, scopes.get(value.lineno, MODULE), _scoped(scope, {node.name}), value, False)


def _scoped(scope: str, names: Iterable[str]) -> frozenset[Name]:
    return frozenset((scope, name) for name in names)


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
        into = isinstance(written, ast.Attribute) and (written.attr.endswith("_") or written.attr in ADDING)
        yield _base(node.value) if into else set(), node.value, False
    elif isinstance(node, ast.Return) and node.value is not None:
        yield set(), node.value, False


def _base(target: ast.expr) -> set[str]:
    """The name in whose value a part is written: ``y`` of ``y[0]`` and of ``y.data.copy_``."""
    while isinstance(target, ast.Subscript | ast.Attribute | ast.Call):
        target = target.func if isinstance(target, ast.Call) else target.value
    return {target.id} if isinstance(target, ast.Name) else set()
