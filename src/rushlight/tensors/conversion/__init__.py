"""Tensors in other dtypes and layouts."""
