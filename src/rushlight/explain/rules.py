"""The derivative rules as text: given as mathematics (readable.py), or the table's own lambdas; with the user's names in them."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..base.arguments import code_of
from .entries import Entry
from .readable import READABLE

if TYPE_CHECKING:
    from ..ops.table import Op, Rule

WHERE = " where "  # behind it stand abbreviations, with semicolons between
NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")  # in an expression: no attribute
LONGEST = 16  # characters of a parameter that is written out
MODULES = ("xp", "math")
SIGNS = {"plus": ast.Add(), "minus": ast.Sub(), "times": ast.Mult(), "divide_by": ast.Div(), "pow_number": ast.Pow()}
WITH_NUMBERS = {"by_number": ast.Mult(), "number_over": ast.Div()}
CONSTANTS = {
    "LN2": "log(2)", "LN10": "log(10)", "PI": "pi", "ROOT_PI": "sqrt(pi)", "ROOT_2PI": "sqrt(2 * pi)", "zero": "0",
}  # fmt: skip
REFUSALS = ("underivable", "not_implemented", "_not_implemented", "_no_rule", "_fail", "_found_dtype", "_no_inplace_acosh")


class Known(dict[str, object]):
    """Parameters of an op by name, and its inputs that are there; as a key, arrays are no more than their class."""

    def __init__(self, told: Mapping[str, object]) -> None:
        super().__init__(told)
        self.key = tuple((name, type(value), _as_key(value)) for name, value in told.items())

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.key == other.key


def _as_key(value: object) -> object:
    if isinstance(value, tuple | list):
        return tuple(_as_key(one) for one in value)
    return value if value is None or isinstance(value, int | float | str) else type(value)


def rule_texts(op: Op, names: Mapping[str, str], told: Mapping[str, object], edges: int) -> list[Entry]:
    """For each edge the rule's text, with the user's names and with the op's own.

    ``names`` are the user's for the op's inputs, ``told`` the op's parameters and, by their names, the inputs that are there.
    """
    filled = {**names, **{name: repr(value) for name, value in told.items() if name not in op.inputs and _is_short(value)}}
    key = tuple(filled.items())
    texts = [dict(one) for one in _texts(op, Known(told), key)]
    if op.variadic in op.sources:  # one rule gives the gradients of all that were put together
        whole = re.sub(r"^unbind\((\w+), 0\)$", r"\1", str(texts[0]["text"]))
        return [{**texts[0], "text": f"{whole}[{edge}]"} for edge in range(edges)]
    return texts


def _is_short(value: object) -> bool:
    plain = value is None or isinstance(value, int | float | str)
    plain = plain or (isinstance(value, tuple) and all(isinstance(one, int) for one in value))
    return plain and len(repr(value)) <= LONGEST and repr(value) not in ("inf", "-inf", "nan")


@functools.lru_cache(4096)
def _texts(op: Op, told: Known, names: tuple[tuple[str, str], ...]) -> list[Entry]:
    texts = []
    for source in op.sources:
        generic, kind = form_of(op, source, told)
        if generic is None or kind == "code":
            texts.append({"text": generic, "generic": generic})
            continue
        words = words_of(generic, dict(names))
        entry: Entry = {"text": renamed(generic, dict(names), words), "generic": generic}
        texts.append(entry | ({"words": words} if words else {}))
    return texts


def form_of(op: Op, source: str, told: Mapping[str, object]) -> tuple[str | None, str]:
    """A rule in the op's own names, and what it is: ``given`` as mathematics, mathematics by itself (``rule``), ``code``, or
    a refusal to give a derivative (``none``, without a text)."""
    given = READABLE.get(op.name, {}).get(source)
    rule = op.rules.get(source)
    of_complex = bool(told.get("is_complex"))
    if given is not None:
        text = given if isinstance(given, str) else given(told)
        return (_of_complex(op, source, text, _body(rule)) if of_complex and rule is not None else text), "given"
    body = None if rule is None else _body(rule)
    if _refuses(body if rule is not None or op.joint is None else _body(op.joint)):
        return None, "none"
    if rule is None or body is None:
        return None, "none" if rule is not None else "code"
    plain = _Plain(of_complex)
    text = ast.unparse(ast.fix_missing_locations(plain.visit(_copied(body))))
    return text, "rule" if plain.is_mathematics else "code"


def _refuses(body: ast.expr | None) -> bool:
    if isinstance(body, ast.IfExp):  # a refusal where a derivative is asked for
        body = body.body
    return isinstance(body, ast.Call) and isinstance(body.func, ast.Name) and body.func.id in REFUSALS


# Their derivative by a complex number is no complex number times g; the texts given for them say it themselves.
NOT_HOLOMORPHIC = frozenset("abs sgn angle real imag conj view_as_real view_as_complex complex polar norm linalg_norm".split())
OF_COMPLEX = {("vdot", "a"): "conj(g) * b", ("vdot", "b"): "g * a"}


def _of_complex(op: Op, source: str, text: str, body: ast.expr | None) -> str:
    """A text that is meant for real numbers as it is for complex ones: what g is multiplied by, or divided, is conjugated."""
    used = {getattr(one, "attr", "") for one in ast.walk(body)} if body is not None else set()
    if (op.name, source) in OF_COMPLEX:
        return OF_COMPLEX[op.name, source]
    if used & {"turned", "adjoint"}:
        return text.replace(".T", ".H")
    head, where, behind = text.replace("sign(", "sgn(").partition(WHERE)
    found = re.fullmatch(r"(-?g) ([*/]) (.+)", head)
    if op.name in NOT_HOLOMORPHIC or found is None or found[3] == "n" or (found[2] == "/" and not _is_one(found[3])):
        return head + where + behind
    return ast.unparse(ast.parse(f"{found[1]} {found[2]} conj({found[3]})")) + where + behind


def _is_one(text: str) -> bool:
    """Whether a text behind a sign of division is divided by as a whole."""
    tree = ast.parse(text, mode="eval").body
    return text.startswith("(") or not (isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult | ast.Div))


def pieces(text: str) -> list[tuple[str, str]]:
    """A text as its expression, named "", and its abbreviations by name.

    >>> pieces("g * s where s = sigmoid(x)")
    [('', 'g * s'), ('s', 'sigmoid(x)')]
    """
    head, _, behind = text.partition(WHERE)
    named = [one.partition(" = ") for one in behind.split("; ")] if behind else []
    return [("", head), *((name, expression) for name, _, expression in named)]


def words_of(text: str, names: Mapping[str, str]) -> dict[str, str]:
    """The rule's own words that the user has as names, too, and what they are called to be told apart.

    >>> words_of("g * b", {"a": "alpha", "b": "g"}), words_of("g * out", {"x": "y"})
    ({'g': 'g_'}, {})
    """
    taken = {one for user in names.values() for one in NAME.findall(user)}
    words = {}
    for word in sorted(_words(text) & taken - names.keys() | {name for name, _ in pieces(text)} & taken):
        words[word] = f"{word}_"
        while words[word] in taken:
            words[word] += "_"
    return words


def told_apart(rule: Entry, inputs: set[str], taken: set[str], result: str | None) -> Entry:
    """A rule when all names of the program are known: ``out`` is called as the program calls the result, and a word that is the name
    of another tensor has a sign behind it; ``inputs`` are those of the op in whose place the user's names stand already."""
    if rule["text"] is None:
        return rule
    words = dict(rule.get("words", {}))
    text = rule["text"]
    own = _words(rule["generic"]) | {name for name, _ in pieces(rule["generic"]) if name}
    for word in sorted(own - words.keys() - inputs):
        called = result if word == "out" and result is not None else f"{word}_" if word in taken else None
        if called is not None and called != word:
            text = re.sub(rf"(?<![\w.]){word}(?![\w(])", called.replace("\\", r"\\"), text)
            words[word] = called
    if words.get("out", "").startswith("out_") and result is not None:
        text, words["out"] = re.sub(rf"(?<![\w.]){words['out']}(?![\w(])", result, text), result
    return {**rule, "text": text, **({"words": words} if words else {})}


@functools.lru_cache(4096)
def _words(text: str) -> set[str]:
    """What an expression and its abbreviations name, functions left out."""
    trees = [ast.parse(expression, mode="eval") for _, expression in pieces(text)]
    called = {id(one.func) for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Call)}
    return {one.id for tree in trees for one in ast.walk(tree) if isinstance(one, ast.Name) and id(one) not in called}


def renamed(text: str, names: dict[str, str], words: Mapping[str, str] | None = None) -> str:
    """With the user's names in the place of the op's; ``words`` are those of :func:`words_of`.

    >>> renamed("g * exponent * x ** (exponent - 1)", {"x": "m[0, 0]", "exponent": "2"})
    'g * 2 * m[0, 0]'
    """
    words = words_of(text, names) if words is None else words
    abbreviations = {name for name, _ in pieces(text)}
    own = {**{name: user for name, user in names.items() if name not in abbreviations}, **words}
    stand_ins: dict[str, str] = {}  # of names that are no expressions, `n.1` say, or would be quoted otherwise
    for name, user in own.items():
        if not _is_expression(user) or ('"' in user and _is_element(user)):
            behind = ".T" if user.endswith(".T") else ""
            stand_in = f"_{len(stand_ins)}_"
            own[name], stand_ins[stand_in] = stand_in + behind, user.removesuffix(behind)
    whole = _with_expressions(text, tuple(own.items()))
    for stand_in, user in stand_ins.items():
        whole = whole.replace(stand_in, user)
    return whole


@functools.lru_cache(4096)
def _with_expressions(text: str, names: tuple[tuple[str, str], ...]) -> str:
    """A text in which expressions stand in the place of names."""
    parts = []
    for name, expression in pieces(text):
        tree = _Simpler().visit(_Renamed(dict(names)).visit(ast.parse(expression, mode="eval").body))
        told = ast.unparse(ast.fix_missing_locations(tree))
        parts.append(f"{dict(names).get(name, name)} = {told}" if name else told)
    return parts[0] + (WHERE + "; ".join(parts[1:]) if len(parts) > 1 else "")


@functools.lru_cache(4096)
def _is_expression(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


@functools.lru_cache(4096)
def _is_element(text: str) -> bool:
    return isinstance(ast.parse(text, mode="eval").body, ast.Subscript | ast.Attribute)


def _copied(body: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(body), mode="eval").body


@functools.cache
def _body(rule: Rule) -> ast.expr | None:
    """The expression of a lambda, found in its file by where its first instructions lie."""
    code = code_of(rule)
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


class _Plain(ast.NodeTransformer):
    """A rule as mathematics: functions without the namespace they are from, nothing conjugated for real numbers; notes where it
    is code."""

    def __init__(self, of_complex: bool) -> None:
        self.of_complex = of_complex
        self.is_mathematics = True

    def visit_Call(self, node: ast.Call) -> ast.expr:
        args = [self.visit(one) for one in node.args]
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id in MODULES:
            name = node.func.attr
            if name == "zeroed":
                return ast.Constant(0)
            if name in ("beside", "beside_kept", "beside_zeros", "beside_product"):
                return args[0]
            if name in SIGNS:
                return ast.BinOp(args[0], SIGNS[name], args[1])
            if name == "number_minus":
                return ast.BinOp(args[1], ast.Sub(), args[0])
            if name == "only":
                return ast.BinOp(args[0], ast.Mult(), args[1])
            if name == "masked_fill" and isinstance(args[2], ast.Constant) and args[2].value == 0:
                return ast.BinOp(args[0], ast.Mult(), ast.UnaryOp(ast.Invert(), args[1]))
            if name in ("adjoint", "turned", "t") and len(args) == 1:
                return ast.Attribute(args[0], "H" if self.of_complex and name != "t" else "T")
            return ast.Call(ast.Name("sign" if name == "sgn" else name), args, [])
        if isinstance(node.func, ast.Name) and node.func.id in WITH_NUMBERS:
            return ast.BinOp(args[0], WITH_NUMBERS[node.func.id], args[1])
        if isinstance(node.func, ast.Name) and node.func.id == "conj" and len(args) == 1:
            return ast.Call(ast.Name("conj"), args, []) if self.of_complex else args[0]
        is_shape = isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
        if not is_shape and not (
            isinstance(node.func, ast.Name) and node.func.id in ("conjugate", "tuple", "len", "range", "sum")
        ):
            self.is_mathematics = False
        return ast.Call(self.visit(node.func), args, node.keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in MODULES:
            return ast.Name(node.attr)
        self.generic_visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.is_mathematics = False
        self.generic_visit(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.is_mathematics = False
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        constant = CONSTANTS.get(node.id)
        return node if constant is None else ast.parse(constant, mode="eval").body


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self.names.get(node.id)
        if text is None:
            return node
        return ast.parse(text, mode="eval").body

    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = (
            node.func if isinstance(node.func, ast.Name) else self.visit(node.func)
        )  # `sum` is a function, whatever it is to the user
        return ast.Call(func, [self.visit(one) for one in node.args], node.keywords)


class _Simpler(ast.NodeTransformer):
    """`1 * g`, `x ** (2 - 1)`, `conj(3)`, `W.T.T` and `~~mask` as one would write them."""

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        inner = node.operand
        is_twice = isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Invert) and isinstance(node.op, ast.Invert)
        return inner.operand if isinstance(inner, ast.UnaryOp) and is_twice else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        is_conjugate = isinstance(node.func, ast.Name) and node.func.id == "conj"
        return node.args[0] if is_conjugate and _number(node.args[0]) is not None else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr == "T" and isinstance(node.value, ast.Attribute) and node.value.attr == "T":
            return node.value.value
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = _number(node.left), _number(node.right)
        if isinstance(node.op, ast.Mult) and 1 in (left, right):
            return node.right if left == 1 else node.left
        if isinstance(node.op, ast.Mult) and left == -1:
            return ast.UnaryOp(ast.USub(), node.right)
        if isinstance(node.op, ast.Pow | ast.Div) and right == 1:
            return node.left
        if isinstance(node.op, ast.Sub) and left is not None and right is not None:
            return ast.parse(repr(left - right), mode="eval").body
        if isinstance(node.op, ast.Sub) and right == 0:
            return node.left
        return node


def _number(node: ast.expr) -> int | float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = _number(node.operand)
        return None if found is None else -found
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
