"""``rushlight install-torch``: a small package ``torch`` in this environment that means rushlight, and its metadata.

Programs that nobody starts with ``rushlight`` find it: worker processes, Jupyter kernels, and libraries that ask
``importlib.metadata.version("torch")``. ``rushlight uninstall-torch``, or ``pip uninstall torch``, takes it away again.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from importlib.machinery import PathFinder
from pathlib import Path

from ..base import version

_STUBS = Path(__file__).parents[2] / "rushlight-stubs"
_MARK = "written by `rushlight install-torch`"
_PACKAGE = f'''"""torch is rushlight here: {_MARK}."""

import sys

sys.modules.pop("torch", None)  # what is being imported gives way to rushlight
import rushlight

rushlight.install_as_torch()
'''


def _stubs() -> dict[str, str]:
    """What type checkers and editors read, by path: torch and each module below it have the types of rushlight's.

    Each module is a folder, as checkers miss the source of a stub that is a file.
    """
    found = {"torch/__init__.pyi": "from rushlight import *\n", "torch/py.typed": ""}
    for path in sorted(_STUBS.rglob("*.pyi")):
        names = [name for name in path.relative_to(_STUBS).with_suffix("").parts if name != "__init__"]
        found["/".join(("torch", *names, "__init__.pyi"))] = f"from {'.'.join(('rushlight', *names))} import *\n"
    return found


def _version() -> str:
    return version.__version__.partition("+")[0]


def _files() -> dict[str, str]:
    """What is written below the folder of installed packages, by path."""
    info = f"torch-{_version()}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: torch\nVersion: {_version()}\nSummary: An alias of rushlight, {_MARK}\n"
    files = {
        "torch/__init__.py": _PACKAGE,
        **_stubs(),
        f"{info}/METADATA": metadata,
        f"{info}/INSTALLER": "rushlight\n",
        f"{info}/top_level.txt": "torch\n",
    }
    return files | {f"{info}/RECORD": "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])}


def _is_ours(init: str) -> bool:
    try:
        with open(init, encoding="utf-8") as file:
            return _MARK in file.readline()
    except OSError:
        return False


def install(folder: str | None = None) -> str:
    """Writes the package below ``folder`` (where this Python's packages are); returns what to tell. RuntimeError where PyTorch is."""
    folder = folder or sysconfig.get_path("purelib")
    init = os.path.join(folder, "torch", "__init__.py")
    found = PathFinder.find_spec("torch", [folder, *sys.path])
    if found is not None and not _is_ours(found.origin or ""):
        raise RuntimeError(f"PyTorch is installed here already ({found.origin}), so `torch` cannot mean rushlight")
    for path, text in _files().items():
        whole = os.path.join(folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)
    return f"import torch is rushlight for this Python now ({init}); `rushlight uninstall-torch` takes it away"


def uninstall(folder: str | None = None) -> str:
    """Takes the package away again; returns what to tell. RuntimeError where there is none, or PyTorch's own."""
    folder = folder or sysconfig.get_path("purelib")
    init = os.path.join(folder, "torch", "__init__.py")
    if not _is_ours(init):
        what = "is not ours" if os.path.exists(init) else "is not there"
        raise RuntimeError(f"nothing to take away: {init} {what}")
    shutil.rmtree(os.path.dirname(init))
    for name in os.listdir(folder):
        installer = os.path.join(folder, name, "INSTALLER")
        if name.startswith("torch-") and os.path.exists(installer):
            with open(installer, encoding="utf-8") as file:
                own = file.read().strip() == "rushlight"
            if own:
                shutil.rmtree(os.path.join(folder, name))
    return f"import torch is no longer rushlight for this Python ({os.path.dirname(init)} is gone)"


def main(word: str) -> int:
    """What the two commands do: an exit status."""
    try:
        print(install() if word == "install-torch" else uninstall())
    except RuntimeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
