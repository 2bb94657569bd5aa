"""Profiles: what is recorded, what it adds up to, and that nothing of it stays behind."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight.autograd import interpreters
from rushlight.autograd.modes import special
from rushlight.autograd.profiler import KinetoStepTracker, emit_itt, emit_nvtx, profile, record_function
from rushlight.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from rushlight.profiler import ProfilerAction, ProfilerActivity, schedule, tensorboard_trace_handler
from rushlight.profiler import profile as step_profile

EVALUATE = "autograd::engine::evaluate_function: "


def named(prof: Any, name: str) -> list[Any]:
    return [event for event in prof.function_events if event.name == name]


def only(prof: Any, name: str) -> Any:
    (event,) = named(prof, name)
    return event


def top(prof: Any) -> list[str]:
    return [event.name for event in prof.function_events if event.cpu_parent is None and event.name != "[memory]"]


def children(event: Any) -> list[str]:
    return [child.name for child in event.cpu_children]


# What is recorded.


def test_forward_and_backward_of_a_layer() -> None:
    layer, x = torch.nn.Linear(4, 3), torch.ones(2, 4)
    with profile(record_shapes=True) as prof:
        layer(x).relu().sum().backward()
    assert top(prof)[:4] == ["aten::linear", "aten::relu", "aten::sum", "aten::ones_like"]
    nodes = ["SumBackward0", "ReluBackward0", "AddmmBackward0", "torch::autograd::AccumulateGrad", "TBackward0"]
    assert top(prof)[4:] == [EVALUATE + name for name in [*nodes, "torch::autograd::AccumulateGrad"]]
    linear = only(prof, "aten::linear")
    assert children(linear) == ["aten::t", "aten::addmm"]
    assert linear.input_shapes == [[2, 4], [3, 4], [3]]
    addmm = only(prof, EVALUATE + "AddmmBackward0")
    assert children(addmm) == ["AddmmBackward0", "aten::sum"]  # the bias was broadcast
    assert Counter(children(addmm.cpu_children[0]))["aten::mm"] == 1  # the input needs no gradient
    assert [(event.scope, event.thread) for event in (linear, addmm, addmm.cpu_children[0])] == [(0, 1), (0, 1), (1, 1)]


def test_a_forward_op_and_its_node_have_one_number() -> None:
    x = torch.ones(2, requires_grad=True)
    with profile() as prof:
        y = x.exp()
        y.sum().backward()
    forward, node, evaluated = (only(prof, name) for name in ("aten::exp", "ExpBackward0", EVALUATE + "ExpBackward0"))
    assert forward.sequence_nr == node.sequence_nr == evaluated.sequence_nr == y.grad_fn._sequence_nr()
    assert (forward.fwd_thread, node.fwd_thread) == (0, forward.thread)
    assert all(event.sequence_nr == -1 for event in named(prof, "aten::mul"))  # within the node: not recorded
    with profile() as prof, torch.no_grad():
        x.exp()
    assert only(prof, "aten::exp").sequence_nr == -1


def test_sums_of_gradients_hooks_and_second_passes_are_events() -> None:
    x = torch.ones(2, requires_grad=True)
    with profile() as prof:
        y = x * 3
        y.register_hook(lambda g: g.sin())
        (y * y + y).sum().backward()
    evaluated = named(prof, EVALUATE + "MulBackward0")
    assert [name for name in children(evaluated[0]) if "add" in name] == ["aten::add_"] * 2
    assert children(evaluated[1]) == ["aten::sin", "MulBackward0"]
    assert x.grad.tolist() == pytest.approx([3 * np.sin(7)] * 2)
    x.grad = None
    with profile() as prof:
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        g.sum().backward()
    assert len(named(prof, "PowBackward0")) == 2
    assert not named(prof, EVALUATE + "torch::autograd::AccumulateGrad")[0].cpu_children  # captured, not accumulated
    assert x.grad.tolist() == [6.0, 6.0]


def test_custom_functions_optimizers_and_loaders_are_events() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with profile() as prof:
        for batch in torch.utils.data.DataLoader([1.0, 2.0], batch_size=2):
            optimizer.zero_grad()
            (Twice.apply(w) * batch).sum().backward()
            optimizer.step()
    assert children(only(prof, "Twice")) == ["aten::mul"] == children(only(prof, "TwiceBackward"))
    names = top(prof)
    assert names.count("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") == 2  # the second finds the end
    assert names.index("Optimizer.zero_grad#SGD.zero_grad") < names.index("Optimizer.step#SGD.step")
    assert w.tolist() == [0.0, -1.0]


def test_in_place_views_and_properties_have_their_names() -> None:
    x = torch.ones(2, 3)
    with profile() as prof:
        x.add_(1)
        x.T, x.T  # noqa: B018
        x[0, 1:]
        x.contiguous()
        x.split([1, 1])
        float(x.sum())
        x.size(), x.numel(), x.requires_grad_(False)
    assert top(prof) == [
        *(
            "aten::add_",
            "aten::numpy_T",
            "aten::numpy_T",
            "aten::select",
            "aten::slice",
            "aten::split_with_sizes",
            "aten::sum",
            "aten::item",
        )
    ]


def test_record_function_nests_decorates_and_survives_errors() -> None:
    x = torch.ones(2)

    @record_function("factorial")
    def factorial(n: int) -> Any:
        return x.exp() if n == 0 else x * factorial(n - 1)

    with profile() as prof:
        factorial(2)
        with pytest.raises(ValueError, match="within"), record_function("fails"):
            raise ValueError("within")
        x.exp()
    first, second, third = named(prof, "factorial")
    assert children(first) == children(second) == ["factorial", "aten::mul"] and children(third) == ["aten::exp"]
    assert third.cpu_parent is second and second.cpu_parent is first
    assert first.is_user_annotation and first.scope == 7
    assert top(prof) == ["factorial", "fails", "aten::exp"]
    with record_function("outside of profiles"):
        pass
    with pytest.raises(RuntimeError, match="Expected a value of type 'str' for argument 'name'"), record_function(3):
        pass


def test_blocks_that_overlap_are_none_within_the_other() -> None:
    outer, inner = record_function("outer"), record_function("inner")
    with profile() as prof:
        outer.__enter__()
        inner.__enter__()
        outer.__exit__(None, None, None)
        torch.ones(1).exp()
        inner.__exit__(None, None, None)
    assert top(prof)[:2] == ["outer", "inner"]
    assert all(event.time_range.end >= event.time_range.start for event in prof.function_events)


def test_a_future_ends_its_event() -> None:
    x = torch.ones(2)
    with profile() as prof:
        with record_function("waits") as record:
            future = torch.futures.Future()
            result = record._call_end_callbacks_on_future(future)
        x.exp()
        future.set_result(5)
        x.sin()
    assert result.wait() == 5
    assert children(only(prof, "waits")) == ["aten::exp"]
    with pytest.raises(RuntimeError, match="can only be called once"):
        record._call_end_callbacks_on_future(future)


# What it adds up to.

STEPS = st.lists(st.sampled_from(["mul", "sum", "exp", "view", "mm", "cat", "block", "backward"]), min_size=1, max_size=12)


def run(steps: list[str]) -> list[bytes]:
    """The values and the gradient of a program."""
    x = torch.ones(3, 3, requires_grad=True)
    y = x
    for step in steps:
        if step == "mul":
            y = y * x
        elif step == "sum":
            y = y + y.sum(0)
        elif step == "exp":
            y = (y * 1e-3).exp()
        elif step == "view":
            y = y.view(9).view(3, 3)
        elif step == "mm":
            y = y @ x
        elif step == "cat":
            y = torch.cat([y, x])[:3]
        elif step == "block":
            with record_function("block"):
                y = y - x
        else:
            y.sum().backward(retain_graph=True)
    return [value.detach().numpy().tobytes() for value in (y, x.grad) if value is not None]


@settings(max_examples=30, deadline=None)
@given(STEPS)
def test_times_memory_and_counts_add_up(steps: list[str]) -> None:
    with profile(profile_memory=True, record_shapes=True) as prof:
        found = run(steps)
    assert found == run(steps)
    events = prof.function_events
    for event in events:
        start, end = event.time_range.start, event.time_range.end
        assert start <= end
        for child in event.cpu_children:
            assert child.cpu_parent is event
            assert start <= child.time_range.start and child.time_range.end <= end
        assert event.self_cpu_time_total >= -1e-6
    outermost = [event for event in events if event.cpu_parent is None]
    assert sum(event.cpu_time_total for event in outermost) == pytest.approx(events.self_cpu_time_total)
    averages = prof.key_averages()
    assert {event.key: event.count for event in averages} == Counter(event.name for event in events)
    assert averages.self_cpu_time_total == pytest.approx(events.self_cpu_time_total)
    assert sum(event.self_cpu_memory_usage for event in averages) == sum(event.cpu_memory_usage for event in outermost)
    assert sum(event.cpu_memory_usage for event in outermost) == 0  # all tensors of run() are gone
    by_shape = prof.key_averages(group_by_input_shape=True)
    assert sum(event.count for event in by_shape) == len(events) == prof.total_average().count


def test_memory_is_counted_where_it_is_taken_and_freed() -> None:
    x = torch.ones(8)
    with profile(profile_memory=True) as prof:
        y = x.exp()
        view = y[2:]
        del y, view
        with record_function("frees"):
            z = torch.zeros(4)
            del z
    assert only(prof, "aten::exp").cpu_memory_usage == 32
    assert only(prof, "aten::slice").cpu_memory_usage == 0
    assert [event.cpu_memory_usage for event in named(prof, "[memory]")] == [-32]
    assert (only(prof, "aten::zeros").cpu_memory_usage, only(prof, "frees").cpu_memory_usage) == (16, 0)
    assert only(prof, "frees").self_cpu_memory_usage == -16


def gradients_with_and_without(first: torch.nn.Module, last: torch.nn.Module) -> list[list[np.ndarray]]:
    """Of a model with ``first`` behind its convolution and ``last`` behind its linear layer, profiled and not."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        *(torch.nn.Conv2d(1, 3, 3), first, torch.nn.GELU(), torch.nn.MaxPool2d(2), torch.nn.Flatten()),
        *(torch.nn.Linear(27, 5), last, torch.nn.LogSoftmax(1)),
    )
    x, target = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 3])
    found = []
    for block in (profile(), profile(enabled=False)):
        model.zero_grad()
        with block:
            torch.nn.functional.nll_loss(model(x), target).backward()
        found.append([param.grad.numpy().copy() for param in model.parameters()])
    return found


def test_gradients_are_the_same_to_the_bit() -> None:
    profiled, plain = gradients_with_and_without(torch.nn.Identity(), torch.nn.Identity())
    assert [each.tobytes() for each in profiled] == [each.tobytes() for each in plain]


def test_gradients_of_fused_kernels_are_the_same_but_for_rounding() -> None:
    """A profiler sees the rules of norms one op after another, where a kernel works them out at once."""
    profiled, plain = gradients_with_and_without(torch.nn.BatchNorm2d(3), torch.nn.LayerNorm(5))
    for one, other in zip(profiled, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_sparse_gradients_stay_sparse() -> None:
    table = torch.nn.Embedding(5, 2, sparse=True)
    with profile() as prof:
        table(torch.tensor([1, 3, 1])).sum().backward()
    assert table.weight.grad.is_sparse
    assert children(only(prof, "EmbeddingBackward0")) == ["aten::embedding_backward"]


def test_flops_of_products() -> None:
    with profile(with_flops=True) as prof:
        torch.ones(2, 3) @ torch.ones(3, 4)
        torch.nn.functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(4, 2, 3, 3), padding=1)
        torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 3, 4))
    flops = {event.name: event.flops for event in prof.function_events if event.flops}
    assert flops == {"aten::mm": 48, "aten::conv2d": 3600, "aten::bmm": 96}
    assert "Total FLOPs" in prof.table() and "Total FLOPs" not in profile_of_nothing().table()


def profile_of_nothing() -> Any:
    with profile() as prof:
        torch.ones(1)
    return prof


# What is left of it.


@pytest.mark.usefixtures("nothing_else_special")
def test_nothing_stays_behind() -> None:
    torch.ones(1).exp()
    before = (
        len(special.active),
        list(interpreters.stack.interpreters),
        torch.Tensor.__dict__["__mul__"],
        torch.Tensor.__dict__["sum"],
    )
    with profile():
        assert torch.autograd._profiler_enabled() and torch.autograd.profiler._is_profiler_enabled
        torch.ones(2).mul(2)
        assert len(special.active) > before[0]
    with pytest.raises(ZeroDivisionError), profile():
        1 / 0  # noqa: B018
    after = (
        len(special.active),
        list(interpreters.stack.interpreters),
        torch.Tensor.__dict__["__mul__"],
        torch.Tensor.__dict__["sum"],
    )
    assert before[:2] == after[:2]
    assert before[2] is after[2] and before[3] is after[3]
    assert not torch.autograd._profiler_enabled() and not torch.autograd.profiler._is_profiler_enabled


def test_what_a_program_sets_in_a_profile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    with profile():
        monkeypatch.setattr(torch.Tensor, "sinh", lambda x: "mine")
    assert torch.ones(1).sinh() == "mine"


def test_errors_leave_nothing_open() -> None:
    def fail(g: Any) -> None:
        raise ValueError("in a hook")

    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.register_hook(fail)
    with profile() as prof:
        with pytest.raises(ValueError, match="in a hook"):
            y.sum().backward()
        with pytest.raises(RuntimeError, match="must match the size"):
            x + torch.ones(3)
        x.sin()
    assert top(prof)[-2:] == ["aten::add", "aten::sin"]


def test_operators_leave_to_others_what_is_theirs() -> None:
    class Other:
        def __radd__(self, x: Any) -> str:
            return "theirs"

    x = torch.ones(2)
    with profile() as prof:
        assert x + Other() == "theirs"
        assert (x + np.array([1.0, 2.0], np.float32)).tolist() == [2.0, 3.0]
        assert "ab" * torch.tensor(2) == "abab"
        with pytest.raises(TypeError, match="unsupported operand"):
            x + "text"
        assert ((1 / x) == x).all()
        x += 1
    assert top(prof) == [
        *("aten::lift_fresh", "aten::item", "aten::reciprocal", "aten::mul", "aten::eq", "aten::all", "aten::is_nonzero"),
        "aten::add_",
    ]


def test_a_profile_is_of_its_own_thread() -> None:
    x = torch.ones(50)
    found: dict[int, Any] = {}
    ready = threading.Barrier(3)

    def work(number: int) -> None:
        with profile() as prof:
            ready.wait()
            for _ in range(20):
                (x.exp() if number else x.sin()).sum()
            ready.wait()
        found[number] = prof

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    ready.wait()
    x.cos()  # not profiled
    ready.wait()
    for thread in threads:
        thread.join()
    assert Counter(top(found[0])) == {"aten::sin": 20, "aten::sum": 20}
    assert Counter(top(found[1])) == {"aten::exp": 20, "aten::sum": 20}
    assert not special.active or not torch.autograd._profiler_enabled()


def test_a_profile_within_a_profile_takes_over() -> None:
    x = torch.ones(2)
    with profile() as outer:
        x.exp()
        with profile() as inner:
            x.sin()
        x.cos()
    assert (top(outer), top(inner)) == (["aten::exp", "aten::cos"], ["aten::sin"])


def test_modes_and_subclasses_see_what_they_saw() -> None:
    class Names(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Sub(torch.Tensor):
        pass

    seen: list[str] = []
    with profile() as prof, Names():
        torch.ones(2) * 3
    assert seen == ["ones", "mul"]
    assert top(prof) == ["aten::ones", "aten::mul"]
    with profile() as prof:
        result = Sub([1.0, 2.0]).exp()
    assert type(result) is Sub and "aten::exp" in top(prof)
    with profile() as prof:
        torch.vmap(lambda row: row.sin().sum())(torch.ones(3, 2))
    assert {"aten::sin", "aten::sum"} <= {event.name for event in prof.function_events}


def test_pausing() -> None:
    x = torch.ones(2)
    with step_profile() as prof:
        x.exp()
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        x.sin()
        prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        x.cos()
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
    assert [event.name for event in prof.events()] == ["aten::exp", "aten::cos"]


# How it is shown.


def test_the_table() -> None:
    x = torch.ones(3, 3, requires_grad=True)
    with profile(record_shapes=True, profile_memory=True, with_stack=True) as prof:
        for _ in range(3):
            (x @ x).sum().backward()
    lines = prof.key_averages(group_by_input_shape=True).table(sort_by="count", row_limit=2, header="Products").splitlines()
    assert lines[1] == "Products" and set(lines[0]) == {"="}
    assert " ".join(lines[3].split()) == (
        "Name Self CPU % Self CPU CPU total % CPU total CPU time avg CPU Mem Self CPU Mem # of Calls Input Shapes"
    )
    assert len(lines) == 2 + 3 + 2 + 2 and lines[-1].startswith("Self CPU time total: ")
    assert len({len(line) for line in lines[2:8]}) == 1
    stacks = prof.key_averages(group_by_stack_n=1).table()
    assert "Source Location" in stacks and "test_profiler.py(" in stacks and "test_the_table" in stacks
    shown = prof.table(top_level_events_only=True)
    assert "This report only display top-level ops statistics" in shown and "aten::mm" not in shown
    assert str(prof) == prof.table()
    with pytest.raises(AttributeError, match="nonsense"):
        prof.table(sort_by="nonsense")


def test_files(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    with step_profile(with_stack=True, profile_memory=True) as prof:
        x.exp().sum().backward()
        prof.add_metadata("run", "one")
        prof.add_metadata_json("sizes", "[1, 2]")
    prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        trace = json.load(file)
    assert (trace["run"], trace["sizes"]) == ("one", [1, 2])
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert [span["name"] for span in spans] == [event.name for event in prof.events() if event.name != "[memory]"]
    assert all(span["ts"] >= 0 and span["dur"] >= 0 for span in spans)
    assert abs(trace["baseTimeNanoseconds"] - time.time_ns()) < 6e10
    arrows = [event for event in trace["traceEvents"] if event.get("cat") == "fwdbwd"]
    assert [arrow["ph"] for arrow in arrows] == ["s", "f"] * 2 and arrows[0]["id"] == arrows[1]["id"]
    prof.events().export_chrome_trace(str(tmp_path / "events.json"))
    listed = json.loads((tmp_path / "events.json").read_text())
    assert [event["name"] for event in listed] == [event.name for event in prof.events()]
    backward = next(event for event in prof.events() if event.name == "ExpBackward0")
    forward = next(event for event in prof.events() if event.name == "aten::exp")
    assert backward.stack == forward.stack and "test_files" in forward.stack[0]
    prof.export_stacks(str(tmp_path / "stacks.txt"))
    stacks = (tmp_path / "stacks.txt").read_text().splitlines()
    assert any(line.split(";")[-1].rpartition(" ")[0].endswith("_test_files") for line in stacks)
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(str(tmp_path / "stacks.txt"), "length")
    with step_profile() as prof:
        x.exp()
    with pytest.raises(AssertionError, match="requires with_stack=True"):
        prof.export_stacks(str(tmp_path / "stacks.txt"))
    for _ in range(2):
        tensorboard_trace_handler(str(tmp_path / "logs"), "worker", use_gzip=True)(prof)
    assert len(list((tmp_path / "logs").glob("worker.*.pt.trace.json.gz"))) == 2
    with pytest.raises(RuntimeError, match="Can't create directory"):
        tensorboard_trace_handler(str(tmp_path / "stacks.txt"))(prof)


def test_children_of_made_up_events() -> None:
    times = {1: [(0, 1), (1, 2)], 0: [(0, 2), (1, 2), (1, 3)]}
    events = EventList(
        FunctionEvent(id=10 * thread + number, name="", thread=thread, start_us=start, end_us=end)
        for thread, spans in times.items()
        for number, (start, end) in enumerate(spans)
    )
    events._populate_cpu_children()
    assert [[child.id for child in event.cpu_children] for event in events] == [[], [], [], [], [1]]


def test_sums_of_events() -> None:
    total = FunctionEventAvg()
    total.add(FunctionEvent(id=0, name="step", thread=0, start_us=10, end_us=15))
    total += FunctionEvent(id=1, name="step", thread=0, start_us=20, end_us=30)
    total.add(total)
    assert (total.key, total.count, total.cpu_time_total, total.cpu_time) == ("step", 4, 30, 7.5)
    with pytest.raises(AssertionError, match="Expected keys to match, but got other vs step"):
        total.add(FunctionEvent(id=2, name="other", thread=0, start_us=0, end_us=1))
    with pytest.raises(AssertionError, match="Expected tree to be built"):
        EventList().key_averages()


def test_what_may_not_be() -> None:
    prof = profile()
    assert str(prof) == repr(prof) == "<unfinished torch.autograd.profile>"
    with prof:
        assert not prof.function_events
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"), prof:
        pass
    with profile(enabled=False) as nothing:
        assert nothing is None
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"), emit_nvtx():
        pass
    with emit_itt(), emit_nvtx(enabled=False):
        torch.ones(1)
    with pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"):
        profile(use_device="cuda")
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        step_profile(activities=[])
    for act in ("events", "key_averages", "stop"):
        with pytest.raises(AssertionError, match="Profiler must be initialized before"):
            getattr(step_profile(), act)()


# Steps.


def test_schedules() -> None:
    plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    letters = {
        ProfilerAction.NONE: ".", ProfilerAction.WARMUP: "w", ProfilerAction.RECORD: "r", ProfilerAction.RECORD_AND_SAVE: "s"
    }  # fmt: skip
    assert "".join(letters[plan(step)] for step in range(12)) == "..wrs.wrs..."
    eager = schedule(wait=2, warmup=1, active=1, skip_first=1, skip_first_wait=1)
    assert "".join(letters[eager(step)] for step in range(9)) == ".ws..ws.."
    with pytest.raises(AssertionError, match=r"Got wait=-1 \(need >= 0\)"):
        schedule(wait=-1, warmup=0, active=1)
    with pytest.raises(AssertionError, match="Step must be non-negative"):
        plan(-1)
    with pytest.warns(UserWarning, match="won't be using warmup"):
        schedule(wait=0, warmup=0, active=1)


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")
@pytest.mark.parametrize("keep", [False, True])
def test_recorded_steps(keep: bool) -> None:
    x, ready = torch.ones(2), []

    def note(prof: Any) -> None:
        ready.append((prof.step_num, [event.name for event in prof.events()]))
        numbers.update(event.trace_name for event in prof.events() if event.key == "ProfilerStep*")

    numbers: set[str] = set()
    plan = schedule(wait=0, warmup=1, active=2)
    before = KinetoStepTracker.current_step()
    with step_profile(schedule=plan, on_trace_ready=note, acc_events=keep) as prof:
        for number in range(6):
            x.exp() if number < 3 else x.sin()
            prof.step()
    first, second = ["ProfilerStep*", "aten::exp"] * 2, ["ProfilerStep*", "aten::sin"] * 2
    assert ready == [(3, first), (6, first + second if keep else second)]
    assert KinetoStepTracker.current_step() > before
    assert numbers == {f"ProfilerStep#{number}" for number in (1, 2, 4, 5)}


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")
def test_schedules_that_make_no_sense() -> None:
    actions = [ProfilerAction.WARMUP, ProfilerAction.NONE, ProfilerAction.RECORD, ProfilerAction.NONE]
    with pytest.warns(UserWarning, match="Incorrect schedule: (WARMUP|RECORD) followed by NONE") as caught:  # noqa: SIM117
        with step_profile(schedule=lambda step: actions[min(step, 3)]) as prof:
            for _ in range(4):
                prof.step()
    assert len([one for one in caught if "Incorrect" in str(one.message)]) == 2


def test_a_run_that_ends_early_is_ready_too() -> None:
    ready = []
    with step_profile(schedule=schedule(wait=0, warmup=1, active=3), on_trace_ready=ready.append) as prof:
        prof.step()
        torch.ones(1).exp()
    assert ready == [prof] and "aten::exp" in [event.name for event in prof.events()]


def test_integers_get_a_node_under_a_profiler_too() -> None:
    start, w = torch.tensor([1, 2]), torch.tensor(2.5, requires_grad=True)
    with profile():
        filled, part = start.clone().fill_(w), start.clone()
        part[:1].fill_(w)
    assert [one.grad_fn is not None for one in (filled, part)] == [True] * 2
