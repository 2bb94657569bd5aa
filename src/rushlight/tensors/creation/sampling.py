"""Random numbers that depend on tensors, and tensors filled with random numbers in place.

``bernoulli, multinomial, normal, poisson, binomial`` make new tensors; ``uniform_, normal_, random_`` fill one
in the order in which it lies in memory, as PyTorch does, and cut it off from its history: its gradient is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import random as generators
from ...autograd import modes, overlaps, tangents, views
from ...autograd.rule_errors import broadcast_error
from ...backend import implicit_gradients
from ...ops.argument_forms import check_form
from ...ops.misfits import Call
from ...ops.out import warn_of_resizing
from ...ops.parameters import is_number
from ...ops.publishing import method, published
from ...ops.rule_functions import refusal
from ...ops.table import op, table
from ...tensor import Tensor
from ..arguments import checked_shape, integer, number, options, refuse, type_name
from .allocation import finished, into
from .random_tensors import fill_as_laid_out, is_drawn_in, no_kernel, without_normals

Array = np.ndarray[Any, Any]
Draw = Callable[[tuple[int, ...], bool], Array]

# The numbers are drawn by a function that the op is given; whatever the input, the result does not depend on it.


def _drawn(x: Array, draw: Draw) -> Array:
    made = np.empty_like(x)
    fill_as_laid_out(made, draw)
    return made


def _drawn_by(x: Array, chances: Array, draw: Draw) -> Array:
    return _drawn(x, draw)


def _drawn_for(input: Array, values: Array) -> Array:
    return values


def _drawn_around(mean: Array, std: Array, values: Array) -> Array:
    return values


for _node in (
    "UniformBackward0", "NormalBackward0", "ExponentialBackward0", "GeometricBackward0", "CauchyBackward0",
    "LogNormalBackward0", "RandomBackward0", "RandomBackward1", "RandomBackward2", "BernoulliBackward2",
):  # fmt: skip
    op(f"draw_{_node}", _drawn, node=_node, x=lambda g, xp: xp.zeroed(g))
for _node in ("BernoulliBackward0", "PoissonBackward0", "NormalBackward1", "NormalBackward2"):
    op(f"draw_{_node}", _drawn_for, node=_node, input=lambda g, xp: xp.zeroed(g))
op("draw_BernoulliBackward1", _drawn_by, node="BernoulliBackward1",
   x=lambda g, xp: xp.zeroed(g), chances=lambda g, xp, chances: xp.zeroed(chances))  # fmt: skip
op("draw_StandardGammaBackward0", _drawn_for, node="StandardGammaBackward0", kind="elementwise",
   input=lambda g, xp, input, out: g * xp.standard_gamma_grad(input, out))  # fmt: skip
op("standard_gamma_grad", implicit_gradients.gamma_gradient,
   shape=refusal("_standard_gamma_grad"), x=refusal("_standard_gamma_grad"))  # fmt: skip
op("dirichlet_grad", implicit_gradients.dirichlet_gradient, inputs="x alpha total")
op("draw_NormalBackward3", _drawn_around, node="NormalBackward3",
   mean=lambda g, xp: xp.zeroed(g), std=lambda g, xp: xp.zeroed(g))  # fmt: skip


def _is_followed(inputs: tuple[Tensor, ...]) -> bool:
    """Whether a gradient or a tangent of an input is to be that of what is drawn: zeros."""
    if modes.state.grad_enabled and any(each.requires_grad for each in inputs):
        return True
    return bool(modes.state.forward_levels) and any(tangents.tangents_of(each) for each in inputs)


def _fill(self: Tensor, name: str, node: str, draw: Draw, *by: Tensor) -> Tensor:
    """Fills ``self`` with what ``draw(shape, contiguous)`` gives, which makes it from the tensors ``by``."""
    if self._inference is not None:
        draw((0,), True)  # what is wrong with the distribution, and with the memory, is told first
        overlaps.check_memory(self)
    views.check_writable(self)
    if overlaps.overlaps_itself(self._array):
        draw((0,), True)
    overlaps.check_memory(self)
    if _is_followed((self, *by)):
        return views.inplace(table[f"draw_{node}"].call, name, self, *by, draw)
    fill_as_laid_out(self._array, draw)
    views.bump(self, name)
    return self


# In place.

_NOTHING = np.dtype(np.float32)  # nothing is drawn in


def _drawn_in(self: Tensor) -> np.dtype:
    """The dtype to draw in; where there is nothing to draw no dtype is refused."""
    dtype = self._array.dtype
    return dtype if self._array.size or dtype.kind in "fV" else _NOTHING


@method
def uniform_(self: Tensor, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
    """``uniform_(from, to)`` fills with uniform numbers from [from, to), that is [0, 1). RuntimeError if from > to."""
    low, high = _bounds("uniform_", bounds, named, 0.0, 1.0)
    dtype = self._array.dtype
    if not is_drawn_in(dtype):
        no_kernel("check_uniform_bounds", dtype)
    if dtype.kind in "cW" and not self._array.size:  # whose bounds nobody looks at
        low, high = 0.0, 1.0
    stream = generators.stream_of(generator)
    return _fill(self, "uniform_", "UniformBackward0", lambda shape, _: stream.uniform(shape, dtype, low, high))


def _bounds(name: str, given: tuple[Any, ...], named: dict[str, Any], low: Any, high: Any) -> tuple[Any, Any]:
    """The arguments ``from`` and ``to``, the first of which no Python function can name."""
    for key in named:
        if key not in ("from", "to"):
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    if len(given) > 2:
        raise TypeError(f"{name}() takes from 0 to 2 positional arguments but {len(given)} were given")
    return (*given, *(named.get(key, default) for key, default in (("from", low), ("to", high))[len(given) :]))


@method
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fills with normal numbers. RuntimeError for a negative deviation."""
    dtype = self._array.dtype
    mean, std = (float(one) if is_number(one) else one for one in (mean, std))
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if dtype.kind in "iub":
        if self._array.size:
            without_normals(self._array.shape, dtype)
        return _fill(self, "normal_", "NormalBackward0", lambda shape, _: without_normals(shape, dtype))
    stream = generators.stream_of(generator)
    return _fill(
        self,
        "normal_",
        "NormalBackward0",
        lambda shape, whole: stream.normal(shape, dtype, mean, std, contiguous=whole),
    )


@method
def random_(self: Tensor, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
    """Fills with whole numbers: ``random_()`` all of the dtype's range, ``random_(to)``, ``random_(from, to)``."""
    dtype = _drawn_in(self)
    first, last = _bounds("random_", (None, *bounds) if len(bounds) == 1 and "to" not in named else bounds, named, None, None)
    if dtype.kind == "c" and first is last is None:
        no_kernel("random_kernel_cpu", dtype)
    if any(bound is not None and not isinstance(bound, (int, np.integer, Tensor)) for bound in (first, last)):
        raise Call("random_", ("self", "from", "to"), (self, *bounds), named).no_form()
    overlaps.check_memory(self)
    for bound in (first, last):
        if bound is not None and not -(2**63) <= bound < 2**63:
            raise ValueError("Overflow when unpacking long long")
    stream = generators.stream_of(generator)
    if last is None:
        node = "RandomBackward2" if first is None else "RandomBackward0"
        low = None if first is None else int(first)
        return _fill(self, "random_", node, lambda shape, _: stream.integers_of_dtype(shape, dtype, low))
    node = "RandomBackward1" if first is None else "RandomBackward0"
    start, end = 0 if first is None else int(first), int(last)
    return _fill(self, "random_", node, lambda shape, _: stream.integers(shape, dtype, start, end))


def _continuous(self: Tensor, distribution: str, word: str) -> np.dtype[Any]:
    """The dtype, if the numbers of a continuous distribution fit it."""
    dtype = self._array.dtype
    if dtype.kind in "iub":
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {word}"
        )
    return dtype


@method
def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fills with exponential numbers of a rate. RuntimeError unless that is positive."""
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    overlaps.check_memory(self)
    dtype = _continuous(self, "Exponential", self.dtype.scalar_name) if self._array.size else _NOTHING
    stream = generators.stream_of(generator)
    return _fill(self, "exponential_", "ExponentialBackward0", lambda shape, _: stream.exponential(shape, dtype, lambd))


@method
def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fills with Cauchy numbers. RuntimeError unless ``sigma`` is positive."""
    check_form("cauchy_", (median, sigma))
    median, sigma = float(median), float(sigma)
    dtype = _continuous(self, "Cauchy", self.dtype.c_name)
    stream = generators.stream_of(generator)
    return _fill(self, "cauchy_", "CauchyBackward0", lambda shape, _: stream.cauchy(shape, dtype, median, sigma))


@method
def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """Fills with exponentials of normal numbers. RuntimeError unless ``std`` is positive."""
    check_form("log_normal_", (mean, std))
    mean, std = float(mean), float(std)
    dtype = _drawn_in(self)
    if dtype.kind in "iubc":
        no_kernel("log_normal_cpu", dtype)
    stream = generators.stream_of(generator)
    return _fill(self, "log_normal_", "LogNormalBackward0", lambda shape, _: stream.log_normal(shape, dtype, mean, std))


@method
def geometric_(self: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Fills with how many trials the first success takes. RuntimeError unless 0 < p < 1."""
    dtype = _drawn_in(self)
    stream = generators.stream_of(generator)
    return _fill(self, "geometric_", "GeometricBackward0", lambda shape, _: stream.geometric(shape, dtype, p))


@method
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fills with ones at a chance of ``p``, a number or a tensor of chances; zeros otherwise."""
    dtype = _drawn_in(self)
    stream = generators.stream_of(generator)
    if not isinstance(p, Tensor):
        chance = float(number("bernoulli_", "p", 1, p))  # type: ignore[arg-type]
        return _fill(self, "bernoulli_", "BernoulliBackward2", lambda shape, _: stream.bernoulli(shape, dtype, chance))
    chances = p._array
    if chances.dtype.kind not in "fV":
        no_kernel("bernoulli_tensor_cpu_p_", chances.dtype)
    shape = self._array.shape
    if np.broadcast_shapes(*_fits(chances.shape, shape)) != shape:
        raise RuntimeError(f"bernoulli_(): chances of shape {list(chances.shape)} do not expand to {list(shape)}")
    order = generators.memory_axes(self._array)
    spread = np.broadcast_to(chances, shape).transpose(order)
    return _fill(self, "bernoulli_", "BernoulliBackward1", lambda shape, _: stream.bernoulli(spread.shape, dtype, spread), p)


def _fits(have: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both shapes, if the first expands to the second; PyTorch's error otherwise."""
    lead = len(wanted) - len(have)
    for axis in range(len(have) - 1, -1, -1):
        if lead >= 0 and have[axis] not in (1, wanted[axis + lead]):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted[axis + lead]}) must match the existing size ({have[axis]}) "
                f"at non-singleton dimension {axis + lead}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(have)}"
            )
    if lead < 0:
        raise RuntimeError(
            f"expand(torch.FloatTensor{{{list(have)}}}, size={list(wanted)}): the number of sizes provided "
            f"({len(wanted)}) must "
            f"be greater or equal to the number of dimensions in the tensor ({len(have)})"
        )
    return have, wanted


# New tensors.


def _tensor(name: str, argument: str, position: int, value: object) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_name(value)}")
    return value


def _result(node: str, inputs: tuple[Tensor, ...], values: Array, name: str, out: Any) -> Tensor:
    """The tensor of drawn values, with its node where an input needs a gradient."""
    if out is not None:
        if isinstance(out, Tensor):
            warn_of_resizing(out._array.shape, values.shape)
        return into(out, name, values, None)
    if _is_followed(inputs):
        return table[f"draw_{node}"].call(*inputs, values)
    return finished(values)


@published
def bernoulli(input: Any, p: Any = None, *, generator: Any = None, out: Any = None) -> Tensor:
    """Ones at the chances that ``input`` holds (or at the chance ``p``), zeros otherwise.

    >>> import rushlight as torch
    >>> torch.bernoulli(torch.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    array = _tensor("bernoulli", "input", 1, input)._array
    stream = generators.stream_of(generator)
    if p is not None:
        return finished(stream.bernoulli(array.shape, array.dtype, p))
    if array.dtype.kind not in "fV":
        no_kernel("bernoulli_tensor_cpu_p_", array.dtype)
    return _result("BernoulliBackward0", (input,), stream.bernoulli(array.shape, array.dtype, array), "bernoulli", out)


@published
def multinomial(input: Any, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Any = None) -> Tensor:
    """Indices drawn by the weights in the last dimension of ``input``, which has one or two."""
    array = _tensor("multinomial", "input", 1, input)._array
    num_samples = integer("multinomial", "num_samples", 2, num_samples)
    if array.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if array.dtype.kind not in "fV":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.scalar_name}")
    if out is not None and out._array.dtype.char != "l":
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.scalar_name}")
    drawn = np.array(generators.stream_of(generator).multinomial(array, num_samples, replacement))
    return finished(drawn) if out is None else into(out, "multinomial", drawn, None)


@published
def poisson(input: Any, generator: Any = None) -> Tensor:
    """Poisson numbers of the rates that ``input`` holds."""
    array = _tensor("poisson", "input", 1, input)._array
    if array.dtype.kind not in "fV":
        no_kernel("poisson_cpu", array.dtype)
    return _result("PoissonBackward0", (input,), generators.stream_of(generator).poisson(array), "poisson", None)


@published
def binomial(count: Any, prob: Any, generator: Any = None) -> Tensor:
    """How many of ``count`` trials succeed at chances ``prob``."""
    for label, each in (
        ("count", _tensor("binomial", "count", 1, count)),
        ("prob", _tensor("binomial", "prob", 2, prob)),
    ):
        if each._array.dtype.kind not in "fV":
            raise ValueError(f"binomial only supports floating-point dtypes for {label}, got: {each.dtype.scalar_name}")
    return finished(generators.stream_of(generator).binomial(count._array, prob._array))


_NORMAL_FORMS = (
    "Tensor mean, Tensor std, *, torch.Generator generator = None, Tensor out = None",
    "Tensor mean, float std = 1, *, torch.Generator generator = None, Tensor out = None",
    "float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None",
    "float mean, float std, tuple of ints size, *, torch.Generator generator = None, Tensor out = None, torch.dtype "
    "dtype = "
    "None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool requires_grad = False",
)


@published
def normal(
    mean: Any,
    std: Any = None,
    size: Any = None,
    *,
    generator: Any = None,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Normal numbers about ``mean`` with deviation ``std``: tensors of them, or two numbers and a size.

    >>> import rushlight as torch
    >>> generator = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0.0, 100.0]), 1.0)
    tensor([ 1.5410, 99.7066])
    """
    stream = generators.stream_of(generator)
    if size is not None:
        numpy_type = options("normal", dtype, layout, device, requires_grad, pin_memory, None if out is None else out.dtype)
        middle, spread = number("normal", "mean", 1, mean), number("normal", "std", 2, std)
        shape = checked_shape("normal", size if isinstance(size, (tuple, list)) else (size,))
        if numpy_type.kind in "iub" and spread >= 0:  # type: ignore[operator]
            drawn = without_normals(shape, numpy_type)
        else:
            drawn = stream.normal(shape, numpy_type, middle, spread)  # type: ignore[arg-type]
        return finished(drawn, requires_grad) if out is None else into(out, "normal", drawn, dtype, requires_grad)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        _same_kind(mean)
        mismatch = broadcast_error([mean._array.shape, std._array.shape])
        if mismatch is not None:
            raise mismatch
        drawn = stream.normal_around(mean._array, std._array)
        return _result("NormalBackward3", (mean, std), drawn, "normal", out)
    if isinstance(mean, Tensor):
        _same_kind(mean)
        spread = 1.0 if std is None else number("normal", "std", 2, std)
        return _result("NormalBackward1", (mean,), stream.normal_around(mean._array, spread), "normal", out)  # type: ignore
    if isinstance(std, Tensor):
        _same_kind(std)
        middle = number("normal", "mean", 1, mean)
        return _result("NormalBackward2", (std,), stream.normal_around(middle, std._array), "normal", out)  # type: ignore
    if std is None:
        raise TypeError(f"normal(): argument 'mean' (position 1) must be Tensor, not {type_name(mean)}")
    refuse("normal", (mean, std), {}, *_NORMAL_FORMS)


def _same_kind(tensor: Tensor) -> None:
    if not is_drawn_in(tensor._array.dtype):
        no_kernel("normal_kernel_cpu", tensor._array.dtype)


@published
def _standard_gamma(input: Any, generator: Any = None) -> Tensor:
    """Gamma numbers of scale 1 with the shape parameters that ``input`` holds; they have a gradient."""
    shapes = _tensor("_standard_gamma", "input", 1, input)
    values = generators.stream_of(generator).gamma(shapes._array)
    return table["draw_StandardGammaBackward0"].call(shapes, values)


@published
def _standard_gamma_grad(self: Any, output: Any) -> Tensor:
    """How gamma numbers ``output`` move with their shape parameters ``self``."""
    return table["standard_gamma_grad"].call(self, output)


@published
def _sample_dirichlet(input: Any, generator: Any = None) -> Tensor:
    """Dirichlet numbers with concentrations along the last dimension of ``input``."""
    return finished(generators.stream_of(generator).dirichlet(_tensor("_sample_dirichlet", "input", 1, input)._array))


@published
def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Tensor:
    """How shares ``x`` move with their concentrations ``alpha``, over 1 - x; ``total`` is the sum of concentrations."""
    return table["dirichlet_grad"].call(x, alpha, total)


for _function in (bernoulli, multinomial):
    method(_function)
