"""What the programs in idioms/ begin with."""

from __future__ import annotations

import torch


def leaf(*shape, scale=1.0):
    """Normal numbers that ask for a gradient."""
    return (torch.randn(*shape) * scale).requires_grad_()
