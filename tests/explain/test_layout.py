"""Boxes in layers: none over another, edges downwards, few crossings."""

import itertools
import random

import pytest
from explain.conftest import NAMES, stored

from rushlight.explain.drawing import Drawing
from rushlight.explain.folding import Board
from rushlight.explain.layout import layout, packed
from rushlight.explain.states import States
from rushlight.explain.steps import Steps


def overlaps(boxes):
    return [
        (one, other)
        for one, other in itertools.combinations(boxes, 2)
        if one.x < other.x + other.width - 0.2
        and other.x < one.x + one.width - 0.2
        and one.y < other.y + other.height - 0.2
        and other.y < one.y + one.height - 0.2
    ]


@pytest.mark.parametrize("seed", range(25))
def test_no_box_is_over_another_and_edges_go_down(seed):
    choose = random.Random(seed)
    count = choose.randrange(1, 40)
    sizes = [(choose.uniform(20, 200), choose.uniform(20, 120)) for _ in range(count)]
    edges = sorted({tuple(sorted(choose.sample(range(count), 2))) for _ in range(choose.randrange(0, 60)) if count > 1})
    laid = layout(sizes, edges)
    assert not overlaps(laid.boxes)
    assert len(laid.paths) == len(edges)
    for (first, second), path in zip(edges, laid.paths, strict=True):
        upper, lower = laid.boxes[first], laid.boxes[second]
        assert upper.y + upper.height < lower.y
        assert path[0] == pytest.approx((upper.middle, upper.y + upper.height), abs=0.2)
        assert path[-1] == pytest.approx((lower.middle, lower.y), abs=0.2)
        for (_, y), (_, below) in itertools.pairwise(path):
            assert y <= below
    assert all(box.x >= -0.1 and box.x + box.width <= laid.width + 0.1 for box in laid.boxes)
    assert all(box.y >= -0.1 and box.y + box.height <= laid.height + 0.1 for box in laid.boxes)
    again = layout(sizes, edges)
    assert again.paths == laid.paths and again.boxes == laid.boxes


def test_edges_that_need_not_cross_do_not():
    laid = layout([(40, 20)] * 6, [(0, 5), (1, 4), (2, 3)])
    assert [laid.boxes[one].middle for one in (0, 1, 2)] == pytest.approx([laid.boxes[one].middle for one in (5, 4, 3)])
    crossed = layout([(40, 20)] * 5, [(0, 2), (0, 3), (1, 3), (1, 4)])
    upper, lower = [crossed.boxes[one].middle for one in (0, 1)], [crossed.boxes[one].middle for one in (2, 3, 4)]
    assert (upper == sorted(upper)) == (lower == sorted(lower))


def test_a_long_edge_passes_beside_the_boxes_between():
    laid = layout([(100, 40)] * 4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    for x, y in laid.paths[3][1:-1]:
        for box in laid.boxes[1:3]:
            assert not (box.x < x < box.x + box.width and box.y - 0.1 <= y <= box.y + box.height + 0.1)


@pytest.mark.parametrize("seed", range(10))
def test_an_edge_bends_between_the_layers_alone(seed):
    choose = random.Random(seed)
    sizes = [(choose.uniform(20, 200), choose.uniform(20, 120)) for _ in range(25)]
    laid = layout(sizes, sorted({tuple(sorted(choose.sample(range(25), 2))) for _ in range(40)}))
    layers = {}
    for box in laid.boxes:
        top, bottom = layers.get(box.layer, (box.y, box.y))
        layers[box.layer] = min(top, box.y), max(bottom, box.y + box.height)
    for (x, y), (to_x, to_y) in (pair for path in laid.paths for pair in itertools.pairwise(path)):
        if x != to_x:
            assert not any(top + 0.2 < to_y and y < bottom - 0.2 for top, bottom in layers.values())


def test_tags_stand_beside_the_ways_of_a_loop_and_not_between_them():
    edges, count, late = [(0, 1), (0, 2), (1, 2)], 2, set()
    for _ in range(12):  # as an LSTM's: c and h of a round go into the next, with four weights
        cell, hidden, tags, after = count, count + 1, range(count + 2, count + 6), count + 6
        late |= set(tags)
        edges += [(cell, hidden), (cell, after), (hidden, after), *((tag, after) for tag in tags)]
        count = after
    laid = layout([(80, 22) if one in late else (200, 80) for one in range(count + 1)], sorted(edges), late=frozenset(late))
    assert laid.width < 1000
    middles = [laid.boxes[one].middle for one in range(2, count + 1, 6)]
    assert max(middles) - min(middles) < 100


def test_nothing():
    laid = layout([], [])
    assert (laid.boxes, laid.width, laid.height) == ([], 0.0, 0.0)


@pytest.mark.parametrize("lang", [None, "en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_no_card_of_a_board_is_over_another(name, lang):
    drawing = Drawing(States(Steps(Board(stored(name)))), lang)
    boxes = [Placed(*drawing.corner[card.id], drawing.shapes[card.id]) for card in drawing.board.cards]
    assert not overlaps(boxes)


class Placed:
    def __init__(self, x, y, shape):
        self.x, self.y, self.width, self.height = x, y, shape.width, shape.height


def test_what_nothing_else_uses_stands_just_above_its_use():
    laid = layout([(40, 20)] * 6, [(0, 1), (2, 3), (1, 3), (3, 5), (4, 5)])  # two chains into 3; 4 into 5 alone
    assert [box.layer for box in laid.boxes] == [0, 1, 1, 2, 2, 3]


@pytest.mark.parametrize("seed", range(10))
def test_parts_that_nothing_joins_stand_in_rows(seed):
    choose = random.Random(seed)
    sizes = [(choose.uniform(20, 200), choose.uniform(20, 120)) for _ in range(30)]
    edges = sorted({(3 * (one // 3), one) for one in range(30) if one % 3})  # ten parts of three boxes
    laid = packed(sizes, edges, widest=500)
    assert not overlaps(laid.boxes)
    assert laid.width <= 500
    firsts = [min(box.y for box in laid.boxes[one : one + 3]) for one in range(0, 30, 3)]
    assert firsts == sorted(firsts) and len(set(firsts)) > 1
    for (first, second), path in zip(edges, laid.paths, strict=True):
        assert path[0][1] == pytest.approx(laid.boxes[first].y + laid.boxes[first].height, abs=0.2)
        assert path[-1] == pytest.approx((laid.boxes[second].middle, laid.boxes[second].y), abs=0.2)


def test_a_long_way_goes_on_straight_beside_short_ones():
    chain, count = [], 0
    for _ in range(10):  # as a recurrent loop does: each round adds what was made of an input alone
        chain += [(count, count + 1), (count + 1, count + 3), (count + 2, count + 3)]
        count += 3
    laid = layout([(100, 30)] * (count + 1), sorted(chain))
    assert laid.width < 400
