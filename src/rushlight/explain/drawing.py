"""The board as SVG: cards, edges, tags. In a page it follows the steps; alone it is the last state, with attributes only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape

from .columns import fitted, shortened, trimmed, width
from .entries import Value
from .folding import Card, Edge
from .layout import Laid, packed, parts_of
from .numerals import inline, rows, size_of, summary
from .states import CardStates, Span, States, pieces
from .words import LANGUAGES, Said, literal, say

CHAR = 7.4  # pixels of a column in the monospaced font of 12 pixels
ROW = 15.0
PAD = 10.0
TITLE = 38  # columns of a card's title
MATRIX = 44  # columns of a matrix on a card
NAMED = 22  # columns of a derivative's name beside a value
LABEL = 16.0  # the height of a derivative's name
BESIDE = 300.0  # pixels in which a value and its derivative stand beside each other
TALLEST = 6  # rows of a matrix on a card
COLUMN = 740.0  # pixels of a page's column for the graph, on a desk
WIDE = 640.0  # pixels of a graph before more leaves are tags
TAGS = 4  # of what is folded, before one stands for all
ABOVE = 420.0  # pixels of leaves above a graph; more stand below it

# By the role of a thing: how it is painted where there are no classes.
PAINT = {
    "box": 'fill="#ffffff" stroke="#6b7280"',
    "leafbox": 'fill="#fff7ed" stroke="#b33a0a" stroke-width="1.5"',
    "databox": 'fill="#ffffff" stroke="#6b7280" stroke-dasharray="4 3"',
    "slot": 'fill="#ffedd5"',
    "ride": 'fill="#fff7ed" stroke="#b33a0a"',
    "rule": 'fill="none" stroke="#d1d5db"',
    "fw": 'fill="#1d4ed8"',
    "bw": 'fill="#b33a0a"',
    "tx": 'fill="#1f2937"',
    "nm": 'fill="#1f2937" font-weight="700"',
    "mu": 'fill="#545b69"',
    "fwl": 'fill="none" stroke="#1d4ed8"',
    "bwl": 'fill="none" stroke="#b33a0a"',
    "edge": 'fill="none" stroke="#9aa1ac"',
    "dash": 'fill="none" stroke="#9aa1ac" stroke-dasharray="3 3"',
    "gone": 'fill="none" stroke="#b33a0a" stroke-width="1.8"',
}
FONT = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"


@dataclass
class Block:
    """A value as lines: a matrix in brackets, or a summary."""

    lines: list[Said]
    matrix: bool

    @property
    def width(self) -> float:
        columns = max((width(one.plain(lang)) for one in self.lines for lang in LANGUAGES), default=0)
        return columns * CHAR + (10 if self.matrix else 0)

    @property
    def height(self) -> float:
        return ROW * len(self.lines)


def block_of(value: Value | None, missing: Said, tallest: int = TALLEST) -> Block:
    """A value as it stands on a card."""
    if value is None:
        return Block([missing], False)
    lines = rows(value)
    if lines is not None and len(lines) <= tallest:
        columns = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
        texts = [" ".join(one.rjust(size) for one, size in zip(line, columns, strict=True)) for line in lines]
        if len(texts[0]) <= MATRIX:
            return Block([literal(text) for text in texts], bool(value["shape"]))
    if tallest < TALLEST:
        return Block([size_of(value["shape"])], False)
    told = summary(value)
    en, zh = re.split(": |, ", told.en, maxsplit=2), re.split("：|，", told.zh, maxsplit=2)
    return Block([Said(*pair) for pair in zip(en, zh, strict=True)], False)


def _block(span: Span, missing: Said) -> Block:
    """What a span shows: one value, or a line for each output."""
    if not span.outputs:
        return block_of(span.value, missing)
    told = [(name, missing if value is None else inline(value)) for name, value in span.outputs]
    return Block([Said(*(trimmed(f"{name} = {text}", MATRIX) for text in said)) for name, said in told], False)


class Brush:
    """Writes SVG: with classes and both languages for a page, or with attributes and one language alone."""

    def __init__(self, lang: str | None) -> None:
        self.lang = lang

    def paint(self, role: str) -> str:
        return f'class="{role}"' if self.lang is None else PAINT[role]

    def text(self, x: float, y: float, role: str, said: Said, anchor: str = "", size: int = 0) -> str:
        more = f' text-anchor="{anchor}"' if anchor else ""
        more += f' font-size="{size}"' if size else ""
        if self.lang is not None or said.en == said.zh:
            text = said.plain(self.lang or "en")
            space = ' xml:space="preserve"' if "  " in text or text.startswith(" ") else ""
            return f'<text x="{x:g}" y="{y:g}" {self.paint(role)}{more}{space}>{escape(text, quote=False)}</text>'
        texts = (f'<tspan class="{lang}">{escape(said.plain(lang), quote=False)}</tspan>' for lang in LANGUAGES)
        return f'<text x="{x:g}" y="{y:g}" {self.paint(role)}{more}>{"".join(texts)}</text>'

    def title(self, x: float, y: float, name: str, said: Said) -> str:
        """The name in bold, what it is in plain letters behind it."""
        if not name or not said.en.startswith(name):
            return self.text(x, y, "tx", said)
        rest = Said(said.en[len(name) :], said.zh[len(name) :])
        bold = f"<tspan {self.paint('nm')}>{escape(name, quote=False)}</tspan>"
        return self.text(x, y, "mu", rest).replace(">", ">" + bold, 1) if rest.en else self.text(x, y, "nm", literal(name))

    def rect(self, x: float, y: float, width: float, height: float, role: str, round: float = 6) -> str:
        return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round:g}" {self.paint(role)}/>'

    def path(self, d: str, role: str) -> str:
        return f'<path d="{d}" {self.paint(role)}/>'

    def block(self, block: Block, x: float, y: float, role: str) -> str:
        """A block with its middle at x and its top at y."""
        said = [self.text(x, y + 11.5 + ROW * at, role, one, "middle") for at, one in enumerate(block.lines)]
        if block.matrix:
            half, bottom = block.width / 2, y + block.height
            left = f"M{x - half + 4:g} {y:g}H{x - half:g}V{bottom:g}H{x - half + 4:g}"
            right = f"M{x + half - 4:g} {y:g}H{x + half:g}V{bottom:g}H{x + half - 4:g}"
            said.append(self.path(left + right, f"{role}l"))
        return "".join(said)

    def during(self, span: Span, drawn: str) -> str:
        """What is seen in some steps only; alone, what is seen at the end."""
        if self.lang is not None:
            return drawn if span.last is None else ""
        if span.first <= 1 and span.last is None:
            return drawn
        return f'<g data-f="{span.first}"{"" if span.last is None else f" data-t={chr(34)}{span.last}{chr(34)}"}>{drawn}</g>'


class CardShape:
    """The parts of a card, measured: so wide and so high that every state fits."""

    def __init__(self, card: Card, states: CardStates, rides: float, still: bool = False) -> None:
        self.card = card
        self.states = states = _last(states) if still else states
        self.title = card.caption or self._title()
        not_kept = say("not kept")
        self.values = [(span, _block(span, not_kept)) for span in states.values] if card.kind != "fold" else []
        self.arrived = [(span, _block(span, literal("None"))) for span in states.arrived] if card.kind != "fold" else []
        self.count = say("operations", count=card.count) if card.kind == "fold" else literal("")
        kept = shortened(states.kept, TITLE - 10)
        self.kept = [say("keeps", names=kept), say("freed", names=kept)] if kept and card.kind == "op" else []
        self.split = self._split()
        names = (literal(shortened(span.label, TITLE)) for span in states.arrived if self.split is None)
        texts = [self._cut(), self.count, *names, *self.kept]
        texts += [literal(f"{fitted(card.name, NAMED)}.grad")] if states.grads else []
        widths = [max(width(one.plain(lang)) for lang in LANGUAGES) * CHAR for one in texts]
        widths[0] += CHAR * 8 if card.kind == "leaf" else 0
        widths += [block.width for _, block in (*self.values, *self.arrived)]
        if self.split is not None:
            widths.append(sum(self.split))
        self.grads = [(span, self._slot(span, max(widths))) for span in states.grads]
        widths += [block.width for _, block in self.grads]
        self.width = round(max(*widths, 44.0, rides - 2 * PAD) + 2 * PAD, 1)
        self.value_height = max((block.height for _, block in self.values), default=0.0)
        self.arrived_height = max((block.height for _, block in self.arrived), default=0.0)
        self.grad_height = max((block.height for _, block in self.grads), default=0.0)
        height = 24.0 + (ROW if card.kind == "fold" else 0)
        if self.split is not None:
            height += max(self.value_height, self.arrived_height) + LABEL
        else:
            height += self.value_height + (25 + self.arrived_height if self.arrived else 0)
        height += 17 if self.kept else 0
        height += 28 + self.grad_height if self.grads else 0
        self.height = height + 8

    def _slot(self, span: Span, room: float) -> Block:
        """A ``.grad``: what is told of a large one stands in one line where the card has room for it."""
        block = block_of(span.value, literal("None"))
        if block.matrix or len(block.lines) < 2 or span.value is None:
            return block
        line = Block([summary(span.value)], False)
        return line if line.width <= room else block

    def _split(self) -> tuple[float, float] | None:
        """How wide a value and its derivative are, where they have room beside each other: then the card is half as high."""
        if not self.arrived:
            return None
        labels = [width(shortened(span.label, NAMED)) * CHAR * 0.92 for span in self.states.arrived]
        value = max((block.width for _, block in self.values), default=0.0) + 16
        derivative = max(*labels, *(block.width for _, block in self.arrived)) + 16
        return (value, derivative) if value + derivative <= BESIDE else None

    def _title(self) -> Said:
        card = self.card
        if card.written and card.name:
            target = card.text.split(" = ")[0] + " = …" if " = " in card.text else card.text
            after = say("after", text=shortened(target, 22))
            return Said(f"{card.name} {after.en}", f"{card.name} {after.zh}")
        if card.name and card.text:
            names = ", ".join([card.name, *(name for name, _ in self.states.values[0].outputs[1:])])
            return literal(f"{names} = {card.text}")
        return literal(card.name or card.text or "?")

    def _cut(self) -> Said:
        return Said(shortened(self.title.en, TITLE), shortened(self.title.zh, TITLE))

    def draw(self, brush: Brush, x: float, y: float) -> str:
        """The card with its corner at a point."""
        card, middle = self.card, x + self.width / 2
        role = {"leaf": "leafbox", "data": "databox"}.get(card.kind, "box" if card.wanted else "databox")
        drawn = []
        if card.kind == "fold":
            drawn.append(brush.rect(x + 4, y + 4, self.width, self.height, role))
        drawn.append(brush.rect(x, y, self.width, self.height, role))
        drawn.append(brush.title(x + PAD, y + 17, card.name, self._cut()))
        if card.kind == "leaf":
            drawn.append(brush.text(x + self.width - PAD, y + 17, "bw", say("leaf"), "end", 11))
        if card.kind == "fold":
            drawn.append(brush.text(x + PAD, y + 17 + ROW, "mu", self.count, size=11))
        at = y + 24
        if self.split is not None:
            drawn += self._beside(brush, x, at)
            at += max(self.value_height, self.arrived_height) + LABEL
        else:
            drawn += [brush.during(span, brush.block(block, middle, at, "fw")) for span, block in self.values]
            at += self.value_height + (ROW if card.kind == "fold" else 0)
        if self.arrived and self.split is None:
            border = brush.path(f"M{x + PAD:g} {at + 5:g}H{x + self.width - PAD:g}", "rule")
            for span, block in self.arrived:
                role = "past" if span.past else "bw"
                label = brush.text(x + PAD, at + 18, role, literal(shortened(span.label, TITLE)), size=11) if span.label else ""
                drawn.append(brush.during(span, border + label + brush.block(block, middle, at + 23, role)))
            at += 25 + self.arrived_height
        if self.kept:
            freed = self.states.freed
            for said, span in zip(self.kept, (Span(self.states.kept_from, freed), Span(freed or 0, None)), strict=True):
                if said is self.kept[0] or freed is not None:
                    drawn.append(brush.during(span, brush.text(x + PAD, at + 14, "mu", said, size=11)))
            at += 17
        if self.grads:
            drawn.append(brush.rect(x + 4, at + 6, self.width - 8, self.grad_height + 24, "slot", 4))
            drawn.append(brush.text(x + PAD, at + 19, "bw", literal(f"{fitted(card.name, NAMED)}.grad"), size=11))
            drawn += [brush.during(span, brush.block(block, middle, at + 24, "bw")) for span, block in self.grads]
        return "".join(drawn)

    def _beside(self, brush: Brush, x: float, top: float) -> list[str]:
        """The value on the left, the derivative under its name on the right."""
        assert self.split is not None
        spare = (self.width - 2 * PAD - sum(self.split)) / 2
        border = round(x + PAD + self.split[0] + spare, 1)
        left, right = round((x + border) / 2, 1), round((border + x + self.width) / 2, 1)
        tallest = max(self.value_height, self.arrived_height)
        rule = brush.path(f"M{border:g} {top + 3:g}V{top + LABEL + tallest:g}", "rule")
        drawn = []
        for span, block in self.values:
            for piece, is_alone in pieces(span, [one for one, _ in self.arrived]):
                at, high = (x + self.width / 2, top + LABEL / 2) if is_alone else (left, top + LABEL)
                drawn.append(brush.during(piece, brush.block(block, at, high + (tallest - block.height) / 2, "fw")))
        for span, block in self.arrived:
            role = "past" if span.past else "bw"
            label = brush.text(right, top + 10, role, literal(shortened(span.label, NAMED)), "middle", 11) if span.label else ""
            drawn.append(
                brush.during(span, rule + label + brush.block(block, right, top + LABEL + (tallest - block.height) / 2, role))
            )
        return drawn


def _last(states: CardStates) -> CardStates:
    """What a still picture shows of a card: the last that was there, of whichever pass."""
    arrived = [one for one in states.arrived if one.value is not None or one.outputs]
    last = [replace(one, first=1, last=None, past=False) for one in arrived[-1:]]
    return replace(states, values=states.values[-1:], arrived=last, grads=states.grads[-1:])


class Drawing:
    """The whole graph; `lang` None is for a page."""

    def __init__(self, states: States, lang: str | None) -> None:
        self.states, self.board, self.brush = states, states.board, Brush(lang)
        self.rides = {
            use: [(span, block_of(span.value, say("not kept"), 2)) for span in spans] for use, spans in states.rides.items()
        }
        self.shapes = [
            CardShape(card, state, self._ride_width(card), lang is not None)
            for card, state in zip(self.board.cards, states.cards, strict=True)
        ]
        self.tagged = {card.id for card in self.board.cards if self.board.tagged(card)}
        self._lay_out()
        if self.laid.width > WIDE:  # what several rounds of a loop use holds them together
            self.tagged |= {card.id for card in self.board.cards if self.board.tagged(card, 2) and self._joins(card)}
            self._lay_out()

    def _ride_width(self, card: Card) -> float:
        """How wide what rides away from below a card is, at most, in one step."""
        return self._widest([edge for edge in self.board.edges if edge.source == card.id])

    def _widest(self, edges: list[Edge]) -> float:
        if self.brush.lang is not None:
            return 0.0
        sums: dict[int, float] = {}
        for span, block in (one for edge in edges for use in edge.uses for one in self.rides.get(use, [])):
            sums[span.first] = sums.get(span.first, 0.0) + block.width + 16
        return max(sums.values(), default=0.0)

    def _tag_width(self, edge: Edge) -> float:
        return max(width(one) for one in self._called(edge)) * CHAR + 14

    def _called(self, edge: Edge) -> Said:
        """What a tag says: the name of a leaf, or how many of its own a folded module uses."""
        count = sum(first is edge for first in self.first_tag.values())
        return say("parameters", count=count) if count > 1 else literal(self.board.called(edge))

    def _first_tags(self, tags: list[Edge]) -> dict[int, Edge]:
        """By the identity of a tag's edge, the one whose tag stands for it, too: a module that is folded has one for all its own,
        and what is folded and uses many has one for all."""
        first: dict[object, Edge] = {}
        found = {}
        of_folds = [edge for edge in tags if self._is_of_fold(edge)]
        uses = Counter(edge.target for edge in of_folds)
        for edge in of_folds:
            caption = self.board.cards[edge.target].caption
            module = "" if caption is None or not caption.en.startswith("module ") else caption.en.removeprefix("module ")
            is_own = bool(module) and self.board.called(edge).startswith((module + ".", module + "["))
            found[id(edge)] = first.setdefault(edge.target, edge) if is_own or uses[edge.target] > TAGS else edge
        return {id(edge): found.get(id(edge), edge) for edge in tags}

    def _is_of_fold(self, edge: Edge) -> bool:
        return self.board.cards[edge.source].kind == "leaf" and self.board.cards[edge.target].kind == "fold"

    def _joins(self, card: Card) -> bool:
        """Whether those that use a leaf, or data, have nothing else to do with each other."""
        ends = [edge for edge in self.board.edges if self.board.cards[edge.source].kind not in ("leaf", "data")]
        parts = parts_of(len(self.board.cards), [(edge.source, edge.target) for edge in ends])
        users = {edge.target for edge in self.board.edges if edge.source == card.id}
        return sum(not users.isdisjoint(part) for part in parts) > 1

    def _lay_out(self) -> None:
        tagging = [edge for edge in self.board.edges if edge.source in self.tagged]
        self.first_tag = self._first_tags(tagging)
        tags = [edge for edge in tagging if self.first_tag[id(edge)] is edge]
        given = {edge.target for edge in self.board.edges}
        rowed = sorted(one for one in self.tagged if one not in given)
        order: list[tuple[float, Card | Edge]] = [(card.id, card) for card in self.board.cards if card.id not in rowed]
        order += [(edge.target - 0.5, edge) for edge in tags]
        order.sort(key=lambda pair: pair[0])
        at: dict[int, int] = {}  # by the identity of a card or a tag's edge
        sizes = []
        for number, (_, thing) in enumerate(order):
            at[id(thing)] = number
            if isinstance(thing, Edge):
                sizes.append((max(self._tag_width(thing), self._widest([thing])), 22.0))
            else:
                sizes.append((self.shapes[thing.id].width, self.shapes[thing.id].height))
        ends = [
            (
                at[id(self.first_tag[id(edge)] if edge.source in self.tagged else self.board.cards[edge.source])],
                at[id(self.board.cards[edge.target])],
            )
            for edge in self.board.edges
        ]
        tallest = max((block.height for one in self.rides.values() for _, block in one), default=0.0)
        gap = 40.0 if self.brush.lang is not None else max(40.0, tallest + 26)
        laid = packed(sizes, ends, gap, frozenset(at[id(edge)] for edge in tags))
        self.laid: Laid = laid
        self.top = self._tagged_row(laid, rowed)
        self.corner = {
            thing.id: (laid.boxes[n].x, laid.boxes[n].y + self.top)
            for n, (_, thing) in enumerate(order)
            if isinstance(thing, Card)
        }
        self.corner.update(self.row)
        self.tags = [(edge, laid.boxes[at[id(edge)]]) for edge in tags]

    def _tagged_row(self, laid: Laid, rowed: list[int]) -> float:
        """Leaves that tags stand for, in rows of their own above the graph, or below it where they are many; gives where that begins."""
        self.row: dict[int, tuple[float, float]] = {}
        x = y = tallest = 0.0
        self.width = laid.width
        for number in rowed:
            shape = self.shapes[number]
            if x and x + shape.width > max(laid.width, COLUMN):
                x, y, tallest = 0.0, y + tallest + 16, 0.0
            self.row[number] = (x, y)
            self.width = max(self.width, x + shape.width)
            x, tallest = x + shape.width + 16, max(tallest, shape.height)
        rows = y + tallest + 30 if self.row else 0.0
        self.height = laid.height + rows
        if rows <= ABOVE or not laid.height:
            return rows
        self.row = {number: (x, y + laid.height + 30) for number, (x, y) in self.row.items()}
        return 0.0

    def body(self) -> tuple[str, float, float]:
        """The drawn parts without the svg element, and their width and height."""
        drawn: list[str] = []
        paths = [[(x, y + self.top) for x, y in path] for path in self.laid.paths]
        for edge, path in zip(self.board.edges, paths, strict=True):
            drawn.append(self._edge(edge, path))
        for edge, box in self.tags:
            card = self.board.cards[edge.source]
            role, wide = "leafbox" if card.kind == "leaf" else "databox", self._tag_width(edge)
            tag = self.brush.rect(box.middle - wide / 2, box.y + self.top, wide, box.height, role, 11)
            tag += self.brush.text(box.middle, box.y + self.top + 15, "nm", self._called(edge), "middle")
            drawn.append(tag)
        for card in self.board.cards:
            drawn.append(self._card(card))
        drawn += self._riding(paths)
        return "".join(drawn), self.width, self.height

    def _card(self, card: Card) -> str:
        x, y = self.corner[card.id]
        drawn = self.shapes[card.id].draw(self.brush, x, y)
        if self.brush.lang is not None or not self.states.steps.all:
            return f"<g>{drawn}</g>"
        step = self.states.cards[card.id].step
        name = self.shapes[card.id].title.en
        label = escape(f"{name} (#{step})")
        of = " op" if card.kind in ("op", "fold") and step > 1 else ""
        return f'<a href="#step={step}" class="card{of}" data-c="{card.id}" aria-label="{label}">{drawn}</a>'

    def _edge(self, edge: Edge, path: list[tuple[float, float]]) -> str:
        ran = [use for use in edge.uses if use in self.rides] or edge.uses[-1:]
        uses: list[tuple[int, int] | None] = list(ran) if 1 < len(ran) <= 3 else [None]
        drawn = ""
        for number, _ in enumerate(uses):
            d = curve(path, (number - (len(uses) - 1) / 2) * 9)
            drawn += self.brush.path(d, "edge" if edge.wanted else "dash")
        for number, use in enumerate(uses):
            for span in self._passed(edge.uses if use is None else [use]):
                d = curve(path, (number - (len(uses) - 1) / 2) * 9, False)
                drawn += self.brush.during(span, self.brush.path(d, "gone"))
        return drawn

    def _passed(self, uses: Iterable[tuple[int, int]]) -> list[Span]:
        found: dict[int | None, Span] = {}
        spans = [one for use in uses for one in self.states.passed.get(use, [])]
        if self.brush.lang is not None:
            return [Span(1, None) for _ in spans[:1]]
        for span in spans:
            if span.last not in found or span.first < found[span.last].first:
                found[span.last] = span
        return list(found.values())

    def _riding(self, paths: list[list[tuple[float, float]]]) -> list[str]:
        """What is sent, below the card that it goes to, in the step in which it is."""
        if self.brush.lang is not None:
            return []
        together: dict[tuple[str, int, int], list[Block]] = {}
        starts: dict[tuple[str, int, int], tuple[float, float]] = {}
        for number, (edge, path) in enumerate(zip(self.board.edges, paths, strict=True)):
            source = ("tag", number) if edge.source in self.tagged else ("card", edge.source)
            for span, block in (one for use in edge.uses for one in self.rides.get(use, [])):
                together.setdefault((*source, span.first), []).append(block)
                starts[*source, span.first] = path[0]
        drawn = []
        for key, blocks in together.items():
            x, y = starts[key]
            x -= sum(block.width + 16 for block in blocks) / 2
            row = ""
            for block in blocks:
                row += self.brush.rect(x + 2, y + 4, block.width + 12, block.height + 8, "ride", 4)
                row += self.brush.block(block, x + 8 + block.width / 2, y + 8, "bw")
                x += block.width + 16
            drawn.append(self.brush.during(Span(key[2], key[2] + 1), row))
        return drawn


def curve(points: list[tuple[float, float]], shift: float = 0.0, arrow: bool = True) -> str:
    """A path through points that leaves and arrives vertically."""
    x, y = points[0]
    d = f"M{x + shift:g} {y:g}"
    for to_x, to_y in points[1:]:
        if to_x == x:
            d += f"V{to_y:g}"
        else:
            half = round((y + to_y) / 2, 1)
            d += f"C{x + shift:g} {half:g} {to_x + shift:g} {half:g} {to_x + shift:g} {to_y:g}"
        x, y = to_x, to_y
    return d + (f"M{x + shift - 4:g} {y - 6:g}L{x + shift:g} {y:g}L{x + shift + 4:g} {y - 6:g}" if arrow else "")
