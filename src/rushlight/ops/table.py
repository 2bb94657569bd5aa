"""What an op is, and how its derivative rules are read.

    op("mul", np.multiply, a=lambda g, b: g * conj(b), b=lambda g, a: g * conj(a))

says it all: the kernel that computes the op on arrays, and for each input that has a derivative the rule that turns the
cotangent ``g`` of the result into that input's. The *names* a rule asks for are what the graph keeps between forward and
backward, and nothing else is kept:

    ``g``                     the cotangent (a list of them, None where absent, if several outputs are differentiable)
    an input's name           that input (checked against in-place changes)
    ``out``, an output's name the result (checked too)
    ``a_shape``, ``a_dtype``, ``a_strides``  of the input ``a``, without keeping it
    a parameter's name        the op's own argument: axis, keepdims, ...
    ``xp``                    the namespace of all ops, for whatever ``g`` is made of

A rule is plain arithmetic, and is read over arrays in an ordinary backward pass and over Tensors when that pass is itself
to be differentiated: every order of derivative from one line. Broadcasting, dtypes and None are the engine's business.

For each op, on first use, :mod:`rushlight.ops.compiling` writes the Python function that a person would write by hand for
it: fetch the arrays, call the kernel, wrap the result, and if a gradient may be wanted keep what the rules need.
``source_of(name)`` shows the text. Everything out of the ordinary (mixed dtypes, subclasses, modes) is sent to
:mod:`rushlight.ops.dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import saved_attributes
from ..autograd.nodes import Node
from . import dispatch
from .compiling import compile_lock, compiled_call, compiled_rules
from .forward_text import call_source
from .rules_text import parameters, rules_source

Rule = Callable[..., Any]


@dataclass(eq=False, repr=False)
class Op:
    """One line of the table. See :func:`op` for the meaning of the fields."""

    name: str
    kernel: Callable[..., Any]
    inputs: list[str]
    optional: set[str]
    variadic: str | None
    params: list[tuple[str, Any]]
    outputs: list[str]
    differentiable: list[str]
    rules: dict[str, Rule]
    joint: Rule | None
    node_name: str
    kind: str | None
    promote: str | None
    view: bool
    numbers: str
    check: Callable[[Any], None] | None

    def __post_init__(self) -> None:
        self.is_ufunc = isinstance(self.kernel, np.ufunc)
        self.is_list = self.outputs == ["*"]
        self.is_of_several = self.variadic is not None or len(self.outputs) > 1 or self.is_list
        # The inputs that nodes have edges for.
        self.sources = [name for name in self.inputs if self.joint is not None or name in self.rules]
        self.keep = self._what_rules_ask()
        self.keeps_tensors = any(kind in ("input", "output") for kind, _, _ in self.keep)
        self.keeps_a_tensor_anyhow = any(
            kind in ("input", "output") and self.keeps_anyhow(kind, users) for kind, _, users in self.keep
        )
        self.frees_if = self._what_frees()
        self.Node: Callable[[], Node] = self._first_node  # what compiled code makes nodes by: the class, once there is one

    def _what_rules_ask(self) -> list[tuple[str, str, list[str]]]:
        """``(kind, name, inputs whose rule asks for it)`` in the order in which nodes keep them."""
        keep: dict[str, tuple[str, str, list[str]]] = {}
        kinds = {f"{name}_{kind}": kind for name in self.inputs for kind in ("shape", "dtype", "strides")}
        kinds |= {name: "param" for name, _ in self.params}
        kinds |= dict.fromkeys(self.outputs, "output") | dict.fromkeys(self.inputs, "input")
        for of, rule in self.rules.items() if self.joint is None else dict.fromkeys(self.inputs, self.joint).items():
            for name in parameters(rule):
                if name in ("g", "xp", "needs"):
                    continue
                if name not in kinds:
                    raise TypeError(f"op {self.name}: the rule for {of} asks for {name!r}, which is nothing the op has")
                keep.setdefault(name, (kinds[name], name, []))[2].append(of)
        return list(keep.values())

    def keeps_anyhow(self, kind: str, users: list[str]) -> bool:
        """Whether nodes keep what the rules of ``users`` ask for whichever inputs need a gradient: as in PyTorch outputs, and what
        several rules ask for."""
        return kind == "output" or len(users) > 1 or users == self.sources

    def _what_frees(self) -> list[int]:
        """Where not every rule keeps a tensor: the places of tensors in ``saved``. A node is freed if it keeps any of them, and runs
        again if not."""
        places, place, with_tensors = [], 0, set[str]()
        for kind, _, users in self.keep:
            if kind in ("input", "output"):
                places.append(place)
                with_tensors.update(users)
            place += {"input": 2, "output": 3}.get(kind, 1)
        return [] if with_tensors >= set(self.sources) else places

    @property
    def node_class(self) -> type[Node]:
        with compile_lock:
            if not isinstance(self.Node, type):
                self.Node = self._compiled_node_class()
        return self.Node

    def _first_node(self) -> Node:
        return self.node_class()

    def _compiled_node_class(self) -> type[Node]:
        body: dict[str, Any] = {
            "op": self,
            "__module__": "builtins",
            "vjp": compiled_rules(self, False, arrays),
            "vjp_tensors": compiled_rules(self, True, tensors),
            "frees": self.keeps_tensors,  # what else a node keeps costs nothing, and lets it run again
            **saved_attributes.attributes(self),
        }
        if self.node_name == "NotImplemented":
            body["at_once"] = True
        if self.node_name in ("CopyBackwards", "NotImplemented"):
            body["name"] = lambda node: f"torch::autograd::{type(node).__name__}"
        return type(self.node_name, (Node,), body)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The op on Tensors, recorded."""
        return compiled_call(self, dispatch.general)

    @cached_property
    def hooked(self) -> Callable[..., Any]:
        """The op under saved-tensor hooks; gives NotImplemented where it is for the general path."""
        return compiled_call(self, _left, hooked=True) if self.keeps_tensors and not self.is_of_several else _left

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def _left(*args: Any) -> Any:
    return NotImplemented


table: dict[str, Op] = {}


def op(
    name: str,
    kernel: Callable[..., Any],
    *,
    inputs: str = "",
    outputs: str = "out",
    node: str | None = None,
    kind: str | None = None,
    promote: str | None = None,
    view: bool = False,
    joint: Rule | None = None,
    numbers: str = "any",
    check: Callable[[Any], None] | None = None,
    **rules: Rule | None,
) -> Op:
    """Adds an op to the table.

    ``kernel``   computes on arrays; its parameters are the op's, in that order. For a ufunc the inputs are the rules' names.
    ``rules``    for each differentiable input its rule, or None for a tensor input without derivative.
    ``inputs``   names further tensor inputs that have no rule (or all, with ``joint``), separated by blanks; ``*xs`` is a list.
    ``outputs``  names of the results, ``!`` behind one that has no derivative; ``*`` alone: a list of any length.
    ``joint``    one rule for all inputs, returning a tuple of cotangents; may ask for ``needs``, a bool for each input.
    ``node``     PyTorch's name of the graph node where it is not NameBackward0.
    ``kind``     'linear', 'elementwise', 'symmetric', 'reduction' or 'bilinear': how the forward derivative follows from the
                 rules.
    ``promote``  how dtypes mix: 'same' (to a common one), 'float' (integers become floating too), 'compare' (common, the result
                 is bool); None where the kernel takes dtypes as they are.
    ``view``     the result shares memory with the first input.
    ``numbers``  which inputs of a pointwise op may be Python numbers: 'any', 'second' or 'none'.
    ``check``    looks at the inputs (tensors, numbers) before they are brought to one dtype, and may raise.
    """
    extra = inputs.split()
    variadic = next((word[1:] for word in extra if word.startswith("*")), None)
    named = [word.lstrip("*") for word in extra]
    tensor_inputs = {*rules, *named}
    optional: set[str] = set()
    params: list[tuple[str, Any]] = []
    if isinstance(kernel, np.ufunc):
        order = [*rules, *(word for word in named if word not in rules)]
    else:
        order = []
        for parameter, default in parameters(kernel).items():
            if parameter in tensor_inputs:
                if params:
                    raise TypeError(f"op {name}: tensor input {parameter} comes after the parameters")
                order.append(parameter)
                if default is None:
                    optional.add(parameter)
            else:
                params.append((parameter, default))
        missing = tensor_inputs - set(order)
        if missing:
            raise TypeError(f"op {name}: the kernel has no parameter {', '.join(sorted(missing))}")
    words = outputs.split()
    if node is None:
        node = "".join(part.capitalize() for part in name.split("_")) + "Backward0"
    entry = Op(
        name,
        kernel,
        order,
        optional,
        variadic,
        params,
        [word.rstrip("!") for word in words],
        [word for word in words if not word.endswith("!")],
        {key: rule for key, rule in rules.items() if rule is not None},
        joint,
        node,
        kind,
        promote,
        view,
        numbers,
        check,
    )
    table[name] = entry
    setattr(arrays, name, kernel)
    setattr(tensors, name, _compiled_on_use(entry))
    return entry


class Namespace:
    """All ops of the table as attributes; over arrays the kernels, over Tensors the recording ops."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...

    def __repr__(self) -> str:
        return f"<ops over {self._kind}>"


arrays = Namespace("arrays")
tensors = Namespace("Tensors")


def _compiled_on_use(entry: Op) -> Callable[..., Any]:
    """An op over Tensors that is compiled when it is first called, and then stands in the namespace itself."""

    def first_call(*args: Any, **kwargs: Any) -> Any:
        function = entry.call
        setattr(tensors, entry.name, function)
        return function(*args, **kwargs)

    return first_call


def source_of(name: str) -> str:
    """The Python text that the op ``name`` was compiled to."""
    entry = table[name]
    return call_source(entry) + ("\n" + rules_source(entry, False) if entry.sources else "")
