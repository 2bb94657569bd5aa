"""What tests of compiled kernels ask for."""

from __future__ import annotations

import pytest
from kernel_checks import native


@pytest.fixture(params=native.instruction_sets() if native else [None])
def instruction_set(request):
    if native is None:
        pytest.skip("the extension is not built, or is switched off")
    before, count = native.instruction_set(), native.threads()
    native.use(request.param)
    yield request.param
    native.use(before)
    native.set_threads(count)
