"""torch.distributed.checkpoint.api: the error of checkpoints."""

from __future__ import annotations

import traceback
from collections.abc import Mapping

__all__ = ["CheckpointException"]


class CheckpointException(BaseException):
    """What went wrong in which process; ``failures[0]`` is the error of the one that there is, and what it was raised in."""

    def __init__(self, msg: str, failures: Mapping[int, tuple[BaseException, traceback.StackSummary]]) -> None:
        super().__init__(msg, failures)
        self._failures = dict(failures)

    @property
    def failures(self) -> dict[int, tuple[BaseException, traceback.StackSummary]]:
        """Errors by process."""
        return self._failures

    def __str__(self) -> str:
        text = f"CheckpointException ranks:{self._failures.keys()}\n"
        for rank, (error, stack) in self._failures.items():
            text += f"Traceback (most recent call last): (RANK {rank})\n"
            text += "".join([*traceback.format_list(stack), *traceback.format_exception_only(error)])
        return text
