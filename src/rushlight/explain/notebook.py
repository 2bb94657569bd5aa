"""How a story shows itself in a notebook."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from . import page, svg, terminal
from .entries import Recording
from .words import Said, legible, say

MONOSPACED = '<pre style="font-family: ui-monospace, Menlo, Consolas, monospace">'  # front ends set another


def mimebundle(recording: Recording, lang: str = "en") -> dict[str, str]:
    """The forms by their types. Front ends prefer the HTML and some strip scripts and frames from it: a still picture comes first.

    The frame is not loaded lazily: where a notebook is printed, or a picture is taken of it, it would stay blank.
    """
    picture, text = svg.render(recording, lang), terminal.render(recording, lang)
    name = recording["program"]["name"]
    title = (say("title", name=name) if name else say("title of a block")).plain(lang)
    data = b64encode(picture.encode()).decode()
    html = (
        f'<div><img alt="{escape(title)}" src="data:image/svg+xml;base64,{data}"></div>'
        f"<details><summary>{_words(say('step through'), lang)}</summary>"
        f'<iframe sandbox="allow-scripts" title="{escape(title)}" width="100%" height="720" '
        f'srcdoc="{escape(page.render(recording, lang))}"></iframe></details>'
        f"<details><summary>{_words(say('as text'), lang)}</summary>{MONOSPACED}{escape(legible(text))}</pre></details>"
    )
    return {"text/html": html, "image/svg+xml": picture, "text/plain": text}


def _words(said: Said, lang: str) -> str:
    return escape(said.plain(lang))
