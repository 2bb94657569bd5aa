"""Where the boxes of a graph stand: in layers, with few crossings, each below what it uses (Sugiyama's way)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

BETWEEN = 22.0  # between boxes of a layer
LANE = 14.0  # the width that an edge takes on its way through a layer
APART = 44.0  # between parts of a graph that nothing joins
SWEEPS = 12


@dataclass
class Box:
    """A box to place: its size is given, `x` and `y` (of its corner) are found."""

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    layer: int = 0
    lane: bool = False
    aside: bool = False  # a short way into a long one, which goes on straight
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)

    @property
    def follows(self) -> bool:
        """Whether it goes where its use is, rather than the use to it: it uses nothing, as a leaf does, or little."""
        return self.aside or (not self.above and not self.lane)

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass
class Laid:
    """The boxes with their places, the points that each edge goes through, and the size of all."""

    boxes: list[Box]
    paths: list[list[tuple[float, float]]]
    width: float
    height: float


def layout(
    sizes: list[tuple[float, float]], edges: list[tuple[int, int]], between: float = 46.0, late: frozenset[int] = frozenset()
) -> Laid:
    """Places boxes of the given sizes; an edge (a, b) has a < b and goes downwards. Those in `late` stand just above what uses them.

    >>> laid = layout([(40, 20), (40, 20), (40, 20)], [(0, 1), (0, 2)])
    >>> [(box.x, box.y) for box in laid.boxes]
    [(31.0, 0.0), (0.0, 66.0), (62.0, 66.0)]
    """
    boxes = [Box(width, height) for width, height in sizes]
    _layers(boxes, edges, late)
    routes = _lanes(boxes, edges)
    layers: list[list[int]] = [[] for _ in range(max((box.layer for box in boxes), default=-1) + 1)]
    for number, box in enumerate(boxes):
        layers[box.layer].append(number)
    layers = _ordered(boxes, layers)
    _outward(boxes, layers)
    _across(boxes, layers)
    spans = _down(boxes, layers, between)
    height = max(spans[-1][1], 0.0) if spans else 0.0
    paths = [_path(boxes, route, spans) for route in routes]
    width = max((box.x + box.width for box in boxes), default=0.0)
    return Laid(boxes[: len(sizes)], paths, width, height)


def packed(
    sizes: list[tuple[float, float]],
    edges: list[tuple[int, int]],
    between: float = 46.0,
    late: frozenset[int] = frozenset(),
    widest: float = 840.0,
) -> Laid:
    """As `layout`; parts that nothing joins stand beside each other in rows, in the order of their first boxes, up to a width.

    >>> [(box.x, box.y) for box in packed([(40, 20)] * 3, [], widest=130).boxes]
    [(0.0, 0.0), (84.0, 0.0), (0.0, 64.0)]
    """
    boxes: list[Box] = [Box(*size) for size in sizes]
    paths: list[list[tuple[float, float]]] = [[] for _ in edges]
    x = y = tallest = width = 0.0
    for part in parts_of(len(sizes), edges):
        place = {one: at for at, one in enumerate(part)}
        inside = [number for number, edge in enumerate(edges) if edge[0] in place]
        ends = [(place[edges[number][0]], place[edges[number][1]]) for number in inside]
        laid = layout([sizes[one] for one in part], ends, between, frozenset(place[one] for one in late if one in place))
        if x and x + laid.width > widest:
            x, y, tallest = 0.0, y + tallest + APART, 0.0
        for one, box in zip(part, laid.boxes, strict=True):
            box.x, box.y = round(box.x + x, 1), box.y + y
            boxes[one] = box
        for number, path in zip(inside, laid.paths, strict=True):
            paths[number] = [(round(at + x, 1), down + y) for at, down in path]
        width, tallest = max(width, x + laid.width), max(tallest, laid.height)
        x += laid.width + APART
    return Laid(boxes, paths, width, y + tallest)


def parts_of(count: int, edges: list[tuple[int, int]]) -> list[list[int]]:
    """The boxes that edges join, part by part."""
    of = list(range(count))

    def first(one: int) -> int:
        while of[one] != one:
            of[one] = one = of[of[one]]
        return one

    for upper, lower in edges:
        low, high = sorted((first(upper), first(lower)))
        of[high] = low
    parts: dict[int, list[int]] = {}
    for one in range(count):
        parts.setdefault(first(one), []).append(one)
    return list(parts.values())


def _layers(boxes: list[Box], edges: list[tuple[int, int]], late: frozenset[int]) -> None:
    """Each box a layer below the lowest of those it uses; then up to where what uses it begins."""
    for first, second in sorted(edges, key=lambda edge: edge[1]):
        boxes[second].layer = max(boxes[second].layer, boxes[first].layer + 1)
    above: dict[int, list[int]] = {}
    users: dict[int, list[int]] = {}
    for first, second in edges:
        above.setdefault(second, []).append(first)
        users.setdefault(first, []).append(second)
    for first, seconds in users.items():
        beside = [max(boxes[one].layer for one in above[second]) for second in seconds]
        boxes[first].aside = all(deepest > boxes[first].layer + 1 for deepest in beside)
    hanging: set[int] = set()  # what uses nothing, and what only uses things that nothing else does: it comes along as a whole
    for number in range(len(boxes)):
        if number in late or all(one in hanging and len(users[one]) == 1 for one in above.get(number, ())):
            hanging.add(number)
    for number in sorted(hanging & users.keys(), reverse=True):
        boxes[number].layer = min(boxes[one].layer for one in users[number]) - 1


def _lanes(boxes: list[Box], edges: list[tuple[int, int]]) -> list[list[int]]:
    """Edges over several layers get a narrow box in each of those between; gives the boxes that each goes through."""
    routes = []
    for first, second in edges:
        route = [first]
        for layer in range(boxes[first].layer + 1, boxes[second].layer):
            boxes.append(Box(LANE, 0.0, layer=layer, lane=True))
            route.append(len(boxes) - 1)
        route.append(second)
        for upper, lower in pairwise(route):
            boxes[upper].below.append(lower)
            boxes[lower].above.append(upper)
        routes.append(route)
    return routes


def _ordered(boxes: list[Box], layers: list[list[int]]) -> list[list[int]]:
    """By the mean place of their neighbours, down and up in turns; the order with the fewest crossings is kept."""
    best, fewest = [list(layer) for layer in layers], _crossings(boxes, layers)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        downwards = sweep % 2 == 0
        place = {one: at for layer in layers for at, one in enumerate(layer)}
        for layer in layers if downwards else reversed(layers):
            weights = {}
            for at, one in enumerate(layer):
                near = boxes[one].above if downwards else boxes[one].below
                weights[one] = sum(place[other] for other in near) / len(near) if near else float(at)
            layer.sort(key=lambda one: (weights[one], place[one]))
            place.update({one: at for at, one in enumerate(layer)})
        crossings = _crossings(boxes, layers)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _outward(boxes: list[Box], layers: list[list[int]]) -> None:
    """What goes where its use is stands beside the ways that meet in that use, not between them, where no edges cross for it."""
    for at, layer in enumerate(layers[:-1]):
        near = layers[max(at - 1, 0) : at + 2]
        for one in [one for one in layer if boxes[one].follows]:
            if not _between(boxes, layer):
                break
            here, rest = layer.index(one), [other for other in layer if other != one]
            orders = [[*rest[:to], one, *rest[to:]] for to in range(len(layer))]
            costs = []
            for to, order in enumerate(orders):
                layer[:] = order
                costs.append((_crossings(boxes, near), _between(boxes, layer), abs(to - here)))
            layer[:] = orders[costs.index(min(costs))]


def _between(boxes: list[Box], layer: list[int]) -> int:
    """How many boxes stand between those of a layer that meet in one below, and come from above."""
    ways: dict[int, list[int]] = {}
    for at, one in enumerate(layer):
        for below in boxes[one].below if not boxes[one].follows else ():
            ways.setdefault(below, []).append(at)
    return sum(places[-1] - places[0] + 1 - len(places) for places in ways.values())


def _crossings(boxes: list[Box], layers: list[list[int]]) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        place = {one: at for at, one in enumerate(lower)}
        seen: list[int] = []
        for one in upper:
            ends = sorted(place[other] for other in boxes[one].below)
            for end in ends:
                count += sum(other > end for other in seen)
            seen += ends
    return count


def _across(boxes: list[Box], layers: list[list[int]]) -> None:
    """Each box as near below and above its neighbours as the order of its layer lets it."""
    for layer in layers:
        _spread(boxes, layer, [0.0] * len(layer))
    for sweep in range(2 * SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            wanted = []
            for one in layer:
                near = boxes[one].above if downwards else boxes[one].below
                near = near or boxes[one].above or boxes[one].below
                near = [
                    other for other in near if not boxes[other].follows
                ] or near  # a leaf goes to its use, not the use to it
                wanted.append(sum(boxes[other].middle for other in near) / len(near) if near else boxes[one].middle)
            _spread(boxes, layer, wanted)
    left = min((box.x for box in boxes), default=0.0)
    for box in boxes:
        box.x = round(box.x - left, 1)


def _spread(boxes: list[Box], layer: list[int], wanted: list[float]) -> None:
    """The middles nearest to those wanted, by least squares, that keep the order and the space between (pool adjacent violators)."""
    offsets = [0.0]
    for before, after in pairwise(layer):
        gap = BETWEEN / 2 if boxes[before].lane or boxes[after].lane else BETWEEN
        offsets.append(offsets[-1] + (boxes[before].width + boxes[after].width) / 2 + gap)
    pools: list[tuple[float, float, int]] = []  # sum, weight, count
    for want, offset, one in zip(wanted, offsets, layer, strict=True):
        weight = 4.0 if boxes[one].lane else 0.1 if boxes[one].follows else 1.0  # long edges are to be straight
        total, count = (want - offset) * weight, 1
        while pools and pools[-1][0] / pools[-1][1] > total / weight:
            more, heavier, members = pools.pop()
            total, weight, count = total + more, weight + heavier, count + members
        pools.append((total, weight, count))
    middles = [total / weight for total, weight, count in pools for _ in range(count)]
    for middle, offset, one in zip(middles, offsets, layer, strict=True):
        boxes[one].x = middle + offset - boxes[one].width / 2


def _down(boxes: list[Box], layers: list[list[int]], between: float) -> list[tuple[float, float]]:
    """Gives where each layer begins and ends."""
    y, spans = 0.0, []
    for number, layer in enumerate(layers):
        tallest = max((boxes[one].height for one in layer), default=0.0)
        for one in layer:
            box = boxes[one]
            box.y = y + (tallest - box.height) / 2
            if number == 0 or (not box.above and not box.lane):
                box.y = y + tallest - box.height
            if box.lane:
                box.y, box.height = y, tallest
        spans.append((y, y + tallest))
        y += tallest + between
    return spans


def _path(boxes: list[Box], route: list[int], spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points of an edge: straight down through each layer, so that it bends between them alone and passes behind no box."""
    upper, lower = boxes[route[0]], boxes[route[-1]]
    bottom, top = upper.y + upper.height, spans[lower.layer][0]
    points = [(upper.middle, bottom), (upper.middle, max(bottom, spans[upper.layer][1]))]
    for one in route[1:-1]:
        points += [(boxes[one].middle, boxes[one].y), (boxes[one].middle, boxes[one].y + boxes[one].height)]
    points += [(lower.middle, min(top, lower.y)), (lower.middle, lower.y)]
    return [one for at, one in enumerate(points) if at == 0 or one != points[at - 1]]
