"""An image made to look like another by what a convolution sees, with L-BFGS."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
seen = nn.Conv2d(3, 4, 3, padding=1).requires_grad_(False)


def gram(image):
    batch, channels, height, width = image.size()
    features = image.view(batch * channels, height * width)
    return torch.mm(features, features.t()).div(batch * channels * height * width)


class StyleLoss(nn.Module):
    def __init__(self, wanted):
        super().__init__()
        self.register_buffer("wanted", gram(wanted).detach())

    def forward(self, image):
        self.loss = F.mse_loss(gram(image), self.wanted)
        return image


style = StyleLoss(seen(torch.rand(1, 3, 8, 8)))
network = nn.Sequential(seen, style)
image = torch.rand(1, 3, 8, 8, requires_grad=True)
optimizer = torch.optim.LBFGS([image], max_iter=8)
losses = []


def closure():
    with torch.no_grad():
        image.clamp_(0, 1)
    optimizer.zero_grad()
    network(image)
    loss = style.loss * 1e4
    loss.backward()
    losses.append(round(loss.item(), 3))
    return loss


for _ in range(3):
    optimizer.step(closure)
print(losses)
print(network)
print(list(network.state_dict()))
