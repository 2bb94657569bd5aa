# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Mapping
from collections.abc import Sequence
from os import PathLike
from rushlight import Tensor
from types import TracebackType
from typing import Any

class Story:
    """What happened inside of ``with rushlight.explain() as story:``."""
    recording: Any
    name: str
    arguments: list[str]
    def __enter__(self) -> Story: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None: ...
    def __init__(self, full: bool = False, limit: int = 100000, jacobians: bool = True) -> None: ...
    def finish(self, names: Mapping[str, object], error: BaseException | None, exit_code: int | None, frame: Any = None, only: set[int] | None = None) -> None:
        """Makes the recording of what was seen; ``names`` are those that the program leaves behind, ``only`` those to tell of."""
        ...
    def form(self, suffix: str, lang: str = 'en', passes: Sequence[int | str] | None = None) -> str:
        """The text of a form by its file's ending."""
        ...
    def read(self, out: Tensor, gradient: Tensor | None = None) -> Story:
        """The graph behind a tensor, with nothing run of it and nothing freed."""
        ...
    def save(self, path: str | PathLike[str], lang: str = 'en', passes: Sequence[int | str] | None = None) -> None:
        """Writes ``.json``, ``.html``, ``.svg`` or ``.txt``; ValueError for another ending."""
        ...
    def show(self, lang: str = 'en', passes: Sequence[int | str] | None = None) -> None:
        """Prints the story's text, in a terminal that is narrower than 80 columns in as many as it has."""
        ...
