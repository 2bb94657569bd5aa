"""``torch._dynamo.config``: settings of ``torch.compile``, by PyTorch's names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_OTHER_NAMES = {"cache_size_limit": "recompile_limit", "accumulated_cache_size_limit": "accumulated_recompile_limit"}


class Config:
    """Settings. Those of the first group are read, at each call; the others are taken and change nothing.

    ``recompile_limit``   for how many forms a function is captured, unless its ``torch.compile`` was told of another number; with
                          others it runs as it is, with one warning. Also known as ``cache_size_limit``
    ``error_on_recompile``           a second form is a RecompileError
    ``fail_on_recompile_limit_hit``  a form more than the limit is a FailOnRecompileLimitHit
    ``suppress_errors``   where a backend of the user's raises an error, the function runs as it is, with one warning
    ``disable``           compiled functions run as they are

    AttributeError for any other name.
    """

    recompile_limit: int

    def __init__(self) -> None:
        vars(self).update(
            recompile_limit=8, error_on_recompile=False, fail_on_recompile_limit_hit=False, suppress_errors=False, disable=False,
            #
            accumulated_recompile_limit=256, allow_unspec_int_on_nn_module=False, assume_static_by_default=True,
            automatic_dynamic_shapes=True, capture_dynamic_output_shape_ops=False, capture_scalar_outputs=False,
            compiled_autograd=False, dynamic_shapes=True, force_parameter_static_shapes=True, guard_nn_modules=True,
            inline_inbuilt_nn_modules=True, optimize_ddp=True, skip_fsdp_hooks=True, specialize_float=False, specialize_int=False,
            verbose=False,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name in _OTHER_NAMES:
            return getattr(self, _OTHER_NAMES[name])
        raise AttributeError(f"torch._dynamo.config.{name} does not exist")

    def __setattr__(self, name: str, value: object) -> None:
        name = _OTHER_NAMES.get(name, name)
        if name not in vars(self):
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")
        vars(self)[name] = value

    @contextmanager
    def _patched(self, given: dict[str, object]) -> Iterator[None]:
        before = dict(vars(self))
        try:
            for name, value in given.items():
                setattr(self, name, value)
            yield
        finally:
            vars(self).update(before)

    def patch(self, *changes: Any, **named: Any) -> Any:
        """Other settings for the length of a ``with`` block, or of a decorated function: ``patch("recompile_limit", 2)``,
        ``patch({"recompile_limit": 2})`` or ``patch(recompile_limit=2)``.

        >>> import rushlight as torch
        >>> with torch._dynamo.config.patch(recompile_limit=2):
        ...     torch._dynamo.config.cache_size_limit
        2
        """
        return self._patched({**(dict([changes]) if len(changes) == 2 else changes[0] if changes else {}), **named})


config = Config()
