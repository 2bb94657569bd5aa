"""The one thing that pyproject.toml cannot say: kernels in C++, for who has a compiler (see src/rushlight/kernels)."""

import sysconfig
from pathlib import Path

from setuptools import Extension, setup

SOURCES = Path("src/rushlight/kernels/native")
# One build for every Python from 3.11 on; Python without its lock has no stable ABI yet.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")

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

setup(ext_modules=[native], options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {})
