"""Arrays beneath the tensors: kernels on plain NumPy arrays, and memory."""
