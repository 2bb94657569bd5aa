"""What compilers get wrong in silence: compiled, such programs do what they do as they are."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from forking import program_output

import rushlight as torch
from rushlight.compiled.capture import watching

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from adversaries import ADVERSARIES

pytestmark = pytest.mark.filterwarnings("ignore:torch.compile")


def always(function: Any) -> Any:
    """Compiled, and replayed even where that is not faster."""
    fast: Any = torch.compile(function)
    (fast.dynamo_ctx if isinstance(fast, torch.nn.Module) else fast)._compiled.always = True
    return fast


def plain(values: Iterable[Any]) -> list[Any]:
    return [
        one.tolist() if isinstance(one, torch.Tensor) else plain(one) if isinstance(one, (list, tuple)) else one
        for one in values
    ]


@pytest.mark.parametrize("program", ADVERSARIES)
def test_nothing_is_wrong_in_silence(program: Any) -> None:
    every = [[], []]
    for found, compiled in zip(every, (lambda function: function, always), strict=True):
        torch.manual_seed(0)
        for value in program(compiled):
            found.extend(plain([value]))
    for call, (right, given) in enumerate(zip(*every, strict=True)):
        assert given == right, call


ONE_LINE = """
import rushlight as torch
class Holder: scale = 1.0
holder = Holder()
class Net(torch.nn.Module):
    def forward(self, x): return x * holder.scale
net = torch.compile(Net(), backend='replay')
f = torch.compile(lambda x: x * holder.scale, backend='replay')
f._compiled.always = True
for call in range(6):
    holder.scale = float(call // 3)
    print(net(torch.ones(1)).item(), f(torch.ones(1)).item())
"""


def test_code_without_a_file_is_the_users() -> None:
    assert program_output(ONE_LINE).splitlines() == ["0.0 0.0"] * 3 + ["1.0 1.0"] * 3


def test_packages_beside_the_standard_library_are_the_users() -> None:
    library = os.path.dirname(os.__file__)
    one = compile("1", os.path.join(library, "site-packages", "einops", "einops.py"), "exec")
    assert not watching.standard(one, {})
    assert watching.standard(compile("1", os.path.join(library, "copy.py"), "exec"), {})


def test_a_module_of_the_users_by_a_name_of_the_standard_librarys(tmp_path: Any) -> None:
    (tmp_path / "sched.py").write_text("scale = 0.0\ndef helper(x):\n    return x * scale\n")
    (tmp_path / "main.py").write_text(
        "import sched\nimport rushlight as torch\n"
        "f = torch.compile(lambda x: sched.helper(x) + sched.scale, backend='replay')\nf._compiled.always = True\n"
        "for call in range(6):\n    sched.scale = float(call // 3)\n    print(f(torch.ones(1)).item())\n"
    )
    given = subprocess.run([sys.executable, str(tmp_path / "main.py")], capture_output=True, text=True, check=True)
    assert given.stdout.split() == ["0.0"] * 3 + ["2.0"] * 3
