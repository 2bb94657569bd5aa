"""Modes whose brackets were forgotten: ``with torch.no_grad:``."""

from __future__ import annotations

from typing import NoReturn

from ..backend.notes import with_notes


class Called(type):
    """The class of modes that ``with`` takes only when they have been called."""

    def __enter__(cls) -> NoReturn:
        error = TypeError("'type' object does not support the context manager protocol")
        raise with_notes(error, f"Write the brackets: `with torch.{cls.__name__}():`.")

    def __exit__(cls, kind: object, error: object, tb: object) -> None:
        """Asked for by Python before it enters; never called, as entering raises."""
