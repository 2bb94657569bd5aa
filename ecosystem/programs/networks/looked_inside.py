"""torchviz, ptflops and thop: the graph of what backward will do, read; and a network's operations, counted."""

import contextlib
import io
import re
import warnings

import torch

warnings.simplefilter("ignore")
import ptflops  # noqa: E402
import thop  # noqa: E402
from torchviz import make_dot  # noqa: E402


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
        self.second, self.last = torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.Linear(8, 4)

    def forward(self, x):
        h = torch.relu(self.norm(self.first(x)))
        h = h + torch.relu(self.second(h))
        return self.last(torch.flatten(torch.nn.functional.adaptive_avg_pool2d(h, 1), 1))


torch.manual_seed(0)
net, x = Net(), torch.randn(2, 3, 8, 8)
drawn = make_dot(net(x).sum(), params=dict(net.named_parameters())).source
print(sorted(re.findall(r"\b[A-Za-z0-9]+Backward\d?|AccumulateGrad", drawn)))
print(thop.profile(net, (x,), verbose=False))
with contextlib.redirect_stdout(io.StringIO()):
    counted = ptflops.get_model_complexity_info(net, (3, 8, 8), as_strings=False, print_per_layer_stat=False, backend="pytorch")
print(counted)
