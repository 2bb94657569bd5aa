# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor

def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchanges two tensors: everything that refers to one then has the other's values, gradient, class and attributes."""
    ...
