"""What is known of the BLAS in NumPy's wheel, and where it keeps what it does not export."""

from __future__ import annotations

import ctypes
import shutil
import sys

import numpy as np
import pytest

from rushlight.backend import openblas, symbols


@pytest.mark.parametrize(
    ("version", "layout"),
    [
        ("0.3.28", None),
        ("0.3.29", (21, 8)),
        ("0.3.31.188.0", (21, 8)),
        ("0.3.34.0.0", (21, 8)),
        ("0.3.34", (21, 8)),
        ("0.3.34.53.0", None),
        ("0.3.34.106.0", (22, 9)),
        ("0.3.34.237.2", (22, 9)),
        ("0.3.34.238.0", None),
        ("0.3.35", None),
        ("", None),
    ],
)
def test_jobs_are_written_for_versions_that_are_known(version, layout):
    assert openblas._layout(f"OpenBLAS {version}  USE64BITINT DYNAMIC_ARCH".encode()) == layout


def test_what_is_no_openblas_has_no_jobs():
    assert openblas._layout(b"") is None and openblas._layout(b"another 0.3.30") is None


elf = pytest.mark.skipif(sys.platform != "linux" or not openblas._libraries(), reason="NumPy has no OpenBLAS of its own here")


@elf
def test_symbols_lie_where_the_loader_put_them():
    library, one, other = (
        openblas._libraries()[0],
        openblas.function("openblas_get_config"),
        openblas.function("openblas_get_parallel"),
    )
    place = ctypes.cast(other, ctypes.c_void_p).value
    assert symbols.addresses(library, one.__name__, other.__name__) == [place]
    assert symbols.addresses(library, other.__name__, other.__name__, other.__name__) == [place, place]


@elf
def test_symbols_that_are_not_there():
    library, known = openblas._libraries()[0], openblas.function("openblas_get_config").__name__
    assert symbols.addresses(library, known, "no_such_symbol") is None
    assert symbols.addresses(library, "no_such_symbol", known) is None
    assert symbols.addresses(library, known, known[1:]) is None  # where a longer name ends


@elf
@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF\x02" + bytes(59)])
def test_files_that_cannot_be_read(content, tmp_path):
    known = openblas.function("openblas_get_config").__name__
    path = tmp_path / "library.so"
    shutil.copy(openblas._libraries()[0]._name, path)
    library = ctypes.CDLL(str(path))
    path.unlink()
    assert symbols.addresses(library, known, known) is None
    path.write_bytes(content)
    assert symbols.addresses(library, known, known) is None


@elf
def test_a_name_that_two_functions_have_is_nobodys():
    table = np.array([(1, 1, 8), (1, 1, 16), (5, 1, 24)], symbols._SYMBOL)
    assert symbols._value(table, b"\0one\0two\0", b"one\0") is None
    assert symbols._value(table, b"\0one\0two\0", b"two\0") == 24
