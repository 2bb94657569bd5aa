"""Random programs do on rushlight what they do on PyTorch: values, gradients, graphs and errors.

`random_programs.py --count 10000` takes more of them, and shows each cause of a difference with a short program.
"""

from __future__ import annotations

import datetime
import functools
import random
import re
import subprocess
from collections.abc import Callable

import numpy as np
import pytest
import torch
import watched_programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from known_differences import known, writes_to_shared_places
from op_results import read_floors
from op_samples import load_candidate
from program_proofs import agrees_by, coarsest, proof
from program_seldom import SeldomHoles
from program_sides import HALF, nudge, turn
from random_programs import FIGURE, Failure, difference, write_program

# Programs divide by zero and build cycles on purpose; their warnings are not what is compared.
pytestmark = pytest.mark.filterwarnings("ignore")
Script = Callable[..., subprocess.CompletedProcess[str]]


def test_programs_from_fixed_seeds_agree(run_script: Script, record_property: Callable[[str, object], None]) -> None:
    floor = read_floors()[FIGURE]
    done = run_script("random_programs.py", "--count", str(floor["ops"]), "--causes", "20")
    counted = re.search(r"(\d+) of (\d+) programs agree", done.stdout)
    assert counted, done.stderr[-3000:]
    record_property("figure", f"{FIGURE:28} {counted[1]} of {counted[2]} agree")
    assert int(counted[1]) >= floor["agree"], done.stdout[-20_000:]


@settings(max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_drawn_programs_agree(draw: random.Random) -> None:
    """Hypothesis draws the programs, and cuts a failing one down."""
    torch.set_num_threads(1)
    lines = write_program(draw, length=draw.randint(2, 12))
    with np.errstate(all="ignore"):
        found = difference(lines, load_candidate("rushlight"))
    assert found is None, str(Failure(0, found, lines))


# Fresh programs each day. Each difference in numbers is proved to be PyTorch's or rounding, or is in known_differences.py. What nobody
# knew of comes up once in some 1,000 programs and is printed: it is no change's fault, as more than ten on a day are.
FRESH, FOUND_ON_A_DAY = 5000, 10


def test_fresh_programs_compute_the_same(run_script: Script, record_property: Callable[[str, object], None]) -> None:
    seed = 10_000 * datetime.date.today().toordinal()
    command = ("--count", str(FRESH), "--seed", str(seed), "--vocabulary", "mixed", "--causes", "60")
    done = run_script("random_programs.py", *command)
    counted = re.search(r"(\d+) of (\d+) programs differ in numbers", done.stdout)
    assert counted, done.stderr[-3000:]
    record_property("figure", f"fresh random programs, seed {seed}: {counted[1]} of {counted[2]} differ in numbers")
    print(done.stdout[-20_000:])
    assert int(counted[1]) <= FOUND_ON_A_DAY


def _proof(lines: list[str]) -> str | None:
    candidate = load_candidate("rushlight")
    assert difference(lines, candidate) is not None
    return proof(lines, candidate)


@pytest.mark.parametrize(
    "lines",
    [
        ["c = torch.tensor(-1.25).requires_grad_()", "j = c.prod(0).sum()", "j.backward(j, retain_graph=True)", "j[None] = 2.0"],
        ["a = torch.ones(2).requires_grad_()", "b = a.view(2)", "b.backward(b)", "a.sum().backward()"],
        ["kept = []", "a = torch.ones(2).requires_grad_()", "b = a.view(2)", "b.register_hook(kept.append)",
         "g = torch.full((2,), 3.0)", "b.backward(g)", "a.sum().backward()"],
    ],
)  # fmt: skip
def test_memory_that_a_leaf_takes_is_proved_by_copies(lines: list[str]) -> None:
    assert "memory of a gradient" in str(_proof(lines))


@pytest.mark.parametrize("name", ["relu6", "hardtanh", "softshrink", "hardshrink"])
def test_what_vectors_make_of_nan_is_proved_number_by_number(name: str) -> None:
    lines = ["a = torch.full((64,), torch.nan).requires_grad_()", f"torch.nn.functional.{name}(a).sum().backward()"]
    assert "vectors" in str(_proof(lines))


@pytest.mark.parametrize("call", ["layer_norm(b, (2,))", "group_norm(b, 1)", "batch_norm(b, None, None, training=True)"])
def test_writes_that_no_version_counts_are_proved_by_copies_of_what_is_saved(call: str) -> None:
    lines = ["a = torch.tensor([[1.0, 3.5], [-2.0, 4.0]]).requires_grad_()", "b = a * 2", f"c = torch.nn.functional.{call}",
             "b.data.mul_(b.detach())", "(c * c * c).sum().backward()"]  # fmt: skip
    assert "copies" in str(_proof(lines))


def test_what_is_refused_half_way_is_proved_by_memory_put_back() -> None:
    lines = ["a = torch.tensor([1.0, 2.0, 3.0])", "a.masked_scatter_(torch.tensor([True, True, True]), torch.tensor([7.0]))"]
    assert "put back" in str(_proof(lines)) or difference(lines, load_candidate("rushlight")) is None


@pytest.mark.parametrize(("lines", "shared"), [
    ("a = torch.ones(2).expand(3, 2)\nb = a[0]\nb.add_(1)", True),
    ("a = torch.ones(2).expand(3, 2)\nb = a + 1\nb.add_(1)", False),
    ("a = torch.ones(2)\na.add_(1)", False),
    ("a = torch.ones(3)\na.unfold(-1, 2, 1).mul_(2)", True),
])  # fmt: skip
def test_only_writes_to_shared_places_are_excused_by_their_order(lines: str, shared: bool) -> None:
    assert writes_to_shared_places(f"# seed 1: value at `the end`\n# a: 1/2 differ\n\n{lines}\n") is shared
    assert not writes_to_shared_places(f"# seed 1: dtype at `the end`\n# a\n\n{lines}\n")


def test_holes_are_filled_where_what_they_fit_to_stands_behind_them() -> None:
    holes = SeldomHoles(random.Random(1), {"a": torch.ones(2, 3)})
    assert holes.fill("torch.nn.Linear({last}, 2, {like})({table})") == "torch.nn.Linear(3, 2, dtype=a.dtype)(a)"


def test_a_program_for_which_pytorch_lacks_memory_ends_there() -> None:
    lines = ["a = torch.zeros(1)", "b = a.expand(2**50).clone()", "c = b.sum()"]
    assert difference(lines, load_candidate("rushlight")) is None


def test_a_gradient_is_held_where_none_is_required_any_more() -> None:
    lines = ["a = torch.tensor(2.75).requires_grad_()", "a.backward()", "a.requires_grad = False", "a.requires_grad_(False)"]
    assert difference(lines, load_candidate("rushlight")) is None


def test_what_is_wrong_has_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rushlight.sin", load_candidate("rushlight").module.cos)
    assert _proof(["a = torch.ones(64).requires_grad_()", "b = torch.sin(a)", "b.backward(b, retain_graph=True)"]) is None


def _reason(lines: list[str]) -> str | None:
    candidate = load_candidate("rushlight")
    found = difference(lines, candidate)
    assert found is not None
    return known(str(Failure(0, found, lines)), functools.partial(agrees_by, lines, candidate))


_FULL = "a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])"


@pytest.mark.parametrize(("reason", "lines"), [
    ("a number does not have", ["a = torch.tensor([1.0, 2.0])", "b = torch.nn.functional.mse_loss(a, a)", "c = b[9]"]),
    ("strides and places of nothing", ["a = torch.tensor([[], []], dtype=torch.complex64).requires_grad_()",
                                       "torch.view_as_real(a).sum().backward()"]),
    ("distances", [_FULL, "b = torch.func.jvp(lambda t: torch.cdist(t, 2 * t), (a,), (a,))[1]"]),
    ("rolls numbers", [_FULL, "b = torch.vmap(torch.vmap(lambda t: t.roll(1)))(a)"]),
    ("laid out|lays a tangent out", ["a = torch.arange(4.0).as_strided((3, 2), (1, 1))",
                                     "b = torch.func.jacfwd(lambda t: t / (1 + t * t))(a)"]),
    ("linearize", ["with torch.inference_mode():\n    a = torch.tensor([1.0, 2.0])",
                   "b = torch.func.linearize(lambda t: t * t, a)[1](a)"]),
    ("forward derivatives", [_FULL, "b = torch.func.jacfwd(torch.func.jacfwd(lambda t: torch.linalg.det(t)))(a)"]),
    ("third derivative", ["a = torch.tensor([0.0, 2.5, 3.0])", "b = torch.func.jacrev(torch.func.hessian(lambda t: t.prod(-1)))(a)"]),
    ("a determinant", ["a = torch.ones(2, 2).requires_grad_()", "b = torch.autograd.grad(torch.linalg.det(a), a)[0]"]),
    ("memory of what it reads", ["a = torch.tensor([[1.0, 2.5], [3.0, 4.0]], dtype=torch.float16)", "torch.matmul(a, a, out=a)"]),
    ("an instance norm", ["a = torch.linspace(0, 3, 18).sin().reshape(1, 2, 3, 3).requires_grad_()",
                          "b = torch.nn.functional.instance_norm(a)",
                          "b.backward(a.detach().exp().contiguous(memory_format=torch.channels_last))"]),
    ("between its elements", ["a = torch.tensor([1.0, 2.0, 3.0])[::2].requires_grad_()", "(a * a).sum().backward()",
                              "torch.optim.SGD([a], lr=0.1, fused=True).step()"]),
    ("vander", ["a = torch.tensor([-1.25, -1.0, 1.0]).requires_grad_()", "b = torch.vander(a)", "b.sum().backward()"]),
    ("the same for all", ["a = torch.ones(1, 2)", "b = torch.vmap(lambda t: torch.ones(2), out_dims=1)(a)"]),
    ("no tensor for a result", ["a = torch.tensor(-1.75)", "b = torch.func.linearize(lambda t: t.tolist(), a)[1](a)"]),
    ("room for all losses", ["a = torch.ones(2, 5)", "b = torch.nn.functional.smooth_l1_loss(a, a)",
                             "torch.as_strided(b, (3, 3), (0, 1)).mul_(2.0)"]),
    ("one side of a loss", ["a = torch.arange(4.0).reshape(1, 4, 1).to(torch.bfloat16)",
                            "b = torch.vmap(torch.vmap(torch.nn.functional.mse_loss, (None, 0)), (0, None))(a, a)"]),
    ("a last digit", ["a = torch.linspace(0, 3, 64)", "b = a.exp().erf().pow(1.3)", "c = b.view(torch.int32)"]),
])  # fmt: skip
def test_a_cause_is_known_where_pytorch_itself_does_the_same_in_another_way(reason: str, lines: list[str]) -> None:
    assert re.search(reason, str(_reason(lines)))


def test_what_is_wrong_is_no_known_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = load_candidate("rushlight").module
    plain = ours.linalg.det
    monkeypatch.setattr("rushlight.linalg.det", lambda a: plain(a) * 2)
    assert _reason([_FULL, "b = torch.func.jacfwd(torch.func.jacfwd(lambda t: torch.linalg.det(t)))(a)"]) is None


@pytest.mark.parametrize(("how", "lines"), [
    ("without its vectors", ["a = torch.tensor([0.3+1j, 2.0-3.1j, 1.1+0.7j, 2.2-0.3j])", "b = 1 / (a / a - 1)"]),
    ("line by line", ["a = torch.randn(4, 5, generator=torch.Generator().manual_seed(1))",
                              "b = torch.nn.functional.layer_norm(a, (5,))", "c = b.mean(-1)", "d = 1 / c"]),
    ("line by line", ["a = torch.tensor([5, 4], dtype=torch.int64)", "c = 2.0 * a.expand(2, 2)", "c.exp_()", "c.sin_()"]),
])  # fmt: skip
def test_rounding_is_proved_by_pytorchs_own(how: str, lines: list[str]) -> None:
    assert how in str(_proof(lines))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64, torch.complex64])
def test_a_turn_gives_zeros_and_nan_the_other_sign(dtype: torch.dtype) -> None:
    plain = torch.tensor([0.0, torch.nan, 1.0], dtype=dtype)
    for signs in ([True, True, False], [False, False, False]):
        turn(plain)
        assert plain.real.signbit().tolist() == signs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex128])
def test_a_nudge_moves_some_numbers_by_a_last_digit(dtype: torch.dtype) -> None:
    plain = torch.linspace(1, 2, 64).to(dtype)
    moved = plain.clone()
    nudge(moved, 1)
    assert 0 < (moved != plain).sum() < 64
    assert torch.allclose(moved, plain, rtol=2 * torch.finfo(dtype).eps, atol=0)


def test_what_autocast_computes_is_judged_as_half_precision() -> None:
    assert coarsest(["a = torch.ones(2, 2)", "with torch.autocast('cpu'):\n    b = a @ a", "c = b.float()"]) is HALF


def test_a_number_that_is_wrong_is_not_taken_for_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = load_candidate("rushlight").module
    plain = ours.nn.functional.layer_norm
    monkeypatch.setattr("rushlight.nn.functional.layer_norm", lambda *given: plain(*given) * 1.1)
    lines = ["a = torch.randn(4, 5, generator=torch.Generator().manual_seed(1))", "b = torch.nn.functional.layer_norm(a, (5,))"]
    assert _proof([*lines, "c = 1 / b.mean(-1)"]) is None


def test_what_is_wrong_by_less_than_is_seen_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = load_candidate("rushlight").module
    plain = ours.sin
    monkeypatch.setattr("rushlight.sin", lambda x: plain(x) * (1 + 2**-19))
    lines = ["a = torch.linspace(0.5, 1, 5)", "b = torch.sin(a)", "c = (b * 1e6).frac()"]
    assert difference(lines[:2], load_candidate("rushlight")) is None
    assert _proof(lines) is None


def test_a_quotient_of_what_rounding_leaves_is_proved_by_following() -> None:
    lines = ["a = torch.tensor([1.25, 0.75, 0.0]).requires_grad_()", "b = torch.nn.functional.layer_norm(a, (3,))",
             "c, d = torch.autograd.grad(b.sum(), [a, b], create_graph=True)", "e = 2 / torch.dot(c, d)"]  # fmt: skip
    assert "line by line" in str(_proof(lines))


@pytest.mark.parametrize("lines", [
    ["a = torch.tensor([0.75, 3.0])", "b = torch.func.jacrev(torch.func.jacfwd(lambda t: t.softmax(-1).sum()))(a)",
     "c, d = torch.nonzero(b, as_tuple=True)"],
    ["a = torch.tensor([-3, 1]).cos()", "b = captured(lambda t: torch.fft.fft(t.expand(5, -1), dim=0).abs(), a)"],
])  # fmt: skip
def test_rounding_inside_a_line_is_proved_by_following(lines: list[str]) -> None:
    assert difference(lines, load_candidate("rushlight")) is None or "line by line" in str(_proof(lines))


def test_what_is_refused_once_written_is_proved_by_versions_put_back_too() -> None:
    lines = ["a = torch.ones(2, 2)", "torch.linalg.cholesky(-torch.ones(2, 2), out=a)", "b = a * 2"]
    assert "put back" in str(_proof(lines))


def test_the_general_path_of_ops_agrees_too(run_script: Script) -> None:
    """Where there is a subclass of Tensor compiled ops leave their calls to others: what no fast path covers runs here."""
    done = run_script("random_programs.py", "--count", "1000", "--subclass", "--causes", "20")
    assert "1000 of 1000 programs agree" in done.stdout, done.stdout[-20_000:] + done.stderr[-3000:]


@pytest.mark.parametrize("way", ["settrace, names", "settrace, frames", "setprofile, weakly", "setprofile, thread"])
def test_what_a_program_holds_stays_as_it_was_while_somebody_looks_on(way: str) -> None:
    """All that a program holds, and what the onlooker saw of its passes; `make watched` takes thousands."""
    candidate = load_candidate("rushlight")
    seen = 0
    for seed in range(90_100_000, 90_100_040):
        _, kept, wrong = watched_programs.answer(candidate, seed, way, "wide")
        assert not wrong, wrong
        seen += kept
    assert seen > 100


@pytest.mark.parametrize("way", ["settrace, frames", "setprofile, thread"])
def test_a_gradient_that_an_onlooker_holds_is_missed_by_none(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rushlight.autograd.engine.is_only_here", lambda value, how: True)
    candidate = load_candidate("rushlight")
    wrong = [watched_programs.answer(candidate, seed, way, "mixed")[2] for seed in range(300_000_160, 300_000_230)]
    assert any(each.startswith("what the onlooker kept has changed at") for each in wrong)


def test_the_same_seed_writes_the_same_program() -> None:
    assert write_program(random.Random(7)) == write_program(random.Random(7))
    assert write_program(random.Random(7)) != write_program(random.Random(8))


def test_pytorch_agrees_with_itself(run_script: Script) -> None:
    done = run_script("random_programs.py", "--count", "300", "--candidate", "mirror")
    assert "300 of 300 programs agree" in done.stdout, done.stdout + done.stderr[-3000:]
