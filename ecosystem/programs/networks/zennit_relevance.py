"""zennit: what a network looked at, by rules put into its layers' backward passes."""

import warnings

import torch

warnings.simplefilter("ignore")
from zennit.attribution import Gradient, IntegratedGradients, SmoothGrad  # noqa: E402
from zennit.composites import EpsilonGammaBox, EpsilonPlus, GuidedBackprop  # noqa: E402

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(6, 6, 3, padding=1), torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(24, 3),
).eval()  # fmt: skip
x, labels = torch.rand(4, 3, 12, 12), torch.tensor([0, 1, 2, 0])
for composite in (EpsilonPlus(), EpsilonGammaBox(low=0.0, high=1.0), GuidedBackprop()):
    for make in (Gradient, SmoothGrad, IntegratedGradients):
        torch.manual_seed(2)
        with make(model=net, composite=composite) as attributor:
            out, relevance = attributor(x, torch.eye(3)[labels])
        print(type(composite).__name__, make.__name__, f"{relevance.sum().item():.4f} {relevance.abs().sum().item():.4f}")
