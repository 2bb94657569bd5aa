"""The one thing that pyproject.toml cannot say: kernels in C++, for who has a compiler (see src/rushlight/kernels)."""

import hashlib
import os
import shutil
import sys
import sysconfig
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError
from setuptools.modified import newer_group

SOURCES = Path("src/rushlight/kernels/native")
# One build for every Python from 3.11 on; Python without its lock has no stable ABI yet.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")
FLAGS = ["-std=c++17", "-O3", "-g0", "-ffp-contract=fast", "-fno-math-errno", "-fvisibility=hidden", "-pthread"]
# The loops are in g++'s and clang's dialect, which Microsoft's compiler does not read: on Windows it is clang that takes its options.
WINDOWS_FLAGS = ["/std:c++17", "/EHsc", "/clang:-O3", "/clang:-ffp-contract=fast", "/clang:-fno-math-errno"]
WINDOWS_TARGETS = {"win-amd64": "x86_64-pc-windows-msvc", "win-arm64": "aarch64-pc-windows-msvc"}


def lacking() -> str:
    """What the kernels want and is not here."""
    if os.environ.get("RUSHLIGHT_KERNELS") == "numpy":
        return "RUSHLIGHT_KERNELS=numpy asks for none"
    if sys.platform in ("emscripten", "wasi"):
        return f"they are not built on {sys.platform}"
    compilers = ["clang-cl"] if sys.platform == "win32" else [os.environ.get("CXX", "c++").split()[0], "g++", "clang++"]
    if not any(map(shutil.which, compilers)):
        return f"no {compilers[0]} here" if sys.platform == "win32" else "no C++ compiler here"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "no Python.h here"
    return ""


def left_out(reason: object) -> None:
    print(f"rushlight: the compiled kernels are left out ({reason}); NumPy's do it all")


class Kernels(build_ext):
    """Builds them, or else makes of this a distribution of Python alone."""

    def run(self) -> None:
        try:
            super().run()
        except (BaseError, CCompilerError) as error:
            left_out(f"they did not build: {textwrap.shorten(str(error), 100)}")
            for extension in self.extensions:  # one that was built of other sources
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []
            self.distribution.ext_modules = None

    def build_extensions(self) -> None:
        if self.compiler.compiler_type == "msvc":
            if not self.compiler.initialized:
                self.compiler.initialize(self.plat_name)
            self.compiler.cc = shutil.which("clang-cl")
            for extension in self.extensions:
                extension.extra_compile_args = [f"--target={WINDOWS_TARGETS[self.plat_name]}", *WINDOWS_FLAGS]
                extension.extra_link_args = []
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """Compiles the sources side by side, and leaves those alone that were compiled so for another environment."""
        compiler, how = self.compiler, {"macros": extension.define_macros, "extra_postargs": extension.extra_compile_args}
        called = [getattr(compiler, name, None) for name in ("cc", "compiler_so", "compiler_so_cxx")]
        told = repr((called, sysconfig.get_path("include"), how)).encode()
        folder = Path("build", "kernels", hashlib.sha256(told).hexdigest()[:16])

        def compiled(source: str) -> str:
            (made,) = compiler.object_filenames([source], output_dir=str(folder))
            if newer_group([source, *extension.depends], made):
                compiler.compile([source], output_dir=str(folder), **how)
            return str(made)

        with ThreadPoolExecutor(os.cpu_count()) as compilers:
            first = sorted(extension.sources, key=lambda source: "set_" not in source)  # what takes longest
            extension.extra_objects = list(compilers.map(compiled, first))
        sources, headers = extension.sources, extension.depends
        extension.sources, extension.depends = [], extension.extra_objects  # to be linked anew where one of these is newer
        super().build_extension(extension)
        extension.sources, extension.depends = sources, headers  # which a list of what the archive holds still asks for


class Wheel(bdist_wheel):
    """Is named for this platform once there is something in it that was built for it."""

    def run(self) -> None:
        self.run_command("build_ext")
        if not self.distribution.has_ext_modules():
            self.root_is_pure, self.py_limited_api = True, False
        super().run()


native = Extension(
    "rushlight.kernels._native",
    sources=sorted(str(path) for path in SOURCES.glob("*.cpp")),
    depends=sorted(str(path) for path in SOURCES.glob("*.h")),
    define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
    extra_compile_args=FLAGS,
    extra_link_args=["-pthread"],
    py_limited_api=STABLE,
    language="c++",
)

if reason := lacking():
    left_out(reason)
    setup()
else:
    setup(
        ext_modules=[native],
        cmdclass={"build_ext": Kernels, "bdist_wheel": Wheel},
        options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {},
    )
