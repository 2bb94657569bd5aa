"""What a tensor is in the graph: its gradient and its node, hooks, ``backward``, and how it leaves the graph."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..backend import notes
from ..backend.ownership import BY_ATTRIBUTE, is_only_here
from ..base import dtypes
from ..base.arguments import check_switch, warn
from ..tensor import OWN_DTYPE, Methods, Tensor, new_tensor
from . import gradients, modes, views
from .handles import Hooks, RemovableHandle, add_hook, observers
from .interpreters import asks_itself, read
from .interpreters import stack as interpreters
from .mirrors import Aside, Mirror, Unnoticed, is_conjugate, mirrors_by_counter
from .modes import special
from .nodes import BORROWED, Node
from .write_errors import Counted, mark_detached

GRAD_OF_INFERENCE = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
tells, detaching = interpreters.told, interpreters.detaching  # who wants to know what is no op, and of a program's detach()


class InGraph(Methods):
    @property
    @asks_itself
    def requires_grad(self) -> bool:
        """Whether operations on the tensor are recorded."""
        if special.active and (answer := read(self, "requires_grad")) is not NotImplemented:
            return answer  # type: ignore[no-any-return]
        return self._needs_grad is True or (self._base is not None and bool(self._base._needs_grad))

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self.grad_fn is not None:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables."
                + (
                    ""
                    if value
                    else " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            )
        if value and self._array.dtype.kind not in "fcVW":
            raise notes.not_differentiable("only Tensors of floating point and complex dtype can require gradients")
        if value and self._inference and not modes.state.inference:
            raise RuntimeError(GRAD_OF_INFERENCE)
        for told in tells:
            told("requires_grad", self, value)
        if self._base is not None and self._base._needs_grad and not value:
            self._needs_grad = BORROWED
        else:
            self._needs_grad = bool(value)
        if not is_only_here(self._counter, BY_ATTRIBUTE):  # it has views, as far as is known
            views.restate(self)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Says whether operations on this leaf are to be recorded; returns the tensor."""
        check_switch("requires_grad_", "requires_grad", 1, requires_grad)
        if modes.state.transforms and requires_grad:
            interpreters.refuse("requires_grad_")
        if requires_grad and self._array.dtype.kind not in "fcVW":
            raise notes.not_differentiable("only Tensors of floating point dtype can require gradients")
        if requires_grad and self._needs_grad is True:
            return self
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no operation of the graph made the tensor."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made the tensor; None for a leaf."""
        if self._base is not None and self._seen != self._counter[0]:
            views.refresh(self)
        return None if self._edge is None else self._edge[0]

    @property
    def _grad_fn(self) -> Node | None:
        return self.grad_fn

    @_grad_fn.setter
    def _grad_fn(self, nothing: None) -> None:
        if nothing is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @property
    def output_nr(self) -> int:
        """Which of its node's results the tensor is."""
        return 0 if self._edge is None else self._edge[1]

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have added up here; None before the first."""
        if self._grad is None and self._edge is not None and not self._retains:
            warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
                "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
                "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
                "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations."
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            wanted = self.dtype if self._grad_dtype is OWN_DTYPE else self.grad_dtype
            if wanted is not None and value.dtype is not wanted:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{value.dtype.c_name}' to a tensor with grad_dtype "
                    f"'{wanted.scalar_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
                    "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
                    "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
                    "systems that assume they match."
                )
            if value._array.shape != self._array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
                    f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def grad_dtype(self) -> dtypes.dtype | None:
        """The dtype of this leaf's gradient: the leaf's own unless set; None allows any.

        >>> import rushlight as torch
        >>> x = torch.ones(2, dtype=torch.float16, requires_grad=True)
        >>> x.grad_dtype = torch.float32
        >>> (x * 2).sum().backward()
        >>> x.grad
        tensor([2., 2.])
        """
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        wanted = self._grad_dtype
        return self.dtype if wanted is OWN_DTYPE else None if wanted is None else dtypes.of(wanted)

    @grad_dtype.setter
    def grad_dtype(self, wanted: dtypes.dtype | None) -> None:
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if wanted is not None and not isinstance(wanted, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(wanted).__name__}")
        if wanted is not None and self._grad is not None and self._grad.dtype is not wanted:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{wanted.scalar_name}' because there is already a gradient with dtype "
                f"'{self._grad.dtype.c_name}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure "
                "the new grad_dtype matches the existing gradient's dtype."
            )
        self._grad_dtype = None if wanted is None else wanted.numpy
        sink = None if self._sink is None else self._sink()
        if sink is not None:
            sink.dtype = self._grad_dtype

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Computes the gradients of the leaves this tensor was computed from, and adds them to their ``.grad``.

        ``gradient``     of this tensor's shape: weights of its elements; not needed if it has one element
        ``retain_graph`` keeps the values saved in the graph for another pass; as ``create_graph`` unless given
        ``create_graph`` records the pass itself, so that gradients can be differentiated
        ``inputs``       only these tensors get a gradient

        Raises RuntimeError where there is no graph, the shape is wrong, or the graph's values are freed or overwritten.

        >>> import rushlight as torch
        >>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        >>> (x * 2).backward(torch.tensor([0.1, 1.0, 0.5]))
        >>> x.grad
        tensor([0.2000, 2.0000, 1.0000])
        """
        if gradient is None and inputs is None and not create_graph and gradients.from_number(self, bool(retain_graph)):
            return
        gradients.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def retain_grad(self) -> None:
        """Keeps the gradient of this non-leaf in its ``.grad``."""
        if modes.state.transforms:
            interpreters.refuse("retain_grad")
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        node = self.grad_fn
        if node is None or self._retains:
            return
        node.retain(self.output_nr, weakref.ref(self))
        self._retains = True

    @property
    def retains_grad(self) -> bool:
        """Whether :meth:`retain_grad` was called on this non-leaf, or when it was one."""
        return self._retains

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHandle:
        """``hook(grad)`` runs when the gradient of this tensor is known; what it returns, if anything, replaces it.

        >>> import rushlight as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> x.sum().backward()
        >>> x.grad
        tensor([10., 10.])
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is not None:
            return add_hook(node.hooks_of_output(self.output_nr), hook)
        observers.present = True
        if self._hooks is None:
            self._hooks = OrderedDict()
        return add_hook(self._hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """``hook(leaf)`` runs after a gradient was added to the leaf's ``.grad``."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._edge is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        observers.present = True
        if self._post_accumulate_hooks is None:
            self._post_accumulate_hooks = OrderedDict()
        return add_hook(self._post_accumulate_hooks, hook)

    @property
    def _backward_hooks(self) -> Hooks | None:
        if self._edge is not None and self._hooks is None:
            return (self._edge[0].tensor_hooks or {}).get(self._edge[1])
        return self._hooks

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: Any) -> None:
        self._hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    def detach(self) -> Tensor:
        """The same memory without history: a tensor that needs no gradient."""
        if detaching:
            for ask in detaching:
                seen = ask(self)
                if seen is not NotImplemented:
                    return seen  # type: ignore[no-any-return]
        result = new_tensor(self._array)
        if self._inference is None:
            result._counter = self._counter
        else:
            mark_detached(result, self._inference)
        result._conjugate = self._conjugate if self._base is None else is_conjugate(self)
        if self._negated:
            result._negated = True
        return result

    def detach_(self) -> Tensor:
        """Forgets this tensor's history."""
        if self._is_view():
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
                "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
                "detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
                "function in torch/optim/optimizer.py as the solution."
            )
        if self._edge is not None:
            views.restate(self)
        self._edge, self._needs_grad, self._tangents = None, False, None
        return self

    @property
    def data(self) -> Tensor:
        """The same memory as a tensor without history, whose changes backward passes do not notice."""
        result = new_tensor(self._array)
        result._counter = counter = (Unnoticed if mirrors_by_counter else Aside)((0,))
        own = self._counter
        counter.counter = own.counter if own.__class__ is Aside else own  # no chain of them, however often it is asked for
        if mirrors_by_counter:
            result._conjugate, result._negated = is_conjugate(self), self._negated
        if self._inference is not None:
            mark_detached(result, self._inference)
        return result

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._needs_grad and value._array.dtype.kind not in "fcVW":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if value._strided is not self._strided:
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
            )
        if value._array.dtype is not self._array.dtype:
            self._sink = None  # gradients of another dtype arrive at an end of their own
        self._array = value._array  # the version counter stays, also of views of the memory of before

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @property
    def _version(self) -> int:
        """How often the memory was written to in place."""
        if self._inference is not None and not isinstance(self._inference, Counted):
            raise RuntimeError("Inference tensors do not track version counter.")
        return int(self._counter[0])

    @property
    def volatile(self) -> bool:
        """False: of PyTorch before 0.4."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._inference is not None

    def _is_view(self) -> bool:
        """Whether the tensor shares the memory of another, its base."""
        return self._base is not None or (isinstance(self._counter, Mirror) and self._counter.tensor() is self)
