"""What a program does on a side, line by line, and whether two sides do the same.

After each line the raised error (type, first sentence) or the value made must agree; at the end every tensor, every gradient
and everything else that the program holds. On the side under test nothing that the program holds may change but by a write.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import pickle
import re
import signal
import types
from typing import Any

import numpy as np
import torch
from op_samples import OutOfTime
from program_functions import functions_of
from program_held import EXPORTS, Asked, Held, assigned, keeps_gradient, node_name
from sides import Side, Tolerance, array_difference, tolerance_for

SECONDS_PER_PROGRAM = 20


@functools.lru_cache(4096)
def compiled(line: str) -> types.CodeType:
    return compile(line, "<program>", "exec")


@dataclasses.dataclass(frozen=True)
class Seen:
    """A tensor as it was when looked at."""

    values: np.ndarray
    facts: dict[str, Any]


def look(side: Side, value: Any, gradient: bool = False, born: int = 0) -> Any:
    """A tensor's values and place in the graph.

    How a gradient was computed is the engine's own business: PyTorch has nodes of their own for second derivatives
    (TanhBackwardBackward0), rushlight records the rule's operations. So of a gradient's node only its presence counts.
    Versions count from the one that the tensor was born with: some of PyTorch's ops write into their own results.
    """
    if isinstance(value, list):
        return [look(side, item, gradient=True) for item in value]
    if isinstance(value, EXPORTS):
        array = np.array(value)
        return Seen(array, {"made": type(value).__name__, "dtype": str(array.dtype), "shape": array.shape})
    if not side.is_tensor(value):
        return value if isinstance(value, bool | int | float | type(None)) else type(value).__name__
    facts = {"dtype": str(value.dtype), "shape": tuple(value.shape), "grad_fn": node_name(value)}
    if not isinstance(facts["grad_fn"], Exception):
        facts |= {
            "requires_grad": bool(value.requires_grad),
            "is_leaf": bool(value.is_leaf),
        }
        if gradient:
            facts["grad_fn"] = facts["grad_fn"] is not None
        else:
            facts |= {"_version": version_of(value) - born, "is a view": value._is_view()}
    return Seen(side.array(value), facts)


def version_of(tensor: Any) -> int:
    """Its version; -1 where none is counted."""
    return -1 if tensor.is_inference() else int(tensor._version)


@dataclasses.dataclass
class Step:
    """What one line did: the error it raised, or what its names stand for."""

    error: Exception | None
    made: dict[str, Any]


class Difference(Exception):
    """The two sides disagree: in what, in which line, and how.

    `proof` says how PyTorch itself is brought to do what the other side did.
    """

    proof: str | None = None

    def __init__(self, kind: str, place: str, detail: str) -> None:
        super().__init__(kind, place, detail)
        self.kind, self.place, self.detail = kind, place, detail

    def what(self) -> str:
        """The kind; for an error also its text, less the numbers and addresses in it."""
        if self.kind in ("error", "no error", "raises", "missing", "look"):
            return f"{self.kind}: " + re.sub(r"0x\w+|-?\d+(\.\d+)?", "#", self.detail)
        return self.kind


# What these hand out has been computed in a way of the engine's own: which views and copies it went through is not compared.
TRANSFORMS = re.compile(r"torch\.func\.|vmap\(|autograd\.f|torch\._foreach_\w*[a-z]\(")
DERIVED = re.compile(r"grad\(|" + TRANSFORMS.pattern)


class Running:
    """A program on a side, as far as it has been run."""

    threads = 1  # of the side under test

    def __init__(self, side: Side) -> None:
        self.side = side
        self.space: dict[str, Any] = {"torch": side.module, "numpy": np, "copy": copy, "pickle": pickle}
        self.space.update(functions_of(side.module), turn=turn, nudge=nudge)
        self.steps: list[Step] = []
        self.gradients: set[str] = set()
        self.born: dict[str, int] = {}
        # PyTorch may write to what a program holds.
        self.held = Asked(side) if side.module is torch else Held(side)
        side.module.set_num_threads(1 if side.module is torch else self.threads)
        side.module.set_grad_enabled(True)

    def take(self, line: str) -> Step:
        """Runs one more line, and tells what it did."""
        error = self._execute(line)
        made = () if error is not None else assigned(line)
        if made and (DERIVED.search(line) or line.endswith(".grad") or follows_layout(line, self.gradients)):
            self.gradients.update(made)
        self.born.update({name: version_of(self.space[name]) for name in made if self.side.is_tensor(self.space.get(name))})
        self.steps.append(Step(error, {name: self._look(name) for name in made}))
        return self.steps[-1]

    def _execute(self, line: str) -> Exception | None:
        error = None
        self.held.before(self.space, line)
        try:
            exec(compiled(line), self.space)
        except Exception as raised:
            error = raised
        changed = self.held.changed(self.space, line)
        if changed is not None:
            raise Difference("held", line, f"{changed} has changed")
        return error

    def _look(self, name: str) -> Any:
        return look(self.side, self.space.get(name), name in self.gradients, self.born.get(name, 0))

    def end(self) -> dict[str, Any]:
        """What there is now, gradients included."""
        found: dict[str, Any] = {}
        for name, value in self.space.items():
            if self.side.is_tensor(value):
                found[name] = self._look(name)
                if keeps_gradient(value):
                    found[f"{name}.grad"] = look(self.side, value.grad, gradient=True)
            elif isinstance(value, (list, *EXPORTS)):
                found[name] = look(self.side, value)
        return found


Run = tuple[list[Step], dict[str, Any]]


def run(side: Side, lines: list[str], way: type[Running] = Running) -> Run:
    """What each line did on a side, and what there is in the end."""
    running = way(side)
    for line in lines:
        running.take(line)
    return running.steps, running.end()


_VIEWS_AND_COPIES = (
    None, "T", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "broadcast_to", "chunk", "contiguous", "data",
    "detach", "diagonal", "expand", "expand_as", "flatten", "hsplit", "mT", "meshgrid", "movedim", "narrow", "permute",
    "repeat_interleave", "reshape", "reshape_as", "rot90", "select", "split", "squeeze", "swapaxes", "swapdims", "t",
    "tensor_split", "to", "transpose", "type_as", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "vsplit",
)  # fmt: skip


def follows_layout(line: str, gradients: set[str]) -> bool:
    """Whether a line makes a view or a copy of a gradient, depending on how that lies in memory: not what is compared."""
    if not gradients or not set(re.findall(r"\b[a-z]\d?\b", line)) & gradients:
        return False
    method = re.search(r"\w\.(\w+)|\w\[", line.partition(" = ")[2])
    return method is not None and method[1] in _VIEWS_AND_COPIES


def first_sentence(error: Exception) -> str:
    """Without what else it says; versions as how far they are apart, for gradients are not born with the same."""
    text = _VERSIONS.sub(lambda found: f"is {int(found[1]) - int(found[2])} versions too late", str(error).strip())
    return re.split(r"(?<=\.)\s|\n", text, maxsplit=1)[0].strip()


_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


NONE = Tolerance(0.0, 0.0)


def compare_step(line: str, ours: Step, theirs: Step, least: Tolerance = NONE) -> None:
    if theirs.error is None and ours.error is None:
        for name, reference in theirs.made.items():
            compare_value(line, name, ours.made[name], reference, least)
    elif theirs.error is None:
        assert ours.error is not None
        kind = "missing" if isinstance(ours.error, AttributeError | ImportError | NotImplementedError) else "raises"
        raise Difference(kind, line, f"{type(ours.error).__name__}: {first_sentence(ours.error)}")
    elif ours.error is None:
        raise Difference("no error", line, f"{type(theirs.error).__name__}: {first_sentence(theirs.error)}")
    else:
        mine, reference = (f"{type(e).__name__}: {first_sentence(e)}" for e in (ours.error, theirs.error))
        if mine != reference:
            raise Difference("error", line, f"{mine!r} for {reference!r}")


def compare_value(line: str, name: str, mine: Any, reference: Any, least: Tolerance = NONE) -> None:
    kind = "grad" if name.endswith(".grad") else "value"
    if isinstance(reference, list):
        if not isinstance(mine, list) or len(mine) != len(reference):
            raise Difference(kind, line, f"{name}: {mine!r} for a list of {len(reference)}")
        for i, (ours, theirs) in enumerate(zip(mine, reference, strict=True)):
            compare_value(line, f"{name}[{i}]", ours, theirs, least)
        return
    if isinstance(reference, float) and isinstance(mine, float):
        mine, reference = Seen(np.float32(mine), {"dtype": "float32"}), Seen(np.float32(reference), {"dtype": "float32"})
    if not isinstance(reference, Seen):
        if isinstance(mine, Seen) or mine != reference:
            raise Difference(kind, line, f"{name}: {mine!r} for {reference!r}")
        return
    if not isinstance(mine, Seen):
        raise Difference(kind, line, f"{name}: {mine!r} for a tensor")
    for fact, expected in reference.facts.items():
        found = mine.facts.get(fact)
        if isinstance(expected, Exception) and isinstance(found, Exception):
            compare_step(line, Step(found, {}), Step(expected, {}))
        elif found != expected:
            raise Difference(fact, line, f"{name}: {found!r} for {expected!r}")
    tolerance = tolerances(str(reference.facts["dtype"]), reference.values, least)
    difference = array_difference(_parts(mine.values), _parts(reference.values), tolerance)
    if difference is not None:
        raise Difference(kind, line, f"{name}: {difference}")


def tolerances(dtype: str, values: np.ndarray, least: Tolerance) -> Tolerance:
    """As for derivatives, and no less than one given; half precision rounds after each op."""
    own = HALF if dtype in ("torch.bfloat16", "torch.float16") else tolerance_for(values.dtype, order=1)
    return max(own, least, key=lambda tolerance: tolerance.relative) if values.dtype.kind in "fc" else own


HALF = Tolerance(0.02, 0.02)


def _parts(values: np.ndarray) -> np.ndarray:
    """Complex numbers with a part that is not finite as nan: which parts are is an accident of how they were multiplied."""
    if values.dtype.kind != "c":
        return values
    return np.where(np.isfinite(values), values, complex("nan+nanj"))


def judge(lines: list[str], ours: Run, theirs: Run, least: Tolerance = NONE) -> Difference | None:
    try:
        for line, mine, reference in zip(lines, ours[0], theirs[0], strict=True):
            if reference.error is not None and "can't allocate memory" in str(reference.error):
                return None  # how much there is, is no part of the program, and what follows would need its result
            compare_step(line, mine, reference, least)
        for name, expected in theirs[1].items():
            compare_value("the end", name, ours[1].get(name, "nothing"), expected, least)
    except Difference as found:
        return found
    except Exception as error:
        return Difference("look", "the end", f"{type(error).__name__}: {first_sentence(error)}")
    return None


def difference(lines: list[str], candidate: Side, theirs: Run | None = None) -> Difference | None:
    """None where both sides agree on the whole program; what PyTorch does may be known already."""
    theirs = run(Side(torch), lines) if theirs is None else theirs
    signal.alarm(SECONDS_PER_PROGRAM)
    try:
        ours = run(candidate, lines)
    except Difference as found:
        return found
    except OutOfTime:
        return Difference("time", "the program", f"more than {SECONDS_PER_PROGRAM} s")
    except Exception as error:
        return Difference("look", "the end", f"{type(error).__name__}: {first_sentence(error)}")
    finally:
        signal.alarm(0)
    return judge(lines, ours, theirs)


def turn(value: Any) -> None:
    """Gives a tensor's zeros, and what is no number, the other sign; of complex numbers those of their parts."""
    if isinstance(value, torch.Tensor) and value.is_complex() and not value.is_conj():
        turn(torch.view_as_real(value.data))
    elif isinstance(value, torch.Tensor) and value.is_floating_point():
        # -x of a nan of bfloat16 is itself.
        bits = value.data.view({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[value.itemsize])
        bits.copy_(torch.where((value.data == 0) | value.data.isnan(), bits ^ torch.iinfo(bits.dtype).min, bits))


def nudge(value: Any, seed: int) -> None:
    """Moves a tensor's numbers by a last digit, or not: equal ones alike."""
    if (
        not isinstance(value, torch.Tensor)
        or not (value.is_floating_point() or value.is_complex())
        or value.layout is not torch.strided
    ):
        return
    plain = value.detach().resolve_conj().resolve_neg()
    numbers = (torch.view_as_real(plain) if value.is_complex() else plain).to(torch.float64)
    scattered = (numbers.view(torch.int64) * 0x9E3779B97F4A7C1 + seed * 0x2545F4914F6CDD1D % 2**62) >> 40
    moved = numbers * (1 + (scattered % 3 - 1).to(torch.float64) * torch.finfo(value.dtype).eps)
    moved = torch.view_as_complex(moved) if value.is_complex() else moved
    with contextlib.suppress(RuntimeError):  # where elements share places
        value.data.copy_(moved)
