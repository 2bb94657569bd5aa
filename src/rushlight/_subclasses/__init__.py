"""torch._subclasses: PyTorch's tensors without numbers, for compilers."""

from .fake_tensor import FakeTensorMode

__all__ = ["FakeTensorMode"]
