"""A write through a view as its base's node has it: the rule of the write, on the part of ``g`` that the view is of the base."""

from __future__ import annotations

import math
import re

import numpy as np

from ..autograd.mirrors import Turned
from ..autograd.nodes import Node
from ..autograd.views import CopySlices
from .entries import Entry
from .rules import WHERE, rule_texts

Shape = tuple[int, ...]


def written_by(node: Node) -> Node | None:
    """The write's own node within those that see it from a base, or from what a conjugate is of."""
    while isinstance(node, CopySlices | Turned):
        if node.saved is None:
            return None
        node = node.saved[0]
    return node


def rules_of_write(node: Node, of_write: list[Entry] | None) -> list[Entry]:
    """The texts for each edge of a write through a view; ``of_write`` are those of the write's own node, where they are known.

    Of what arrives for the base, the part becomes what the write's rule makes of it: ``g where g[0, 1] = g[0, 1] * 2``.
    What was written in gets its rule's of the part: ``g[0, 1]``. Empty where the view has another dtype than its base, but for
    complex numbers and their halves.
    """
    if node.saved is None:
        return []
    if isinstance(node, Turned):
        inner, turn, _ = node.saved
        sign = "conjugate({})" if turn is np.conjugate else "-({})"
        return [_turned(one, sign, is_base=not index) for index, one in enumerate(rules_of_write(inner, of_write))]
    if not isinstance(node, CopySlices):
        op = getattr(node, "op", None)
        if of_write is None and op is not None and not op.params:  # else what it was called with is not known here
            return rule_texts(op, {}, {}, len(node.next))
        return of_write or []
    part = _part(node)
    if part is None:
        return []
    return [_through(one, part, is_base=not index) for index, one in enumerate(rules_of_write(node.saved[0], of_write))]


def _part(node: CopySlices) -> str | None:
    """What was written to, of the base, with ``{}`` for that."""
    assert node.saved is not None
    _, (shape, strides, offset, base_strides, dtype), _ = node.saved
    size, own = dtype.itemsize, node.dtype
    strides, offset = tuple(one // size for one in strides), offset // size
    halves = (*node.shape[-1:], *base_strides[-1:]) == (2, size // 2)
    if dtype.kind == "c" and own is not None and own.kind == "f" and own.itemsize == size // 2 and halves:
        whole = tuple(one // size for one in base_strides[:-1])
        return part_of(node.shape[:-1], whole, shape, strides, offset).replace("{}", "view_as_complex({})")
    base_strides = tuple(one // size for one in base_strides)
    if dtype == own:
        return part_of(node.shape, base_strides, shape, strides, offset)
    if own is None or own.kind != "c" or 2 * size != own.itemsize:
        return None
    part = part_of((*node.shape, 2), (*base_strides, 1), shape, strides, offset).replace("{}", "view_as_real({})")
    both = [part_of(node.shape, base_strides, shape, strides, offset - half) for half in (0, 1)]
    named = [one.replace("{}", f"{{}}.{half}") for one, half in zip(both, ("real", "imag"), strict=True)]
    return next((one for one in named if "as_strided" not in one), part)


def _turned(rule: Entry, sign: str, is_base: bool) -> Entry:
    """A rule of a write to a conjugate, or a negative, as it is of what that is of."""
    if rule["text"] is None:
        return rule
    texts = {}
    for key, word in (("text", rule.get("words", {}).get("g", "g")), ("generic", "g")):
        given, name = rule[key], "c"
        g = re.compile(rf"(?<![\w.]){word}(?![\w(])")
        seen = f"-{word}" if sign[0] == "-" else sign.format(word)
        while re.search(rf"\b{name}\b", given):
            name += "c"
        if is_base and WHERE in given:
            head, _, behind = g.sub(name, given).partition(WHERE)
            texts[key] = f"{sign.format(head)}{WHERE}{behind}; {name} = {seen}"
        else:
            head, where, behind = g.sub(seen, given).partition(WHERE)
            is_same = not is_base or head in (seen, "0")
            texts[key] = given if is_base and head == seen else (head if is_same else sign.format(head)) + where + behind
    return {**rule, **texts}


def _through(rule: Entry, part: str, is_base: bool) -> Entry:
    if rule["text"] is None:
        return rule
    return {
        **rule,
        "text": _text(rule["text"], part, is_base, rule.get("words", {})),
        "generic": _text(rule["generic"], part, is_base, {}),
    }


def _text(text: str, part: str, is_base: bool, words: Entry) -> str:
    g, out = (words.get(word, word) for word in ("g", "out"))
    if is_base and text == g:
        return g
    for word in (g, out):
        text = re.sub(rf"(?<![\w.]){word}(?![\w(])", part.format(word), text)
    if not is_base or part == "{}":
        return text
    head, _, behind = text.partition(WHERE)
    return f"{g}{WHERE}{part.format(g)} = {head}" + (f"; {behind}" if behind else "")


def part_of(base: Shape, base_strides: Shape, shape: Shape, strides: Shape, offset: int) -> str:
    """What a view is of its base, with ``{}`` for that; strides and offset in elements.

    >>> part_of((3, 4), (4, 1), (2, 4), (4, 1), 4), part_of((3, 4), (4, 1), (3,), (4,), 2), part_of((3, 4), (4, 1), (), (), 6)
    ('{}[1:]', '{}[:, 2]', '{}[1, 2]')
    >>> part_of((3, 4), (4, 1), (4, 3), (1, 4), 0), part_of((3, 4), (4, 1), (2, 6), (6, 1), 0)
    ('{}.T', '{}.reshape((2, 6))')
    """
    if math.prod(shape) == 0:
        return f"as_strided({{}}, {shape}, {strides}, {offset})"
    index = _index(base, base_strides, shape, strides, offset)
    if index is not None:
        return "{}" + index
    index = _index(base, base_strides, shape[::-1], strides[::-1], offset)
    if index is not None:
        return "{}" + index + ".T"
    if base_strides == _contiguous(base) and strides == _contiguous(shape) and math.prod(shape) == math.prod(base):
        return f"{{}}.reshape({shape})"
    return f"as_strided({{}}, {shape}, {strides}, {offset})"


def _contiguous(shape: Shape) -> Shape:
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _index(base: Shape, base_strides: Shape, shape: Shape, strides: Shape, offset: int) -> str | None:
    """Numbers and slices, one for each axis of the base; None where the view is no such part."""
    starts = [0] * len(base)
    for axis in sorted(range(len(base)), key=lambda axis: -base_strides[axis]):
        if base[axis] > 1 and base_strides[axis] > 0:
            starts[axis], offset = divmod(offset, base_strides[axis])
    if offset or any(start >= size for start, size in zip(starts, base, strict=True)):
        return None
    found = _slices(list(zip(base, base_strides, starts, strict=True)), list(zip(shape, strides, strict=True)))
    while found and found[-1] == ":":
        found.pop()
    return None if found is None else f"[{', '.join(found)}]" if found else ""


def _slices(axes: list[tuple[int, int, int]], wanted: list[tuple[int, int]]) -> list[str] | None:
    """An entry for each axis (size, stride, start) of the base, so that those which are slices are the view's (size, stride)."""
    if not axes:
        return None if wanted else []
    (size, stride, start), rest = axes[0], axes[1:]
    if wanted:
        length, apart = wanted[0]
        step = 1 if length == 1 or not stride else apart // stride
        fits = length == 1 or (stride * step == apart > 0 and start + (length - 1) * step < size)
        behind = _slices(rest, wanted[1:]) if fits else None
        if behind is not None:
            return [_slice(start, start + (length - 1) * step + 1, step, size), *behind]
    behind = _slices(rest, wanted)
    return None if behind is None else [str(start), *behind]


def _slice(start: int, stop: int, step: int, size: int) -> str:
    step = step if stop - start > 1 else 1
    return f"{start or ''}:{'' if stop + step > size else stop}{f':{step}' if step > 1 else ''}"
