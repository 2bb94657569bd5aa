"""A story as one self-contained page: it asks nothing of a network, and reads without scripts and without colours."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html import escape
from importlib import resources

from .board_lines import sources_of
from .columns import shortened
from .drawing import Drawing
from .entries import Recording
from .equations import Figure
from .folding import Board
from .ledger_words import rows_of, why
from .listing import listing, printed
from .matrices import chain, matrix
from .numerals import has_holes, inline, rows, summary
from .states import States
from .steps import Part, Product, Sentence, Step, Steps, Which
from .words import Said, joined, legible, literal, say

JACOBIANS = 4  # shown at most
WHOLE = 2  # of them that are shown without being asked for
ELEMENTS = 40  # rows and columns of one that is shown
BESIDE = 10  # columns of several leaves in one table
LARGEST = 900_000  # characters of a page
STEPS = (400, 150, 50, 16)  # shown at most; fewer where the page would be too large
CAPTION = 48  # columns of what stands below a figure
SHEET, PRINTED = 680, 2.4  # pixels of a sheet's width; how much higher than wide a graph beside the program may be on it
SMALLEST, ON_A_PHONE = 0.78, 0.9  # how small a graph is drawn, at most, before it has to be scrolled


def render(recording: Recording, lang: str = "en", passes: Which | None = None) -> str:
    """The page's HTML; both languages are in it, and `lang` ("en" or "zh") is the one that shows first; `passes` are shown whole."""
    for most in STEPS:
        html = _rendered(recording, lang, most, passes)
        if len(html) <= LARGEST:
            break
    return legible(html)


def _rendered(recording: Recording, lang: str, most: int, passes: Which | None) -> str:
    states = States(Steps(Board(recording), most, passes))
    graph, width, height = _graph(states)
    style = _asset("page.css") + f"\n.board svg {{ max-width: 100%; min-width: {SMALLEST * width:.0f}px; height: auto; }}"
    style += f"\n@media (max-width: 640px) {{ .board svg {{ min-width: {ON_A_PHONE * width:.0f}px; }} }}"
    tall = " tall" if height > PRINTED * max(width, SHEET / 2) else ""
    script = _asset("page.js")
    name = recording["program"]["name"]
    title = say("title", name=name) if name else say("title of a block")
    head = (
        f'<!doctype html>\n<html lang="{"zh" if lang == "zh" else "en"}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src {_hash(style)}; script-src {_hash(script)}; '
        "img-src data:; base-uri 'none'; form-action 'none'\">\n"
        f'<title>{escape(title.plain(lang))}</title>\n<link rel="icon" href="data:,">\n<style>{style}</style>\n</head>\n'
    )
    body = [
        f'<body>\n<a class="skip" href="#steps">{say("skip").html()}</a>\n',
        _header(states, title, lang),
        _time(states.steps),
        f'<main>\n<div class="columns{tall}">\n{_program(states)}{graph}{_steps(states.steps)}</div>\n',
        f'<div class="below">\n{_jacobians(states)}{_ledger(states)}</div>\n</main>\n',
        f"<script>{script}</script>\n</body>\n</html>\n",
    ]
    return head + "".join(body)


def _asset(name: str) -> str:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return "\n".join(line.strip() for line in text.splitlines())


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _header(states: States, title: Said, lang: str) -> str:
    events = states.steps.events
    kinds = [event["kind"] for event in events]
    seen = Counter(states.board.recording["limits"].get("seen") or kinds)
    ops = seen["op"] + seen["write"] or sum(len(card.nodes) for card in states.board.cards if card.kind in ("op", "fold"))
    counts = say("counts", ops=ops, passes=seen["backward"], runs=seen["run"])
    legend = [
        ("f", say("forward values")),
        ("b", say("backward gradients")),
        ("l", say("leaf")),
        ("d", say("no gradient wanted")),
    ]
    rules = [rule for node in states.board.nodes for rule in node["rules"] if rule is not None]
    if rules:
        words = sorted({str(rule.get("words", {}).get("g", "g")) for rule in rules})
        legend.append(("g", say("legend g", g=joined([literal(one, code=True) for one in words], ", "))))
    if any(has_holes(tensor["value"]) for tensor in states.board.tensors):
        legend.append(("g", say("legend ?", sign=literal("?", code=True))))
    languages = "".join(
        f'<label><input type="radio" name="lang" id="lang-{one}"{" checked" if one == lang else ""}> <span lang="{one}">{text}</span></label>'
        for one, text in (("en", "English"), ("zh", "中文"))
    )
    return (
        f'<header><h1>{title.html()}</h1><p class="counts">{counts.html()}</p>'
        f'<fieldset class="langs"><legend class="vh">{say("language").html()}</legend>{languages}</fieldset>'
        f'<ul class="legend">{"".join(f"<li class={chr(34)}{kind}{chr(34)}>{said.html()}</li>" for kind, said in legend)}</ul></header>\n'
    )


def _time(steps: Steps) -> str:
    if not steps.all:
        return ""
    buttons = "".join(
        f'<button type="button" id="{key}"{" aria-pressed=false" if key == "play" else ""}><span aria-hidden="true">{sign}</span>'
        f'<span class="vh">{say(key).html()}</span></button>'
        for key, sign in (("first", "|◀"), ("back", "◀"), ("play", "▶▶"), ("next", "▶"), ("last", "▶|"))
    )
    count = len(steps.all)
    ticks = "".join(
        f'<li><a class="{step.color}" href="#step={number}">{number}</a></li>' for number, step in enumerate(steps.all, 1)
    )
    return (
        f'<nav class="time" aria-labelledby="ticks"><div class="controls">{buttons}'
        f'<label class="vh" for="slider">{say("time").html()}</label>'
        f'<input type="range" id="slider" min="1" max="{count}" value="{count}" data-open="{steps.opening}">'
        f'<output id="where" for="slider">{count} / {count}</output>'
        f'<p class="keys">{say("keys").html()}</p></div><h2 class="vh" id="ticks">{say("ticks").html()}</h2>'
        f'<ol class="ticks">{ticks}</ol><p class="vh" id="said" role="status" aria-live="polite"></p></nav>\n'
    )


def _program(states: States) -> str:
    html = f'<section class="program"><h2 id="program">{say("your program").html()}</h2>'
    for number, source in enumerate(sources_of(states.board)):
        name = f"<h3><code>{escape(source['name'])}</code></h3>" if number else ""
        html += f'{name}<div class="code" tabindex="0" role="region" aria-labelledby="program">{listing(states, source)}</div>'
    output = printed(states)
    if output:
        html += f'<div class="prints"><h2>{say("printed").html()}</h2><pre class="printed">{output}</pre></div>'
    return html + "</section>\n"


def _graph(states: States) -> tuple[str, float, float]:
    """The graph, and how wide and how high it is."""
    drawn, width, height = Drawing(states, None).body()
    width, height = max(width, 40) + 24, height + 24
    return (
        f'<section class="graph"><h2 id="graph">{say("graph").html()}</h2>'
        '<div class="board" id="board" tabindex="0" role="region" aria-labelledby="graph">'
        f'<svg width="{width:g}" height="{height:g}" viewBox="-12 -8 {width:g} {height:g}">{drawn}</svg></div></section>\n',
        width,
        height,
    )


def _steps(steps: Steps) -> str:
    html = "".join(_step(number, step) for number, step in enumerate(steps.all, 1))
    return f'<section class="steps" id="steps"><h2>{say("steps").html()}</h2>{html or "<p>" + say("no events").html() + "</p>"}</section>\n'


def _step(number: int, step: Step) -> str:
    place = "" if step.place is None else f' data-p="{step.place}"'
    card = "" if step.card is None else f' data-c="{step.card}"'
    parts = "".join(_part(part) for part in step.parts)
    return f'<article class="step {step.color}" id="step={number}"{place}{card}><h3>{step.title.html()}</h3>{parts}</article>\n'


def _part(part: Part) -> str:
    if isinstance(part, Sentence):
        tone = f' class="{part.tone}"' if part.tone else ""
        return f"<p{tone}>{part.said.html()}</p>"
    if isinstance(part, Product):
        product = [matrix([part.v], "b"), "·", matrix(part.jacobian, "f"), "=", matrix([part.product], "b")]
        what = f"{say('product').html()} → {escape(shortened(part.to, CAPTION))}"
        return f'<details><summary>{what}</summary><div class="line">{"".join(product)}</div></details>'
    rule = f"<code>{escape(part.rule)}</code>" if part.rule else ""
    return f'<div class="line">{rule}{_figures(part.figures)}</div>'


def _figures(figures: list[Figure | str]) -> str:
    """Figures in a row; a sign stays with the figure behind it where the row is broken."""
    html, sign = "", ""
    for one in figures:
        if isinstance(one, str):
            sign = f"<span>{escape(one)}</span>"
        else:
            html += f'<span class="pair">{sign}{_figure(one)}</span>' if sign else _figure(one)
            sign = ""
    return html


def _figure(figure: Figure) -> str:
    if figure.color == "words":
        return f"<span>{figure.caption.html()}</span>"
    lines = rows(figure.value)
    color = figure.color if figure.color in "fb" else ""
    if figure.value is None:
        shown = f'<span class="mx {color}">None</span>'
    elif lines is None:
        shown = f'<span class="mx w {color}">{summary(figure.value).html()}</span>'
    else:
        shown = matrix(figure.value["data"] if len(figure.value["shape"]) == 2 else lines, color, bool(figure.value["shape"]))
    caption = Said(*(shortened(text, CAPTION) for text in figure.caption))
    return f'<span class="fig">{shown}<small>{caption.html()}</small></span>'


def _jacobians(states: States) -> str:
    board, recording = states.board, states.board.recording
    small = [entry for entry in recording["jacobians"] if max(len(entry["v"]), len(entry["vJ"])) <= ELEMENTS]
    found = small[:JACOBIANS]
    if not found:
        return ""
    tables = "".join(_jacobian(states, entry) for entry in found[:WHOLE])
    if len(found) > WHOLE:
        more = "".join(_jacobian(states, entry) for entry in found[WHOLE:])
        tables += f"<details><summary>{_further(len(found) - WHOLE).html()}</summary>{more}</details>"
    html = f'<section><h2>{say("v J").html()}</h2><p>{say("v J text").html()}</p><div class="js-all">{tables}</div></section>\n'
    chains = [chain(board, entry, _where(states, entry)) for entry in found if len(entry["chain"]) > 1]
    if chains:
        html += f"<section><h2>{say('from left').html()}</h2><p>{say('from left text').html()}</p>{''.join(chains)}</section>\n"
    return html


def _further(count: int) -> Said:
    return say("further pass") if count == 1 else say("further passes", count=count)


def _where(states: States, entry: Recording) -> Said:
    """The line that began the pass a matrix is of; whether the pass ran within another."""
    if entry["place"] is None:
        return literal("")
    place = states.board.recording["places"][entry["place"]]
    line = say("line", line=place["line"])
    outer = states.steps.begins.get(states.steps.begins.get(entry["pass"], {}).get("within"))
    within = literal("") if outer is None else say("matrix within", number=outer["pass"] + 1)
    return Said(f"{line.en} · {place['text']}{within.en}", f"{line.zh} · {place['text']}{within.zh}")


def _elements(states: States, number: int) -> list[str]:
    """The indices of all elements: [0,1]; one that is empty of a number."""
    indices: list[str] = [""]
    for size in states.board.tensors[number]["shape"]:
        indices = [f"{one},{at}" if one else str(at) for one in indices for at in range(size)]
    return [f"[{one}]" if one else "" for one in indices]


def _jacobian(states: States, entry: Recording) -> str:
    """A table, or several beside each other where the leaves have many elements; leaves in the order of the program."""
    columns, at = [], 0
    for leaf in entry["leaves"]:
        indices = _elements(states, leaf)
        columns.append((leaf, indices, range(at, at + len(indices))))
        at += len(indices)
    tables: list[list[tuple[int, list[str], range]]] = [[]]
    for one in sorted(columns, key=lambda one: one[0]):
        if tables[-1] and sum(len(before[1]) for before in tables[-1]) + len(one[1]) > BESIDE:
            tables.append([])
        tables[-1].append(one)
    html = "".join(_part_of_jacobian(states, entry, part) for part in tables)
    return f'<div class="pass"><p class="aside">{_where(states, entry).html()}</p>{html}</div>'


def _part_of_jacobian(states: States, entry: Recording, part: list[tuple[int, list[str], range]]) -> str:
    names = [states.board.label(root) + one for root in entry["roots"] for one in _elements(states, root)]
    groups = "".join(
        f'<th scope="colgroup" colspan="{len(indices)}">{escape(states.board.label(leaf))}</th>' for leaf, indices, _ in part
    )
    head = "".join(f'<th scope="col">{one}</th>' for _, indices, _ in part for one in indices)
    corner = '<th scope="col">v</th><th scope="col">J</th>'
    heads = f'<tr><td colspan="2"></td>{groups}</tr><tr>{corner}{head}</tr>'
    if not any(index for _, indices, _ in part for index in indices):  # numbers alone: their names are all there is to say
        heads = f"<tr>{corner}{groups.replace('colgroup', 'col').replace(' colspan=' + chr(34) + '1' + chr(34), '')}</tr>"
    shown = [at for _, _, span in part for at in span]
    body = ""
    for v, name, row in zip(entry["v"], names, entry["J"], strict=True):
        cells = "".join(f"<td>{inline_number(row[at])}</td>" for at in shown)
        body += f'<tr><td class="bw">{inline_number(v)}</td><th scope="row">{escape(name)}</th>{cells}</tr>'
    foot = "".join(f"<td>{inline_number(entry['vJ'][at])}</td>" for at in shown)
    return (
        f'<div class="scroll" tabindex="0"><table class="matrix"><thead>{heads}</thead><tbody>{body}</tbody>'
        f'<tfoot><tr><td></td><th scope="row">vᵀ·J</th>{foot}</tr></tfoot></table></div>'
    )


def inline_number(x: object) -> str:
    """A number of a table as HTML."""
    return escape(inline({"shape": [], "dtype": "", "data": x}).en)


def _ledger(states: States) -> str:
    entries = states.board.recording["ledger"]
    if not entries:
        return ""
    heads = [say("name").html(), "requires_grad", say("leaf").html(), ".grad", say("why").html()]
    body = ""
    for row in rows_of(entries):
        one = row.entry
        scope = "" if one["scope"] == "<module>" else f" <small>{escape(one['scope'])}</small>"
        heads_of = {"requires_grad": literal("requires_grad"), "leaf": say("leaf")}  # on a phone, where the table has no head
        heads_of = {key: say("heading", of=of) for key, of in heads_of.items()}
        yes = [
            f'<span class="narrow">{of.html()}</span>{say("yes" if one[key] else "no").html()}' for key, of in heads_of.items()
        ]
        grad = _figure(Figure(one["grad"], literal(""), "b"))
        body += f'<tr><th scope="row"><code>{escape(row.name)}</code>{scope}</th><td>{yes[0]}</td><td>{yes[1]}</td>'
        body += f"<td>{grad}</td><td>{why(states.board, row).html()}</td></tr>\n"
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    return (
        f'<section><h2 id="ledger">{say("ledger").html()}</h2><div class="scroll" tabindex="0" role="region" aria-labelledby="ledger">'
        f'<table class="ledger"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>\n'
    )
