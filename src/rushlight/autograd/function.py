"""``torch.autograd.Function``: operations whose forward and backward the user writes.

The context that ``forward`` and ``backward`` get is in PyTorch the graph node itself. Here it is an object beside the node, so that
no name that a program gives what it stores there (``ctx.shape``, ``ctx.order``) is one that the backward pass goes by. Each
answers for the other where it has no attribute of a name itself: ``y.grad_fn.scale`` is what forward stored as ``ctx.scale``.
"""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable, Container
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..backend.notes import with_notes
from ..base.arguments import code_of
from ..tensor import Tensor, wrap
from . import function_calls, grad_mode, modes, saved, saved_attributes
from .delayed_error import DelayedError
from .interpreters import stack as interpreters
from .nodes import Edge, Node


class FunctionCtx:
    """What ``forward`` and ``backward`` can ask of their context."""

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors (inputs, outputs, or others) for backward, where ``saved_tensors`` gives them back, checked for
        in-place changes. Call it once, with tensors or None."""
        self.to_save: tuple[Any, ...] | None = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors for ``jvp``. AssertionError for what is none."""
        if not all(one is None or isinstance(one, Tensor) for one in tensors):
            raise AssertionError(
                "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
            )
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


_ASKED_OF_NODES = frozenset(
    "name next_functions metadata register_hook register_prehook requires_grad _input_metadata _raw_saved_tensors "
    "_register_hook_dict _sequence_nr _set_sequence_nr".split()
)


class Context(FunctionCtx):
    """The context of one call; each Function has a subclass of its own."""

    _forward_cls: ClassVar[type[Function]]
    _node: weakref.ref[BackwardCFunction]  # which keeps the context alive
    _in_jvp = False  # while jvp runs, saved_tensors are those of save_for_forward
    _materialize_non_diff_grads = True
    _is_pure_view = False  # set by a forward that returns a view which may be written through
    materialize_grads = True
    to_save: tuple[Any, ...] | None = None
    saved_for_forward: tuple[Any, ...] | None = None
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    needs_input_grad: tuple[bool, ...] = ()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, name: str) -> Any:
        node = self._node() if name in _ASKED_OF_NODES else None
        if node is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(node, name)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to save_for_backward, with the history they had."""
        if self._in_jvp:
            return tuple(self.saved_for_forward or ())
        node = self._node()
        return tuple(self.to_save or ()) if node is None else node.opened()

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors


class BackwardCFunction(Node):
    """The node of a custom Function; each Function has a subclass of its own, NameBackward."""

    _forward_cls: ClassVar[type[Function]]
    context: Context
    always_runs = True
    undifferentiable: Container[int] = ()  # the numbers of outputs without derivative
    is_tensor_input: tuple[bool, ...] = ()
    output_count = 1
    saved = None
    recorded = False
    kept_something = False
    taken = False  # saved_tensors were asked for, of a Function that gives them out once

    def name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, name: str) -> Any:
        if name == "context":  # of a copy that has none yet
            raise AttributeError(name)
        try:
            return object.__getattribute__(self.context, name)
        except AttributeError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def opened(self) -> tuple[Any, ...]:
        """What was given to save_for_backward."""
        if self.saved is None:
            if self.context.to_save is not None and not self.recorded:
                return tuple(self.context.to_save)
            if self.taken:
                raise RuntimeError(
                    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                    "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
                )
            if self.recorded and self.kept_something:
                raise self.freed()
            return ()
        entries = self.saved
        if self._forward_cls.clear_saved_tensors_on_access:
            self.saved, self.taken = None, True
        return tuple(saved.open_function_saved(self, *entry) for entry in entries)

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        if self.saved is None and self.recorded and self.kept_something and not self.taken:
            raise self.freed()
        return saved_attributes.of_function(self)

    def vjp(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        values = self._cotangents(g)
        results = self._apply(tuple(None if value is None else wrap(value) for value in values))
        return tuple(None if one is None else one._array if one._strided else one.scattered() for one in results)

    def vjp_tensors(self, g: Any, edges: tuple[Edge | None, ...]) -> tuple[Any, ...]:
        results = self._apply(tuple(self._cotangents(g)))
        return tuple(one if one is None or one._strided else one.to_dense() for one in results)

    def _cotangents(self, g: Any) -> list[Any]:
        return [None] * self.output_count if g is None else list(g) if self.metas is not None else [g]

    def _apply(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        context = self.context
        if context.materialize_grads:
            metas = self.metas if self.metas is not None else [(self.shape, self.dtype)]
            left_out = () if context._materialize_non_diff_grads else self.undifferentiable
            grads = tuple(
                wrap(np.zeros(*meta)) if grad is None and meta is not None and number not in left_out else grad
                for number, (grad, meta) in enumerate(zip(grads, metas, strict=True))
            )
        function = self._forward_cls
        backward, vjp = function.backward, function.vjp
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one "
                "of them."
            )
        results: Any = (vjp if vjp is not Function.vjp else backward)(context, *grads)
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
        kept: list[Any] = []
        for position, (result, wanted) in enumerate(zip(results, self.is_tensor_input, strict=True)):
            if not wanted:
                if result is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {position + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
            elif result is not None and not isinstance(result, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
            else:
                if result is not None and len(kept) < len(self.next):
                    self._expect_fit(len(kept), result, self.next[len(kept)])
                kept.append(result)
        return tuple(kept)

    def _expect_fit(self, index: int, g: Any, edge: Edge | None) -> None:
        """RuntimeError for a gradient that is not one of its input, whether or not the pass asks for it."""
        if edge is None:
            return
        node = edge[0]
        shape, dtype = (node.shape, node.dtype) if node.metas is None else node.metas[edge[1]]
        have = g._array.shape
        if have != shape and (
            len(have) < len(shape) or any(n not in (1, m) for n, m in zip(shape[::-1], have[::-1], strict=False))
        ):
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {index} - got {list(have)} but expected shape "
                f"compatible with {list(shape)}"
            )
        if g._array.dtype.kind in "cW" and dtype is not None and dtype.kind not in "cW":
            raise with_notes(
                RuntimeError(
                    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false.  "
                    "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
                ),
                f"{self.name()} returned complex numbers as the gradient at index {index}, of a real input: return their real "
                "part.",
            )


class _FunctionMeta(type):
    """Gives each Function its classes of nodes and of contexts."""

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        super().__init__(name, bases, body)
        own = {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), dict(own))
        if "_context_cls" not in body:
            cls._context_cls = type(name + "Backward", (Context,), dict(own))


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
    _context_cls: ClassVar[type[Context]]
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

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the result: ``forward(ctx, *args)``, or ``forward(*args)`` beside ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    setup_context = staticmethod(function_calls.no_setup)

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
        elif kwargs:
            args = _by_position(cls.forward, args, kwargs)
            kwargs = {}
        if modes.special.active:
            result = interpreters.ask("function", cls, args, kwargs)
            if result is not NotImplemented:
                return result
        return function_calls.apply_with_node(cls, args, kwargs)[1]


def _with_defaults(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """All arguments by position, with the defaults of those left out: setup_context gets them as ``inputs``."""
    if not kwargs and not getattr(forward, "__defaults__", None):
        code = code_of(forward)
        if code is None or code.co_argcount == len(args) or code.co_flags & inspect.CO_VARARGS:
            return args, kwargs
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _by_position(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments behind the context, those given by name in their places: gradients go by place."""
    left, placed = dict(kwargs), list(args)
    parameters = list(inspect.signature(forward).parameters.values())[1 + len(args) :]
    for parameter in parameters:
        if not left or parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            break
        if parameter.name not in left and parameter.default is parameter.empty:
            break
        placed.append(left.pop(parameter.name, parameter.default))
    if left:
        raise TypeError(f"forward() got an unexpected keyword argument '{next(iter(left))}'")
    return tuple(placed)


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
        with grad_mode.no_grad():
            outputs = function(ctx, *args)
        if not modes.state.grad_enabled or not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
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
