"""Calls of functions and methods: who is asked about one, in which order, and how often."""

from __future__ import annotations

import pytest
from forking import program_output

import rushlight as torch
from rushlight.autograd.interpreters import CALLS, CASTS, PROFILES, Interpreter, stack
from rushlight.autograd.modes import Mark
from rushlight.autograd.profiler import profile
from rushlight.compat.fx import symbolic_trace
from rushlight.overrides import TorchFunctionMode, redispatch_function
from rushlight.overrides.overridable_methods import watch
from rushlight.tensor import Tensor


class Counts(Interpreter):
    """Looks at every call of a function."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.calls: list[str] = []

    def call(self, func, args, kwargs):
        self.calls.append(func.__name__)
        return NotImplemented

    def __enter__(self) -> Counts:
        watch(self)
        self.mark = Mark(hidden=True)
        return self

    def __exit__(self, *error: object) -> None:
        del self.mark
        stack.take(self)


X = torch.tensor([[4.0, 9.0], [1.0, 16.0]])
CALLS_OF_ONE = {
    "sqrt": lambda: X.sqrt(),
    "subtract": lambda: X.subtract(X),
    "multiply": lambda: torch.multiply(X, 2),
    "mul": lambda: X * 2,
    "__rsub__": lambda: 1 - X,
    "sum": lambda: X.sum(0),
    "add_": lambda: X.clone().add_(0),
    "clamp_": lambda: X.clone().clamp_(0, 20),
    "absolute_": lambda: X.clone().absolute_(),
    "copy_": lambda: X.clone().copy_(X),
    "index_put_": lambda: X.clone().index_put_((torch.tensor([0]),), torch.ones(2)),
    "dim": lambda: X.dim(),
    "__getitem__": lambda: X[0],
    "softmax": lambda: torch.nn.functional.softmax(X, 0),
    "zeros_like": lambda: torch.zeros_like(X),
    "flatten": lambda: X.flatten(),
    "split": lambda: X.split(1),
}


@pytest.mark.parametrize("name", CALLS_OF_ONE)
def test_a_call_is_asked_about_once(name):
    with Counts(CALLS) as counts:
        CALLS_OF_ONE[name]()
    assert counts.calls.count(name) == 1


class GoesOn(Counts):
    """Answers with what those below make of the call."""

    def call(self, func, args, kwargs):
        self.calls.append(func.__name__)
        return stack.go_on(self.place, func, args, kwargs)


@pytest.mark.parametrize("name", CALLS_OF_ONE)
def test_a_call_that_goes_on_is_put_to_those_below_alone(name):
    with Counts(CALLS) as above, GoesOn(PROFILES) as between, Counts(CASTS) as below:
        CALLS_OF_ONE[name]()
    assert [one.calls.count(name) for one in (above, between, below)] == [1, 1, 1]


def test_autocast_is_asked_below_modes_which_do_not_see_its_casts():
    seen = []

    class Sees(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((func.__name__, args[0].dtype))
            return func(*args, **(kwargs or {}))

    with Sees(), torch.autocast("cpu"):
        product = torch.mm(X, X)
    assert product.dtype == torch.bfloat16
    assert seen == [("mm", torch.float32)]


def test_classes_see_the_operands_of_einsum_one_by_one_and_modes_as_they_came():
    seen = []

    class Mine(Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, args, kwargs, types))
            return super().__torch_function__(func, types, args, kwargs)

    class Sees(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((func.__name__, args, kwargs, types))
            return func(*args, **(kwargs or {}))

    mine = X.as_subclass(Mine)
    torch.einsum("ij,jk->ik", [mine, mine])
    torch.einsum(mine, [0, 1], [1, 0])
    torch.tensordot(mine, X, 1)
    with Sees():
        torch.einsum("ij,jk", (X, X))
        torch.einsum(X, [0, ...])
        with pytest.raises(ValueError, match="at least one operand"):
            torch.einsum("ij")
    assert seen == [
        ("einsum", ("ij,jk->ik", mine, mine), {}, (Mine,)),
        ("einsum", ("AB->BA", mine), {}, (Mine,)),
        ("tensordot", (mine, X), {"dims": 1, "out": None}, (Mine, Tensor)),
        ("einsum", ("ij,jk", (X, X)), {}, ()),
        ("einsum", ("A...", X), {}, (Tensor,)),
    ]


def test_graphs_have_the_operands_of_einsum_one_by_one():
    graph = symbolic_trace(lambda a, b: torch.einsum("ij,jk->ik", (a, b)) + torch.einsum(a, [0, 1], [1, 0])).graph
    first, second = (node for node in graph.nodes if node.target is torch.einsum)
    a, b = graph.find_nodes(op="placeholder")
    assert first.args == ("ij,jk->ik", a, b)
    assert second.args == (a, [0, 1], [1, 0])


def test_a_profiler_is_asked_below_classes():
    class Mine(Tensor):
        pass

    with profile() as prof:
        torch.mm(X.as_subclass(Mine), X)
        redispatch_function(torch.exp, (), (X,), {})
    assert [event.name for event in prof.function_events] == ["aten::mm", "aten::exp"]


def test_a_call_that_is_none_is_no_event():
    with profile() as prof:
        with pytest.raises(TypeError):
            torch.exp("x")
        with pytest.raises(TypeError):
            X + "x"
    assert not prof.function_events


def test_methods_that_come_after_a_class_ask_it():
    program = """
import rushlight as torch
class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)
mine = torch.ones(2).as_subclass(Mine)
from rushlight.ops.public import methods
from rushlight.overrides.overridable_methods import install_methods
methods["come_late"] = lambda self: 7
methods["come_late"].__name__ = "come_late"
install_methods(["come_late"])
assert mine.come_late() == 7
import rushlight.nn
mine.module_load(torch.ones(2))
"""
    assert program_output(program).split()[:2] == ["come_late", "module_load"]


def test_a_class_before_the_methods_is_refused():
    program = """
import rushlight
from rushlight.overrides import overridable_methods
overridable_methods._installed.clear()
try:
    class Mine(rushlight.Tensor): pass
except Exception as error:
    print(error)
"""
    assert "before Tensor has its methods" in program_output(program)


def test_no_room_gives_tensor_methods_that_nobody_is_asked_about():
    program = """
import importlib, pkgutil
import rushlight
from rushlight.overrides.overridable_methods import _installed
for one in pkgutil.walk_packages(rushlight.__path__, "rushlight."):
    if not one.name.endswith("__main__") and "tensorboard" not in one.name:
        importlib.import_module(one.name)
print(sorted(set(vars(rushlight.Tensor)) - _installed))
"""
    assert program_output(program) == "[]\n"


def test_methods_that_are_given_twice_ask_once() -> None:
    code = """
import sys
import rushlight
x = rushlight.ones(2, 3, requires_grad=True)
-(x * 2), x > 0, x.isnan(), x.mean(), x**2  # compiled when they are first used
del sys.modules["rushlight"]
import rushlight as torch
outline = torch.empty(2, 3, device="meta")
print((outline + outline).shape, outline.detach().shape, (-outline * 2 > outline**2).isnan().shape, outline.mean().shape)
"""
    assert program_output(code) == "torch.Size([2, 3]) torch.Size([2, 3]) torch.Size([2, 3]) torch.Size([])\n"


def test_what_can_be_taken_over_and_what_cannot():
    ignored, overrides = torch.overrides.get_ignored_functions(), torch.overrides.get_testing_overrides()
    assert {torch.zeros, torch.rand, torch.manual_seed, torch.Tensor.new_zeros} <= ignored
    assert {torch.add, torch.sigmoid, torch.nn.functional.relu, torch.Tensor.add} <= overrides.keys()
    assert not ignored & overrides.keys()
    assert overrides[torch.add](torch.ones(1), 2) == -1
