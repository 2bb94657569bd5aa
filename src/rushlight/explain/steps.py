"""The steps of a story: what one may stop at, each in words and matrices, and what each changes on the board."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from .composing import closed
from .entries import Entry, Number, Value, text_at
from .equations import Figure, equation, meant, of_views
from .error_notes import note_of
from .folding import Board, Card
from .module_hooks import hooked, in_hook
from .numerals import size_in_bytes
from .rounds import Group
from .words import TABLE, Said, joined, literal, say

Which = Sequence[int | str]  # passes that are shown whole: numbers from 1, "first", "last"

MOST, PASSES = 400, 5  # steps of one story; backward passes before those between are folded


@dataclass
class Line:
    """A row of figures with signs between them; `rule` stands before it."""

    figures: list[Figure | str]
    rule: str = ""


@dataclass
class Product:
    """A node's own v, J and v^T J."""

    to: str
    v: list[Number]
    jacobian: list[list[Number]]
    product: list[Number]


@dataclass
class Sentence:
    """`tone` is "", "aside", "aside meaning" (of a function in a rule) or "error"."""

    said: Said
    tone: str = ""


Part = Line | Product | Sentence


@dataclass
class Step:
    """`kind` is forward, begin, run, leaf, hook, reset, error, end, fold, gap, or rule (of a graph that was only read)."""

    kind: str
    title: Said
    events: list[int]
    place: int | None = None  # the expression that is lit
    card: int | None = None
    number: int | None = None  # of the pass
    parts: list[Part] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    group: Group | None = None
    folds: int = 0
    again: bool = False  # of the forward, what has run before: a checkpoint's second forward
    resumes: Said | None = None  # another pass ran between this step and the last of its own

    @property
    def color(self) -> str:
        """f for forward, b for backward, e for an error."""
        if self.kind == "rule":
            return "b"
        return "e" if self.kind == "error" else "f" if self.kind == "forward" or self.number is None else "b"


class Steps:
    """All steps of a recording, and how a pass calls its derivatives."""

    def __init__(self, board: Board, most: int = MOST, passes: Which | None = None) -> None:
        self.board = board
        self.events = board.recording["events"]
        self.begins = {event["pass"]: event for event in self.events if event["kind"] == "backward"}
        self.all: list[Step] = []
        self._failures = {(one["pass"], one["node"]) for one in self.events if one["kind"] == "error"}
        self._retained: dict[int, bool] = {
            number: bool(one["retain_graph"] or one["create_graph"]) for number, one in self.begins.items()
        }
        self._forward = {one["place"] for one in self.events if one["kind"] == "op" and one["pass"] is None} - {None}
        hidden = self._hidden(passes)
        for event in self.events:
            if event["n"] == board.recording["limits"].get("gap"):
                self._gap()
            if event["n"] in hidden:
                self._fold(event, hidden[event["n"]], None)
            else:
                getattr(self, "_" + event["kind"], self._nothing)(event)
        if not self.events:
            self._rules()
        self._resume()
        if len(self.all) > most:
            half = most // 2
            between = self.all[half:-half]
            events = [one for step in between for one in step.events]
            step = Step(
                "fold", say("folded forward", what=say("steps left out", count=len(between))), events, folds=len(events)
            )
            self.all = [*self.all[:half], step, *self.all[-half:]]
        for step in self.all:
            if step.kind == "fold":
                step.parts = [Sentence(say("folded one") if step.folds == 1 else say("folded", count=step.folds))]
        left_out, gap = board.recording["limits"]["left_out"], board.recording["limits"].get("gap")
        if left_out and self.all and (gap is None or gap >= len(self.events)):
            self.all[-1].parts.append(Sentence(say("not recorded", count=left_out), "aside"))

    def _resume(self) -> None:
        """Where a pass goes on behind steps of another, it is said: one that ran within it, or in another thread."""
        before = None
        for step in self.all:
            if step.number is None or step.kind == "fold":
                continue
            if step.kind != "begin" and before not in (None, step.number) and step.number in self.begins:
                step.resumes = say("resumes", number=step.number + 1, where=self.where(self.begins[step.number]["place"]))
                step.parts.insert(0, Sentence(step.resumes, "aside"))
            before = step.number

    @property
    def opening(self) -> int:
        """The number of the step that a page opens at: an error that ends the program, else where the first pass is over."""
        if not self.begins or self.all[-1].kind == "error":
            return len(self.all)
        first = min(self.begins)
        return max((n for n, step in enumerate(self.all, 1) if step.number == first and step.kind != "fold"), default=1)

    def retained(self, number: int | None) -> bool:
        """Whether what the nodes keep stays after a pass."""
        return number is None or self._retained.get(number, True)

    def failed(self, event: Entry) -> bool:
        """Whether the node of this event raised when it ran."""
        return event["node"] is not None and (event["pass"], event["node"]) in self._failures

    def derivative(self, number: int | None, name: str) -> str:
        """What has arrived at a tensor, as mathematics writes it: ∂out/∂y, or vᵀ·∂n/∂m."""
        begin = None if number is None else self.begins.get(number)
        if begin is None or not begin["roots"]:
            return f"∂/∂{closed(name)}"
        roots = [self.board.label(root["tensor"]) if root["tensor"] is not None else "out" for root in begin["roots"]]
        scalar = len(roots) == 1 and self._is_one(begin["roots"][0]["gradient"])
        of = closed(roots[0]) if len(roots) == 1 else f"({', '.join(roots)})"
        return f"{'' if scalar else 'vᵀ·'}∂{of}/∂{closed(name)}"

    def _is_one(self, value: Value | None) -> bool:
        return value is not None and not value["shape"] and value.get("data") == 1

    def _hidden(self, passes: Which | None) -> dict[int, Said]:
        """The events of passes that are not shown, and between them, with what stands in their place."""
        kept = sorted(one + 1 for one in self.begins)
        if not kept:
            return {}
        of = self.board.recording["limits"].get("seen", {}).get("backward") or kept[-1]
        if passes is None:
            passes = (1, 2, "last") if len(kept) > PASSES else kept
        shown = {1 if one == "first" else kept[-1] if one == "last" else one for one in passes}
        hidden: dict[int, Said] = {}
        beyond = {one for one in kept if one not in shown}
        for first in sorted(one for one in beyond if one - 1 not in beyond):
            last = next(one for one in range(first, kept[-1] + 1) if one + 1 not in beyond)
            said = say("passes", first=first, last=last, of=of) if first < last else say("pass left out", number=first, of=of)
            begin, end = self._bounds(first - 1, last - 1)
            hidden |= {event["n"]: said for event in self.events[begin:end] if event["kind"] != "error"}
        return hidden

    def _bounds(self, first: int, last: int) -> tuple[int, int]:
        """Where passes begin, and where the last of them is over: at its end, else where the next begins."""
        begin = self.begins[first]["n"]
        limit = min((event["n"] for number, event in self.begins.items() if number > last), default=len(self.events))
        ends = [e["n"] + 1 for e in self.events[begin:limit] if e["kind"] in ("end", "error") and e["pass"] == last]
        return begin, max(ends, default=limit)

    def _rules(self) -> None:
        """Of a graph that was only read: each node with its rules, from the result back."""
        for card in reversed(self.board.cards):
            if card.kind != "op":
                continue
            nodes = [self.board.nodes[number] for number in reversed(card.nodes)]
            title = self._title(literal(chain([node["name"] for node in nodes]), code=True), self.where(card.place))
            step = Step("rule", title, [], card.place, card.id)
            for node in nodes:
                for index, edge in enumerate(node["edges"]):
                    text = self.board.rule(node, index)
                    if edge is not None:
                        to = say("to", name=self.target(node, index))
                        step.parts.append(Sentence(say("sends", to=to, x=literal(text, code=True)) if text else to))
                        step.parts += [Sentence(one, "aside meaning") for one in meant(self.board, node, index)]
            self.all.append(step)

    def line(self, place: int | None) -> Said:
        """The number of a place's line, in words."""
        return literal("") if place is None else say("line", line=self.board.recording["places"][place]["line"])

    def where(self, place: int | None, whole: bool = False) -> Said:
        """A place's line and its text, or that of the whole statement."""
        if place is None:
            return literal("")
        text = text_at(self.board.recording["places"][place], whole)
        return joined([self.line(place), literal(text, code=True)], " ")

    def _title(self, *parts: Said) -> Said:
        return joined([one for one in parts if one.en])

    def _nothing(self, event: Entry) -> None:
        """An event of a kind that this version does not know."""

    def _gap(self) -> None:
        """Between the first events and the last those in the middle were left out."""
        limits = self.board.recording["limits"]
        begins = [event for event in self.events[limits["gap"] :] if event["kind"] == "backward"]
        ran = any(event["kind"] == "run" for event in self.events[limits["gap"] :])
        step = Step("gap", say("gap"), [])
        step.parts = [Sentence(say("left out", count=limits["left_out"]))]
        if begins and not ran:
            step.parts.append(Sentence(say("as a whole"), "aside"))
        self.all.append(step)

    def _fold(self, event: Entry, what: Said, card: Card | None) -> None:
        before = self.all[-1] if self.all else None
        forward = event["kind"] in ("op", "write") and event["pass"] is None
        title = what if card is None else say("folded forward" if forward else "folded backward", what=what)
        if before is not None and before.kind == "fold":
            is_of_rounds = card is None and self.board.is_within(event["n"], before.card)  # the rounds whose passes these are
            if is_of_rounds:
                before.title, before.card, before.number = title, None, event["pass"]
            if is_of_rounds or before.card is None or (card is not None and before.card == card.id):
                before.events.append(event["n"])
                before.folds += 1
                return
        number, shown = None if forward else event["pass"], None if card is None else card.id
        self.all.append(Step("fold", title, [event["n"]], event["place"], shown, number=number, folds=1))

    # One method for each kind of event.

    def _op(self, event: Entry) -> None:
        group = self.board.group_of_event[event["n"]]
        card = self.board.card_of_event(event["n"])
        before = self.all[-1] if self.all else None
        if card is None and before is not None and before.kind == "fold" and self.board.is_within(event["n"], before.card):
            card = self.board.cards[before.card or 0]
        if card is not None and card.kind == "fold":
            assert card.caption is not None
            self._fold(event, card.caption, card)
            return
        if before is not None and before.kind == "forward" and before.group is group:
            step = before
            step.events.append(event["n"])
        else:
            within = event["pass"] is not None and not self.begins.get(event["pass"], {"create_graph": True})["create_graph"]
            again = within and event["node"] is not None and group.place in self._forward
            key = "forward again" if again else "forward within" if within else "forward"
            title = self._title(say(key), in_hook(event, self.where(group.place)))
            step = Step("forward", title, [event["n"]], group.place, None if card is None else card.id, event["pass"])
            step.group, step.again = group, again
            self.all.append(step)
        step.parts = self._forward_parts(group, card, [self.events[one] for one in step.events])

    _write = _op

    def _forward_parts(self, group: Group, card: Card | None, events: list[Entry]) -> list[Part]:
        parts: list[Part] = []
        tensors, nodes = self.board.tensors, self.board.nodes
        last = events[-1]
        shown = last["tensor"] if last["kind"] == "write" else None
        if shown is None:
            shown = card.tensor if card is not None and card.kind != "leaf" else next(iter(last["outputs"]), None)
        if shown is not None:
            entry = tensors[shown]
            parts.append(Line([Figure(entry["value"], literal(self.board.label(shown)), "f")]))
            if last["kind"] == "write":
                after, before = (self.board.label(last[one]) for one in ("tensor", "before"))
                first = "written first" if entry["leaf"] and entry["requires_grad"] else "written unnamed"
                parts.append(Sentence(say("written" if after != before else first, after=after, before=before)))
        made = [nodes[one] for one in dict.fromkeys(group.nodes) if one not in self.board.renewed or len(group.nodes) == 1]
        if made:
            saved = {self.board.kept(one): one["bytes"] for node in made for one in node["saved"]}
            size = size_in_bytes(sum(saved.values()))
            kept = (
                say("keeps for", names=", ".join(saved), size=f" ({size})" if size else "") if saved else say("keeps nothing")
            )
            parts.append(Sentence(joined([say("leaves behind", node=chain([one["name"] for one in made])), kept], " ")))
        else:
            cut = None if shown is None else tensors[shown]["cut"]
            parts.append(Sentence(say("wants none" if cut is None else f"cut {cut['by']}"), "aside"))
        return parts

    def _backward(self, event: Entry) -> None:
        how = {"grad": "grad begins", "dry": "dry begins"}.get(event["how"], "begins")
        step = Step(
            "begin",
            self._title(say(how, how=self.board.call(event)), self.where(event["place"])),
            [event["n"]],
            event["place"],
            None,
            event["pass"],
        )
        names = []
        for root in event["roots"]:
            name = self.board.label(root["tensor"]) if root["tensor"] is not None else "out"
            scalar = self._is_one(root["gradient"]) and len(event["roots"]) == 1
            caption = self.derivative(event["pass"], name) if scalar else f"v ({name})"
            step.parts.append(Line([Figure(root["gradient"], literal(caption), "b")]))
            names.append(caption if scalar else "")
            if root["tensor"] is not None:
                step.card = self.board.card_of_tensor.get(root["tensor"])
        one = len(names) == 1 and names[0]
        step.parts.append(Sentence(say("starts from one", name=names[0]) if one else say("starts from v")))
        rows = "examples" if any(self._has_examples(root) for root in event["roots"]) else "rows"
        for key, said in (("batched", rows), ("create_graph", "creates"), ("retain_graph", "retains")):
            if event.get(key) and event["how"] != "dry":
                step.parts.append(Sentence(say(said), "aside"))
                break
        outer = self.begins.get(event.get("within"))
        if outer is not None:
            step.parts.append(Sentence(say("within", number=outer["pass"] + 1), "aside"))
        self.all.append(step)

    def _has_examples(self, root: Entry) -> bool:
        """Whether what a pass begins at has the dimension of `vmap` as its gradient has it."""
        value = None if root["tensor"] is None else self.board.tensors[root["tensor"]]["value"]
        return value is not None and root["gradient"] is not None and value["shape"] == root["gradient"]["shape"]

    def _run(self, event: Entry) -> None:
        node = self.board.nodes[event["node"]]
        number = self.board.card_of_node.get(event["node"])
        card = None if number is None else self.board.cards[number]
        if card is not None and card.kind == "fold":
            assert card.caption is not None
            self._fold(event, card.caption, card)
            return
        before = self.all[-1] if self.all else None
        together = before is not None and before.kind == "run" and card is not None
        if before is not None and together and before.card == number and before.number == event["pass"]:
            step = before
            step.events.append(event["n"])
        else:
            step = Step("run", literal(""), [event["n"]], event["place"], number, event["pass"])
            self.all.append(step)
        if step.place is None and card is not None:
            step.place = card.place
        step.nodes.append(node["name"])
        step.title = self._title(say("backward"), literal(chain(step.nodes), code=True), self.where(step.place))
        freed = bool(node["saved"]) and (bool(event["freed"]) or not (self.retained(event["pass"]) or self.failed(event)))
        step.parts = [part for part in step.parts if not (isinstance(part, Sentence) and part.tone == "aside")]
        step.parts += self._run_parts(node, event)
        if self.failed(event):
            pass  # the next step says what happened
        elif freed:
            size = size_in_bytes(sum(self.events[one]["freed"] for one in step.events))
            step.parts.append(Sentence(say("done", size=f" ({size})" if size else ""), "aside"))
        elif node["saved"]:
            step.parts.append(Sentence(say("stays"), "aside"))

    def _run_parts(self, node: Entry, event: Entry) -> list[Part]:
        parts: list[Part] = []
        if not event["sent"] and not any(event["arrived"]):
            return [Sentence(say("nothing arrived"))]
        if (told := of_views(node)) is not None:
            parts.append(Sentence(told))
        for sent in event["sent"]:
            edge = node["edges"][sent["edge"]]
            name = self.target(node, sent["edge"])
            rule, figures = equation(self.board, node, sent, event["arrived"], say("to", name=name))
            parts.append(Line(figures, rule))
            parts += [Sentence(one, "aside meaning") for one in meant(self.board, node, sent["edge"])]
            if sent["number"] > 1 and sent["sum"] is not None:
                together = self.derivative(event["pass"], name)
                parts.append(Line([_words("contribution", number=sent["number"]), Figure(sent["sum"], literal(together), "b")]))
            for local in event["local"]:
                if local["edge"] == sent["edge"] and edge is not None:
                    parts.append(Product(name, local["v"], local["J"], local["vJ"]))
        if not event["sent"]:
            parts += [Line([Figure(one, literal("g"), "b")]) for one in event["arrived"] if one is not None]
        return parts

    def target(self, node: Entry, index: int) -> str:
        """What a node's edge leads to, by name."""
        edge = node["edges"][index]
        if edge is not None and edge["tensor"] is not None:
            entry = self.board.tensors[edge["tensor"]]  # a leaf is the same in all its lives
            return self.board.label(entry["identity"] if entry["leaf"] and self.board.wants(entry["id"]) else entry["id"])
        card = None if edge is None else self.board.card_of_node.get(edge["node"])
        found = None if card is None else self.board.cards[card]
        if edge is not None and found is not None and found.kind == "fold":
            return str(self.board.nodes[edge["node"]]["name"])
        return found.name or found.text if found is not None else "?"

    def _leaf(self, event: Entry) -> None:
        slot = self.board.slot(event["tensor"])
        name = slot.removesuffix(".grad")  # a leaf is the same in all its lives
        number = self.board.card_of_tensor.get(event["tensor"])
        made = self.board.tensors[self.board.tensors[event["tensor"]]["identity"]]["place"]  # not where it was written to
        step = Step("leaf", say("at leaf", name=name), [event["n"]], made, number, event["pass"])
        if event["before"] is None:
            step.parts = [
                Line([Figure(None, say("before")), "→", Figure(event["after"], literal(slot), "b")]),
                Sentence(say("leaf first", name=name, slot=slot)),
            ]
        else:
            figures: list[Figure | str] = [Figure(event["before"], say("before"), "b"), "+"]
            figures += [Figure(event["arrived"], say("arrives"), "b"), "=", Figure(event["after"], literal(slot), "b")]
            step.parts = [Line(figures), Sentence(say("leaf adds", slot=slot))]
        self.all.append(step)

    def _hook(self, event: Entry) -> None:
        node = self.board.nodes[event["node"]]
        number = self.board.card_of_node.get(event["node"])
        on, name = event["on"], literal(node["name"], code=True)
        if event["tensor"] is not None:
            number = self.board.card_of_tensor.get(event["tensor"], number)
            name = literal(
                self.board.slot(event["tensor"]) if on == "accumulated" else self.board.label(event["tensor"]), code=True
            )
        elif (module := hooked(node, self.board.recording["places"])) is not None:
            on, name = f"module {on}", module
        card = None if number is None else self.board.cards[number]
        if card is not None and card.kind == "fold":
            assert card.caption is not None
            self._fold(event, card.caption, card)
            return
        own = event["place"] if event["place"] not in (None, node["place"]) else None
        title = self._title(say(f"hook {on}" if f"hook {on}" in TABLE else "hook", name=name), self.where(own, True))
        step = Step("hook", title, [event["n"]], event["place"], number, event["pass"])
        figures: list[Figure | str] = [Figure(event["before"], say("before"), "b")]
        if event["changed"]:
            figures += ["→", Figure(event["after"], say("now"), "b")]
        changed = "hook wrote" if on == "accumulated" else "hook changed"
        step.parts = [Line(figures), Sentence(say(changed if event["changed"] else "hook looked"))]
        self.all.append(step)

    def _reset(self, event: Entry) -> None:
        slot = self.board.slot(event["tensor"])
        between = itertools.takewhile(
            lambda one: one.place == event["place"] and (one.kind == "reset" or (one.kind == "forward" and one.card is None)),
            reversed(self.all),
        )
        before = next((one for one in between if one.kind == "reset"), None)
        if before is not None and event["place"] is not None:
            before.events.append(event["n"])  # of several leaves by one call
            before.title = self._title(say("resets", count=len(before.events)), self.where(event["place"], True))
            before.parts.insert(-1, Line([Figure(event["to"], literal(slot), "b")]))
            return
        number = self.board.card_of_tensor.get(event["tensor"])
        title = self._title(say("reset", slot=slot), self.where(event["place"], True))
        step = Step("reset", title, [event["n"]], event["place"], number, event["pass"])
        step.parts = [
            Line([Figure(event["to"], literal(slot), "b")]),
            Sentence(say("reset none" if event["to"] is None else "reset value")),
        ]
        self.all.append(step)

    def _error(self, event: Entry) -> None:
        number = None if event["node"] is None else self.board.card_of_node.get(event["node"])
        before = self.all[-1] if self.all else None
        if before is not None and before.kind == "error" and self.events[before.events[0]]["message"] == event["message"]:
            before.events.append(event["n"])  # it goes on through the pass around
            return
        title = self._title(say("stops", type=event["type"]), self.where(event["place"]))
        step = Step("error", title, [event["n"]], event["place"], number, event["pass"])
        begin = self.begins.get(event["pass"])
        if step.card is not None and begin is not None and event["place"] == begin["place"]:
            step.place = self.board.cards[step.card].place
        step.parts = [Sentence(literal(event["message"]), "error")]
        if "backward through the graph a second time" in event["message"]:
            step.parts.append(Sentence(say("freed before")))
        step.parts += [Sentence(note_of(line.strip())) for note in event.get("notes", ()) for line in note.splitlines()]
        self.all.append(step)

    def _end(self, event: Entry) -> None:
        begin = self.begins.get(event["pass"])
        if not event["returned"] or begin is None:
            return
        title = self._title(say("ends"), self.where(event["place"]))
        step = Step("end", title, [event["n"]], event["place"], None, event["pass"])
        inputs = begin["inputs"] or []
        for index, value in enumerate(event["returned"]):
            tensor = inputs[index] if index < len(inputs) else None
            name = self.derivative(event["pass"], "?" if tensor is None else self.board.label(tensor))
            step.parts.append(Line([Figure(value, literal(name), "b")]))
        step.parts.append(Sentence(say("returned", how=self.board.call(begin))))
        self.all.append(step)


def _words(key: str, **names: object) -> Figure:
    return Figure(None, say(key, **names), "words")


def chain(names: list[str]) -> str:
    """Names of nodes that ran one after the other; the first and the last of many."""
    return " → ".join(names if len(names) <= 3 else [names[0], "…", names[-1]])
