"""The public forms of ops: function, method, in-place method, ``out=``; and PyTorch's spellings of their arguments.

Pointwise ops get all forms from the table (``forms=`` of :func:`publish`). Where PyTorch's signature is not the kernel's
(``dim`` and ``keepdim`` instead of axes, options, several overloads), a function written in PyTorch's signature is marked
with :func:`public`, and the other forms follow from it:

    @public(inplace=True)
    def tril(input, diagonal=0):
        return ops.tril(input, diagonal)

``registry["torch"]["tril"]`` is then the function, ``methods["tril"]`` and ``methods["tril_"]`` what Tensor has.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, TypeVar

from ..autograd.modes import special, state
from ..backend import pointwise as kernels
from ..base.arguments import axis_of as axis_of
from ..base.arguments import type_name
from ..base.arguments import warn as warn_user
from ..base.public_names import methods as methods
from ..base.public_names import module as module
from ..base.public_names import registry as registry
from ..base.switches import switches
from ..tensor import PLAIN, Tensor
from . import dispatch, inplace
from .argument_forms import in_plain_numbers, plain_arguments, refusal, refuse_misfits, respelled, spellings_of, takes_out
from .argument_types import Taken, unknown
from .asking import asked, asked_as, foreign, taken_over
from .compiling import compiled_call, compiled_function, unusual
from .descriptions import description
from .misfits import Call, flags_of, lacking, no_bool, only_bools, without
from .out import write_out
from .signatures import OUT, PublicSignature
from .spellings import by_own_names, in_order, with_other
from .table import Op, table, tensors

F = TypeVar("F", bound=Callable[..., Any])


def public(
    name: str | None = None,
    *,
    space: str = "torch",
    method: bool | str = True,
    inplace: bool | Callable[..., Tensor] = False,
    out: bool = True,
    function: bool = True,
) -> Callable[[F], F]:
    """Publishes a function written in PyTorch's signature.

    ``space``    the namespace it stands in; only functions of 'torch' become methods unless ``method`` is a name
    ``method``   whether (or under which name) Tensor has it; its first parameter is the tensor
    ``inplace``  whether there is a method with ``_`` behind its name; or what computes for it, where that asks in another order
    ``out``      whether the function takes ``out=``
    """

    def publish_it(f: F) -> F:
        public_name = name or f.__name__
        written = inplace if callable(inplace) else f
        spoken = spoken_form(f, public_name, out, space)
        if function:
            module(space)[public_name] = spoken
            spoken.__module__ = _module_name(space)
        if isinstance(method, str) or (method and space == "torch"):
            method_name = method if isinstance(method, str) else public_name
            methods[method_name] = spoken_form(f, method_name, False, method=True, both=function and space == "torch")
            if inplace:
                methods[method_name + "_"] = inplace_form(written, method_name + "_")
        if inplace and space != "torch" and function:
            module(space)[public_name + "_"] = inplace_form(written, public_name + "_")
        elif inplace and function:
            module(space)[public_name + "_"] = function_of(methods[public_name + "_"])
        return f

    return publish_it


def _module_name(space: str) -> str:
    """The module that serves a namespace: where pickles find its functions."""
    return space.replace("torch", __package__.partition(".")[0], 1)


# What PyTorch has written in Python: its errors for missing arguments are Python's own. Of torch.nn.functional all but these.
_IN_PYTHON = ("torch.nn.functional", "torch.masked")
NATIVE_LAYERS = frozenset(
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d "
    "conv_transpose2d conv_transpose3d cosine_similarity gelu hardshrink linear logsigmoid native_channel_shuffle one_hot "
    "pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu scaled_dot_product_attention softplus softshrink".split()
)


def spoken_form(
    f: Callable[..., Any], name: str, out: bool, space: str = "torch", method: bool = False, both: bool = False
) -> Callable[..., Any]:
    """``f`` with NumPy's spellings of its arguments accepted, and ``out=`` if wanted.

    ``both``  whether its own errors, which are now a method's, are a function's too
    """
    native = space not in _IN_PYTHON or name in NATIVE_LAYERS
    plain = method or space == "torch" or name in NATIVE_LAYERS  # else errors name it otherwise: linalg_norm
    parameters = parameter_names(f)
    flags = flags_of(f, native)
    first_flag = min(flags.values(), default=0)
    prefix = "" if plain or not native else f"{space.removeprefix('torch.')}_"
    spellings = spellings_of(parameters)
    listed = _name_of_list(f)

    @functools.wraps(f)
    def spoken(*args: Any, **kwargs: Any) -> Any:
        if special.active:
            result = asked(call.shown_as, args, kwargs)
            if result is not NotImplemented:
                return result
        target = None
        if kwargs:
            if spellings:
                args, kwargs = by_own_names(parameters, spellings, args, kwargs)
            if listed in kwargs:
                args = _with_list(f, name, listed, args, kwargs)
            if out and "out" in kwargs:
                if native and not takes_out(prefix + name):
                    raise refusal(prefix + name, False, args, kwargs) or TypeError(
                        f"{prefix}{name}() got an unexpected keyword argument 'out'"
                    )
                target = kwargs.pop("out")
        try:
            if flags and (kwargs or len(args) > first_flag) and no_bool(flags, args, kwargs):
                raise TypeError  # which is then said in PyTorch's words
            if asks and (kwargs or (len(args) > 1 and (look := known.get((*map(type, args),), unknown)) and look(args))):
                args, kwargs = taken.settled(args, kwargs)
            if target is not None:
                return write_out(f, name, target, args, kwargs, prefix + name)
            return f(*args, **kwargs) if kwargs else f(*args)
        except (AttributeError, TypeError, RuntimeError, ValueError, IndexError, ArithmeticError, MemoryError) as error:
            given = kwargs if target is None else {**kwargs, "out": target}
            result = foreign(call.shown_as, args, given)
            if result is not NotImplemented:
                return result
            again = in_plain_numbers(error, prefix + name, method, args, given) if native else None
            try:
                wrong = behind(error, args, given) if again is None else None
                if wrong is not None:
                    raise wrong from None
                if again is None:
                    raise
            finally:
                wrong = None  # its traceback has this frame
        return spoken(*again[0], **again[1])

    def behind(error: Exception, args: tuple[object, ...], kwargs: dict[str, object]) -> Exception | None:
        """PyTorch's error for a call that has failed, which may be for arguments that it looks at before all else."""
        if isinstance(error, MemoryError):
            return out_of_memory(error)
        failed = Call(name, parameters, args, kwargs, method, frozenset(flags), prefix)
        wrong = failed.asked_first(space, call.__signature__) or failed.by_forms(native, plain, space, f)
        if wrong is None and native:
            wrong = failed.too_many(f, error)
        wrong = wrong or _too_large(error)
        if wrong is not None or not isinstance(error, (AttributeError, TypeError)):
            return wrong
        wrong = failed.misfit(error, plain) or (failed.as_method(error) if both else None)
        return wrong or (lacking(f.__qualname__, prefix + name, error) if native else None)

    taken = Taken(
        name,
        f,
        lambda args, kwargs: Call(name, parameters, args, kwargs, method, frozenset(flags), prefix).by_forms(
            native, plain, space, f
        ),
        lambda args, kwargs: plain_arguments(prefix + name, method, args, kwargs) if native else (args, kwargs),
    )
    asks, known = taken.asks, taken.known
    call: Any = spoken
    call.shown_as = call  # what __torch_function__ is told was called
    call.__signature__ = PublicSignature(f, *((OUT,) if out else ()))  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = f.__qualname__ = name  # Python's errors for arguments name f
    return spoken


def _name_of_list(f: Callable[..., Any]) -> str:
    """What PyTorch calls the sizes or dimensions that ``f`` takes one by one too, ``*dims`` say; '' where it takes none."""
    code = inspect.unwrap(f).__code__
    name = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & inspect.CO_VARARGS else ""
    return name if name in ("size", "shape", "dims", "repeats") else ""


def _with_list(f: Callable[..., Any], name: str, label: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments with the list that was given by its name; PyTorch's errors where it is none, or the second."""
    before = parameter_names(f)[: inspect.unwrap(f).__code__.co_argcount]
    if len(args) > len(before):
        raise TypeError(f"{name}() got multiple values for argument '{label}'")
    value = kwargs.pop(label)
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{name}(): argument '{label}' must be tuple of ints, not {type(value).__name__}")
    return (*args, *(kwargs.pop(one) for one in before[len(args) :] if one in kwargs), value)


def parameter_names(f: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters (``inspect.signature`` takes ten times as long)."""
    code = inspect.unwrap(f).__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# How NumPy's errors for sizes begin that no memory holds.
_TOO_LARGE = (
    "array is too big",
    "Maximum allowed dimension exceeded",
    "Maximum allowed size exceeded",
    "iterator is too large",
)


def _too_large(error: Exception) -> RuntimeError | None:
    """PyTorch's error for a size that no memory holds, where NumPy's says so."""
    return RuntimeError("Storage size calculation overflowed") if str(error).startswith(_TOO_LARGE) else None


def out_of_memory(error: MemoryError) -> Exception:
    """PyTorch's error for an array that NumPy had no memory for; Python's own where it was not for an array."""
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or dtype is None:
        return error
    size = math.prod(shape) * dtype.itemsize
    return RuntimeError(
        f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {size} bytes. Error code 12 (Cannot allocate memory)"
    )


def inplace_form(f: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method that puts ``f(self, ...)`` into self."""
    parameters = parameter_names(f)

    def refused(args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Exception | None:
        failed = Call(name, parameters, args, kwargs)
        wrong = failed.misfit(error) or failed.as_method(error) or failed.too_many(f, error)
        return wrong or lacking(f.__name__, name, error)

    flags = flags_of(f, native=True)
    return inplace.by_result(only_bools(f, flags) if flags else f, name, refused=refused)


def leaving_graph(tensor: Tensor) -> Tensor:
    """``tensor``, of which a Python number is to be made: with a warning where that number lacks its history."""
    if tensor._needs_grad and state.grad_enabled and tensor.requires_grad:
        warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
            "tensor.detach() first.",
            once=True,
        )
    return tensor


def function_of(method: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a method that writes into its tensor, which the function takes by name too."""
    name = method.__name__

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        by_name = not args
        if by_name:
            kwargs = respelled(kwargs)
            if "input" not in kwargs:
                raise without(name, ["input"])
            args = (kwargs.pop("input"),)
        try:
            return method(*args, **kwargs)
        except Exception as error:
            named = {"input": args[0], **kwargs} if by_name else kwargs
            if not isinstance(args[0], Tensor) and isinstance(error, AttributeError):
                result = foreign(call, args, kwargs)
                if result is not NotImplemented:
                    return result
            refuse_misfits(name, False, () if by_name else args, named)
            if isinstance(args[0], Tensor) or not isinstance(error, AttributeError):
                raise
            place = "" if by_name else " (position 1)"
            what = f"argument 'input'{place} must be Tensor, not {type_name(args[0])}"
            raise TypeError(f"{name}(): {what}") from None

    return call


_warned: set[str] = set()


def warn(text: str, once: bool = False) -> None:
    """A UserWarning at the line of the user's program that is running; ``once`` in a process, or as set_warn_always says."""
    if once and not switches.warn_always:
        if text in _warned:
            return
        _warned.add(text)
    warn_user(text)


def alert_not_deterministic(name: str) -> None:
    """What ``use_deterministic_algorithms`` asks for where PyTorch's ``name`` depends on the order of its threads: an error, or a
    warning. Here it does not; but a program is to fail here as it fails there."""
    if not switches.deterministic:
        return
    start = f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
    issue = (
        "file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
        "operation."
    )
    if not switches.warn_only:
        raise RuntimeError(
            f"{start})'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if "
            f"that's acceptable for your application. You can also {issue}"
        )
    warn(f"{start}, warn_only=True)'. You can {issue}")


class CompiledOnUse:
    """A method that is an op: compiled when first looked up, then in its own place.

    ``make``       'method', or 'operator', which gives NotImplemented instead of an error for foreign operands
    ``where``      what must be true of the arrays ``x_<input>`` for an operator that means several ops
    ``otherwise``  what takes the other calls
    """

    made: Callable[..., Any] | None = None

    def __init__(
        self, name: str, op_name: str, make: str, where: str = "", otherwise: Callable[..., Any] | None = None
    ) -> None:
        self.name, self.op_name, self.make = name, op_name, make
        self.where, self.otherwise = where, otherwise

    def compile(self) -> Callable[..., Any]:
        if self.made is None:
            self.made = self._compiled()
        return self.made

    def _compiled(self) -> Callable[..., Any]:
        entry = table[self.op_name]
        function = compiled_call(entry, self._unless_taken_over, self.where, public=True)
        if self.make == "method":
            function = with_other(self.name, function) if len(entry.inputs) == 2 else function
            function.__doc__ = f"See :func:`torch.{self.name}`."
        function.__name__ = self.name
        return function

    def _unless_taken_over(self, op: Op, args: tuple[Any, ...]) -> Any:
        """A call that is out of the ordinary: those who take calls over are asked first."""
        if special.active:
            settled, result = asked_as(self.name, args)
            if settled:
                return result
            if self.otherwise is None and args[0].__class__ in PLAIN and args[-1] is not None and not unusual(*args):
                return op.call(*args)
        if self.make == "method":
            return dispatch.general_method(op, args)
        return dispatch.general_operator(op, args) if self.otherwise is None else self.otherwise(*args)

    def __get__(self, instance: Any, owner: type) -> Any:
        function = self.compile()
        home = next((cls for cls in owner.__mro__ if cls.__dict__.get(self.name) is self), None)
        if home is not None:  # else another thread was first
            setattr(home, self.name, function)
        return function if instance is None else function.__get__(instance, owner)


def publish(name: str, *aliases: str, forms: str = "function method inplace", space: str = "torch") -> None:
    """Publishes a pointwise op of the table under its own name and further ones."""
    entry = table[name]
    for public_name in (name, *aliases):
        if "function" in forms:
            module(space)[public_name] = function = _PublicOp(entry, public_name, space).function
            function.__doc__ = description(name, public_name, space)
            function.__module__ = _module_name(space)
        if "method" in forms:
            methods[public_name] = CompiledOnUse(public_name, name, "method")
        if "inplace" in forms:
            methods[public_name + "_"] = _inplace_op(entry.name, public_name + "_")
            if "function" in forms:
                module(space)[public_name + "_"] = function_of(methods[public_name + "_"])


_SHOWN = (lambda input, *, out=None: 0, lambda input, other, *, out=None: 0, lambda x, n, *, out=None: 0)
_SIGNATURES = {parameter_names(shown)[:-1]: PublicSignature(shown) for shown in _SHOWN}


class _PublicOp:
    """A pointwise op as PyTorch's function ``f(input, other, *, out=None)``: ``function``, and what its compiled code leaves to others."""

    def __init__(self, entry: Op, name: str, space: str = "torch") -> None:
        self.entry, self.name = entry, name
        self.said = name if space == "torch" else f"{space.removeprefix('torch.')}_{name}"  # in errors for arguments
        self.function = compiled_function(entry, self, self.general)
        self.labels = parameter_names(self.function)
        self.function.__name__ = self.function.__qualname__ = name
        self.function.__signature__ = _SIGNATURES[self.labels]  # type: ignore[attr-defined]

    def __call__(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        args, given = in_order(self.said, self.labels, args, named)
        out = given.get("out")
        if out is not None and not takes_out(self.said):
            raise refusal(self.said, False, args, given) or TypeError(f"{self.name}() got an unexpected keyword argument 'out'")
        if special.active:
            result = asked(self.function, args, given)
            if result is not NotImplemented:
                return result
        try:
            return self.entry.call(*args) if out is None else write_out(self.entry.call, self.name, out, args, {}, self.said)
        except TypeError as error:
            return taken_over(self.function, args, given, error)
        except (RuntimeError, ValueError):
            refuse_misfits(self.said, False, args, given)
            raise

    def general(self, entry: Op, args: tuple[Any, ...]) -> Any:
        try:
            return dispatch.general(entry, in_order(self.said, self.labels, args, {})[0])
        except TypeError as error:
            return taken_over(self.function, args, {}, error)


def _inplace_op(op_name: str, name: str) -> Callable[..., Any]:
    entry = table[op_name]

    def settled(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (*args, *kwargs.values()), {}  # `other` at most

    def refused(args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Exception | None:
        return Call(name, ("input", "other"), args, kwargs).as_method(error)

    def compute(*args: Any) -> Any:
        return entry.call(*args)  # which is compiled when it is first asked for

    call: Any = inplace.by_result(compute, name, settled, refused)
    ufunc = kernels.IN_PLACE.get(entry.kernel)
    if ufunc is not None:
        short: Any = (inplace.unary if ufunc.nin == 1 else inplace.binary)(ufunc, name, call)
        short.shown_as = call.shown_as = short
        return short
    return call


def operator_method(name: str, op_name: str) -> None:
    """Makes an op the meaning of a Python operator, ``__mul__`` say."""
    methods[name] = CompiledOnUse(name, op_name, "operator")


def alias(new: str, old: str, *, space: str = "torch", inplace: bool | None = None) -> None:
    """A second name for something public."""
    for ending in ("", "_"):
        if old + ending in module(space):
            module(space)[new + ending] = module(space)[old + ending]
    if space == "torch":
        if old in methods:
            found = methods[old]
            if isinstance(found, CompiledOnUse):
                found = CompiledOnUse(new, found.op_name, found.make)
            methods[new] = found
        if old + "_" in methods:
            methods[new + "_"] = methods[old + "_"]


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """One dimension or several, as numbers from 0, each at most once; all of them for None or an empty list."""
    if dim.__class__ is int and -ndim <= dim < ndim:
        return (dim if dim >= 0 else dim + ndim,)
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, (tuple, list)):
        if not dim:
            return tuple(range(ndim))
        try:
            axes = tuple(axis_of(one, ndim) for one in dim)
        except TypeError:  # PyTorch asks of the first alone that it is no bool
            axes = (axis_of(dim[0], ndim), *(axis_of(int(one) if isinstance(one, bool) else one, ndim) for one in dim[1:]))
        for index, axis in enumerate(axes):
            if axis in axes[:index]:
                raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    else:
        axes = (axis_of(dim, ndim),)
    return axes if ndim else ()


ops = tensors
