# Written by tools/stubs.py; `make stubs` writes it anew.

def dill_available() -> bool:
    """Whether dill can be imported."""
    ...
