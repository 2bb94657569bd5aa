"""rushlight with its thresholds lowered, so that samples of a few numbers go where otherwise only large arrays do.

Kernels choose by size between one call of NumPy and blocks, parts on several threads, products with ones and the like.
PyTorch's samples are small: without this they would be held against the first of these only.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

PACKAGE = "rushlight"
# What the modules assign, and what they are to assign instead.
THRESHOLDS: dict[str, dict[str, int]] = {
    "backend.activations": {"_LARGE": 4},
    "backend.adaptive_pooling": {"_LARGEST": 24},
    "backend.bits": {"_MANY": 4},
    "backend.choice": {"_MANY": 4},
    "backend.convolution": {"_BLOCK_BYTES": 256, "_MOST_BYTES": 512},
    "backend.factorizations": {"_FEW": 2},
    "backend.line_sums": {"_ON_ONE_THREAD": 8, "_ROWS": 3, "_FEW": 2},
    "backend.matmul": {"_SMALL": 16, "_BLAS_THREADS": 32, "_OUTCOMES": 3},
    "backend.norms": {"_SMALL": 2},
    "backend.numpy": {"MANY": 8},
    "backend.sort": {"_COUNTED": 1},
    "backend.stable_sort": {"_MANY": 2},
    "backend.flat_indices": {"FEW": 2, "_NARROW": 1},
    "backend.arithmetic": {"_MANY_QUOTIENTS": 4},
    "backend.reduce": {"_STRETCHED": 4},
    "backend.grid_sample": {"_TOGETHER": 20},
    "backend.strided": {"_TOGETHER": 1},
    "backend.summation": {"_LARGEST": 4},
    "kernels.arithmetic": {"MANY": 1, "_SHARED": 1},
    "kernels.mixtures": {"_FEW": 1},
    "ops.many_text": {"_FEW": 1},
}


THREADS = 2


def install() -> None:
    """To be called before rushlight is imported."""
    if PACKAGE in sys.modules:
        raise RuntimeError(f"{PACKAGE} has been imported")
    sys.meta_path.insert(0, _Finder())


def is_installed() -> bool:
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        if package != PACKAGE or name not in THRESHOLDS:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        lowered = dict(THRESHOLDS[fullname.partition(".")[2]])
        tree = ast.parse(self.get_data(self.path))
        for line in tree.body:
            if isinstance(line, ast.Assign) and len(line.targets) == 1:
                line.value = _with(line.targets[0], line.value, lowered)
        if lowered:
            raise ImportError(f"{self.path} no longer assigns {', '.join(lowered)}")
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def _with(target: ast.expr, value: ast.expr, lowered: dict[str, int]) -> ast.expr:
    """The value of an assignment, with what is to be lowered for its names, which are taken out."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        value.elts = [_with(one, of_it, lowered) for one, of_it in zip(target.elts, value.elts, strict=True)]
    elif isinstance(target, ast.Name) and target.id in lowered:
        return ast.Constant(lowered.pop(target.id))
    return value
