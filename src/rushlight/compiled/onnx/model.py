"""Programs as ONNX models: a forward pass is recorded, and written op by op (``lowering.py``).

A model is of one form of arguments: their shapes and dtypes, and the Python numbers among them, are those of the example. What the
program finds, parameters and buffers, are constants of the model, by their names in the module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...autograd.grad_mode import no_grad
from ...nn import Module
from ...tensor import Tensor
from ..capture import known_functions
from ..capture import trace as t
from ..capture.guards import CannotTell, Findings
from ..capture.recorder import NotUnderstood, Recorder
from ..capture.watching import Watch, uncollected
from ..trees import leaves_of
from .graph import Dtype, Graph, Named, Option, Proto
from .lowering import LINES

OLDEST, LATEST = 18, 23  # of ONNX's sets of operators
_IR = 10  # of the file's form, that these need


class Unwritten(RuntimeError):
    """Why a program cannot be written as an ONNX model."""

    __module__ = "rushlight.onnx"
    __qualname__ = "OnnxExporterError"


def written(
    function: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    input_names: Sequence[str],
    output_names: Sequence[str],
    opset: int,
) -> Proto:
    """A program as a model of the package ``onnx``."""
    if not OLDEST <= opset <= LATEST:
        raise ValueError(f"opset_version {opset}: models are written for {OLDEST} to {LATEST}")
    graph = Graph()
    leaves: list[object] = []
    leaves_of((tuple(args), dict(kwargs)), leaves)
    given = list({id(one): one for one in leaves if isinstance(one, Tensor)}.values())
    recorder, result = _recorded(function, args, kwargs, leaves)
    every: list[object] = []
    leaves_of(result, every)
    found = [one for one in every if isinstance(one, Tensor)]
    if not found or len(found) < len(every):
        raise Unwritten("a result that is no tensor")
    writer = _Writer(graph, recorder, _names(function))
    inputs = [writer.given(one, name) for one, name in zip(given, _filled(input_names, len(given), "input"), strict=True)]
    writer.write()
    outputs = [writer.result(one, name) for one, name in zip(found, _filled(output_names, len(found), "output"), strict=True)]
    helper = graph.onnx.helper
    body = helper.make_graph(graph.nodes, type(function).__name__, inputs, outputs, graph.constants)
    model = helper.make_model(body, producer_name="rushlight", opset_imports=[helper.make_opsetid("", opset)], ir_version=_IR)
    graph.onnx.checker.check_model(model, full_check=True)
    return model


def _recorded(
    function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object], leaves: Sequence[object]
) -> tuple[Recorder, object]:
    """A recording, and what the program gave: the second of two that agree, which know what was there before."""
    look = Recorder(None)
    watch = Watch(look)
    with no_grad():
        uncollected(lambda: watch.of(function, *args, **kwargs))
    if look.failure is not None:
        raise Unwritten(_told(look.failure))
    names = None if watch.any_name else watch.names
    users = {name for code in watch.codes for name in code.co_names}
    try:
        findings = Findings([function, *(one for one in leaves if not isinstance(one, Tensor))], names, users)
    except CannotTell as error:
        raise Unwritten(str(error)) from None
    before = [*findings.tensors.values(), *(one for one in leaves if isinstance(one, Tensor))]
    first, _ = _known(function, args, kwargs, before)
    second, result = _known(function, args, kwargs, before)
    if not second.trace.same_as(first.trace):
        raise Unwritten("each call does something else")
    return second, result


def _known(
    function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object], before: Sequence[Tensor]
) -> tuple[Recorder, object]:
    recorder = Recorder(before)
    with no_grad():
        result = uncollected(lambda: Watch(recorder).of(function, *args, **kwargs))
    if recorder.failure is not None:
        raise Unwritten(_told(recorder.failure))
    return recorder, result


class _Writer:
    """The values of a trace by their names in a graph."""

    def __init__(self, graph: Graph, recorder: Recorder, names: Mapping[int, str]) -> None:
        self.graph, self.recorder, self.trace, self.names = graph, recorder, recorder.trace, names
        self.values: dict[int, Named] = {}
        self.inputs: set[int] = set()  # whose numbers the example gives

    def given(self, tensor: Tensor, name: str) -> Proto:
        """An argument."""
        number = self.recorder.input(tensor)
        self.inputs.add(number)
        array = tensor._array
        value = self.values[number] = Named(self.graph.name(name), array.shape, array.dtype)
        return self._told(value)

    def result(self, tensor: Tensor, name: str) -> Proto:
        """A result, which an input or a constant may be too."""
        value = self._value(self.recorder.ref(tensor).number)
        own = Named(self.graph.name(name), value.shape, value.dtype)
        self.graph.nodes.append(self.graph.onnx.helper.make_node("Identity", [value.name], [own.name]))
        return self._told(own)

    def _told(self, value: Named) -> Proto:
        return self.graph.onnx.helper.make_tensor_value_info(value.name, self.graph.kind(value.dtype), value.shape)

    def write(self) -> None:
        """Writes all that the trace does."""
        for one in self.trace.instructions:
            match one:
                case t.Input(number, None):
                    if number not in self.values:
                        tensor = self.trace.tensors[number]
                        self.values[number] = self.graph.constant(tensor._array, self.names.get(id(tensor)))
                case t.Constant(array, out):
                    self.values[out] = self.graph.constant(array)
                case t.Copy(source, out):
                    self.values[out] = self._value(source.number)
                case t.Apply():
                    self._apply(one)
                case t.Write():
                    self._write(one)
                case t.Host():
                    self._host(one)
                case _:
                    raise Unwritten(f"{t.line(one)}: a backward pass, or a view that is read after a write")

    def _apply(self, one: t.Apply) -> None:
        line = LINES.get(one.op)
        if line is None:
            raise Unwritten(f"the op {one.op} has no line in compiled/onnx/lowering.py")
        inputs = [self._argument(value, one.cast) for value in one.inputs]
        try:
            made = line(self.graph, *inputs, *[self._parameter(value) for value in one.params])
        except NotImplementedError as error:
            raise Unwritten(str(error)) from None
        for out, value in zip(one.outs, made if isinstance(made, (list, tuple)) else [made], strict=True):
            if value is not None:
                form = self.trace.values[out]
                self.values[out] = Named(value.name, form.shape, form.dtype)

    def _write(self, one: t.Write) -> None:
        form = self.trace.values[one.out]
        if form.storage not in self.recorder.made:
            raise Unwritten(f"{one.name}(), which changes a tensor that was there before; is the module in eval()?")
        source = self._argument(one.source, form.dtype)
        if source.shape != form.shape:
            source = Named(self.graph.node("Expand", source, self.graph.sizes(form.shape)).name, form.shape, form.dtype)
        self.values[one.out] = source

    def _host(self, one: t.Host) -> None:
        """What is called as it stands is made once, where it only makes tensors of what is no tensor."""
        if not known_functions.changes_nothing(one.function):
            raise Unwritten(f"{one.name}(), which draws numbers or changes what it is given; is the module in eval()?")
        if not one.outs:
            return
        if t.read(one):
            raise Unwritten(f"{one.name}(), of a tensor")
        made = one.function(*one.args, **one.kwargs)
        for out, tensor in zip(one.outs, made if isinstance(made, (list, tuple)) else [made], strict=True):
            self.values[out] = self.graph.constant(tensor._array)

    def _value(self, number: int) -> Named:
        if number not in self.values:
            tensor = self.trace.tensors.get(number)
            if tensor is None:
                raise Unwritten("a result of an op that ONNX does not give, such as the places of a maximum")
            self.values[number] = self.graph.constant(tensor._array, self.names.get(id(tensor)))
        return self.values[number]

    def _argument(self, value: Option, cast: Dtype | None) -> Option:
        if isinstance(value, t.Ref):
            found = self._value(value.number)
            return found if cast is None else self.graph.cast(found, cast)
        if isinstance(value, tuple):
            return [self._argument(one, cast) for one in value]
        return value if cast is None or value is None else self.graph.constant(np.asarray(value, cast))

    def _parameter(self, value: Option) -> Option:
        return self._value(value.number) if isinstance(value, (t.Ref, t.Bare)) else value


def _told(reason: NotUnderstood) -> str:
    return f"{reason.reason} ({reason.place})" if reason.place else reason.reason


def _names(function: object) -> dict[int, str]:
    """What a module has, by its names."""
    if not isinstance(function, Module):
        return {}
    return {id(one): name for name, one in [*function.named_buffers(), *function.named_parameters()]}


def _filled(names: Sequence[str], count: int, stem: str) -> list[str]:
    """The user's names, and others where there are not enough."""
    if len(names) > count:
        raise ValueError(f"{len(names)} names for {count} {stem}s")
    return [*names, *(stem if count == 1 else f"{stem}_{index}" for index in range(len(names), count))]
