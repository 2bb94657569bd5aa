# Written by tools/stubs.py; `make stubs` writes it anew.

from typing import Any
from typing import NamedTuple

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
def get_env_info() -> SystemEnv:
    """All of it."""
    ...
def get_os(run_lambda: object | None = None) -> str:
    """The system and its machine."""
    ...
def get_pip_packages() -> str:
    """The packages that a report needs, with their versions."""
    ...
def get_pretty_env_info() -> str:
    """The report of this machine."""
    ...
def get_python_platform() -> str:
    """What Python calls the platform."""
    ...
def main() -> None:
    """Prints the report."""
    ...
def pretty_str(envinfo: SystemEnv) -> str:
    """A report, a line for each part."""
    ...
def run(command: str | list[str]) -> tuple[int, str, str]:
    """A command's exit code and what it prints; 127 where there is no such command."""
    ...
