"""What `make matrix` runs is there: it takes too long to be run here."""

from __future__ import annotations

from matrix import DOCTESTS, ROOT, TESTS


def test_the_matrix_names_files_that_are_there() -> None:
    assert [name for name in [*TESTS, *DOCTESTS] if not (ROOT / name).exists()] == []
