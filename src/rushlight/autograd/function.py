"""``torch.autograd.Function``: operations whose forward and backward the user writes.

The context that ``forward`` and ``backward`` get is the graph node itself, as in PyTorch: what forward stores on it is
there when backward runs, and ``y.grad_fn`` is it.
"""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..rooms import provided
from . import engine, modes, views
from .delayed_error import DelayedError
from .graph import FREED, Edge, Node, here, keep_traceback, leaf_edge, observers, orders

if TYPE_CHECKING:
    from ..tensor import Tensor

# Set by tensor.py: the class, and how saved values are opened.
is_tensor: Callable[[Any], bool] = provided("is_tensor")
open_saved: Callable[..., Tensor] = provided("open_saved")
pack_hooked: Callable[[Tensor], Any] = provided("pack_hooked")
raw_saved: Callable[[Any], tuple[Any, ...]] = provided("raw_saved")


class FunctionCtx:
    """What ``forward`` and ``backward`` can ask of their context."""

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors (inputs, outputs, or others) for backward, where ``saved_tensors`` gives them back, checked for
        in-place changes. Call it once, with tensors or None."""
        self.to_save: tuple[Any, ...] | None = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors for ``jvp``."""
        self.saved_for_forward: tuple[Any, ...] | None = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Says which inputs forward changed in place; they must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Says which outputs have no derivative."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs that no gradient arrives at."""
        self.materialize_grads = value


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom Function; each Function has a subclass of its own, NameBackward."""

    _forward_cls: ClassVar[type]
    always_runs = True
    materialize_grads = True
    _materialize_non_diff_grads = True
    to_save: tuple[Any, ...] | None = None
    saved_for_forward: tuple[Any, ...] | None = None
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    _is_pure_view = False  # set by a forward that returns a view which may be written through
    undifferentiable: Container[int] = ()  # the numbers of those outputs
    needs_input_grad: tuple[bool, ...] = ()
    is_tensor_input: tuple[bool, ...] = ()
    output_count = 1
    saved = None

    def name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to save_for_backward, with the history they had."""
        if self.forward_mode:
            return tuple(self.saved_for_forward or ())
        if self.saved is None:
            if self.to_save is not None and not self.recorded:
                return tuple(self.to_save)
            if self.taken:
                raise RuntimeError(
                    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                    "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
                )
            if self.recorded and self.kept_something:
                raise RuntimeError(FREED + self.explain())
            return ()
        entries = self.saved
        if self._forward_cls.clear_saved_tensors_on_access:
            self.saved, self.taken = None, True
        return tuple(open_saved(self, *entry) for entry in entries)

    recorded = False
    forward_mode = False  # while jvp runs, saved_tensors are those of save_for_forward
    kept_something = False
    taken = False  # saved_tensors were asked for, of a Function that gives them out once

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        if self.saved is None and self.recorded and self.kept_something and not self.taken:
            raise RuntimeError(FREED + self.explain())
        return raw_saved(self)

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def release(self) -> None:
        self.saved = None

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        values = self._cotangents(g)
        results = self._apply(tuple(None if value is None else engine.wrap(value) for value in values))
        return tuple(None if one is None else one._array if one._strided else one.scattered() for one in results)

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        results = self._apply(tuple(self._cotangents(g)))
        return tuple(one if one is None or one._strided else one.to_dense() for one in results)

    def _cotangents(self, g: Any) -> list[Any]:
        return [None] * self.output_count if g is None else list(g) if self.metas is not None else [g]

    def _apply(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.materialize_grads:
            metas = self.metas if self.metas is not None else [(self.shape, self.dtype)]
            left_out = () if self._materialize_non_diff_grads else self.undifferentiable
            grads = tuple(
                engine.wrap(np.zeros(*meta)) if grad is None and meta is not None and number not in left_out else grad
                for number, (grad, meta) in enumerate(zip(grads, metas, strict=True))
            )
        function = self._forward_cls
        backward, vjp = function.backward, function.vjp  # type: ignore[attr-defined]
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one "
                "of them."
            )
        results = (vjp if vjp is not Function.vjp else backward)(self, *grads)
        if not isinstance(results, tuple):
            results = (results,)
        return self._checked(results)

    def _checked(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        expected = len(self.is_tensor_input)
        if len(results) > expected and all(result is None for result in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got {len(results)})"
            )
        kept = []
        for position, (result, wanted) in enumerate(zip(results, self.is_tensor_input, strict=True)):
            if not wanted:
                if result is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {position + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
            elif result is not None and not is_tensor(result):
                raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
            else:
                kept.append(result)
        return tuple(kept)


class _FunctionMeta(type):
    """Gives each Function its node class."""

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        super().__init__(name, bases, body)
        cls._backward_cls = type(
            name + "Backward", (BackwardCFunction,), {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        )


class Function(FunctionCtx, metaclass=_FunctionMeta):
    """An operation with a derivative of one's own: subclass it, write static ``forward`` and ``backward``, call ``apply``.

    ``backward(ctx, *grad_outputs)`` returns a gradient, or None, for each argument of forward.

    >>> import rushlight as torch
    >>> class Cube(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x**2
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    _backward_cls: ClassVar[type[BackwardCFunction]]
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False
    """Whether ``ctx.saved_tensors`` gives the tensors up: backward can then free them, and may ask for them only once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
            "on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the result: ``forward(ctx, *args)``, or ``forward(*args)`` beside ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keeps what backward needs, where forward has no context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments from those of the results."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward "
            "mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the results from those of the arguments."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The operation over a batch."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward and records it."""
        if cls.setup_context is not Function.setup_context:
            args, kwargs = _with_defaults(cls.forward, args, kwargs)
        for transform in transforms:
            result = transform(cls, args, kwargs)
            if result is not NotImplemented:
                return result
        return apply_with_context(cls, args, kwargs)[1]


def _with_defaults(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """All arguments by position, with the defaults of those left out: setup_context gets them as ``inputs``."""
    if not kwargs and not getattr(forward, "__defaults__", None):
        return args, kwargs
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


# Set by the rooms above (func transforms, forward mode): (function, args, kwargs) -> result or NotImplemented.
transforms: list[Callable[..., Any]] = []


def _among(value: Any, values: Sequence[Any]) -> bool:
    """Whether a very object is one of several: tensors compare by their elements."""
    for one in values:  # noqa: SIM110 - `any` takes three times as long
        if one is value:
            return True
    return False


def apply_with_context(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Runs forward and records it; returns the context too."""
    ctx = object.__new__(cls._backward_cls)
    tensors = [is_tensor(arg) for arg in args]
    ctx.is_tensor_input = tuple(tensors)
    ctx.needs_input_grad = needs = tuple([tensor and arg.requires_grad for arg, tensor in zip(args, tensors, strict=True)])
    state = modes.state
    recording = state.grad_enabled and True in needs
    before = [arg._edge if tensor else None for arg, tensor in zip(args, tensors, strict=True)]
    previous = state.grad_enabled, state.forward_enabled
    state.grad_enabled = state.forward_enabled = False
    try:
        if cls.setup_context is not Function.setup_context:
            output = cls.forward(*args, **kwargs)
            cls.setup_context(ctx, args, output)
        else:
            output = cls.forward(ctx, *args, **kwargs)
    finally:
        state.grad_enabled, state.forward_enabled = previous
    single = not isinstance(output, tuple)
    outputs = (output,) if single else output
    if ctx.non_differentiable:
        ctx.undifferentiable = {n for n, value in enumerate(outputs) if _among(value, ctx.non_differentiable)}
    if ctx.dirty_tensors and not all(_among(value, outputs) for value in ctx.dirty_tensors):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
            "inplace must all be outputs of the Function."
        )
    if ctx._is_pure_view and (len(outputs) > 1 or sum(ctx.is_tensor_input) != 1):
        raise RuntimeError(
            "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
            "support more."
        )
    if cls.setup_context is not Function.setup_context:
        _check_kept(ctx, args, outputs)
    results = _record(ctx, args, before, outputs) if recording else tuple([_unrecorded(ctx, args, value) for value in outputs])
    if ctx.dirty_tensors or ctx.non_differentiable:  # they may be outputs, which refer to the context
        ctx.dirty_tensors = ctx.non_differentiable = ()
    return ctx, (results[0] if single else results)


def _check_kept(ctx: Any, args: Sequence[Any], outputs: Sequence[Any]) -> None:
    """RuntimeError where ``setup_context`` kept an input that forward returned: it saw no output that differs from it."""
    kept = [one for one in (*(ctx.to_save or ()), *(ctx.saved_for_forward or ())) if is_tensor(one)]
    for one in kept:
        if (
            any(one is arg for arg in args)
            and any(one is out for out in outputs)
            and all(one is not x for x in ctx.dirty_tensors)
        ):
            raise RuntimeError(
                "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
                "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
                "setup ctx inside the forward function itself."
            )


def _unrecorded(ctx: Any, args: Sequence[Any], value: Any) -> Any:
    if not is_tensor(value):
        return value
    if _among(value, ctx.dirty_tensors):
        views.bump(value, ctx.name())
        return value
    if _among(value, args):
        value = value.view_as(value)
    if value._base is not None:
        value._made = "function"
    return value


def _record(ctx: Any, args: tuple[Any, ...], before: list[Any], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gives the outputs of forward their place in the graph."""
    ctx.recorded = True
    ctx.next = tuple(
        [
            (edge or leaf_edge(arg)) if need else None
            for arg, edge, need, tensor in zip(args, before, ctx.needs_input_grad, ctx.is_tensor_input, strict=True)
            if tensor
        ]
    )
    ctx.order = next(orders)
    observers.present = True
    ctx.where = here(3)
    if modes.state.anomaly:
        keep_traceback(ctx, sys._getframe(3), engine.recording_node())
    several = len(outputs) > 1
    ctx.output_count = len(outputs)
    dirty = ctx.dirty_tensors
    results: list[Any] = []
    metas: list[Any] = []
    for number, value in enumerate(outputs):
        if not is_tensor(value):
            results.append(value)
            metas.append(None)
            continue
        is_dirty, is_input = _among(value, dirty), _among(value, args)
        if is_dirty and not is_input:
            _warn_of_dirty(value)
        twin = next((n for n in range(number) if outputs[n] is value), None) if several else None
        if twin is not None and (is_dirty or not is_input):
            value = results[twin]
        elif is_dirty:
            value = _dirtied(ctx, value, several)
        elif is_input:
            value = _alias(value)
        elif value._base is not None and value._base is not value:
            value._made = "function_several" if several else None if ctx._is_pure_view else "function"
        elif value._edge is not None:
            value = value.detach()
        if is_dirty and value._base is not None and value._edge is not None:
            pass  # it has its place: what its base has became of it
        elif number not in ctx.undifferentiable and value._array.dtype.kind in "fcV":
            value._edge, value._needs_grad = (ctx, number), True
            value._seen = value._counter[0]
        else:
            value._edge, value._needs_grad = None, False
        results.append(value)
        metas.append((value._array.shape, value._array.dtype))
    if several:
        ctx.metas = metas
    elif metas[0] is not None:
        ctx.shape, ctx.dtype = metas[0]
    _keep(ctx, results)
    return tuple(results)


def _alias(value: Any) -> Any:
    """An input that forward returned as it is: a view of it, that may not be written through."""
    result = value.detach()
    result._base = value if value._base is None else value._base
    result._seen = result._counter[0]
    result._made = "function"
    return result


def _warn_of_dirty(value: Any) -> None:
    """Where forward marked what was no input as dirty."""
    text = (
        "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed "
        "to ctx.mark_dirty()."
    )
    if value._base is not None:
        raise RuntimeError(text)
    warnings.warn(text, stacklevel=5)


def _dirtied(ctx: Any, value: Any, several: bool) -> Any:
    """An input that forward wrote into, in its new place in the graph."""
    base = value._base
    if base is None:
        if value._needs_grad and value._edge is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        views.bump(value, ctx.name())
        return value
    if several:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
            "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
            "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
            "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
            "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
        )
    if value._edge is None and value._needs_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    views.check_made(value)
    if base._edge is None and base._needs_grad:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    views.bump(value, ctx.name())
    ctx.shape, ctx.dtype = value._array.shape, value._array.dtype
    views.write_through(value, ctx)
    return value


def _keep(ctx: Any, results: list[Any]) -> None:
    """Stores what save_for_backward was given: outputs without a reference to the Tensor, which refers to the node."""
    if ctx.to_save is None:
        return
    hooks = modes.state.saved_hooks
    saved: list[Any] = []
    to_save, ctx.to_save = ctx.to_save, None  # at once: a hook that raises must not leave an output in its own node
    for position, value in enumerate(to_save):
        if value is None:
            saved.append((None, None, None, None))
            continue
        if not is_tensor(value):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {position} is of type {type(value).__name__}"
            )
        if hooks:
            number = next((n for n, out in enumerate(results) if out is value), None)
            edge = (None, number) if number is not None else value._edge or (leaf_edge(value) if value._needs_grad else None)
            saved.append((pack_hooked(value), None, None, edge))
            continue
        for number, result in enumerate(results):
            if result is value:
                # Its own output: the node is left out of the edge, where it would refer to itself.
                edge = (None, number) if result._edge is not None else None
                saved.append((result._array, result._counter, result._counter[0], edge))
                break
        else:
            saved.append((value, value._counter, value._counter[0], None))
    ctx.saved = tuple(saved)
    ctx.kept_something = bool(saved)


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a backward that cannot be differentiated again: trying to is a RuntimeError.

    >>> import rushlight as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @torch.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return g * 2
    >>> x = torch.ones(1, requires_grad=True)
    >>> torch.autograd.grad(Double.apply(x).sum(), x)
    (tensor([2.]),)
    """

    @functools.wraps(function)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with modes.no_grad():
            outputs = function(ctx, *args)
        if not modes.state.grad_enabled or not any(is_tensor(arg) and arg.requires_grad for arg in args):
            return outputs
        single = not isinstance(outputs, tuple)
        results = (outputs,) if single else outputs
        refusal = DelayedError(
            "trying to differentiate twice a function that was marked with @once_differentiable", len(results)
        )
        results = refusal.behind_leaves(results)
        return results[0] if single else results

    return wrapper


class NestedIOFunction(Function):
    """Kept for its name: PyTorch's Function for nested inputs and outputs."""


InplaceFunction = Function


class _SingleLevelFunction(Function):
    """A Function that rules of higher-order operators call: it sees the tensors of the layer that runs as they are."""
