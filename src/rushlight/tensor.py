"""Tensor: an array, its gradient, and where it came from.

The methods that are ops come from the table (ops/public.py); here stand the ones that are about the tensor itself: its
place in the graph, its memory, and its meeting with Python and NumPy.
"""

from __future__ import annotations

import math
import os
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from importlib import import_module
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .as_torch import missing
from .autograd import delayed_error, engine, function, function_calls, gradients, modes, observed_pass, views
from .autograd.attributes import WithAttributes, held
from .autograd.graph import BORROWED, OWN_DTYPE, Edge, Hooks, Node, RemovableHandle, add_hook, observers
from .backend import dlpack, notes
from .backend import numpy as backend
from .backend.line_sums import stretched
from .backend.ownership import BY_ATTRIBUTE, is_only_here
from .backend.scattered import ScatteredArray
from .base import dtypes
from .base.device import CPU, strided
from .base.device import device as device_class
from .base.device import layout as layout_class
from .base.rooms import opened, provided
from .base.size import Size
from .ops import compiling, dispatch, saved, saved_attributes, table
from .ops.public import axis_of, leaving_graph, methods
from .tensors import printing

# Set by batching/layers.py: what holds while function transforms run.
refuse_in_transforms: Callable[[str], None] = provided("refuse_in_transforms")
text_in_transforms: Callable[[Tensor], str | None] = provided("text_in_transforms")

CHECKED = os.environ.get("RUSHLIGHT_CHECK", "0") != "0"  # tests set it

_GRAD_OF_INFERENCE = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."


class _TensorMeta(type):
    """The class of Tensor. ``Tensor.add`` is what ``__torch_function__`` is told of, watched or not: programs keep tables of it."""

    told: Callable[[type, str, Any], Any] | None = None  # once Tensor is whole
    own: ClassVar[dict[str, Any]] = {}  # what Tensor has of its own; the rest is programs'

    def __getattribute__(cls, name: str) -> Any:
        found = super().__getattribute__(name)
        told = _TensorMeta.told
        return found if told is None or (name[0] == "_" != name[1:2]) else told(cls, name, found)


class Tensor(WithAttributes, metaclass=_TensorMeta):
    """An n-dimensional array that remembers how it was computed.

    Made by :func:`tensor`, :func:`zeros` and the like, and by every operation.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    _array: np.ndarray[Any, Any]
    _counter: list[Any]
    _needs_grad: bool = False
    _edge: Edge | None = None
    _grad: Tensor | None = None
    _grad_dtype: Any = OWN_DTYPE
    _strided = True  # `_array` holds the values, as it does not in the room `sparse`
    _stands_in = False  # it is a leaf of forward mode's own: see forward_rules.py
    _of_batch = False  # it is an example of a batch, which `whole` then is
    _base: Tensor | None = None
    _seen: int = 0
    _made: str | None = None
    _sink: Any = None
    _hooks: Hooks | None = None
    _post_accumulate_hooks: Hooks | None = None
    _inference: modes.Inference | None = None
    _retains: bool = False
    _conjugate: bool = False
    _negated: bool = False
    _tangents: dict[int, Tensor] | None = None

    __array_priority__ = 1000

    if CHECKED:

        def __setattr__(self, name: str, value: Any) -> None:
            """The one invariant of a tensor's memory, held to wherever one is made: an array, never a NumPy scalar."""
            if name == "_array" and isinstance(value, np.generic):
                raise AssertionError(f"a tensor's array must be an ndarray, not the scalar {value!r} of {type(value).__name__}")
            object.__setattr__(self, name, value)

    # Its place in the graph.

    @property
    def requires_grad(self) -> bool:
        """Whether operations on the tensor are recorded."""
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
        if value and self._array.dtype.kind not in "fcV":
            raise notes.no_slope("only Tensors of floating point and complex dtype can require gradients")
        if value and self._inference and not modes.state.inference:
            raise RuntimeError(_GRAD_OF_INFERENCE)
        if self._base is not None and self._base._needs_grad and not value:
            self._needs_grad = BORROWED
        else:
            self._needs_grad = bool(value)
        if not is_only_here(self._counter, BY_ATTRIBUTE):  # it has views, as far as is known
            views.restate(self)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Says whether operations on this leaf are to be recorded; returns the tensor."""
        if not isinstance(requires_grad, bool):
            kind = type(requires_grad).__name__
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}")
        if modes.state.transforms and requires_grad:
            refuse_in_transforms("requires_grad_")
        if requires_grad and self._needs_grad is True:
            return self
        if requires_grad and self._array.dtype.kind not in "fcV":
            raise notes.no_slope("only Tensors of floating point dtype can require gradients")
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
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
                "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
                "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
                "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations.",
                stacklevel=2,
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
        if observed_pass.told is not None:
            observed_pass.told("grad", self, value)
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
        if (sink := None if self._sink is None else self._sink()) is not None:
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
            refuse_in_transforms("retain_grad")
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
        if (node := self.grad_fn) is not None:
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
        result = new_tensor(self._array)
        result._counter = self._counter
        result._conjugate = self._conjugate
        if self._negated:
            result._negated = True
        if self._inference is not None:
            result._inference = self._inference
        if observed_pass.told is not None:
            observed_pass.told("detach", self, result)
        return result

    def detach_(self) -> Tensor:
        """Forgets this tensor's history."""
        if self._base is not None:
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
        result = new_tensor(self._array)  # a version counter of its own: changes through .data are not noticed
        if observed_pass.told is not None:
            observed_pass.told("data", self, result)
        return result

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if self._needs_grad and value._array.dtype.kind not in "fcV":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if value._strided is not self._strided:
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
            )
        if value._array.dtype is not self._array.dtype:
            self._sink = None  # gradients of another dtype arrive at an end of their own
        self._array = value._array  # the version counter stays, also of views of the memory of before
        if observed_pass.told is not None:
            observed_pass.told("data =", self, value)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @property
    def _version(self) -> int:
        """How often the memory was written to in place."""
        if self._inference is not None:
            raise RuntimeError("Inference tensors do not track version counter.")
        return int(self._counter[0])

    @property
    def volatile(self) -> bool:
        """False: of PyTorch before 0.4."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
        return False

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._inference is not None

    def _is_view(self) -> bool:
        """Whether the tensor shares the memory of another, its base."""
        return self._base is not None

    # Its memory.

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        return dtypes.of(self._array.dtype)

    @property
    def shape(self) -> Size:
        """How many elements there are along each dimension."""
        return _sizes[self._array.shape]

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return _sizes[self._array.shape]
        return self._array.shape[axis_of(dim, self._array.ndim, wrap_scalar=False)]

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return self._array.ndim

    def dim(self) -> int:
        """How many dimensions there are."""
        return self._array.ndim

    ndimension = dim

    def numel(self) -> int:
        """How many elements there are."""
        return int(self._array.size)

    nelement = numel

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return int(self._array.itemsize)

    def element_size(self) -> int:
        """How many bytes an element takes."""
        return int(self._array.itemsize)

    @property
    def nbytes(self) -> int:
        """How many bytes the elements take."""
        return int(self._array.nbytes)

    @property
    def device(self) -> device_class:
        """Where the tensor is: on the CPU."""
        return CPU

    def get_device(self) -> int:
        """-1: the tensor is on the CPU."""
        return -1

    @property
    def layout(self) -> layout_class:
        """``torch.strided``, of every tensor that is not sparse."""
        return strided

    is_cuda = is_mps = is_xpu = is_meta = is_sparse = is_quantized = is_mkldnn = is_nested = is_sparse_csr = False
    is_xla = is_vulkan = is_ipu = is_maia = is_mtia = False
    is_cpu = True

    def stride(self, dim: int | None = None) -> Any:
        """Steps in elements between neighbours along each dimension."""
        array = self._array
        size = array.itemsize
        strides = tuple([step // size for step in array.strides])
        if not array.size and not any(strides):  # NumPy does not care where nothing lies; PyTorch does
            strides = tuple(math.prod([max(each, 1) for each in array.shape[axis + 1 :]]) for axis in range(array.ndim))
        if dim is None:
            return strides
        return strides[axis_of(dim, array.ndim, wrap_scalar=False)]

    def storage_offset(self) -> int:
        """How many elements of the storage lie before the first of the tensor."""
        array = self._array
        return (backend.address(array) - backend.address(backend.root(array))) // array.itemsize if array.size else 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether the elements lie one after another, in order (in the given memory format)."""
        array = self._array
        name = str(memory_format) if memory_format is not None else ""
        if name.endswith("channels_last"):
            return array.ndim == 4 and bool(array.transpose(0, 2, 3, 1).flags.c_contiguous)
        if name.endswith("channels_last_3d"):
            return array.ndim == 5 and bool(array.transpose(0, 2, 3, 4, 1).flags.c_contiguous)
        return bool(array.flags.c_contiguous)

    def data_ptr(self) -> int:
        """The address of the first element; 0 where there is none."""
        return backend.address(self._array) if self._array.size else 0

    def pin_memory(self, device: Any = None) -> Tensor:
        """RuntimeError: there is no accelerator to pin memory for."""
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def is_pinned(self, device: Any = None) -> bool:
        """False: no memory is pinned."""
        return False

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating one."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self._array.dtype.kind == "c"

    def is_signed(self) -> bool:
        """Whether the dtype holds negative numbers."""
        return self.dtype.is_signed

    def is_conj(self) -> bool:
        """Whether the memory holds the conjugates of the values."""
        return self._conjugate

    def is_neg(self) -> bool:
        """Whether the memory holds the negatives of the values."""
        return self._negated

    def is_set_to(self, tensor: Tensor) -> bool:
        """Whether both are the very same view of the same memory."""
        if not isinstance(tensor, Tensor):
            raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
        return self.data_ptr() == tensor.data_ptr() and self.shape == tensor.shape and self.stride() == tensor.stride()

    def is_same_size(self, other: Tensor) -> bool:
        """Whether both have the same shape."""
        if not isinstance(other, Tensor):
            raise TypeError(f"is_same_size(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
        return self._array.shape == other._array.shape

    def as_subclass(self, cls: type) -> Any:
        """This tensor as an instance of a subclass, sharing memory and history."""
        recorded = (self._needs_grad or self._base is not None) and self.requires_grad and modes.state.grad_enabled
        whole = table.tensors.alias(self) if recorded else self
        result: Any = object.__new__(cls)
        has = held(whole)
        for name in _SHARED:
            if name in has:
                object.__setattr__(result, name, has[name])  # its own __dict__ stays unasked: see lay_out_attributes
        if cls not in PLAIN:
            modes.instance_made()
        return result

    @staticmethod
    def _make_subclass(cls: type, data: Tensor, require_grad: bool = False, *unused: Any) -> Tensor:
        """A leaf of a subclass over the memory of ``data``."""
        result = data.detach().as_subclass(cls)
        if require_grad and result._inference and not modes.state.inference:
            raise RuntimeError(_GRAD_OF_INFERENCE)
        result._needs_grad = bool(require_grad)
        return result

    # Python.

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if modes.state.transforms:
            layered = text_in_transforms(self)
            if layered is not None:
                return layered
        try:
            grad_fn = self.grad_fn
            name = None if grad_fn is None else type(grad_fn).__name__
            if name == "CppFunction":
                name = grad_fn.name().rpartition("::")[2]  # type: ignore[union-attr]
        except RuntimeError:  # a view that may not be used any more
            name = "Invalid"
        if tensor_contents is not None:
            tail = f", grad_fn=<{name}>" if name is not None else ", requires_grad=True" if self.requires_grad else ""
            return f"{type(self).__name__}({tensor_contents}{tail})"
        plain = type(self) in PLAIN
        text = printing.tensor_text(
            self.resolve_conj()._array if self._conjugate else self._array,
            self.dtype,
            requires_grad=self.requires_grad,
            grad_fn_name=name,
            tangent=None if self._tangents is None else _tangent_text(self),
            name="tensor" if plain else type(self).__name__,
        )
        if not plain and (room := opened("nn.parameter")) is not None and isinstance(self, room.Parameter):
            return f"Parameter({text})"
        return text

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and type(self) is Tensor:
            return self.item().__format__(spec)
        return object.__format__(self, spec)

    def item(self) -> Any:
        """The one element as a Python number."""
        array = self._array
        if array.size != 1:
            raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
        return _python_number(array)

    def tolist(self) -> Any:
        """The elements as (nested lists of) Python numbers."""
        array = self._array
        return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __bool__(self) -> bool:
        array = self._array
        if array.size != 1:
            if array.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(array.reshape(())[()])

    def __float__(self) -> float:
        return float(leaving_graph(self)._real_scalar("double"))

    def __int__(self) -> int:
        return int(self._real_scalar("int64_t"))

    def __complex__(self) -> complex:
        return complex(leaving_graph(self)._scalar())

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._scalar())

    def _scalar(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return _python_number(self._array)

    def _real_scalar(self, c_name: str) -> Any:
        value = self._scalar()
        if value.__class__ is not complex:
            return value
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {c_name} without overflow")
        return value.real

    def __contains__(self, element: Any) -> bool:
        if isinstance(element, (Tensor, Number)):
            return bool(table.tensors.eq(self, element)._array.any())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __hash__(self) -> int:
        return id(self)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *methods} - {*missing.OF_TENSOR})

    # NumPy and other libraries.

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The elements as a NumPy array that shares memory. RuntimeError if a gradient is wanted and would be lost."""
        if force:
            return self.detach().resolve_conj().resolve_neg()._array
        if self.requires_grad and modes.state.grad_enabled:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self._conjugate:
            raise RuntimeError(
                "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
            )
        if self._negated:
            raise RuntimeError(
                "Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead."
            )
        if self._array.dtype.kind == "V":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._array.view()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.numpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            return array.astype(dtype)
        return array.copy("K") if copy else array

    def __array_wrap__(self, array: np.ndarray[Any, Any], context: Any = None, return_scalar: bool = False) -> Tensor:
        if array.dtype == bool:
            array = array.astype(np.uint8)
        return wrap(np.asarray(array))

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.layout is not strided:
            raise BufferError("Can't export tensors with layout other than torch.strided")
        if stream is not None:
            raise AssertionError("stream should be None on cpu.")
        if self._conjugate:
            raise BufferError("Can't export tensors with the conjugate bit set")
        return dlpack.capsule_of(self._array, max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.DLDeviceType.kDLCPU, 0

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return import_module("rushlight.array_api")

    if TYPE_CHECKING:  # operators and most methods come from the table, others from the rooms that own them

        def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
        def __init_subclass__(cls, own: bool = False, **kwargs: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lshift__(self, other: Any) -> Tensor: ...
        def __rshift__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __iadd__(self, other: Any) -> Tensor: ...
        def __isub__(self, other: Any) -> Tensor: ...
        def __imul__(self, other: Any) -> Tensor: ...
        def __itruediv__(self, other: Any) -> Tensor: ...


class _Sizes(dict[tuple[int, ...], Size]):
    """Shapes as ``torch.Size``: a program asks again and again for the same few, and making one takes longer than finding it."""

    def __missing__(self, shape: tuple[int, ...]) -> Size:
        size = tuple.__new__(Size, shape)
        if len(self) < _KEPT_SIZES:
            self[shape] = size
        return size


_KEPT_SIZES = 4096
_sizes = _Sizes()
PLAIN: set[type] = {Tensor}


def lay_out_attributes(cls: type[Tensor]) -> None:
    """Shows the interpreter, before other instances are made, all attributes that they commonly have.

    CPython gives new instances as many places for attributes as those before them had. One that no place was left for goes
    into a dict, as all of them do once ``__dict__`` was asked for: an op on such tensors takes up to a fifth longer.
    """
    first: Any = object.__new__(cls)
    for name in ("_array", "_counter", "_needs_grad", "_edge", "_base", "_seen", "_made", "_sink", "_grad"):
        setattr(first, name, None)


lay_out_attributes(Tensor)
_SHARED = tuple("_array _counter _needs_grad _edge _base _seen _made _inference _conjugate _negated _tangents".split())


def _tangent_text(tensor: Tensor) -> str | None:
    from .autograd.forward_ad import shown_tangent

    tangent = shown_tangent(tensor)
    return None if tangent is None else f"{tangent}"


def new_tensor(array: np.ndarray[Any, Any]) -> Tensor:
    """A Tensor around an array, with memory of its own as far as version counting goes."""
    result = object.__new__(Tensor)
    result._array = array
    result._counter = [0]
    return result


def wrap(array: Any) -> Tensor:
    """A leaf Tensor around an array (not copied)."""
    if isinstance(array, np.ndarray):
        return new_tensor(array)
    if array.__class__ is ScatteredArray:
        from .sparse.tensors import of_scattered

        return of_scattered(array)
    return new_tensor(np.asarray(array))


def _sparse_gradient(array: ScatteredArray) -> Tensor:
    from .sparse.tensors import gradient

    return gradient(array)


def make_tensor(array: np.ndarray[Any, Any], version: list[Any], edge: Edge | None) -> Tensor:
    """A Tensor with given memory, version counter and place in the graph."""
    result = object.__new__(Tensor)
    result._array, result._counter, result._edge = array, version, edge
    result._needs_grad = edge is not None
    return result


def _python_number(array: np.ndarray[Any, Any]) -> Any:
    return array.astype(np.float32).item() if array.dtype.kind == "V" else array.item()


def _unbroadcast_tensor(g: Tensor, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
    """A recorded cotangent as its input needs it: broadcasting undone, in the input's dtype."""
    have = g._array.shape
    if have != shape:
        if not shape:
            g = table.tensors.sum_all(g)
        else:
            axes = stretched(have, shape)
            if axes:
                g = table.tensors.sum(g, axes, True)
            if g._array.shape != shape:
                g = g.reshape(shape)
    if g._array.dtype != dtype:
        if g._array.dtype.kind == "c" and dtype.kind != "c":
            g = g.real
        g = table.tensors.astype(g, dtype)
    return g


engine.wrap = wrap
engine.sparse_gradient = _sparse_gradient
engine.unbroadcast_tensor = _unbroadcast_tensor
views.new_tensor = new_tensor
saved.make_tensor = make_tensor
saved.type_name = lambda array: dtypes.of(array.dtype).type_in_errors
for _room in (gradients, function, function_calls, delayed_error):
    _room.is_tensor = lambda value: isinstance(value, Tensor)  # type: ignore[attr-defined]
delayed_error.make_tensor = make_tensor
function.open_saved = saved.open_function_saved
function.raw_saved = saved_attributes.of_function
function_calls.pack_hooked = lambda value: dispatch.packed(value, modes.state.saved_hooks or [])
dispatch.Tensor_ = Tensor
dispatch.new_tensor = new_tensor
compiling.bind(Tensor, PLAIN)
