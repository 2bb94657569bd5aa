"""A story's graph as one still picture: presentation attributes only, an opaque background, nothing that sanitizers remove."""

from __future__ import annotations

from html import escape

from .drawing import FONT, Drawing
from .entries import Recording
from .folding import Board
from .states import States
from .steps import Steps, Which
from .words import legible, say

MARGIN = 16


def render(recording: Recording, lang: str = "en", passes: Which | None = None) -> str:
    """An SVG document of what each card showed last; `lang` is "en" or "zh"."""
    drawing = Drawing(States(Steps(Board(recording), passes=passes)), lang)
    body, width, height = drawing.body()
    name = recording["program"]["name"]
    title = (say("title", name=name) if name else say("title of a block")).plain(lang)
    width, height = max(width, 40) + 2 * MARGIN, height + 2 * MARGIN
    return legible(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">'
        f'<title>{escape(title)}</title><rect width="{width:g}" height="{height:g}" fill="#fbfaf7"/>'
        f'<g transform="translate({MARGIN} {MARGIN})" font-family="{escape(FONT)}" font-size="12">{body}</g></svg>\n'
    )
