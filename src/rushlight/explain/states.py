"""What each card and edge shows at which step: values, derivatives, what is kept, `.grad`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .entries import Entry, Value
from .folding import Card
from .steps import Step, Steps


@dataclass
class Span:
    """Something that is to be seen from step `first` until before step `last`; to the end where that is None."""

    first: int
    last: int | None
    value: Value | None = None
    label: str = ""
    outputs: list[tuple[str, Value | None]] = field(default_factory=list)  # of a node with several, each with its name
    past: bool = False  # what arrived in a pass before the one that runs, which does not come here


def pieces(span: Span, others: list[Span]) -> list[tuple[Span, bool]]:
    """The times of a value: those in which something stands beside it, and those in which it is alone."""
    found: list[tuple[Span, bool]] = []
    at: int | None = span.first
    for other in others:
        if at is None or (span.last is not None and other.first >= span.last):
            break
        if other.last is not None and other.last <= at:
            continue
        first = max(other.first, at)
        if first > at:
            found.append((Span(at, first), True))
        at = other.last if span.last is None else min(other.last or span.last, span.last)
        if found and not found[-1][1] and found[-1][0].last == first:
            found[-1][0].last = at
        else:
            found.append((Span(first, at), False))
    if at is not None and at != span.last:
        found.append((Span(at, span.last), True))
    return found


@dataclass
class CardStates:
    """What a card shows; `step` is the one that it leads to."""

    step: int = 1
    values: list[Span] = field(default_factory=list)
    arrived: list[Span] = field(default_factory=list)
    grads: list[Span] = field(default_factory=list)
    kept: str = ""
    kept_from: int = 1
    freed: int | None = None


class States:
    """The states of all cards, and of the edges: what rides on them, and when they have been passed."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.board = steps.board
        self.cards = [CardStates() for _ in self.board.cards]
        self.rides: dict[tuple[int, int], list[Span]] = {}  # by node and number of its edge
        self.passed: dict[tuple[int, int], list[Span]] = {}
        self._drawn = {use for edge in self.board.edges for use in edge.uses}
        self._ends: list[int] | None = None  # the last event of each step
        self._made: dict[int, int] = {}  # by tensors: the event that made them
        self._lately: list[list[Span]] = []  # of those, the ones of the pass that runs
        self._reached: dict[int, set[int]] = {}  # by passes: the cards that something arrives at
        for card, states in zip(self.board.cards, self.cards, strict=True):
            value = None if card.tensor is None else self.board.tensors[card.tensor]["value"]
            values = [(self.board.label(one), self.board.tensors[one]["value"]) for one in self._outputs(card)]
            states.values = [Span(1, None, value, "", values)]
            saved = [self.board.kept(one) for number in card.nodes for one in self.board.nodes[number]["saved"]]
            states.kept = ", ".join(dict.fromkeys(saved))
            if card.kind == "leaf":
                states.grads = [Span(1, None, self._first_grad(card))]
        self._main = {self._main_node(card): card for card in self.board.cards}
        self._main |= {node: self.board.cards[number] for node, number in self.board.card_of_renewed.items()}
        seen: set[int] = set()
        for number, step in enumerate(steps.all, 1):
            if step.card is not None and step.card not in seen and step.kind in ("forward", "fold", "rule"):
                seen.add(step.card)
                states = self.cards[step.card]
                states.step = number
                if step.kind == "rule":
                    continue
                states.kept_from = number
                if self.board.cards[step.card].kind != "leaf":
                    states.values[0].first = number
            for event in (steps.events[one] for one in step.events):
                self._event(event, step, number)
        for card, states in zip(self.board.cards, self.cards, strict=True):
            if card.kind in ("leaf", "data"):
                at = [n for n, step in enumerate(steps.all, 1) if step.card == card.id]
                states.step = at[0] if at else states.step

    def since(self, tensor: int) -> int:
        """The step from which on a tensor is there that is on no card."""
        if self._ends is None:
            self._ends = [max(step.events, default=0) for step in self.steps.all]
            events = (one for one in self.steps.events if one["kind"] in ("op", "write"))
            self._made = {made: one["n"] for one in events for made in one["outputs"]}
        at = self._made.get(tensor, self.board.tensors[tensor]["names"][0]["at"])
        return next((number for number, end in enumerate(self._ends, 1) if end >= at), max(len(self._ends), 1))

    def _first_grad(self, card: Card) -> Value | None:
        """What the slot of a leaf shows before anything is written to it: what was there, which stays where nothing is."""
        found: Value | None = None if card.tensor is None else self.board.tensors[card.tensor]["grad"]
        for event in self.steps.events:
            if event["kind"] in ("leaf", "reset") and self.board.card_of_tensor.get(event["tensor"]) == card.id:
                return event["before"] if event["kind"] == "leaf" else None
        return found

    def _main_node(self, card: Card) -> int | None:
        if card.tensor is None:  # of a graph that was read: what it gave is not there
            return card.nodes[-1] if card.kind == "op" and card.nodes else None
        node: int | None = self.board.tensors[card.tensor]["node"]
        return node

    def _change(self, spans: list[Span], at: int, value: Value | None, label: str = "") -> None:
        if spans and spans[-1].last is None:
            if spans[-1].first == at:
                spans.pop()
            else:
                spans[-1].last = at
        spans.append(Span(at, None, value, label))

    def _event(self, event: Entry, step: Step, at: int) -> None:
        kind = event["kind"]
        if kind == "write":
            card = self._card(event["tensor"])
            if card is not None and card.kind in ("leaf", "data") and event["tensor"] != card.tensor:
                self._change(self.cards[card.id].values, at, self.board.tensors[event["tensor"]]["value"])
        elif kind == "backward":
            self._close(at, event["pass"])
            for root in event["roots"]:
                self._arrives(self._card(root["tensor"]), event, at, root["gradient"])
        elif kind == "run":
            self._run(event, step, at)
        elif kind == "leaf":
            card = self._card(event["tensor"])
            self._arrives(card, event, at, event["arrived"])
            if card is not None:
                self._change(self.cards[card.id].grads, at, event["after"])
        elif kind == "reset":
            card = self._card(event["tensor"])
            if card is not None and card.kind == "leaf":
                self._change(self.cards[card.id].grads, at, event["to"])
        elif kind == "end" and event["returned"]:
            inputs = self.steps.begins[event["pass"]]["inputs"] or []
            for tensor, value in zip(inputs, event["returned"], strict=False):
                self._arrives(self._card(tensor), event, at, value)

    def _card(self, tensor: int | None) -> Card | None:
        number = None if tensor is None else self.board.card_of_tensor.get(tensor)
        return None if number is None else self.board.cards[number]

    def _close(self, at: int, number: int) -> None:
        """A new pass begins: what arrived in those before stays, as past, where nothing arrives in this one."""
        if not self._reached:
            self._look_ahead()
        reached = self._reached.get(number, set())
        for card, states in enumerate(self.cards):
            spans = states.arrived
            if not spans or spans[-1].last is not None or (spans[-1].past and card not in reached):
                continue
            last = spans[-1]
            last.last = at
            if last.first == at:
                spans.pop()
            if card not in reached:
                spans.append(replace(last, first=at, last=None, past=True))
        for spans in self._lately:
            if spans and spans[-1].last is None:
                spans[-1].last = at
                if spans[-1].first == at:
                    spans.pop()
        self._lately.clear()

    def _look_ahead(self) -> None:
        for event in self.steps.events:
            found: list[Card | None] = []
            if event["kind"] == "backward":
                found = [self._card(root["tensor"]) for root in event["roots"]]
                found += [self._card(one) for one in event["inputs"] or ()]
            elif event["kind"] == "run":
                found = [self._main.get(event["node"])]
            elif event["kind"] == "leaf":
                found = [self._card(event["tensor"])]
            self._reached.setdefault(event["pass"], set()).update(one.id for one in found if one is not None)

    def _arrives(self, card: Card | None, event: Entry, at: int, value: Value | None) -> None:
        if card is None or card.kind == "fold" or value is None:
            return
        spans = self.cards[card.id].arrived
        if not (spans and spans[-1].last is None and spans[-1].value == value and not spans[-1].past):
            name = card.text if card.tensor is None else self.board.label(card.tensor)
            self._change(spans, at, value, self.steps.derivative(event["pass"], name))

    def _outputs(self, card: Card) -> list[int]:
        return [card.tensor, *card.others] if card.others and card.tensor is not None else []

    def _arrive(self, card: Card, event: Entry, at: int) -> None:
        """What arrived at each output of a node that has several."""
        outputs = []
        for tensor in self._outputs(card):
            out = self.board.tensors[tensor]["out"]
            name = self.steps.derivative(event["pass"], self.board.label(tensor))
            outputs.append((name, event["arrived"][out] if out < len(event["arrived"]) else None))
        self._change(self.cards[card.id].arrived, at, None)
        self.cards[card.id].arrived[-1].outputs = outputs

    def _run(self, event: Entry, step: Step, at: int) -> None:
        node = self.board.nodes[event["node"]]
        card = self._main.get(event["node"])
        if card is not None:
            out = 0 if card.tensor is None else self.board.tensors[card.tensor]["out"]
            if card.others:
                self._arrive(card, event, at)
            elif out < len(event["arrived"]):
                self._arrives(card, event, at, event["arrived"][out])
        number = self.board.card_of_node.get(event["node"])
        retained = self.steps.retained(event["pass"])
        if number is not None and node["saved"] and (event["freed"] or not (retained or self.steps.failed(event))):
            self.cards[number].freed = self.cards[number].freed or at
        is_dry = self.steps.begins.get(event["pass"], {"how": ""})["how"] == "dry"
        for sent in event["sent"]:
            edge = node["edges"][sent["edge"]]
            if is_dry and edge is not None and edge["tensor"] is not None and self.board.tensors[edge["tensor"]]["leaf"]:
                self._arrives(self._card(edge["tensor"]), event, at, sent["sum"] if sent["number"] > 1 else sent["value"])
            use = (event["node"], sent["edge"])
            if use not in self._drawn:
                continue
            if step.kind == "run":
                self.rides.setdefault(use, []).append(Span(at, at + 1, sent["value"]))
            self.passed.setdefault(use, []).append(Span(at, None))
            self._lately.append(self.passed[use])
