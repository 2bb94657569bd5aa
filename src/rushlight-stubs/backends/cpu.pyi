# Written by tools/stubs.py; `make stubs` writes it anew.

def get_cpu_capability() -> str:
    """"DEFAULT": kernels do not choose by the processor's instructions."""
    ...
