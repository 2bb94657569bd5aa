"""The program in a page: its lines, the expressions that a step lights, and what each line made."""

from __future__ import annotations

from html import escape
from itertools import pairwise, zip_longest

from .board_lines import Note, notes_of
from .columns import fitted, trimmed, width
from .entries import Entry
from .folding import Card
from .numerals import inline
from .states import Span, States
from .words import Said

WHOLE = 300  # lines of a source that is shown whole
AROUND = 2  # lines around a place, of a longer one
NARROW = 36  # columns of a line that is hardly ever broken; others may be behind a bracket
DEEPEST = 4  # indentations that a line which is broken goes on below
NOTE, NAME = 42, 26  # columns of a name and its value under a line; of the name at most


def during(span: Span, html: str) -> str:
    """A piece of a page that is seen in some steps only."""
    if span.first <= 1 and span.last is None:
        return html
    last = "" if span.last is None else f' data-t="{span.last}"'
    return f'<span data-f="{span.first}"{last}>{html}</span>'


def listing(states: States, source: Entry) -> str:
    """The lines of a source as HTML."""
    recording = states.board.recording
    notes = notes_of(states.board, source["id"])
    places = [one for one in recording["places"] if one["source"] == source["id"]]
    wrong = {event["place"] for event in recording["events"] if event["kind"] == "error"}
    lines = source["lines"]
    shown = set(range(1, len(lines) + 1))
    if len(lines) > WHOLE:
        near = {*notes, *(one["line"] for one in places)}
        shown = {one + by for one in near for by in range(-AROUND, AROUND + 1)} & shown
    html, before = [], 0
    for number in sorted(shown):
        if number != before + 1:
            html.append('<div class="gap">⋮</div>')
        before = number
        code = _marked(lines[number - 1], number, places, wrong)
        below = _notes(states, notes.get(number, []))
        text = lines[number - 1]
        if width(text) > NARROW:
            code = code.replace("(", "(<wbr>")
        depth = min((len(text) - len(text.lstrip()) + 3) // 4, DEEPEST)
        html.append(f'<div class="ln{f" d{depth}" if depth else ""}"><i>{number}</i><code>{code or " "}</code>{below}</div>')
    return "".join(html)


def _marked(text: str, number: int, places: list[Entry], wrong: set[int | None]) -> str:
    """A line with an element around each expression; those that overlap without nesting lose the later one."""
    spans = []
    for place in places:
        if not place["line"] <= number <= place["end_line"]:
            continue
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        if place["col"] is not None and place["line"] == number:
            start = place["col"]
        if place["end_col"] is not None and place["end_line"] == number:
            end = place["end_col"]
        if start < min(end, len(text)):
            spans.append((start, min(end, len(text)), place["id"]))
    spans.sort(key=lambda one: (one[0], -one[1], one[2]))
    html, at = "", 0
    open_ends: list[int] = []
    for start, end, number in spans:
        while open_ends and open_ends[-1] <= start:
            html, at = html + escape(text[at : open_ends[-1]], quote=False) + "</span>", open_ends.pop()
        if open_ends and end > open_ends[-1]:
            continue
        bad = ' class="bad"' if number in wrong else ""
        html += escape(text[at:start], quote=False) + f'<span data-p="{number}"{bad}>'
        at = start
        open_ends.append(end)
    while open_ends:
        html, at = html + escape(text[at : open_ends[-1]], quote=False) + "</span>", open_ends.pop()
    return html + escape(text[at:], quote=False)


def _notes(states: States, notes: list[Note]) -> str:
    html = ""
    for label in dict.fromkeys(note.label for note in notes):
        these = [note for note in notes if note.label == label]
        values = [(Span(states.since(note.tensor), None, note.value), note.name) for note in these if note.card is None]
        cards = [(note, note.card, states.cards[note.card.id]) for note in these if note.card is not None]
        values += [one for note, card, state in cards for one in _spans(note, card, _made(note, card, state.values))]
        arrived = [one for note, card, state in cards for one in _spans(note, card, state.arrived)]
        if len(these) > 1:  # rounds: beside the derivative of h₄ stands h₄ again
            values += [
                (Span(span.first, None, note.value), note.name)
                for note, card, state in cards
                for span, _ in _spans(note, card, state.arrived)
                if note.value is not None
            ]
        html += _in_turns(values, "fw") + _in_turns(arrived, "bw")
    return f"<p>{html}</p>" if html else ""


def _made(note: Note, card: Card, spans: list[Span]) -> list[Span]:
    """What a card's line made: later values of what no op made stand at the lines that wrote them."""
    return [Span(spans[0].first, None, note.value)] if card.kind in ("leaf", "data") else spans


def _spans(note: Note, card: Card, spans: list[Span]) -> list[tuple[Span, str]]:
    """Of one name; a node with several outputs tells them apart."""
    found = []
    for span in (one for one in spans if not one.past):
        if not span.outputs:
            found.append((span, span.label or note.name))
            continue
        name, value = span.outputs[[card.tensor, *card.others].index(note.tensor)]
        found.append((Span(span.first, span.last, value), name))
    return [(span, name) for span, name in found if span.value is not None]


def _in_turns(spans: list[tuple[Span, str]], color: str) -> str:
    """One after the other: each is seen until the next is."""
    html = ""
    spans = sorted(spans, key=lambda pair: pair[0].first)
    again = [
        before[0].last is None and (before[1], before[0].value) == (name, span.value)
        for before, (span, name) in pairwise(spans)
    ]
    spans = [pair for pair, is_again in zip(spans, [False, *again], strict=False) if not is_again]
    for (span, name), later in zip_longest(spans, spans[1:]):
        last = span.last
        if later is not None and (last is None or later[0].first < last):
            last = later[0].first
        if last is not None and last <= span.first:
            continue
        name = fitted(name, NAME)
        value = short(inline(span.value), NOTE - width(name)).html()
        html += during(Span(span.first, last), f'<span class="{color}">{escape(name)} = {value}</span>')
    return html


def short(said: Said, room: int) -> Said:
    """Without what is too long for a note; what is told of a large value is not cut."""
    return said if width(said.en) <= room or not said.en.startswith("[") else Said(*(trimmed(text, room) for text in said))


def printed(states: States) -> str:
    """What the program wrote, each piece from the step on after which it came."""
    steps = states.steps.all
    ends = [max(step.events, default=0) + 1 for step in steps]
    html = ""
    for piece in states.board.recording["program"]["printed"]:
        first = next((number for number, end in enumerate(ends, 1) if end >= piece["event"]), len(steps))
        kind = ' class="s"' if piece["stream"] == "stderr" else ""
        text = f"<span{kind}>{escape(piece['text'], quote=False)}</span>" if kind else escape(piece["text"], quote=False)
        html += during(Span(min(first, len(steps)), None), text)
    return html
