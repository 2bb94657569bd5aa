"""torch.library: operators of one's own, with a derivative, under ``torch.ops``.

``custom_op`` makes one of a Python function whose annotations say what it takes; ``define`` and ``impl`` make one of a schema.
The function of ``custom_op`` runs below autograd: what it does inside is not recorded, ``register_autograd`` says what its
derivative is. An operator of a schema may have functions for several keys: "CPU", and "Autograd" for one that runs above it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import finalize

from rushlight.base.device import device
from rushlight.base.public_names import operator_namespaces
from rushlight.operators.schemas import inferred, parsed

from .custom_operators import Namespace, Overload, Packet, add_operator, namespace_and_name, packets

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "impl_abstract",
    "infer_schema",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
    "triton_op",
]


def _op(op: Any) -> Overload:
    """The operator of a name, a definition or an overload."""
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, Overload):
        return op
    if isinstance(op, Packet):
        return op.op
    packet = packets.get(namespace_and_name(op))
    if packet is None:
        raise RuntimeError(f"Could not find the operator {op}. Please make sure you have already registered the operator")
    return packet.op


def _check_operator(name: str, op: object) -> None:
    """ValueError for what names no operator."""
    if not isinstance(op, (str, Overload, CustomOpDef)):
        raise ValueError(f"{name}({op}): got unexpected type for op: {type(op)}")


class CustomOpDef:
    """What :func:`custom_op` makes: call it, and register what else there is to know of it."""

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., object], tags: object = None) -> None:
        packet = add_operator(namespace, name, parsed(schema))
        packet.op.is_closed, packet.op.kernel = True, fn
        self._opoverload, self._qualname = packet.op, packet.op.name()

    @classmethod
    def _of(cls, overload: Overload) -> CustomOpDef:
        """The definition of an operator that is there."""
        self = cls.__new__(cls)
        self._opoverload, self._qualname = overload, overload.name()
        return self

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        """See :func:`register_autograd`."""
        if self._opoverload._schema.mutated:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self._opoverload} with schema "
                f"{self._opoverload._schema}. Please create a functional operator and register an autograd formula for that."
            )
        self._opoverload.backward, self._opoverload.setup_context = backward, setup_context

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """See :func:`register_fake`."""
        self._opoverload.further["fake"] = fn
        return fn

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """The function for some kinds of devices; that for the CPU is used from now on."""
        names = [device_types] if isinstance(device_types, str) else device_types

        def register(fn: Callable[..., Any]) -> Callable[..., Any]:
            if names is None or "cpu" in names:
                self._opoverload.kernel = fn
            return fn

        return register if fn is None else register(fn)

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """See :func:`register_vmap`."""
        return register_vmap(self, func)


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes a function an operator ``namespace::name``, in ``torch.ops`` too; also a decorator.

    ``mutates_args``  the names of the arguments that it writes into
    ``schema``        what it takes and gives, where its annotations do not say

    ValueError for annotations that no operator can have; RuntimeError where it returns (a view of) an argument.

    >>> import rushlight as torch
    >>> @torch.library.custom_op("docs::cube", mutates_args=())
    ... def cube(x: torch.Tensor) -> torch.Tensor:
    ...     return x**3
    >>> def backward(ctx, g):
    ...     return g * 3 * ctx.saved_tensors[0] ** 2
    >>> cube.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> torch.ops.docs.cube(x).backward()
    >>> x.grad
    tensor(12.)
    """

    def make(fn: Callable[..., Any]) -> CustomOpDef:
        space, short = namespace_and_name(name)
        form = inferred(fn, mutates_args) if schema is None else parsed(schema)
        packets.pop((space, short), None)  # the last of a name counts
        packet = add_operator(space, short, form)
        packet.op.is_closed = True
        if device_types is None or "cpu" in ([device_types] if isinstance(device_types, str) else device_types):
            packet.op.kernel = fn
        return CustomOpDef._of(packet.op)

    return make if fn is None else make(fn)


def triton_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    schema: str | None = None,
) -> Any:
    """:func:`custom_op`: what sets a function of Triton's kernels apart matters to compilers only.

    >>> import rushlight as torch
    >>> @torch.library.triton_op("docs::half_of", mutates_args=())
    ... def half_of(x: torch.Tensor) -> torch.Tensor:
    ...     return x / 2
    >>> half_of(torch.ones(1))
    tensor([0.5000])
    """
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def infer_schema(prototype: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None) -> str:
    """The schema that a function's annotations say.

    >>> import rushlight as torch
    >>> def shift(x: torch.Tensor, by: int = 1) -> torch.Tensor: ...
    >>> torch.library.infer_schema(shift, mutates_args=())
    '(Tensor x, SymInt by=1) -> Tensor'
    """
    return (op_name or "") + inferred(prototype, mutates_args).text


@functools.singledispatch
def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Defines an operator by its schema, '(Tensor x, int n=2) -> Tensor' say; :func:`impl` gives it a function.

    >>> import rushlight as torch
    >>> torch.library.define("docs::twice", "(Tensor x) -> Tensor")
    >>> @torch.library.impl("docs::twice", "cpu")
    ... def twice(x):
    ...     return x * 2
    >>> torch.ops.docs.twice(torch.ones(1))
    tensor([2.])
    """
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    space, name = namespace_and_name(qualname)
    add_operator(space, name, parsed(schema))
    if lib is not None:
        lib._names.append((space, name))


# Keys of PyTorch's dispatcher under which a function for the CPU may stand, and those above it.
_CPU_KEYS = frozenset({"", "cpu", "default", "compositeexplicitautograd", "compositeimplicitautograd"})
_AUTOGRAD_KEYS = frozenset({"autograd", "autogradcpu"})


def _give(op: Overload, fn: Callable[..., Any], key: str) -> None:
    """Gives an operator a function under a key of the dispatcher; those for other devices are not kept."""
    key = key.lower()
    if key in _AUTOGRAD_KEYS:
        op.above = fn
    elif key in _CPU_KEYS and (op.kernel is None or op.is_composite or not key.startswith("composite")):
        op.kernel, op.is_composite = fn, key in ("", "compositeimplicitautograd")


def _check_key(key: object) -> None:
    """TypeError for what is no text, RuntimeError for one that names neither a key nor a device."""
    if not isinstance(key, str):
        raise TypeError(
            "_parse_dispatch_key(): incompatible function arguments. The following argument types are supported:\n"
            "    1. (arg0: str) -> c10::DispatchKey | None\n"
        )
    if not key[:1].isupper() and key not in _CPU_KEYS:
        device(key)


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """Gives an operator its function, for ``types`` of devices; a decorator where ``func`` is left out.

    Also ``impl(library, name, dispatch_key)``. See :func:`define`.
    """
    if isinstance(qualname, Library):
        library, name, key = qualname, types, func

        def register_in(fn: Callable[..., Any]) -> Callable[..., Any]:
            library.impl(name, fn, key or "")
            return fn

        return register_in
    names = [types] if isinstance(types, str) else list(types)
    for one in names:
        _check_key(one)

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        for one in names:
            _give(_op(qualname), fn, one)
        return fn

    return register if func is None else register(func)


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """The function of an operator for some kinds of devices; that for the CPU is used from now on.

    >>> import rushlight as torch
    >>> torch.library.define("docs::ten", "(Tensor x) -> Tensor")
    >>> torch.library.register_kernel("docs::ten", "cpu", lambda x: x * 10) and None
    >>> torch.ops.docs.ten(torch.ones(1))
    tensor([10.])
    """
    _check_operator("register_kernel", op)
    return CustomOpDef._of(_op(op)).register_kernel(device_types, *(() if func is None else (func,)))


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None, lib: Any = None
) -> None:
    """The derivative of an operator: ``backward(ctx, *grads)`` gives one for each argument, from what
    ``setup_context(ctx, inputs, output)`` kept.

    See :func:`custom_op`.
    """
    _check_operator("register_autograd", op)
    CustomOpDef._of(_op(op)).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, allow_override: bool = False) -> Any:
    """What an operator's result looks like, for tracers: kept, nobody asks.

    >>> import rushlight as torch
    >>> torch.library.define("docs::same", "(Tensor x) -> Tensor")
    >>> @torch.library.register_fake("docs::same")
    ... def same(x):
    ...     return torch.empty_like(x)
    """
    _check_operator("register_fake", op)

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        _op(op).further["fake"] = fn
        return fn

    return register if func is None else register(func)


impl_abstract = register_fake


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """How an operator takes a batch: kept; ``vmap`` runs it example by example."""
    _check_operator("register_vmap", op)

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        _op(op).further["vmap"] = fn
        return fn

    return register if func is None else register(func)


class Library:
    """Operators of a namespace, defined by schemas (``kind`` 'DEF' or 'FRAGMENT') or given functions ('IMPL').

    >>> import rushlight as torch
    >>> mine = torch.library.Library("docs", "FRAGMENT")
    >>> mine.define("half(Tensor x) -> Tensor")
    'half'
    >>> mine.impl("half", lambda x: x / 2, "CPU")
    >>> torch.ops.docs.half(torch.ones(1))
    tensor([0.5000])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        operator_namespaces.setdefault(ns, Namespace(ns))
        self._names: list[tuple[str, str]] = []
        self.m = finalize(self, _forget, self._names)  # its operators go with it

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Defines an operator: 'name(Tensor x) -> Tensor'; returns its name."""
        name, opening, _ = schema.partition("(")
        if not opening:
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        name = name.strip()
        define(f"{self.ns}::{name}", schema[schema.index("(") :], lib=self)
        return name

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", **options: Any) -> None:
        """Gives an operator its function."""
        op = _op(op_name if "::" in str(op_name) or not isinstance(op_name, str) else f"{self.ns}::{op_name}")
        _give(op, fn, dispatch_key or self.dispatch_key)

    def _destroy(self) -> None:
        self.m()


def _forget(names: list[tuple[str, str]]) -> None:
    for key in names:
        packets.pop(key, None)


@contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A library whose operators go at the end of the block."""
    before = set(packets)
    try:
        yield Library(*args, **kwargs)
    finally:
        for key in set(packets) - before:
            if key[0] == (args[0] if args else kwargs["ns"]):
                del packets[key]
