"""Python's garbage collector is, after an import, as it was before."""

import gc
import subprocess
import sys

import pytest

from rushlight.base.startup import collector_at_rest


@pytest.mark.parametrize("is_on", [True, False])
def test_an_import_leaves_the_collector_as_it_was(is_on):
    program = f"import gc\n{'' if is_on else 'gc.disable()'}\nimport rushlight\nprint(gc.isenabled())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == f"{is_on}\n"


def test_an_import_that_fails_does_so_too():
    with pytest.raises(ImportError), collector_at_rest():
        assert not gc.isenabled()
        raise ImportError
    assert gc.isenabled()
