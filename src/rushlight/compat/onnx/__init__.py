"""torch.onnx: forward passes as models for other runtimes, and the rules that libraries register."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.base.missing_names import lazy_names
from rushlight.compiled.onnx.graph import Proto
from rushlight.compiled.onnx.model import Unwritten as OnnxExporterError
from rushlight.compiled.onnx.model import written

__all__ = [
    "ONNXProgram", "OnnxExporterError", "export", "is_in_onnx_export", "register_custom_op_symbolic",
    "unregister_custom_op_symbolic",
]  # fmt: skip
DEFAULT_OPSET = 18

_symbolics: dict[tuple[str, int], Callable[..., Any]] = {}


def is_in_onnx_export() -> bool:
    """False: what is exported runs as it does otherwise.

    >>> import rushlight as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False


class ONNXProgram:
    """An exported program; ``model_proto`` is the model of the package ``onnx``."""

    def __init__(self, model_proto: Proto) -> None:
        self.model_proto = model_proto

    def save(self, destination: str | os.PathLike[str]) -> None:
        """Writes the model to a file."""
        with open(destination, "wb") as file:
            file.write(self.model_proto.SerializeToString())


def export(
    model: Callable[..., object],
    args: object = (),
    f: str | os.PathLike[str] | None = None,
    *,
    kwargs: Mapping[str, object] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool = True,
    dynamic_shapes: object = None,
    optimize: bool = True,
    export_params: bool = True,
    dynamic_axes: object = None,
    do_constant_folding: bool = True,
) -> ONNXProgram:
    """The forward pass of ``model`` on ``args``, a tuple, as an ONNX model, which is written to the file ``f`` if that is given.

    The model is of the shapes and dtypes of ``args``; parameters and buffers are part of it. Needs the package ``onnx``
    (ImportError); OnnxExporterError where the pass looks at values, draws numbers, changes what was there before, as batch norm does
    in training, or has an op without a line in ``compiled/onnx/lowering.py``; ValueError for sets of operators before 18.

    >>> import rushlight as torch
    >>> torch.onnx.export(torch.nn.Linear(2, 1), (torch.ones(1, 2),), dynamic_axes={"input": [0]})
    Traceback (most recent call last):
        ...
    rushlight.onnx.OnnxExporterError: a model is of one form of arguments: dynamic_axes and dynamic_shapes cannot be told
    """
    if dynamic_axes or dynamic_shapes:
        raise OnnxExporterError("a model is of one form of arguments: dynamic_axes and dynamic_shapes cannot be told")
    if not export_params:
        raise OnnxExporterError("parameters are part of a model: export_params=False cannot be told")
    given = args if isinstance(args, tuple) else (args,)
    version = DEFAULT_OPSET if opset_version is None else opset_version
    program = ONNXProgram(written(model, given, kwargs or {}, input_names or (), output_names or (), version))
    if f is not None:
        program.save(f)
    return program


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Keeps a rule by which an operator would be exported."""
    _symbolics[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forgets a rule again."""
    _symbolics.pop((symbolic_name, opset_version), None)


__getattr__, __dir__ = lazy_names(__name__, frozenset({"symbolic_helper", "symbolic_opset11"}))
