"""Builds the compiled kernels with sanitizers and runs their tests: ``python tools/sanitize.py [address] [thread]``.

``address`` finds reads and writes outside of arrays, and undefined behaviour (shifts, overflows, alignment); ``thread`` finds
data races. Each is a copy of the package with an extension of its own in ``build/sanitize``, and both are built and run side by side;
g++ and its runtime libraries do it, and Python and NumPy are as they are, so what is told is of the kernels. Nothing is suppressed but
leaks: Python frees little at its end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
FLAGS = {
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
    "thread": ["-fsanitize=thread"],
}
RUNTIMES = {"address": ["libasan.so", "libstdc++.so"], "thread": ["libtsan.so"]}
# Races can be only where there are several threads. Under xdist a process of tests that ends early is a failure; at its end nobody asks.
TESTS = {"address": ["-n", str(os.cpu_count())], "thread": ["-p", "no:xdist", "-k", "thread or test_kernel_pool"]}
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "die_after_fork=0:exitcode=66",  # a test forks while threads run
}
# Lines of functions are all that a report names of what -g knows: a fifth of the compiler's time.
COMPILED = "-std=c++17 -O1 -g1 -fno-omit-frame-pointer -fno-math-errno -fPIC -pthread -DPy_LIMITED_API=0x030B0000".split()


def copied(sanitizer: str) -> list[tuple[list[str], Path]]:
    """A copy of the package; what compiles each source of its extension, and to where."""
    folder = BUILD / sanitizer
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "rushlight", folder / "rushlight", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    compiler = ["g++", *COMPILED, *FLAGS[sanitizer], f"-I{sysconfig.get_path('include')}"]
    # What is built once for each instruction set takes longest, so it begins first.
    sources = sorted(
        (folder / "rushlight" / "kernels" / "native").glob("*.cpp"), key=lambda each: not each.name.startswith("set_")
    )
    return [([*compiler, "-c", str(source), "-o", str(source.with_suffix(".o"))], source) for source in sources]


def build(sanitizers: Sequence[str]) -> None:
    """The extensions of all of them, compiled anew side by side."""
    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        commands = [command for each in zip(*map(copied, sanitizers), strict=True) for command, _ in each]
        list(compilers.map(lambda command: subprocess.run(command, check=True), commands))
    for sanitizer in sanitizers:
        kernels = BUILD / sanitizer / "rushlight" / "kernels"
        objects = sorted(map(str, (kernels / "native").glob("*.o")))
        subprocess.run(
            ["g++", *COMPILED, *FLAGS[sanitizer], "-shared", *objects, "-o", str(kernels / "_native.abi3.so")], check=True
        )


def begun(sanitizer: str) -> subprocess.Popen[str]:
    """The tests of the kernels in a process that the sanitizer looks at."""
    asked = [["g++", f"-print-file-name={name}"] for name in RUNTIMES[sanitizer]]
    runtimes = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() for command in asked]
    # What NumPy's memory is cut from is the C library's, which has a fence round each array; Python's own blocks have none.
    environment = {
        **os.environ, **OPTIONS, "LD_PRELOAD": " ".join(runtimes), "PYTHONPATH": str(BUILD / sanitizer), "PYTHONMALLOC": "malloc",
        "OMP_NUM_THREADS": "1", "RUSHLIGHT_KERNELS": "", "RUSHLIGHT_TESTS": "few",
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-x", "-p", "no:cacheprovider", *TESTS[sanitizer], "tests/kernels"]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main() -> int:
    sanitizers = sys.argv[1:] or list(FLAGS)
    build(sanitizers)
    worst = 0
    running = {sanitizer: begun(sanitizer) for sanitizer in sanitizers}
    with ThreadPoolExecutor(len(running)) as readers:  # else one whose output nobody reads would wait
        said = {
            sanitizer: readers.submit(lambda process=process: process.communicate()[0])
            for sanitizer, process in running.items()
        }
        for sanitizer, process in running.items():
            print(f"{sanitizer}:\n{said[sanitizer].result()}")
            worst = max(worst, abs(process.returncode))
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
