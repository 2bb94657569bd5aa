"""Parameters and buffers: the tensors that a module calls its own."""

from __future__ import annotations

from typing import Any, NoReturn, Self

import rushlight as torch

from ..autograd.interpreters import stack as interpreters
from ..base.arguments import check_switch
from ..base.attributes import held
from ..tensor import PLAIN, Tensor, _TensorMeta, lay_out_attributes
from ..tensors.rebuilding import set_state


class _MarkedTensors(_TensorMeta):
    """Instances are also tensors of other subclasses of Tensor that carry the class's mark."""

    _mark = ""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        mark = cls.__dict__.get("_mark")
        return mark is not None and isinstance(instance, Tensor) and bool(held(instance).get(mark, False))


class Parameter(Tensor, metaclass=_MarkedTensors, own=True):
    """A tensor that a module is to learn: assigned to an attribute of a Module, it joins ``parameters()``.

    Shares the memory of ``data``; ``requires_grad`` is True unless said otherwise.

    >>> import rushlight as torch
    >>> torch.nn.Parameter(torch.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    _mark = "_is_param"

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = torch.empty(0)
        if type(data) is Tensor or isinstance(data, Parameter):
            check_switch("_make_subclass", "require_grad", 3, requires_grad)
            if requires_grad and data._array.dtype.kind not in "fcVW":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            return Tensor._make_subclass(cls, data, requires_grad)
        detach = data.detach
        # A tensor of another class stays one, marked as a parameter.
        detached = interpreters.ask("detached", data)
        result = (detach() if detached is NotImplemented else detached).requires_grad_(requires_grad)
        if type(result) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
                f"instance of the same type, but return type {type(result).__name__} was found instead. To use the type as a "
                "Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
            )
        result._is_param = True
        return result

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) in memo:
            return memo[id(self)]
        copied = type(self)(self.data.clone(memory_format=torch.preserve_format), self.requires_grad)
        memo[id(self)] = copied
        return copied

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def _named(self, text: str) -> str:
        return f"Parameter({text})"


class Buffer(Tensor, metaclass=_MarkedTensors, own=True):
    """A tensor that a module carries along without learning it; saved in its state dict if ``persistent``.

    >>> import rushlight as torch
    >>> module = torch.nn.Module()
    >>> module.mean = torch.nn.Buffer(torch.zeros(2))
    >>> [name for name, _ in module.named_buffers()]
    ['mean']
    """

    _mark = "_is_buffer"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = torch.empty(0)
        result = data.detach().as_subclass(type(data)).requires_grad_(data.requires_grad)
        result.persistent = persistent
        result._is_buffer = True
        return result


PLAIN.add(Parameter)
lay_out_attributes(Parameter)


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet: little can be asked of it before :meth:`materialize`."""

    cls_to_become: type = Tensor

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Takes a shape, and becomes an ordinary parameter or buffer with memory that is not set yet."""
        data = self.data  # type: ignore[has-type]
        self.data = torch.empty(shape, device=device, dtype=data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> NoReturn:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
            "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
            "parameters before accessing their attributes."
        )

    def _refused(self, method: str) -> Any:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in <method '{method}' of 'torch._C.TensorBase' objects>. This error "
            "happens when you are using a `LazyModule` or explicitly manipulating "
            f"`torch.nn.parameter.{type(self).__name__}` objects. When using LazyModules Call `forward` with a dummy batch to "
            "initialize the parameters before calling torch functions"
        )

    def share_memory_(self) -> NoReturn:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
            "calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"


_STILL_ALLOWED = frozenset(
    "size copy_ is_complex is_floating_point half float double char short int long bfloat16 cuda cpu to type get_device "
    "as_subclass materialize share_memory_".split()
)
_OPERATORS = (
    "__len__ __bool__ __float__ __int__ __getitem__ __setitem__ __iter__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ "
    "__radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __itruediv__ __matmul__ "
    "__rmatmul__ __pow__ __rpow__ __neg__ __abs__".split()
)


def _refuse_methods() -> None:
    """Methods of tensors have nothing to work on before there is a shape."""
    named = [name for name in dir(Tensor) if name[0] != "_" and callable(getattr(Tensor, name, None))]
    for name in [*named, *_OPERATORS]:
        if name not in _STILL_ALLOWED:
            setattr(UninitializedTensorMixin, name, lambda self, *args, _name=name, **kwargs: self._refused(_name))
    UninitializedTensorMixin.__hash__ = Tensor.__hash__  # type: ignore[method-assign,assignment]


_refuse_methods()


class UninitializedParameter(UninitializedTensorMixin, Parameter, own=True):  # type: ignore[misc]
    """A parameter of a lazy module before its first input."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        made = torch.empty(0, device=device, dtype=dtype).as_subclass(cls)
        check_switch("_make_subclass", "require_grad", 3, requires_grad)
        made.requires_grad = requires_grad
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) in memo:
            return memo[id(self)]
        memo[id(self)] = copied = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return copied


class UninitializedBuffer(UninitializedTensorMixin, Tensor, own=True):  # type: ignore[misc]
    """A buffer of a lazy module before its first input."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> Any:
        result = torch.empty(0, device=device, dtype=dtype).as_subclass(cls)
        check_switch("_make_subclass", "require_grad", 3, requires_grad)
        result.requires_grad = requires_grad
        result.persistent = persistent
        result._is_buffer = True
        return result


def is_lazy(param: Any) -> bool:
    """Whether a tensor is a parameter or buffer without a shape."""
    return isinstance(param, UninitializedTensorMixin)


# What pickles of parameters name; PyTorch has it in torch._utils.


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    """A Parameter over a tensor's memory."""
    result = Parameter(data, bool(requires_grad))
    result._backward_hooks = backward_hooks
    return result


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Parameter:
    """A Parameter with attributes of its own."""
    return set_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


_rebuild_parameter.__module__ = _rebuild_parameter_with_state.__module__ = "rushlight._utils"
