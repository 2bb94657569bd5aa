"""torch._dynamo.exc: what torch.compile raises."""

from __future__ import annotations

from rushlight.compiled.errors import BackendCompilerFailed as BackendCompilerFailed
from rushlight.compiled.errors import FailOnRecompileLimitHit as FailOnRecompileLimitHit
from rushlight.compiled.errors import InvalidBackend as InvalidBackend
from rushlight.compiled.errors import RecompileError as RecompileError
from rushlight.compiled.errors import TorchDynamoException as TorchDynamoException
from rushlight.compiled.errors import Unsupported as Unsupported

__all__ = [
    "BackendCompilerFailed",
    "FailOnRecompileLimitHit",
    "InvalidBackend",
    "RecompileError",
    "TorchDynamoException",
    "Unsupported",
]
