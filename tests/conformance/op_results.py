"""What op_samples.py found: outcomes by op, the figures they add up to, and the floors under them."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FLOORS = Path(__file__).with_name("floors.toml")


@dataclasses.dataclass
class Outcome:
    """What one op did with one class of inputs: samples taken, of how many, and how the first wrong one was wrong."""

    op: str
    inputs: str
    mode: str
    differentiable: bool
    samples: int = 0
    of: int = 0
    wrong: int = 0
    kind: str = ""
    reason: str = ""
    kinds: dict[str, int] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    captured: int = 0  # samples that torch.compile captured, where they are compiled

    @property
    def agrees(self) -> bool:
        return self.samples > 0 and self.wrong == 0

    @property
    def figure(self) -> str:
        """The figure this counts towards: an op without a derivative counts apart."""
        if self.mode == "forward" and self.inputs == "complex128":
            return "forward, complex128"
        if self.mode != "function":
            return self.mode
        if self.inputs == "integer" or self.differentiable:
            return self.inputs
        return f"{self.inputs}, no derivative"

    def fail(self, kind: str, reason: str) -> None:
        self.wrong += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if not self.kind:
            self.kind, self.reason = kind, reason[:600]

    def __str__(self) -> str:
        verdict = "agrees" if self.agrees else f"{self.wrong} wrong, {self.kind}: {self.reason}"
        taken = f"{self.samples} of {self.of}" if self.samples != self.of else f"{self.samples}"
        return f"{self.op:45} {self.inputs:10} {taken:>12} samples  {verdict}"


@dataclasses.dataclass
class Figure:
    """Ops and samples that agree, of how many."""

    name: str
    ops: int = 0
    agree: int = 0
    samples: int = 0
    samples_agree: int = 0
    differ: list[str] = dataclasses.field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        self.ops += 1
        self.agree += outcome.agrees
        self.samples += outcome.samples
        self.samples_agree += outcome.samples - outcome.wrong
        if not outcome.agrees:
            self.differ.append(outcome.op)

    def __str__(self) -> str:
        ops = f"{self.agree:4} of {self.ops:4} ops agree"
        return f"{self.name:28} {ops}, {self.samples_agree:6} of {self.samples:6} samples"


def figures_in(outcomes: list[Outcome]) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for outcome in outcomes:
        figures.setdefault(outcome.figure, Figure(outcome.figure)).add(outcome)
    return figures


def write_outcomes(path: Path, outcomes: list[Outcome]) -> None:
    figures = {name: dataclasses.asdict(figure) for name, figure in figures_in(outcomes).items()}
    rows = [{**dataclasses.asdict(outcome), "agrees": outcome.agrees} for outcome in outcomes]
    path.write_text(json.dumps({"figures": figures, "ops": rows}, indent=1))


def read_outcomes(path: Path) -> list[Outcome]:
    rows = json.loads(path.read_text())["ops"]
    return [Outcome(**{name: value for name, value in row.items() if name != "agrees"}) for row in rows]


def read_floors() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FLOORS.read_text())


def write_floors(figures: Iterable[Figure]) -> None:
    """Records these figures, and what differs, beside those that the run did not take."""
    floors = read_floors() if FLOORS.exists() else {}
    for figure in figures:
        floors[figure.name] = {**dataclasses.asdict(figure), "differ": sorted(figure.differ)}
    text = ["# Written by the scripts here with --write-floors. What agrees with PyTorch must go on agreeing.\n"]
    for name, floor in floors.items():
        numbers = [f"{key} = {value}\n" for key, value in floor.items() if key not in ("name", "differ")]
        names = "".join(f'    "{op}",\n' for op in floor["differ"])
        text += [f'\n["{name}"]\n', *numbers, f"differ = [\n{names}]\n"]
    FLOORS.write_text("".join(text))
