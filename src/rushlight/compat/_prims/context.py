"""torch._prims.context: running functions by PyTorch's operators in Python."""

from collections.abc import Callable
from typing import Any

from rushlight.overrides import TorchFunctionMode


class TorchRefsMode(TorchFunctionMode):
    """Has functions run by ``torch._refs``, which are the functions themselves here.

    >>> import rushlight as torch
    >>> with torch._prims.context.TorchRefsMode():
    ...     torch.ones(2) + 1
    tensor([2., 2.])
    """

    def __init__(self, strict: bool = False, should_fallback_fn: object = None, prims_mode_cls: object = None) -> None:
        super().__init__()
        self.strict, self.should_fallback_fn, self.prims_mode_cls = strict, should_fallback_fn, prims_mode_cls

    def __torch_function__(
        self, orig_func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return orig_func(*args, **(kwargs or {}))
