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
from forking import Forks
from whole_values import Bits, beside, digest

from rushlight.explain.meanings import KNOWN, MEANINGS, functions_in

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
Executed = dict[str, dict[str, dict[str, list[str]]]]
PROGRAMS = sorted((HERE / "programs").glob("*.py")) + sorted((ROOT / "examples").glob("*.py"))


# As `python -m rushlight`; programs that draw numbers without a seed draw the same ones as the plain run does. Both are forked where
# everything is imported that such a run imports first: the imports took most of the time.
AMONG = f"sys.path.insert(1, {str(HERE)!r}); {{}}; del sys.path[1]"
EXPLAINED = f"{AMONG.format('import whole_values')}; whole_values.keep_all(); import rushlight; import rushlight.explain.story"
SEEDED = f"{EXPLAINED}, rushlight.explain.running; rushlight.manual_seed(0); from rushlight.__main__ import main"
explained = Forks(SEEDED, "whole_values.explain", 240)
plainly = Forks(f"{AMONG.format('import plain_values')}; plain_values.begin()", "plain_values.main", 240)


def array(value: Any, bits: Bits) -> Any:
    """The array that a recorded value says: of a sparse layout with its zeros, of a class that has tensors of its own their bytes.

    None where not all of it was kept.
    """
    if value is None:
        return None
    if value.get("parts"):
        parts = {name: array(one, bits) for name, one in value["parts"].items()}
        if value["layout"] is not None:
            return dense(value, parts)
        told = [f"{name}{one.dtype}{one.shape}".encode() + one.tobytes() for name, one in parts.items()]
        return np.frombuffer(b"".join(told), np.uint8)
    dtype = getattr(ml_dtypes, value["dtype"]) if value["dtype"] in ("bfloat16", "complex32") else value["dtype"]
    if value["data"] is None:
        return bits.of(value, dtype) if "bits" in value else None
    return np.array(_numbers(value["data"]), dtype)


def dense(value: dict[str, Any], parts: dict[str, Any]) -> Any:
    """Stored values at their places, those of one place added up."""
    places, whole = tuple(parts["indices"]), np.zeros(value["shape"], parts["values"].dtype)
    if value["layout"] != "sparse_coo":
        rows = np.repeat(np.arange(len(parts["pointers"]) - 1), np.diff(parts["pointers"]))
        places = (rows, parts["indices"]) if value["layout"] == "sparse_csr" else (parts["indices"], rows)
        assert value["layout"] in ("sparse_csr", "sparse_csc")
    np.add.at(whole, places, parts["values"])
    return whole


def _numbers(data: Any) -> Any:
    if isinstance(data, list):
        return [_numbers(one) for one in data]
    if isinstance(data, dict):
        return complex(_numbers(data["re"]), _numbers(data["im"]))
    return float(data) if isinstance(data, str) else data


def same(a: Any, b: Any) -> bool:
    return a is None or b is None or np.array_equal(a.reshape(-1), b.reshape(-1), equal_nan=a.dtype.kind in "fcV")


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
            script = str(HERE / "executed_nodes.py")
            subprocess.run([sys.executable, script, str(out), *map(str, PROGRAMS)], check=True, timeout=900, cwd=ROOT)
    return json.loads(out.read_text())


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_transparent_and_true(program: Path, executed: Executed, tmp_path: Path) -> None:
    out, plain = tmp_path / "out.json", tmp_path / "plain.json"
    told = explained(ROOT, "explain", "-o", str(out), str(program))
    alone = plainly(ROOT, str(plain), str(program))
    assert (told.stdout, told.stderr, told.returncode) == (alone.stdout, alone.stderr, alone.returncode)
    recording, bits = json.loads(out.read_text()), Bits(out)
    for kind in ("sources", "places", "tensors", "nodes"):
        assert [one["id"] for one in recording[kind]] == list(range(len(recording[kind])))
    Sums(recording, bits)
    check_leaves(recording, bits)
    check_matrices(recording)
    check_values(program, recording, plain)
    check_words(recording)
    check_order(program.stem, recording, executed[str(program)])
    beside(out).unlink()  # of all programs a gigabyte, which pytest would keep


def check_words(recording: dict[str, Any]) -> None:
    """Every function that a rule calls is one that a reader knows, or is explained beside it."""
    rules = [rule for node in recording["nodes"] for rule in node["rules"] if rule["generic"] is not None]
    called = {word for rule in rules for word in functions_in(rule["generic"])}
    assert called <= KNOWN | MEANINGS.keys()


SHARED = ("detach", "data")  # of these both sides are one memory


def has_holes(value: dict[str, Any]) -> bool:
    """Whether there are elements that nobody has written yet."""
    return value["data"] is not None and "null" in json.dumps(value["data"])


def check_values(program: Path, recording: dict[str, Any], alone: Path) -> None:
    """Each result, what was written in place with all that lies in its memory, what each node ran with and what each leaf had
    before and behind it, to the last bit as in a run on its own, which has left ``alone``.

    What works on arrays there, and not on tensors, is as in a run of its own with somebody on the stack who only looks on.
    """
    plain = json.loads(alone.read_text())
    tensors, nodes = recording["tensors"], recording["nodes"]
    results, runs, leaves = {}, Counter(), Counter()
    for event in recording["events"]:
        kind = event["kind"]
        if kind in ("op", "write"):
            shared = event["inputs"] if event["op"] in SHARED else []
            if not (kind == "write" and shared):
                made = {
                    digest(tensors[one]["value"]): event for one in event["outputs"] if not has_holes(tensors[one]["value"])
                }
                results |= {one: made[one] for one in made.keys() - {digest(tensors[one]["value"]) for one in shared}}
        elif kind == "run":
            runs[" ".join([nodes[event["node"]]["name"], *map(digest, event["arrived"])])] += 1
        elif kind == "leaf":
            leaves[" ".join(digest(event[key]) for key in ("before", "arrived", "after"))] += 1
    of_arrays = results.keys() - set(plain["values"])
    assert not [results[one] for one in of_arrays if results[one]["kind"] != "op" or results[one]["node"] is not None]
    if of_arrays:
        plainly(ROOT, str(alone), str(program), "looked-on")
        assert not [results[one] for one in of_arrays - set(json.loads(alone.read_text())["values"])]
    assert not runs - Counter(plain["runs"])
    assert not leaves - Counter(plain["leaves"])
    if not recording["limits"]["left_out"]:
        assert leaves.total() == len(plain["leaves"])


class Sums:
    """What arrives at a node is the sum of what was sent to it, with what the pass began with, and what its hooks made of that."""

    def __init__(self, recording: dict[str, Any], bits: Bits) -> None:
        self.nodes, self.tensors, self.left_out = recording["nodes"], recording["tensors"], recording["limits"]["left_out"]
        self.bits = bits
        self.due: dict[tuple[int, int], dict[int, Any]] = defaultdict(dict)  # by pass and node what is to arrive at each output
        self.of_node: list[int] = []  # the outputs that the hooks of a node have yet to tell of
        for event in recording["events"]:
            told = getattr(self, event["kind"], None)
            if told is not None:
                told(event)

    def agree(self, value: Any, wanted: Any, event: dict[str, Any]) -> None:
        found, expected = array(value, self.bits), array(wanted, self.bits)
        assert found is not None and expected is not None, event
        assert same(found, expected) and found.size == expected.size, event

    def backward(self, event: dict[str, Any]) -> None:
        for root in event["roots"] if event["how"] != "dry" else ():
            self.due[event["pass"], root["node"]].setdefault(root["out"], root["gradient"])

    def hook(self, event: dict[str, Any]) -> None:
        due = self.due[event["pass"], event["node"]]
        if event["on"] not in ("tensor", "node") or self.nodes[event["node"]]["variable"] is not None:
            return
        if event["on"] == "tensor":
            out = 0 if event["tensor"] is None else self.tensors[event["tensor"]]["out"]
        else:
            self.of_node = self.of_node or sorted(due)
            out = self.of_node.pop(0)
        if event["before"] is not None and out in due:
            self.agree(event["before"], due[out], event)
        due[out] = event["after"]

    def run(self, event: dict[str, Any]) -> None:
        due, self.of_node = self.due.pop((event["pass"], event["node"]), {}), []
        for out, value in enumerate(event["arrived"]):
            if value is not None and due.get(out) is not None:
                self.agree(value, due[out], event)
            elif value is not None:
                assert self.left_out, event
        for sent in event["sent"]:
            edge = self.nodes[event["node"]]["edges"][sent["edge"]]
            if edge is not None and edge["node"] is not None:
                self.due[event["pass"], edge["node"]][edge["out"]] = sent["sum"]


def check_leaves(recording: dict[str, Any], bits: Bits) -> None:
    """What was in ``.grad`` and what arrived make what is there."""
    for event in recording["events"]:
        if event["kind"] == "leaf":
            values = [event[key] for key in ("before", "arrived", "after")]
            before, arrived, after = (array(one, bits) for one in values)
            assert arrived is not None and after is not None and (before is not None or event["before"] is None), event
            if all(one is None or one.get("layout") == "sparse_coo" for one in values):
                check_stored([one["parts"] for one in values if one is not None], bits)
                continue
            is_summable = before is None or not event["before"].get("parts") or event["before"]["layout"]
            assert is_summable, event  # bytes are not
            total = arrived if before is None else before + arrived
            stretched = after.size != total.size  # the leaf was given another shape since
            assert same(np.broadcast_to(total, after.shape) if stretched else total, after), event


def check_stored(parts: list[dict[str, Any]], bits: Bits) -> None:
    """What arrives of a sparse layout is stored behind what is there."""
    *sent, there = ({name: array(one, bits) for name, one in each.items()} for each in parts)
    assert np.array_equal(np.concatenate([one["indices"] for one in sent], 1), there["indices"])
    assert np.array_equal(np.concatenate([one["values"] for one in sent]), there["values"])


def check_matrices(recording: dict[str, Any]) -> None:
    """v times J is what is shown as v^T J: of the whole program, of each node, and in each link of a chain."""
    rows = []
    for one in recording["jacobians"]:
        rows.append((one["v"], one["J"], one["vJ"]))
        before = one["v"]
        for link in one["chain"]:
            rows.append((before, link["J"], link["row"]))
            before = link["row"]
        if one["chain"]:
            rows.append((before, np.eye(len(before)).tolist(), one["vJ"]))
    for event in recording["events"]:
        rows += [(one["v"], one["J"], one["vJ"]) for one in event.get("local", ())]
    for row in rows:
        v, matrix, product = (np.array(_numbers(one), float) for one in row)
        if np.isfinite(v).all() and np.isfinite(matrix).all():  # inf times zero is no row
            scale = float(
                np.abs(v) @ (np.abs(matrix).max(1, initial=0) + 1e-2)
            )  # a matrix may be nothing but rounding, some 1e-7
            assert v @ matrix == pytest.approx(product, rel=1e-5, abs=1e-5 * scale)


# A program of whose nodes PyTorch's log says the Python class (`CppFunction`), where the node itself says what it is.
OTHER_LOG = {"operators_without_derivatives"}
# A program in which LBFGS tries as often as the last digit tells: PyTorch's own log is shorter with ATEN_CPU_CAPABILITY=default.
ANY_NUMBER_OF_ROUNDS = {"uncertain"}
# PyTorch has a kernel for a whole layer on some processors, which is one node.
BY_LAYER = "MkldnnRnnLayerBackward0"


def check_order(name: str, recording: dict[str, Any], executed: dict[str, dict[str, list[str]]]) -> None:
    """The nodes in the order of PyTorch's log, in each thread, as far as the recording goes."""
    theirs = executed["ran"]
    assert (executed["log"] == theirs) == (name not in OTHER_LOG)
    ours, behind = ran(recording)
    if theirs.get("MainThread", [""])[-1].startswith("("):
        theirs["MainThread"].pop()
    theirs = {thread: names for thread, names in theirs.items() if names}
    check_topological(recording)
    if recording["limits"]["gap"] is not None:
        assert ours.keys() == behind.keys() == theirs.keys() == {"MainThread"}
        first, last, whole = ours["MainThread"], behind["MainThread"], theirs["MainThread"]
        assert first == whole[: len(first)] and last == whole[-len(last) :]
        assert last and len(first) + len(last) < len(whole)  # the last pass is there
        return
    if BY_LAYER in theirs.get("MainThread", []) and BY_LAYER not in ours["MainThread"]:
        assert name == "autocast_lstm"
        return
    if name in ANY_NUMBER_OF_ROUNDS:
        ours, theirs = ({thread: in_rounds(names) for thread, names in one.items()} for one in (ours, theirs))
    assert ours == theirs


def ran(recording: dict[str, Any]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The names of the nodes that ran by thread, before the gap of a long recording and behind it."""
    before: dict[str, list[str]] = defaultdict(list)
    behind: dict[str, list[str]] = defaultdict(list)
    threads = {event["pass"]: event["thread"] for event in recording["events"] if event["kind"] == "backward"}
    nodes, last, gap = recording["nodes"], None, recording["limits"]["gap"]
    for event in recording["events"]:
        found = (before if gap is None or event["n"] < gap else behind)[threads.get(event["pass"], "MainThread")]
        if event["kind"] == "leaf" or (event["kind"] == "run" and any(event["arrived"])):
            found.append("AccumulateGrad" if event["kind"] == "leaf" else nodes[event["node"]]["name"])
        elif event["kind"] == "error" and event["pass"] is not None and event["node"] not in (None, last):
            # It ran, too; or a hook gave back too much, which is found when all were called.
            raised = nodes[event["node"]]["name"]
            if raised in ("AccumulateGrad", "NotImplemented", "BackwardHookFunctionBackward"):
                found.append(raised)
        last = event.get("node", last)
    return {thread: names for thread, names in before.items() if names}, dict(behind)


def in_rounds(names: list[str]) -> list[str]:
    """Without the first pass where it comes again and again: LBFGS's rounds are one pass, as often as it tries."""
    rounds = 0
    length = names.index(names[0], names.index("PowBackward0"))
    while names[rounds * length : (rounds + 1) * length] == names[:length]:
        rounds += 1
    assert rounds > 1
    return names[(rounds - 1) * length :]


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
