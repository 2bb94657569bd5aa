"""torch.backends.openmp: NumPy brings its own libraries."""


def is_available() -> bool:
    return False
