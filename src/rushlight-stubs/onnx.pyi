# Written by tools/stubs.py; `make stubs` writes it anew.

def is_in_onnx_export() -> bool:
    """False: nothing is exported."""
    ...
