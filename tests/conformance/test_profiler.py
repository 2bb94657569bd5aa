"""Profiles of the same programs on both sides: the same events, one within the other, and the same tables.

PyTorch also tells what its operators do inside (as_strided, empty, copy_, ...). Those are left out here: below an operator
only what both sides are made of is compared, in programs that ask for it.
"""

from __future__ import annotations

import itertools
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import op_samples
import pytest
import torch
from op_check import execute, form_of, prepare
from sides import Side

import rushlight
from rushlight.ops.table import table
from rushlight.profiler.names import OPERATORS, OPS, WITH_OPERATOR, name_of_op, operator_of_node

os.environ.setdefault("KINETO_LOG_LEVEL", "99")

EVALUATE = "autograd::engine::evaluate_function: "
# What torch.tensor does besides making a tensor, of which rushlight knows one event.
AROUND_NEW_TENSORS = {"aten::empty", "aten::to", "aten::detach_"}
# Parts of derivatives that cost nothing, or go by another name, on one of the sides.
BOOKKEEPING = {
    f"aten::{name}"
    for name in (
        "t adjoint transpose permute view reshape expand squeeze unsqueeze detach copy_ new_empty_strided clone fill_ conj to"
    ).split()
}


def model(t: Any) -> Any:
    return t.nn.Sequential(
        *(t.nn.Conv2d(1, 2, 3), t.nn.BatchNorm2d(2), t.nn.ReLU(), t.nn.MaxPool2d(2), t.nn.Flatten()),
        *(t.nn.Linear(18, 4), t.nn.LayerNorm(4), t.nn.Dropout(0.5), t.nn.Tanh()),
    )


def layers(t: Any, x: Any, w: Any) -> None:
    model(t)(t.ones(2, 1, 8, 8)).sum().backward()


def products(t: Any, x: Any, w: Any) -> None:
    ((x @ w + w[0]).pow(2) * 3).sum().backward()


def broadcast(t: Any, x: Any, w: Any) -> None:
    (x * w[0] + w[:, :1]).mean().backward()


def shared(t: Any, x: Any, w: Any) -> None:
    y = x * 2
    (y * y + y).sum().backward()


def blocks(t: Any, x: Any, w: Any) -> None:
    with t.autograd.profiler.record_function("outer"):
        y = x.exp()
        with t.autograd.profiler.record_function("inner"):
            y = (y / w).sum(1)
    y.mean().backward()


def twice(t: Any, x: Any, w: Any) -> None:
    (g,) = t.autograd.grad((x.sin() * w).sum(), x, create_graph=True)
    t.autograd.grad((g * g).sum(), x)


def subscripts(t: Any, x: Any, w: Any) -> None:
    (x[0] + x[:, 1] + x[None, 2, 1:3].sum() + x.T.reshape(-1)[:4]).sum().backward(inputs=[x])


def in_place(t: Any, x: Any, w: Any) -> None:
    y = x.clone()
    y.mul_(w)
    y.add_(1).sum().backward()


def hooks(t: Any, x: Any, w: Any) -> None:
    y = x * w
    y.register_hook(lambda g: g.sin())
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad.neg_() is None or None)
    y.exp().sum().backward()


def training(t: Any, x: Any, w: Any) -> None:
    layer = t.nn.Linear(4, 3)
    optimizer = t.optim.SGD(layer.parameters(), lr=0.1)
    optimizer.zero_grad()
    t.nn.functional.cross_entropy(layer(x.detach()), t.tensor([0, 1, 2, 0])).backward()
    with t.autograd.profiler.record_function("update"):
        pass


def functions(t: Any, x: Any, w: Any) -> None:
    class Cube(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3 * ctx.saved_tensors[0] ** 2

    Cube.apply(x).sum().backward()


def modes(t: Any, x: Any, w: Any) -> None:
    with t.no_grad():
        x.sigmoid().tanh()
    t.zeros(2, 2), t.ones(2), t.full((2,), 3.0), t.arange(3), t.eye(2), t.rand(2), t.randn(2)
    t.cat([x, w]), t.stack([x, w]), x.softmax(0), x.log_softmax(1), x.argmax(), x.std()
    (x > 0).all(), x.detach().norm()


PROGRAMS: list[Callable[..., None]] = [
    *(layers, products, broadcast, shared, blocks, twice, subscripts, in_place, hooks, training, functions, modes),
]


def profiled(side: Any, program: Callable[..., None], **options: Any) -> Any:
    side.manual_seed(0)
    x = side.linspace(0.5, 2, 16).reshape(4, 4).requires_grad_()
    w = side.linspace(1, 3, 16).reshape(4, 4).requires_grad_()
    with side.autograd.profiler.profile(use_kineto=True, **options) as prof:
        program(side, x, w)
    return prof


def shapes_of(event: Any) -> list[Any]:
    """Shapes of the inputs, without the options behind them, which both sides count in their own way."""
    shapes = [list(shape) for shape in event.input_shapes or []]
    while shapes and not shapes[-1]:
        shapes.pop()
    return shapes


def told(events: Any, in_node: bool = False) -> list[Any]:
    """The events that both sides tell of, with what is within blocks and nodes."""
    found = []
    for event in events:
        name, numbered = event.name, event.sequence_nr >= 0
        if event.name == "[memory]" or (in_node and name in BOOKKEEPING) or name in AROUND_NEW_TENSORS:
            continue
        if name.startswith(EVALUATE):
            found.append((name, told(event.cpu_children, True)))
        elif event.scope == 1:
            found.append((name, numbered, event.fwd_thread, Counter(inner[0] for inner in told(event.cpu_children, True))))
        elif event.scope == 7 or not name.startswith("aten::"):
            found.append((name, event.scope, told(event.cpu_children)))
        elif in_node:
            found.append((name.replace("add_", "add"),))
        else:
            found.append((name, numbered, event.scope, shapes_of(event) if name != "aten::lift_fresh" else None))
    return found


def outermost(prof: Any) -> list[Any]:
    return [event for event in prof.function_events if event.cpu_parent is None]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_events(program: Callable[..., None]) -> None:
    theirs, ours = (told(outermost(profiled(side, program, record_shapes=True))) for side in (torch, rushlight))
    assert ours == theirs


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_memory(program: Callable[..., None]) -> None:
    """What operators leave allocated, where a program's tensors are those of PyTorch's."""
    theirs, ours = (
        [
            (event.name, event.cpu_memory_usage)
            for event in outermost(profiled(side, program, profile_memory=True))
            if event.sequence_nr >= 0 and not event.name.startswith(EVALUATE) and event.name not in AROUND_NEW_TENSORS
        ]
        for side in (torch, rushlight)
    )
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    differ = {name for (name, mine), (_, other) in zip(ours, theirs, strict=True) if mine != other}
    # Masks and moments that only one of the sides keeps for the backward pass, copies that only one makes, and in-place ops
    # that are recorded: rushlight makes the result first.
    assert differ <= {"aten::conv2d", "aten::batch_norm", "aten::max_pool2d", "aten::layer_norm", "aten::dropout",
                      "aten::cross_entropy_loss", "aten::linear", "aten::argmax", "aten::mul_",
        "Cube"}  # fmt: skip


def block(text: str) -> list[list[str]]:
    """The lines of a table without its figures."""
    return [re.sub(r"[\d.]+(us|ms|s|%)|\d+\.\d+", "#", line).split() for line in text.splitlines()]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"record_shapes": True},
        {"profile_memory": True},
        {"with_flops": True},
        {"record_shapes": True, "profile_memory": True},
    ],
    ids=str,
)
def test_tables(options: dict[str, bool]) -> None:
    def program(t: Any, x: Any, w: Any) -> None:
        with t.autograd.profiler.record_function("a name that is longer than a column of names may be in a table of profiles"):
            x @ w
        x.exp()

    for arguments in (
        {},
        {"row_limit": 1, "header": "A header"},
        {"max_name_column_width": 20},
        {"top_level_events_only": True},
    ):
        theirs, ours = (profiled(side, program, **options).table(**arguments) for side in (torch, rushlight))
        theirs = "\n".join(line for line in theirs.splitlines() if "resolve_con" not in line)
        rules = [[line for line in text.splitlines() if set(line) in ({"-", " "}, {"="})] for text in (theirs, ours)]
        assert len(rules[0]) == len(rules[1])
        if "record_shapes" not in options and "with_flops" not in options:  # shapes are as wide as options are many
            assert rules[0] == rules[1]
        mine, other = block(ours), block(theirs)
        heading = next(index for index, line in enumerate(other) if line[:1] == ["Name"])
        assert mine[: heading + 1] == other[: heading + 1] or len(options) == 0 or "record_shapes" in options
        assert mine[heading] == other[heading]
        assert [line[0] for line in mine[heading + 1 :] if line] == [line[0] for line in other[heading + 1 :] if line]
    averages = [profiled(side, program, **options).key_averages().table(row_limit=2) for side in (torch, rushlight)]
    assert block(averages[0])[1] == block(averages[1])[1]


def fake(side: Any) -> Any:
    util = side.autograd.profiler_util

    def event(number: int, name: str, start: float, end: float, **options: Any) -> Any:
        return util.FunctionEvent(
            id=number,
            name=name,
            thread=options.pop("thread", 0),
            start_us=start,
            end_us=end,
            flops=0,
            **{"stack": [], "overload_name": ""} | options,
        )

    events = util.EventList(
        [
            event(0, "a", 0, 100, input_shapes=[[2, 3], []], sequence_nr=3, stack=["f.py(1): g", "h.py(2): k"]),
            event(
                1,
                "b",
                10,
                50.5,
                overload_name="Tensor",
                input_shapes=[[2, 3], []],
                stack=["f.py(1): g"],
                cpu_memory_usage=-3000,
            ),
            event(2, "b", 60, 70, cpu_memory_usage=2**31),
            event(3, "c", 12, 13, thread=1),
            event(4, "x" * 80, 200, 1e6 + 200, is_async=True),
            event(5, "d", 300, 300),
        ],
        profile_memory=True,
    )
    events._build_tree()
    return events


@pytest.mark.parametrize("number", range(8))
def test_made_up_events_print_the_same(number: int) -> None:
    look = [
        lambda events: events.table(),
        lambda events: events.table(sort_by="cpu_time_total", row_limit=2, header="Hi", max_src_column_width=6),
        lambda events: events.table(max_name_column_width=10, max_shapes_column_width=5, top_level_events_only=True),
        lambda events: [events.table(time_unit=unit) for unit in ("s", "ms", "us")],
        lambda events: (events.key_averages().table(), events.key_averages(True).table(sort_by="count")),
        lambda events: [events.key_averages(group_by_stack_n=depth).table() for depth in (1, 2)],
        lambda events: (str(events.total_average()), repr(events), repr(events.key_averages()), events.self_cpu_time_total),
        lambda events: [
            (event.key, event.cpu_time_str, event.self_cpu_time_total, event.self_cpu_memory_usage, len(event.cpu_children))
            for event in events
        ],
    ][number]
    assert look(fake(rushlight)) == look(fake(torch))


def test_formats() -> None:
    sides = [side.autograd.profiler_util for side in (rushlight, torch)]
    for value in (0, 0.4, 999.9996, 1000, 1234.5678, 1e6, 12345678.9, -5, -2000):
        assert len({side._format_time(value) for side in sides}) == 1
    for value in (0, 1, -1023, 1024, 1536, -5e9, 3 * 2**30):
        assert len({side._format_memory(value) for side in sides}) == 1
    for part, whole in ((0, 0), (0, 5), (1, 3), (5, 5)):
        assert len({side._format_time_share(part, whole) for side in sides}) == 1


def actions(side: Any, **plan: int) -> list[Any]:
    ready: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        steps = side.profiler.schedule(**plan)
        x = side.ones(2)

        def note(prof: Any) -> None:
            ready.append((prof.step_num, [event.name for event in prof.events()]))

        with side.profiler.profile(schedule=steps, on_trace_ready=note) as prof:
            taken = [prof.current_action.name]
            for _ in range(9):
                x.exp()
                prof.step()
                taken.append(prof.current_action.name)
    return [taken, ready, prof.step_num]


@pytest.mark.parametrize(
    "plan",
    [
        {"wait": 1, "warmup": 1, "active": 1},
        {"wait": 0, "warmup": 1, "active": 2, "repeat": 2},
        {"wait": 2, "warmup": 1, "active": 1, "skip_first": 1, "skip_first_wait": 1},
        {"wait": 0, "warmup": 2, "active": 10},
        {"wait": 0, "warmup": 0, "active": 1},
    ],
    ids=str,
)
def test_steps(plan: dict[str, int]) -> None:
    assert actions(rushlight, **plan) == actions(torch, **plan)


# Operators that are made of others on one of the sides: compositions in Python, and modules that are written otherwise.
OTHERWISE = re.compile(
    r"masked|windows|copy$|linear_cross_entropy|lowrank|_loss|kl_div|binary_cross_entropy|interpolate|upsample|fractional|"
    r"local_response_norm|grid_sampler|dropout3d|^(conj|stft|lu|__rmatmul__|__getitem__|unique|linalg.pinv.singular|"
    r"special.polygamma.*|max_pool2d_with_indices_backward|linalg.eig)$"
)


def test_names_that_ops_of_the_table_go_by() -> None:
    operators = {f"aten::{name.partition('::')[2].partition('.')[0]}" for name in torch._C._dispatch_get_all_op_names()}
    names = {name: name_of_op(name) for name in table}
    assert not {name: event for name, event in names.items() if event.startswith("aten::") and event not in operators}
    assert not set(OPS) - set(table)
    assert not set(map(operator_of_node, OPERATORS)) - operators
    assert not {operator_of_node(f"{stem}Backward0") for stem in WITH_OPERATOR} - operators


def test_names_of_all_operators(record_property: Callable[[str, object], None]) -> None:
    """Outermost events of each op of PyTorch's table, on its own samples."""
    theirs, ours = Side(torch), Side(rushlight)
    differ: dict[str, tuple[list[str], list[str]]] = {}
    seen = 0
    warnings.simplefilter("ignore")
    for op in op_samples.ops():
        form = form_of(op, "function", ours)
        if (
            torch.float64 not in op.supported_dtypes("cpu")
            or form is None
            or form.ours is None
            or OTHERWISE.search(op.full_name)
        ):
            continue
        for sample in itertools.islice(filter(op_samples.fits, op.sample_inputs("cpu", torch.float64)), 1):
            names = []
            for side, function in ((theirs, form.theirs), (ours, form.ours)):
                run = prepare(side, sample, False)
                with side.module.autograd.profiler.profile() as prof:
                    execute(run, function)
                names.append([event.name for event in outermost(prof)] if run.error is None else [])
            seen += 1
            if names[0] != names[1]:
                differ[op.full_name] = (names[1], names[0])
    record_property("figure", f"{'profiles':28} {seen - len(differ):4} of {seen:4} ops have PyTorch's events")
    assert seen > 400
    assert not differ
