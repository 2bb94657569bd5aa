"""torch.hub: weights and models from files on the web or in a folder."""

from __future__ import annotations

import builtins
import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from rushlight import serialization
from rushlight.base.missing_names import lazy_names
from rushlight.serialization.archive import replacing

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_CHUNK = 1 << 17
_chosen: list[str] = []


def _get_torch_home() -> str:
    """The folder of all that is downloaded, which libraries ask for by this name."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder that downloads are kept in: ``$TORCH_HOME/hub``, or in the user's cache."""
    return _chosen[-1] if _chosen else os.path.join(_get_torch_home(), "hub")


def set_dir(d: Any) -> None:
    """Has downloads kept in another folder."""
    _chosen[:] = [os.path.expanduser(os.fspath(d))]


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Downloads to a file, which appears when all of it is there.

    RuntimeError where its SHA-256 does not begin with ``hash_prefix``.
    """
    digest = hashlib.sha256()
    with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source, replacing(os.path.expanduser(dst)) as target:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            target.write(chunk)
        if hash_prefix and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> dict[str, Any]:
    """What ``torch.load`` gives for a file on the web, which is downloaded once.

    Other than PyTorch's it does not run what is in the file unless ``weights_only=False`` is said.
    """
    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stderr.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found[1] if found else None, progress)
    state: dict[str, Any] = serialization.load(path, map_location=map_location, weights_only=weights_only)
    return state


def load(repo_or_dir: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:
    """What the function ``model`` in a folder's ``hubconf.py`` gives. With ``source="local"`` only: code is not downloaded."""
    for option in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        kwargs.pop(option, None)
    return getattr(_hubconf(repo_or_dir, source), model)(*args, **kwargs)


def list(repo_or_dir: str, force_reload: bool = False, source: str = "github", **options: Any) -> builtins.list[str]:
    """The names of what :func:`load` can load from a folder."""
    names = vars(_hubconf(repo_or_dir, source))
    return [name for name, value in names.items() if callable(value) and not name.startswith("_")]


def help(repo_or_dir: str, model: str, force_reload: bool = False, source: str = "github", **options: Any) -> str | None:
    """The docstring of a function in a folder's ``hubconf.py``."""
    return getattr(_hubconf(repo_or_dir, source), model).__doc__


def _hubconf(folder: str, source: str) -> ModuleType:
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise RuntimeError("rushlight downloads no code; clone the repository and pass its folder with source='local'")
    path = Path(folder) / "hubconf.py"
    spec = spec_from_file_location("hubconf", path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    module = module_from_spec(spec)
    sys.path.insert(0, str(Path(folder)))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(Path(folder)))
    return module


try:
    from tqdm import tqdm
except ImportError:

    class tqdm:  # type: ignore[no-redef]
        """A bar that shows no progress, where the package of that name is not installed."""

        def __init__(self, iterable: Iterable[Any] | None = None, *args: Any, disable: bool = False, **kwargs: Any) -> None:
            self.iterable, self.disable, self.n = iterable, disable, 0

        def __iter__(self) -> Iterator[Any]:
            return iter(self.iterable or ())

        def update(self, n: int = 1) -> None:
            self.n += n

        def close(self) -> None:
            """Nothing to close."""

        def __enter__(self) -> tqdm:
            return self

        def __exit__(self, *error: object) -> None:
            pass


__getattr__, __dir__ = lazy_names(__name__)
