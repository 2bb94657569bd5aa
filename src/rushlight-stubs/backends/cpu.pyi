# Written by tools/stubs.py; `make stubs` writes it anew.

def get_cpu_capability() -> str:
    """What PyTorch says of such a processor: "AVX512", "AVX2" or "DEFAULT"."""
    ...
