"""lpips and pytorch-msssim: how alike pictures are, with gradients; torchview: the graph of a network, drawn."""

import lpips
import pytorch_msssim
import torch
from torchview import draw_graph

torch.manual_seed(0)
x, y = torch.rand(2, 3, 64, 64, requires_grad=True), torch.rand(2, 3, 64, 64)
for net in ("squeeze", "alex"):
    torch.manual_seed(1)
    distance = lpips.LPIPS(net=net, pretrained=False, pnet_rand=True, verbose=False)(x * 2 - 1, y * 2 - 1)
    x.grad = None
    distance.sum().backward()
    print(net, f"{distance.sum().item():.5f} {x.grad.abs().sum().item():.5f}")
for name, function in (
    ("ssim", lambda: pytorch_msssim.ssim(x, y, data_range=1.0)),
    ("ms_ssim", lambda: pytorch_msssim.ms_ssim(x, 0.7 * y + 0.3 * x, data_range=1.0, win_size=3)),
):
    x.grad = None
    out = function()
    out.backward()
    print(name, out, f"{x.grad.abs().sum().item():.4f}")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.last = torch.nn.Conv2d(3, 4, 3), torch.nn.Linear(4, 2)

    def forward(self, x):
        h = torch.relu(self.convolution(x))
        return self.last(h.mean((2, 3)) + h.amax((2, 3)))


drawn = draw_graph(Net(), input_size=(1, 3, 8, 8), device="cpu", expand_nested=True)
print(
    [line.split("label=")[1].split("</TD>")[0][-40:] for line in drawn.visual_graph.body if "label=" in line and "<TD" in line]
)
print(len(drawn.edge_list), drawn.num_context_layers if hasattr(drawn, "num_context_layers") else "")
