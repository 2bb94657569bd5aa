"""A story as text, in 80 columns."""

from __future__ import annotations

import re
from typing import TypeGuard

from .board_lines import Note, latest, notes_of, sources_of
from .columns import WIDTH, narrowed, shortened, trimmed, width, wrapped
from .entries import Entry, Recording, text_at
from .equations import Figure
from .folding import Board
from .ledger_words import rows_of, why
from .module_hooks import in_hook
from .numerals import brief
from .steps import Line, Part, Sentence, Step, Steps, Which
from .words import MARK, Said, literal, say

LISTED = 60  # lines of a source that is shown whole
CODE = 41  # columns for the program's own text
SHOWN = 3  # nodes of one expression of which each is told
TO = 44  # columns of what a value is sent to
NAMES = 24  # columns of names in the ledger


def render(recording: Recording, lang: str = "en", passes: Which | None = None, columns: int = WIDTH) -> str:
    """The program with its values, each pass, and why each `.grad` is what it is; `lang` is "en" or "zh"."""
    board = Board(recording)
    steps = Steps(board, passes=passes)
    lines: list[str] = []
    for source in sources_of(board):
        lines += [*_program(board, source, lang), ""]
    if not steps.all:
        lines += [say("no events").plain(lang), ""]
    lines += _passes(steps, lang)
    if recording["ledger"]:
        if lines[-1:] != [""]:
            lines.append("")
        lines += [say("ledger").plain(lang), *_ledger(board, lang, min(columns, WIDTH))]
    return narrowed("\n".join(line.rstrip() for line in lines).strip("\n") + "\n", min(columns, WIDTH))


def _program(board: Board, source: Entry, lang: str) -> list[str]:
    notes = notes_of(board, source["id"])
    count = len(source["lines"])
    places = [one for one in board.recording["places"] if one["source"] == source["id"]]
    shown = set(range(1, count + 1))
    if count > LISTED:
        shown = {*notes, *(one["line"] for one in places)}
    lines, before = [], 0
    for number in sorted(shown):
        text = source["lines"][number - 1] if number <= count else ""
        if number != before + 1:
            lines.append("     ⋮")
        before = number
        if not text.strip() and count <= LISTED:
            continue
        lines += _line(number, text, latest(notes.get(number, [])), lang)
    return lines


def _line(number: int, text: str, notes: list[Note], lang: str) -> list[str]:
    start = f"{number:>4}  "
    if not notes:
        return wrapped(text, start, " " * 8)
    lines: list[str] = []
    for note in notes:
        value = f"{note.name} = {brief(note.value).plain(lang)}" if note.name else ""
        behind = note.behind.plain(lang)
        room = WIDTH - width(start) - CODE - (width(behind) + 2 if behind else 0)
        if not lines and width(text) <= CODE - 2 and width(value) <= room:
            middle = text + " " * (CODE - width(text)) + value
            lines.append(start + middle + " " * max(WIDTH - width(start) - width(middle) - width(behind), 0) + behind)
            continue
        if not lines:
            lines += wrapped(text, start, " " * 8)
        room = WIDTH - 8 - (width(behind) + 2 if behind else 0)
        value = trimmed(value, room)
        lines.append(" " * 8 + value + " " * (WIDTH - 8 - width(value) - width(behind)) + behind)
    return lines


def _passes(steps: Steps, lang: str) -> list[str]:
    lines: list[str] = []
    head: list[str] = []
    meant: set[Said] = set()
    for number, step in enumerate(steps.all):
        if step.kind == "begin":
            lines += ["", *_begin(steps, step, lang)]
        elif step.kind == "fold" and step.card is None and step.number is not None:
            lines += ["", *_step(steps, step, lang, "", "  ")]
        elif step.number is None:
            told = _between(steps, step, lang)
            again = bool(told) and told[:1] == head and step.kind == "forward"
            lines += told[1:] if again else told
            lines += _meant(step, meant, lang, "     ")
            head = told[:1] or head
            continue
        else:
            if step.resumes is not None:
                lines += wrapped(step.resumes.plain(lang), "", "    ")
            later = (one for one in steps.all[number + 1 :] if one.number is not None)
            following = next((one for one in later if one.kind != "forward" or _inner(steps, one, lang)), None)
            last = following is None or following.number != step.number or following.kind == "begin"
            branch, below = ("  └─ ", "     ") if last else ("  ├─ ", "  │  ")
            lines += _step(steps, step, lang, branch, below)
            lines += _meant(step, meant, lang, below + "   ")
        head = []
    return lines[1:] if lines and not lines[0] else lines


def _meant(step: Step, before: set[Said], lang: str, start: str) -> list[str]:
    """What functions in the rules mean, each where it comes first."""
    found = [one.said for one in step.parts if _is_meaning(one)]
    fresh = [one for one in dict.fromkeys(found) if one not in before]
    before.update(fresh)
    return [line for one in fresh for line in wrapped(one.plain(lang), start, start + "  ")]


def _is_meaning(part: Part) -> TypeGuard[Sentence]:
    return isinstance(part, Sentence) and part.tone == "aside meaning"


def _between(steps: Steps, step: Step, lang: str) -> list[str]:
    """What happens outside of passes and is no line of the program's own: writes to leaves, and to what they hold."""
    if step.kind != "forward":
        return _step(steps, step, lang, "", "  ")
    events = [steps.events[one] for one in step.events]
    written = [one["tensor"] for one in events if one["kind"] == "write" and steps.board.wants(one["tensor"])]
    if not written or not all(steps.board.tensors[one]["leaf"] for one in written):
        return []
    lines = [shortened(say("writes", where=steps.where(step.place, True)).plain(lang), WIDTH)]
    for one in written:
        value = brief(steps.board.tensors[one]["value"]).plain(lang)
        lines += wrapped(f"{steps.board.label(one)} = {value}", "     ", "       ")
    return lines


def _inner(steps: Steps, step: Step, lang: str) -> str:
    """In a line what an op in the middle of a pass made: the program's own, or one that is recorded again."""
    events = [steps.events[one] for one in step.events]
    made = [one for event in events for one in event["outputs"] if event["kind"] == "op"]
    if not made:
        return ""
    entry = steps.board.tensors[made[-1]]
    name, value = steps.board.label(made[-1]), brief(entry["value"]).plain(lang)
    if any(event["node"] is not None for event in events):
        name += f" = {entry['text']}" if entry.get("text") and entry["names"] else ""
        how = "again" if step.again else "records"
        return f"{say(how, name=name).plain(lang)} = {value}"
    begin = steps.begins.get(step.number) if step.number is not None else None
    if begin is not None and begin["place"] == step.place:
        return ""
    return say("sends", to=in_hook(events[-1], steps.line(step.place)), x=f"{name} = {value}").plain(lang)


def _begin(steps: Steps, step: Step, lang: str) -> list[str]:
    event = steps.events[step.events[0]]
    place = None if step.place is None else steps.board.recording["places"][step.place]
    how = {"grad": literal(steps.board.call(event)), "dry": say("dry")}.get(event["how"], say("pass"))
    told = how if place is None else say("at", how=how, line=place["line"], text=text_at(place))
    lines = wrapped(told.plain(lang), "", "    ")
    for root in event["roots"]:
        name = steps.board.label(root["tensor"]) if root["tensor"] is not None else "out"
        scalar = len(event["roots"]) == 1 and root["gradient"] is not None and not root["gradient"]["shape"]
        g = steps.derivative(step.number, name) if scalar else "v"
        value = brief(root["gradient"])
        lines += wrapped(say("starts at", name=name, g=g, value=value).plain(lang), "  ", "    ")
    for part in step.parts:
        if isinstance(part, Sentence) and part.tone == "aside":
            lines += wrapped(part.said.plain(lang), "  ", "    ")
    return lines


def _step(steps: Steps, step: Step, lang: str, branch: str, below: str) -> list[str]:
    if step.kind == "run":
        return _run(steps, step, lang, branch, below)
    if step.kind == "forward":
        text = _inner(steps, step, lang)
        return wrapped(text, branch, below + "  ") if text else []
    if step.kind == "leaf":
        event = steps.events[step.events[0]]
        slot = steps.board.slot(event["tensor"])
        before, after = brief(event["before"]).plain(lang), brief(event["after"]).plain(lang)
        text = f"{slot}: {before} → {after}"
        if event["before"] is not None:
            text = f"{slot}: {before} + {brief(event['arrived']).plain(lang)} = {after}"
        return wrapped(text, branch, below + "  ")
    lines = wrapped(step.title.plain(lang), branch, below + "  ")
    for part in step.parts[step.resumes is not None :]:  # which stands before already
        if _is_meaning(part):
            continue
        text = part.said.plain(lang) if isinstance(part, Sentence) else ""
        if isinstance(part, Line):
            text = _figures(part.figures, lang)
        for one in text.split("\n") if text else ():
            lines += wrapped(one.strip(), below + "   ", below + "   ")
    return lines


def _run(steps: Steps, step: Step, lang: str, branch: str, below: str) -> list[str]:
    place = None if step.place is None else steps.board.recording["places"][step.place]
    event = steps.events[step.events[0]]
    nodes = step.title.plain(lang).split(" · ")[1]
    arrived = ", ".join(brief(one).plain(lang) for one in event["arrived"] if one is not None)
    made = steps.board.nodes[event["node"]]["outputs"]
    text = text_at(place) if place is not None and place["text"] else steps.board.label(made[0]) if made else ""
    card = None if step.card is None else steps.board.cards[step.card]
    if card is not None and card.name and event["node"] in steps.board.renewed:  # a view's, where its base was written to
        text = f"{card.name} {say('after', text=text).plain(lang)}"
    elif card is not None and card.kind == "op" and card.caption is not None:
        text = card.caption.plain(lang)
    text = shortened(text, 34)
    head = f"{text}{' ' * (36 - width(text))}{nodes}  "
    node = steps.board.nodes[event["node"]]
    words = [steps.board.word(node, index, "g") for index in range(len(node["rules"]))]
    came = f"{next(iter(words), 'g')} = {arrived}" if arrived else ""
    if width(branch + head + came) <= WIDTH:
        lines = [branch + head + came]
    else:
        lines = wrapped(head.strip(), branch, below + "  ")
        lines += wrapped(came, below + "   ", below + "     ") if came else []
    inside, is_long = 0, len(step.events) > SHOWN
    running = {steps.events[number]["node"] for number in step.events}
    through: dict[int, tuple[str, str]] = {}  # by a node that only hands on: the rule by which it got what it hands on
    given = {event["node"]}  # the nodes whose g is what arrived at the first
    for number in step.events:
        event = steps.events[number]
        node = steps.board.nodes[event["node"]]
        for sent in event["sent"]:
            edge = node["edges"][sent["edge"]]
            told = steps.board.rule(node, sent["edge"])
            own = "" if node["id"] in given or not is_long else _own(steps, node, event, sent["edge"], lang)
            hands_on = is_long and _hands_on(steps, node, sent["edge"])
            if hands_on and through.get(node["id"]) not in (None, ("", "")):
                told, own = through[node["id"]]
            if is_long and _stays(steps, step, edge):
                through[edge["node"]] = (told, own) if sent["number"] == 1 else ("", "")  # of a sum no rule is the whole
                given |= {edge["node"]} if hands_on and node["id"] in given and sent["number"] == 1 else set()
                given -= {edge["node"]} if sent["number"] > 1 else set()
                if edge["node"] in running:
                    inside += 1
                    continue
            name = _beyond(steps, step, node, sent["edge"]) if is_long else steps.target(node, sent["edge"])
            to = say("to", name=shortened(name, TO))
            value = (say("not kept") if sent["value"] is None else brief(sent["value"])).plain(lang)
            text = say("sends", to=to, x=f"{told} = {value}" if told else value).plain(lang)
            if sent["number"] > 1 and sent["sum"] is not None:
                text += "   " + say("together", number=sent["number"], value=brief(sent["sum"])).plain(lang)
            lines += wrapped(text + own, below + "   ", below + "     ")
    if inside:
        lines += wrapped(say("inside", count=inside).plain(lang), below + "   ", below + "     ")
    return lines


def _own(steps: Steps, node: Entry, event: Entry, index: int, lang: str) -> str:
    """What arrived at a node, where its rule speaks of that and it is not what arrived at the whole."""
    g = steps.board.word(node, index, "g")
    arrived = [one for one in event["arrived"] if one is not None]
    if len(arrived) != 1 or not re.search(rf"(?<![\w.]){g}(?!\w)", steps.board.rule(node, index)):
        return ""
    return "   " + say("with", name=g, value=brief(arrived[0])).plain(lang)


def _hands_on(steps: Steps, node: Entry, index: int) -> bool:
    """Whether a rule gives back what arrived, in another shape at most."""
    g = steps.board.word(node, index, "g")
    rule = steps.board.rule(node, index)
    return rule == g or (rule.startswith(f"{g}.reshape(") and rule.endswith(")"))


def _beyond(steps: Steps, step: Step, node: Entry, index: int) -> str:
    """What an edge leads to, by name: within a card, what lies behind the nodes that only hand on."""
    while True:
        edge = node["edges"][index]
        following = steps.board.nodes[edge["node"]] if _stays(steps, step, edge) else None
        if following is None or len(following["edges"]) != 1 or not _hands_on(steps, following, 0):
            return steps.target(node, index)
        node, index = following, 0


def _stays(steps: Steps, step: Step, edge: Entry | None) -> bool:
    """Whether what is sent along an edge stays within the card that is shown as one."""
    return edge is not None and step.card is not None and steps.board.card_of_node.get(edge["node"]) == step.card


def _figures(figures: list[Figure | str], lang: str) -> str:
    told = []
    for one in figures:
        if isinstance(one, str):
            told.append(one)
        elif one.color == "words":
            told.append(one.caption.plain(lang))
        else:
            told.append(f"{one.caption.plain(lang)} = {brief(one.value).plain(lang)}")
    return " ".join(told)


def _ledger(board: Board, lang: str, room: int) -> list[str]:
    rows = rows_of(board.recording["ledger"])
    longest = min(NAMES, room // 3)
    columns = max((width(row.name) for row in rows if width(row.name) <= longest), default=2)
    lines = []
    for row in rows:
        grad = brief(row.entry["grad"]).plain(lang)
        reason = why(board, row).plain(lang).replace(MARK, "")
        start, rest = "  " + row.name.ljust(columns) + "  ", " " * (columns + 4)
        if width(row.name) > columns:
            lines += wrapped(row.name, "  ", "    ", room)
            start = rest = " " * 6
        if width(start + grad) > room * 2 // 5 and width(f"{start}{grad}  {reason}") > room:  # below a wide one
            lines += [*wrapped(grad, start, rest, room), *wrapped(reason, rest, rest, room)]
        else:
            lines += wrapped(f"{grad}  {reason}", start, rest, room)
    return lines
