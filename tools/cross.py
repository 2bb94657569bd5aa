"""Compiles the kernels for other systems and processors: ``pip install ziglang``, then ``python tools/cross.py [TARGET ...]``.

What comes out lies in ``build/cross/TARGET`` and is not linked. Python's headers are this one's, with a pyconfig.h of Windows' sizes
for Windows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "src" / "rushlight" / "kernels" / "native"
BUILD = ROOT / "build" / "cross"
ZIG = [sys.executable, "-m", "ziglang"]
TARGETS = (
    "x86_64-windows-gnu", "aarch64-windows-gnu", "x86_64-macos", "aarch64-macos", "aarch64-linux-gnu.2.28", "x86_64-linux-musl",
)  # fmt: skip
FLAGS = (
    "-std=c++17 -O1 -g0 -ffp-contract=fast -fno-math-errno -fno-sanitize=undefined -fvisibility=hidden -Wall -Wno-unknown-pragmas "
    "-Wno-unused-command-line-argument -DPy_LIMITED_API=0x030B0000"
).split()
WINDOWS = """
#define MS_WINDOWS
#define MS_WIN64
#define NT_THREADS
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define SIZEOF_WCHAR_T 2
#define HAVE_STDINT_H 1
#define HAVE_WCHAR_H 1
"""


def zig(*arguments: str | Path) -> None:
    subprocess.run([*ZIG, *map(str, arguments)], check=True)


def headers(target: str) -> Path:
    """Python's."""
    own = Path(sysconfig.get_path("include"))
    if "windows" not in target:
        return own
    copy = BUILD / "include"
    shutil.copytree(own, copy, dirs_exist_ok=True)
    (copy / "pyconfig.h").write_text(WINDOWS)
    return copy


def build(target: str) -> int:
    """How many sources were compiled for a target: all, or this fails."""
    folder, windows = BUILD / target, "windows" in target
    folder.mkdir(parents=True, exist_ok=True)
    include = headers(target)
    # What is built once for each instruction set takes longest, so it begins first.
    sources = sorted(NATIVE.glob("*.cpp"), key=lambda source: not source.name.startswith("set_"))
    objects = [folder / f"{source.stem}.o" for source in sources]
    commands = [
        ["c++", "-target", target, *FLAGS, *([] if windows else ["-fPIC"]), f"-I{include}", "-c", source, "-o", out]
        for source, out in zip(sources, objects, strict=True)
    ]
    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        list(compilers.map(lambda command: zig(*command), commands))
    return len(objects)


def main() -> None:
    for target in sys.argv[1:] or TARGETS:
        print(f"{target}: {build(target)} sources compiled", flush=True)


if __name__ == "__main__":
    main()
