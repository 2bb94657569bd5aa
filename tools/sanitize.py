"""Builds the compiled kernels with sanitizers and runs their tests: ``python tools/sanitize.py [address] [thread]``.

``address`` finds reads and writes outside of arrays, and undefined behaviour (shifts, overflows, alignment); ``thread`` finds
data races. Each is a copy of the package with an extension of its own in ``build/sanitize``; g++ and its runtime libraries do it,
and Python and NumPy are as they are, so what is told is of the kernels. Nothing is suppressed but leaks: Python frees little at its end.
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
BUILD = ROOT / "build" / "sanitize"
FLAGS = {
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    "thread": ["-fsanitize=thread"],
}
RUNTIMES = {"address": ["libasan.so", "libstdc++.so"], "thread": ["libtsan.so"]}
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "die_after_fork=0:exitcode=66",  # a test forks while threads run
}
COMPILED = "-std=c++17 -O1 -g -fno-omit-frame-pointer -fno-math-errno -fPIC -pthread -DPy_LIMITED_API=0x030B0000".split()


def build(sanitizer: str) -> Path:
    """The folder of a copy of the package, its extension compiled anew."""
    folder = BUILD / sanitizer
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "rushlight", folder / "rushlight", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    kernels = folder / "rushlight" / "kernels"
    flags = [*COMPILED, *FLAGS[sanitizer]]

    def compiled(source: Path) -> str:
        out = str(source.with_suffix(".o"))
        include = f"-I{sysconfig.get_path('include')}"
        subprocess.run(["g++", *flags, include, "-c", str(source), "-o", out], check=True)
        return out

    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        objects = list(compilers.map(compiled, sorted((kernels / "native").glob("*.cpp"))))
    subprocess.run(["g++", *flags, "-shared", *objects, "-o", str(kernels / "_native.abi3.so")], check=True)
    return folder


def test(sanitizer: str) -> int:
    """How the tests of the kernels end in a process that the sanitizer looks at."""
    folder = build(sanitizer)
    asked = [["g++", f"-print-file-name={name}"] for name in RUNTIMES[sanitizer]]
    runtimes = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() for command in asked]
    # What NumPy's memory is cut from is the C library's, which has a fence round each array; Python's own blocks have none.
    environment = {
        **os.environ, **OPTIONS, "LD_PRELOAD": " ".join(runtimes), "PYTHONPATH": str(folder), "PYTHONMALLOC": "malloc",
        "OMP_NUM_THREADS": "1", "RUSHLIGHT_KERNELS": "",
    }  # fmt: skip
    tests = sorted(str(path) for path in (ROOT / "tests" / "kernels").glob("test_*.py"))
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    return subprocess.run(command, env=environment, cwd=ROOT).returncode


def main() -> int:
    return max(test(sanitizer) for sanitizer in sys.argv[1:] or FLAGS)


if __name__ == "__main__":
    raise SystemExit(main())
