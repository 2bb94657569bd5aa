"""torch.utils.collect_env: what a report of a bug needs to know of a machine. ``python -m rushlight.utils.collect_env`` prints it."""

from __future__ import annotations

import locale
import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from typing import NamedTuple

import rushlight as torch

_TOLD_OF = ("rushlight", "torch", "numpy", "scipy", "ml_dtypes", "jax", "jaxlib", "mypy", "onnx", "triton")


class SystemEnv(NamedTuple):
    """What :func:`get_env_info` finds."""

    torch_version: str
    is_debug_build: str
    cuda_compiled_version: str
    os: str
    libc_version: str
    gcc_version: str | None
    clang_version: str | None
    cmake_version: str | None
    python_version: str
    python_platform: str
    is_cuda_available: str
    pip_packages: str
    cpu_info: str


def run(command: str | list[str]) -> tuple[int, str, str]:
    """A command's exit code and what it prints; 127 where there is no such command."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, shell=isinstance(command, str), check=False)
    except FileNotFoundError:
        return 127, "", f"{command}: command not found"
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def _version(program: str, pattern: str) -> str | None:
    code, output, _ = run([program, "--version"])
    found = re.search(pattern, output) if not code else None
    return found.group(1) if found else None


def get_os(run_lambda: object = None) -> str:
    """The system and its machine."""
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = f"{platform.system()} {platform.release()}"
    return f"{name} ({platform.machine()})"


def get_python_platform() -> str:
    """What Python calls the platform."""
    return platform.platform()


def get_pip_packages() -> str:
    """The packages that a report needs, with their versions."""
    lines = []
    for name in _TOLD_OF:
        try:
            lines.append(f"{name}=={metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return "\n".join(lines)


def get_env_info() -> SystemEnv:
    """All of it.

    >>> import rushlight as torch
    >>> from rushlight.utils.collect_env import get_env_info
    >>> get_env_info().torch_version == torch.__version__, get_env_info().is_cuda_available
    (True, 'False')
    """
    bits = 64 if sys.maxsize > 2**32 else 32
    return SystemEnv(
        torch_version=str(torch.__version__),
        is_debug_build="False",
        cuda_compiled_version="None",
        os=get_os(),
        libc_version="-".join(part for part in platform.libc_ver() if part) or "N/A",
        gcc_version=_version("gcc", r"gcc (.*)"),
        clang_version=_version("clang", r"clang version (.*)"),
        cmake_version=_version("cmake", r"cmake version (.*)"),
        python_version=f"{sys.version.splitlines()[0]} ({bits}-bit runtime)",
        python_platform=get_python_platform(),
        is_cuda_available="False",
        pip_packages=get_pip_packages(),
        cpu_info=f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, {locale.getpreferredencoding(False)}",
    )


def pretty_str(envinfo: SystemEnv) -> str:
    """A report, a line for each part."""
    fields = envinfo._asdict()
    lines = [f"{name.replace('_', ' ').capitalize()}: {value}" for name, value in fields.items() if name != "pip_packages"]
    packages = "\n".join(f"[pip3] {line}" for line in envinfo.pip_packages.splitlines())
    return "\n".join([*lines, "", "Versions of relevant libraries:", packages])


def get_pretty_env_info() -> str:
    """The report of this machine."""
    return pretty_str(get_env_info())


def main() -> None:
    """Prints the report."""
    sys.stdout.write(f"Collecting environment information...\n{get_pretty_env_info()}\n")


if __name__ == "__main__":
    main()
