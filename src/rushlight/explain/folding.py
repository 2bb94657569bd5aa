"""From a recording to a board of cards: by expression, by rounds of a loop, by module, so that few enough are left to read."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from .entries import Entry, Recording
from .module_hooks import caption, same_part
from .rounds import Fold, Group, fold
from .words import Said

MOST = 40  # cards of operations before anything but expressions is folded
OUTPUTS = 7  # named outputs of one node that are shown together
CALLED = re.compile(r"([\w.]*(?:grad|grad_and_value|vjp|jac\w+|hessian|[vh][hv]p))(?=\()")  # what gives gradients back
TAGGED = 4  # uses of a leaf before it is a tag at each of them


@dataclass
class Card:
    """One box of the board; `kind` is leaf, data, op or fold."""

    id: int
    kind: str
    name: str = ""
    text: str = ""
    tensor: int | None = None
    tensors: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    place: int | None = None
    others: list[int] = field(default_factory=list)  # further outputs of the same node that have names
    wanted: bool = True
    written: bool = False
    caption: Said | None = None
    count: int = 1


@dataclass
class Edge:
    """From a card to one that uses it; `uses` are (node, number of its edge), `tensor` is the one that is used."""

    source: int
    target: int
    wanted: bool
    uses: list[tuple[int, int]] = field(default_factory=list)
    tensor: int | None = None


class Board:
    """The cards of a recording, in the order of the run, and the edges between them."""

    def __init__(self, recording: Recording, most: int = MOST) -> None:
        self.recording = recording
        self.tensors = recording["tensors"]
        self.nodes = recording["nodes"]
        self.cards: list[Card] = []
        self.edges: list[Edge] = []
        self.group_of_event: dict[int, Group] = {}
        self.card_of_tensor: dict[int, int] = {}
        self.card_of_node: dict[int, int] = {}
        self.card_of_renewed: dict[int, int] = {}  # by the node that a view was given when it was next used
        self.renewed: dict[int, int] = {}  # by the same, the view's tensor
        self._card_of_group: dict[int, int] = {}
        self._fold_ends: dict[int, int] = {}  # by the number of a card that is folded, its last event
        self._edges: dict[tuple[int, int, bool], Edge] = {}
        self._accumulating: dict[int, list[int]] = defaultdict(list)  # AccumulateGrad by the identity of its leaf
        for node in self.nodes:
            if node["variable"] is not None:
                self._accumulating[self.tensors[node["variable"]]["identity"]].append(node["id"])
        lives = sorted({one["label"] for one in self.tensors if self._is_life(one)}, key=len, reverse=True)
        self._lives = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, lives))})(?!\w)") if lives else None
        self.read = self._only_read()  # the roots of a graph that was only read
        groups = self._groups()
        self.labels = self._labels(groups)
        shown = self._shown(groups)
        self._place(
            fold(shown, most, self._module, "rounds" if recording["limits"].get("gap") is None else "recorded rounds"), groups
        )
        self.card_of_renewed = {
            node: self.card_of_tensor[one]
            for node, one in self.renewed.items()
            if one in self.card_of_tensor and self.cards[self.card_of_tensor[one]].tensor == one
        }

    def label(self, tensor: int | None) -> str:
        """What a tensor is called: its name with its round (`h₃`), or its expression."""
        return "?" if tensor is None else self.labels[tensor]

    def slot(self, tensor: int) -> str:
        """What the program calls the ``.grad`` of a leaf, in whichever life."""
        return f"{self.label(self.tensors[tensor]['identity'])}.grad"

    def rule(self, node: Entry, index: int) -> str:
        """The rule of a node's edge, with what the board calls the inputs in the place of their names."""
        found = node["rules"][index] if index < len(node["rules"]) else None
        text = "" if found is None else str(found["text"] or found["generic"] or "").replace("xp.", "")
        called = {one["text"]: one["tensor"] for one in node["inputs"] if one["tensor"] is not None}
        called |= {self.tensors[one]["label"]: one for one in node["outputs"]}
        for own, tensor in called.items():
            label = self.label(tensor)
            if self.tensors[tensor]["names"] and label != own:
                text = re.sub(rf"(?<![\w.]){re.escape(own)}(?![\w(·])", label, text)
        return self.told(text)

    def word(self, node: Entry, index: int, word: str) -> str:
        """What a rule calls one of its own words: `g_` for `g` where the program has a `g`."""
        found = node["rules"][index] if index < len(node["rules"]) else None
        return word if found is None else str(found.get("words", {}).get(word, word))

    def told(self, text: str) -> str:
        """A recording's text with later lives of names as the board calls them: `w·1.T` for `w.1.T`, which no number looks like."""
        return text if self._lives is None else self._lives.sub(lambda found: "·".join(found[0].rsplit(".", 1)), text)

    def kept(self, one: Entry) -> str:
        """What a node keeps, by name."""
        return self.told(one["text"] or self.label(one["tensor"]))

    def wants(self, tensor: int) -> bool:
        """Whether a gradient is wanted for a tensor; a leaf may ask for one only after it was made."""
        entry = self.tensors[tensor]
        return bool(entry["requires_grad"]) or (entry["leaf"] and entry["identity"] in self._accumulating)

    def card_of_event(self, event: int) -> Card | None:
        """The card that shows an op; None for one that none shows."""
        group = self.group_of_event.get(event)
        found = None if group is None else self._card_of_group.get(id(group))
        return None if found is None else self.cards[found]

    def is_within(self, event: int, card: int | None) -> bool:
        """Whether an event lies before the last of those that a card has folded."""
        return card is not None and event < self._fold_ends.get(card, 0)

    def tagged(self, card: Card, often: int = TAGGED) -> bool:
        """Whether a leaf, or data, is used so often that a tag stands for it at each use."""
        return card.kind in ("leaf", "data") and sum(edge.source == card.id for edge in self.edges) >= often

    def called(self, edge: Edge) -> str:
        """What a tag says: the name of what is used."""
        card = self.cards[edge.source]
        entry = None if edge.tensor is None or card.kind == "leaf" else self.tensors[edge.tensor]
        return self.label(edge.tensor) if entry is not None and entry["names"] else card.name or card.text

    def call(self, begin: Entry) -> str:
        """What the program calls that gives gradients back: `autograd.grad`, `grad` or `functional.jacobian`, as it writes it."""
        text = "" if begin["place"] is None else self.recording["places"][begin["place"]]["text"]
        found = CALLED.search(text)
        return "autograd.grad" if found is None else ".".join(found[1].split(".")[-2:])

    # Groups: one for each evaluation of an expression.

    def _groups(self) -> list[Group]:
        groups: list[Group] = []
        open_group: Group | None = None
        events = self.recording["events"]
        told = {event["node"] for event in events if event["kind"] in ("op", "write")}
        functions: dict[int, Group] = {}  # of the program's own
        begun = 0
        for event in events:
            if event["kind"] not in ("op", "write"):
                open_group = None
                begun += event["kind"] == "backward" and event["pass"] is not None
                continue
            group = open_group
            own = self._of_function(event, told)
            if own is not None:
                group = functions.get(own["id"])
                if group is None:
                    group = functions[own["id"]] = Group(own["place"], nodes=[own["id"]], begun=begun)
                else:  # another of its results: it stands behind all that they were made of
                    groups.pop(next(-back for back, one in enumerate(reversed(groups), 1) if one is group))
                groups.append(group)
            elif group is None or not self._joins(group, event):
                group = Group(event["place"], begun=begun)
                groups.append(group)
            self._add(group, event)
            group.closed = group.closed or own is not None
            self.group_of_event[event["n"]] = group
            open_group = group
        groups = self._merged(groups)
        self._add_unseen(groups)
        modules: dict[int | None, set[str]] = defaultdict(set)
        for group in groups:
            modules[group.place].add(self._module(group))
        self._of_modules = {place for place, names in modules.items() if len(names) > 1}  # one call that runs several
        for group in groups:
            stack = self.nodes[group.nodes[0]]["stack"] if group.nodes else []
            group.key = (
                tuple(dict.fromkeys(stack)) or group.place,
                self._module(group),
                *(sorted(group.ops) if group.place is None else ()),
            )
        return groups

    def _merged(self, groups: list[Group]) -> list[Group]:
        """Neighbours of one expression, the later of which uses what the earlier made, are one: a call of several layers."""
        merged: list[Group] = []
        for group in groups:
            last = merged[-1] if merged else None
            if last is None or last.closed or group.place is None or last.place != group.place or not last.nodes:
                group.goes_on = last is not None and last.place == group.place is not None and self._is_rest(group, last)
                merged.append(group)
                continue
            first = self.nodes[group.nodes[0]] if group.nodes else None
            if not same_part(self.nodes[last.nodes[0]], first) or not any(one in last.outputs for one in group.inputs):
                merged.append(group)
                continue
            last.events += group.events
            last.nodes += group.nodes
            last.inputs += [one for one in group.inputs if one not in last.outputs]
            last.outputs += group.outputs
            last.ops |= group.ops
            last.closed = group.closed
            self.group_of_event.update(dict.fromkeys(group.events, last))
        return merged

    def _is_rest(self, group: Group, before: Group) -> bool:
        """Whether a group uses what the one before has made on the way, which no later evaluation has in its hands."""
        return any(one in before.outputs and not self.tensors[one]["names"] for one in group.inputs)

    def _of_function(self, event: Entry, told: set[int | None]) -> Entry | None:
        """The node of a function of the program's own, where an op of its forward made what that gives back."""
        if event["node"] is not None or event["kind"] == "write":
            return None
        made = (self.tensors[one] for one in event["outputs"])
        numbers = (one["node"] for one in made if not one["leaf"] and one["node"] is not None)
        return next((self.nodes[one] for one in numbers if one not in told and self.nodes[one]["variable"] is None), None)

    def _joins(self, group: Group, event: Entry) -> bool:
        if event["kind"] == "write" and event["place"] is None and not event["op"]:
            return event["before"] in group.outputs  # the last of an expression's ops writes to what it gives back
        if group.closed or event["place"] is None or event["place"] != group.place:
            return False
        if group.nodes and event["node"] is not None and not same_part(self.nodes[group.nodes[0]], self.nodes[event["node"]]):
            return False
        if not group.nodes and event["node"] is None:
            return True  # what asks for no gradient is of interest as a whole
        return event["op"] not in group.ops or any(one in group.outputs for one in event["inputs"])

    def _add(self, group: Group, event: Entry) -> None:
        group.events.append(event["n"])
        group.ops.add(str(event["op"]))
        if event["node"] is not None:
            group.nodes.append(event["node"])
        group.inputs += [one for one in event["inputs"] if one not in group.outputs]
        group.outputs += event["outputs"]
        wanted = bool(group.nodes)
        group.closed = event["kind"] == "write" or (wanted and any(self.tensors[one]["names"] for one in event["outputs"]))

    def _add_unseen(self, groups: list[Group]) -> None:
        """Nodes that no event made: of a graph that was only read."""
        self._renew(groups)
        seen = {node for group in groups for node in group.nodes}
        later: list[Group] = []
        used = {one: number for number, group in reversed(list(enumerate(groups))) for one in group.inputs}
        done = set(seen)
        for root in map(self.nodes.__getitem__, self._reached(seen) if self.read is None else self.read):
            waiting = [(root["id"], False)]
            while waiting:
                number, children = waiting.pop()
                node = self.nodes[number]
                if children:
                    later.append(self._of_node(node))
                elif number not in done and node["variable"] is None:
                    done.add(number)
                    waiting.append((number, True))
                    waiting += [(edge["node"], False) for edge in node["edges"] if edge and edge["node"] is not None]
        if not used:
            groups += later
            return
        before: dict[int, list[Group]] = defaultdict(list)  # each stands before the first that uses what it made
        for group in later:
            before[min((used[one] for one in group.outputs if one in used), default=len(groups))].append(group)
        groups[:] = [one for number in range(len(groups) + 1) for one in (*before[number], *groups[number : number + 1])]

    def _reached(self, seen: set[int]) -> list[int]:
        """Nodes behind those that ops made or passes ran; a notebook has others, of cells before."""
        reached: set[int] = set()
        waiting = [*seen] if self.recording["events"] else [*range(len(self.nodes))]
        for event in self.recording["events"]:
            waiting += [event["node"]] if event["kind"] == "run" else []
            waiting += (
                [root["node"] for root in event["roots"] if root["node"] is not None] if event["kind"] == "backward" else []
            )
        while waiting:
            number = waiting.pop()
            if number is not None and number not in reached:
                reached.add(number)
                waiting += [edge["node"] for edge in self.nodes[number]["edges"] if edge is not None]
        return sorted(reached)

    def _renew(self, groups: list[Group]) -> None:
        """Nodes that a view was given when it was next used, after its base was written to: they belong to the view."""
        made = {one: group for group in groups for one in group.outputs}
        seen = {node for group in groups for node in group.nodes}
        for user in self.nodes:
            for edge, given in zip(user["edges"], user["inputs"], strict=False):
                if edge is None or edge["node"] is None or edge["node"] in seen or given["tensor"] not in made:
                    continue
                node = self.nodes[edge["node"]]
                if node["variable"] is None and not node["outputs"] and len(user["edges"]) == len(user["inputs"]):
                    made[given["tensor"]].nodes.append(node["id"])
                    self.renewed[node["id"]] = given["tensor"]
                    seen.add(node["id"])

    def _only_read(self) -> list[int] | None:
        """The roots of a graph that was only read, beside which the program may have others; None where something ran."""
        events = self.recording["events"]
        begins = [event for event in events if event["kind"] == "backward"]
        if not begins or any(event["kind"] == "op" for event in events) or any(event["how"] != "dry" for event in begins):
            return None
        return [root["node"] for event in begins for root in event["roots"] if root["node"] is not None]

    def _of_node(self, node: Entry) -> Group:
        inputs = [edge["tensor"] for edge in node["edges"] if edge is not None and edge["tensor"] is not None]
        inputs += [one["tensor"] for one in node["inputs"] if one["tensor"] is not None]
        outputs = list(node["outputs"])
        return Group(node["place"], (), [], [node["id"]], list(dict.fromkeys(inputs)), outputs, {str(node["op"])}, True)

    def _module(self, group: Group) -> str:
        return str(self.nodes[group.nodes[0]]["module"]) if group.nodes else ""

    # Names.

    def _labels(self, groups: list[Group]) -> list[str]:
        labels = [str(one["label"]) or self._node_name(one) for one in self.tensors]
        made: dict[str, list[int]] = defaultdict(list)
        for group in groups:
            for one in group.outputs:
                entry = self.tensors[one]
                if entry["names"] and entry["life_of"] is None:
                    made[entry["label"]].append(one)
        numbered = {one for numbers in made.values() for one in numbers}
        for entry in self.tensors:
            if entry["names"] and entry["life_of"] is None and entry["id"] not in numbered:
                made[entry["label"]].append(entry["id"])
        called = Counter(label for label, _ in {(labels[one["id"]], one["identity"]) for one in self.tensors if one["names"]})
        for name, numbers in made.items():
            if called[name] > 1:
                for count, one in enumerate(sorted(numbers), 1):
                    labels[one] = name + str(count).translate(SUBSCRIPTS)
        return [
            LIFE.sub(r"·\1", one) if self._is_life(entry) else self.told(one)
            for one, entry in zip(labels, self.tensors, strict=True)
        ]

    def _node_name(self, entry: Entry) -> str:
        """What a tensor is called where the program's text is not there."""
        return f"t{entry['id']}" if entry["node"] is None else str(self.nodes[entry["node"]]["name"])

    def _is_life(self, entry: Entry) -> bool:
        return bool(entry["names"]) and LIFE.search(entry["label"]) is not None

    # Cards.

    def _shown(self, groups: list[Group]) -> list[Group]:
        """Those in a graph, and those that feed one directly; all where there is none."""
        wanted = [group for group in groups if group.nodes]
        if not wanted:
            return groups
        needed = {one for group in wanted for one in group.inputs}
        return [group for group in groups if group.nodes or any(self._feeds(one, needed) for one in group.outputs)]

    def _feeds(self, tensor: int, needed: set[int]) -> bool:
        entry = self.tensors[tensor]
        own_card = entry["leaf"] and (self.wants(tensor) or entry["life_of"] is not None)
        return tensor in needed and bool(entry["names"]) and not own_card

    def _place(self, items: list[Group | Fold], groups: list[Group]) -> None:
        written = {}  # a leaf's later lives stand on the leaf's own card
        for entry in self.tensors:
            if entry["life_of"] is not None and entry["leaf"]:
                written[entry["id"]] = entry["identity"]
        for item in items:
            members = item.groups if isinstance(item, Fold) else [item]
            made = {one for group in members for one in group.outputs}
            inside = isinstance(item, Fold)
            sources = [self._source(one, written, inside) for group in members for one in group.inputs if one not in made]
            for node in (self.nodes[number] for group in members for number in group.nodes):
                others = (edge["tensor"] for edge in node["edges"] if edge is not None)
                sources += [self._source(one, written, inside) for one in others if one not in made]
            card = self._folded(item) if isinstance(item, Fold) else self._card(item)
            for group in members:
                self._card_of_group[id(group)] = card.id
                self.card_of_node.update(dict.fromkeys(group.nodes, card.id))
                self.card_of_tensor.update({one: card.id for one in group.outputs if one not in written})
            self._join(card, members, [one for one in sources if one is not None])
        self._leaves_alone(written)
        for group in groups:
            if id(group) not in self._card_of_group:
                for one in group.outputs:
                    if one in written and written[one] in self.card_of_tensor:
                        self._card_of_group[id(group)] = self.card_of_tensor[written[one]]

    def _new(self, card: Card) -> Card:
        self.cards.append(card)
        return card

    def _source(self, tensor: int | None, written: dict[int, int], inside: bool = False) -> int | None:
        """The card of what no shown expression made: a leaf, or data; what only a fold uses gets none, but for leaves with names."""
        if tensor is None:
            return None
        first = written.get(tensor, tensor)
        if first in self.card_of_tensor:
            self.card_of_tensor[tensor] = self.card_of_tensor[first]
            return self.card_of_tensor[tensor]
        entry = self.tensors[first]
        wanted = self.wants(first)
        if not entry["names"] and (inside or not wanted):
            return None
        if inside and not (entry["leaf"] and wanted):
            return None
        kind = "leaf" if entry["leaf"] and wanted else "data"
        name = self.label(first)
        card = self._new(Card(len(self.cards), kind, name, "", first, [first], place=entry["place"], wanted=wanted))
        self.card_of_tensor[first] = self.card_of_tensor[tensor] = card.id
        card.tensors += [one for one, of in written.items() if of == first]
        for number in self._accumulating.get(entry["identity"], []):
            card.nodes.append(number)
            self.card_of_node[number] = card.id
        return card.id

    def _leaves_alone(self, written: dict[int, int]) -> None:
        """Leaves that nothing uses; of a block only those that its code speaks of."""
        told = {self.tensors[one["tensor"]]["identity"] for one in self.recording["ledger"]}
        for entry in self.tensors if self.read is None else ():
            if not self.recording["program"]["name"] and entry["identity"] not in told:
                continue
            if entry["leaf"] and self.wants(entry["id"]) and entry["names"] and entry["id"] not in self.card_of_tensor:
                self._source(entry["id"], written)

    def _card(self, group: Group) -> Card:
        wanted = bool(group.nodes)
        out = [one for one in group.outputs if self.tensors[one]["requires_grad"]] or group.outputs
        named = [one for one in out if self.tensors[one]["names"]]
        found = named or out
        tensor = None if not found else found[0] if len(group.events) == 1 or len(group.nodes) == 1 else found[-1]
        entry = None if tensor is None else self.tensors[tensor]
        place = None if group.place is None else self.recording["places"][group.place]
        text = ("" if place is None else place["text"]) or (str(self.nodes[group.nodes[0]]["name"]) if group.nodes else "")
        if group.place in self._of_modules:
            text = self._module(group) or text
        name = self.label(tensor) if entry is not None and entry["names"] else ""
        in_pass = any(self.recording["events"][one]["pass"] is not None for one in group.events)
        if entry is not None and group.place not in self._of_modules and (in_pass or not (name and text)):
            text = entry.get("text") or text
        same = [one for one in named if entry is not None and one != tensor and self.tensors[one]["node"] == entry["node"]]
        others = same if name and len(same) < OUTPUTS else []
        life = entry is not None and entry["life_of"] is not None and bool(entry["names"])
        text = str(place["statement"]) if life and place is not None else str(text)
        event = self.recording["events"][group.events[0]] if group.events else None
        told = caption([self.nodes[one] for one in group.nodes], event, name, text)
        fields = ("op" if wanted else "data", name, text, tensor, list(group.outputs), list(group.nodes), group.place)
        return self._new(Card(len(self.cards), *fields, others, wanted, life, told, max(len(group.events), len(group.nodes))))

    def _folded(self, item: Fold) -> Card:
        nodes = [one for group in item.groups for one in group.nodes]
        tensors = [one for group in item.groups for one in group.outputs]
        count = sum(max(len(group.events), len(group.nodes)) for group in item.groups)
        fields = ("fold", "", "", None, tensors, nodes, item.groups[0].place)
        self._fold_ends[len(self.cards)] = max((one for group in item.groups for one in group.events), default=0)
        return self._new(Card(len(self.cards), *fields, wanted=bool(nodes), caption=item.caption, count=count))

    def _join(self, card: Card, members: list[Group], sources: Iterable[int]) -> None:
        for group in members:
            for number in dict.fromkeys(group.nodes):  # a write is an op and a new life of what it writes to
                for index, edge in enumerate(self.nodes[number]["edges"]):
                    source = (
                        None if edge is None else self.card_of_node.get(edge["node"], self.card_of_tensor.get(edge["tensor"]))
                    )
                    if source is not None and source < card.id:
                        self._edge(source, card.id, True).uses.append((number, index))
            for one in group.inputs:
                source = self.card_of_tensor.get(one)
                if source is not None and source < card.id and not self.wants(one):
                    self._edge(source, card.id, False).tensor = one
        for source in sources:
            if source < card.id and not any((source, card.id, wanted) in self._edges for wanted in (True, False)):
                self._edge(source, card.id, False)

    def _edge(self, source: int, target: int, wanted: bool) -> Edge:
        edge = self._edges.get((source, target, wanted))
        if edge is None:
            edge = self._edges[source, target, wanted] = Edge(source, target, wanted)
            self.edges.append(edge)
        return edge


LIFE = re.compile(r"\.(\d+)$")  # at the end of a label: which life of a name it is
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
