"""The op table by family. Importing this package fills the table and the registry of public functions."""

from importlib import import_module
from typing import Any

from ..autograd.recorder import record_function
from ..base.public_names import operator_namespaces

FAMILIES = (
    "shape",
    "transposes",
    "strides",  # in-place forms of the two above
    "slicing",
    "subscripts",
    "scatter",
    "index",
    "masks",
    "choice",
    "comparison",
    "complex_numbers",
    "cumulative",
    "decompositions",
    "lobpcg",
    "layouts",
    "einsum",
    "extremes",
    "least_squares",
    "lu",
    "matmul",
    "linear",
    "matrix_functions",
    "matrix_norms",
    "pointwise",
    "norms",
    "operators",
    "products",
    "joining",
    "rearrange",
    "meshgrid",
    "recurrent",
    "reduce",
    "reflectors",
    "removed",
    "softmax",
    "solve",
    "sort",
    "special",
    "statistics",
    "writing",
    "activations",
    "activation_backward",
    "dropout",
    "scalar_arithmetic",
    "losses",
    "class_losses",
    "loss_backward",
    "normalization",
    "group_norm",
    "packed_sequences",
    "padding",
    "embedding",
    "distances",
    "fourier",
    "stft",
    "copies",
    "hashing",
    "segments",
    "symbolic",
    "older_norms",
    "masked",
    "convolution",
    "pooling",
    "interpolation",
    "grid_sample",
    "fold",
    "pixel_shuffle",
    "attention",
    "ctc",
    "margin_losses",
    "adaptive_pooling",
    "asked_first",
    "forward_rules",
)


def __getattr__(name: str) -> Any:
    if name in operator_namespaces:
        return operator_namespaces[name]
    raise AttributeError(f"module 'torch.ops' has no attribute {name!r}")


for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")


class _Profiler:
    """torch.ops.profiler: what record_function is made of in PyTorch."""

    @staticmethod
    def _record_function_enter(name: str, args: str | None = None) -> Any:
        return record_function(name, args).__enter__()

    _record_function_enter_new = _record_function_enter

    @staticmethod
    def _record_function_exit(handle: Any) -> None:
        handle.__exit__(None, None, None)


profiler = _Profiler()


class _Mkldnn:
    """torch.ops.mkldnn: what its library, of which there is none here, could compute faster."""

    @staticmethod
    def _is_mkldnn_acl_supported() -> bool:
        return False

    _is_mkldnn_bf16_supported = _is_mkldnn_fp16_supported = _is_mkldnn_acl_supported


mkldnn = _Mkldnn()
