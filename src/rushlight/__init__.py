"""rushlight: PyTorch's autograd without PyTorch, in Python, on NumPy.

>>> import rushlight as torch
>>> x = torch.ones(2, 2, requires_grad=True)
>>> y = x + 2
>>> out = (y * y * 3).mean()
>>> out.backward()
>>> x.grad
tensor([[4.5000, 4.5000],
        [4.5000, 4.5000]])
"""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from math import e, inf, nan, pi
from types import ModuleType as _ModuleType

from .base.startup import collector_at_rest as _collector_at_rest

__path__.append(f"{__path__[0]}/compat")  # PyTorch's thin namespaces lie there, and are imported from here

with _collector_at_rest():
    from . import ops as _ops
    from . import storage as _storage
    from .as_torch.alias import install_as_torch
    from .as_torch.tracebacks import install_hooks
    from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
    from .autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
    from .autograd.modes import is_grad_enabled, is_inference_mode_enabled
    from .backend.caching_allocator import empty_cache, memory_stats, set_memory_fraction
    from .base import dtypes as _dtypes
    from .base import rare_dtypes as _rare_dtypes
    from .base.device import (
        _mkldnn,
        channels_last,
        channels_last_3d,
        contiguous_format,
        device,
        get_default_device,
        jagged,
        layout,
        legacy_contiguous_format,
        memory_format,
        preserve_format,
        set_default_device,
        sparse_bsc,
        sparse_bsr,
        sparse_coo,
        sparse_csc,
        sparse_csr,
        strided,
    )
    from .base.dtypes import (
        can_cast,
        dtype,
        get_default_dtype,
        promote_types,
        set_default_dtype,
        set_default_tensor_type,
    )
    from .base.missing_names import lazy_names
    from .base.public_names import loaded_libraries as _loaded_libraries
    from .base.public_names import operator_namespaces as _operator_namespaces
    from .base.size import Size
    from .base.torch_version import __version__
    from .base.type_limits import finfo, iinfo
    from .operators import derivatives as _derivatives
    from .ops.public import registry as _registry
    from .overrides.overridable_methods import install_methods
    from .random import (
        Generator,
        default_generator,
        get_rng_state,
        initial_seed,
        manual_seed,
        seed,
        set_rng_state,
    )
    from .storage import StorageBase, TypedStorage, UntypedStorage
    from .storage import resizing as _resizing
    from .storage import shared_memory as _shared_memory
    from .tensor import Methods as _Methods
    from .tensor import Tensor
    from .tensors import complex_half as _complex_half
    from .tensors import copying as _copying
    from .tensors import float8 as _float8
    from .tensors import foreach as _foreach
    from .tensors import memory as _memory
    from .tensors import python_protocols as _python
    from .tensors import queries as _queries
    from .tensors import rebuilding as _rebuilding
    from .tensors import runtime as _runtime
    from .tensors.conversion import to_dtype as _conversion
    from .tensors.conversion import to_layout as _layout_conversion
    from .tensors.creation import filling as _filling
    from .tensors.creation import interop as _interop
    from .tensors.creation import legacy as _legacy
    from .tensors.creation import matrices as _matrices
    from .tensors.creation import on_meta as _on_meta
    from .tensors.creation import sampling as _sampling
    from .tensors.creation import windows as _windows
    from .tensors.creation.from_sizes import empty, empty_strided, eye, full, ones, scalar_tensor, zeros
    from .tensors.creation.like import empty_like, full_like, ones_like, zeros_like
    from .tensors.creation.random_tensors import rand, rand_like, randint, randint_like, randn, randn_like, randperm
    from .tensors.creation.ranges import arange, linspace, logspace, range
    from .tensors.printing import get_printoptions, set_printoptions
    from .transforms import interpreter as _transforms
    from .transforms.vmap import vmap

    from .tensors.creation.from_data import as_tensor, from_numpy, tensor  # isort: skip  (after the module of that name)

newaxis = None
__all__ = [
    "Generator",
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "arange",
    "as_tensor",
    "can_cast",
    "channels_last",
    "channels_last_3d",
    "contiguous_format",
    "default_generator",
    "device",
    "dtype",
    "e",
    "empty",
    "empty_cache",
    "empty_like",
    "empty_strided",
    "enable_grad",
    "eye",
    "finfo",
    "from_numpy",
    "full",
    "full_like",
    "get_default_device",
    "get_default_dtype",
    "get_printoptions",
    "get_rng_state",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "install_as_torch",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "jagged",
    "layout",
    "legacy_contiguous_format",
    "linspace",
    "logspace",
    "manual_seed",
    "memory_format",
    "memory_stats",
    "nan",
    "no_grad",
    "ones",
    "ones_like",
    "pi",
    "preserve_format",
    "promote_types",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "range",
    "scalar_tensor",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_grad_enabled",
    "set_memory_fraction",
    "set_printoptions",
    "set_rng_state",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "strided",
    "tensor",
    "zeros",
    "zeros_like",
]


class _AboveTensors(_Methods):
    """What a tensor gives of rooms above its own; here, as only the face knows all."""

    def __array_namespace__(self, api_version: str | None = None) -> _ModuleType:
        return _import_module(f"{__name__}.array_api")


def _load_library(path: str) -> None:
    _import_module(f"{__name__}._ops").load_library(path)


globals().update({**_dtypes.NAMES, **_rare_dtypes.RARE, **_legacy.CLASSES, **_storage.CLASSES})
install_methods()
install_hooks()
__getattr__, __dir__ = lazy_names(
    __name__,
    frozenset(
        {
            "_C",
            "_VF",
            "__config__",
            "__future__",
            "_dynamo",
            "_functorch",
            "_guards",
            "_ops",
            "_prims",
            "_prims_common",
            "_refs",
            "_subclasses",
            "_tensor",
            "_tensor_str",
            "explain",
            "_utils",
            "_vmap_internals",
            "accelerator",
            "amp",
            "autograd",
            "backends",
            "compiler",
            "cpu",
            "cuda",
            "distributed",
            "distributions",
            "fft",
            "func",
            "functional",
            "futures",
            "fx",
            "hub",
            "jit",
            "library",
            "linalg",
            "masked",
            "mps",
            "multiprocessing",
            "nn",
            "overrides",
            "onnx",
            "optim",
            "profiler",
            "quasirandom",
            "return_types",
            "serialization",
            "signal",
            "sparse",
            "special",
            "testing",
            "torch_version",
            "types",
            "utils",
            "version",
            "xpu",
        }
    ),
    {
        "Future": "futures",
        "ScriptFunction": "jit",
        "ScriptModule": "jit",
        "PyTorchFileReader": "serialization",
        "PyTorchFileWriter": "serialization",
        "GradScaler": "amp",
        "autocast": "amp",
        "compile": "compiler",
        "_disable_dynamo": "compiler",
        "load": "serialization",
        "Stream": "_C._streams",
        "DeviceObjType": "_C._streams",
        "DispatchKey": "_C.dispatch_keys",
        **dict.fromkeys(("_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_"), "amp.scaling"),
        **dict.fromkeys(
            "_validate_compressed_sparse_indices _validate_sparse_bsc_tensor_args _validate_sparse_bsr_tensor_args "
            "_validate_sparse_compressed_tensor_args _validate_sparse_coo_tensor_args _validate_sparse_csc_tensor_args "
            "_validate_sparse_csr_tensor_args".split(),
            "sparse.creation",
        ),
        "save": "serialization",
        **dict.fromkeys(
            "_assert_async _assert_tensor_metadata _check _check_index _check_is_size _check_not_implemented _check_tensor_all "
            "_check_type _check_value _check_with".split(),
            "tensors.checks",
        ),
        **dict.fromkeys(
            "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
            "sparse_csr_tensor".split(),
            "sparse.creation",
        ),
        **dict.fromkeys(("hspmm", "smm", "sspaddmm"), "sparse.rows"),
        **dict.fromkeys(
            "clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled "
            "is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled set_autocast_dtype "
            "set_autocast_enabled".split(),
            "amp.autocast_mode",
        ),
    },
)

_operator_namespaces.update(load_library=_load_library, loaded_libraries=_loaded_libraries)
# Pickles name modules; those made before base/ and tensors/ were rooms name these without them.
for _name in tuple(_sys.modules):
    _room, _, _rest = _name.removeprefix(f"{__name__}.").partition(".")
    if _room in ("base", "tensors") and _rest.partition(".")[0] in ("copying", "creation", "device", "dtypes", "size"):
        _sys.modules[f"{__name__}.{_rest}"] = _sys.modules[_name]
# What `from torch import *` gives beside them.
__all__.extend(name for name in _registry["torch"] if name not in __all__ and "_" not in (name[0], name[-1]))
