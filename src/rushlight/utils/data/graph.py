"""torch.utils.data.graph: which pipes of data an object holds, and those of these, as nested dicts."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["traverse", "traverse_dps"]

Graph: TypeAlias = "dict[int, tuple[object, Graph]]"


def _is_pipe(value: object) -> bool:
    """Whether a value says that it is a pipe of data: torch has none of its own here, libraries' have these two."""
    return hasattr(value, "register_datapipe_as_function") or type(value).__name__.endswith("DataPipe")


def _pipes_in(value: object, seen: set[int]) -> list[object]:
    if id(value) in seen:
        return []
    seen.add(id(value))
    if _is_pipe(value):
        return [value]
    if isinstance(value, dict):
        return [pipe for one in value.values() for pipe in _pipes_in(one, seen)]
    if isinstance(value, list | tuple | set):
        return [pipe for one in value for pipe in _pipes_in(one, seen)]
    return []


def traverse_dps(datapipe: object) -> Graph:
    """``{id(pipe): (pipe, the same of those that it holds)}``."""
    inner: Graph = {}
    for value in vars(datapipe).values():
        for pipe in _pipes_in(value, {id(datapipe)}):
            inner.update(traverse_dps(pipe))
    return {id(datapipe): (datapipe, inner)}


def traverse(datapipe: object, only_datapipe: bool | None = None) -> Graph:
    """:func:`traverse_dps` under its older name."""
    return traverse_dps(datapipe)
