"""Subclasses of Tensor that are the package's own cost nothing by being imported: nobody is asked about calls."""

import pytest
from forking import program_output

_BEFORE = """
import io
import rushlight as torch
from rushlight.autograd.interpreters import stack
"""
_AFTER = """
print(not stack.calls)
"""


def _stays_plain(program: str) -> bool:
    """Whether nobody takes calls after a program in a process of its own."""
    return program_output(_BEFORE + program + _AFTER) == "True\n"


@pytest.mark.parametrize(
    "program",
    [
        "torch.save(torch.ones(2), io.BytesIO())",
        "import rushlight.sparse.tensors",
        "torch.nn.LazyLinear(2)(torch.ones(1, 3)).sum().backward()",
        "torch.vmap(lambda x: x * 2)(torch.ones(2, 3))",
    ],
)
def test_a_class_of_our_own_makes_nobody_watch(program):
    assert _stays_plain(program)


@pytest.mark.parametrize(
    "program",
    [
        "torch.ones(2).to_sparse()",
        "torch.ones(2).to_mkldnn()",
        "class Mine(torch.Tensor): pass",
        "class Mine(torch.nn.Parameter): pass",
    ],
)
def test_a_program_s_class_or_a_tensor_of_another_layout_does(program):
    assert not _stays_plain(program)


def test_a_tensor_of_another_layout_made_after_a_save_is_asked():
    program = """
torch.save(torch.ones(2), io.BytesIO())
dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
sparse = dense.to_sparse()
assert torch.equal(torch.mm(sparse, dense), dense @ dense)
assert sparse.shape == (2, 2) and sparse.layout is torch.sparse_coo
assert torch.relu(dense.to_mkldnn()).is_mkldnn
"""
    assert not _stays_plain(program)
