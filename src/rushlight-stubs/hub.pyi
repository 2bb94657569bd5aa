# Written by tools/stubs.py; `make stubs` writes it anew.

from builtins import list as _list
from tqdm.std import tqdm as _tqdm
from typing import Any
from typing import TypeAlias

def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Downloads to a file, which appears when all of it is there."""
    ...
def get_dir() -> str:
    """The folder that downloads are kept in: ``$TORCH_HOME/hub``, or in the user's cache."""
    ...
def help(repo_or_dir: str, model: str, force_reload: bool = False, source: str = 'github', **options: Any) -> str | None:
    """The docstring of a function in a folder's ``hubconf.py``."""
    ...
def list(repo_or_dir: str, force_reload: bool = False, source: str = 'github', **options: Any) -> _list[str]:
    """The names of what :func:`load` can load from a folder."""
    ...
def load(repo_or_dir: str, model: str, *args: Any, source: str = 'github', **kwargs: Any) -> Any:
    """What the function ``model`` in a folder's ``hubconf.py`` gives. With ``source="local"`` only: code is not downloaded."""
    ...
def load_state_dict_from_url(url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False, file_name: str | None = None, weights_only: bool = True) -> dict[str, Any]:
    """What ``torch.load`` gives for a file on the web, which is downloaded once."""
    ...
def set_dir(d: Any) -> None:
    """Has downloads kept in another folder."""
    ...
tqdm: TypeAlias = _tqdm
