"""What tensors are called: the program's names for them, else the expressions that they came from."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from types import FrameType

from ..tensor import Tensor
from .composing import begun, closed, composed, unnamed
from .entries import Entry
from .frames import deep_elements_of, elements_of, made_within
from .noted import quietly
from .places import Places
from .values import array_of

STEPS = ("select", "slice")  # of a subscript
PLACED = re.compile(r"place\(\w+, (\d+), (?:(-?\d+)|slice\((\d+, \d+), (\d+)\))\)")  # the rule of one


class Naming:
    """The names in a recording while it grows."""

    places: Places
    tensors: list[Entry]
    nodes: list[Entry]
    failures: list[str]

    def __init__(self) -> None:
        self._lives: list[int] = []  # of each tensor's entry: how many lives came before
        self._first_named: dict[int, int] = {}  # by identity: how many lives came before the first with a name
        self._bearers: dict[str, dict[str, int]] = {}  # by name and scope: the identity of the tensor that had it last
        self._passed_on: set[tuple[str, str]] = set()  # names and scopes that several tensors had in turn
        self._elsewhere: dict[int, str] = {}  # by identity, in whichever life: the first name that is more than an identifier
        self._texts: dict[int, str] = {}  # of what has no name and no expression of its own
        self._plain: dict[
            int, tuple[str, list[str]]
        ] = {}  # what made it, of what wants no gradient: the op and its inputs' texts

    def tensor(self, tensor: Tensor, place: int | None = None) -> int:
        """The entry of a tensor's present life."""
        raise NotImplementedError

    @property
    def seen(self) -> int:
        """How many events have been added."""
        raise NotImplementedError

    @quietly
    def look_for_names(self, frame: FrameType, deep: bool = False) -> None:
        """Notes under which names the tensors of a frame, and of its module, are known; ``deep``: in lists in objects, too."""
        scopes = {"<module>": frame.f_globals, frame.f_code.co_qualname: frame.f_locals}
        for scope, names in scopes.items():
            given = dict(names)
            for name, value in given.items():
                if isinstance(value, Tensor) and not name.startswith("__"):
                    self.named(self.tensor(value), name, scope)
            for name, value in (deep_elements_of if deep else elements_of)(given):
                number = self.tensor(value)
                if not self.tensors[number]["names"]:
                    self.named(number, name, scope)

    @quietly
    def look_for_bound(self, names: Mapping[str, object]) -> None:
        """Notes what a program leaves behind under names, and no op has used."""
        for name, value in names.items():
            if isinstance(value, Tensor) and not name.startswith("__"):
                self.tensor(value)

    def named(self, number: int, name: str, scope: str) -> None:
        """A tensor is known under a name; not if a parameter hides a name of the caller's, who has an expression for it."""
        names, identity = self.tensors[number]["names"], self.tensors[number]["identity"]
        if any(one["name"] == name and one["scope"] == scope for one in names):
            return
        bearers = self._bearers.setdefault(name, {})
        is_hiding = any(of != scope and other != identity for of, other in bearers.items())
        if is_hiding and not names and not self._made_within(number, scope):
            return
        if bearers.get(scope, identity) != identity:
            self._passed_on.add((name, scope))
        bearers[scope] = identity
        if not name.isidentifier() and not name.startswith("self."):
            self._elsewhere.setdefault(identity, name)
        names.append({"name": name, "scope": scope, "at": self.seen})
        self._first_named.setdefault(identity, self._lives[number])

    def _made_within(self, number: int, scope: str) -> bool:
        """Whether a tensor was made in a function, or in one that it called; true where that is not known."""
        entry = self.tensors[number]
        stack = [*(self.nodes[entry["node"]]["stack"] if entry["node"] is not None else ()), entry["place"]]
        functions = {self.places.places[place]["function"] for place in stack if place is not None}
        return not functions or scope == "<module>" or scope in functions

    def text_of(self, tensor: int | None) -> str:
        """What the user calls a tensor: its name, or the expression it came from."""
        if tensor is None:
            return "?"
        entry = self.tensors[tensor]
        if entry["names"]:
            name = self._best(entry)
            lives = self._lives[tensor] - self._first_named.get(entry["identity"], 0)
            return f"{name}.{lives}" if lives > 0 else name
        if tensor in self._texts:
            return self._texts[tensor]
        maker = self.nodes[entry["node"]] if entry["node"] is not None else None
        if maker is not None and maker["inputs"] and len(entry["shape"]) == 2 and maker["op"] in ("t", "transpose", "adjoint"):
            given = maker["inputs"][0]
            if given["tensor"] is not None and " " not in given["text"]:
                return f"{given['text']}.T"
        place = entry["place"]
        return str(self.places.places[place]["text"]) if place is not None else f"t{tensor}"

    def lives_before(self, tensor: Tensor, life_of: int | None) -> int:
        """How many lives came before; what is written to a leaf before a graph has used it begins none."""
        if life_of is None:
            return 0
        is_unused = tensor._needs_grad and tensor._edge is None and tensor._sink is None
        return self._lives[life_of] + (not is_unused)

    def _best(self, entry: Entry) -> str:
        """The first name from outside of a module; of a leaf `net[0].weight` rather than a loop's `p`, which others had, too."""
        first = next((one for one in entry["names"] if not one["name"].startswith("self.")), entry["names"][0])
        is_of_loop = entry["leaf"] and (first["name"], first["scope"]) in self._passed_on
        return (self._elsewhere.get(entry["identity"]) if is_of_loop else None) or str(first["name"])

    def seeded(self, gradient: Tensor) -> None:
        """A pass over tensors begins with this: 1 where the program has not said another."""
        number = self.tensor(gradient)
        if not self.tensors[number]["names"]:
            array = array_of(gradient)
            self._texts[number] = "1" if array is not None and (array == 1).all() else "v"

    @quietly
    def rooted(self, tensor: int | None, place: int | None) -> None:
        """A pass begins at a tensor; what made it within the very call that runs the pass is no expression of the program's."""
        if tensor is not None and not self.tensors[tensor]["names"] and tensor not in self._texts:
            self._compose(tensor, place)

    def _compose(self, tensor: int, place: int | None) -> bool:
        """Calls what was made within one call of the program's by its mathematics; whether an op made it."""
        entry = self.tensors[tensor]
        maker = self.nodes[entry["node"]] if entry["node"] is not None else None
        op, texts = (
            self._plain.get(tensor, (None, [])) if maker is None else (maker["op"], [one["text"] for one in maker["inputs"]])
        )
        if op is not None and entry["place"] == place and not self.text_of(tensor).endswith(".T"):
            part = self._begun(maker) if maker is not None and op in STEPS else None
            self._texts[tensor] = part or composed(op, texts, len(entry["shape"]))
        return maker is not None

    def _begun(self, maker: Entry) -> str | None:
        """What a step of a subscript made: `m[0]` within `m[0, 0]`; where what was written has another order, as that step alone."""
        along = PLACED.match(str(maker["rules"][0]["text"])) if maker["rules"] and maker["inputs"] else None
        if along is None or maker["place"] is None:
            return None
        step, first = 0, maker
        while (made := self._stepped(first)) is not None and made["place"] == maker["place"]:
            step, first = step + 1, made
        axis, written = int(along[1]), self.places.places[maker["place"]]["text"]
        index = along[2] or ":".join(along[3].split(", ")[:2]) + (f":{along[4]}" if along[4] != "1" else "")
        alone = f"{closed(maker['inputs'][0]['text'])}[{':, ' * axis}{index}]"
        return begun(written, first["inputs"][0]["text"], step, axis) or alone

    def _stepped(self, node: Entry) -> Entry | None:
        """The step of a subscript that a node's input, without a name, came from."""
        given = node["inputs"][0]["tensor"] if node["inputs"] else None
        maker = None if given is None or self.tensors[given]["names"] else self.tensors[given]["node"]
        return (
            self.nodes[maker]
            if maker is not None and self.nodes[maker]["op"] in STEPS and self.nodes[maker]["inputs"]
            else None
        )

    def _look_for_text(self, tensor: int, place: int, position: int) -> None:
        """What an input without a name is called: ``torch.ones(3)`` in ``y * torch.ones(3)``; of what was made within the same
        call, the mathematics."""
        entry = self.tensors[tensor]
        if self._compose(tensor, place):
            return
        if entry["place"] is not None:
            return
        text = unnamed(self.places.places[place]["text"], position, self.places.texts)
        if text is None:
            text = made_within(sys._getframe(1))
        while text in self._bearers:  # the program has another tensor of that name
            text += "_"
        self._texts[tensor] = text
