"""torch.backends.mps: not built."""


def is_available() -> bool:
    return False


def is_built() -> bool:
    return False
