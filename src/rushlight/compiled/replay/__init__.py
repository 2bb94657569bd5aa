"""Traces replayed on NumPy: one generated function, which calls the same kernels in the same order as the program did."""
