"""Where a saved storage was, and where it goes: tags like "cpu" and "cuda:0", and ``map_location``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.device import device
from ..storage import _Storage

Tagger = Callable[[Any], str | None]
Restorer = Callable[[Any, str], Any]


def _tag(storage: Any) -> str | None:
    return "cpu" if isinstance(storage, _Storage) else None


def _stay(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _no_device(storage: Any, location: str) -> Any:
    kind = location.partition(":")[0]
    if kind in ("cuda", "xpu"):
        raise RuntimeError(
            f"Attempting to deserialize object on a {kind.upper()} device but torch.{kind}.is_available() is False. If you "
            "are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    if kind == "meta":
        storage._on_meta = True
        return storage
    if kind in ("mps", "hpu"):
        raise RuntimeError(
            f"torch.UntypedStorage(): Storage device not recognized: {kind}; use map_location='cpu' to load it on the CPU"
        )
    return None


_packages: list[tuple[int, Tagger, Restorer]] = [(10, _tag, _stay), (20, lambda storage: None, _no_device)]


def register_package(priority: int, tagger: Tagger, deserializer: Restorer) -> None:
    """Has storages of another kind saved and restored: each function gives None for those it does not know.

    Functions of a lower priority are asked first.
    """
    _packages[:] = sorted([*_packages, (priority, tagger, deserializer)])  # of one priority they are compared, as in PyTorch


def tag_of(storage: Any) -> str:
    """The location under which a storage is saved. RuntimeError where nobody knows it."""
    storage.device  # noqa: B018 - what has none is refused for that
    for _, tagger, _ in _packages:
        tag = tagger(storage)
        if tag is not None:
            return tag
    if storage.device.type == "cpu":
        return "cpu"
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__module__}.{type(storage).__name__}")


def restored(storage: Any, location: str) -> Any:
    """A storage in the place that a tag names. RuntimeError where there is no such place."""
    if not isinstance(location, str):
        raise TypeError(f"expected string or bytes-like object, got {type(location).__name__!r}")
    for _, _, restorer in _packages:
        result = restorer(storage, location)
        if result is not None:
            return result
    name = f"{type(storage).__module__}.{type(storage).__name__}"
    raise RuntimeError(f"don't know how to restore data location of {name} (tagged with {location})")


def mapping(map_location: Any) -> Restorer:
    """What to do with a storage and its tag: ``map_location`` is a name, a device, a dict of names, or a function."""
    if map_location is None:
        return restored
    if isinstance(map_location, dict):
        return lambda storage, location: restored(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        place = map_location.decode() if isinstance(map_location, bytes) else map_location
        return lambda storage, location: restored(storage, place)
    if isinstance(map_location, device):
        return lambda storage, location: restored(storage, str(map_location))

    if not callable(map_location):
        raise TypeError(f"{type(map_location).__name__!r} object is not callable")

    def ask(storage: Any, location: str) -> Any:
        result = map_location(storage, location)
        return restored(storage, location) if result is None else result

    return ask
