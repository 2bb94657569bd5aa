"""PyTorch's table of ops and its samples: what agrees with PyTorch goes on agreeing.

floors.toml holds the figures and, op by op, what does not agree yet. `op_samples.py -k <op>` shows why one differs.
"""

from __future__ import annotations

import os

import pytest
from op_samples import CLASSES, MODES, figure_of, read_floors, survey

JOBS = min(4, os.cpu_count() or 1)
RUNS = [("function", [name]) for name in CLASSES] + [
    (mode, ["float64"]) for mode in MODES if mode not in ("function", "error")
]
RUNS.append(("error", list(CLASSES)))


@pytest.mark.parametrize(("mode", "classes"), RUNS, ids=lambda part: part if isinstance(part, str) else "-".join(part))
def test_ops_agree_with_pytorch(mode: str, classes: list[str]) -> None:
    floors = read_floors()
    outcomes = survey(classes, mode, jobs=JOBS)
    assert outcomes
    fallen = []
    for outcome in outcomes:
        if not outcome.agrees and outcome.op not in floors[figure_of(outcome)]["differ"]:
            fallen.append(
                f"{outcome.op}: {outcome.wrong} of {outcome.samples} samples, {outcome.kind}: {outcome.reason}"
            )
    assert not fallen, f"{len(fallen)} ops no longer agree\n" + "\n".join(fallen)
    for name in {figure_of(outcome) for outcome in outcomes}:
        of_it = [outcome for outcome in outcomes if figure_of(outcome) == name]
        assert sum(outcome.agrees for outcome in of_it) >= floors[name]["agree"]
        assert sum(outcome.samples - outcome.wrong for outcome in of_it) >= floors[name]["samples_agree"]


def test_harness_alone_adds_no_difference() -> None:
    """PyTorch against itself, through every conversion."""
    outcomes = [
        outcome
        for pattern, classes in (
            ("linalg.s*", ["float64", "complex128"]),
            ("nn.functional.*pool*", ["float32"]),
            ("index_*", ["integer"]),
        )
        for outcome in survey(classes, pattern=pattern, jobs=JOBS, candidate="mirror")
    ]
    assert len(outcomes) > 30
    assert [outcome.reason for outcome in outcomes if not outcome.agrees] == []
