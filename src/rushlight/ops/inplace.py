"""In-place forms without a detour: where nothing is recorded, the result is written straight into the tensor.

Everything else (a gradient is needed, dtypes differ, shapes do not fit, memory overlaps) goes to :func:`views.inplace`,
which makes the result first and then puts it into the tensor and its history.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from ..autograd import overlaps, views
from ..autograd.grad_mode import no_grad
from ..autograd.mirrors import in_one_memory, mirrors_by_counter, renew
from ..autograd.modes import special, state
from ..autograd.nodes import Node
from ..autograd.saved import modified
from ..autograd.source_lines import here
from ..autograd.write_errors import refuse_operands, short_name
from ..backend import numpy as backend
from ..backend.pointwise import multiply_of_many
from ..base import dtypes
from ..base.arguments import NUMBERS, is_own, type_name
from ..kernels.arithmetic import MANY, written
from ..tensor import Tensor, new_tensor
from .argument_forms import in_plain_numbers, plain_arguments, refusal, respelled
from .argument_types import Taken, unknown
from .asking import asked
from .compiling import GLOBALS  # what compiled ops see: the set of classes that are plain tensors
from .misfits import Call
from .operands import foreign_method
from .parameters import is_number
from .table import tensors

F = TypeVar("F", bound=Callable[..., Any])

number = backend.number


def named(function: F, name: str) -> F:
    """Gives the in-place form of a function, ``name`` with ``_`` behind it, its name and docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"In-place version of :func:`{name[:-1]}`."
    return function


def record_as(node: Node, name: str, refusal: str | None = None) -> None:
    """Makes the node of an op that of its in-place form, which PyTorch has under a number of its own: ``EluBackward1``.

    ``refusal``  what its derivative raises; None: it is that of the op
    """
    node.__class__ = _inplace_node(type(node), name, refusal)  # type: ignore[arg-type]


@functools.cache
def _inplace_node(node_class: type[Node], name: str, refusal: str | None) -> type[Node]:
    def refused(self: Node, *args: object) -> NoReturn:
        raise RuntimeError(refusal)

    fields = {} if refusal is None else dict.fromkeys(("vjp", "vjp_tensors", "without_cotangent"), refused)
    return type(name, (node_class,), {"__module__": node_class.__module__, **fields})


def read_by_result(written: Tensor) -> Tensor:
    """Has the derivative of what was written raise once it is changed: PyTorch takes that of these forms from their result."""
    node: Any = written._edge[0] if written._edge is not None else None
    if type(node).__name__ in _OF_RESULTS:
        node.__class__ = _guarded(type(node))  # type: ignore[arg-type]
        node.result = written._counter, written._counter[0]
    return written


_OF_RESULTS = frozenset(f"{name}Backward1" for name in ("Celu", "Elu", "LeakyRelu", "RreluWithNoise"))


@functools.cache
def _guarded(node_class: type[Node]) -> type[Node]:
    def guarded(name: str) -> Callable[..., object]:
        run = getattr(node_class, name)

        def call(self: Node, *args: object) -> object:
            counter, version = self.result  # type: ignore[attr-defined]
            if counter[0] != version:
                maker = f", which is output 0 of {short_name(self)},"
                raise modified(self, dtypes.of(self.dtype).type_in_errors, self.shape, maker, counter, version)
            return run(self, *args)

        return call

    fields = {name: guarded(name) for name in ("vjp", "vjp_tensors")}
    return type(node_class.__name__, (node_class,), {"__module__": node_class.__module__, **fields})


def binary(ufunc: np.ufunc, name: str, slow: Callable[..., Any], of_complex: bool = True) -> Callable[..., Any]:
    """``self.name(other)``, writing with ``ufunc`` where it can and calling ``slow(self, other)`` where not.

    ``of_complex``  whether ``ufunc`` is right for complex numbers
    """
    floating = "fc" if of_complex else "f"

    def call(self: Any, other: Any) -> Any:
        if special.active:
            return slow(self, other)
        array = self._array
        kind = other.__class__
        if kind in GLOBALS["plain"]:
            value = other._array
            one, two = self._counter, other._counter
            if value.dtype is not array.dtype or one is two or array.dtype.kind not in floating:
                return slow(self, other)
            if (one.__class__ is not list or two.__class__ is not list) and in_one_memory(self, other):
                return slow(self, other)
            needs = in_graph(other)
        elif kind is float or kind is int:
            value = number(other, array.dtype)
            if value is None or (array.dtype.kind == "c" and not of_complex):
                return slow(self, other)
            needs = False
        else:
            return slow(self, other)
        if not plain_write(self, needs):
            return slow(self, other)
        try:
            if array.size <= MANY or not written(ufunc, array, value):
                ufunc(array, value, array)
        except RuntimeWarning:
            pass  # a division by zero, where warnings are errors: it comes after all is written
        except (ValueError, TypeError):
            return slow(self, other)
        count(self, name)
        return self

    return named(call, name)


def unary(ufunc: np.ufunc, name: str, slow: Callable[..., Any]) -> Callable[..., Any]:
    """``self.name()``, as :func:`binary`."""

    def call(self: Any) -> Any:
        # NumPy 2.4 negates every fourth float, or every eighth double, where it lies wrongly: only whole memory is left to it.
        if special.active or self._array.dtype.kind != "f" or not (self._array.flags.forc and plain_write(self, False)):
            return slow(self)
        with contextlib.suppress(RuntimeWarning):  # where warnings are errors: it comes after all is written
            ufunc(self._array, self._array)
        count(self, name)
        return self

    return named(call, name)


def in_graph(tensor: Any) -> bool:
    """Whether a gradient may be wanted of a tensor, or of the one of which it is a view."""
    base = tensor._base
    return tensor._needs_grad or (base is not None and (base._needs_grad or tensor._edge is not None))


def plain_write(self: Any, other_needs: bool = False) -> bool:
    """Whether writing into ``self`` is a matter of its memory alone."""
    if state.grad_enabled and (other_needs or in_graph(self)):
        return False
    if self._inference and not state.inference:
        return False
    return self._array.flags.c_contiguous or not overlaps.overlaps_itself(self._array)


def count(self: Any, name: str) -> None:
    """Counts a write, and remembers what wrote from where: two frames up, unless that is ours."""
    frame = sys._getframe(2)
    code = frame.f_code
    version = self._counter
    version[0] += 1
    version[1:3] = (name, here(frame) if is_own[code.co_filename] else (code, frame.f_lasti))
    if mirrors_by_counter:
        renew(version)


def scaled(ufunc: np.ufunc, name: str, plain_name: str, scaled_name: str) -> Callable[..., Any]:
    """``self.add_(other, alpha=...)`` and ``sub_``: what optimizers do."""

    def slow(self: Any, other: Any) -> Any:
        try:
            return recorded(self, name, plain_name, other)
        except TypeError as error:
            result = foreign_method(name, (self, other))
            if result is not NotImplemented:
                return result
            raise Call(name, ("self", "other"), (self, other), {}).as_method(error) or error from None
        except RuntimeError:
            _refuse_misfits(name, (other,), {})
            if self._inference is not None and not state.inference:
                _rehearse(getattr(tensors, plain_name), name, self, (other,), {})
            raise

    plain = binary(ufunc, name, slow, of_complex=False)

    def call(self: Any, other: Any, *older: Any, alpha: Any = 1) -> Any:
        if special.active:
            result = asked(shown, (self, other, *older), {} if alpha.__class__ is int and alpha == 1 else {"alpha": alpha})
            if result is not NotImplemented:
                return result
        if older:  # add_(alpha, other), as it was written before PyTorch 1.5
            if len(older) > 1 or not (is_number(other) and (isinstance(older[0], NUMBERS) or hasattr(older[0], "_array"))):
                raise refusal(name, True, (other, *older), {}) or TypeError(f"{name}() takes 1 positional argument")
            return call(self, older[0], alpha=other)
        if alpha.__class__ is not int and not is_number(alpha):
            raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type_name(alpha)}")
        if alpha == 1 and alpha is not True:
            return plain(self, other)
        if (
            not special.active
            and other.__class__ in GLOBALS["plain"]
            and other._array.dtype is self._array.dtype
            and self._array.dtype.kind == "f"
            and (alpha.__class__ is float or alpha.__class__ is int)
            and not in_one_memory(self, other)
            and plain_write(self, in_graph(other))
        ):
            factor = number(alpha, self._array.dtype)
            if factor is None:
                return recorded(self, name, scaled_name, other, alpha)
            try:
                values = other._array
                values = np.multiply(values, factor, out=...) if values.size <= MANY else multiply_of_many(values, factor)
            except RuntimeWarning:  # an overflow, where warnings are errors
                return recorded(self, name, scaled_name, other, alpha)
            try:
                if values.size <= MANY or not written(ufunc, self._array, values):
                    ufunc(self._array, values, self._array)
            except RuntimeWarning:
                pass  # as above: it comes after all is written
            except ValueError:
                return recorded(self, name, scaled_name, other, alpha)
            count(self, name)
            return self
        try:
            return recorded(self, name, scaled_name, other, alpha)
        except RuntimeError as error:
            refuse_operands(name, self, (other,), error)
            raise

    shown: Any = named(call, name)
    shown.shown_as = shown
    return call


Refused = Callable[[tuple[Any, ...], dict[str, Any], Exception], Exception | None]
Settled = Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]]]


def by_result(
    f: Callable[..., Any], name: str, settled: Settled | None = None, refused: Refused | None = None
) -> Callable[..., Any]:
    """``self.name(...)`` for any ``f(self, ...)`` that makes a new tensor.

    ``settled``  the arguments as ``f`` takes them, where some are given by name; None: as they are
    ``refused``  PyTorch's error for arguments that do not fit, if that is what an error came from
    """

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if special.active:
            result = asked(shown.shown_as, (self, *args), kwargs)
            if result is not NotImplemented:
                return result
        if kwargs:
            kwargs = respelled(kwargs)
        if asks and (kwargs or (args and (look := known.get((*map(type, args),), unknown)) and look(args))):
            try:
                args, kwargs = taken.settled(args, kwargs)
            except TypeError:
                _refuse_misfits(name, args, kwargs)
        if kwargs and settled is not None:
            args, kwargs = settled(args, kwargs)
        try:
            if not special.active and plain_write(self) and not shares(self, args):
                result = f(self, *args, **kwargs) if kwargs else f(self, *args)
                have, found = self._array, result._array
                if (
                    not result._needs_grad
                    and result._base is None
                    and result is not self
                    and found.dtype is have.dtype
                    and found.shape == have.shape
                ):
                    have[...] = found
                    count(self, name)
                    return self
            return views.inplace(f, name, self, *args, **kwargs)
        except (AttributeError, TypeError) as error:
            result = NotImplemented if kwargs else foreign_method(name, (self, *args))
            if result is not NotImplemented:
                return result
            _refuse_misfits(name, args, kwargs)
            wrong = refused((self, *args), kwargs, error) if refused is not None else None
            if wrong is not None:
                raise wrong from None
            again = in_plain_numbers(error, name, True, args, kwargs, of_tensor=False)
            if again is None:
                raise
        except (RuntimeError, IndexError, ValueError, ArithmeticError) as error:
            _refuse_misfits(name, args, kwargs)
            if self._inference is not None and not state.inference:
                _rehearse(f, name, self, args, kwargs)
            views.check_writable(self, any(in_graph(value) for value in args if hasattr(value, "_array")), name)  # comes before
            if name in overlaps.BY_ELEMENT:
                refuse_operands(name, self, (*args, *kwargs.values()), error)
            raise
        return call(self, *again[0], **again[1])

    taken = Taken(
        name,
        f,
        lambda args, kwargs: refusal(name, True, args, kwargs),
        lambda args, kwargs: plain_arguments(name, True, args, kwargs, of_tensor=False),
        before=1,
    )
    asks, known = taken.asks, taken.known
    shown: Any = named(call, name)
    shown.shown_as = shown  # what __torch_function__ is told was called
    return call


def _refuse_misfits(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """PyTorch's error for arguments that do not fit: it looks at them before at the tensor."""
    wrong = refusal(name, True, args, kwargs)
    if wrong is not None:
        raise wrong from None


def _rehearse(f: Callable[..., Tensor], name: str, self: Tensor, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """The errors of a write into a tensor of inference mode, which PyTorch refuses when it has been done."""
    with no_grad():
        overlaps.check_write(f, name, self, args, kwargs)
        views.inplace(f, name, new_tensor(self._array.copy()), *args, **kwargs)


def shares(self: Any, inputs: tuple[Any, ...]) -> bool:
    """Whether one of the inputs lies in the memory of ``self``."""
    plain = GLOBALS["plain"]
    for value in inputs:  # noqa: SIM110 (any() of a generator takes twice as long)
        if value.__class__ in plain and in_one_memory(self, value):
            return True
    return False


def recorded(self: Any, name: str, op_name: str, *args: Any) -> Any:
    """The in-place form by way of a new tensor."""
    return views.inplace(getattr(tensors, op_name), name, self, *args)
