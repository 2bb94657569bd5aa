"""What no expression of the program's made, written as one: the ops of a rule in a pass that records itself, and what has no name."""

from __future__ import annotations

import ast
import functools
from collections.abc import Container, Sequence

from ..tensor import Tensor

LONGEST = 48  # characters of an expression
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "times": "*", "div": "/", "divide_by": "/", "pow": "**", "pow_number": "**",
    "mm": "@", "mv": "@", "dot": "@", "bmm": "@", "matmul": "@",
}  # fmt: skip
TURNED = ("t", "transpose", "adjoint")
SAME = (
    "expand_number",
    "view",
    "unsafe_view",
    "reshape",
    "reshape_alias",
    "expand",
    "astype",
    "to_copy",
)  # another shape or dtype of the same
CALLED = {"embed_select": "place", "embed_slice": "place"}  # as in the rules
FORMS = {  # of {0} and {1}, each in parentheses where needed
    "neg": "-{0}", "addmm": "{1} @ {2} + {0}", "sigmoid_backward": "{0} * {1} * (1 - {1})",
    "tanh_backward": "{0} * (1 - {1} ** 2)", "relu_backward": "{0} * ({1} > 0)",
}  # fmt: skip
ATOM = 5
STRENGTH = {ast.Pow: 4, ast.Mult: 2, ast.Div: 2, ast.MatMult: 2, ast.Add: 1, ast.Sub: 1}


def composed(op: str, texts: Sequence[str], dimensions: int = 2) -> str:
    """An op on what these texts name, as one would write it; of what would be too long the op alone.

    ``dimensions`` are the result's.

    >>> composed("mul", ["g", "x + 1"]), composed("exp", ["x"]), composed("mul", ["1", "y"])
    ('g * (x + 1)', 'exp(x)', 'y')
    """
    texts = [one.removesuffix(".0") for one in texts]
    sign = SIGNS.get(op)
    if sign == "*" and len(texts) == 2 and "1" in texts:
        text = texts[1] if texts[0] == "1" else texts[0]
    elif sign is not None and len(texts) == 2:
        texts = ["ones" if sign == "@" and one == "1" else one for one in texts]
        least = _strength(f"a {sign} b")
        left = _operand(texts[0], least + (sign == "**"))
        text = f"{left} {sign} {_operand(texts[1], least + (sign not in '+*'))}"
    elif op in FORMS:
        text = FORMS[op].format(*(_operand(one, ATOM) for one in texts))
    elif op in TURNED and texts and dimensions <= 2:
        text = texts[0].removesuffix(".T") if texts[0].endswith(".T") else f"{_operand(texts[0], ATOM)}.T"
    elif op in SAME and texts:
        text = texts[0]
    else:
        text = f"{CALLED.get(op, op)}({', '.join(texts)})"
    return text if len(text) <= LONGEST else f"{CALLED.get(op, op)}(…)"


def begun(subscript: str, of: str, step: int, axis: int) -> str | None:
    """What the first steps of a subscript give, as its writer would have written it; None where that is not certain.

    ``of`` is what the subscript is of; ``axis`` the one that the last of these steps, number ``step``, went along.

    >>> begun("m[i, 0]", "m", 0, 0), begun("m[:, 1, 1:]", "m.1", 0, 1), begun("m[where, 0]", "m", 0, 1)
    ('m[i]', 'm.1[:, 1]', None)
    """
    tree = _expression(subscript)
    parts = tree.slice.elts if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Tuple) else []
    kept = 0  # axes that are there behind these parts
    for number, part in enumerate(parts):
        is_slice = isinstance(part, ast.Slice)
        if isinstance(part, ast.Constant) and not (isinstance(part.value, int) and not isinstance(part.value, bool)):
            return None  # new axes, or any number of them
        if not is_slice or any((part.lower, part.upper, part.step)):  # type: ignore[attr-defined]
            if not step:
                written = [ast.get_source_segment(subscript, one) or ":" for one in parts[: number + 1]]
                return f"{closed(of)}[{', '.join(written)}]" if kept == axis else None
            step -= 1
        kept += is_slice
    return None


def closed(text: str) -> str:
    """In parentheses where it is more than a name, a call or an index.

    >>> closed("y"), closed("y * y"), closed("(y + 1) ** 2"), closed("(y + 1).exp()")
    ('y', '(y * y)', '((y + 1) ** 2)', '(y + 1).exp()')
    """
    return f"({text})" if " " in text and _strength(text) < ATOM else text


@functools.lru_cache(4096)
def _strength(text: str) -> int:
    """How tightly what is outermost in a text holds together."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ATOM
    if isinstance(tree, ast.BinOp):
        return STRENGTH.get(type(tree.op), 0)
    if isinstance(tree, ast.UnaryOp):
        return 3
    return 0 if isinstance(tree, ast.Compare | ast.BoolOp | ast.IfExp | ast.Lambda) else ATOM


def _operand(text: str, least: int) -> str:
    return text if _strength(text) >= least else f"({text})"


def unnamed(text: str, position: int, known: Container[str]) -> str | None:
    """An op's input that has no name, in the expression that ran the op: the side of a sign, or the only call among the arguments
    (and in tuples of them) that is not known to have made something else.

    >>> unnamed("torch.ones(3) * 0.1", 0, ()), unnamed("F.mse_loss(net(x), torch.ones(3))", 1, ["net(x)"])
    ('torch.ones(3)', 'torch.ones(3)')
    """
    if position < 2:
        sides = _sides(text)
        if sides:
            return sides[position]
    receiver = _receiver(text) if position == 0 else None
    if receiver is not None:
        return receiver
    calls = [one for one in _calls(text) if one not in known]
    return calls[0] if len(calls) == 1 else None


@functools.lru_cache(4096)
def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _sides(text: str) -> list[str | None]:
    tree = _expression(text)
    return [ast.get_source_segment(text, one) for one in (tree.left, tree.right)] if isinstance(tree, ast.BinOp) else []


def _receiver(text: str) -> str | None:
    """What a method of tensors is called on without an argument: ``x`` in ``x.exp()``."""
    tree = _expression(text)
    if (
        isinstance(tree, ast.Call)
        and not tree.args
        and isinstance(tree.func, ast.Attribute)
        and hasattr(Tensor, tree.func.attr)
    ):
        return ast.get_source_segment(text, tree.func.value)
    return None


def _calls(text: str) -> list[str]:
    tree = _expression(text)
    given = [*tree.args, *(one.value for one in tree.keywords)] if isinstance(tree, ast.Call) else []
    within = [one for value in given for one in (value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value])]
    return [ast.get_source_segment(text, one) or "" for one in within if isinstance(one, ast.Call)]
