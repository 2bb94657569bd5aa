"""What programs ask of torch.compile beside its speed: errors, names, stances, backends of their own."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import rushlight as torch
from rushlight import _dynamo as dynamo
from rushlight._dynamo.eval_frame import innermost_fn
from rushlight._dynamo.exc import BackendCompilerFailed, FailOnRecompileLimitHit, InvalidBackend, Unsupported


def double(x: Any) -> Any:
    return x * 2


def test_errors_have_the_names_of_pytorch() -> None:
    with pytest.raises(InvalidBackend, match="Invalid backend: 'nope'"):
        torch.compile(double, backend="nope")
    with pytest.raises(RuntimeError, match="Unrecognized mode=nope, should be one of: default"):
        torch.compile(double, mode="nope")
    with pytest.raises(Unsupported, match=r"Tensor\.item\(\) looks at a tensor's values"):
        torch.compile(lambda x: x.item(), fullgraph=True)(torch.ones(1))
    assert Unsupported.__module__ == "rushlight._dynamo.exc"

    def refuses(graph: Any, inputs: Any) -> Any:
        raise ValueError("no")

    for backend, text in (
        (refuses, "backend='refuses' raised:\nValueError: no"),
        (lambda graph, inputs: 3, "did not return callable"),
    ):
        fast = torch.compile(double, backend=backend)
        fast(torch.ones(1))
        with pytest.raises(BackendCompilerFailed, match=text):
            fast(torch.ones(1))


def test_a_break_of_the_graph_is_minded_where_it_is_to_be_whole() -> None:
    def breaks(x: Any) -> Any:
        dynamo.graph_break()
        return x * 2

    assert [torch.compile(breaks)(torch.ones(1)).item() for _ in range(3)] == [2.0] * 3
    with pytest.raises(Unsupported, match=rf"graph_break\(\) \({__file__}:"):
        torch.compile(breaks, fullgraph=True)(torch.ones(1))


def test_more_forms_than_are_compiled_for() -> None:
    fast = torch.compile(double, recompile_limit=2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [fast(torch.ones(size)).sum().item() for size in range(5) for _ in range(2)] == [
            2.0 * size for size in range(5) for _ in range(2)
        ]
    (warning,) = caught
    assert "captured for 2 forms" in str(warning.message) and warning.filename == __file__
    assert "argument 0: a tensor of shape [2], float32" in str(warning.message)
    whole = torch.compile(double, recompile_limit=1, fullgraph=True)
    whole(torch.ones(1))
    with pytest.raises(FailOnRecompileLimitHit, match="double"):
        whole(torch.ones(2))


def test_a_program_may_ask_whether_it_is_compiled() -> None:
    def asks(x: Any) -> Any:
        return x + 1 if torch.compiler.is_compiling() else x - 1

    fast: Any = torch.compile(asks)
    fast._compiled.always = True
    assert [fast(torch.zeros(1)).item() for _ in range(5)] == [1.0] * 5
    assert fast._compiled.forms[0].program is not None
    assert asks(torch.zeros(1)).item() == -1.0 and not torch.compiler.is_compiling()
    with pytest.warns(UserWarning, match="item"):
        assert torch.compile(lambda x: asks(x).item())(torch.zeros(1)) == 1.0


def test_stances() -> None:
    fast: Any = torch.compile(double)
    x = torch.ones(2)
    with torch.compiler.set_stance("force_eager"):
        fast(x)
    with torch.compiler.set_stance("eager_on_recompile"):
        fast(x)
    assert not fast._compiled.forms
    for _ in range(3):
        fast(x)
    with torch.compiler.set_stance("fail_on_recompile"):
        fast(x)
        with pytest.raises(RuntimeError, match=r"Detected recompile.*function name: 'double'"):
            fast(torch.ones(3))

    @torch.compiler.set_stance("force_eager")
    def within() -> str:
        return str(fast(torch.ones(4)).tolist())

    assert within() == "[2.0, 2.0, 2.0, 2.0]" and len(fast._compiled.forms) == 1
    with pytest.raises(RuntimeError, match=r"^invalid torch.compile stance 'nothing'"):
        torch.compiler.set_stance("nothing")


def test_backends_of_the_users_own_are_known_by_name() -> None:
    calls: list[str] = []

    @dynamo.register_backend
    def counting(graph: Any, inputs: Any) -> Any:
        def run(*tensors: Any) -> Any:
            outs = graph(*tensors)
            calls.append(type(outs[0]).__name__)
            return outs

        assert "mul" in graph.print_readable(print_output=False)
        return run

    assert "counting" in torch.compiler.list_backends() and "inductor" in dynamo.list_backends()
    assert dynamo.lookup_backend("counting") is counting
    assert "eager" not in torch.compiler.list_backends() and "eager" in torch.compiler.list_backends(exclude_tags=())
    fast: Any = torch.compile(double, backend="counting")
    fast._compiled.always = True
    assert [fast(torch.ones(1)).item() for _ in range(4)] == [2.0] * 4
    assert set(calls) == {"Tensor"}
    torch.compiler.set_default_backend("eager")
    try:
        assert torch.compile(double) is double and torch.compiler.get_default_backend() == "eager"
    finally:
        torch.compiler.set_default_backend("inductor")


def test_compiled_functions_inside_of_others() -> None:
    inner: Any = torch.compile(double)
    outer: Any = torch.compile(lambda x: inner(x) + 1, fullgraph=True)
    outer._compiled.always = True
    assert [outer(torch.ones(1)).item() for _ in range(4)] == [3.0] * 4
    assert outer._compiled.forms[0].program is not None
    assert innermost_fn(torch.compile(inner)) is double is torch.compiler.disable(inner)
    assert dynamo.optimize("eager")(double) is double


def test_classes_are_compiled_by_their_calls() -> None:
    @torch.compile
    class Scale(torch.nn.Module):
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = torch.nn.Parameter(torch.tensor(factor))

        def forward(self, x: Any) -> Any:
            return x * self.factor

    two, three = Scale(2.0), Scale(3.0)
    assert isinstance(two, torch.nn.Module)
    for _ in range(4):
        assert (two(torch.ones(1)).item(), three(torch.ones(1)).item()) == (2.0, 3.0)
    assert Scale.__call__._compiled.forms[0].program is not None  # type: ignore[attr-defined]


def test_every_argument_of_compile() -> None:
    """What PyTorch says to each."""
    seen: list[dict[str, Any]] = []

    def backend(graph: Any, inputs: Any, **options: Any) -> Any:
        seen.append(options)
        return graph.forward

    def runs(*given: Any, **options: Any) -> None:
        fast = torch.compile(*given, **options) if given else torch.compile(**options)(double)
        assert [fast(torch.ones(2)).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3

    for dynamic in (None, True, False):
        runs(double, dynamic=dynamic, mode="reduce-overhead")
        runs(dynamic=dynamic, mode="max-autotune", fullgraph=True)
    for options in ({}, {"mode": "default"}, {"mode": "lite"}, {"options": {"a": 1}}, {"dynamic": True}):
        runs(double, backend=backend, **options)
        runs(backend=backend, **options)
    assert seen[::2] == seen[1::2] == [{}, {}, {"mode": "lite"}, {"options": {"a": 1}}, {}]
    runs(double, mode="of no backend", backend="eager")
    for error, text, wrong in (
        (AssertionError, "Expected enable to be a bool, got <class 'str'>", {"dynamic": "auto"}),
        (AttributeError, "'int' object has no attribute 'items'", {"options": 3}),
        (InvalidBackend, "Invalid backend: ''", {"backend": ""}),
        (RuntimeError, "Either mode or options can be specified", {"mode": "default", "options": {}}),
        (TypeError, "nope", {"nope": 1}),
    ):
        with pytest.raises(error, match=text):
            torch.compile(double, **wrong)
    with pytest.raises(AssertionError, match="A callable function is expected, but <class 'int'> is provided"):
        torch.compile(3)
    with pytest.raises(AssertionError, match="allow_in_graph expects a callable"):
        torch.compiler.allow_in_graph([double, 3])
    assert torch.compiler.allow_in_graph(double) is double and dynamo.allow_in_graph([double]) == [double]
    net = torch.nn.Linear(2, 2)
    x = torch.ones(2)
    right = net(x).tolist()
    net.compile(backend="replay", fullgraph=True, dynamic=False, mode="default")
    assert [net(x).tolist() for _ in range(4)] == [right] * 4 and list(net.state_dict()) == ["weight", "bias"]


def test_a_report_tells_what_was_captured_what_it_is_guarded_by_and_what_it_costs() -> None:
    net, rate = torch.nn.Linear(3, 2), 2.0
    fast: Any = torch.compile(lambda x: (net(x) * rate).sum().detach())
    for _ in range(80):
        fast(torch.ones(4, 3))
    told = dynamo.explain(fast)()
    assert (told.graph_count, told.graph_break_count) == (1, 0) and told.op_count >= 3
    assert "argument 0: a tensor of shape [4, 3], float32, strides [12, 4]" in told.out_guards
    assert "variable 'rate' of a closure" in told.out_guards and "attribute 'training' of Linear" not in told.out_guards
    text = str(told)
    assert "2 calls recorded" in text and " us as it is, " in text and " ms" in told.compile_times
