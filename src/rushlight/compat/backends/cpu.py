"""torch.backends.cpu: what the processor can do, as far as kernels choose by it."""

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """ "DEFAULT": kernels do not choose by the processor's instructions."""
    return "DEFAULT"
