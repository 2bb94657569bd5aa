"""Under explain every program prints what it prints without, and what is recorded of it adds up."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from plain_values import digest
from whole_values import bits_of

ROOT = Path(__file__).parents[2]
Executed = dict[str, dict[str, list[str]]]
PROGRAMS = sorted((ROOT / "tests" / "conformance" / "programs").glob("*.py")) + sorted((ROOT / "examples").glob("*.py"))


def run(*words: str) -> tuple[str, str, int]:
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
    )
    return done.stdout, done.stderr, done.returncode


def array(value: Any) -> Any:
    """The array that a recorded value says; None where not all of it was kept."""
    if value is None:
        return None
    dtype = ml_dtypes.bfloat16 if value["dtype"] == "bfloat16" else value["dtype"]
    if value["data"] is None:
        return bits_of(value, dtype) if "bits" in value else None
    return np.array(_numbers(value["data"]), dtype)


def _numbers(data: Any) -> Any:
    if isinstance(data, list):
        return [_numbers(one) for one in data]
    if isinstance(data, dict):
        return complex(_numbers(data["re"]), _numbers(data["im"]))
    return float(data) if isinstance(data, str) else data


def same(a: Any, b: Any) -> bool:
    return a is None or b is None or np.array_equal(a.reshape(-1), b.reshape(-1), equal_nan=a.dtype.kind in "fcV")


# As `python -m rushlight`; programs that draw numbers without a seed draw the same ones as the plain run does.
SEEDED = f"""
import sys
sys.path.insert(1, {str(ROOT / "tests" / "conformance")!r})
from whole_values import keep_all
del sys.path[1]
keep_all()
import rushlight
from rushlight.__main__ import main
rushlight.manual_seed(0)
main()
"""


@pytest.fixture(scope="session")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Executed:
    """The nodes that PyTorch ran, by program, as its log has them and as they are.

    Of tests that run side by side the first finds out, the others read it.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    out = folder / "executed.json"
    with open(folder / "executed.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            script = str(ROOT / "tests" / "conformance" / "executed_nodes.py")
            subprocess.run([sys.executable, script, str(out), *map(str, PROGRAMS)], check=True, timeout=900, cwd=ROOT)
    return json.loads(out.read_text())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_transparent_and_true(program: Path, executed: Executed, tmp_path: Path) -> None:
    out, plain = tmp_path / "out.json", tmp_path / "plain.json"
    explained = run("-c", SEEDED, "explain", "-o", str(out), str(program))
    assert explained == run(str(ROOT / "tests" / "conformance" / "plain_values.py"), str(plain), str(program))
    recording = json.loads(out.read_text())
    for kind in ("sources", "places", "tensors", "nodes"):
        assert [one["id"] for one in recording[kind]] == list(range(len(recording[kind])))
    check_sums(recording)
    check_leaves(recording)
    for one in recording["jacobians"]:
        v, matrix, row = (np.array(_numbers(one[key]), float) for key in ("v", "J", "vJ"))
        if np.isfinite(v).all() and np.isfinite(matrix).all():  # inf times zero is no row
            assert v @ matrix == pytest.approx(row, rel=1e-4, abs=1e-5)
    check_values(recording, json.loads(plain.read_text()))
    check_order(program.stem, recording, executed[str(program)])


def check_values(recording: dict[str, Any], plain: dict[str, Any]) -> None:
    """Each result that the graph has, what each node ran with and what each leaf had, to the last bit as in a run on its own.

    What a line writes in place is compared where it goes on: kernels that write in place are none of those where a plain run notes
    its values.
    """
    tensors, nodes = recording["tensors"], recording["nodes"]
    written = {event["place"] for event in recording["events"] if event["kind"] == "write"}
    refused = {event["node"] for event in recording["events"] if event["kind"] == "error"}  # such a node may run no rule
    results, runs, leaves = set(), Counter(), Counter()
    for event in recording["events"]:
        if event["kind"] == "op" and event["node"] is not None and event["place"] not in written:
            results |= {digest(tensors[one]["value"]) for one in event["outputs"]}
        elif event["kind"] == "run" and event["node"] not in refused:
            runs[nodes[event["node"]]["name"], *map(digest, event["arrived"])] += 1
        elif event["kind"] == "leaf":
            leaves[digest(event["arrived"]), digest(event["after"])] += 1
    assert not results - set(plain["values"])
    assert not runs - Counter(map(tuple, plain["runs"]))
    assert not leaves - Counter(map(tuple, plain["leaves"]))
    if not recording["limits"]["left_out"]:
        assert leaves.total() == len(plain["leaves"])


def check_sums(recording: dict[str, Any]) -> None:
    """What arrives at a node is the sum of what was sent to it, and what its hooks made of that."""
    sums: dict[tuple[int, int, int], Any] = {}
    hooked: set[tuple[int, int]] = set()
    roots: set[tuple[int, int, int]] = set()
    for event in recording["events"]:
        if event["kind"] == "backward":
            roots |= {(event["pass"], one["node"], one["out"]) for one in event["roots"]}
        if event["kind"] == "hook":
            hooked.add((event["pass"], event["node"]))
        if event["kind"] != "run":
            continue
        for out, value in enumerate(event["arrived"]):
            expected = sums.pop((event["pass"], event["node"], out), None)
            if value is not None and (event["pass"], event["node"]) not in hooked:
                is_root = (event["pass"], event["node"], out) in roots
                assert expected is not None or is_root or recording["limits"]["left_out"], event
                assert expected is None or same(array(value), array(expected)), event
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


# Programs in which nodes differ from PyTorch's, and why: the test of the reason's name shows it. All others agree.
OTHER_ORDER = {"masked_tensors": "masked_tensors"}
# Where what a `grad` is given comes from a graph around it. PyTorch's graphs of the two lie above each other, here one goes on.
ENTRANCE = "Entrance"
# A program of whose nodes PyTorch's log says the Python class (`CppFunction`), where the node itself says what it is.
OTHER_LOG = {"operators_without_derivatives"}
# The nodes are the same, but not the order: as threads happen to take turns; as often as LBFGS tries, which the last digit tells.
UNDECIDED = {"threads", "uncertain"}
# PyTorch has a kernel for a whole layer on some processors, which is one node.
BY_LAYER = "MkldnnRnnLayerBackward0"


def check_order(name: str, recording: dict[str, Any], executed: dict[str, list[str]]) -> None:
    """The nodes in the order of PyTorch's log, as far as the recording goes."""
    theirs = executed["ran"]
    if name not in UNDECIDED:
        assert (executed["log"] == theirs) == (name not in OTHER_LOG)
    nodes, ran, last, before_gap = recording["nodes"], [], None, 0
    for event in recording["events"]:
        if event["n"] == recording["limits"]["gap"]:
            before_gap = len(ran)
        if event["kind"] == "leaf" or (event["kind"] == "run" and any(event["arrived"])):
            name_of_node = "AccumulateGrad" if event["kind"] == "leaf" else nodes[event["node"]]["name"]
            ran += [name_of_node] if name_of_node != ENTRANCE else []
        elif event["kind"] == "error" and event["pass"] is not None and event["node"] not in (None, last):
            raised = nodes[event["node"]][
                "name"
            ]  # it ran, too; or a hook gave back too much, which is found when all were called
            ran += [raised] if raised in ("AccumulateGrad", "NotImplemented", "BackwardHookFunctionBackward") else []
        last = event.get("node", last)
    if theirs and theirs[-1].startswith("("):
        theirs = theirs[:-1]
    if recording["limits"]["gap"] is not None:
        assert ran[:before_gap] == theirs[:before_gap] and ran[before_gap:] == theirs[before_gap - len(ran) :]
        assert before_gap < len(ran) < len(theirs)  # the last pass is there
        return
    check_topological(recording)
    if name in UNDECIDED:
        assert set(ran) == set(theirs)
        return
    if BY_LAYER in theirs and BY_LAYER not in ran:
        assert name == "autocast_lstm"
        return
    assert (ran == theirs) == (name not in OTHER_ORDER), OTHER_ORDER.get(name)
    assert ran.count("AccumulateGrad") == theirs.count("AccumulateGrad")


def check_topological(recording: dict[str, Any]) -> None:
    """In each pass a node runs once, behind all nodes that send to it: whatever the names, the order is one of the graph's."""
    nodes, order = recording["nodes"], defaultdict(list)
    for event in recording["events"]:
        if event["kind"] == "run":
            order[event["pass"]].append(event["node"])
    for ran in order.values():
        at = {number: position for position, number in enumerate(ran)}
        assert len(at) == len(ran)
        for number in ran:
            targets = [edge["node"] for edge in nodes[number]["edges"] if edge is not None]
            assert all(at[number] < at[target] for target in targets if target in at)
