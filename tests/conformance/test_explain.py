"""Under explain every program prints what it prints without, and what is recorded of it adds up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "tests" / "conformance" / "programs").glob("*.py")) + sorted((ROOT / "examples").glob("*.py"))


def run(*words: str) -> tuple[str, str, int]:
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", *words],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
    )
    return done.stdout, done.stderr, done.returncode


def array(value: Any) -> Any:
    """The array that a recorded value says; None where not all of it was kept."""
    if value is None or value["data"] is None:
        return None
    return np.array(_numbers(value["data"]), value["dtype"])


def _numbers(data: Any) -> Any:
    if isinstance(data, list):
        return [_numbers(one) for one in data]
    if isinstance(data, dict):
        return complex(_numbers(data["re"]), _numbers(data["im"]))
    return float(data) if isinstance(data, str) else data


def same(a: Any, b: Any) -> bool:
    return a is None or b is None or np.array_equal(a.reshape(-1), b.reshape(-1), equal_nan=a.dtype.kind in "fc")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_transparent_and_true(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run("explain", "-o", str(out), str(program)) == run(str(program))
    recording = json.loads(out.read_text())
    check_sums(recording)
    check_leaves(recording)
    for one in recording["jacobians"]:
        v, matrix, row = (np.array(_numbers(one[key]), float) for key in ("v", "J", "vJ"))
        if np.isfinite(v).all() and np.isfinite(matrix).all():  # inf times zero is no row
            assert v @ matrix == pytest.approx(row, rel=1e-4, abs=1e-5)


def check_sums(recording: dict[str, Any]) -> None:
    """What arrives at a node is the sum of what was sent to it, and what its hooks made of that."""
    sums: dict[tuple[int, int, int], Any] = {}
    hooked: set[tuple[int, int]] = set()
    for event in recording["events"]:
        if event["kind"] == "hook":
            hooked.add((event["pass"], event["node"]))
        if event["kind"] != "run":
            continue
        for out, value in enumerate(event["arrived"]):
            expected = sums.pop((event["pass"], event["node"], out), None)
            if (event["pass"], event["node"]) not in hooked and expected is not None:
                assert same(array(value), array(expected)), event
        for sent in event["sent"]:
            edge = recording["nodes"][event["node"]]["edges"][sent["edge"]]
            if edge is not None and edge["node"] is not None:
                sums[event["pass"], edge["node"], edge["out"]] = sent["sum"]


def check_leaves(recording: dict[str, Any]) -> None:
    """What was in ``.grad`` and what arrived make what is there."""
    for event in recording["events"]:
        if event["kind"] == "leaf":
            before, arrived, after = (array(event[key]) for key in ("before", "arrived", "after"))
            if arrived is not None and (before is not None or event["before"] is None):
                total = arrived if before is None else before + arrived
                stretched = after is not None and after.size != total.size  # the leaf was given another shape since
                assert same(np.broadcast_to(total, after.shape) if stretched else total, after), event


# Programs that were held against PyTorch's log and agree; others differ, or have not been tried.
LOGGED = (
    "accumulation as_a_script backward_twice batched_grads bfloat16 checked_conditions clamp_where_lerp "
    "compiled_modules complex_gradients complex_numbers conversions copies_and_pickles creation "
    "custom_function_context data_loading detach_and_data dlpack einsum element_write empty_batches errors_backward "
    "errors_index errors_inplace errors_of_arguments errors_shapes exits_with_code exits_with_error "
    "finite_differences flexible_attention foreign_operands four_ways fused_normalization gan gather_scatter "
    "grad_fn_names grad_modes gradient_graphs gradients_that_do_not_exist graph_walk hooks_order hooks_raise"
).split()
EXAMPLES = ("backward", "custom_function", "graph", "hessian", "polynomial", "xor_net")


@pytest.mark.parametrize(
    "path", [*(f"tests/conformance/programs/{one}.py" for one in LOGGED), *(f"examples/{one}.py" for one in EXAMPLES)]
)
def test_nodes_run_in_the_order_of_pytorchs_log(path: str, tmp_path: Path) -> None:
    program = str(ROOT / path)
    log, out = tmp_path / "log.txt", tmp_path / "out.json"
    script = str(ROOT / "tests" / "conformance" / "executed_nodes.py")
    subprocess.run([sys.executable, script, str(log), program], capture_output=True, timeout=240, cwd=ROOT)
    run("explain", "-o", str(out), program)
    recording = json.loads(out.read_text())
    nodes = recording["nodes"]
    events = (event for event in recording["events"] if event["kind"] in ("run", "leaf"))
    assert [
        nodes[one["node"]]["name"] if one["kind"] == "run" else "AccumulateGrad" for one in events
    ] == log.read_text().split()
