"""Errors of ``torch.compile``, by PyTorch's names (``torch._dynamo.exc``)."""

from __future__ import annotations

_HOME = "rushlight._dynamo.exc"  # where PyTorch has them


class TorchDynamoException(RuntimeError):
    """What all of these are."""

    __module__ = _HOME


class Unsupported(TorchDynamoException):
    """A function that cannot be captured whole, where ``fullgraph=True`` asks for it."""

    __module__ = _HOME


class InvalidBackend(TorchDynamoException):
    """A compiler of a name that there is not."""

    __module__ = _HOME

    def __init__(self, name: object) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class BackendCompilerFailed(TorchDynamoException):
    """What a backend of the user's has raised, or that it gave nothing that can be called.

    ``inner_exception``  the error
    """

    __module__ = _HOME

    def __init__(self, backend: object, inner_exception: BaseException) -> None:
        name = getattr(backend, "__name__", backend)
        super().__init__(f"backend={str(name)!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")
        self.backend_name, self.inner_exception = str(name), inner_exception


class RecompileError(TorchDynamoException):
    """A function that would be captured for another form, where ``torch._dynamo.config.error_on_recompile`` is set."""

    __module__ = _HOME


class FailOnRecompileLimitHit(Exception):
    """A function that ``fullgraph=True`` asks to be captured, for more forms than are compiled for."""

    __module__ = _HOME
