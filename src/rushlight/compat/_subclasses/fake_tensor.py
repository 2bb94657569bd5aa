"""torch._subclasses.fake_tensor: the name is here for programs that import it; rushlight computes with numbers only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

__all__ = ["FakeTensorMode", "is_fake", "unset_fake_temporarily"]


class FakeTensorMode:
    """NotImplementedError: there are no tensors without numbers here."""

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("rushlight does not have torch._subclasses.fake_tensor.FakeTensorMode; PyTorch has it")


def is_fake(x: object) -> bool:
    """Whether a tensor has no numbers: none is so.

    >>> import rushlight as torch
    >>> torch._subclasses.fake_tensor.is_fake(torch.zeros(2))
    False
    """
    return False


@contextmanager
def unset_fake_temporarily() -> Iterator[None]:
    """A context in which tensors have numbers, as everywhere."""
    yield
