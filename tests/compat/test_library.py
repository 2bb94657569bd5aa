"""torch.library: operators of one's own."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Sequence
from functools import partial

import pytest

import rushlight as torch
from rushlight import library
from rushlight.utils._python_dispatch import TorchDispatchMode
from rushlight.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts


def keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def test_an_operator_with_a_derivative():
    runs = []

    @library.custom_op("tests::sine", mutates_args=())
    def sine(x: torch.Tensor) -> tuple[torch.Tensor, int]:
        runs.append(torch.is_grad_enabled())
        return x.sin(), 2

    sine.register_autograd(lambda ctx, g, unused: g * ctx.saved_tensors[0].cos(), setup_context=keep)
    x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    out, number = torch.ops.tests.sine(x)
    assert number == 2 and type(out.grad_fn).__name__ == "GeneratedBackwardFor_tests_sine_defaultBackward" and runs == [False]
    assert torch.autograd.gradcheck(lambda x: sine(x)[0], x)
    (g,) = torch.autograd.grad(sine(x)[0].sum(), x, create_graph=True)
    assert torch.allclose(torch.autograd.grad(g.sum(), x)[0], -x.sin())
    with torch.no_grad():
        assert sine(x)[0].grad_fn is None


def test_lists_and_options_go_through():
    @library.custom_op("tests::weighted", mutates_args=())
    def weighted(xs: Sequence[torch.Tensor], by: float = 2.0, extra: torch.Tensor | None = None) -> list[torch.Tensor]:
        return [x * by if extra is None else x * by + extra for x in xs]

    def backward(ctx, grads):
        return [g * ctx.by for g in grads], None, None

    def setup(ctx, inputs, output):
        ctx.by = inputs[1]

    weighted.register_autograd(backward, setup_context=setup)
    x, y = torch.ones(2, requires_grad=True), torch.ones(3)
    first, second = weighted([x, y], by=5.0)
    first.sum().backward()
    assert isinstance(weighted([y]), list) and x.grad.tolist() == [5.0, 5.0] and second.tolist() == [5.0] * 3
    assert str(torch.ops.tests.weighted.default._schema) == (
        "tests::weighted(Tensor[] xs, float by=2., Tensor? extra=None) -> Tensor[]"
    )


def test_what_writes_says_so():
    @library.custom_op("tests::fill", mutates_args={"x"})
    def fill(x: torch.Tensor, value: torch.Tensor) -> None:
        x.copy_(value)

    x = torch.zeros(2)
    version = x._version
    assert fill(x, torch.ones(2)) is None and x.tolist() == [1.0, 1.0] and x._version > version
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        fill(torch.zeros(2, requires_grad=True), torch.ones(2))
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        fill.register_autograd(lambda ctx, g: g)


def test_results_are_no_arguments():
    for index, function in enumerate((lambda x: x, lambda x: x.view(-1))):

        def same(x: torch.Tensor, function=None) -> torch.Tensor:
            return function(x)

        op = library.custom_op(f"tests::same{index}", partial(same, function=function), mutates_args=(),
                               schema="(Tensor x) -> Tensor")  # fmt: skip
        with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
            op(torch.ones(2, 2))


def test_schemas_from_text_and_libraries():
    library.define("tests::scaled", '(Tensor x, int n=2, *, str note="a, b") -> Tensor')

    @library.impl("tests::scaled", "cpu")
    def scaled(x, n=2, note=""):
        return x * n

    library.register_autograd("tests::scaled", lambda ctx, g: (g * 7, None, None))
    x = torch.ones(1, requires_grad=True)
    torch.ops.tests.scaled(x, n=3).backward()
    assert x.grad.item() == 7.0 and torch.ops.tests.scaled(torch.ones(1)).item() == 2.0
    with library._scoped_library("scoped_tests", "FRAGMENT") as mine:
        mine.define("plus(Tensor x, int[] sizes=[1, 2]) -> Tensor")
        mine.impl("plus", lambda x, sizes: x + sum(sizes), "CompositeExplicitAutograd")
        assert torch.ops.scoped_tests.plus(torch.ones(1)).item() == 4.0
    with pytest.raises(AttributeError, match="'_OpNamespace' 'scoped_tests' object has no attribute 'plus'"):
        _ = torch.ops.scoped_tests.plus


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda op: op(), "is missing value for argument 'x'. Declaration: tests::typed"),
        (lambda op: op(3), "Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'"),
        (lambda op: op(torch.ones(1), "a"), "Expected a value of type 'int' for argument 'n'"),
        (lambda op: op(torch.ones(1), m=2), "got an unexpected value for argument 'm'"),
        (lambda op: op(torch.ones(1), 1, 2), "expected at most 2"),
    ],
)
def test_arguments_are_checked(call, message):
    @library.custom_op("tests::typed", mutates_args=())
    def typed(x: torch.Tensor, n: int = 1) -> torch.Tensor:
        return x + n

    with pytest.raises(RuntimeError, match=message):
        call(typed)
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        typed(torch.ones(1, requires_grad=True)).backward()


def test_annotations_that_make_no_operator():
    def without(x):
        return x

    def dictionary(x: dict) -> torch.Tensor:
        return x

    def unsaid(x: torch.Tensor):
        return x

    for function, message in (
        (without, "Parameter x must have a type annotation"),
        (dictionary, "Parameter x has unsupported type"),
        (unsaid, "No return type annotation"),
    ):
        with pytest.raises(ValueError, match=message):
            library.custom_op("tests::wrong", function, mutates_args=())
    with pytest.raises(ValueError, match="were not found in the custom op's signature"):
        library.infer_schema(unsaid, mutates_args={"y"})


def test_modes_and_selective_checkpoints_see_operators():
    runs = []

    @library.custom_op("tests::seen", mutates_args=())
    def seen(x: torch.Tensor) -> torch.Tensor:
        runs.append(1)
        return x.sin()

    seen.register_autograd(lambda ctx, g: g * ctx.saved_tensors[0].cos(), setup_context=keep)
    names = []

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func))
            return func(*args, **(kwargs or {}))

    with Names():
        seen(torch.ones(1))
    assert names[-1] == "tests.seen.default"
    runs.clear()
    x = torch.ones(3, requires_grad=True)
    kept = partial(create_selective_checkpoint_contexts, [torch.ops.tests.seen.default])
    y = checkpoint(lambda x: (seen(x) * x.sin().exp()).sin().sum(), x, use_reentrant=False, context_fn=kept)
    (g,) = torch.autograd.grad(y, x)
    assert len(runs) == 1
    (expected,) = torch.autograd.grad((x.sin() * x.sin().exp()).sin().sum(), x)
    assert torch.allclose(g, expected)


def test_an_operator_without_a_derivative_is_what_it_records():
    lib = library.Library("tests", "FRAGMENT")
    lib.define("open(Tensor a, *, float by=2.0) -> (Tensor, Tensor)")
    lib.impl("open", lambda a, by=2.0: (a.detach() * by, a * by), "CPU")
    x = torch.ones(2, requires_grad=True)
    closed, recorded = torch.ops.tests.open(x, by=3.0)
    assert closed.grad_fn.name() == "torch::autograd::WarnNotImplemented" and "grad_fn=<WarnNotImplemented>" in repr(closed)
    with pytest.warns(UserWarning, match="tests::open: an autograd kernel was not registered"):
        (g,) = torch.autograd.grad(recorded.sum(), x)
    assert g.tolist() == [3.0, 3.0]
    with pytest.warns(UserWarning, match="tests::open: an autograd kernel was not registered"):
        closed.sum().backward()
    assert x.grad is None
    torch._C._set_autograd_fallback_mode("nothing")
    try:
        closed, recorded = torch.ops.tests.open(x)
        assert not closed.requires_grad and recorded.grad_fn.name() == "MulBackward0"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            recorded.sum().backward()
    finally:
        torch._C._set_autograd_fallback_mode("warn")
    with pytest.raises(RuntimeError, match="NYI: mode='error'"):
        torch._C._set_autograd_fallback_mode("error")


def test_a_write_without_a_derivative_warns_by_the_base():
    def triple(a):
        with torch.no_grad():
            return a.mul_(3)

    with library._scoped_library("tests", "FRAGMENT") as lib:
        lib.define("triple_(Tensor(a!) a) -> Tensor(a!)")
        lib.impl("triple_", triple, "CPU")
        x = torch.ones(2, 2, requires_grad=True)
        c = x.clone()
        row = c[0]
        assert torch.ops.tests.triple_(row) is row and c.tolist() == [[3.0, 3.0], [1.0, 1.0]]
        for one in (c, row):
            with pytest.warns(UserWarning, match="tests::triple_"):
                one.sum().backward(retain_graph=True)
        plain = torch.ones(2)
        assert not torch.ops.tests.triple_(plain).requires_grad


def test_functions_above_autograd_and_made_of_other_operators():
    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with torch._C._AutoDispatchBelowAutograd():
                return torch.ops.tests.sine_above(x)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].cos()

    with library._scoped_library("tests", "FRAGMENT") as lib, warnings.catch_warnings():
        warnings.simplefilter("error")
        lib.define("sine_above(Tensor x) -> Tensor")
        lib.impl("sine_above", lambda x: torch.from_numpy(x.numpy(force=True)).sin(), "CPU")
        lib.impl("sine_above", Sine.apply, "Autograd")
        lib.define("made(Tensor x) -> Tensor")
        lib.impl("made", lambda x: torch.ops.tests.sine_above(x) * 2, "CompositeImplicitAutograd")
        x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(torch.ops.tests.made, x)


def test_operators_go_with_their_library():
    lib = library.Library("tests_gone", "FRAGMENT")
    assert lib.define("one(Tensor x) -> Tensor") == "one"
    lib.impl("one", lambda x: x + 1, "CPU")
    assert torch.ops.tests_gone.one(torch.ones(1)).tolist() == [2.0]
    with pytest.raises(RuntimeError, match="with the same name and overload name multiple times"):
        lib.define("one(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match="only the operator name was given"):
        lib.define("two")
    del lib
    gc.collect()
    with pytest.raises(AttributeError, match="object has no attribute 'one'"):
        torch.ops.tests_gone.one(torch.ones(1))
    with pytest.raises(ValueError, match="Unsupported kind: SOME"):
        library.Library("tests_gone", "SOME")
