# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from os import PathLike
from typing import Any

class ONNXProgram:
    """An exported program; ``model_proto`` is the model of the package ``onnx``."""
    model_proto: Any
    def __init__(self, model_proto: Any) -> None: ...
    def save(self, destination: str | PathLike[str]) -> None:
        """Writes the model to a file."""
        ...
class OnnxExporterError(RuntimeError):
    """Why a program cannot be written as an ONNX model."""
def export(model: Callable[..., object], args: object = (), f: str | PathLike[str] | None = None, *, kwargs: Mapping[str, object] | None = None, verbose: bool | None = None, input_names: Sequence[str] | None = None, output_names: Sequence[str] | None = None, opset_version: int | None = None, dynamo: bool = True, external_data: bool = True, dynamic_shapes: object | None = None, optimize: bool = True, export_params: bool = True, dynamic_axes: object | None = None, do_constant_folding: bool = True) -> ONNXProgram:
    """The forward pass of ``model`` on ``args``, a tuple, as an ONNX model, which is written to the file ``f`` if that is given."""
    ...
def is_in_onnx_export() -> bool:
    """False: what is exported runs as it does otherwise."""
    ...
def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Keeps a rule by which an operator would be exported."""
    ...
def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forgets a rule again."""
    ...
