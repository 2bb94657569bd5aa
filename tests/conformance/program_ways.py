"""Other ways in which PyTorch itself computes what a program asks for.

Where PyTorch is at odds with itself, known_differences.py names the way in which it does what the other side did: the program
is then run once more, that way, and all of it must agree.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import torch
from program_sides import Seen, Step, run
from sides import Side
from torch.overrides import TorchFunctionMode

Way = Callable[[], contextlib.AbstractContextManager[Any]]


@contextlib.contextmanager
def replaced(space: Any, **functions: Callable[..., Any]) -> Iterator[None]:
    """Some functions of a module, or methods, done in another way."""
    plain = {name: getattr(space, name) for name in functions}
    try:
        for name, function in functions.items():
            setattr(space, name, function)
        yield
    finally:
        for name, function in plain.items():
            setattr(space, name, function)


# Derivatives, in other orders.


def _jvp(function: Any, primals: Any, tangents: Any) -> Any:
    """By two reverse passes."""
    return torch.autograd.functional.jvp(function, tuple(primals), tuple(tangents), create_graph=True)


def _jacobian(function: Any, argnums: int = 0) -> Any:
    def of(*given: Any) -> Any:
        def alone(one: Any) -> Any:
            return function(*given[:argnums], one, *given[argnums + 1 :])

        found = torch.autograd.functional.jacobian(alone, given[argnums], create_graph=True)
        return found if given[argnums].requires_grad else found.detach()

    return of


def _linearized_by(jvp: Any) -> Any:
    return lambda function, *primals: (function(*primals), lambda *tangents: jvp(function, primals, tangents)[1])


def _twice(outer: Any, inner: Any) -> Any:
    return lambda function, argnums=0: outer(inner(function, argnums), argnums)


def by_jvp() -> Any:
    return replaced(torch.func, linearize=_linearized_by(torch.func.jvp))


def by_reverse() -> Any:
    jacrev = torch.func.jacrev
    return replaced(torch.func, jacfwd=jacrev, hessian=_twice(jacrev, jacrev), jvp=_jvp, linearize=_linearized_by(_jvp))


def by_mixed() -> Any:
    jacfwd, jacrev = torch.func.jacfwd, torch.func.jacrev

    def of(function: Any, argnums: int = 0) -> Any:
        return jacfwd(function, argnums)

    def other(function: Any, argnums: int = 0) -> Any:
        return jacrev(function, argnums)

    return replaced(torch.func, jacfwd=other, jacrev=of)


def by_autograd() -> Any:
    return replaced(
        torch.func,
        jacfwd=_jacobian, jacrev=_jacobian, hessian=_twice(_jacobian, _jacobian), jvp=_jvp, linearize=_linearized_by(_jvp),
    )  # fmt: skip


def apart() -> Any:
    """What a tangent is laid out like has a place for each element."""

    def copied(value: Any) -> Any:
        return value.contiguous().clone() if isinstance(value, torch.Tensor) else value

    def of(transform: Any) -> Any:
        return lambda function, **options: lambda *given: transform(function, **options)(*map(copied, given))

    def jvp(function: Any, primals: Any, tangents: Any, plain: Any = torch.func.jvp, **options: Any) -> Any:
        return plain(function, tuple(map(copied, primals)), tuple(map(copied, tangents)), **options)

    def make_dual(primal: Any, tangent: Any, plain: Any = torch.autograd.forward_ad.make_dual, **options: Any) -> Any:
        return plain(copied(primal), copied(tangent), **options)

    stack = contextlib.ExitStack()
    func = torch.func
    stack.enter_context(replaced(func, jacfwd=of(func.jacfwd), hessian=of(func.hessian), jvp=jvp))
    stack.enter_context(replaced(torch.autograd.forward_ad, make_dual=make_dual))
    return stack


# One by one.


def looped() -> Any:
    """Batches example by example."""

    def vmap(function: Any, in_dims: Any = 0, out_dims: Any = 0, **options: Any) -> Any:
        def call(*given: Any) -> Any:
            dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(given)
            count = next(one.shape[dim] for one, dim in zip(given, dims, strict=True) if dim is not None)
            results = [
                function(*(one if dim is None else one.select(dim, i) for one, dim in zip(given, dims, strict=True)))
                for i in range(count)
            ]
            if not isinstance(results[0], tuple):
                return torch.stack(results, out_dims)
            places = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(results[0])
            return tuple(torch.stack(column, place) for column, place in zip(zip(*results, strict=True), places, strict=True))

        return call

    stack = contextlib.ExitStack()
    stack.enter_context(replaced(torch, vmap=vmap))
    stack.enter_context(replaced(torch.func, vmap=vmap))
    return stack


def each_tensor() -> Any:
    """What is done to lists, done to one tensor after another."""

    def one_by_one(name: str) -> Any:
        alone = getattr(torch, name, None) or getattr(torch.Tensor, name)

        def function(tensors: Any, *rest: Any, **options: Any) -> Any:
            def part(i: int) -> Any:
                given = [one[i] if isinstance(one, list | tuple) else one for one in rest]
                if name in ("addcdiv", "addcmul") and len(given) == 3:
                    return alone(tensors[i], *given[:2], value=given[2])
                return alone(tensors[i], *given, **options)

            return [part(i) for i in range(len(tensors))]

        return function

    names = [name for name in dir(torch) if name.startswith("_foreach_") and not name.endswith("_")]
    plain = [name for name in names if hasattr(torch, name[9:]) or hasattr(torch.Tensor, name[9:])]
    return replaced(torch, **{name: one_by_one(name[9:]) for name in plain})


# Memory.


class ReadFirst(TorchFunctionMode):
    """What an op reads is copied before it writes to `out=`, or to its first argument."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, name = kwargs or {}, getattr(function, "__name__", "")
        written = 0 if kwargs.get("out") is not None else 1 if name[-1:] == "_" != name[-2:-1] else len(args)
        read = (one.clone() if isinstance(one, torch.Tensor) else one for one in args[written:])
        return function(*args[:written], *read, **kwargs)


class NothingAnew(TorchFunctionMode):
    """Tensors without elements lie as new ones do, at the beginning of their memory."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        nothing = bool(args) and isinstance(args[0], torch.Tensor) and args[0].numel() == 0
        if nothing and function is torch.Tensor.storage_offset:
            return 0
        if nothing and function is torch.Tensor.view:
            args = (args[0].clone(memory_format=torch.contiguous_format), *args[1:])
        result = function(*args, **kwargs)
        if nothing and isinstance(result, torch.Tensor) and result.requires_grad and not result.is_leaf:
            result.register_hook(lambda gradient: gradient.clone(memory_format=torch.contiguous_format))
        return result


class NumbersAnew(TorchFunctionMode):
    """Tensors without dimensions are copied before they are indexed, or counted: new ones have no sizes of before."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function in (torch.Tensor.__getitem__, torch.nn.functional.nll_loss):
            args = tuple(one.clone() if isinstance(one, torch.Tensor) and one.ndim == 0 else one for one in args)
        return function(*args, **(kwargs or {}))


# Functions.


def det_written_out() -> Any:
    """Determinants by their first rows, whose derivatives are those of products and sums."""

    def det(a: Any) -> Any:
        if a.shape[-1] == 0:
            return a.new_ones(a.shape[:-2])
        rest = [torch.cat([a[..., 1:, :j], a[..., 1:, j + 1 :]], -1) for j in range(a.shape[-1])]
        return sum((-1) ** j * a[..., 0, j] * det(one) for j, one in enumerate(rest))

    stack = contextlib.ExitStack()
    stack.enter_context(replaced(torch.linalg, det=det))
    stack.enter_context(replaced(torch, det=det))
    stack.enter_context(replaced(torch.Tensor, det=det))
    return stack


def distances_written_out() -> Any:
    def cdist(a: Any, b: Any, p: float = 2.0) -> Any:
        return torch.linalg.vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), p, -1)

    return replaced(torch, cdist=cdist)


def airy_to_all_digits() -> Any:
    def airy_ai(x: Any) -> Any:
        x = x.detach() if x.is_floating_point() else x.float()
        return torch.tensor([float(mpmath.airyai(float(one))) for one in x.flatten()], dtype=x.dtype).reshape(x.shape)

    return replaced(torch.special, airy_ai=airy_ai)


def instance_norm_row_by_row() -> Any:
    """Its cotangents lie row by row, as its results do."""

    def instance_norm(*given: Any, plain: Any = torch.nn.functional.instance_norm, **options: Any) -> Any:
        out = plain(*given, **options)
        if out.requires_grad:
            out.register_hook(lambda cotangent: cotangent.contiguous())
        return out

    return replaced(torch.nn.functional, instance_norm=instance_norm)


def steps_unfused() -> Any:
    """Optimizers by the formulas that they have for one tensor after another."""

    def unfused(kind: Any) -> Any:
        return lambda *given, fused=None, **options: kind(*given, **options)

    return replaced(torch.optim, **{name: unfused(getattr(torch.optim, name)) for name in ("SGD", "Adam", "AdamW", "Adagrad")})


def primals_apart() -> Any:
    """The result is not the tensor that the tangent belongs to."""

    def jvp(function: Any, primals: Any, tangents: Any, plain: Any = torch.func.jvp) -> Any:
        return function(*primals), plain(function, primals, tangents)[1]

    return replaced(torch.func, jvp=jvp)


def vander_of_linalg() -> Any:
    """Powers that nothing is written into."""

    def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
        powers = torch.linalg.vander(x, N=N)
        return powers if increasing else powers.flip(-1)

    return replaced(torch, vander=vander)


def losses_copied() -> Any:
    """Their memory has room for the loss alone."""
    space = torch.nn.functional
    return replaced(
        space, smooth_l1_loss=lambda *given, plain=space.smooth_l1_loss, **options: plain(*given, **options).clone()
    )


def products_of_places() -> Any:
    """Compressed rows by the places of their values."""

    def mm(a: Any, b: Any, *rest: Any, plain: Any = torch.sparse.mm) -> Any:
        return plain(a.to_sparse() if a.layout is torch.sparse_csr else a, b, *rest)

    return replaced(torch.sparse, mm=mm)


def no_inference() -> Any:
    """What inference mode makes is made under no_grad."""
    return replaced(torch, inference_mode=torch.no_grad)


def dense_softmax() -> Any:
    def softmax(sparse: Any, dim: int, dtype: Any = None) -> Any:
        there = torch.sparse_coo_tensor(sparse.indices(), torch.ones_like(sparse.values()), sparse.shape).to_dense() != 0
        dense = torch.softmax(torch.where(there, sparse.to_dense(), -torch.inf), dim, dtype=dtype)
        return torch.where(there, dense, 0).to_sparse()

    return replaced(torch.sparse, softmax=softmax)


WAYS: dict[str, Way] = {
    "linearize by jvp": by_jvp,
    "reverse passes": by_reverse,
    "forward for reverse": by_mixed,
    "torch.autograd.functional": by_autograd,
    "tangents apart": apart,
    "primals apart": primals_apart,
    "a loop": looped,
    "one tensor after another": each_tensor,
    "inputs read first": ReadFirst,
    "numbers made anew": NumbersAnew,
    "nothing laid out anew": NothingAnew,
    "det written out": det_written_out,
    "distances written out": distances_written_out,
    "airy to all digits": airy_to_all_digits,
    "instance norm row by row": instance_norm_row_by_row,
    "softmax of dense rows": dense_softmax,
    "steps not fused": steps_unfused,
    "vander of linalg": vander_of_linalg,
    "losses copied": losses_copied,
    "products of places": products_of_places,
    "operands of no inference": no_inference,
    "numbers for bits": contextlib.nullcontext,
}


# PyTorch in another process.


class WithoutVectors:
    """PyTorch with the kernels that it has for all processors, in a process of its own that lasts as long as this one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._of = 0

    def run(self, lines: list[str]) -> Any:
        """What each line did and what there is in the end; None where the process ended."""
        if self._process is None or self._of != os.getpid():
            command = [sys.executable, "-c", "import program_ways; program_ways.answer()"]
            here = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
            environment = {**os.environ, "ATEN_CPU_CAPABILITY": "default", "PYTHONPATH": here}
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            self._of = os.getpid()
        channel = self._process
        assert channel.stdin is not None
        assert channel.stdout is not None
        try:
            pickle.dump(lines, channel.stdin)
            channel.stdin.flush()
            return mapped(pickle.load(channel.stdout), _Told, lambda told: type(told.name, (Exception,), {})(told.text))
        except (EOFError, BrokenPipeError):
            channel.kill()
            self._process = None
            return None


WITHOUT_VECTORS = WithoutVectors()


@dataclasses.dataclass
class _Told:
    """An error, without what cannot go to another process."""

    name: str
    text: str


def mapped(run: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """What was done, in which each thing of a kind is changed."""

    def mapped(value: Any) -> Any:
        if isinstance(value, kind):
            return change(value)
        if isinstance(value, list | tuple):
            return type(value)(map(mapped, value))
        if isinstance(value, dict):
            return {key: mapped(one) for key, one in value.items()}
        if isinstance(value, Step):
            return Step(mapped(value.error), mapped(value.made))
        return Seen(value.values, mapped(value.facts)) if isinstance(value, Seen) else value

    return mapped(run)


def answer() -> None:
    """What that process does."""
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            lines = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        done = run(Side(torch), lines)
        pickle.dump(mapped(done, Exception, lambda error: _Told(type(error).__name__, str(error))), out)
        out.flush()
