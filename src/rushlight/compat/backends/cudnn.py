"""torch.backends.cudnn: not available; its switches can be set and change nothing."""

enabled = True
benchmark = deterministic = False
allow_tf32 = True
benchmark_limit = 10


def is_available() -> bool:
    return False


def version() -> None:
    """None: there is no cuDNN."""
