"""PyTorch's table of ops and its samples: what agrees with PyTorch goes on agreeing.

floors.toml holds the figures and, op by op, what does not agree yet. `op_samples.py -k <op>` shows why one differs, and
`op_samples.py --write-floors` records what was gained.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from op_results import Outcome, figures_in, read_floors, read_outcomes
from op_samples import CLASSES, MODES, judge, load_candidate, ops

Script = Callable[..., subprocess.CompletedProcess[str]]
RUNS = [("function", name) for name in CLASSES] + [(mode, "") for mode in MODES if mode != "function"]


def outcomes_of(run_script: Script, out: Path, *arguments: str) -> list[Outcome]:
    done = run_script("op_samples.py", "--json", str(out), *arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    return read_outcomes(out)


def fallen(outcomes: list[Outcome], record: Callable[[str], None]) -> list[str]:
    """What does not agree any more; the figures are recorded."""
    figures, floors = figures_in(outcomes), read_floors()
    assert figures
    lines = []
    for name, figure in figures.items():
        record(str(figure))
        floor = floors[name]
        differ = set(figure.differ) - set(floor["differ"])
        lines += [str(outcome) for outcome in outcomes if outcome.op in differ and outcome.figure == name]
        if figure.agree < floor["agree"] or figure.samples_agree < floor["samples_agree"]:
            lines.append(f"{figure}; were {floor['agree']} ops, {floor['samples_agree']} samples")
    return lines


@pytest.mark.parametrize(("mode", "inputs"), RUNS, ids=lambda part: part or "all")
def test_ops_agree_with_pytorch(
    mode: str, inputs: str, run_script: Script, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chosen = ["--mode", mode, *(["--dtype", inputs] if inputs else [])]
    outcomes = outcomes_of(run_script, tmp_path / "ops.json", *chosen)
    lines = fallen(outcomes, lambda figure: record_property("figure", figure))
    assert not lines, "no longer as PyTorch has it:\n" + "\n".join(lines)


@pytest.mark.parametrize("inputs", ["float32", "float64", "complex128"])
def test_what_is_done_for_large_arrays_agrees_too(
    inputs: str, run_script: Script, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    outcomes = outcomes_of(run_script, tmp_path / "ops.json", "--as-if-large", "--dtype", inputs)
    lines = fallen(outcomes, lambda figure: record_property("figure", f"as if large: {figure}"))
    assert not lines, "not as PyTorch has it where arrays are large:\n" + "\n".join(lines)


def test_numpys_kernels_agree_alone(run_script: Script, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    outcomes = outcomes_of(run_script, tmp_path / "ops.json", "--kernels=numpy", "--dtype", "float32")
    lines = fallen(outcomes, lambda figure: record_property("figure", f"NumPy's kernels: {figure}"))
    assert not lines, "not as PyTorch has it without compiled kernels:\n" + "\n".join(lines)


def test_compiled_ops_agree_with_pytorch(
    run_script: Script, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """One sample of each op; without `--samples 1` `op_samples.py --compiled` takes them all."""
    outcomes = outcomes_of(run_script, tmp_path / "ops.json", "--compiled", "--samples", "1", "--dtype", "float64")
    floors = read_floors()
    for figure in figures_in(outcomes).values():
        record_property("figure", f"compiled: {figure}")
    lines = [str(one) for one in outcomes if not one.agrees and one.op not in floors[one.figure]["differ"]]
    assert not lines, "compiled not as PyTorch has it:\n" + "\n".join(lines)
    assert sum(one.captured for one in outcomes) > len(outcomes) / 2


def test_thresholds_that_are_gone_are_noticed() -> None:
    code = """
import as_if_large
as_if_large.THRESHOLDS["base.thread_state"] = {"NO_SUCH_THRESHOLD": 1}
as_if_large.install()
assert as_if_large.is_installed()
import rushlight
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent)
    assert "no longer assigns NO_SUCH_THRESHOLD" in done.stderr


def test_the_harness_adds_no_difference(run_script: Script, tmp_path: Path) -> None:
    """PyTorch against itself, through every conversion."""
    for number, chosen in enumerate(
        (
            ("-k", "linalg.s*", "--dtype", "float64", "--dtype", "complex128"),
            ("-k", "nn.functional.*pool*", "--dtype", "float32"),
            ("-k", "index_", "--dtype", "integer"),
            ("-k", "index_", "--mode", "inplace"),
        )
    ):
        outcomes = outcomes_of(run_script, tmp_path / f"{number}.json", "--candidate", "mirror", *chosen)
        assert len(outcomes) >= 4
        assert [str(outcome) for outcome in outcomes if not outcome.agrees] == []


WRONG: dict[str, tuple[Callable[..., object], str]] = {
    "sin": (lambda x: torch.sin(x) * (1 + 3e-5), "value"),
    "cos": (lambda x: torch.cos(x).to(torch.float32), "dtype"),
    "tanh": (lambda x: torch.tanh(x).detach(), "requires_grad"),
    "exp": (lambda x: torch.exp(x).detach() + 0 * x, "grad"),
    "tan": (lambda x: torch.tan(x.detach()) + (x - x.detach()) * (1 + torch.tan(x.detach()) ** 2), "gradgrad"),
    "neg": (lambda x: -x.reshape(-1), "shape"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_op_is_found(name: str) -> None:
    function, kind = WRONG[name]
    side = load_candidate("mirror")
    setattr(side.module, name, function)
    (op,) = [op for op in ops(name) if op.full_name == name]
    outcome = judge(op, "float64", "function", side, most=60)
    assert outcome is not None
    assert (outcome.agrees, outcome.kind) == (False, kind), str(outcome)
