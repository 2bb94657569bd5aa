"""Values that functions refuse, or go another way for, behind a write: replayed, the same error, and memory as it is left without."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")

NAN, INF = math.nan, math.inf
BESIDE = torch.tensor([1.0, 2.0, 3.0])
ROWS = torch.arange(6.0).reshape(2, 3)
CASES: dict[str, tuple[Any, Any, Callable[[Any], Any]]] = {  # usual numbers, others, and what is asked of them
    "probability": ([0.2, 0.5, 0.9], [0.2, 1.5, 0.9], lambda x: F.binary_cross_entropy(x, torch.ones(3))),
    "gather": ([0, 1, 2], [0, 1, 3], lambda i: BESIDE.gather(0, i)),
    "index_select": ([0, 1, 2], [0, 1, 3], lambda i: BESIDE.index_select(0, i)),
    "from the end": ([0, 1, 2], [0, -1, -3], lambda i: BESIDE[i]),
    "index": ([0, 1, 2], [0, -4, 0], lambda i: BESIDE[i]),
    "scatter": ([0, 1, 2], [0, 1, 3], lambda i: torch.zeros(3).scatter(0, i, 1.0)),
    "scatter_add": ([0, 1, 2], [0, 1, -1], lambda i: torch.zeros(3).scatter_add(0, i, BESIDE)),
    "index_add": ([0, 1, 2], [0, 1, 3], lambda i: torch.zeros(3).index_add(0, i, BESIDE)),
    "take": ([0, 1, 2], [0, 1, 3], lambda i: BESIDE.take(i)),
    "one_hot": ([0, 1, 2], [0, 1, 3], lambda i: F.one_hot(i, 3)),
    "multinomial": ([0.2, 0.3, 0.5], [0.2, -0.3, 0.5], lambda p: torch.multinomial(p, 1)),
    "bernoulli": ([0.2, 0.3, 0.5], [0.2, 1.3, 0.5], torch.bernoulli),
    "normal": ([0.2, 0.3, 0.5], [0.2, -1.0, 0.5], lambda p: torch.normal(torch.zeros(3), p)),
    "poisson": ([0.2, 0.3, 0.5], [0.2, -1.0, 0.5], torch.poisson),
    "repeat": ([1, 2, 3], [1, 2, 2], lambda r: BESIDE.repeat_interleave(r)),
    "repeat less": ([1, 2, 3], [1, 2, -2], lambda r: BESIDE.repeat_interleave(r)),
    "bincount": ([0, 1, 2], [0, 1, 5], torch.bincount),
    "multi_margin": ([0, 1], [0, 5], lambda y: F.multi_margin_loss(ROWS, y)),
    "classes of pixels": ([[0, 1], [1, 0]], [[0, 1], [2, 0]], lambda y: F.cross_entropy(torch.zeros(2, 2, 2), y)),
    "unpool": ([[[1, 3]]], [[[1, 9]]], lambda i: F.max_unpool1d(torch.ones(1, 1, 2), i, 2)),
    "quantile": (0.5, 1.5, lambda q: torch.quantile(BESIDE, q)),
    "inverse": ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], torch.inverse),
    "cholesky": ([[1.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0], [0.0, 1.0]], torch.linalg.cholesky),
    "eigenvalues": ([[1.0, 0.0], [0.0, 1.0]], [[NAN, NAN], [NAN, NAN]], torch.linalg.eigvalsh),
    "pinv": ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], torch.linalg.pinv),
    "unique": ([1.0, 2.0, 3.0], [1.0, 1.0, 3.0], torch.unique),
    "mask": ([1.0, 2.0, 3.0], [1.0, -1.0, 3.0], lambda v: v[v > 0]),
    "places": ([1.0, 2.0, 3.0], [1.0, 0.0, 3.0], lambda v: v.nonzero()),
    "median": ([1.0, 2.0, 2.0], [NAN, 1.0, 3.0], lambda v: v.median()),
    "division": ([1, 2, 2], [0, 1, 3], lambda v: torch.tensor([5, 6, 7]) // v),
    "power": ([1, 2, 2], [-1, 1, 3], lambda v: torch.tensor([5, 6, 7]) ** v),
    "ties": ([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], lambda v: v.argsort(stable=True)),
    "logcumsumexp": ([1.0, 2.0, 3.0], [-INF, 1.0, INF], lambda v: v.logcumsumexp(0)),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_is_refused_at_the_same_place(name: str) -> None:
    usual, other, asked = CASES[name]
    found: list[list[Any]] = []
    for compiled in (False, True):
        torch.manual_seed(0)
        given, written = torch.tensor(usual), torch.zeros(3)

        def program(given: Any = given, written: Any = written) -> Any:
            written.add_(1)
            return asked(given) * 1

        function: Any = program
        if compiled:
            function = torch.compile(program, backend="replay")
            function._compiled.always = True
        log: list[Any] = []
        for call in range(9):
            given.copy_(torch.tensor(other if call in (4, 5, 7) else usual))
            try:
                log.append(str(function()))
            except (RuntimeError, IndexError, ZeroDivisionError) as error:
                log.append(str(error))
            log.append(written.tolist())
        found.append(log)
    assert found[0] == found[1]
