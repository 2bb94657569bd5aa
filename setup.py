"""The one thing that pyproject.toml cannot say: kernels in C++, for who has a compiler (see src/rushlight/kernels)."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

SOURCES = Path("src/rushlight/kernels/native")
# One build for every Python from 3.11 on; Python without its lock has no stable ABI yet.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")


def lacking() -> str:
    """What the kernels want and is not here: they are in g++'s and clang's dialect, which Microsoft's compiler does not read."""
    if os.environ.get("RUSHLIGHT_KERNELS") == "numpy":
        return "RUSHLIGHT_KERNELS=numpy asks for none"
    if sys.platform in ("win32", "emscripten", "wasi"):
        return f"they are not built on {sys.platform}"
    if not any(map(shutil.which, (os.environ.get("CXX", "c++").split()[0], "g++", "clang++"))):
        return "no C++ compiler here"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "no Python.h here"
    return ""


native = Extension(
    "rushlight.kernels._native",
    sources=sorted(str(path) for path in SOURCES.glob("*.cpp")),
    depends=sorted(str(path) for path in SOURCES.glob("*.h")),
    define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
    extra_compile_args=["-std=c++17", "-O3", "-g0", "-ffp-contract=fast", "-fno-math-errno", "-fvisibility=hidden", "-pthread"],
    extra_link_args=["-pthread"],
    py_limited_api=STABLE,
    language="c++",
    optional=True,
)

if reason := lacking():
    print(f"rushlight: the compiled kernels are left out ({reason}); NumPy's do it all")
    setup()
else:
    setup(ext_modules=[native], options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {})
