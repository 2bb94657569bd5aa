"""Numbers that the dtype of a tensor does not hold, as bounds, paddings and operands: PyTorch's error, not what is left of them."""

from __future__ import annotations

import pytest
import torch

import rushlight

REFUSED = [
    *(f"x.{dtype}().{call}" for dtype in ("byte", "char", "int", "half", "float", "long") for call in (
        "clamp(1e39)", "clamp(0, 2**70)", "clamp_min(2**40)", "clamp_max(2**63)", "clamp(-300)", "clip(max=300)", "clamp(1, 10**5)",
        "clamp_(300)", "clamp_max_(-300)")),
    *(f"torch.nn.functional.hardtanh(x.{dtype}(), -1, 300)" for dtype in ("char", "byte", "int", "half")),
    "torch.nn.functional.hardtanh(x.half(), -1, 1e6)", "torch.nn.functional.hardtanh(x, -1, 1e39)",
    *(f"torch.nn.functional.pad(x.{dtype}(), (1, {behind}), value={value})" for dtype in ("byte", "long", "float") for behind in (1, -2)
      for value in ("300", "-1", "1e30", "float('inf')", "2.5", "1j", "torch.tensor([1])", "torch.tensor(2)")),
    *(f"torch.tensor([True]).{name}(2**63)" for name in (
        "add mul div floor_divide eq lt bitwise_and bitwise_left_shift sub_ __rsub__ __radd__ __rtruediv__").split()),
    "torch.tensor(True) + 2**63", "torch.tensor([True]) + (2**63 - 1)", "torch.tensor([1]) + 2**63", "x + 2**63",
    "torch.where(x > 0, 2**63, True)", "torch.where(x > 0, 2**63, 1.5)", "torch.result_type(1, 2**63)",
    "x.long().to_mkldnn()", "x.to_mkldnn(torch.int64)", "x.half().to_mkldnn().dtype",
    "torch.nn.functional.alpha_dropout(x.long(), 0.5, True)", "torch.nn.functional.alpha_dropout(x.long(), 0.5, False)",
    *(f"torch.nn.functional.batch_norm(torch.ones(2, 3), None, None, None, None, True, {momentum})" for momentum in ("1j", "'a'", "None", "1")),
    *(f"x.nonzero_static(size={size})" for size in ("torch.ones(1)", "torch.tensor([1])", "2", "True")),
    "torch.HalfStorage([None])", "torch.FloatStorage([1, None])",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", REFUSED)
def test_numbers_that_do_not_fit(line: str) -> None:
    found = []
    for package in (torch, rushlight):
        try:
            found.append(repr(eval(line, {"torch": package, "x": package.tensor([1.0, 2.0, 3.0])})))
        except Exception as error:
            found.append(f"{type(error).__name__}: {str(error).partition(' but expected one')[0]}")
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "line",
    [
        "torch.rrelu(x, 0.1, 0.3, True, torch.Generator().manual_seed(3))", "torch.rrelu_(x, 0.1, 0.3, True, torch.Generator().manual_seed(3))",
        "torch.cat([x], out=[1, 'a'])", "torch.dstack([x], out=[])", "torch.nn.functional.prelu(torch.tensor(1), torch.tensor([1, 0]))",
        "torch.rrelu(x, 0.1, 0.3, True, False)", "torch.rrelu(x, inplace=True)", "torch.native_dropout(x * 1j, 0.5, True)",
        "torch.native_dropout(x * 1j, 1, True)", "torch.native_dropout(x.long(), 1, True)",
        "torch.binary_cross_entropy_with_logits(x, torch.ones(2, 3))", "torch.binary_cross_entropy_with_logits(x, torch.ones(2, 1))",
        "torch.binary_cross_entropy_with_logits(x, torch.ones(2))",
    ],
)  # fmt: skip
def test_further_arguments_of_functions_in_torch(line: str) -> None:
    found = []
    for package in (torch, rushlight):
        package.manual_seed(0)
        try:
            found.append(repr(eval(line, {"torch": package, "x": package.tensor([-1.0, 2.0, -3.0])})))
        except Exception as error:
            found.append(repr(error))
    assert found[0] == found[1]
