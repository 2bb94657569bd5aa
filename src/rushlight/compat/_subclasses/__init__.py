"""torch._subclasses: PyTorch's tensors without numbers, for compilers."""

from .fake_tensor import FakeTensorMode, is_fake

__all__ = ["FakeTensorMode", "is_fake"]
