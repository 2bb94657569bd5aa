"""Counts of operations: matrix products and convolutions, forward and backward."""

from __future__ import annotations

import rushlight as torch
from rushlight.utils.flop_counter import FlopCounterMode

aten = torch.ops.aten


def counted(program, **options):
    with FlopCounterMode(display=False, **options) as counter:
        program()
    return counter


def test_products():
    x, w = torch.randn(4, 8, requires_grad=True), torch.randn(8, 16, requires_grad=True)
    found = counted(lambda: torch.addmm(torch.zeros(16), x, w).sum().backward()).get_flop_counts()["Global"]
    assert found == {aten.addmm: 1024, aten.mm: 2048}
    batch = torch.randn(2, 3, 4)
    found = counted(lambda: (batch @ batch.transpose(1, 2), torch.baddbmm(torch.zeros(1), batch, batch.mT)))
    assert found.get_flop_counts()["Global"] == {aten.bmm: 144, aten.baddbmm: 144} and found.get_total_flops() == 288


def test_convolutions():
    net = torch.nn.Conv2d(3, 4, 3)
    x = torch.randn(2, 3, 8, 8, requires_grad=True)
    found = counted(lambda: net(x).sum().backward()).get_flop_counts()["Global"]
    assert found == {aten.convolution: 15552, aten.convolution_backward: 2 * 15552}
    functional = torch.nn.functional
    transposed = counted(lambda: functional.conv_transpose2d(x.detach(), torch.randn(3, 4, 3, 3))).get_total_flops()
    grouped = counted(lambda: functional.conv1d(torch.randn(1, 4, 9), torch.randn(8, 2, 3), groups=2, stride=2, padding=1))
    assert transposed == 27648 and grouped.get_total_flops() == 480


def test_formulas_of_ones_own_and_the_table(capsys):
    def formula(x, *args, out_shape=None, **kwargs):
        return 1000 * x[0] * (out_shape == x)

    with FlopCounterMode(custom_mapping={aten.sin: formula}) as counter:
        torch.zeros(3).sin()
    assert counter.get_total_flops() == 3000
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [["Global", "3.000K", "100.00%"], ["-", "aten.sin", "3.000K", "100.00%"]]
