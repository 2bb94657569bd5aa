"""Images: pooling, padding, blocks of networks, losses of each pixel."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from leaves import leaf
from torch import nn


def adaptive_average_pooling():
    x = leaf(8, 16, 14, 14)

    def step():
        F.adaptive_avg_pool2d(x, 4).pow(2).sum().backward()
        x.grad = None

    return step


def adaptive_max_pooling():
    x = leaf(8, 16, 14, 14)

    def step():
        F.adaptive_max_pool2d(x, 4).pow(2).sum().backward()
        x.grad = None

    return step


def average_pooling():
    x = leaf(8, 16, 16, 16)

    def step():
        F.avg_pool2d(x, 2).pow(2).sum().backward()
        x.grad = None

    return step


def overlapping_max_pooling():
    x = leaf(8, 16, 16, 16)

    def step():
        F.max_pool2d(x, 3, 2, 1).pow(2).sum().backward()
        x.grad = None

    return step


def reflected_borders():
    x = leaf(8, 8, 16, 16)

    def step():
        F.pad(x, (2, 2, 2, 2), mode="reflect").pow(2).sum().backward()
        x.grad = None

    return step


def first_convolution():
    m = nn.Conv2d(3, 16, 7, 2, 3)
    x = torch.randn(4, 3, 64, 64)

    def step():
        m(x).pow(2).mean().backward()
        m.zero_grad()

    return step


def residual_block():
    first, second = (nn.Conv2d(16, 16, 3, padding=1, bias=False) for _ in range(2))
    norms = nn.BatchNorm2d(16), nn.BatchNorm2d(16)
    x = leaf(8, 16, 16, 16)

    def step():
        y = norms[1](second(F.relu(norms[0](first(x)))))
        F.relu(x + y).mean().backward()
        x.grad = None

    return step


def down_and_up():
    down, up, out = nn.Conv2d(1, 8, 3, padding=1), nn.ConvTranspose2d(8, 8, 2, 2), nn.Conv2d(16, 1, 1)
    x = torch.randn(4, 1, 32, 32)

    def step():
        fine = F.relu(down(x))
        out(torch.cat([fine, up(F.max_pool2d(fine, 2))], 1)).pow(2).mean().backward()
        for m in (down, up, out):
            m.zero_grad()

    return step


def pixels_of_classes():
    x = leaf(4, 5, 32, 32)
    t = torch.randint(0, 5, (4, 32, 32))

    def step():
        F.cross_entropy(x, t).backward()
        x.grad = None

    return step


def dice_loss():
    x = leaf(4, 1, 32, 32)
    t = (torch.rand(4, 1, 32, 32) > 0.5).float()

    def step():
        s = x.sigmoid()
        both, each = (s * t).sum((1, 2, 3)), s.sum((1, 2, 3)) + t.sum((1, 2, 3))
        (1 - (2 * both + 1) / (each + 1)).mean().backward()
        x.grad = None

    return step


def rendered_rays():
    s = torch.rand(64, 32).requires_grad_()
    c = leaf(64, 32, 3)

    def step():
        a = 1 - torch.exp(-s * 0.1)
        seen = torch.cumprod(torch.cat([torch.ones(64, 1), 1 - a + 1e-10], 1), 1)[:, :-1]
        ((a * seen)[..., None] * c).sum(1).pow(2).sum().backward()
        s.grad = c.grad = None

    return step


PROGRAMS = """
adaptive_average_pooling adaptive_max_pooling average_pooling overlapping_max_pooling reflected_borders
first_convolution residual_block down_and_up pixels_of_classes dice_loss rendered_rays
""".split()
